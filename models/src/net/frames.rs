//! Frames of NICs to packets of the network ([`External`]), and what packets collected back into frames.

use super::outside::External;
use crate::cc::{HopRecord, MAX_HOPS};
use crate::wire::{wire_occupancy, Opcode, PortRole, Ports, RocePacket, StampConfig, WireError};
use std::net::Ipv4Addr;
use thiserror::Error;

/// Bits of the type-of-service byte that say "capable of ECN"; both together: congestion experienced.
const ECN: u8 = 3;

/// A frame that the network cannot carry.
#[derive(Debug, Error, PartialEq)]
pub enum FrameError {
    /// It is no frame of RoCE.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// Nobody has its address.
    #[error("sent to {0}, which is no host's")]
    Destination(Ipv4Addr),
}

/// Address of node 0; those of the others count on.
const FIRST: u32 = 0x0a00_0001;

/// Address of a host.
pub fn host_ip(node: u32) -> Ipv4Addr {
    Ipv4Addr::from(FIRST + node)
}

/// The host of an address.
pub fn host_of(ip: Ipv4Addr) -> Option<u32> {
    u32::from(ip).checked_sub(FIRST)
}

/// What a sent frame says about itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sent {
    /// As the network takes it.
    pub external: External,
    /// Destination queue pair.
    pub qpn: u32,
    /// Packet sequence number.
    pub psn: u32,
    /// Payload bytes; 0 on an acknowledgement.
    pub payload: u64,
}

/// Reads a frame that a NIC sent, and its opcode. Everything that a receiver would check is checked.
pub fn read(frame: &[u8], tag: u64, ports: &Ports, stamp: &StampConfig) -> Result<(Sent, Opcode), FrameError> {
    let packet = RocePacket::parse(frame, ports)?;
    let (mut sent, opcode) = sent(&packet, tag, ports)?;
    sent.external.size = wire_occupancy(frame.len()) as u32;
    sent.external.int = stamp.stamps(frame);
    Ok((sent, opcode))
}

/// What a packet says about itself, but for its size on the wire and whether switches stamp it.
pub fn sent(packet: &RocePacket, tag: u64, ports: &Ports) -> Result<(Sent, Opcode), FrameError> {
    let to = packet.ipv4.dst;
    let role = ports.role(packet.udp.dst_port);
    let acknowledgement =
        role == Some(PortRole::IntEcho) || matches!(packet.bth.opcode, Opcode::Acknowledge | Opcode::Cnp);
    let sent = Sent {
        external: External {
            dst: host_of(to).ok_or(FrameError::Destination(to))?,
            ports: u32::from(packet.udp.src_port) | u32::from(packet.udp.dst_port) << 16,
            size: 0,
            int: false,
            ecn: packet.ipv4.tos & ECN != 0,
            acknowledgement,
            tag,
        },
        qpn: packet.bth.dest_qp,
        psn: packet.bth.psn,
        payload: packet.payload.len() as u64,
    };
    Ok((sent, packet.bth.opcode))
}

/// Writes what the packet collected into its frame, with the code of the stamper: lengths and header checksum follow.
pub fn write_int(frame: &mut Vec<u8>, stamp: &StampConfig, n_hop: u8, path_id: u16, hops: &[HopRecord; MAX_HOPS]) {
    for hop in 0..usize::from(n_hop) {
        // The ids are known by their XOR only: all of it goes in at the first switch.
        let switch_id = if hop == 0 { path_id } else { 0 };
        let record = hops.get(hop).copied().unwrap_or_default();
        StampConfig { switch_id, ..*stamp }.stamp(frame, record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::*;

    fn frame(int: &[u8], dst_port: u16, tos: u8) -> Vec<u8> {
        RocePacket {
            ethernet: EthernetRepr::ipv4(MacAddr([2, 0, 0, 0, 0, 1]), MacAddr([2, 0, 0, 0, 0, 2])),
            ipv4: Ipv4Repr {
                tos,
                ..Ipv4Repr::udp(host_ip(0), host_ip(1))
            },
            udp: UdpRepr::ports(0xc123, dst_port),
            int,
            bth: BthRepr::new(Opcode::Write(Position::Middle), 0x11, 0xabcdef),
            extension: Extension::None,
            payload: &[7; 256],
        }
        .to_frame()
    }

    #[test]
    fn what_the_network_needs_is_read() {
        let (ports, stamp) = (Ports::default(), StampConfig::default());
        let (sent, _) = read(&frame(&INT_EMPTY, 54791, 26 << 2), 9, &ports, &stamp).unwrap();
        let external = External {
            dst: 1,
            ports: 0xd607_c123,
            size: 14 + 20 + 8 + 2 + 12 + 256 + 4 + 24,
            int: true,
            ecn: false,
            acknowledgement: false,
            tag: 9,
        };
        assert_eq!(
            sent,
            Sent {
                external,
                qpn: 0x11,
                psn: 0xabcdef,
                payload: 256
            }
        );
        // Another DSCP or port is not stamped; ECT(0) may be marked.
        for (int, port, tos) in [(&INT_EMPTY[..], 54791, 2), (&[], 4791, 26 << 2 | 2)] {
            let (sent, _) = read(&frame(int, port, tos), 9, &ports, &stamp).unwrap();
            assert_eq!((sent.external.int, sent.external.ecn), (false, tos & 3 != 0));
        }
        let mut damaged = frame(&INT_EMPTY, 54791, 26 << 2);
        damaged[100] ^= 1;
        assert!(matches!(
            read(&damaged, 9, &ports, &stamp),
            Err(FrameError::Wire(WireError::Icrc { .. }))
        ));
    }

    /// Records written at the end of the way give the bytes that six switches write on it.
    #[test]
    fn int_is_what_switches_on_the_way_write() {
        let start = frame(&INT_EMPTY, 54791, 26 << 2);
        let mut on_the_way = start.clone();
        let mut stack = IntStack::default();
        for hop in 0..7u16 {
            let mut late = start.clone();
            write_int(
                &mut late,
                &StampConfig::default(),
                stack.n_hop,
                stack.path_id,
                &stack.hops,
            );
            assert_eq!(late, on_the_way, "{hop} switches");
            let mut port = Stamper {
                config: StampConfig {
                    switch_id: 0x123 * (hop + 1),
                    speed: 5,
                    ..StampConfig::default()
                },
                tx_bytes: 128 * u64::from(hop + 7),
            };
            let record = port.config.record(1000 + u64::from(hop), port.tx_bytes, 800);
            stack.stamp(port.config.switch_id, record);
            port.stamp(&mut on_the_way, 1000 + u64::from(hop), 800);
        }
    }
}
