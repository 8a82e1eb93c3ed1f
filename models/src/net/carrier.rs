//! What brings telemetry back, and what the two ends of a flow remember for it; the packets are in [`super::notify`].

use super::packet::Packet;
use crate::cc::hpcc::{ReceiverClock, RemoteWindow};

/// What brings telemetry, or what the law makes of it, to the sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carrier {
    /// ACK and NAK.
    #[default]
    Ack,
    /// A packet of its own for each data packet with telemetry; ACK and NAK are plain.
    Notification,
    /// The law runs at the receiver; a full update sends its window. ACK and NAK are plain.
    Receiver {
        /// A full update waits for the largest queue of the path as well as for `T`.
        after_queue: bool,
    },
}

/// Feedback of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// What carries it.
    pub carrier: Carrier,
    /// Data packets for each ACK, 1 or more. Above 1 a sender asks for one on every such packet, on the last of a message, on the one that fills
    /// the window and on the first of a repetition; a receiver sends one at the latest `T` after a packet that waits for one.
    pub ack_every: u32,
    /// Receivers count the flows with data in each `T` and tell.
    pub count_flows: bool,
    /// A window of a receiver's law means at least this rate, bits per second.
    pub min_rate_bps: u64,
}

impl Default for Feedback {
    fn default() -> Self {
        Self {
            carrier: Carrier::Ack,
            ack_every: 1,
            count_flows: false,
            min_rate_bps: 100_000_000,
        }
    }
}

/// Sender and receiver of one flow, as far as other feedback than an ACK for each packet needs it.
#[derive(Clone, Debug, Default)]
pub struct FeedbackState {
    /// Sender: packets since the last that asked for an ACK.
    pub unasked: u32,
    /// Sender: data is being sent again.
    pub repeating: bool,
    /// Receiver: the newest packet that waits for an ACK.
    pub held: Option<Box<Packet>>,
    /// Receiver: the newest telemetry since the last ACK.
    pub telemetry: Option<Box<Packet>>,
    /// Receiver: an ACK is sent at the latest at the event of this number.
    pub delayed: u32,
    /// Receiver: when the law acts.
    pub clock: ReceiverClock,
    /// Receiver: number of the last window sent.
    pub sequence: u32,
    /// Receiver: interval in which the flow was counted last, plus one.
    pub counted: u64,
    /// Sender: windows taken.
    pub remote: RemoteWindow,
    /// Sender: when the last one came, ps.
    pub remote_at: u64,
}

/// Flows with data at one receiver, interval by interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowCount {
    interval: u64,
    now: u16,
    before: u16,
}

impl FlowCount {
    /// A packet in `interval`; `new`: the first of its flow in it. Flows of the last whole interval, or of this one if there are more.
    pub fn packet(&mut self, interval: u64, new: bool) -> u16 {
        if interval != self.interval {
            self.before = if interval == self.interval + 1 { self.now } else { 0 };
            (self.interval, self.now) = (interval, 0);
        }
        self.now = self.now.saturating_add(u16::from(new));
        self.now.max(self.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_are_counted_by_interval() {
        let mut count = FlowCount::default();
        assert_eq!([true, true, false, true].map(|new| count.packet(5, new)), [1, 2, 2, 3]);
        assert_eq!(count.packet(6, true), 3, "the last whole interval counts");
        assert_eq!(count.packet(7, true), 1);
        assert_eq!(count.packet(9, true), 1, "an interval without data lies between");
        count.now = u16::MAX;
        assert_eq!(count.packet(9, true), u16::MAX);
    }
}
