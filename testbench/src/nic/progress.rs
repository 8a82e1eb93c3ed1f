//! Which frames of a NIC carry something for the first time, by the PSNs that it has sent.

use hpcc_models::cc::psn_after;
use hpcc_models::wire::{Extension, Opcode, Ports, RocePacket, Verb, MASK_24};
use std::collections::HashMap;

/// The highest PSN that one NIC has sent, by destination queue pair and whether in READ responses.
#[derive(Default)]
pub(super) struct Progress(HashMap<(u32, bool), u32>);

/// What a frame carries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Content {
    /// Bytes of payload.
    pub payload: u64,
    /// Its PSN, or that of its last response, was sent before.
    pub repeated: bool,
}

impl Progress {
    /// What `frame` carries; its PSN counts as sent from now on.
    pub fn content(&mut self, frame: &[u8], ports: &Ports, mtu: u32) -> Content {
        let Ok(packet) = RocePacket::parse(frame, ports) else {
            return Content::default();
        };
        let (response, span) = match (packet.bth.opcode, packet.extension) {
            (Opcode::Write(_), _) => (false, 1),
            (Opcode::ReadResponse(_), _) => (true, 1),
            (Opcode::OtherRequest(code), _) if matches!(Verb::parse(code), Some(Verb::Send(_))) => (false, 1),
            (Opcode::ReadRequest, Extension::Reth(reth)) => (false, reth.length.div_ceil(mtu).max(1)),
            _ => return Content::default(),
        };
        let end = packet.bth.psn.wrapping_add(span) & MASK_24;
        let known = self.0.entry((packet.bth.dest_qp, response)).or_insert(packet.bth.psn);
        let repeated = !psn_after(end, *known);
        if !repeated {
            *known = end;
        }
        Content {
            payload: packet.payload.len() as u64,
            repeated,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hpcc_models::wire::{BthRepr, EthernetRepr, Ipv4Repr, MacAddr, Position, RethRepr, UdpRepr};
    use std::net::Ipv4Addr;

    fn frame(opcode: Opcode, psn: u32, extension: Extension, payload: &[u8]) -> Vec<u8> {
        RocePacket {
            ethernet: EthernetRepr::ipv4(MacAddr([4; 6]), MacAddr([2; 6])),
            ipv4: Ipv4Repr::udp(Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2)),
            udp: UdpRepr::ports(0xc000, 4791),
            int: &[],
            bth: BthRepr::new(opcode, 2, psn & MASK_24),
            extension,
            payload,
        }
        .to_frame()
    }

    #[test]
    fn what_was_sent_before_is_a_repeat_across_the_wrap() {
        let mut progress = Progress::default();
        let mut repeated = |opcode, psn, extension, payload: &[u8]| {
            let frame = frame(opcode, psn, extension, payload);
            let content = progress.content(&frame, &Ports::default(), 256);
            assert_eq!(content.payload, payload.len() as u64);
            content.repeated
        };
        let write = Opcode::Write(Position::Middle);
        let middle = Opcode::ReadResponse(Position::Middle);
        let reth = |length| {
            Extension::Reth(RethRepr {
                address: 0,
                key: 1,
                length,
            })
        };
        assert!(!repeated(write, 0xff_ffff, Extension::None, &[1; 256]));
        assert!(repeated(write, 0xff_ffff, Extension::None, &[1; 256]));
        // Two responses, PSN 0 and 1; what is asked for again ends where the first request ended.
        assert!(!repeated(Opcode::ReadRequest, 0x100_0000, reth(257), &[]));
        assert!(repeated(Opcode::ReadRequest, 1, reth(1), &[]));
        assert!(repeated(write, 0xff_ffff, Extension::None, &[1; 256]));
        assert!(!repeated(write, 2, Extension::None, &[1; 256]));
        // READ responses are another direction's PSNs.
        assert!(!repeated(middle, 1, Extension::None, &[1; 256]));
        assert!(!repeated(middle, 2, Extension::None, &[1; 256]));
        assert!(repeated(middle, 1, Extension::None, &[1; 256]));
    }
}
