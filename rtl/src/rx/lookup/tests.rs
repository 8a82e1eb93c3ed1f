//! Both outputs in every clock against a map from places to numbers.

use super::*;
use crate::sim::{init, step, Stimulus};
use std::collections::BTreeMap;

/// Clocks after the reset's last in which entries are cleared.
const CLEARING: u64 = 256;

struct Bench {
    block: Box<QpLookup>,
    stimulus: Stimulus,
    clock: u64,
    /// Number of who lives at each place.
    known: BTreeMap<u64, u64>,
    /// The last clock of a reset.
    reset: Option<u64>,
    /// Entries were cleared in the last clock.
    cleared: bool,
    /// Number asked for in the last clock.
    asked: u64,
    /// Places that were read in the last three clocks, the newest first.
    read: [u64; 3],
    /// `out_next_place` of the last clock.
    last: u64,
    /// Answers that were a place, nobody, and nobody although somebody lives at the number's place.
    found: [u64; 3],
}

impl Bench {
    fn new(seed: u64) -> Self {
        let mut block: Box<QpLookup> = Box::default();
        init(block.as_mut()).expect("complete block");
        Self {
            block,
            stimulus: Stimulus::new(seed),
            clock: 0,
            known: BTreeMap::new(),
            reset: None,
            cleared: false,
            asked: 0,
            read: [0; 3],
            last: 0,
            found: [0; 3],
        }
    }

    /// A number of somebody, one that differs in a bit, another one of the same place, or any.
    fn any_key(&mut self) -> u64 {
        let known: Vec<u64> = self.known.values().copied().collect();
        let stimulus = &mut self.stimulus;
        let one = match known.len() as u64 {
            0 => stimulus.uniform(24),
            count => known[stimulus.below(count) as usize],
        };
        match stimulus.below(8) {
            0 => stimulus.uniform(24),
            1 => one ^ 1 << stimulus.below(24),
            2 => one & 0xff | stimulus.uniform(16) << 8,
            _ => one,
        }
    }

    /// A context: place, alive, number.
    fn any_context(&mut self) -> (u64, bool, u64) {
        let stimulus = &mut self.stimulus;
        let few = stimulus.chance(0.6);
        let place = if few { [2, 3, 31, 127, 128, 149][stimulus.below(6) as usize] } else { 2 + stimulus.below(148) };
        let number = match stimulus.below(4) {
            0 => 0,
            1 => place,
            2 => 0xff_ff00 | place,
            _ => stimulus.uniform(16) << 8 | place,
        };
        (place, stimulus.chance(0.75), number)
    }

    /// A clock with a number asked for, and with a context now and then.
    fn tick(&mut self, reset: bool, context: Option<(u64, bool, u64)>) {
        let key = self.any_key();
        let clearing = self.reset.is_some_and(|last| self.clock <= last + CLEARING);
        let block = self.block.as_mut();
        block.reset.next = reset;
        block.in_number.next = U(key);
        block.context_valid.next = context.is_some();
        if let Some((place, alive, number)) = context {
            block.context_qp.next = U(place);
            block.context_data.next = QpContext {
                alive,
                local_qpn: U(number),
                ..QpContext::default()
            };
            if !clearing {
                let number = if number == 0 { place } else { number };
                self.known.remove(&place);
                self.known.extend(alive.then_some((place, number)));
            }
        }
        let got = step(block, |b| (b.out_next_place.val().0, b.out_place.val().0));
        let expected = if self.cleared { 0 } else { self.read[2] };
        assert_eq!(got, (expected, self.last), "clock {}", self.clock);

        // the entry of a number is read a clock after the number came, with what was written until then
        let place = self.asked & 0xff;
        let number = self.known.get(&place).copied();
        let read = if number == Some(self.asked) { place } else { 0 };
        self.found[if read > 0 { 0 } else { 1 + usize::from(number.is_some()) }] += 1;
        self.read = [read, self.read[0], self.read[1]];
        self.asked = key;
        self.last = expected;
        self.cleared = clearing;
        if reset {
            self.reset = Some(self.clock);
            self.known.clear();
        }
        self.clock += 1;
    }
}

#[test]
fn every_place_is_found_by_its_number_and_no_other() {
    let mut bench = Bench::new(1);
    for clock in 0..120_000u64 {
        // some resets come while entries are cleared after the one before, and contexts come in resets too
        let reset = clock % 1009 < clock / 1009 % 4 || clock % 5003 == 100;
        let context = bench.stimulus.chance(0.1).then(|| bench.any_context());
        bench.tick(reset, context);
    }
    assert!(bench.found.iter().all(|answers| *answers > 5000), "{:?}", bench.found);
}
