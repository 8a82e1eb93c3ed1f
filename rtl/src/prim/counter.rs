//! Event counter that stops at its end: 32 bits, cleared by reset.

use super::uint::U;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Counts clocks in which `pulse` is high; stays at 2^32 - 1.
#[block]
pub struct SaturatingCounter {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: back to zero.
    pub reset: Signal<In, Bit>,
    /// Count this clock.
    pub pulse: Signal<In, Bit>,
    /// Pulses so far, one clock late.
    pub count: Signal<Out, U<32>>,
    count_r: DFF<U<32>>,
}

#[kernel]
impl Logic for SaturatingCounter {
    fn update(&mut self) {
        if pulse & !count_r.all() {
            count_r = count_r + 1;
        }
        reset!(count_r);
        count = count_r;
    }
}
