//! A requester that mostly does what is right.

use crate::sim::Stimulus;
use hpcc_models::nic::QpConfig;
use hpcc_models::wire::{RethRepr, MASK_24};

/// Address by which peers name the memory that regions cover.
pub const BASE: u64 = 0x1234_5678_9abc_0000;
/// Added to it, gives the address of that memory; carries from the lower half into the upper one.
pub const OFFSET: u64 = 0x8000_0001_8000_0040;
/// Bytes of it.
pub const ROOM: u64 = 0x1_0000;
/// Keys of domain 0 that may be written and read, written only, read only. Those of the other domain have the next three entries.
pub const KEYS: [u32; 3] = [0x11, 0xfedc_2122, 0x8000_0233];
/// From a key of domain 0 to that of the other domain.
pub const NEXT_DOMAIN: u32 = 0x300;
/// The other domain.
pub const DOMAIN: u16 = 0x8001;

/// A request as its fields.
#[derive(Clone, Debug)]
pub struct Request {
    pub qpn: u32,
    pub opcode: u8,
    pub psn: u32,
    pub ack_req: bool,
    pub reth: RethRepr,
    pub payload: Vec<u8>,
    pub int: Vec<u8>,
}

/// A queue pair as its peer believes it to be.
pub struct Peer {
    pub config: QpConfig,
    pub generation: u8,
    pub psn: u32,
    pub message: Option<(u64, u64)>,
    pub ended: bool,
}

impl Peer {
    /// A request that continues what the peer did before, or does not.
    pub fn request(&self, s: &mut Stimulus) -> Request {
        let peer = self;
        let mtu = u64::from(peer.config.mtu);
        let size = |s: &mut Stimulus| match s.below(5) {
            0 => 0,
            1 => mtu * s.below(4),
            2 => (mtu * s.below(4) + s.below(3)).saturating_sub(1),
            _ => s.below(4 * mtu),
        };
        let mut length = size(s);
        let (own, foreign) = if peer.config.domain == DOMAIN { (NEXT_DOMAIN, 0) } else { (0, NEXT_DOMAIN) };
        let mut key = KEYS[0] + own;
        let mut address = BASE + s.below(ROOM - length + 1);
        let (opcode, mut bytes) = match peer.message {
            Some((_, left)) if left <= mtu => (0x08, left),
            Some(_) => (0x07, mtu),
            None if s.chance(0.35) => (0x0c, 0),
            None if length <= mtu && s.chance(0.8) => (0x0a, length),
            None => {
                length = length.max(mtu);
                (0x06, mtu)
            }
        };
        if opcode == 0x06 {
            address = BASE + s.below(ROOM - length + 1);
        }
        let mut opcode = opcode;
        let mut psn = peer.psn;
        let unusual = s.below(100);
        match unusual {
            0..=5 => psn += 1 + s.below(3) as u32,
            6 => psn = psn.wrapping_add(0x7f_ffff),
            7 => psn = psn.wrapping_add(0x80_0000 + s.below(2) as u32),
            8..=15 => psn = psn.wrapping_sub(1 + s.below(5) as u32),
            16 => opcode = [0x06, 0x07, 0x08, 0x0a, 0x0c, 0x00, 0x09, 0x13][s.below(8) as usize],
            17 => length = [0x8000_0000, 0x8000_0001, 0xffff_ffff, length + 1][s.below(4) as usize],
            18 => key = [0x22, KEYS[0] ^ 1 << s.below(32), KEYS[0] + foreign][s.below(3) as usize],
            19 => address = [BASE - 1, BASE + ROOM - length + 1, u64::MAX][s.below(3) as usize],
            20 => bytes = [0, 1, bytes + 1, bytes.max(1) - 1][s.below(4) as usize].min(mtu + 4),
            21 => key = KEYS[1 + s.below(2) as usize] + own,
            _ => {}
        }
        if (7..=15).contains(&unusual) && s.chance(0.5) {
            opcode = 0x0c;
            bytes = 0;
        }
        if !matches!(opcode, 0x06 | 0x0a | 0x0c) {
            (address, key, length) = (s.uniform(64), s.uniform(32) as u32, s.uniform(32));
        }
        let n_hop = s.below(7) as u8;
        let int_length = 2 + 8 * usize::from(n_hop.min(5));
        let mut int: Vec<u8> = (0..int_length).map(|_| s.uniform(8) as u8).collect();
        int[0] = n_hop << 4 | int[0] & 15;
        if !peer.config.int {
            int.clear();
        }
        Request {
            qpn: peer.config.qpn,
            opcode,
            psn: psn & MASK_24,
            ack_req: s.chance(0.3),
            reth: RethRepr {
                address,
                key,
                length: length as u32,
            },
            payload: (0..bytes).map(|_| s.uniform(8) as u8).collect(),
            int,
        }
    }

    /// Moves the peer's belief on if the request was the one in turn.
    pub fn sent(&mut self, request: &Request) {
        let peer = self;
        let mtu = u64::from(peer.config.mtu);
        if request.psn != peer.psn {
            return;
        }
        let length = u64::from(request.reth.length);
        let bytes = request.payload.len() as u64;
        match request.opcode {
            0x0c => peer.psn = peer.psn.wrapping_add(length.div_ceil(mtu).max(1) as u32),
            0x06 => {
                peer.psn += 1;
                peer.message = Some((request.reth.address.wrapping_add(bytes), length.wrapping_sub(bytes)));
            }
            0x07 => {
                peer.psn += 1;
                peer.message = peer
                    .message
                    .map(|(at, left)| (at.wrapping_add(bytes), left.wrapping_sub(bytes)));
            }
            _ => {
                peer.psn += 1;
                peer.message = None;
            }
        }
        peer.psn &= MASK_24;
    }
}
