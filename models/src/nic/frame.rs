//! The bytes of a packet: outer headers of a queue pair in front of what the transport says.

use super::format;
use super::keyed::tag;
use super::memory::Memory;
use super::nic::Nic;
use super::qp::Qp;
use crate::wire::*;

/// What one packet carries behind the outer headers.
pub(super) struct Content<'a> {
    pub role: PortRole,
    pub int: &'a [u8],
    pub bth: BthRepr,
    pub extension: Extension,
    pub payload: &'a [u8],
    /// Switches on the way are to add INT, if it is a packet that carries it.
    pub collects: bool,
}

impl<M: Memory> Nic<M> {
    /// Puts the outer headers of a queue pair in front.
    pub(super) fn frame(&self, qp: &Qp, content: &Content) -> Vec<u8> {
        let key = self.config.echo_keys.get(&qp.config.qpn);
        let key = key.filter(|_| content.role == PortRole::IntEcho);
        let checked = key.map(|&key| {
            let check = tag(key, &content.bth, &content.extension, content.int, content.payload);
            [content.payload, &check].concat()
        });
        let packet = RocePacket {
            ethernet: EthernetRepr::ipv4(self.config.mac, qp.mac),
            ipv4: Ipv4Repr {
                tos: self.tos(qp, content),
                ttl: self.config.ttl,
                ..Ipv4Repr::udp(self.config.ip, qp.config.remote_ip)
            },
            udp: UdpRepr::ports(qp.config.source_port(), self.config.ports.number(content.role)),
            int: content.int,
            bth: BthRepr {
                migrated: content.bth.opcode != Opcode::Cnp,
                pkey: self.config.pkey,
                ..content.bth
            },
            extension: content.extension,
            payload: checked.as_deref().unwrap_or(content.payload),
        };
        if content.role == PortRole::IntCollect && self.config.translates() {
            format::emit(&self.config, content.collects, &packet)
        } else if self.config.echo_icrc_full && content.role == PortRole::IntEcho {
            packet.to_frame_with_int_covered()
        } else {
            packet.to_frame()
        }
    }
}

impl<M: Memory> Nic<M> {
    /// Type of service: code point and ECN field. Requests and READ responses alone may say that they can be marked, and only without INT.
    fn tos(&self, qp: &Qp, content: &Content) -> u8 {
        match content.bth.opcode {
            Opcode::Cnp => self.config.cnp.dscp << 2,
            _ if !content.collects => self.config.dscp_unstamped << 2,
            opcode if opcode.is_feedback() || qp.config.int => self.config.dscp << 2,
            _ => self.config.dscp << 2 | self.config.ecn & ECN_CE,
        }
    }
}

/// Port and INT header of data packets of a queue pair.
pub(super) fn data_content(qp: &Qp) -> Content<'static> {
    let (role, int): (_, &[u8]) = if qp.config.int {
        (PortRole::IntCollect, &INT_EMPTY)
    } else {
        (PortRole::Roce, &[])
    };
    let bth = BthRepr::new(Opcode::ReadRequest, 0, 0);
    Content {
        role,
        int,
        bth,
        extension: Extension::None,
        payload: &[],
        collects: true,
    }
}
