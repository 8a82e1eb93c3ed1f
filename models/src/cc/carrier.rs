//! What brings telemetry back to the sender (HPCC++, draft-miao-ccwg-hpcc 6.2.2 and 6.3), and how a receiver counts its flows: of the network's hosts
//! and of the NIC.

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

/// Whether a flow has been counted in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowSeen {
    last: Option<u64>,
}

impl FlowSeen {
    /// A packet of the flow in `interval`; true for the first.
    pub fn first_in(&mut self, interval: u64) -> bool {
        self.last.replace(interval) != Some(interval)
    }
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
        assert_eq!([true, true].map(|new| count.packet(7, new)), [1, 2]);
        assert_eq!(count.packet(9, true), 1, "an interval without data lies between");
        count.now = u16::MAX;
        assert_eq!(count.packet(9, true), u16::MAX);
    }

    #[test]
    fn a_flow_is_new_once_an_interval() {
        let mut flow = FlowSeen::default();
        assert_eq!(
            [0, 0, 1, 1, 5, 5].map(|interval| flow.first_in(interval)),
            [true, false, true, false, true, false]
        );
    }
}
