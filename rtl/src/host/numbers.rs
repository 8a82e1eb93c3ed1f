//! Whether the number that a queue pair is to have is another one's.
//!
//! Frames name queue pairs by number, and the lookup of the receive path takes for granted that numbers differ: two places with one number would
//! answer as a third. One place is compared a clock, after the host has asked.

use crate::prim::ram::Ram;
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::context::QpContext;
use crate::words::rx::{KnownNumber, NumberSlices};
use crate::{block, kernel};
use hpcc_models::nic::registers::QP_COUNT;
use rust_hdl::prelude::*;

// the literal in the kernel
const _: () = assert!(QP_COUNT == 150);

/// Compares a number with those of all places that live.
#[block]
pub struct NumberCheck {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: nothing is compared.
    pub reset: Signal<In, Bit>,
    /// Bus: a context is written. Not while a number is compared.
    pub context_valid: Signal<In, Bit>,
    /// Place.
    pub context_qp: Signal<In, U<8>>,
    /// Context.
    pub context_data: Signal<In, QpContext>,
    /// Compare, from the next clock on.
    pub start: Signal<In, Bit>,
    /// Number to compare, from the clock of `start` until `done`; 0: that of the place.
    pub number: Signal<In, U<24>>,
    /// Its place, which is not compared: a queue pair that is created anew may keep its number.
    pub place: Signal<In, U<8>>,
    /// One clock, 150 clocks after `start`: all have been compared.
    pub done: Signal<Out, Bit>,
    /// With `done`: another queue pair has the number.
    pub taken: Signal<Out, Bit>,
    /// Numbers by place.
    numbers: Ram<KnownNumber, 8>,
    /// The context's number, and the one that is looked for.
    #[signals(KnownNumber: written, wanted)]
    #[signals(U<24>: written_number, wanted_number)]
    #[signals(Bit: same, ends)]
    #[registers(Bit:
        /// A place is read in every clock.
        scans,
        /// The place that was read one clock ago is compared.
        compares,
        /// A place that was compared since `start` has the number.
        found,
        /// All places have been compared, for one clock.
        done_r)]
    /// Place that is read, and the one that is compared.
    #[registers(U<8>: at, at_1)]
    last: Signal<Local, Bit>,
}

#[kernel]
impl Logic for NumberCheck {
    fn update(&mut self) {
        // numbers as the lookup knows them
        written_number =
            if context_data.local_qpn == 0 { bit_cast_u::<24, 8>(context_qp) } else { context_data.local_qpn };
        written = bits_zero::<KnownNumber>(0);
        if context_data.alive {
            written.alive = true;
            written.number = bit_cast_word::<NumberSlices, U<25>>(bit_cast_u::<25, 24>(written_number));
        }
        inputs!(numbers: we = context_valid, waddr = context_qp, wdata = written);
        wanted_number = if number == 0 { bit_cast_u::<24, 8>(place) } else { number };
        wanted = bits_zero::<KnownNumber>(0);
        wanted.alive = true;
        wanted.number = bit_cast_word::<NumberSlices, U<25>>(bit_cast_u::<25, 24>(wanted_number));

        // a place a clock
        numbers.raddr = at;
        last = at == 149;
        ends = scans & last;
        assign!(compares.d = scans, at_1.d = at);
        if scans {
            at = at + 1;
        }
        if ends {
            scans = false;
        }
        same = (numbers.rdata == wanted) & (at_1 != place);
        if compares & same {
            found = true;
        }
        if start {
            scans = true;
            at = 2.into();
            found = false;
        }
        done_r = compares & !scans;
        assign!(done = done_r, taken = found);
        reset!(scans, compares, done_r);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};

    /// Places whose numbers come and go, of which few differ, and a number that is looked for now and then: against a list.
    #[test]
    fn a_number_of_another_place_is_found() {
        let mut block: Box<NumberCheck> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(7);
        // as after the manager's sweep
        for place in 0..256u64 {
            block.context_valid.next = true;
            block.context_qp.next = U(place);
            step(block.as_mut(), |_| ());
        }
        let mut numbers = [None::<u64>; 256];
        let (mut found, mut free) = (0, 0);
        for round in 0..600 {
            let number = |stimulus: &mut Stimulus| [0, 5, 0x1a_3f00, 9, 15, 6][stimulus.below(6) as usize];
            let place = |stimulus: &mut Stimulus| [2, 5, 6, 9, 15, 77, 148, 149][stimulus.below(8) as usize];
            let own = |number, place| if number == 0 { place } else { number };
            // with and without a life
            let (at, named, alive) = (place(&mut stimulus), number(&mut stimulus), stimulus.chance(0.6));
            block.context_valid.next = true;
            block.context_qp.next = U(at);
            block.context_data.next = QpContext {
                alive,
                local_qpn: U(named),
                ..QpContext::default()
            };
            numbers[at as usize] = alive.then_some(own(named, at));
            step(block.as_mut(), |_| ());
            block.context_valid.next = false;

            let (at, named) = (place(&mut stimulus), number(&mut stimulus));
            block.place.next = U(at);
            block.number.next = U(named);
            block.start.next = true;
            let mut clocks = 0;
            let taken = loop {
                let (done, taken) = step(block.as_mut(), |b| (b.done.val(), b.taken.val()));
                block.start.next = false;
                if done {
                    break taken;
                }
                clocks += 1;
                assert!(clocks < 200, "round {round}");
            };
            assert_eq!(clocks, 150, "round {round}");
            let others = numbers.iter().enumerate().filter(|(place, _)| *place as u64 != at);
            let expected = others.into_iter().any(|(_, known)| *known == Some(own(named, at)));
            assert_eq!(taken, expected, "round {round}: {named} at {at}");
            *(if taken { &mut found } else { &mut free }) += 1;
            assert!(!step(block.as_mut(), |b| b.done.val()), "one clock");
        }
        assert!(found > 100 && free > 100, "{found} {free}");
    }
}
