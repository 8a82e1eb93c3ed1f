//! Several traffic classes on the ports of switches (HPCC++, draft-miao-ccwg-hpcc 9.3): up to eight queues, strict or in deficit
//! round robin, and what the INT of a packet says about its class.

use std::collections::VecDeque;

/// Most classes of a port.
pub const MAX_CLASSES: usize = 8;

/// How the classes of a port take turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClassSchedule {
    /// Deficit round robin in proportion to the weights (Shreedhar and Varghese, SIGCOMM 1995).
    #[default]
    Dwrr,
    /// The lowest number first.
    Strict,
}

/// What switches write into `B`, `txBytes` and `qLen` of an INT record where a port has several classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClassTelemetry {
    /// The port's speed, bytes and queue: all classes together.
    #[default]
    Port,
    /// The port's speed and bytes; `qLen` is the time that the packet waited times the port's speed.
    Sojourn,
    /// Bytes and queue of the packet's class; `B` is the bandwidth that its weight guarantees.
    Class,
    /// Bytes and queue of the packet's class; `B` is its share of the port by weight among the classes that are active.
    Shared,
}

/// Classes of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassRules {
    /// Weight of each class, 1 or more; their number is the number of classes, 1 to [`MAX_CLASSES`].
    pub weights: Vec<u32>,
    /// How they take turns.
    pub schedule: ClassSchedule,
    /// What INT says.
    pub telemetry: ClassTelemetry,
    /// A class that has sent, or has had a packet waiting, within this time is active, ps.
    pub active_ps: u64,
    /// Class of each flow, by its number; those that are not listed have class 0.
    pub of_flow: Vec<u8>,
}

impl ClassRules {
    /// Class of a flow.
    pub fn class_of(&self, flow: u32) -> u8 {
        self.of_flow.get(flow as usize).copied().unwrap_or(0)
    }

    /// Bandwidth of one class out of the active ones (a bit each), bits per second.
    pub fn bandwidth(&self, port_bps: u64, class: usize, active: u32) -> u64 {
        let weight = |c: usize| u64::from(self.weights.get(c).copied().unwrap_or(0));
        let sum: u64 = (0..self.weights.len())
            .filter(|&c| active >> c & 1 == 1)
            .map(weight)
            .sum();
        (u128::from(port_bps) * u128::from(weight(class)) / u128::from(sum.max(1))) as u64
    }

    /// Every value that `B` can take at a port of this speed, ascending, bits per second.
    pub fn speeds(&self, port_bps: u64) -> Vec<u64> {
        let count = self.weights.len();
        let every = (1u32 << count) - 1;
        let masks = match self.telemetry {
            ClassTelemetry::Port | ClassTelemetry::Sojourn => return vec![port_bps],
            ClassTelemetry::Class => every..=every,
            ClassTelemetry::Shared => 1..=every,
        };
        let of_mask = |mask: u32| (0..count).filter(move |c| mask >> c & 1 == 1).map(move |c| (mask, c));
        let mut speeds: Vec<u64> = masks
            .flat_map(of_mask)
            .map(|(mask, class)| self.bandwidth(port_bps, class, mask))
            .collect();
        speeds.sort_unstable();
        speeds.dedup();
        speeds
    }
}

/// Queue of one class at one port.
#[derive(Clone, Debug, Default)]
struct ClassQueue {
    /// Packets, and when each entered, ps.
    packets: VecDeque<(u32, u64)>,
    /// Bytes waiting.
    bytes: u64,
    /// Bytes sent since the start.
    tx_bytes: u64,
    /// When it last sent or became empty, ps.
    last_active: Option<u64>,
    /// Bytes that it may send and has not.
    deficit: i64,
    /// What a round adds to it, bytes: 1 or more.
    weight: i64,
}

/// The classes of one port.
#[derive(Clone, Debug)]
pub struct ClassQueues {
    schedule: ClassSchedule,
    queues: Vec<ClassQueue>,
    /// Class whose turn it is.
    turn: usize,
}

/// A packet that leaves its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Number of the packet.
    pub packet: u32,
    /// Its class.
    pub class: usize,
    /// How long it waited, ps.
    pub sojourn_ps: u64,
}

impl ClassQueues {
    /// Empty queues.
    pub fn new(rules: &ClassRules) -> Self {
        let queue = |&weight: &u32| ClassQueue {
            weight: i64::from(weight.max(1)),
            ..ClassQueue::default()
        };
        Self {
            schedule: rules.schedule,
            queues: rules.weights.iter().map(queue).collect(),
            turn: 0,
        }
    }

    /// A class number as an index; one beyond the last is the last.
    fn index(&self, class: u8) -> usize {
        usize::from(class).min(self.queues.len() - 1)
    }

    /// Bytes waiting in a class.
    pub fn bytes(&self, class: u8) -> u64 {
        self.queues[self.index(class)].bytes
    }

    /// Bytes that a class has sent.
    pub fn tx_bytes(&self, class: u8) -> u64 {
        self.queues[self.index(class)].tx_bytes
    }

    /// Packets waiting in a class.
    pub fn packets(&self, class: u8) -> usize {
        self.queues[self.index(class)].packets.len()
    }

    /// Bytes waiting in each class.
    pub fn lengths(&self) -> impl Iterator<Item = u64> + '_ {
        self.queues.iter().map(|q| q.bytes)
    }

    /// A packet of `size` bytes enters.
    pub fn push(&mut self, class: u8, packet: u32, size: u32, now: u64) {
        let class = self.index(class);
        let queue = &mut self.queues[class];
        queue.packets.push_back((packet, now));
        queue.bytes += u64::from(size);
    }

    /// Takes the packet whose turn it is. `size` tells the bytes of a packet.
    pub fn pop(&mut self, now: u64, size: impl Fn(u32) -> u32) -> Option<Departure> {
        let class = match self.schedule {
            ClassSchedule::Strict => self.queues.iter().position(|q| !q.packets.is_empty())?,
            ClassSchedule::Dwrr => self.next_in_turn(&size)?,
        };
        let queue = &mut self.queues[class];
        let (packet, entered) = queue.packets.pop_front()?;
        let bytes = size(packet);
        queue.bytes -= u64::from(bytes);
        queue.deficit -= i64::from(bytes);
        queue.last_active = Some(now);
        Some(Departure {
            packet,
            class,
            sojourn_ps: now - entered,
        })
    }

    /// Deficit round robin with rounds of one byte for each unit of weight, so that no class is ahead of another by more than a packet and a
    /// round. A class keeps its turn as long as its deficit covers its next packet; rounds in which nobody could send are skipped; an empty class has no deficit.
    fn next_in_turn(&mut self, size: &impl Fn(u32) -> u32) -> Option<usize> {
        let count = self.queues.len();
        let mut next: Option<(i64, usize)> = None;
        for class in (0..count).map(|step| (self.turn + step) % count) {
            let queue = &mut self.queues[class];
            let Some(&(head, _)) = queue.packets.front() else {
                queue.deficit = queue.deficit.min(0);
                continue;
            };
            let short = (i64::from(size(head)) - queue.deficit).max(0);
            let rounds = short / queue.weight + i64::from(short % queue.weight > 0);
            if next.is_none_or(|(least, _)| rounds < least) {
                next = Some((rounds, class));
            }
        }
        let (rounds, class) = next?;
        for queue in self.queues.iter_mut().filter(|q| !q.packets.is_empty()) {
            queue.deficit += rounds * queue.weight;
        }
        self.turn = class;
        Some(class)
    }

    /// A packet that left goes onto the wire: it counts as sent, and what switches added to it (`grown` bytes) is charged.
    pub fn sent(&mut self, class: usize, wire: u32, grown: u32) {
        let queue = &mut self.queues[class];
        queue.tx_bytes += u64::from(wire);
        queue.deficit -= i64::from(grown);
    }

    /// Takes any packet, for a port that failed.
    pub fn take_any(&mut self, size: impl Fn(u32) -> u32) -> Option<u32> {
        let queue = self.queues.iter_mut().find(|q| !q.packets.is_empty())?;
        let (packet, _) = queue.packets.pop_front()?;
        queue.bytes -= u64::from(size(packet));
        Some(packet)
    }

    /// Classes that have a packet waiting or have sent within `within` ps, a bit each.
    pub fn active(&self, now: u64, within: u64) -> u32 {
        let is_active = |q: &ClassQueue| !q.packets.is_empty() || q.last_active.is_some_and(|t| now - t <= within);
        let bits = self.queues.iter().enumerate().filter(|(_, q)| is_active(q));
        bits.fold(0, |mask, (class, _)| mask | 1 << class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rules(weights: &[u32], schedule: ClassSchedule) -> ClassRules {
        ClassRules {
            weights: weights.to_vec(),
            schedule,
            telemetry: ClassTelemetry::Port,
            active_ps: 1000,
            of_flow: Vec::new(),
        }
    }

    proptest! {
        /// Classes that always have packets get what their weights say. A class is owed less than its next packet and the bytes of a round
        /// (its weight), and no class is ahead of what it is owed: at any moment they are apart by at most that, for the least weight.
        #[test]
        fn shares_follow_the_weights(
            weights in prop::collection::vec(1u32..20, 2..=MAX_CLASSES),
            sizes in prop::collection::vec(64u32..=1500, 1..40),
            rounds in 1usize..30,
        ) {
            let mut queues = ClassQueues::new(&rules(&weights, ClassSchedule::Dwrr));
            let size = |packet: u32| sizes[packet as usize % sizes.len()];
            let mut next = 0u32;
            let mut sent = vec![0f64; weights.len()];
            let total: u64 = weights.iter().map(|&w| u64::from(w)).sum::<u64>() * 1500 * rounds as u64;
            while sent.iter().sum::<f64>() < total as f64 {
                for class in 0..weights.len() {
                    while queues.packets(class as u8) < 2 {
                        queues.push(class as u8, next, size(next), 0);
                        next += 1;
                    }
                }
                let left = queues.pop(0, size).unwrap();
                sent[left.class] += f64::from(size(left.packet));
                let least = *weights.iter().min().unwrap();
                // What a class got for its weight, in largest packets of the least weight.
                let turns: Vec<f64> = sent.iter().zip(&weights)
                    .map(|(&s, &w)| s / (f64::from(w) * 1500.0 / f64::from(least))).collect();
                let (low, high) = turns.iter().fold((f64::MAX, 0f64), |(l, h), &t| (l.min(t), h.max(t)));
                prop_assert!(high - low <= 1.0 + f64::from(least - 1) / 1500.0 + 1e-9, "{turns:?}");
            }
        }

        /// Whatever enters leaves, once, in the order of its class; strict priority never passes over a lower number.
        #[test]
        fn nothing_is_lost_and_order_is_kept(
            strict in any::<bool>(),
            steps in prop::collection::vec((0u8..4, 64u32..=1500, any::<bool>()), 1..200),
        ) {
            let schedule = if strict { ClassSchedule::Strict } else { ClassSchedule::Dwrr };
            let mut queues = ClassQueues::new(&rules(&[1, 2, 3, 4], schedule));
            let mut waiting: Vec<VecDeque<u32>> = vec![VecDeque::new(); 4];
            let size = |packet: u32| steps[packet as usize].1;
            for (packet, &(class, bytes, pop)) in steps.iter().enumerate() {
                queues.push(class, packet as u32, bytes, packet as u64);
                waiting[usize::from(class)].push_back(packet as u32);
                if pop {
                    let left = queues.pop(packet as u64, size).unwrap();
                    prop_assert_eq!(waiting[left.class].pop_front(), Some(left.packet));
                    prop_assert_eq!(left.sojourn_ps, packet as u64 - u64::from(left.packet));
                    if strict {
                        prop_assert!(waiting[..left.class].iter().all(|w| w.is_empty()));
                    }
                }
            }
            let mut rest: usize = waiting.iter().map(|w| w.len()).sum();
            while queues.pop(steps.len() as u64, size).is_some() {
                rest -= 1;
            }
            prop_assert_eq!(rest, 0);
            prop_assert!(queues.lengths().all(|bytes| bytes == 0));
        }
    }

    #[test]
    fn a_class_alone_has_the_whole_port() {
        let mut shared = rules(&[3, 1], ClassSchedule::Dwrr);
        shared.telemetry = ClassTelemetry::Shared;
        assert_eq!(shared.bandwidth(100, 0, 0b01), 100);
        assert_eq!(
            (shared.bandwidth(100, 0, 0b11), shared.bandwidth(100, 1, 0b11)),
            (75, 25)
        );
        assert_eq!(shared.speeds(100), [25, 75, 100]);
        shared.telemetry = ClassTelemetry::Class;
        assert_eq!(shared.speeds(100), [25, 75]);
        let mut queues = ClassQueues::new(&shared);
        assert_eq!(queues.active(0, 1000), 0);
        queues.push(1, 0, 100, 0);
        assert_eq!(queues.active(5000, 1000), 0b10);
        queues.pop(5000, |_| 100);
        assert_eq!((queues.active(6000, 1000), queues.active(6001, 1000)), (0b10, 0));
    }
}
