//! Every output in every clock against a map from numbers to places, with the clock from which each context counts.

use super::*;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use std::collections::{BTreeMap, VecDeque};

/// Clocks from the reset's last to the first context that is looked at; as many as there are words in a table, and one.
const CLEARING: u64 = 33;
/// From a context to the clock in which it is looked at, when none waits.
const ENTERS: u64 = 2;
/// To look at it and find nothing to do.
const LOOKS: u64 = 4;
/// More, to take a number out or in.
const PASS: u64 = 34;
/// Contexts that wait, at most.
const WAITING: usize = 16;

/// What the tables know, and when they will know more.
struct Model {
    /// Of the contexts that have come: number of each place.
    own: BTreeMap<u64, u64>,
    /// Who is found.
    table: BTreeMap<u64, u64>,
    /// From this clock on whoever asks finds the number at that place, or nobody.
    changes: VecDeque<(u64, u64, Option<u64>)>,
    /// When each context that waits is done with.
    ends: VecDeque<u64>,
    /// The next context is looked at in this clock or later.
    free: u64,
    /// Every context is done with in this clock.
    rests: u64,
}

impl Model {
    /// At power-up tables are cleared as after a reset in the clock before the first.
    fn new() -> Self {
        Self {
            own: BTreeMap::new(),
            table: BTreeMap::new(),
            changes: VecDeque::new(),
            ends: VecDeque::new(),
            free: CLEARING - 1,
            rests: CLEARING - 1,
        }
    }

    fn context(&mut self, clock: u64, place: u64, number: Option<u64>) {
        let start = self.free.max(clock + ENTERS);
        self.free = start + LOOKS;
        let old = self.own.get(&place).copied();
        if old != number {
            for (number, holder) in [(old, None), (number, Some(place))] {
                if let Some(number) = number {
                    self.free += PASS;
                    self.changes.push_back((self.free - 1, number, holder));
                }
            }
        }
        self.own.remove(&place);
        self.own.extend(number.map(|number| (place, number)));
        self.ends.push_back(self.free);
        self.rests = self.free;
    }

    fn reset(&mut self, clock: u64) {
        *self = Self::new();
        self.free = clock + CLEARING;
        self.rests = self.free;
    }

    /// The place that whoever asks in this clock gets.
    fn ask(&mut self, clock: u64, number: u64) -> u64 {
        while let Some((_, number, holder)) = self.changes.front().copied().filter(|change| change.0 <= clock) {
            self.changes.pop_front();
            self.table.remove(&number);
            self.table.extend(holder.map(|place| (number, place)));
        }
        self.ends.retain(|end| *end > clock);
        self.table.get(&number).copied().unwrap_or(0)
    }
}

/// The slices of one number or of the other, as the bits of `choice` say.
fn mixed(one: u64, other: u64, choice: u64) -> u64 {
    let slice = |number: u64, i: u64| number & 31 << (5 * i) & 0xff_ffff;
    (0..5).fold(0, |number, i| {
        number | slice(if choice >> i & 1 == 1 { one } else { other }, i)
    })
}

struct Bench {
    block: Box<QpLookup>,
    stimulus: Stimulus,
    model: Model,
    clock: u64,
    /// Answers under way, the oldest first.
    asked: VecDeque<u64>,
    /// `settled` in the next clock.
    settles: bool,
    /// Numbers that were in a context lately.
    recent: VecDeque<u64>,
    /// Answers that were a place, nobody, and nobody although each slice was that of a living one.
    found: [u64; 3],
}

impl Bench {
    fn new(seed: u64) -> Self {
        let mut block: Box<QpLookup> = Box::default();
        init(block.as_mut()).expect("complete block");
        Self {
            block,
            stimulus: Stimulus::new(seed),
            model: Model::new(),
            clock: 0,
            asked: VecDeque::from([0; LOOKUP_LATENCY]),
            settles: false,
            recent: VecDeque::from([1]),
            found: [0; 3],
        }
    }

    /// Numbers that share slices, neighbours, numbers at both ends, and zero, which stands for the place's own.
    fn number(&mut self, place: u64) -> u64 {
        let stimulus = &mut self.stimulus;
        match stimulus.below(8) {
            0 => 0,
            1 => 0xff_ff00 | place,
            2 => stimulus.uniform(24),
            3 => self.recent[0].wrapping_add(stimulus.below(3)) & 0xff_ffff,
            _ => {
                (0..5).fold(0, |number, i| {
                    number | [0, 1, 31][stimulus.below(3) as usize] << (5 * i)
                }) & 0xff_ffff
            }
        }
    }

    /// The number asked for, and whether it is made of two that live.
    fn any_key(&mut self) -> (u64, bool) {
        let stimulus = &mut self.stimulus;
        let table: Vec<u64> = self.model.table.keys().copied().collect();
        let mut one = || {
            let lately = table.is_empty() || stimulus.chance(0.4);
            let from = if lately { self.recent.make_contiguous() } else { &table[..] };
            from[stimulus.below(from.len() as u64) as usize]
        };
        let (one, other) = (one(), one());
        match self.stimulus.below(8) {
            0 => (self.stimulus.uniform(24), false),
            1 => (one ^ 1 << self.stimulus.below(24), false),
            2..=3 => (mixed(one, other, self.stimulus.uniform(5)), true),
            _ => (one, false),
        }
    }

    /// A clock with a number asked for, and with a context: place, alive, number.
    fn tick(&mut self, reset: bool, context: Option<(u64, bool, u64)>) {
        let clock = self.clock;
        let (key, mixed) = self.any_key();
        let place = self.model.ask(clock, key);
        self.asked.push_back(place);
        self.found[if place > 0 { 0 } else { 1 + usize::from(mixed) }] += 1;
        let settled = std::mem::replace(
            &mut self.settles,
            !reset && context.is_none() && self.model.rests <= clock,
        );
        let block = self.block.as_mut();
        block.reset.next = reset;
        block.in_number.next = U(key);
        block.context_valid.next = context.is_some();
        if let Some((place, alive, number)) = context {
            let mut limbs = [0; 4];
            QpContext::ALIVE.put(&mut limbs, alive.into());
            QpContext::LOCAL_QPN.put(&mut limbs, number);
            block.context_qp.next = U(place);
            block.context_data.next = QpContext::from_slice(&limbs);
            let number = if number == 0 { place } else { number };
            self.recent.push_front(number);
            self.recent.truncate(6);
            self.model.context(clock, place, alive.then_some(number));
            assert!(self.model.ends.len() <= WAITING, "the test asks for more than fits");
        }
        if reset {
            self.model.reset(clock);
        }
        let expected = self.asked.pop_front().expect("filled");
        let expected = (self.asked[0], expected, settled);
        let got = step(block, |b| {
            (b.out_next_place.val().0, b.out_place.val().0, b.settled.val())
        });
        assert_eq!(got, expected, "clock {clock}");
        self.clock += 1;
    }

    fn ticks(&mut self, clocks: u64) {
        for _ in 0..clocks {
            self.tick(false, None);
        }
    }

    /// A context that a host may write: nobody else that lives has the number.
    fn any_context(&mut self) -> (u64, bool, u64) {
        // few places, so that the same ones are written again, or all of them
        let place = if self.stimulus.chance(0.6) {
            [2, 3, 31, 32, 64, 127, 128, 149][self.stimulus.below(8) as usize]
        } else {
            2 + self.stimulus.below(148)
        };
        let number = match self.model.own.get(&place) {
            Some(number) if self.stimulus.chance(0.2) => *number,
            _ => self.number(place),
        };
        let meant = if number == 0 { place } else { number };
        let taken = self
            .model
            .own
            .iter()
            .any(|(other, held)| *other != place && *held == meant);
        (place, !taken && self.stimulus.chance(0.75), number)
    }

    /// As the manager after reset: every place is voided, one every five clocks.
    fn sweep(&mut self, places: u64) {
        for place in 0..places {
            self.tick(false, Some((place, false, 0)));
            self.ticks(4);
        }
    }
}

#[test]
fn every_place_is_found_by_its_number_and_no_other() {
    let mut bench = Bench::new(1);
    let mut resets = [0; 3];
    for round in 0..1500 {
        // a queue pair is created, after the one before it is removed, or several times as much comes before anything is done
        let contexts =
            if bench.stimulus.chance(0.1) { 1 + bench.stimulus.below(15) } else { 1 + bench.stimulus.below(2) };
        for _ in 0..contexts {
            let context = bench.any_context();
            bench.tick(false, Some(context));
            let gap = bench.stimulus.below(12);
            bench.ticks(gap);
        }
        // whatever is going on is broken off now and then, the clearing after reset too
        if round % 16 == 15 {
            for _ in 0..1 + bench.stimulus.below(3) {
                resets[usize::from(bench.model.rests > bench.clock) + usize::from(bench.model.free > bench.clock)] += 1;
                for _ in 0..1 + bench.stimulus.below(3) {
                    let context = bench.stimulus.chance(0.3).then(|| bench.any_context());
                    bench.tick(true, context);
                }
                let clocks = bench.stimulus.below(50);
                bench.ticks(clocks);
            }
            if bench.stimulus.chance(0.2) {
                bench.sweep(40);
            }
            continue;
        }
        if bench.stimulus.chance(0.9) {
            while !bench.settles {
                bench.tick(false, None);
            }
            let clocks = bench.stimulus.below(20);
            bench.ticks(clocks);
        } else {
            while bench.model.ends.len() > 1 {
                bench.tick(false, None);
            }
        }
    }
    assert!(bench.found.iter().all(|answers| *answers > 5000), "{:?}", bench.found);
    assert!(resets[2] > 20 && resets[0] > 5, "{resets:?}");
}
