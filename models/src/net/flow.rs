//! Flows: what is asked for, what became of it, and the state while it runs.

use super::any_order::AnyOrder;
use super::carrier::FeedbackState;
use super::fetch::prefetch;
use super::recovery::{Outstanding, Selective};
use crate::cc::{Collecting, Probing};

/// A flow to simulate: one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowSpec {
    /// Sending host (node number).
    pub src: u32,
    /// Receiving host (node number).
    pub dst: u32,
    /// Payload, bytes.
    pub bytes: u64,
    /// When it starts, ps.
    pub start_ps: u64,
    /// Destination port in the 5-tuple that chooses among equal paths.
    pub dst_port: u16,
}

impl FlowSpec {
    /// Destination port of flows whose file does not say.
    pub const DST_PORT: u16 = 100;
}

/// What became of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowRecord {
    /// When the sender had the last acknowledgement, ps.
    pub finished_ps: Option<u64>,
    /// When the receiver had the last byte, ps.
    pub received_ps: Option<u64>,
    /// When the flow really started, ps.
    pub started_ps: u64,
    /// Payload sent more than once, bytes.
    pub retransmitted_bytes: u64,
    /// Completion time without other traffic, ps: to the last acknowledgement at the sender; of a TCP flow to the last byte at the receiver.
    /// `None`: not started, or without a path when it started.
    pub ideal_ps: Option<u64>,
}

impl FlowRecord {
    /// Completion time, ps.
    pub fn fct_ps(&self) -> Option<u64> {
        self.finished_ps.map(|end| end - self.started_ps)
    }

    /// Completion time over ideal completion time; `None` also where there is no ideal one.
    pub fn slowdown(&self) -> Option<f64> {
        let ideal = self.ideal_ps?.max(1);
        self.fct_ps().map(|fct| fct as f64 / ideal as f64)
    }
}

/// State of a running flow, both ends. The place is used again when the flow is over; `flow` tells whose it is.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Flow number.
    pub flow: u32,
    /// Generation in the congestion-control slot.
    pub generation: u8,
    /// Slot that decides.
    pub slot: u32,
    /// Sending NIC.
    pub nic: u32,
    /// Place among the flows of that NIC.
    pub place: u32,
    /// 5-tuple.
    pub src: u32,
    /// 5-tuple.
    pub dst: u32,
    /// 5-tuple.
    pub ports: u32,
    /// Message size, bytes.
    pub size: u64,
    /// Oldest unacknowledged byte.
    pub snd_una: u64,
    /// Next byte to send.
    pub snd_nxt: u64,
    /// First byte never sent.
    pub snd_max: u64,
    /// Window, payload bytes, at least 1; `u64::MAX`: none.
    pub window: u64,
    /// Most payload bytes in flight whatever the window says (IRN's BDP-FC); `u64::MAX`: no such limit.
    pub most_in_flight: u64,
    /// Pacing rate, bits per second of wire bytes.
    pub rate_bps: u64,
    /// Rate that the law asked for last, bits per second.
    pub law_rate_bps: u64,
    /// Window that the law asked for last, payload bytes.
    pub law_window: u64,
    /// Most that an agent allows, bits per second; `None`: no agent.
    pub cap_bps: Option<u64>,
    /// Most in flight that an agent allows, payload bytes.
    pub cap_window: Option<u64>,
    /// Rate of its NIC's port, bits per second.
    pub line_bps: u64,
    /// Earliest next send, ps. May lie in the past, even before 0 after a rate rose.
    pub next_avail: i64,
    /// Wire bytes charged for the last packet.
    pub last_size: u32,
    /// Telemetry by sampling.
    pub collecting: Collecting,
    /// Telemetry by probes.
    pub probing: Probing,
    /// Feedback other than an ACK for each packet, both ends.
    pub feedback: FeedbackState,
    /// All acknowledged.
    pub finished: bool,
    /// Last progress or (re)start, ps: base of the retransmission timeout.
    pub progress_at: u64,
    /// A timeout event is in the queue.
    pub timer_armed: bool,
    /// Pending tick, ns; `u64::MAX`: none.
    pub tick_at: u64,
    /// Receiver: next byte expected.
    pub expected: u64,
    /// Receiver: expected byte of the last negative acknowledgement.
    pub nak_expected: u64,
    /// Receiver: when that one may be repeated, ps.
    pub nak_timer: u64,
    /// Receiver: a negative acknowledgement was sent for the present gap.
    pub nak_sent: bool,
    /// Selective retransmission, allocated when first needed.
    pub selective: Option<Box<Selective>>,
    /// State of a flow whose receiver takes any order.
    pub any_order: Option<Box<AnyOrder>>,
}

impl Context {
    /// Starts to fetch what an acknowledgement or a data packet will look at.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.snd_una);
        prefetch(&self.expected);
        prefetch(&self.flow);
        prefetch(&self.tick_at);
        prefetch(&self.window);
    }

    /// Payload bytes in flight: sent and not acknowledged in order. IRN counts the same, holes and what lies beyond them included; where
    /// receivers take any order, what is known to have arrived beyond a hole is not in flight.
    pub fn in_flight(&self) -> u64 {
        self.snd_nxt - self.snd_una - self.any_order.as_ref().map_or(0, |a| a.arrived_bytes())
    }

    /// The same as its two ends.
    pub fn outstanding(&self) -> Outstanding {
        Outstanding {
            una: self.snd_una,
            nxt: self.snd_nxt,
        }
    }

    /// A packet waits for retransmission. It was in flight before and is not held back by the window.
    fn has_lost(&self) -> bool {
        self.selective.as_ref().is_some_and(|s| s.has_lost()) || self.any_order.as_ref().is_some_and(|a| a.has_lost())
    }

    /// Payload not yet sent.
    pub fn bytes_left(&self) -> u64 {
        if self.has_lost() {
            return 1;
        }
        self.size - self.snd_nxt.min(self.size)
    }

    /// The window forbids another packet.
    pub fn window_bound(&self) -> bool {
        self.in_flight() >= self.window.min(self.most_in_flight) && !self.has_lost()
    }
}
