//! Current of a hop over its base: what came, over the time in which it came, not below a floor.
//!
//! Clocks count from the inputs.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 0 | inputs | what came, the time, and the time of a unit | 24, 24 bits, UQ12.22 |
//! | 14 | `quotient` | what came times the time of a unit, over the time | UQ15.37 |
//! | 15 | `sum_15`, `below` | saturated; below the floor? | UQ14.37 |
//! | 16 | `lambda` | not below the floor | UQ14.37 |

use super::quotient::Quotient;
use crate::emit::naming::named_inside;
use crate::prim::delay::Delay;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Current, 16 clocks.
#[block]
pub struct Current {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 0: what came, in eighths of a unit.
    pub came: Signal<In, U<24>>,
    /// Clock 0: in which time, ns.
    pub elapsed: Signal<In, U<24>>,
    /// Clock 0: time of a unit over eta, UQ12.22 ns.
    pub unit_time: Signal<In, U<34>>,
    /// Register: smallest current, UQ11.37.
    pub floor: Signal<In, U<48>>,
    /// Clock 16: the current over eta, UQ14.37.
    pub lambda: Signal<Out, U<51>>,
    #[registers(U<51>:
        /// Clock 15: current, UQ14.37, saturated.
        sum_15,
        /// Clock 16: current, UQ14.37, not below the floor.
        lambda_r)]
    quotient: Quotient,
    aligned_13: Delay<U<51>, 4>,
    sum: Signal<Local, U<52>>,
    /// Clock 15: the current is below the floor.
    below: DFF<Bit>,
}

#[kernel]
impl Logic for Current {
    fn update(&mut self) {
        quotient.numerator = came;
        quotient.elapsed = elapsed;
        quotient.busy_time = unit_time;
        aligned_13 = quotient.aligned;
        quotient.addend = bit_cast_u::<56, 51>(aligned_13);
        sum = bit_cast_u::<52, 57>(quotient.sum);
        below = sum < bit_cast_u::<52, 48>(floor);
        sum_15 = if sum.get_bit(51) { bits_u::<51>(0x7ffffffffffffu64) } else { bit_cast_u::<51, 52>(sum) };
        lambda_r = if below { bit_cast_u::<51, 48>(floor) } else { sum_15 };
        lambda = lambda_r;
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
