//! The time between two stamps against the base round-trip time, for the moving average.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | inputs | time between the stamps |
//! | 1 | `whole_1`, `tau_1` | at least a round trip; shifted by 4 as the base is |
//! | 2 | outputs | shifted by the rest |

use crate::emit::naming::named_inside;
use crate::prim::uint::{bit_cast_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Normalises a time like the base round-trip time, two clocks.
#[block]
pub struct Interval {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 0: time between the stamps, ns.
    pub elapsed: Signal<In, U<24>>,
    /// Register: `T`.
    pub base_rtt: Signal<In, U<17>>,
    /// Register: shift that normalises `T`.
    pub base_rtt_shift: Signal<In, U<3>>,
    /// Clock 2: the time shifted like `T`, meaningful below `T`.
    pub tau: Signal<Out, U<17>>,
    /// Clock 2: the time is `T` or more.
    pub whole: Signal<Out, Bit>,
    #[registers(Bit:
        /// The time is the base round-trip time or more, in the clock of the name.
        whole_1, whole_2)]
    /// Clock 1: the time, shifted by four if the base is.
    tau_1: DFF<U<17>>,
    /// Clock 2: the time, shifted as the base is.
    tau_2: DFF<U<17>>,
}

#[kernel]
impl Logic for Interval {
    fn update(&mut self) {
        whole_1 = elapsed >= bit_cast_u::<24, 17>(base_rtt);
        whole_2 = whole_1;
        whole = whole_2;
        tau_1 = if base_rtt_shift.get_bit(2) { elapsed.get_bits::<17>(0) << 4 } else { elapsed.get_bits::<17>(0) };
        tau_2 = tau_1 << base_rtt_shift.get_bits::<2>(0);
        tau = tau_2;
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
