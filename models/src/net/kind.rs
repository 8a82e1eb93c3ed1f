//! What an event means: a kind and two numbers in 64 bits.

/// Kinds of events, in the top four bits of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    TxEnd,
    Arrive,
    Wake,
    FlowFeed,
    FlowInstall,
    FlowStart,
    Tick,
    Collect,
    Sample,
    Timeout,
    LinkChange,
    TcpTimer,
    Request,
    Agent,
    DelayedAck,
    HomaTimer,
}

const KINDS: [Kind; 16] = [
    Kind::TxEnd,
    Kind::Arrive,
    Kind::Wake,
    Kind::FlowFeed,
    Kind::FlowInstall,
    Kind::FlowStart,
    Kind::Tick,
    Kind::Collect,
    Kind::Sample,
    Kind::Timeout,
    Kind::LinkChange,
    Kind::TcpTimer,
    Kind::Request,
    Kind::Agent,
    Kind::DelayedAck,
    Kind::HomaTimer,
];

/// Beside the generation of a flow: what tells the end of a receiver's wait for a hole from a retransmission timeout.
pub(super) const HOLE: u32 = 1 << 8;

pub(super) fn encode(kind: Kind, a: u32, b: u32) -> u64 {
    (kind as u64) << 60 | u64::from(a) << 32 | u64::from(b)
}

/// Kind and numbers of an event.
#[inline]
pub(super) fn decode(payload: u64) -> (Kind, u32, u32) {
    let kind = KINDS[(payload >> 60) as usize];
    (kind, (payload >> 32) as u32 & 0x0fff_ffff, payload as u32)
}

/// The packet of an event that is an arrival.
pub(super) fn arriving(payload: u64) -> Option<u32> {
    let (kind, _, packet) = decode(payload);
    (kind == Kind::Arrive).then_some(packet)
}
