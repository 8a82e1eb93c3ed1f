//! State of a host's port that sends.

use super::flow::Context;

/// What a NIC asks of a running flow each time that it looks for the next packet: kept beside the list, as a flow's whole state fills lines of a
/// cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// Context of the flow.
    pub context: u32,
    /// Payload is left to send.
    pub more: bool,
    /// The window forbids another packet.
    pub bound: bool,
    /// All acknowledged.
    pub finished: bool,
    /// Earliest next send, ps.
    pub next_avail: i64,
}

impl Turn {
    /// Of a flow as it is now.
    pub fn of(index: u32, context: &Context) -> Self {
        Self {
            context: index,
            more: context.bytes_left() > 0,
            bound: context.window_bound(),
            finished: context.finished,
            next_avail: context.next_avail,
        }
    }
}

/// Sending half of a host port.
#[derive(Clone, Debug)]
pub(super) struct Nic {
    /// Its port.
    pub port: u32,
    /// Running flows, in the order of the round robin.
    pub turns: Vec<Turn>,
    /// Where the round robin stopped.
    pub last: usize,
    /// Time of the pending wake-up, ps.
    pub wake_at: Option<u64>,
    /// Tells the pending wake-up from those before it.
    pub wake_token: u32,
    /// The next packet may be one of a TCP connection.
    pub tcp_turn: bool,
}

impl Nic {
    pub(super) fn new(port: u32) -> Self {
        Self {
            port,
            turns: Vec::new(),
            last: 0,
            wake_at: None,
            wake_token: 0,
            tcp_turn: true,
        }
    }
}
