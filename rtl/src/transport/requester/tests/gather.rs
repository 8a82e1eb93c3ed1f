//! Random answers of many queue pairs through [`Gather`], against what may become of each: every one leaves once and in the order of its queue
//! pair, by itself or in a later one that speaks for it.

use super::*;
use crate::sim::{init, step, Stimulus};
use std::collections::VecDeque;

/// May `next` speak for `first`? Written from the rule, not from the block.
fn speaks_for(next: &Commit, first: &Commit) -> bool {
    let data = |answer: &Commit| answer.answer == AnswerKind::ReadData && !answer.ends_or_failed;
    let goes_on = first.msn.0 == 0;
    let same = (next.qp, next.generation) == (first.qp, first.generation);
    data(first) && data(next) && goes_on && same && next.psn.0 == (first.psn.0 + 1) & 0xff_ffff
}

struct Bench {
    block: Box<Gather>,
    random: Stimulus,
    /// Next PSN of each queue pair.
    psn: Vec<u64>,
    /// What has come and not left, by queue pair.
    waiting: Vec<VecDeque<Commit>>,
    offered: Option<Commit>,
    /// Answers in, out, and clocks in which an answer had to wait.
    came: u64,
    left: u64,
    held_back: u64,
}

impl Bench {
    fn new(seed: u64) -> Self {
        let mut block: Box<Gather> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut bench = Self {
            block,
            random: Stimulus::new(seed),
            psn: vec![0xff_fff0; 256],
            waiting: vec![VecDeque::new(); 256],
            offered: None,
            came: 0,
            left: 0,
            held_back: 0,
        };
        bench.reset();
        bench
    }

    /// Two clocks of reset, and those in which the tables are cleared; what was inside is gone.
    fn reset(&mut self) {
        for clock in 0..2 + 256 {
            self.block.reset.next = clock < 2;
            self.block.up.valid.next = false;
            let ready = step(self.block.as_mut(), |b| b.up.ready.val());
            assert!(!ready || clock < 2, "clock {clock}");
        }
        assert!(self.block.up.ready.val(), "the tables are cleared");
        self.waiting.iter_mut().for_each(VecDeque::clear);
        self.offered = None;
    }

    fn answer(&mut self, qps: u64, only_data: bool) -> Commit {
        let mut answer: Commit = self.random.word();
        let qp = self.random.below(qps);
        let plain = only_data || self.random.chance(0.7);
        answer.qp = U(qp);
        answer.generation = U(u64::from(!only_data && self.random.chance(0.02)));
        answer.ends_or_failed = !plain && self.random.chance(0.3);
        answer.msn = U(u64::from(!only_data && self.random.chance(0.1)));
        if plain {
            answer.answer = AnswerKind::ReadData;
        }
        if !only_data && self.random.chance(0.02) {
            self.psn[qp as usize] += self.random.below(3);
        }
        answer.psn = U(self.psn[qp as usize] & 0xff_ffff);
        self.psn[qp as usize] += 1;
        answer
    }

    /// One clock: an answer comes if `next` says so, the receiver takes one if `accept`.
    fn clock(&mut self, next: Option<(u64, bool)>, accept: bool) {
        if let (None, Some((qps, only_data))) = (self.offered, next) {
            self.offered = Some(self.answer(qps, only_data));
        }
        let block = self.block.as_mut();
        block.up.valid.next = self.offered.is_some();
        block.up.data.next = self.offered.unwrap_or_default();
        block.down.ready.next = accept;
        let (ready, valid, data) = step(block, |b| (b.up.ready.val(), b.down.valid.val(), b.down.data.val()));
        if valid && accept {
            let queue = &mut self.waiting[data.qp.0 as usize];
            let at = queue
                .iter()
                .position(|answer| *answer == data)
                .expect("an answer that came");
            let chain: Vec<Commit> = queue.drain(..=at).collect();
            for pair in chain.windows(2) {
                assert!(speaks_for(&pair[1], &pair[0]), "{:?}\nfor {:?}", pair[1], pair[0]);
            }
            self.left += 1;
        }
        if let (Some(answer), true) = (self.offered, ready) {
            self.waiting[answer.qp.0 as usize].push_back(answer);
            self.offered = None;
            self.came += 1;
        }
        self.held_back += u64::from(self.offered.is_some());
    }

    fn empty(&self) -> bool {
        self.waiting.iter().all(VecDeque::is_empty) && self.offered.is_none()
    }
}

#[test]
fn every_answer_leaves_once_and_in_order() {
    for (seed, qps, offer, accept) in [
        (1, 1, 1.0, 0.1),
        (2, 3, 0.9, 0.3),
        (3, 8, 0.5, 0.12),
        (4, 200, 1.0, 0.1),
        (5, 256, 0.3, 0.12),
        (6, 5, 1.0, 1.0),
    ] {
        let mut bench = Bench::new(seed);
        for clock in 0..20_000 {
            if clock % 5000 == 4999 {
                bench.reset();
            }
            let next = bench.random.chance(offer).then_some((qps, false));
            let accept = bench.random.chance(accept);
            bench.clock(next, accept);
        }
        for _ in 0..2000 {
            bench.clock(None, true);
        }
        assert!(bench.empty(), "seed {seed}");
        assert!(
            bench.left > 1000 && (bench.left < bench.came || accept == 1.0),
            "seed {seed}"
        );
    }
}

/// READ data of every queue pair, interleaved, in six clocks of sixteen, three times as fast as the requester takes it: what waits does not grow. With one queue
/// pair a clock more goes whenever that leaves which would be joined.
#[test]
fn data_of_all_queue_pairs_never_fills_the_ring() {
    for qps in [1, 8, 148, 240] {
        let mut bench = Bench::new(qps);
        for clock in 0..40_000 {
            let comes = clock % 16 < 12 && clock % 2 == 0;
            bench.clock(comes.then_some((qps, true)), clock % 8 == 0);
            // of each queue pair one waits; one that lies where the last of its queue pair lay counts as gone, so that now and then there are two
            let waits = bench.block.count.q.val().0;
            assert!(waits <= qps + 2, "{qps} queue pairs: {waits} wait in clock {clock}");
        }
        assert!(bench.came >= 14_990, "{qps} queue pairs: {} of 15000 came", bench.came);
        assert!(bench.left >= 4_990, "{qps} queue pairs: {} of 5000 left", bench.left);
    }
}

/// An answer that finds nobody before it, READ data too, is offered in the fourth clock.
#[test]
fn four_clocks_through_an_empty_ring() {
    let mut bench = Bench::new(7);
    bench.clock(Some((1, true)), false);
    for clock in 1..=4 {
        bench.block.up.valid.next = false;
        let valid = step(bench.block.as_mut(), |b| b.down.valid.val());
        assert_eq!(valid, clock == 4, "clock {clock}");
    }
}
