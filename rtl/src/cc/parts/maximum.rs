//! Lines 6 and 7: the hop with the largest utilisation, the first one on ties, in four clocks.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 18 | inputs | five utilisations with their `tau` |
//! | 19 | `utilisation_19` | carried across the chip: each goes to four comparators |
//! | 20 | `above`, `equal`, `below`, `nonzero` | ten pairs at once, upper and lower half apart |
//! | 21 | `wins`, `any` | one of five |
//! | 22 | outputs | selected |

use crate::prim::delay::Delay;
use crate::prim::uint::{bits_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::congestion::UtilisationHalves;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Maximum over five hops.
#[block]
pub struct Maximum {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 18: utilisation of each hop.
    pub utilisation: [Signal<In, U<51>>; 5],
    /// Clock 18: `tau` of each hop.
    pub tau: [Signal<In, U<17>>; 5],
    /// Clock 18: `dts >= T`.
    pub whole: [Signal<In, Bit>; 5],
    /// Clock 22: largest utilisation.
    pub largest: Signal<Out, U<51>>,
    /// Clock 22: its `tau`.
    pub largest_tau: Signal<Out, U<17>>,
    /// Clock 22: its `dts >= T`.
    pub largest_whole: Signal<Out, Bit>,
    /// Clock 22: no hop had a utilisation above zero.
    pub none: Signal<Out, Bit>,
    utilisation_19: [DFF<UtilisationHalves>; 5],
    number_19: [Signal<Local, U<51>>; 5],
    above: [DFF<Bit>; 10],
    equal: [DFF<Bit>; 10],
    below: [DFF<Bit>; 10],
    later_wins: [Signal<Local, Bit>; 10],
    nonzero: [DFF<Bit>; 5],
    any: DFF<Bit>,
    wins: [DFF<Bit>; 5],
    utilisation_21: [Delay<U<51>, 2>; 5],
    tau_21: [Delay<U<17>, 3>; 5],
    whole_21: [Delay<Bit, 3>; 5],
    chosen: [Signal<Local, U<51>>; 5],
    chosen_tau: [Signal<Local, U<17>>; 5],
    chosen_whole: [Signal<Local, Bit>; 5],
    largest_r: DFF<U<51>>,
    tau_r: DFF<U<17>>,
    whole_r: DFF<Bit>,
    none_r: DFF<Bit>,
}

#[kernel]
impl Logic for Maximum {
    fn update(&mut self) {
        for i in 0..10 {
            // a later hop wins where its upper half is larger, or equal and its lower half larger
            self.later_wins[i].next = self.above[i].q.val() | (self.equal[i].q.val() & self.below[i].q.val());
        }
        self.utilisation_19[0].d.next = bit_cast_word::<UtilisationHalves, U<51>>(self.utilisation[0].val());
        self.number_19[0].next = bit_cast_number::<51, UtilisationHalves>(self.utilisation_19[0].q.val());
        self.utilisation_19[1].d.next = bit_cast_word::<UtilisationHalves, U<51>>(self.utilisation[1].val());
        self.number_19[1].next = bit_cast_number::<51, UtilisationHalves>(self.utilisation_19[1].q.val());
        self.utilisation_19[2].d.next = bit_cast_word::<UtilisationHalves, U<51>>(self.utilisation[2].val());
        self.number_19[2].next = bit_cast_number::<51, UtilisationHalves>(self.utilisation_19[2].q.val());
        self.utilisation_19[3].d.next = bit_cast_word::<UtilisationHalves, U<51>>(self.utilisation[3].val());
        self.number_19[3].next = bit_cast_number::<51, UtilisationHalves>(self.utilisation_19[3].q.val());
        self.utilisation_19[4].d.next = bit_cast_word::<UtilisationHalves, U<51>>(self.utilisation[4].val());
        self.number_19[4].next = bit_cast_number::<51, UtilisationHalves>(self.utilisation_19[4].q.val());
        for i in 0..5 {
            self.utilisation_21[i].d.next = self.number_19[i].val();
            self.tau_21[i].d.next = self.tau[i].val();
            self.whole_21[i].d.next = self.whole[i].val();
            self.nonzero[i].d.next = self.number_19[i].val().any();
        }
        // pairs (earlier, later): 01 02 03 04 12 13 14 23 24 34
        for i in 0..4 {
            self.above[i].d.next = (self.utilisation_19[i + 1].q.val()).upper > self.utilisation_19[0].q.val().upper;
            self.equal[i].d.next = (self.utilisation_19[i + 1].q.val()).upper == self.utilisation_19[0].q.val().upper;
            self.below[i].d.next = (self.utilisation_19[i + 1].q.val()).lower > self.utilisation_19[0].q.val().lower;
        }
        for i in 0..3 {
            self.above[i + 4].d.next =
                (self.utilisation_19[i + 2].q.val()).upper > self.utilisation_19[1].q.val().upper;
            self.equal[i + 4].d.next =
                (self.utilisation_19[i + 2].q.val()).upper == self.utilisation_19[1].q.val().upper;
            self.below[i + 4].d.next =
                (self.utilisation_19[i + 2].q.val()).lower > self.utilisation_19[1].q.val().lower;
        }
        for i in 0..2 {
            self.above[i + 7].d.next =
                (self.utilisation_19[i + 3].q.val()).upper > self.utilisation_19[2].q.val().upper;
            self.equal[i + 7].d.next =
                (self.utilisation_19[i + 3].q.val()).upper == self.utilisation_19[2].q.val().upper;
            self.below[i + 7].d.next =
                (self.utilisation_19[i + 3].q.val()).lower > self.utilisation_19[2].q.val().lower;
        }
        self.above[9].d.next = self.utilisation_19[4].q.val().upper > self.utilisation_19[3].q.val().upper;
        self.equal[9].d.next = self.utilisation_19[4].q.val().upper == self.utilisation_19[3].q.val().upper;
        self.below[9].d.next = self.utilisation_19[4].q.val().lower > self.utilisation_19[3].q.val().lower;

        self.any.d.next = self.nonzero[0].q.val()
            | self.nonzero[1].q.val()
            | self.nonzero[2].q.val()
            | self.nonzero[3].q.val()
            | self.nonzero[4].q.val();
        self.wins[0].d.next = !self.later_wins[0].val()
            & !self.later_wins[1].val()
            & !self.later_wins[2].val()
            & !self.later_wins[3].val();
        self.wins[1].d.next = self.later_wins[0].val()
            & !self.later_wins[4].val()
            & !self.later_wins[5].val()
            & !self.later_wins[6].val();
        self.wins[2].d.next =
            self.later_wins[1].val() & self.later_wins[4].val() & !self.later_wins[7].val() & !self.later_wins[8].val();
        self.wins[3].d.next =
            self.later_wins[2].val() & self.later_wins[5].val() & self.later_wins[7].val() & !self.later_wins[9].val();
        self.wins[4].d.next =
            self.later_wins[3].val() & self.later_wins[6].val() & self.later_wins[8].val() & self.later_wins[9].val();

        for i in 0..5 {
            self.chosen[i].next = bits_u::<51>(0);
            self.chosen_tau[i].next = bits_u::<17>(0);
            self.chosen_whole[i].next = self.wins[i].q.val() & self.whole_21[i].q.val();
            if self.wins[i].q.val() {
                self.chosen[i].next = self.utilisation_21[i].q.val();
                self.chosen_tau[i].next = self.tau_21[i].q.val();
            }
        }
        self.largest_r.d.next = self.chosen[0].val()
            | self.chosen[1].val()
            | self.chosen[2].val()
            | self.chosen[3].val()
            | self.chosen[4].val();
        self.tau_r.d.next = self.chosen_tau[0].val()
            | self.chosen_tau[1].val()
            | self.chosen_tau[2].val()
            | self.chosen_tau[3].val()
            | self.chosen_tau[4].val();
        self.whole_r.d.next = self.chosen_whole[0].val()
            | self.chosen_whole[1].val()
            | self.chosen_whole[2].val()
            | self.chosen_whole[3].val()
            | self.chosen_whole[4].val();
        self.none_r.d.next = !self.any.q.val();
        assign! {
            largest = largest_r, largest_tau = tau_r, largest_whole = whole_r, none = none_r
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};
    use std::collections::VecDeque;

    /// Utilisations that differ in one half only, or not at all, a set every clock: the first of the largest wins, with its `tau`.
    #[test]
    fn the_first_of_the_largest_wins() {
        let mut block: Box<Maximum> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(21);
        let mut expected = VecDeque::new();
        let mut ties = 0;
        for clock in 0..60_000u64 {
            // halves out of two values each, so that every pair is often equal in one of them
            let (high, low) = (
                [stimulus.uniform(26), stimulus.uniform(26)],
                [stimulus.uniform(25), stimulus.uniform(25)],
            );
            let nothing = stimulus.chance(0.05);
            let mut hops = [(0, 0, false); 5];
            for (i, hop) in hops.iter_mut().enumerate() {
                let halves = (high[stimulus.below(2) as usize], low[stimulus.below(2) as usize]);
                let value = if nothing || stimulus.chance(0.1) {
                    0
                } else {
                    halves.0 << 25 | halves.1
                };
                *hop = (value, stimulus.uniform(17), stimulus.chance(0.5));
                block.utilisation[i].next = U(hop.0);
                block.tau[i].next = U(hop.1);
                block.whole[i].next = hop.2;
            }
            let largest = hops.iter().map(|hop| hop.0).max().expect("five");
            ties += usize::from(hops.iter().filter(|hop| hop.0 == largest).count() > 1);
            let first = hops.iter().find(|hop| hop.0 == largest).expect("the largest");
            expected.push_back((first.0, first.1, first.2, largest == 0));
            step(block.as_mut(), |b| {
                if clock >= 4 {
                    let got = (
                        b.largest.val().0,
                        b.largest_tau.val().0,
                        b.largest_whole.val(),
                        b.none.val(),
                    );
                    assert_eq!(Some(got), expected.pop_front(), "clock {clock}");
                }
            });
        }
        assert!(ties > 1000, "{ties}");
    }
}
