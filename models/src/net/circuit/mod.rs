//! Reconfigurable network: an optical circuit switch beside the packet network (PowerTCP paper, section 5; Mukerjee et al., "Adapting TCP for
//! Reconfigurable Datacenter Networks", NSDI 2020).
//!
//! Each ToR has one circuit port. The optical switch cycles through N - 1 matchings: matching m leads from ToR i to ToR (i + m) mod N for one
//! day, then a night follows in which it is set anew. What a ToR has for another ToR waits in a virtual output queue (VOQ) of its own; the
//! circuit alone drains it while its day lasts, the uplink to the packet network otherwise. Routes never use circuits. Times are those at the
//! ToRs: a packet leaves through a circuit only if its last bit does so within the day, and what has left arrives.

mod network;
mod schedule;
mod voq;

pub use network::utilisation;
pub use schedule::Schedule;
pub(super) use voq::Circuits;

/// Rules of the circuit switch and of the queues before it.
#[derive(Clone, Debug, PartialEq)]
pub struct CircuitConfig {
    /// Speed of a circuit, bits per second.
    pub rate_bps: u64,
    /// From a ToR to another through the optical switch, ps.
    pub delay_ps: u64,
    /// A matching lasts this long, ps.
    pub day_ps: u64,
    /// Between two matchings, ps.
    pub night_ps: u64,
    /// The ToRs tell the TCP senders (reTCP) of circuits; `None`: they do not.
    pub signal: Option<SignalRule>,
    /// The VOQ that is observed: from which ToR to which, by their place among the ToRs.
    pub watch: (u32, u32),
}

/// What a ToR does for senders that scale their windows (reTCP).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalRule {
    /// Senders are told this long before the day, ps.
    pub prebuffer_ps: u64,
    /// Packets that a VOQ may hold from then to the end of the day; with [`super::FlowControl::DropTail`] only.
    pub enlarged_packets: Option<u32>,
}

#[cfg(test)]
mod tests;
