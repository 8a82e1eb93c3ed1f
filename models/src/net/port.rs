//! Ports: the transmitter of one end of a link and the queues before it.

use super::classes::ClassQueues;
use super::config::EcnRule;
use super::packet::Chain;
use super::stamp_rules::Utilisation;

const _: () = assert!(std::mem::offset_of!(Port, delay_ps) == 64 && std::mem::offset_of!(Port, rate_bps) == 128);

/// One end of a link. Fields lie in the order of their use: what a packet touches that leaves is the first line of a cache, with what one
/// touches that arrives the second; the rest is rarely looked at.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Port {
    /// End of the present transmission, ps.
    pub busy_until: u64,
    /// Sequence number of that end.
    pub busy_seq: u64,
    /// Bytes transmitted since the start.
    pub tx_bytes: u64,
    /// Bytes waiting in all queues.
    pub queued_bytes: u64,
    /// Bytes of the data class waiting.
    pub egress_bytes: u64,
    /// Pauses, and acknowledgements where they have priority.
    pub control: Chain,
    /// Everything else, where there are no classes.
    pub data: Chain,
    /// Port at the other end.
    pub peer: u32,
    /// Which serialisation table.
    pub times: u32,

    /// Propagation delay, ps.
    pub delay_ps: u64,
    /// Arrived here and still in the switch, not counting headroom, bytes.
    pub ingress_bytes: u64,
    /// Arrived here after the pause threshold, bytes.
    pub headroom_used: u64,
    /// Probability of losing a packet on the way out; of a link with losses of its own the most that one of them is.
    pub loss: f64,
    /// Node it belongs to.
    pub node: u32,
    /// Switch number or NIC number, depending on the node.
    pub owner: u32,
    /// Packets waiting in all queues.
    pub waiting: u32,
    /// Port whose queues it sends from: its own number, but for a circuit port that of its ToR's uplink.
    pub queues: u32,
    /// Number of the ToR whose virtual output queues it sends from; [`super::packet::NIL`]: it has queues of its own.
    pub rack: u32,
    /// Pause threshold is the free buffer shifted right by this.
    pub pause_shift: u32,
    /// Link is usable.
    pub up: bool,
    /// True on a switch.
    pub on_switch: bool,
    /// Data class paused by the other end.
    pub paused: bool,
    /// We have paused the other end.
    pub pausing: bool,
    /// The end is in the event queue.
    pub end_scheduled: bool,
    /// INT code of the speed.
    pub speed_code: u8,
    /// The link has failed before.
    pub failed: bool,

    /// Speed, bits per second.
    pub rate_bps: u64,
    /// Headroom, bytes.
    pub headroom: u64,
    /// Marking.
    pub ecn: Option<EcnRule>,
    /// When the pause began, ps.
    pub paused_since: u64,
    /// When the link failed last, ps.
    pub failed_at: u64,
    /// Everything else by traffic class, on a switch of a network that has them.
    pub classes: Option<Box<ClassQueues>>,
    /// How busy the link is, where switches measure that.
    pub utilisation: Utilisation,
}

/// Durations of every packet size at one speed, ps.
#[derive(Clone, Debug)]
pub struct SizeTimes {
    /// Speed, bits per second.
    pub rate_bps: u64,
    /// Duration by size in bytes, ps.
    pub ps: Vec<u64>,
}

/// A switch's shared buffer.
#[derive(Clone, Debug)]
pub struct Switch {
    /// Node number; also the seed of its hash and, in 12 bits, its id in `pathID`.
    pub node: u32,
    /// Buffer that ports share: all of it less headroom and reserves, bytes.
    pub shared_bytes: u64,
    /// Shared buffer in use (with pause), bytes.
    pub shared_used: u64,
    /// All bytes of the data class in the switch (without pause).
    pub total_used: u64,
}
