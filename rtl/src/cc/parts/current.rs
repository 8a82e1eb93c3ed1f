//! Current of a hop over its base: what came, over the time in which it came, not below a floor.
//!
//! Clocks count from the inputs.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 0 | inputs | what came, the time, and the time of a unit | 24, 24 bits, UQ12.22 |
//! | 9 - 13 | `quotient` | what came times the time of a unit, over the time | UQ14.37 |
//! | 14, 15 | `sum`, `sum_15` | its two parts added, saturated; below the floor? | UQ14.37 |
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
    quotient: Quotient,
    aligned_13: Delay<U<51>, 4>,
    sum: DFF<U<52>>,
    below: DFF<Bit>,
    sum_15: DFF<U<51>>,
    lambda_r: DFF<U<51>>,
}

#[kernel]
impl Logic for Current {
    fn update(&mut self) {
        self.quotient.numerator.next = self.came.val();
        self.quotient.elapsed.next = self.elapsed.val();
        self.quotient.busy_time.next = self.unit_time.val();
        self.aligned_13.d.next = self.quotient.aligned.val();
        self.sum.d.next =
            bit_cast_u::<52, 51>(self.aligned_13.q.val()) + bit_cast_u::<52, 51>(self.quotient.extra.val());
        self.below.d.next = self.sum.q.val() < bit_cast_u::<52, 48>(self.floor.val());
        self.sum_15.d.next = bit_cast_u::<51, 52>(self.sum.q.val());
        if self.sum.q.val().get_bit(51) {
            self.sum_15.d.next = bits_u::<51>(0x7ffffffffffffu64);
        }
        self.lambda_r.d.next = self.sum_15.q.val();
        if self.below.q.val() {
            self.lambda_r.d.next = bit_cast_u::<51, 48>(self.floor.val());
        }
        self.lambda.next = self.lambda_r.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
