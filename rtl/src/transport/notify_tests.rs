//! Random marks, contexts, registers and receivers against the rule as the design says it, with exact times.

use super::*;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use crate::words::context::QpContext;
use crate::words::transport::AckKind;
use std::collections::{BTreeMap, VecDeque};

/// Clocks from a mark to the decision.
const DECISION: usize = 5;

struct Bench {
    block: Box<Notify>,
    stimulus: Stimulus,
    now: u64,
    interval: u64,
    enable: bool,
    /// Generation and, by kind of packet, when the last one was asked for.
    told: BTreeMap<u64, (u64, [Option<u64>; 2])>,
    /// Steps on their way to the decision.
    steps: VecDeque<Option<Step>>,
    /// What waits or is on its way out, oldest first.
    waiting: VecDeque<(u64, u64, usize)>,
    sent: u64,
}

#[derive(Clone, Copy)]
enum Step {
    Mark { qp: u64, generation: u64, kind: usize },
    Begin { qp: u64, generation: u64 },
}

impl Bench {
    fn new(seed: u64) -> Self {
        let mut block: Box<Notify> = Box::default();
        init(block.as_mut()).expect("complete block");
        block.reset.next = true;
        step(block.as_mut(), |_| ());
        block.reset.next = false;
        Self {
            block,
            stimulus: Stimulus::new(seed),
            now: 1 << 20,
            interval: 49,
            enable: true,
            told: BTreeMap::new(),
            steps: VecDeque::from(vec![None; DECISION]),
            waiting: VecDeque::new(),
            sent: 0,
        }
    }

    fn tick(&mut self, step_in: Option<Step>, ready: bool) {
        let block = &mut self.block;
        block.now.next = U(self.now & 0xffff_ffff_ffff);
        block.enable.next = self.enable;
        block.interval.next = U(self.interval);
        block.send.ready.next = true;
        block.hold.next = !ready;
        block.mark_valid.next = matches!(step_in, Some(Step::Mark { .. }));
        block.context_valid.next = matches!(step_in, Some(Step::Begin { .. }));
        match step_in {
            Some(Step::Mark { qp, generation, kind }) => {
                block.mark.next = CongestionMark {
                    qp: U(qp),
                    generation: U(generation),
                    response: kind == 1,
                };
            }
            Some(Step::Begin { qp, generation }) => {
                let mut limbs = [0; 4];
                QpContext::ALIVE.put(&mut limbs, 1);
                QpContext::GENERATION.put(&mut limbs, generation);
                block.context_qp.next = U(qp);
                block.context_data.next = QpContext::from_slice(&limbs);
            }
            None => {}
        }
        let (out, word) = step(block.as_mut(), |b| {
            (b.send.valid.val() & b.send.ready.val(), b.send.data.val())
        });
        self.steps.push_back(step_in);
        self.decide();
        if out {
            let (qp, generation, _) = self.waiting.pop_front().expect("nothing was asked for");
            assert_eq!(word.kind, AckKind::Notification);
            assert_eq!((word.qp.0, word.generation.0), (qp, generation));
            self.sent += 1;
        }
    }

    /// What the step of some clocks ago does. Time passes in the test only while no step is on its way.
    fn decide(&mut self) {
        match self.steps.pop_front().flatten() {
            Some(Step::Begin { qp, generation }) => {
                self.told.insert(qp, (generation, [None; 2]));
            }
            Some(Step::Mark { qp, generation, kind }) => {
                let unit = self.now >> 10;
                let Some((current, told)) = self.told.get_mut(&qp) else {
                    return;
                };
                let due = self.waiting.contains(&(qp, generation, kind));
                let over = told[kind].is_none_or(|last| unit - last >= self.interval);
                if self.enable && *current == generation && !due && over {
                    told[kind] = Some(unit);
                    self.waiting.push_back((qp, generation, kind));
                }
            }
            None => {}
        }
    }

    fn rest(&mut self, clocks: usize, ready: bool) {
        (0..clocks).for_each(|_| self.tick(None, ready));
    }

    fn begin(&mut self, qp: u64, generation: u64) {
        self.tick(Some(Step::Begin { qp, generation }), false);
        self.rest(4, false);
    }
}

/// Bursts of marks, one a clock, of few queue pairs; a queue pair begins anew now and then; pause holds for long.
#[test]
fn one_in_an_interval_for_each_queue_pair_and_kind() {
    for seed in 0..6 {
        let mut bench = Bench::new(seed);
        let mut generations = [1u64; 4];
        (0..4).for_each(|qp| bench.begin(qp, 1));
        for round in 0..4000 {
            let ready = round / 20 % 3 != 1;
            for _ in 0..bench.stimulus.below(4) {
                let (qp, kind) = (bench.stimulus.below(4), bench.stimulus.below(2) as usize);
                let late = u64::from(bench.stimulus.chance(0.05));
                let generation = generations[qp as usize].wrapping_sub(late) & 0xff;
                // nothing leaves while marks come, so that the test knows which of them found one due
                bench.tick(Some(Step::Mark { qp, generation, kind }), false);
            }
            bench.rest(8, false);
            if ready {
                bench.rest(20, true);
            }
            bench.now += bench.stimulus.below(30_000);
            if bench.stimulus.chance(0.02) {
                // what waits is left to the frame builder, which knows the generation
                bench.rest(40, true);
                let qp = bench.stimulus.below(4);
                generations[qp as usize] = (generations[qp as usize] + 1) & 0xff;
                bench.begin(qp, generations[qp as usize]);
            }
            if bench.stimulus.chance(0.01) {
                bench.interval = [0, 1, 49, 300][bench.stimulus.below(4) as usize];
                bench.enable = bench.stimulus.chance(0.9);
            }
        }
        bench.rest(60, true);
        assert!(bench.waiting.is_empty() && bench.sent > 1000, "{}", bench.sent);
    }
}

/// 148 queue pairs marked at once, both kinds: every notification leaves, one every second clock at least.
#[test]
fn all_queue_pairs_at_once() {
    let mut bench = Bench::new(9);
    (2..150).for_each(|qp| bench.begin(qp, 3));
    for kind in 0..2 {
        for qp in 2..150 {
            let generation = 3;
            bench.tick(Some(Step::Mark { qp, generation, kind }), true);
        }
    }
    bench.rest(600, true);
    assert_eq!((bench.sent, bench.waiting.len()), (296, 0));
}
