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
    #[registers(Bit:
        /// Clock 21: a hop has a utilisation above zero.
        any,
        /// Clock 22: the interval of the hop chosen is the base round-trip time or longer.
        whole_r,
        /// Clock 22: no hop has a utilisation above zero.
        none_r)]
    /// Clock 19: utilisation of each hop, in an upper and a lower half.
    utilisation_19: [DFF<UtilisationHalves>; 5],
    number_19: [Signal<Local, U<51>>; 5],
    /// Clock 20: of each pair of hops, the later one has the larger upper half.
    above: [DFF<Bit>; 10],
    /// Clock 20: of each pair of hops, the upper halves are equal.
    equal: [DFF<Bit>; 10],
    /// Clock 20: of each pair of hops, the later one has the larger lower half.
    below: [DFF<Bit>; 10],
    later_wins: [Signal<Local, Bit>; 10],
    /// Clock 20: the hop has a utilisation above zero.
    nonzero: [DFF<Bit>; 5],
    /// Clock 21: the hop has the largest utilisation; of equal ones the first.
    wins: [DFF<Bit>; 5],
    utilisation_21: [Delay<U<51>, 2>; 5],
    tau_21: [Delay<U<17>, 3>; 5],
    whole_21: [Delay<Bit, 3>; 5],
    chosen: [Signal<Local, U<51>>; 5],
    chosen_tau: [Signal<Local, U<17>>; 5],
    chosen_whole: [Signal<Local, Bit>; 5],
    /// Clock 22: largest utilisation, UQ17.34.
    largest_r: DFF<U<51>>,
    /// Clock 22: interval of that hop, shifted like the base round-trip time.
    tau_r: DFF<U<17>>,
}

#[kernel]
impl Logic for Maximum {
    fn update(&mut self) {
        for i in 0..10 {
            // a later hop wins where its upper half is larger, or equal and its lower half larger
            later_wins[i] = above[i] | (equal[i] & below[i]);
        }
        utilisation_19[0] = bit_cast_word::<UtilisationHalves, U<51>>(utilisation[0]);
        number_19[0] = bit_cast_number::<51, UtilisationHalves>(utilisation_19[0]);
        utilisation_19[1] = bit_cast_word::<UtilisationHalves, U<51>>(utilisation[1]);
        number_19[1] = bit_cast_number::<51, UtilisationHalves>(utilisation_19[1]);
        utilisation_19[2] = bit_cast_word::<UtilisationHalves, U<51>>(utilisation[2]);
        number_19[2] = bit_cast_number::<51, UtilisationHalves>(utilisation_19[2]);
        utilisation_19[3] = bit_cast_word::<UtilisationHalves, U<51>>(utilisation[3]);
        number_19[3] = bit_cast_number::<51, UtilisationHalves>(utilisation_19[3]);
        utilisation_19[4] = bit_cast_word::<UtilisationHalves, U<51>>(utilisation[4]);
        number_19[4] = bit_cast_number::<51, UtilisationHalves>(utilisation_19[4]);
        for i in 0..5 {
            utilisation_21[i] = number_19[i];
            tau_21[i] = tau[i];
            whole_21[i] = whole[i];
            nonzero[i] = number_19[i].any();
        }
        // pairs (earlier, later): 01 02 03 04 12 13 14 23 24 34
        for i in 0..4 {
            above[i] = (utilisation_19[i + 1]).upper > utilisation_19[0].upper;
            equal[i] = (utilisation_19[i + 1]).upper == utilisation_19[0].upper;
            below[i] = (utilisation_19[i + 1]).lower > utilisation_19[0].lower;
        }
        for i in 0..3 {
            above[i + 4] = (utilisation_19[i + 2]).upper > utilisation_19[1].upper;
            equal[i + 4] = (utilisation_19[i + 2]).upper == utilisation_19[1].upper;
            below[i + 4] = (utilisation_19[i + 2]).lower > utilisation_19[1].lower;
        }
        for i in 0..2 {
            above[i + 7] = (utilisation_19[i + 3]).upper > utilisation_19[2].upper;
            equal[i + 7] = (utilisation_19[i + 3]).upper == utilisation_19[2].upper;
            below[i + 7] = (utilisation_19[i + 3]).lower > utilisation_19[2].lower;
        }
        above[9] = utilisation_19[4].upper > utilisation_19[3].upper;
        equal[9] = utilisation_19[4].upper == utilisation_19[3].upper;
        below[9] = utilisation_19[4].lower > utilisation_19[3].lower;

        any = nonzero[0] | nonzero[1] | nonzero[2] | nonzero[3] | nonzero[4];
        wins[0] = !later_wins[0] & !later_wins[1] & !later_wins[2] & !later_wins[3];
        wins[1] = later_wins[0] & !later_wins[4] & !later_wins[5] & !later_wins[6];
        wins[2] = later_wins[1] & later_wins[4] & !later_wins[7] & !later_wins[8];
        wins[3] = later_wins[2] & later_wins[5] & later_wins[7] & !later_wins[9];
        wins[4] = later_wins[3] & later_wins[6] & later_wins[8] & later_wins[9];

        for i in 0..5 {
            chosen[i] = bits_u::<51>(0);
            chosen_tau[i] = bits_u::<17>(0);
            chosen_whole[i] = wins[i] & whole_21[i];
            if wins[i] {
                chosen[i] = utilisation_21[i];
                chosen_tau[i] = tau_21[i];
            }
        }
        largest_r = chosen[0] | chosen[1] | chosen[2] | chosen[3] | chosen[4];
        tau_r = chosen_tau[0] | chosen_tau[1] | chosen_tau[2] | chosen_tau[3] | chosen_tau[4];
        whole_r = chosen_whole[0] | chosen_whole[1] | chosen_whole[2] | chosen_whole[3] | chosen_whole[4];
        none_r = !any;
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
                let value = if nothing || stimulus.chance(0.1) { 0 } else { halves.0 << 25 | halves.1 };
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
