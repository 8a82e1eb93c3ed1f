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
//! | 4 | outputs |
//!
//! Numbers come from the context bus. Those of living queue pairs differ: the host sees to that.

use crate::nic::words::Context;
use crate::prim::delay::Delay;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, LoopIdx, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word};
use crate::words::context::QpContext;
use crate::words::rx::{FoundPlace, JudgedFrame, KnownNumber, QpPlace};
use crate::{block, kernel};
use hpcc_models::nic::registers::QP_COUNT;
use rust_hdl::prelude::*;

/// The parser's outputs: a [`JudgedFrame`].
pub type RawRow = W<816, 13>;

/// Clocks from a verdict to the same verdict with a place.
pub const LOOKUP_LATENCY: usize = 4;

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
            if self.write.val() & (self.place.val() == i.val()) {
                self.numbers[i].d.next = self.number.val();
            }
            if self.reset.val() {
                self.numbers[i].d.next = bits_u::<25>(0);
            }
            self.hits[i].d.next = self.numbers[i].q.val() == self.key.val();
            self.terms[i].next = bits_u::<6>(0);
            if self.hits[i].q.val() {
                self.terms[i].next = bits_u::<6>(32) + i.val();
            }
        }
        for i in 0..16 {
            self.pairs[i].next = self.terms[2 * i].val() | self.terms[2 * i + 1].val();
        }
        for i in 0..8 {
            self.fours[i].next = self.pairs[2 * i].val() | self.pairs[2 * i + 1].val();
        }
        self.found_r.d.next = (self.fours[0].val() | self.fours[1].val())
            | (self.fours[2].val() | self.fours[3].val())
            | (self.fours[4].val() | self.fours[5].val())
            | (self.fours[6].val() | self.fours[7].val());
        self.found.next = bit_cast_word::<FoundPlace, U<6>>(self.found_r.q.val());
    }
}

/// Places by number.
#[block]
pub struct QpLookup {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: there are no queue pairs.
    pub reset: Signal<In, Bit>,
    /// A context is written; verdicts from the second clock after on see its number.
    pub context_valid: Signal<In, Bit>,
    /// Place.
    pub context_qp: Signal<In, U<8>>,
    /// Context.
    pub context_data: Signal<In, Context>,
    /// A verdict.
    pub in_valid: Signal<In, Bit>,
    /// It; queue pair number 646:623.
    pub in_verdict: Signal<In, RawRow>,
    /// A verdict.
    pub out_valid: Signal<Out, Bit>,
    /// It; place 630:623, zero 646:631.
    pub out_verdict: Signal<Out, RawRow>,
    written: DFF<Bit>,
    place: DFF<QpPlace>,
    number: DFF<U<25>>,
    new_context: Signal<Local, QpContext>,
    own: Signal<Local, KnownNumber>,
    asked: Signal<Local, KnownNumber>,
    key: DFF<U<25>>,
    banks: [NumberBank; 5],
    low: Signal<Local, U<5>>,
    found: DFF<U<8>>,
    place_found: Signal<Local, QpPlace>,
    valids: Delay<Bit, 4>,
    arriving: Signal<Local, JudgedFrame>,
    /// Without the number.
    rest: Signal<Local, JudgedFrame>,
    rests: Delay<JudgedFrame, 4>,
    leaving: Signal<Local, JudgedFrame>,
}

#[kernel]
impl Logic for QpLookup {
    fn update(&mut self) {
        // a host that names no number means the place's
        self.new_context.next = bit_cast_word::<QpContext, Context>(self.context_data.val());
        self.own.next.number = self.new_context.val().local_qpn;
        if self.new_context.val().local_qpn == 0 {
            self.own.next.number = bit_cast_u::<24, 8>(self.context_qp.val());
        }
        self.own.next.alive = self.new_context.val().alive;
        self.written.d.next = self.context_valid.val();
        self.place.d.next = bit_cast_word::<QpPlace, U<8>>(self.context_qp.val());
        self.number.d.next = bit_cast_number::<25, KnownNumber>(self.own.val());
        self.arriving.next = bit_cast_word::<JudgedFrame, RawRow>(self.in_verdict.val());
        self.asked.next.number = self.arriving.val().qpn;
        self.asked.next.alive = true;
        self.key.d.next = bit_cast_number::<25, KnownNumber>(self.asked.val());
        for i in 0..5 {
            self.banks[i].reset.next = self.reset.val();
            self.banks[i].write.next = self.written.q.val() & (self.place.q.val().bank == i.val());
            self.banks[i].place.next = self.place.q.val().place;
            inputs!(banks[i]: number, key);
        }
        // numbers differ, so at most one bank has found it
        self.low.next = bits_u::<5>(0);
        if self.banks[0].found.val().found {
            self.low.next = self.banks[0].found.val().place;
        }
        self.place_found.next.place = self.low.val()
            | self.banks[1].found.val().place
            | self.banks[2].found.val().place
            | self.banks[3].found.val().place
            | self.banks[4].found.val().place;
        self.place_found.next.bank = bit_cast_u::<3, 1>(bit_cast_b(self.banks[1].found.val().found));
        if self.banks[2].found.val().found {
            self.place_found.next.bank = bits_u::<3>(2);
        }
        if self.banks[3].found.val().found {
            self.place_found.next.bank = bits_u::<3>(3);
        }
        if self.banks[4].found.val().found {
            self.place_found.next.bank = bits_u::<3>(4);
        }
        self.found.d.next = bit_cast_number::<8, QpPlace>(self.place_found.val());
        self.valids.d.next = self.in_valid.val();
        self.rest.next = self.arriving.val();
        self.rest.next.qpn = bits_u::<24>(0);
        self.rests.d.next = self.rest.val();
        self.out_valid.next = self.valids.q.val();
        self.leaving.next = self.rests.q.val();
        self.leaving.next.qpn = bit_cast_u::<24, 8>(self.found.q.val());
        self.out_verdict.next = bit_cast_bus::<816, 13, JudgedFrame>(self.leaving.val());
        reset!(written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nic::words::context;
    use crate::prim::wide::W;
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
        let mut pending: VecDeque<(u64, Option<u64>)> = VecDeque::new();
        let mut found = 0;
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
                context::ALIVE.put(&mut limbs, alive.into());
                context::LOCAL_QPN.put(&mut limbs, number);
                block.context_qp.next = U(place);
                block.context_data.next = W(limbs);
                known.retain(|_, at| *at != place);
                let number = if number == 0 { place } else { number };
                if reset {
                    known.clear();
                }
                if alive && !reset {
                    known.insert(number, place);
                }
            }
            let valid = phase > 2 && phase < 12 && stimulus.chance(0.9);
            let asked = match known.keys().nth(stimulus.below(known.len() as u64 + 1) as usize) {
                Some(number) => number ^ u64::from(stimulus.chance(0.2)) << stimulus.below(24),
                None => stimulus.uniform(24),
            };
            block.in_valid.next = valid;
            let mut verdict = [0; 13];
            verdict.iter_mut().for_each(|limb| *limb = stimulus.uniform(64));
            verdict[12] &= (1 << 48) - 1;
            let field = crate::nic::words::Field {
                name: "number",
                low: 623,
                width: 24,
            };
            field.put(&mut verdict, asked);
            block.in_verdict.next = W(verdict);
            field.put(&mut verdict, known.get(&asked).copied().unwrap_or(0));
            pending.push_back((clock, valid.then_some(verdict[9])));
            let (out_valid, out) = step(block.as_mut(), |b| (b.out_valid.val(), b.out_verdict.val().0));
            if pending.len() > LOOKUP_LATENCY {
                let (_, expected) = pending.pop_front().expect("filled");
                assert_eq!(out_valid, expected.is_some(), "clock {clock}");
                if let Some(limb) = expected {
                    let got = out;
                    assert_eq!(got[9], limb, "clock {clock}");
                    found += u64::from(field.get(&got) != 0);
                }
            }
        }
        assert!(found > 5000, "{found}");
    }
}
