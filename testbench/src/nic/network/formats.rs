//! Frames with INT in other formats than Fig. 7's: what the network needs to know of them, and what packets collected back into them.

use hpcc_models::cc::hpcc::TX_UNIT;
use hpcc_models::cc::{HopRecord, MAX_HOPS};
use hpcc_models::net::frames::{self, FrameError, Sent};
use hpcc_models::wire::telemetry::{ifa, int_md, ioam, open, Encapsulation, TelemetryFormat, TelemetryPorts};
use hpcc_models::wire::{wire_occupancy, EthernetRepr, EthernetView, Opcode, Ports, RocePacket, StampConfig};

/// Longest IP packet that a link takes: what fits is refused before a run.
const LINK_MTU: usize = u16::MAX as usize;

/// Frames on the wires of a network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire {
    format: Encapsulation,
    ports: Ports,
    numbers: TelemetryPorts,
    stamp: StampConfig,
}

impl Wire {
    /// With INT in `format` and counters in units of `int_multi`.
    pub fn new(format: Encapsulation, int_multi: u32) -> Self {
        Self {
            format,
            ports: Ports::default(),
            numbers: TelemetryPorts {
                int_multi,
                ..TelemetryPorts::default()
            },
            stamp: StampConfig {
                int_multi,
                ..StampConfig::default()
            },
        }
    }

    /// Reads a frame that a NIC sent, and its opcode. Everything that a receiver would check is checked.
    pub fn read(&self, frame: &[u8], tag: u64) -> Result<(Sent, Opcode), FrameError> {
        let ethernet = EthernetRepr::parse(&EthernetView::new_checked(frame)?);
        let (header, packet) = frame.split_at(ethernet.header_len());
        let opened = match self.format {
            Encapsulation::Fig7 => None,
            _ => open(packet, &self.numbers).filter(|opened| opened.format != TelemetryFormat::Fig7),
        };
        let Some(opened) = opened else {
            return frames::read(frame, tag, &self.ports, &self.stamp);
        };
        let plain = [header, &opened.plain].concat();
        // behind INT the packet is one of RoCEv2 on whatever port its ICRC covers
        let ports = Ports {
            roce: self.format.covered_port(&self.numbers),
            ..self.ports
        };
        let read = RocePacket::parse(&plain, &ports)?;
        let (mut sent, opcode) = frames::sent(&read, tag, &ports)?;
        sent.external.ports = u32::from(read.udp.src_port) | u32::from(self.port()) << 16;
        sent.external.size = wire_occupancy(frame.len()) as u32;
        sent.external.int = read.ipv4.tos >> 2 == self.stamp.dscp;
        Ok((sent, opcode))
    }

    /// UDP destination port of packets with INT, as switches see it.
    fn port(&self) -> u16 {
        match self.format {
            Encapsulation::Fig7 => self.ports.int_collect,
            Encapsulation::Ifa => self.ports.roce,
            Encapsulation::Ioam(_) => self.numbers.ioam,
            Encapsulation::IntMd => self.numbers.int_md,
        }
    }

    /// Writes what the packet collected into its frame, as its switches would have.
    pub fn write_int(&self, frame: &mut Vec<u8>, n_hop: u8, path_id: u16, hops: &[HopRecord; MAX_HOPS]) {
        if self.format == Encapsulation::Fig7 {
            return frames::write_int(frame, &self.stamp, n_hop, path_id, hops);
        }
        let Ok(ethernet) = EthernetView::new_checked(&frame[..]).map(|view| EthernetRepr::parse(&view)) else {
            return;
        };
        let mut packet = frame.split_off(ethernet.header_len());
        for (hop, record) in hops.iter().enumerate().take(n_hop.into()) {
            // The ids are known by their XOR only: all of it goes in at the first switch.
            let device = if hop == 0 { u32::from(path_id) } else { 0 };
            self.add_hop(&mut packet, device, record);
        }
        frame.extend(packet);
    }

    fn add_hop(&self, packet: &mut Vec<u8>, device: u32, record: &HopRecord) {
        // the counter behind the record, whose lower bits nobody reads
        let tx_bytes = record.tx_bytes * TX_UNIT as u32 * self.stamp.int_multi;
        match self.format {
            Encapsulation::Fig7 => {}
            Encapsulation::Ifa => {
                let hop = ifa::IfaHop {
                    device,
                    // IFA has no code for a speed that is not known but 15
                    speed: record.speed.wrapping_sub(1) & 15,
                    rx_ns: record.ts,
                    tx_bytes,
                    queue: record.q_len,
                    ..ifa::IfaHop::default()
                };
                ifa::stamp(packet, &hop, LINK_MTU);
            }
            Encapsulation::Ioam(_) => {
                let node = ioam::IoamNode {
                    node: device,
                    speed: record.speed,
                    fraction: record.ts,
                    queue: record.q_len.into(),
                    tx_bytes,
                    ..ioam::IoamNode::default()
                };
                ioam::stamp(packet, &node, self.numbers.ioam, self.numbers.namespace, LINK_MTU);
            }
            Encapsulation::IntMd => {
                let hop = int_md::IntMdHop {
                    node: device,
                    speed: record.speed,
                    egress_ns: record.ts.into(),
                    queue: record.q_len.into(),
                    tx_bytes,
                    ..int_md::IntMdHop::default()
                };
                int_md::stamp(packet, &hop, self.numbers.int_md, self.numbers.domain, LINK_MTU);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hpcc_models::net::frames::host_ip;
    use hpcc_models::wire::*;

    fn frame(format: Encapsulation, tos: u8) -> Vec<u8> {
        let numbers = TelemetryPorts::default();
        let int: &[u8] = match format {
            Encapsulation::Fig7 => &INT_EMPTY,
            _ => &[],
        };
        let frame = RocePacket {
            ethernet: EthernetRepr::ipv4(MacAddr([2, 0, 0, 0, 0, 1]), MacAddr([2, 0, 0, 0, 0, 2])),
            ipv4: Ipv4Repr {
                tos,
                ..Ipv4Repr::udp(host_ip(0), host_ip(1))
            },
            udp: UdpRepr::ports(0xc123, format.covered_port(&numbers)),
            int,
            bth: BthRepr::new(Opcode::Write(Position::Middle), 0x11, 0xabcdef),
            extension: Extension::None,
            payload: &[7; 256],
        }
        .to_frame();
        let packet = format.apply(&frame[14..], &numbers, true).unwrap();
        [&frame[..14], &packet].concat()
    }

    /// Size on the wire, port that switches hash, whether they stamp; then what a receiver finds in the frame is what the packet collected.
    #[test]
    fn frames_of_every_format_cross_the_network() {
        let hop = |i: u32| HopRecord {
            speed: 5 + (i & 1) as u8,
            ts: 1000 + i,
            tx_bytes: 0xf_fff0 + i,
            q_len: 3 + i as u16,
        };
        let hops: [HopRecord; MAX_HOPS] = std::array::from_fn(|i| hop(i as u32));
        let ports = [54791, 4791, 54795, 54795, 54796];
        let formats = Encapsulation::ALL.into_iter().zip(ports);
        let cases = formats.flat_map(|(format, port)| [1, 4, 32].map(|multi| (format, port, multi)));
        for (format, port, int_multi) in cases {
            let wire = Wire::new(format, int_multi);
            for (tos, int) in [(26 << 2, true), (10 << 2, false)] {
                let sent = frame(format, tos);
                let (read, opcode) = wire.read(&sent, 9).unwrap();
                assert_eq!((read.external.int, read.external.dst, read.external.tag), (int, 1, 9));
                assert_eq!(read.external.ports, 0xc123 | port << 16, "{format:?}");
                let size = 14 + 20 + 8 + format.base_len() + 12 + 256 + 4 + 24;
                assert_eq!(read.external.size as usize, size);
                assert_eq!((read.qpn, read.psn, read.payload), (0x11, 0xabcdef, 256));
                assert_eq!(opcode, Opcode::Write(Position::Middle));
            }
            for n_hop in 0..=5u8 {
                let mut late = frame(format, 26 << 2);
                let before = late.len();
                wire.write_int(&mut late, n_hop, if n_hop > 0 { 0x5a5 } else { 0 }, &hops);
                assert_eq!(late.len() - before, usize::from(n_hop) * format.hop_len());
                let opened = open(&late[14..], &wire.numbers).unwrap();
                assert!(opened.icrc_ok());
                let stack = opened.stack.unwrap();
                let used = usize::from(n_hop);
                assert_eq!((stack.n_hop, &stack.hops[..used]), (n_hop, &hops[..used]), "{format:?}");
                assert_eq!(stack.path_id, if n_hop > 0 { 0x5a5 } else { 0 });
            }
            let mut damaged = frame(format, 26 << 2);
            let at = damaged.len() - 9;
            damaged[at] ^= 1;
            assert!(wire.read(&damaged, 1).is_err());
        }
    }
}
