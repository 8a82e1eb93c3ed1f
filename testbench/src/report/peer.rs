//! Frames that the peers of a configured NIC's queue pairs send it.

use crate::config::NicSetup;
use hpcc_models::nic::QpConfig;
use hpcc_models::wire::*;

/// The Ethernet header of the peer's frames.
pub(super) fn ethernet(setup: &NicSetup) -> EthernetRepr {
    EthernetRepr {
        dst: setup.nic.mac,
        src: setup.nic.neighbours.values().next().copied().unwrap_or_default(),
        vlan: None,
        ethertype: ETHERTYPE_IPV4,
    }
}

/// What a frame carries behind the outer headers.
pub(super) struct Content<'a> {
    /// UDP port.
    pub role: PortRole,
    /// INT header and stack.
    pub int: &'a [u8],
    /// Opcode; everything but an acknowledgement asks for one.
    pub opcode: Opcode,
    /// PSN, modulo 2^24.
    pub psn: u32,
    /// Header behind the BTH.
    pub extension: Extension,
    /// Payload.
    pub payload: &'a [u8],
}

/// A frame of the first queue pair's peer.
pub(super) fn frame(setup: &NicSetup, content: &Content) -> Vec<u8> {
    frame_to(setup, &setup.qps[0], content)
}

/// A frame of a queue pair's peer.
pub(super) fn frame_to(setup: &NicSetup, qp: &QpConfig, content: &Content) -> Vec<u8> {
    let nic = &setup.nic;
    RocePacket {
        ethernet: ethernet(setup),
        ipv4: Ipv4Repr {
            tos: nic.dscp << 2,
            ttl: nic.ttl,
            ..Ipv4Repr::udp(qp.remote_ip, nic.ip)
        },
        udp: UdpRepr::ports(qp.source_port(), nic.ports.number(content.role)),
        int: content.int,
        bth: BthRepr {
            ack_req: content.opcode != Opcode::Acknowledge,
            pkey: nic.pkey,
            ..BthRepr::new(content.opcode, qp.qpn, content.psn & 0xff_ffff)
        },
        extension: content.extension,
        payload: content.payload,
    }
    .to_frame()
}
