//! A third host that floods the second NIC of `run link`: what the first one leaves of the wire is filled with its frames, back to back.
//!
//! Its queue pairs exist at the NIC under fire, so that nothing is refused for its sender: WRITEs and READ requests of one byte are valid, and
//! where the NIC asks for it they go back. Frames follow each other as closely as the wire and the bus of the NIC (a beat of 64 bytes a clock) allow.

use super::bound::{BEAT, CLOCKS};
use super::link_config::{FloodKind, LinkSpec};
use super::link_nics::{FLOOD, FLOODER, FLOODER_MAC, FLOOD_KEY, FLOOD_PSN};
use super::queue_pairs::FIRST_FLOOD_QPN;
use hpcc_models::nic::Link;
use hpcc_models::wire::{
    AethRepr, BthRepr, EthernetRepr, Extension, Ipv4Repr, MacAddr, Opcode, Ports, Position, RethRepr, RocePacket,
    Syndrome, UdpRepr, ETHERTYPE_IPV4,
};
use std::net::Ipv4Addr;

/// Longest time without an answer after which it starts again where the last answer left it, ns.
const PATIENCE_NS: u64 = 20_000;
/// Time of a clock of the NIC, ps.
const CLOCK_PS: u64 = (1e12 / CLOCKS) as u64;
/// Of IEEE 802, for local experiments.
const EXPERIMENTAL: u16 = 0x88b5;

/// One of its queue pairs.
#[derive(Clone, Copy, Debug)]
struct Attacker {
    psn: u32,
    /// One past the last PSN that the NIC acknowledged.
    acknowledged: u32,
    heard_ns: u64,
}

/// The host that floods.
pub struct Flood {
    kind: FloodKind,
    attackers: Vec<Attacker>,
    turn: usize,
    next_ps: u64,
    to: (MacAddr, Ipv4Addr),
    /// Frames sent.
    pub frames: u64,
    /// Frames that the NIC sent to it.
    pub answers: u64,
}

impl Flood {
    /// What the scenario asks for, against its second NIC, from now on.
    pub fn new(spec: &LinkSpec, now_ns: u64) -> Option<Self> {
        let nic = spec.setup(1).nic;
        let attacker = Attacker {
            psn: FLOOD_PSN,
            acknowledged: FLOOD_PSN,
            heard_ns: now_ns,
        };
        Some(Self {
            kind: spec.flood?,
            attackers: vec![attacker; spec.flood_qps as usize],
            turn: 0,
            next_ps: now_ns * 1000,
            to: (nic.mac, nic.ip),
            frames: 0,
            answers: 0,
        })
    }

    /// Fills the wire up to a time, ns.
    pub fn fill(&mut self, wire: &mut Link, until_ns: u64) {
        loop {
            let at_ns = self.next_ps.max(wire.free_ps()).div_ceil(1000);
            if at_ns >= until_ns {
                return;
            }
            let frame = self.frame(at_ns);
            self.next_ps = at_ns * 1000 + frame.len().div_ceil(BEAT) as u64 * CLOCK_PS;
            self.frames += 1;
            wire.send(at_ns, frame);
        }
    }

    /// Takes a frame that the NIC sent, if it is for this host.
    pub fn takes(&mut self, frame: &[u8], at_ns: u64) -> bool {
        let Ok(packet) = RocePacket::parse(frame, &Ports::default()) else {
            return false;
        };
        if packet.ipv4.dst != FLOODER {
            return false;
        }
        self.answers += 1;
        let place = packet.bth.dest_qp.wrapping_sub(FIRST_FLOOD_QPN) as usize;
        let Some(attacker) = self.attackers.get_mut(place) else {
            return true;
        };
        attacker.heard_ns = at_ns;
        let nak = matches!(
            packet.extension,
            Extension::Aeth(AethRepr {
                syndrome: Syndrome::Nak(_),
                ..
            })
        );
        attacker.acknowledged = (packet.bth.psn + u32::from(!nak)) & 0xff_ffff;
        if nak {
            attacker.psn = attacker.acknowledged;
        }
        true
    }

    fn frame(&mut self, now_ns: u64) -> Vec<u8> {
        let place = self.turn;
        self.turn = (self.turn + 1) % self.attackers.len();
        let attacker = &mut self.attackers[place];
        if now_ns > attacker.heard_ns + PATIENCE_NS {
            attacker.psn = attacker.acknowledged;
            attacker.heard_ns = now_ns;
        }
        let psn = attacker.psn;
        attacker.psn = (psn + 1) & 0xff_ffff;
        let reth = Extension::Reth(RethRepr {
            address: FLOOD + place as u64,
            key: FLOOD_KEY,
            length: 1,
        });
        let unsent = Extension::Aeth(AethRepr {
            syndrome: Syndrome::Ack(31),
            msn: 0,
        });
        let (opcode, extension, payload): (_, _, &[u8]) = match self.kind {
            FloodKind::Frames => return self.foreign(),
            FloodKind::Acks => (Opcode::Acknowledge, unsent, &[]),
            FloodKind::Writes => (Opcode::Write(Position::Only), reth, &[0x5a]),
            FloodKind::Reads => (Opcode::ReadRequest, reth, &[]),
        };
        RocePacket {
            ethernet: self.ethernet(ETHERTYPE_IPV4),
            ipv4: Ipv4Repr::udp(FLOODER, self.to.1),
            udp: UdpRepr::ports(0xc000, Ports::default().roce),
            int: &[],
            bth: BthRepr {
                ack_req: true,
                ..BthRepr::new(opcode, FIRST_FLOOD_QPN + place as u32, psn)
            },
            extension,
            payload,
        }
        .to_frame()
    }

    fn ethernet(&self, ethertype: u16) -> EthernetRepr {
        EthernetRepr {
            dst: self.to.0,
            src: FLOODER_MAC,
            vlan: None,
            ethertype,
        }
    }

    /// 64 bytes with FCS.
    fn foreign(&self) -> Vec<u8> {
        let mut frame = vec![0; 60];
        self.ethernet(EXPERIMENTAL).emit(&mut frame);
        frame
    }
}
