//! The interpolated reciprocal of any 24-bit number: ten clocks, one result each clock.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 1 - 5 | `normalise` | mantissa with its top bit set, and the number of places it was moved |
//! | 6 - 10 | `core` | 1 / mantissa |
//! | 6 - 10 | `shift_10` | the places wait |
//!
//! Zero stays zero in the normalisation, with 31 places; the core saturates on it: every bit of the result is set.

use super::ReciprocalMantissa;
use crate::prim::delay::Delay;
use crate::prim::normalise::Normalise24;
use crate::prim::uint::{bit_cast_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// 1/n to 7.3e-6, ten clocks later.
#[block]
pub struct Reciprocal {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The number.
    pub n: Signal<In, U<24>>,
    /// Mantissa of 1/n, UQ1.17, top bit set.
    pub mantissa: Signal<Out, U<18>>,
    /// Exponent of 1/n plus 24; 31 only for n = 0.
    pub shift: Signal<Out, U<5>>,
    normalise: Normalise24,
    core: ReciprocalMantissa,
    shift_10: Delay<U<5>, 5>,
}

#[kernel]
impl Logic for Reciprocal {
    fn update(&mut self) {
        normalise.n = n;
        core.x = normalise.x;
        shift_10 = normalise.shift;
        mantissa = bit_cast_u::<18, 17>(core.fraction) | 0x20000;
        shift = shift_10;
    }
}

impl Reciprocal {
    /// Clocks from `n` to its reciprocal.
    pub const LATENCY: usize = 10;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};
    use hpcc_models::fixed::reciprocal::{Interpolated, Reciprocal as _};
    use std::collections::VecDeque;

    /// Small numbers, ends of octaves and random ones; the Verilated block is enumerated by the test bench.
    #[test]
    fn agrees_with_the_model_ten_clocks_later() {
        let mut block: Box<Reciprocal> = Box::default();
        init(block.as_mut()).expect("complete block");
        let (mut stimulus, mut past) = (Stimulus::new(4), VecDeque::new());
        for clock in 0..30_000 {
            let n = if clock < 5000 { clock } else { stimulus.corner(24) };
            block.n.next = U(n);
            past.push_back(n);
            let got = step(block.as_mut(), |b| (b.mantissa.val().0, b.shift.val().0));
            if past.len() > Reciprocal::LATENCY {
                let n = past.pop_front().expect("in flight");
                let inverse = Interpolated.reciprocal(n);
                assert_eq!(
                    got,
                    (u64::from(inverse.mantissa), u64::from(inverse.shift())),
                    "n = {n}"
                );
            }
        }
    }
}
