//! Random requests, responses, contexts, registers and receivers against the rule of the network's hosts.

use super::*;
use crate::prim::wide::W;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use crate::words::context::QpContext;
use crate::words::flows::Notice;
use crate::words::transport::AckKind;
use crate::words::transport::AckSend;
use hpcc_models::cc::{ProbeRule, Probing};
use hpcc_models::nic::request_flow;
use std::collections::{BTreeMap, VecDeque};

/// Clocks after which whatever was asked has been decided and has left, as long as nobody is held up.
const SETTLED: usize = 12;

/// What the rule says of a queue pair.
#[derive(Clone, Copy, Default)]
struct Pair {
    generation: u64,
    int: bool,
    probing: Probing,
    sent: u64,
}

struct Bench {
    block: Box<Probes>,
    stimulus: Stimulus,
    now: u64,
    rule: ProbeRule,
    on: bool,
    pairs: BTreeMap<u64, Pair>,
    /// Queue pair, generation and number of what is to leave, as frames and as charges.
    expected: [VecDeque<(u64, u64, u64)>; 2],
    /// Notices that are to pass.
    passing: VecDeque<Notice>,
    offered: VecDeque<Notice>,
    strays: u64,
    stray_pulses: u64,
    probes: u64,
    accepted: u64,
}

impl Bench {
    fn new(seed: u64) -> Self {
        let mut block: Box<Probes> = Box::default();
        init(block.as_mut()).expect("complete block");
        block.reset.next = true;
        (0..8).for_each(|_| step(block.as_mut(), |_| ()));
        block.reset.next = false;
        Self {
            block,
            stimulus: Stimulus::new(seed),
            // the time of the last probe wraps soon
            now: (1 << 32) - 400_000,
            rule: ProbeRule {
                interval_ps: 5_000_000,
                packets: 1,
                timeout_ps: 100_000_000,
            },
            on: true,
            pairs: BTreeMap::new(),
            expected: Default::default(),
            passing: VecDeque::new(),
            offered: VecDeque::new(),
            strays: 0,
            stray_pulses: 0,
            probes: 0,
            accepted: 0,
        }
    }

    /// One clock: a request that leaves, or a context, or neither; receivers ready or not.
    fn tick(&mut self, left: Option<(u64, u64)>, created: Option<(u64, Pair)>, ready: bool) {
        let block = &mut self.block;
        block.now.next = U(self.now & 0xffff_ffff_ffff);
        block.interval.next = U(if self.on { self.rule.interval_ps / 1000 } else { 0 });
        block.timeout.next = U(self.rule.timeout_ps / 1000);
        block.packets.next = U(self.rule.packets.into());
        block.left_valid.next = left.is_some();
        if let Some((qp, generation)) = left {
            (block.left_qp.next, block.left_generation.next) = (U(qp), U(generation));
        }
        block.context_valid.next = created.is_some();
        if let Some((qp, pair)) = created {
            let mut limbs = [0; 4];
            QpContext::ALIVE.put(&mut limbs, 1);
            QpContext::GENERATION.put(&mut limbs, pair.generation);
            QpContext::INT_ON.put(&mut limbs, pair.int.into());
            block.context_qp.next = U(qp);
            block.context_data.next = QpContext::from_slice(&limbs);
        }
        block.notice.valid.next = !self.offered.is_empty();
        if let Some(notice) = self.offered.front() {
            block.notice.data.next = *notice;
        }
        block.passed.ready.next = ready;
        block.probe.ready.next = ready;
        block.charge.ready.next = ready;
        let seen = step(block.as_mut(), |b| {
            (
                b.notice.ready.val(),
                (b.passed.valid.val() && ready).then(|| b.passed.data.val()),
                (b.probe.valid.val() && ready).then(|| b.probe.data.val()),
                (b.charge.valid.val() && ready).then(|| b.charge.data.val()),
                b.stray.val(),
            )
        });
        let (taken, passed, probe, charge, stray) = seen;
        if taken && !self.offered.is_empty() {
            self.offered.pop_front();
        }
        self.stray_pulses += u64::from(stray);
        if let Some(word) = passed {
            assert_eq!(Some(word), self.passing.pop_front());
        }
        if let Some(word) = probe {
            let got = (word.qp.0, word.generation.0, word.psn.0);
            assert_eq!(Some(got), self.expected[0].pop_front());
            assert_eq!(word.kind, AckKind::Probe);
            assert_eq!(
                (word.int_length.0, AckSend::INT_STACK.bytes(&word.limbs())),
                (2, vec![0; 42])
            );
            self.probes += 1;
        }
        if let Some(word) = charge {
            let (qp, generation, _) = self.expected[1].pop_front().expect("nothing was sent");
            assert_eq!(
                (word.from.flow.0, word.from.generation.0, word.advance),
                (request_flow(qp as u32).into(), generation, false)
            );
            // bytes that a full packet did not use, modulo 2^24: less than none
            assert_eq!(word.value.0, (1 << 24) - 84);
        }
    }

    fn rest(&mut self, clocks: usize) {
        (0..clocks).for_each(|_| self.tick(None, None, true));
    }

    fn create(&mut self, qp: u64, int: bool) {
        let pair = Pair {
            generation: self.pairs.get(&qp).map_or(1, |pair| pair.generation % 255 + 1),
            int,
            ..Pair::default()
        };
        self.pairs.insert(qp, pair);
        self.tick(None, Some((qp, pair)), true);
        self.rest(SETTLED);
    }

    /// A request of a queue pair leaves; `late`: of the generation before.
    fn leave(&mut self, qp: u64, late: bool) {
        let (on, rule, at) = (self.on, self.rule, self.now * 1000);
        let pair = self.pairs.get_mut(&qp).expect("created");
        let generation = pair.generation.wrapping_sub(late.into()) & 0xff;
        if !late && pair.int && on {
            pair.probing.data();
            if pair.probing.due(&rule, true, at) {
                pair.sent = pair.probing.send(at).into();
                let turn = (qp, generation, pair.sent);
                self.expected.iter_mut().for_each(|list| list.push_back(turn));
            }
        }
        self.tick(Some((qp, generation)), None, true);
    }

    /// A notice of dispatch, taken whole.
    fn notice(&mut self, kind: CcEventKind, qp: u64, late: bool, number: u64) {
        let pair = self.pairs.get_mut(&qp).expect("created");
        let word = Notice {
            event_kind: U(kind as u64),
            response: false,
            qp: U(qp),
            generation: U(pair.generation.wrapping_sub(late.into()) & 0xff),
            psn: U(number & 0xff_ffff),
            ecn: false,
            int_length: U(2),
            int_stack: W([number; 6].map(|limb| limb & 0xffff)),
        };
        let counts = kind != CcEventKind::Probe
            || (self.on && !late && pair.int && pair.probing.accept(number as u32 & 0xff_ffff));
        if counts {
            self.passing.push_back(word);
            self.accepted += u64::from(kind == CcEventKind::Probe);
        } else {
            self.strays += 1;
        }
        self.offered.push_back(word);
    }

    fn settle(&mut self) {
        self.rest(SETTLED);
        while !self.offered.is_empty() {
            self.rest(1);
        }
        self.rest(SETTLED);
        assert!(self.expected.iter().all(VecDeque::is_empty) && self.passing.is_empty());
        assert_eq!(self.stray_pulses, self.strays);
    }
}

/// Bursts of requests, one a clock; responses of any number, among other notices; queue pairs that begin anew; registers that change.
#[test]
fn probes_and_responses_follow_the_rule() {
    for seed in 0..4 {
        let mut bench = Bench::new(seed);
        (2..6).for_each(|qp| bench.create(qp, qp != 3));
        for _ in 0..3000 {
            for _ in 0..bench.stimulus.below(9) {
                let (qp, late) = (2 + bench.stimulus.below(4), bench.stimulus.chance(0.05));
                bench.leave(qp, late);
            }
            bench.settle();
            for _ in 0..bench.stimulus.below(4) {
                let qp = 2 + bench.stimulus.below(4);
                let kind = [
                    CcEventKind::Probe,
                    CcEventKind::Probe,
                    CcEventKind::Cnp,
                    CcEventKind::Ack,
                ][bench.stimulus.below(4) as usize];
                let back = bench.stimulus.below(4);
                let number = (bench.pairs[&qp].sent + 1).wrapping_sub(back);
                let late = bench.stimulus.chance(0.05);
                bench.notice(kind, qp, late, number);
            }
            bench.settle();
            bench.now += bench.stimulus.below(12_000);
            if bench.stimulus.chance(0.01) {
                // past the pause after which a flow starts anew, or just not
                bench.now += 999_000 + bench.stimulus.below(2000);
            }
            if bench.stimulus.chance(0.01) {
                let (qp, int) = (2 + bench.stimulus.below(4), bench.stimulus.chance(0.8));
                bench.create(qp, int);
            }
            if bench.stimulus.chance(0.01) {
                bench.rule = ProbeRule {
                    interval_ps: 1000 * [1, 1000, 5000, 13_000][bench.stimulus.below(4) as usize],
                    packets: [1, 1, 4, 255][bench.stimulus.below(4) as usize],
                    timeout_ps: 1000 * [1, 20_000, 100_000][bench.stimulus.below(3) as usize],
                };
                bench.on = bench.stimulus.chance(0.9);
            }
        }
        assert!(bench.probes > 1000 && bench.accepted > 300 && bench.strays > 300);
    }
}

/// Nobody takes the probes: the FIFOs fill, nothing is lost of what is in them, and requests ask again afterwards.
#[test]
fn probes_that_nobody_takes_are_asked_for_again() {
    let mut bench = Bench::new(3);
    bench.rule.interval_ps = 1000;
    (2..60).for_each(|qp| bench.create(qp, true));
    // no more than the FIFOs hold get a number; the rest is asked for again
    for qp in 2..60 {
        bench.tick(Some((qp, 1)), None, false);
        (0..6).for_each(|_| bench.tick(None, None, false));
    }
    let mut first = 0;
    bench.expected = Default::default();
    for qp in 2..60u64 {
        bench.expected.iter_mut().for_each(|list| list.push_back((qp, 1, 1)));
        first += 1;
    }
    let before = bench.probes;
    let left = bench.expected.clone();
    bench.rest(60);
    let taken = (bench.probes - before) as usize;
    assert!((12..=16).contains(&taken), "{taken} of {first}");
    assert_eq!(bench.expected[0].len(), left[0].len() - taken);
    for qp in 2 + taken as u64..60 {
        bench.tick(Some((qp, 1)), None, true);
        bench.rest(SETTLED);
    }
    assert_eq!(bench.probes - before, 58);
}
