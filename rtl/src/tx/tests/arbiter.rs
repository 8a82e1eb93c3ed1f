//! Frames of two builders onto one link.

use super::super::FrameArbiter;
use super::{Collector, Source};
use crate::prim::uint::mask;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use crate::words::tx::FrameBeat;
use std::collections::VecDeque;

/// A frame's beats.
fn beats(frame: &[u8]) -> impl Iterator<Item = FrameBeat> + '_ {
    let count = frame.len().div_ceil(64);
    frame.chunks(64).enumerate().map(move |(index, chunk)| {
        let mut limbs = [0u64; 10];
        for (i, byte) in chunk.iter().enumerate() {
            limbs[i / 8] |= u64::from(*byte) << (8 * (i % 8));
        }
        limbs[8] = mask(chunk.len());
        limbs[9] = u64::from(index + 1 == count);
        FrameBeat::from_slice(&limbs)
    })
}

struct Bench {
    arbiter: Box<FrameArbiter>,
    stimulus: Stimulus,
    sources: [Source<FrameBeat>; 2],
    /// Frames of each kind, the first byte 0 or 1 for the kind.
    expected: [VecDeque<Vec<u8>>; 2],
    collector: Collector,
    /// Frames in the order of the link.
    seen: Vec<usize>,
    beats: u64,
}

impl Bench {
    fn new(seed: u64) -> Self {
        let mut arbiter: Box<FrameArbiter> = Box::default();
        init(arbiter.as_mut()).expect("complete block");
        arbiter.reset.next = true;
        for _ in 0..3 {
            step(arbiter.as_mut(), |_| ());
        }
        arbiter.reset.next = false;
        step(arbiter.as_mut(), |_| ());
        Self {
            arbiter,
            stimulus: Stimulus::new(seed),
            sources: [Source::new(), Source::new()],
            expected: Default::default(),
            collector: Collector::default(),
            seen: Vec::new(),
            beats: 0,
        }
    }

    fn push(&mut self, kind: usize, len: usize) {
        let mut frame: Vec<u8> = (0..len).map(|_| self.stimulus.uniform(8) as u8).collect();
        frame[0] = kind as u8;
        self.sources[kind].items.extend(beats(&frame));
        self.expected[kind].push_back(frame);
    }

    fn tick(&mut self, offer: [f64; 2], accept: f64, hold: [bool; 2]) {
        let [ack, data] = [0, 1].map(|kind| self.sources[kind].offer(self.stimulus.chance(offer[kind])));
        let arbiter = &mut self.arbiter;
        arbiter.ack.valid.next = ack.is_some();
        arbiter.ack.data.next = ack.unwrap_or_default();
        arbiter.data.valid.next = data.is_some();
        arbiter.data.data.next = data.unwrap_or_default();
        arbiter.ack_hold.next = hold[0];
        arbiter.data_hold.next = hold[1];
        arbiter.m_axis.tready.next = self.stimulus.chance(accept);
        let (taken, valid, beat, ready) = step(arbiter.as_mut(), |a| {
            let beat = FrameBeat {
                data: a.m_axis.tdata.val(),
                keep: a.m_axis.tkeep.val(),
                last: a.m_axis.tlast.val(),
                bad: a.m_axis.tuser.val(),
            };
            (
                [
                    a.ack.ready.val() & a.ack.valid.val(),
                    a.data.ready.val() & a.data.valid.val(),
                ],
                a.m_axis.tvalid.val(),
                beat,
                a.m_axis.tready.val(),
            )
        });
        for (source, taken) in self.sources.iter_mut().zip(taken) {
            if taken {
                source.taken();
            }
        }
        self.beats += u64::from(valid & ready);
        if let Some((bytes, _)) = self.collector.clock(valid, beat, ready) {
            let kind = usize::from(bytes[0]);
            assert_eq!(Some(bytes), self.expected[kind].pop_front());
            self.seen.push(kind);
        }
    }
}

#[test]
fn frames_stay_whole_and_in_order_under_any_stalls() {
    for (seed, offer, accept) in [
        (1, [1.0, 1.0], 1.0),
        (2, [0.3, 0.8], 0.8),
        (3, [0.9, 0.9], 0.3),
        (4, [0.1, 0.3], 1.0),
    ] {
        let mut bench = Bench::new(seed);
        for clock in 0..8000u64 {
            for kind in [0, 1] {
                if bench.sources[kind].items.is_empty() && bench.stimulus.chance(0.3) {
                    let len = 1 + bench.stimulus.below([128, 1100][kind]) as usize;
                    bench.push(kind, len);
                }
            }
            let hold = [clock / 100 % 5 == 1, clock / 100 % 7 == 2];
            bench.tick(offer, accept, hold);
        }
        for _ in 0..500 {
            bench.tick([1.0, 1.0], 1.0, [false, false]);
        }
        assert!(bench.expected.iter().all(VecDeque::is_empty));
        let acks = bench.seen.iter().filter(|kind| **kind == 0).count();
        assert!(
            acks > 100 && bench.seen.len() - acks > 100,
            "{acks} of {}",
            bench.seen.len()
        );
    }
}

#[test]
fn acknowledgements_go_first_and_no_clock_is_lost() {
    let mut bench = Bench::new(5);
    for _ in 0..20 {
        bench.push(1, 1024);
        bench.push(0, 100);
    }
    for _ in 0..20 * 18 + 1 {
        bench.tick([1.0, 1.0], 1.0, [false, false]);
    }
    assert_eq!(bench.seen, [[0; 20], [1; 20]].concat());
    assert_eq!(bench.beats, 20 * 18);
}

#[test]
fn holds_stop_their_class_at_a_frames_end() {
    for held in [0, 1] {
        let mut bench = Bench::new(6);
        for _ in 0..5 {
            bench.push(0, 200);
            bench.push(1, 200);
        }
        let mut hold = [false, false];
        // the frame that has begun ends, then only the other class goes on
        hold[1 - held] = true;
        bench.tick([1.0, 1.0], 1.0, hold);
        bench.tick([1.0, 1.0], 1.0, hold);
        hold = [held == 0, held == 1];
        for _ in 0..60 {
            bench.tick([1.0, 1.0], 1.0, hold);
        }
        let mut order = vec![held];
        order.extend([1 - held; 5]);
        assert_eq!(bench.seen, order);
        for _ in 0..60 {
            bench.tick([1.0, 1.0], 1.0, [false, false]);
        }
        assert_eq!(bench.seen.len(), 10);
    }
}
