//! A wire between two NICs that delays, loses, duplicates, reorders and corrupts, the same way for the same seed.

use super::memory::Memory;
use super::nic::Nic;
use crate::wire::{mark_congestion, wire_occupancy, TimedFrame};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// What a wire does to each frame. Probabilities are per frame, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkConfig {
    /// The frame does not arrive.
    pub loss: f64,
    /// It arrives twice.
    pub duplicate: f64,
    /// It arrives late, behind frames sent after it.
    pub reorder: f64,
    /// One of its bits is flipped.
    pub bit_error: f64,
    /// It is marked "congestion experienced", if its sender says that it understands marks.
    pub mark: f64,
    /// Time from the last bit sent to the last bit received, ns.
    pub delay_ns: u64,
    /// Rate, Gb/s; a faster sender waits in the wire's queue.
    pub rate_gbps: f64,
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self {
            loss: 0.0,
            duplicate: 0.0,
            reorder: 0.0,
            bit_error: 0.0,
            mark: 0.0,
            delay_ns: 1000,
            rate_gbps: 100.0,
        }
    }
}

/// Frames on their way in one direction.
#[derive(Debug)]
pub struct Link {
    config: LinkConfig,
    rng: ChaCha8Rng,
    /// Of the marks: a stream of its own, so that they do not shift the faults.
    marks: ChaCha8Rng,
    free_ps: u64,
    sequence: u64,
    on_the_way: BTreeMap<(u64, u64), Vec<u8>>,
}

/// A reordered frame is late by up to this many times its own time on the wire.
const REORDER_FRAMES: u64 = 8;

impl Link {
    /// An empty wire.
    pub fn new(config: LinkConfig, seed: u64) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let mut marks = rng.clone();
        marks.set_stream(1);
        Self {
            config,
            rng,
            marks,
            free_ps: 0,
            sequence: 0,
            on_the_way: BTreeMap::new(),
        }
    }

    /// Takes a frame whose first bit leaves at `now` ns.
    pub fn send(&mut self, now: u64, mut frame: Vec<u8>) {
        let bits = wire_occupancy(frame.len()) as f64 * 8.0;
        let time_ps = (bits * 1000.0 / self.config.rate_gbps).round() as u64;
        self.free_ps = self.free_ps.max(now * 1000) + time_ps;
        let arrival = self.free_ps.div_ceil(1000) + self.config.delay_ns;
        // Every frame draws all its numbers, so one event does not shift the fate of later frames.
        let [loss, duplicate, reorder, bit_error] = [(); 4].map(|()| self.rng.random::<f64>());
        let late = self.rng.random_range(1..=REORDER_FRAMES) * time_ps.div_ceil(1000);
        let bit = self.rng.random_range(0..frame.len().max(1) * 8);
        let marked = self.marks.random::<f64>() < self.config.mark;
        if loss < self.config.loss || frame.is_empty() {
            return;
        }
        if marked {
            mark_congestion(&mut frame);
        }
        if bit_error < self.config.bit_error {
            frame[bit / 8] ^= 1 << (bit % 8);
        }
        let at = if reorder < self.config.reorder {
            arrival + late
        } else {
            arrival
        };
        if duplicate < self.config.duplicate {
            self.arrive(at + late, frame.clone());
        }
        self.arrive(at, frame);
    }

    fn arrive(&mut self, at: u64, frame: Vec<u8>) {
        self.on_the_way.insert((at, self.sequence), frame);
        self.sequence += 1;
    }

    /// The next frame that has arrived by `now`.
    pub fn receive(&mut self, now: u64) -> Option<Vec<u8>> {
        let first = self.on_the_way.first_entry().filter(|entry| entry.key().0 <= now)?;
        Some(first.remove())
    }

    /// When everything sent so far has left, ps.
    pub fn free_ps(&self) -> u64 {
        self.free_ps
    }

    /// When the next frame arrives, ns.
    pub fn next_arrival(&self) -> Option<u64> {
        self.on_the_way.keys().next().map(|(at, _)| *at)
    }
}

/// Two NICs with a wire in each direction.
pub struct Pair<M> {
    /// The NICs.
    pub nics: [Nic<M>; 2],
    /// `links[i]` leads away from `nics[i]`.
    pub links: [Link; 2],
    /// Frames sent, by NIC, when recording is on.
    pub sent: Option<[Vec<TimedFrame>; 2]>,
    now: u64,
}

impl<M: Memory> Pair<M> {
    /// Two NICs at time 0 on wires of the same kind, each with its own random stream.
    pub fn new(nics: [Nic<M>; 2], config: LinkConfig, seed: u64) -> Self {
        let links = [0, 1].map(|side| Link::new(config, seed.wrapping_mul(2).wrapping_add(side)));
        Self {
            nics,
            links,
            sent: None,
            now: 0,
        }
    }

    /// The clock, ns.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Moves to the next event and carries out everything due then; `false` when nothing will happen any more.
    pub fn step(&mut self) -> bool {
        let deadlines = self.nics.iter().map(Nic::next_deadline);
        let arrivals = self.links.iter().map(Link::next_arrival);
        let Some(next) = deadlines.chain(arrivals).flatten().min() else {
            return false;
        };
        self.now = self.now.max(next);
        for side in 0..2 {
            while let Some(frame) = self.links[side].receive(self.now) {
                self.nics[1 - side].receive(self.now, &frame);
            }
        }
        for side in 0..2 {
            for frame in self.nics[side].poll(self.now) {
                if let Some(sent) = &mut self.sent {
                    sent[side].push(TimedFrame {
                        t_ns: self.now,
                        bytes: frame.clone(),
                    });
                }
                self.links[side].send(self.now, frame);
            }
        }
        true
    }

    /// Runs until nothing will happen any more or until `limit_ns`; `true` if it came to rest.
    pub fn run(&mut self, limit_ns: u64) -> bool {
        while self.now < limit_ns {
            if !self.step() {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(config: LinkConfig, count: usize) -> Vec<Vec<u8>> {
        let mut link = Link::new(config, 7);
        for i in 0..count {
            link.send(0, vec![i as u8; 100]);
        }
        std::iter::from_fn(|| link.receive(u64::MAX)).collect()
    }

    #[test]
    fn a_perfect_wire_keeps_order_and_bytes_and_takes_its_time() {
        let config = LinkConfig::default();
        assert_eq!(
            pass(config, 200),
            (0..200).map(|i| vec![i as u8; 100]).collect::<Vec<_>>()
        );
        let mut link = Link::new(config, 7);
        link.send(50, vec![0; 1476]);
        // 1476 bytes and 24 more at 12.5 bytes a nanosecond.
        assert_eq!(link.next_arrival(), Some(50 + 120 + 1000));
        assert!(link.receive(1169).is_none() && link.receive(1170).is_some());
        // from the first nanosecond, and the next frame behind it
        let mut link = Link::new(config, 7);
        link.send(0, vec![0; 1476]);
        link.send(0, vec![0; 1476]);
        assert!(link.receive(1119).is_none() && link.receive(1120).is_some());
        assert!(link.receive(1239).is_none() && link.receive(1240).is_some());
    }

    #[test]
    fn each_fault_happens_about_as_often_as_asked() {
        let n = 20_000;
        let base = LinkConfig::default();
        let lost = n - pass(LinkConfig { loss: 0.05, ..base }, n).len();
        assert!((900..1100).contains(&lost), "{lost}");
        let doubled = pass(
            LinkConfig {
                duplicate: 0.05,
                ..base
            },
            n,
        )
        .len()
            - n;
        assert!((900..1100).contains(&doubled), "{doubled}");
        let wrong = pass(
            LinkConfig {
                bit_error: 0.05,
                ..base
            },
            n,
        );
        let wrong = wrong
            .iter()
            .enumerate()
            .filter(|(i, f)| **f != vec![*i as u8; 100])
            .count();
        assert!((900..1100).contains(&wrong), "{wrong}");
        let moved = pass(LinkConfig { reorder: 0.05, ..base }, n);
        assert_eq!(moved.len(), n);
        let moved = moved
            .windows(2)
            .filter(|pair| pair[1][0] != pair[0][0].wrapping_add(1))
            .count();
        assert!(moved > 1000, "{moved}");
    }

    #[test]
    fn the_same_seed_gives_the_same_fate() {
        let config = LinkConfig {
            loss: 0.1,
            duplicate: 0.1,
            reorder: 0.1,
            bit_error: 0.1,
            ..LinkConfig::default()
        };
        assert_eq!(pass(config, 500), pass(config, 500));
    }
}
