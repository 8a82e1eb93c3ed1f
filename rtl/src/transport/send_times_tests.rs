//! Random departures, creations and questions, every answer against the model's send times.

use super::{SendTimes, ASK_LATENCY};
use crate::prim::uint::U;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use crate::words::context::QpContext;
use hpcc_models::nic::{is_timed, Departure, SendTimes as Model};
use hpcc_models::wire::MASK_24;
use std::collections::VecDeque;

/// Queue pairs that the runs use.
const QPS: [u8; 4] = [2, 3, 149, 255];

struct Bench {
    block: Box<SendTimes>,
    random: Stimulus,
    models: [Model; 4],
    generations: [u8; 4],
    next: [u32; 4],
    spacing: u8,
    clock: u64,
    /// Answers of the next clocks; `None` where a creation in the same clock leaves it open.
    expected: VecDeque<Option<Option<u64>>>,
    known: u64,
}

impl Bench {
    fn new(seed: u64) -> Self {
        let mut block: Box<SendTimes> = Box::default();
        init(block.as_mut()).expect("complete block");
        block.reset.next = true;
        step(block.as_mut(), |_| ());
        block.reset.next = false;
        Self {
            block,
            random: Stimulus::new(seed),
            models: Default::default(),
            generations: [0; 4],
            next: [0; 4],
            spacing: 0,
            clock: 0,
            expected: VecDeque::from([None; ASK_LATENCY]),
            known: 0,
        }
    }

    fn now(&self) -> u64 {
        (1 << 47) + 5 * self.clock
    }

    fn set_spacing(&mut self, spacing: u8) {
        for _ in 0..6 {
            self.tick(None, None, (0, 0));
        }
        self.spacing = spacing;
        self.block.spacing.next = U(spacing.into());
        self.expected.iter_mut().for_each(|answer| *answer = None);
    }

    /// A clock: a departure (queue pair, generation, PSN), a creation, a question.
    fn tick(&mut self, left: Option<(usize, u8, u32, Departure)>, created: Option<usize>, asked: (usize, u32)) {
        let now = self.now();
        let b = self.block.as_mut();
        b.now.next = U(now);
        b.left_valid.next = left.is_some();
        if let Some((i, generation, psn, departure)) = left {
            b.left_qp.next = U(QPS[i].into());
            b.left_generation.next = U(generation.into());
            b.left_psn.next = U(psn.into());
            b.left_departure.next = U(departure as u64);
            if generation == self.generations[i] {
                self.models[i].left(departure, psn, self.spacing, now);
            }
        }
        b.context_valid.next = created.is_some();
        if let Some(i) = created {
            self.generations[i] = self.generations[i].checked_add(1).unwrap_or(1);
            let mut word = [u64::MAX; 4];
            QpContext::GENERATION.put(&mut word, self.generations[i].into());
            b.context_qp.next = U(QPS[i].into());
            b.context_data.next = QpContext::from_slice(&word);
            self.models[i].clear();
        }
        b.asked_qp.next = U(QPS[asked.0].into());
        b.asked_psn.next = U(asked.1.into());
        let open = created == Some(asked.0);
        let answer = self.models[asked.0].at(asked.1, self.spacing);
        self.expected.push_back((!open).then_some(answer));
        let (known, sent_at) = step(b, |b| (b.known.val(), b.sent_at.val().0));
        if let Some(answer) = self.expected.pop_front().expect("as many as its latency") {
            assert_eq!(known.then_some(sent_at), answer, "clock {}", self.clock);
            self.known += u64::from(known);
        }
        self.clock += 1;
    }

    /// A number near those that left last, now and then any.
    fn near(&mut self, i: usize) -> u32 {
        let back = self.random.below(20 << self.spacing) as u32;
        match self.random.below(20) {
            0 => self.random.corner(24) as u32,
            _ => self.next[i].wrapping_sub(back) & MASK_24,
        }
    }

    fn run(&mut self, clocks: u64) {
        let (mut last_left, mut last_created) = (0, 0);
        for clock in 0..clocks {
            let created = clock >= last_created + 3 && self.random.chance(0.01);
            let created = created.then(|| self.random.below(4) as usize);
            let left = clock >= last_left + 2 && self.random.chance(0.8);
            let left = left.then(|| {
                last_left = clock;
                let i = self.random.below(4) as usize;
                let again = self.random.chance(0.05);
                let psn = if again { self.near(i) } else { self.next[i] };
                if !again {
                    self.next[i] = (psn + 1) & MASK_24;
                }
                let departure = match is_timed(psn, Some(self.spacing)) {
                    _ if self.random.chance(0.01) => Departure::Rewound,
                    true if again => Departure::Repeated,
                    true => Departure::Timed,
                    false => Departure::Untimed,
                };
                // now and then a frame of the generation before, which was on its way
                let late = self.random.chance(0.02);
                (i, self.generations[i].wrapping_sub(late.into()), psn, departure)
            });
            if let Some(i) = created {
                last_created = clock;
                self.next[i] = self.random.corner(24) as u32;
            }
            let i = self.random.below(4) as usize;
            let psn = self.near(i) | if self.random.chance(0.8) { (1 << self.spacing) - 1 } else { 0 };
            self.tick(left, created, (i, psn));
        }
    }
}

#[test]
fn every_answer_is_the_models() {
    let mut bench = Bench::new(5);
    for i in 0..4 {
        bench.tick(None, Some(i), (0, 0));
        for _ in 0..3 {
            bench.tick(None, None, (0, 0));
        }
    }
    for spacing in [0, 2, 5, 1, 15, 3] {
        bench.set_spacing(spacing);
        bench.run(6_000);
    }
    assert!(bench.known > 5_000, "{} known", bench.known);
}

/// Kept at clock 1, asked for in the same clock and shown four clocks later; the next creation forgets it.
#[test]
fn a_time_shows_four_clocks_after_the_question() {
    let mut bench = Bench::new(1);
    bench.tick(None, Some(1), (0, 0));
    for _ in 0..4 {
        bench.tick(None, None, (0, 0));
    }
    bench.tick(Some((1, 1, 7, Departure::Timed)), None, (1, 7));
    for _ in 0..ASK_LATENCY - 1 {
        bench.tick(None, None, (0, 0));
    }
    bench.tick(None, Some(1), (0, 0));
    assert_eq!(bench.known, 1);
    bench.tick(None, None, (1, 7));
    for _ in 0..ASK_LATENCY {
        bench.tick(None, None, (0, 0));
    }
    assert_eq!(bench.known, 1);
}
