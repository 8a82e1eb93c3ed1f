//! What the old window is multiplied with in line 39, `gamma / power`, beside the loop around the windows.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 40 | input | smoothed power over eta | UQ20.31 |
//! | 41, 42 | `below`, `floored` | not below the smallest | UQ20.31 |
//! | 56 | `inverse` | 1 / power | UQ19.32 |
//! | 60 | `product` | times `gamma`, one bit more than the result | UQ19.33 |
//! | 61 | `factor` | rounded to nearest | UQ19.32 |

use crate::cc::parts::inverse::InverseUtilisation;
use crate::emit::naming::named_inside;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// `gamma / power`, 21 clocks.
#[block]
pub struct WeightedInverse {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 40: smoothed power over eta.
    pub power: Signal<In, U<51>>,
    /// Register: smallest power, UQ17.31.
    pub smallest: Signal<In, U<48>>,
    /// Register: `gamma`, UQ1.33.
    pub gamma: Signal<In, U<34>>,
    /// Clock 61: `gamma / power`, UQ19.32.
    pub factor: Signal<Out, U<51>>,
    #[registers(U<51>:
        /// Clock 41: smoothed power over eta.
        power_41,
        /// Clock 42: power over eta, not below the smallest.
        floored,
        /// Clock 61: `gamma / power`, UQ19.32.
        factor_r)]
    inverse: InverseUtilisation,
    product: MulPipe<51, 34, 52, 32>,
    /// Clock 41: the power is below the smallest.
    below: DFF<Bit>,
    rounded: Signal<Local, U<52>>,
}

#[kernel]
impl Logic for WeightedInverse {
    fn update(&mut self) {
        below = power < bit_cast_u::<51, 48>(smallest);
        assign!(power_41.d = power, floored.d = power_41);
        if below {
            floored = bit_cast_u::<51, 48>(smallest);
        }
        inverse.utilisation = floored;
        inputs!(product: a = inverse.inverse, b = gamma);
        rounded = product.p + 1;
        factor_r = rounded.get_bits::<51>(1);
        factor = factor_r;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};
    use hpcc_models::fixed::powertcp::arithmetic::weighted_inverse;
    use std::collections::VecDeque;

    #[test]
    fn agrees_with_the_model_after_twenty_one_clocks() {
        let mut block: Box<WeightedInverse> = Box::default();
        init(block.as_mut()).expect("complete block");
        for (gamma, smallest) in [(1 << 33, 0), (7_730_941_133, 1 << 26), (1, 1 << 47), (1 << 32, 5)] {
            let mut stimulus = Stimulus::new(gamma);
            let mut past = VecDeque::new();
            block.gamma.next = U(gamma);
            block.smallest.next = U(smallest);
            for clock in 0..10_000 {
                let power = stimulus.corner(51) >> stimulus.below(51);
                block.power.next = U(power);
                past.push_back(power);
                let got = step(block.as_mut(), |b| b.factor.val().0);
                if clock >= 21 {
                    let power = past.pop_front().expect("in flight").max(smallest);
                    assert_eq!(got, weighted_inverse(power, gamma), "clock {clock}: power {power:#x}");
                }
            }
        }
    }
}
