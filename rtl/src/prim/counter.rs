//! Event counter that stops at its end: 32 bits, cleared by reset.

use super::uint::U;
use crate::emit::naming::named;
use rust_hdl::prelude::*;

/// Counts clocks in which `pulse` is high; stays at 2^32 - 1.
#[derive(LogicBlock, Default)]
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

impl Logic for SaturatingCounter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count_r);
        if self.pulse.val() & !self.count_r.q.val().all() {
            self.count_r.d.next = self.count_r.q.val() + 1;
        }
        if self.reset.val() {
            self.count_r.d.next = 0.into();
        }
        self.count.next = self.count_r.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}

crate::ports! { [] SaturatingCounter { in reset, pulse; out count } }
