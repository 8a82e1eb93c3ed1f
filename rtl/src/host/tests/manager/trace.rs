//! What the manager sends out, and the numbers by which the tests know it.

use crate::prim::word::Word as _;
use crate::words::context::QpContext;
use hpcc_models::wire::*;
use std::net::Ipv4Addr;

pub(super) const OUR_IP: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
pub(super) const OUR_MAC: MacAddr = MacAddr([2, 0, 0, 0, 0, 1]);
pub(super) const SOURCE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 9);
/// Law of queue pairs that control packets create: PowerTCP.
pub(super) const DEFAULT_LAW: u64 = 3;
pub(super) const KEY: u64 = 0x0123_4567_89ab_cdef;
pub(super) const WINDOW: u64 = 0x1_2345_6789;
pub(super) const LINE_RATE: u64 = 0x6400_0000;

pub(super) fn peer(i: u64) -> (Ipv4Addr, MacAddr) {
    (Ipv4Addr::new(10, 0, 1, i as u8), MacAddr([2, 0, 0, 1, 0x80, i as u8]))
}

pub(super) fn mtu_code(mtu: u32) -> u64 {
    (mtu / 256).trailing_zeros().into()
}

pub(super) fn context_fields(limbs: &[u64]) -> Vec<u64> {
    let fields = QpContext::FIELDS.iter().filter(|field| field.name != "RESERVED");
    fields.map(|field| field.get(limbs)).collect()
}

/// What the manager sends out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trace {
    /// Queue pair, and the fields in the order of the word without `RESERVED`.
    Context(u64, Vec<u64>),
    Dead(u64, u64),
    Remove(u64, u64),
    /// Create, flow, generation; of a creation PSN, MTU code, priority, windowless, timerless.
    Flow(bool, u64, u64, Option<(u64, u64, u64, bool, bool)>),
    /// Cap of a flow: flow, generation, rate, group.
    Cap(u64, u64, u64, u64),
    /// Create, law, flow, generation.
    Cc(bool, u64, u64, u64),
    First(u64, u64, u64, u64),
    Region(u64, Vec<u64>),
    Work(Vec<u64>),
    Done(u64),
    Accepted,
    Refused,
}
