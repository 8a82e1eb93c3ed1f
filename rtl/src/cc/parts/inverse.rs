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
    #[registers(Bit:
        /// Clock 39: the utilisation is so small that its reciprocal saturates.
        huge_39,
        /// Clock 33: the utilisation is at least eta.
        congested_33)]
    #[signals(U<56>: mantissa, last)]
    #[registers(U<56>:
        /// Clock 44: reciprocal of the mantissa, shifted by a multiple of sixteen.
        moved_44,
        /// Clock 45: reciprocal of the mantissa, shifted by a multiple of four.
        moved_45)]
    normalise: Normalise51,
    reciprocal: ReciprocalMantissa,
    shift_43: Delay<InverseShift, 5>,
    huge_45: Delay<Bit, 6>,
    congested_46: Delay<Bit, 13>,
    /// Clock 44: places that are left to shift by, up to fifteen.
    shift_44: DFF<InverseFineShift>,
    /// Clock 45: places that are left to shift by, up to three.
    shift_45: DFF<U<2>>,
    /// Clock 46: reciprocal of the utilisation, UQ22.29, saturated.
    inverse_r: DFF<U<51>>,
}

#[kernel]
impl Logic for InverseUtilisation {
    fn update(&mut self) {
        congested_33 = utilisation >= 0x4_0000_0000u64;
        congested_46 = congested_33;
        congested = congested_46;
        normalise.n = utilisation;
        reciprocal.x = normalise.x;
        shift_43 = bit_cast_word::<InverseShift, U<6>>(normalise.shift);
        huge_39 = normalise.shift >= 39;
        huge_45 = huge_39;

        mantissa = bit_cast_u::<56, 17>(reciprocal.fraction) | 0x20000;
        moved_44 = if shift_43.sixteen { mantissa << 16 } else { mantissa };
        if shift_43.thirty_two {
            moved_44 = mantissa << 32;
        }
        shift_44 = shift_43.fine;
        moved_45 = if shift_44.fours == 1 { moved_44 << 4 } else { moved_44 };
        if shift_44.fours == 2 {
            moved_45 = moved_44 << 8;
        }
        if shift_44.fours == 3 {
            moved_45 = moved_44 << 12;
        }
        shift_45 = shift_44.ones;
        last = moved_45 << shift_45;
        inverse_r = if huge_45 { bits_u::<51>(0x7ffffffffffffu64) } else { last.get_bits::<51>(5) };
        inverse = inverse_r;
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
