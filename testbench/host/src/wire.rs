//! What lies between the NICs; without a network a wire: every NIC has a port at one switch without loss, which sends a frame whole to the NIC of its
//! Ethernet address. A frame to a NIC's own address comes back.

use crate::meter::QueueMeter;
use hpcc_models::fixed::LAWS;
use hpcc_models::wire::wire_occupancy;
use std::collections::BTreeMap;

/// What reaches a NIC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// A frame, whole.
    Frame(Vec<u8>),
    /// Priorities that the NIC may not send from now on: bit n for priority n.
    Pause(u8),
}

/// What lies between the NICs. Times are nanoseconds of one clock and do not go back.
pub trait Fabric {
    /// A frame begins to leave the NIC `from` at `now` for the NIC `to`, which may be the same.
    fn send(&mut self, now: u64, from: usize, to: usize, frame: Vec<u8>);

    /// The next thing that has reached a NIC by `now`, and which NIC.
    fn receive(&mut self, now: u64) -> Option<(usize, Arrival)>;

    /// When [`Self::receive`] is to be asked next, ns; `None` while nothing is on its way.
    fn next_arrival(&self) -> Option<u64>;

    /// Rate of a NIC's port, bits per second.
    fn rate_bps(&self, nic: usize) -> u64;

    /// What waited for this NIC at the last port before it.
    fn queue(&self, nic: usize) -> QueueMeter;

    /// Most bytes that waited there since the last call.
    fn take_queue(&mut self, nic: usize) -> u64;

    /// What the fabric has seen besides, as lines of the daemon's report.
    fn report(&self) -> String {
        String::new()
    }
}

/// How queue pairs reach their peers; the default is plain RoCEv2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathRule {
    /// Their packets collect INT.
    pub int: bool,
    /// Code of their congestion-control law; none: the NIC's default.
    pub law: Option<u8>,
    /// 802.1p priority of their data, for pause.
    pub priority: u8,
}

/// Rate of every port, bits per ns.
const RATE: u64 = 100;
/// From a NIC to the switch, and from there to a NIC, ns.
const DELAY_NS: u64 = 250;

/// Frames on their way.
#[derive(Debug, Default)]
pub struct Wire {
    /// By arrival, ns, and number: receiver and frame.
    frames: BTreeMap<(u64, u64), (usize, Vec<u8>)>,
    count: u64,
    /// When the port to each NIC is free, ps.
    free_ps: Vec<u64>,
    /// What waits at the port to each NIC.
    queues: Vec<QueueMeter>,
}

impl Wire {
    /// A wire between so many NICs.
    pub fn new(nics: usize) -> Self {
        Self {
            free_ps: vec![0; nics],
            queues: vec![QueueMeter::default(); nics],
            ..Self::default()
        }
    }
}

impl PathRule {
    /// Name of the law.
    pub fn law_name(&self) -> &'static str {
        let entry = LAWS.iter().find(|entry| Some(entry.code) == self.law);
        entry.map_or("none", |entry| entry.name)
    }
}

impl Fabric for Wire {
    fn send(&mut self, now: u64, _: usize, to: usize, frame: Vec<u8>) {
        let time_ps = wire_occupancy(frame.len()) * 8 * 1000 / RATE;
        let at_switch = now * 1000 + time_ps + DELAY_NS * 1000;
        let free = &mut self.free_ps[to];
        let wait_ps = free.saturating_sub(at_switch);
        self.queues[to].saw(wait_ps * RATE / 8000);
        self.queues[to].add(wire_occupancy(frame.len()), wait_ps, time_ps);
        *free = at_switch.max(*free) + time_ps;
        let arrival = free.div_ceil(1000) + DELAY_NS;
        self.frames.insert((arrival, self.count), (to, frame));
        self.count += 1;
    }

    fn receive(&mut self, now: u64) -> Option<(usize, Arrival)> {
        let first = self.frames.first_entry().filter(|entry| entry.key().0 <= now)?;
        let (to, frame) = first.remove();
        Some((to, Arrival::Frame(frame)))
    }

    fn rate_bps(&self, _: usize) -> u64 {
        RATE * 1_000_000_000
    }

    fn queue(&self, nic: usize) -> QueueMeter {
        self.queues[nic]
    }

    fn take_queue(&mut self, nic: usize) -> u64 {
        self.queues[nic].take_recent()
    }

    fn next_arrival(&self) -> Option<u64> {
        self.frames.keys().next().map(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_take_their_time_twice_and_wait_for_the_port() {
        let mut wire = Wire::new(3);
        // 1476 bytes and 24 more are 120 ns.
        wire.send(10, 0, 2, vec![0; 1476]);
        wire.send(10, 0, 2, vec![1; 1476]);
        wire.send(10, 0, 1, vec![2; 1476]);
        assert_eq!(wire.next_arrival(), Some(10 + 2 * 120 + 500));
        let order: Vec<_> = std::iter::from_fn(|| wire.receive(10_000))
            .map(|(to, arrival)| match arrival {
                Arrival::Frame(frame) => (to, frame[0]),
                Arrival::Pause(_) => (to, u8::MAX),
            })
            .collect();
        assert_eq!(order, [(2, 0), (1, 2), (2, 1)]);
        // The second one waited for the first, half of the time in which the port sent.
        assert_eq!((wire.queue(2).max(), wire.queue(2).mean()), (1500, 750.0));
        assert_eq!(wire.queue(1).max(), 0);
    }
}
