//! What hosts outside the simulator exchange with it.

use crate::cc::{HopRecord, MAX_HOPS};
use std::collections::BTreeMap;

/// A frame that a host outside begins to send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct External {
    /// Node that it goes to.
    pub dst: u32,
    /// UDP source port in the low half, destination port in the high half: with the nodes what routing hashes.
    pub ports: u32,
    /// Bytes on the wire, with FCS, preamble and gap.
    pub size: u32,
    /// Switches stamp it, and it grows by a record at each.
    pub int: bool,
    /// Switches may mark it.
    pub ecn: bool,
    /// Acknowledgement: has the strict-priority queue where the network has one.
    pub acknowledgement: bool,
    /// Number by which it is delivered.
    pub tag: u64,
}

/// What reached a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// A frame, whole.
    Frame {
        /// Its number.
        tag: u64,
        /// Switches passed, 15 at most.
        n_hop: u8,
        /// XOR of their 12-bit ids.
        path_id: u16,
        /// INT records of the first five; none on a frame that is not stamped.
        hops: [HopRecord; MAX_HOPS],
        /// Marked.
        ecn: bool,
    },
    /// The data class is paused.
    Pause,
    /// It may go on.
    Resume,
    /// A frame will never arrive: dropped or lost on a link.
    Lost {
        /// Its number.
        tag: u64,
    },
}

/// Something delivered, and when and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// When it had arrived whole (or was lost), ps.
    pub time_ps: u64,
    /// Host that it concerns.
    pub node: u32,
    /// What.
    pub what: Delivery,
}

/// What the agent of a host outside says: none of the flows under its control may send faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLevel {
    /// When, ps.
    pub time_ps: u64,
    /// Host.
    pub node: u32,
    /// Bits per second of wire bytes.
    pub rate_bps: u64,
}

/// A frame that the network cannot take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InjectError {
    /// Not a host outside.
    #[error("node {0}: expected a host with one link, outside the simulator")]
    Node(u32),
    /// The switch would already have seen it.
    #[error("node {node}: frame of {time_ps} ps reaches the other end of its link before the network's {now_ps} ps")]
    Late {
        /// Sender.
        node: u32,
        /// When it was sent, ps.
        time_ps: u64,
        /// How far the network has run, ps.
        now_ps: u64,
    },
}

/// State of the hosts outside.
#[derive(Debug, Default)]
pub(super) struct Outside {
    /// All hosts are outside.
    pub on: bool,
    /// What has not been taken yet.
    pub delivered: Vec<Delivered>,
    /// Levels that have not been taken yet.
    pub levels: Vec<HostLevel>,
    /// The last one of each host.
    pub last_levels: BTreeMap<u32, u64>,
}
