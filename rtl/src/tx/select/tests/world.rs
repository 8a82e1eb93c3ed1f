//! The tables as software, and what the models say a grant leads to.

use crate::prim::uint::U;
use crate::prim::word::Word as _;
use crate::tx::select::Select;
use crate::words::context::RegionGuard;
use crate::words::transport::TxPacket;
use hpcc_models::nic::{is_timed, Departure};
use hpcc_models::sched::SchedRegisters;
use hpcc_models::wire::*;
use std::collections::VecDeque;

pub const QPS: usize = 8;
pub const INTERVAL: u32 = 16;
pub type Block = Select<3, 7, 6, 6>;

#[derive(Clone, Copy, Debug, Default)]
pub struct Context {
    pub alive: bool,
    pub generation: u8,
    pub mtu: u8,
    pub int: bool,
    pub priority: u8,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Message {
    pub start: u32,
    pub count: u32,
    pub read: bool,
    pub generation: u8,
    pub local: u64,
    pub remote: u64,
    pub key: u32,
    pub length: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Read {
    pub generation: u8,
    pub first: u32,
    pub count: u32,
    pub address: u64,
    pub length: u32,
    pub msn: u32,
    pub tag: u8,
    pub epoch: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    pub flow: u16,
    pub generation: u8,
    pub psn: u32,
    pub kind: u8,
}

/// The guard of a message by its key, or of a READ by its MSN, and whether its region stands. Every entry of the table has been written once.
pub fn guard(number: u32) -> (RegionGuard, bool) {
    let stands = number % 16 != 9;
    let guard = RegionGuard {
        entry: U(u64::from(number) % 32),
        count: U(u64::from(stands)),
    };
    (guard, stands)
}

/// What leaves on each port, in order.
#[derive(Debug, Default)]
pub struct Expected {
    pub packets: VecDeque<(Grant, TxPacket)>,
    pub jobs: VecDeque<(u64, u64)>,
    /// advance, flow, generation, PSN, value
    pub feedbacks: VecDeque<(bool, u64, u64, u64, u64)>,
    /// queue pair, generation, end
    pub sents: VecDeque<(u64, u64, u64)>,
}

/// The tables, and packets since an acknowledgement was asked for.
#[derive(Default)]
pub struct World {
    pub contexts: [Context; QPS],
    pub rings: [[Message; 16]; QPS],
    /// Rings of the READs that are answered, by tag modulo 16, and the one that began last.
    pub reads: [[Read; 16]; QPS],
    pub newest: [Read; QPS],
    pub since: [(u8, u32); QPS],
    /// The last of every 2^n packet numbers is timed.
    pub spacing: Option<u8>,
    /// Where flows of even and odd number would go on.
    pub next: [u32; 2 * QPS],
}

pub const fn mtu(code: u8) -> u32 {
    256 << code
}

pub fn ahead(a: u32, b: u32) -> u32 {
    a.wrapping_sub(b) & MASK_24
}

/// Wire bytes of a frame with a full INT stack, or none.
pub fn wire_bytes(int: bool, extension: Extension, payload: usize) -> i64 {
    let (int, payload) = (vec![0; if int { INT_MAX_LEN } else { 0 }], vec![0; payload]);
    let frame = RocePacket {
        ethernet: EthernetRepr::ipv4(Default::default(), Default::default()),
        ipv4: Ipv4Repr::udp([10, 0, 0, 1].into(), [10, 0, 0, 2].into()),
        udp: UdpRepr::ports(1, 2),
        int: &int,
        bth: BthRepr::new(Opcode::ReadRequest, 0, 0),
        extension,
        payload: &payload,
    };
    wire_occupancy(frame.frame_len()) as i64
}

impl World {
    /// What a grant leads to; void grants of another generation lead to nothing.
    pub fn expect(&mut self, grant: Grant, out: &mut Expected) {
        let qp = usize::from(grant.flow / 2);
        let context = self.contexts[qp];
        if !context.alive || context.generation != grant.generation {
            return;
        }
        let full = i64::from(SchedRegisters::default().wire_bytes(context.mtu));
        let (flow, generation, psn) = (grant.flow.into(), grant.generation.into(), grant.psn.into());
        let spare = |out: &mut Expected, bytes: i64| {
            if bytes != 0 {
                let value = bytes as u64 & u64::from(MASK_24);
                out.feedbacks.push_back((false, flow, generation, psn, value));
            }
        };
        let mtu = u64::from(mtu(context.mtu));
        let tag;
        let stands;
        let (opcode, extension, address, length, ack_req, ends_read) = if grant.flow % 2 == 1 {
            let epoch = self.newest[qp].epoch;
            let holds =
                |r: &&Read| r.generation == grant.generation && r.epoch == epoch && ahead(grant.psn, r.first) < r.count;
            let Some(read) = self.reads[qp].iter().find(holds) else {
                return spare(out, full);
            };
            let index = ahead(grant.psn, read.first);
            let position = Position::of(index.into(), read.count.into());
            let aeth = AethRepr {
                syndrome: Syndrome::parse(SYNDROME_ACK),
                msn: read.msn,
            };
            let extension = if position == Position::Middle { Extension::None } else { Extension::Aeth(aeth) };
            let before = u64::from(index) * mtu;
            let length = (u64::from(read.length) - before).min(mtu);
            let ends = index + 1 == read.count;
            tag = read.tag;
            stands = guard(read.msn).1;
            (
                Opcode::ReadResponse(position),
                extension,
                read.address.wrapping_add(before),
                length,
                false,
                ends,
            )
        } else {
            let holds = |m: &&Message| m.generation == grant.generation && ahead(grant.psn, m.start) < m.count;
            let Some(m) = self.rings[qp].iter().find(holds) else {
                return spare(out, full);
            };
            let index = ahead(grant.psn, m.start);
            let before = u64::from(index) * mtu;
            let rest = u64::from(m.length) - before;
            if m.read && index != 0 && grant.kind & 4 == 0 {
                return spare(out, full);
            }
            let end = (m.start + m.count) & MASK_24;
            // as `requester::sent`: ends the message, asked for by the scheduler, or the interval is over
            let since = if self.since[qp].0 == grant.generation { self.since[qp].1 } else { 0 } + 1;
            let timed = is_timed(grant.psn, self.spacing);
            let ack_req =
                m.read || index + 1 == m.count || grant.kind & 6 != 0 || since >= INTERVAL || timed && !context.int;
            let departure = match (timed && !m.read, grant.kind & 1 == 1) {
                _ if grant.kind & 4 != 0 => Departure::Rewound,
                (true, true) => Departure::Repeated,
                (true, false) => Departure::Timed,
                (false, _) => Departure::Untimed,
            };
            tag = departure as u8;
            stands = guard(m.key).1;
            self.since[qp] = (grant.generation, if ack_req { 0 } else { since });
            if grant.kind & 1 == 0 {
                let sent = if m.read { end } else { (grant.psn + 1) & MASK_24 };
                out.sents.push_back((qp as u64, generation, sent.into()));
            }
            // the grant itself has brought the scheduler past the last packet
            if m.read && end != (grant.psn + 1) & MASK_24 {
                out.feedbacks.push_back((true, flow, generation, psn, end.into()));
            }
            let reth = |address, length| {
                Extension::Reth(RethRepr {
                    address,
                    key: m.key,
                    length,
                })
            };
            let position = Position::of(index.into(), m.count.into());
            if m.read {
                let extension = reth(m.remote.wrapping_add(before), rest as u32);
                (Opcode::ReadRequest, extension, 0, 0, ack_req, false)
            } else {
                let extension = if position.is_start() { reth(m.remote, m.length) } else { Extension::None };
                (
                    Opcode::Write(position),
                    extension,
                    m.local.wrapping_add(before),
                    rest.min(mtu),
                    ack_req,
                    false,
                )
            }
        };
        let mut word = [0; 4];
        let limbs = &mut word;
        TxPacket::QP.put(limbs, qp as u64);
        TxPacket::GENERATION.put(limbs, generation);
        TxPacket::OPCODE.put(limbs, opcode.emit().into());
        TxPacket::PSN.put(limbs, psn);
        TxPacket::ACK_REQ.put(limbs, ack_req.into());
        match extension {
            Extension::None => {}
            Extension::Reth(reth) => {
                let mut bytes = [0; RETH_LEN];
                reth.emit(&mut bytes);
                TxPacket::EXTENSION_KIND.put(limbs, 1);
                TxPacket::EXTENSION.put_bytes(limbs, &bytes);
            }
            Extension::Aeth(aeth) => {
                let mut bytes = [0; AETH_LEN];
                aeth.emit(&mut bytes);
                TxPacket::EXTENSION_KIND.put(limbs, 2);
                TxPacket::EXTENSION.put_bytes(limbs, &bytes);
            }
        }
        // without its region a packet has no payload
        let refused = length > 0 && !stands;
        let whole = wire_bytes(context.int, extension, length as usize);
        let (length, bytes) = match refused {
            true => (0, whole - length.next_multiple_of(4) as i64),
            false => (length, whole),
        };
        TxPacket::REFUSED.put(limbs, refused.into());
        TxPacket::LENGTH.put(limbs, length);
        TxPacket::ENDS_READ.put(limbs, ends_read.into());
        TxPacket::TAG.put(limbs, tag.into());
        TxPacket::RESPONSE.put(limbs, (grant.flow % 2).into());
        out.packets.push_back((grant, TxPacket::from_slice(&word)));
        if length > 0 {
            out.jobs.push_back((address, length));
        }
        spare(out, full - bytes);
    }
}
