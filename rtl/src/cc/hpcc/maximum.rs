//! Lines 6 and 7: the hop with the largest utilisation, the first one on ties, in three clocks.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 18 | inputs | five utilisations with their `tau` |
//! | 19 | `later_wins`, `any` | all ten comparisons at once: does a later hop exceed an earlier one |
//! | 20 | `wins` | one of five |
//! | 21 | outputs | selected |

use crate::emit::naming::named;
use crate::prim::delay::Delay;
use crate::prim::uint::{bits_u, U};
use rust_hdl::prelude::*;

/// Maximum over five hops.
#[derive(LogicBlock, Default)]
pub struct Maximum {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 18: utilisation of each hop.
    pub utilisation: [Signal<In, U<51>>; 5],
    /// Clock 18: `tau` of each hop.
    pub tau: [Signal<In, U<17>>; 5],
    /// Clock 18: `dts >= T`.
    pub whole: [Signal<In, Bit>; 5],
    /// Clock 21: largest utilisation.
    pub largest: Signal<Out, U<51>>,
    /// Clock 21: its `tau`.
    pub largest_tau: Signal<Out, U<17>>,
    /// Clock 21: its `dts >= T`.
    pub largest_whole: Signal<Out, Bit>,
    /// Clock 21: no hop had a utilisation above zero.
    pub none: Signal<Out, Bit>,
    later_wins: [DFF<Bit>; 10],
    nonzero: [DFF<Bit>; 5],
    any: DFF<Bit>,
    wins: [DFF<Bit>; 5],
    utilisation_20: [Delay<U<51>, 2>; 5],
    tau_20: [Delay<U<17>, 2>; 5],
    whole_20: [Delay<Bit, 2>; 5],
    chosen: [Signal<Local, U<51>>; 5],
    chosen_tau: [Signal<Local, U<17>>; 5],
    chosen_whole: [Signal<Local, Bit>; 5],
    largest_r: DFF<U<51>>,
    tau_r: DFF<U<17>>,
    whole_r: DFF<Bit>,
    none_r: DFF<Bit>,
}

impl Logic for Maximum {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, any, largest_r, tau_r, whole_r, none_r);
        for i in 0..10 {
            self.later_wins[i].clock.next = self.clock.val();
        }
        for i in 0..5 {
            self.nonzero[i].clock.next = self.clock.val();
            self.wins[i].clock.next = self.clock.val();
            self.utilisation_20[i].clock.next = self.clock.val();
            self.tau_20[i].clock.next = self.clock.val();
            self.whole_20[i].clock.next = self.clock.val();
            self.utilisation_20[i].d.next = self.utilisation[i].val();
            self.tau_20[i].d.next = self.tau[i].val();
            self.whole_20[i].d.next = self.whole[i].val();
            self.nonzero[i].d.next = self.utilisation[i].val().any();
        }
        // pairs (earlier, later): 01 02 03 04 12 13 14 23 24 34
        for i in 0..4 {
            self.later_wins[i].d.next = self.utilisation[i + 1].val() > self.utilisation[0].val();
        }
        for i in 0..3 {
            self.later_wins[i + 4].d.next = self.utilisation[i + 2].val() > self.utilisation[1].val();
        }
        for i in 0..2 {
            self.later_wins[i + 7].d.next = self.utilisation[i + 3].val() > self.utilisation[2].val();
        }
        self.later_wins[9].d.next = self.utilisation[4].val() > self.utilisation[3].val();

        self.any.d.next = self.nonzero[0].q.val()
            | self.nonzero[1].q.val()
            | self.nonzero[2].q.val()
            | self.nonzero[3].q.val()
            | self.nonzero[4].q.val();
        self.wins[0].d.next = !self.later_wins[0].q.val()
            & !self.later_wins[1].q.val()
            & !self.later_wins[2].q.val()
            & !self.later_wins[3].q.val();
        self.wins[1].d.next = self.later_wins[0].q.val()
            & !self.later_wins[4].q.val()
            & !self.later_wins[5].q.val()
            & !self.later_wins[6].q.val();
        self.wins[2].d.next = self.later_wins[1].q.val()
            & self.later_wins[4].q.val()
            & !self.later_wins[7].q.val()
            & !self.later_wins[8].q.val();
        self.wins[3].d.next = self.later_wins[2].q.val()
            & self.later_wins[5].q.val()
            & self.later_wins[7].q.val()
            & !self.later_wins[9].q.val();
        self.wins[4].d.next = self.later_wins[3].q.val()
            & self.later_wins[6].q.val()
            & self.later_wins[8].q.val()
            & self.later_wins[9].q.val();

        for i in 0..5 {
            self.chosen[i].next = bits_u::<51>(0);
            self.chosen_tau[i].next = bits_u::<17>(0);
            self.chosen_whole[i].next = self.wins[i].q.val() & self.whole_20[i].q.val();
            if self.wins[i].q.val() {
                self.chosen[i].next = self.utilisation_20[i].q.val();
                self.chosen_tau[i].next = self.tau_20[i].q.val();
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
        self.largest.next = self.largest_r.q.val();
        self.largest_tau.next = self.tau_r.q.val();
        self.largest_whole.next = self.whole_r.q.val();
        self.none.next = self.none_r.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}

crate::has_clock! { [] Maximum }
