//! From the queue pair number of a frame to the place of its context.
//!
//! A queue pair's own number is any of 24 bits: it may have been given by a program or a machine that knows nothing of this
//! NIC's tables. All numbers are compared at once, so frames may follow each other every clock.
//!
//! | clock | does |
//! |---|---|
//! | 0 | number into registers |
//! | 1 | compared with those of all queue pairs |
//! | 2 | place within each bank of 32 |
//! | 3 | place of the one that has it, 0 if none has: no queue pair ever lives there |
//! | 4 | place a clock early |
//! | 5 | place |
//!
//! Numbers come from the context bus. Those of living queue pairs differ: the host sees to that.

use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, LoopIdx, U};
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::context::QpContext;
use crate::words::rx::{FoundPlace, KnownNumber, QpPlace};
use crate::{block, kernel};
use hpcc_models::nic::registers::QP_COUNT;
use rust_hdl::prelude::*;

/// Clocks from a number to its place.
pub const LOOKUP_LATENCY: usize = 5;

// five banks
const _: () = assert!(QP_COUNT > 128 && QP_COUNT <= 160);

/// Numbers of 32 queue pairs. A key is found three clocks later.
#[block]
pub struct NumberBank {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: no queue pair lives.
    pub reset: Signal<In, Bit>,
    /// A number is written.
    pub write: Signal<In, Bit>,
    /// Where.
    pub place: Signal<In, U<5>>,
    /// Number 23:0; the queue pair lives 24.
    pub number: Signal<In, U<25>>,
    /// Number asked for, and 24 high.
    pub key: Signal<In, U<25>>,
    /// Place 4:0, one of these has it 5; zero if none has.
    pub found: Signal<Out, FoundPlace>,
    numbers: [DFF<U<25>>; 32],
    hits: [DFF<Bit>; 32],
    terms: [Signal<Local, U<6>>; 32],
    /// ORs of terms, where a chain of choices would be as deep as there are places.
    pairs: [Signal<Local, U<6>>; 16],
    fours: [Signal<Local, U<6>>; 8],
    found_r: DFF<U<6>>,
}

#[kernel]
impl Logic for NumberBank {
    fn update(&mut self) {
        for i in 0..32 {
            if write & (place == i.val()) {
                numbers[i] = number;
            }
            if reset {
                numbers[i] = bits_u::<25>(0);
            }
            hits[i] = numbers[i] == key;
            terms[i] = if hits[i] { bits_u::<6>(32) + i.val() } else { bits_u::<6>(0) };
        }
        for i in 0..16 {
            pairs[i] = terms[2 * i] | terms[2 * i + 1];
        }
        for i in 0..8 {
            fours[i] = pairs[2 * i] | pairs[2 * i + 1];
        }
        found_r = (fours[0] | fours[1]) | (fours[2] | fours[3]) | (fours[4] | fours[5]) | (fours[6] | fours[7]);
        found = bit_cast_word::<FoundPlace, U<6>>(found_r);
    }
}

/// Places by number.
#[block]
pub struct QpLookup {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: there are no queue pairs.
    pub reset: Signal<In, Bit>,
    /// A context is written; whoever asks from the second clock after on sees its number.
    pub context_valid: Signal<In, Bit>,
    /// Place.
    pub context_qp: Signal<In, U<8>>,
    /// Context.
    pub context_data: Signal<In, QpContext>,
    /// Number asked for.
    pub in_number: Signal<In, U<24>>,
    /// Its place, four clocks later; zero if nobody has it.
    pub out_next_place: Signal<Out, U<8>>,
    /// The same, five clocks later.
    pub out_place: Signal<Out, U<8>>,
    #[registers(U<25>: number, key)]
    #[signals(KnownNumber: own, asked)]
    banks: [NumberBank; 5],
    written: DFF<Bit>,
    place: DFF<QpPlace>,
    low: Signal<Local, U<5>>,
    #[registers(U<8>: found, found_then)]
    place_found: Signal<Local, QpPlace>,
}

#[kernel]
impl Logic for QpLookup {
    fn update(&mut self) {
        // a host that names no number means the place's
        own.number = if context_data.local_qpn == 0 { bit_cast_u::<24, 8>(context_qp) } else { context_data.local_qpn };
        own.alive = context_data.alive;
        written = context_valid;
        place = bit_cast_word::<QpPlace, U<8>>(context_qp);
        number = bit_cast_number::<25, KnownNumber>(own);
        asked.number = in_number;
        asked.alive = true;
        key = bit_cast_number::<25, KnownNumber>(asked);
        for i in 0..5 {
            banks[i].reset = reset;
            banks[i].write = written & (place.bank == i.val());
            banks[i].place = place.place;
            inputs!(banks[i]: number, key);
        }
        // numbers differ, so at most one bank has found it
        low = if banks[0].found.val().found { banks[0].found.val().place } else { bits_u::<5>(0) };
        place_found.place = low
            | banks[1].found.val().place
            | banks[2].found.val().place
            | banks[3].found.val().place
            | banks[4].found.val().place;
        place_found.bank = bit_cast_u::<3, 1>(bit_cast_b(banks[1].found.val().found));
        if banks[2].found.val().found {
            place_found.bank = bits_u::<3>(2);
        }
        if banks[3].found.val().found {
            place_found.bank = bits_u::<3>(3);
        }
        if banks[4].found.val().found {
            place_found.bank = bits_u::<3>(4);
        }
        found = bit_cast_number::<8, QpPlace>(place_found);
        found_then = found;
        assign!(out_next_place = found, out_place = found_then);
        reset!(written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::word::Word as _;
    use crate::sim::{init, step, Stimulus};
    use std::collections::{BTreeMap, VecDeque};

    /// Numbers near each other, at both ends, and zero, which stands for the place's own.
    fn number(stimulus: &mut Stimulus, place: u64) -> u64 {
        let base = place << 8 | place;
        match stimulus.below(4) {
            0 => 0,
            1 => base,
            2 => base | 0x80_0000,
            _ => 0xff_ff00 | place,
        }
    }

    #[test]
    fn every_place_is_found_by_its_number_and_no_other() {
        let mut block: Box<QpLookup> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(1);
        let mut known: BTreeMap<u64, u64> = BTreeMap::new();
        let mut pending: VecDeque<Option<u64>> = VecDeque::new();
        let (mut found, mut before) = (0, 0);
        for clock in 0..60_000u64 {
            // a quiet time after each write, in which it may settle
            let phase = clock % 16;
            let place = 2 + stimulus.below(148);
            // a reset forgets everything, also what is written in its own clock
            let reset = clock % 4000 == 0;
            block.reset.next = reset;
            block.context_valid.next = phase == 0;
            if phase == 0 {
                let (alive, number) = (stimulus.chance(0.8), number(&mut stimulus, place));
                let mut limbs = [0; 4];
                QpContext::ALIVE.put(&mut limbs, alive.into());
                QpContext::LOCAL_QPN.put(&mut limbs, number);
                block.context_qp.next = U(place);
                block.context_data.next = QpContext::from_slice(&limbs);
                known.retain(|_, at| *at != place);
                let number = if number == 0 { place } else { number };
                if reset {
                    known.clear();
                }
                if alive && !reset {
                    known.insert(number, place);
                }
            }
            let quiet = phase > 2 && phase < 12;
            let asked = match known.keys().nth(stimulus.below(known.len() as u64 + 1) as usize) {
                Some(number) => number ^ u64::from(stimulus.chance(0.2)) << stimulus.below(24),
                None => stimulus.uniform(24),
            };
            block.in_number.next = U(asked);
            let expected = known.get(&asked).copied().unwrap_or(0);
            pending.push_back(quiet.then_some(expected));
            let (next, place) = step(block.as_mut(), |b| (b.out_next_place.val().0, b.out_place.val().0));
            if clock > 0 {
                assert_eq!(place, before, "clock {clock}");
            }
            before = next;
            if pending.len() > LOOKUP_LATENCY {
                if let Some(expected) = pending.pop_front().expect("filled") {
                    assert_eq!(place, expected, "clock {clock}");
                    found += u64::from(place != 0);
                }
            }
        }
        assert!(found > 5000, "{found}");
    }
}
