//! `1 / c` as a fixed-point factor, so that the window's loop holds one multiplication and no shift.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 32 | input | utilisation over eta | UQ17.34 |
//! | 33 - 38 | `normalise` | mantissa and leading zeros | 24 bits |
//! | 39 - 43 | `reciprocal` | 1 / mantissa | 1.17 |
//! | 44, 45 | `moved` | shifted by the leading zeros, four distances a clock | UQ22.34 |
//! | 46 | `inverse` | last shift, cut, saturated (also for zero) | UQ22.29 |

use crate::prim::delay::Delay;
use crate::prim::normalise::Normalise51;
use crate::prim::reciprocal::ReciprocalMantissa;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::numbers::{InverseFineShift, InverseShift};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Reciprocal of a utilisation, 14 clocks.
#[block]
pub struct InverseUtilisation {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 32: utilisation over eta.
    pub utilisation: Signal<In, U<51>>,
    /// Clock 46: its reciprocal, UQ22.29.
    pub inverse: Signal<Out, U<51>>,
    /// Clock 46: the utilisation is at least eta (line 12).
    pub congested: Signal<Out, Bit>,
    normalise: Normalise51,
    reciprocal: ReciprocalMantissa,
    shift_43: Delay<InverseShift, 5>,
    huge_39: DFF<Bit>,
    huge_45: Delay<Bit, 6>,
    mantissa: Signal<Local, U<56>>,
    moved_44: DFF<U<56>>,
    shift_44: DFF<InverseFineShift>,
    moved_45: DFF<U<56>>,
    shift_45: DFF<U<2>>,
    last: Signal<Local, U<56>>,
    inverse_r: DFF<U<51>>,
    congested_33: DFF<Bit>,
    congested_46: Delay<Bit, 13>,
}

#[kernel]
impl Logic for InverseUtilisation {
    fn update(&mut self) {
        self.congested_33.d.next = self.utilisation.val() >= 0x4_0000_0000u64;
        self.congested_46.d.next = self.congested_33.q.val();
        self.congested.next = self.congested_46.q.val();
        self.normalise.n.next = self.utilisation.val();
        self.reciprocal.x.next = self.normalise.x.val();
        self.shift_43.d.next = bit_cast_word::<InverseShift, U<6>>(self.normalise.shift.val());
        self.huge_39.d.next = self.normalise.shift.val() >= 39;
        self.huge_45.d.next = self.huge_39.q.val();

        self.mantissa.next = bit_cast_u::<56, 17>(self.reciprocal.fraction.val()) | 0x20000;
        self.moved_44.d.next = self.mantissa.val();
        if self.shift_43.q.val().sixteen {
            self.moved_44.d.next = self.mantissa.val() << 16;
        }
        if self.shift_43.q.val().thirty_two {
            self.moved_44.d.next = self.mantissa.val() << 32;
        }
        self.shift_44.d.next = self.shift_43.q.val().fine;
        self.moved_45.d.next = self.moved_44.q.val();
        if self.shift_44.q.val().fours == 1 {
            self.moved_45.d.next = self.moved_44.q.val() << 4;
        }
        if self.shift_44.q.val().fours == 2 {
            self.moved_45.d.next = self.moved_44.q.val() << 8;
        }
        if self.shift_44.q.val().fours == 3 {
            self.moved_45.d.next = self.moved_44.q.val() << 12;
        }
        self.shift_45.d.next = self.shift_44.q.val().ones;
        self.last.next = self.moved_45.q.val() << self.shift_45.q.val();
        self.inverse_r.d.next = self.last.val().get_bits::<51>(5);
        if self.huge_45.q.val() {
            self.inverse_r.d.next = bits_u::<51>(0x7ffffffffffffu64);
        }
        self.inverse.next = self.inverse_r.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};
    use hpcc_models::fixed::arithmetic::inverse_utilisation;
    use std::collections::VecDeque;

    #[test]
    fn agrees_with_the_model_after_fourteen_clocks() {
        let mut block: Box<InverseUtilisation> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(2);
        let mut past = VecDeque::new();
        for clock in 0..60_000 {
            let c = stimulus.corner(51) >> stimulus.below(51);
            block.utilisation.next = U(c);
            past.push_back(c);
            let got = step(block.as_mut(), |b| (b.inverse.val().0, b.congested.val()));
            if clock >= 14 {
                let c = past.pop_front().expect("in flight");
                assert_eq!(got, (inverse_utilisation(c), c >> 34 != 0), "clock {clock}: c = {c:#x}");
            }
        }
    }
}
