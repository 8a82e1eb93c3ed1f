//! Lines 11 to 20: window, reference window and stage, a loop of six clocks around their RAM; then the rate.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 46 | inputs, `memory` | `1 / c`; the flow's `W`, `Wc`, `incStage` | UQ22.29, UQ23.11, 8 bits |
//! | 47 | `multiplicative` | line 12 | |
//! | 48 | `stage_48` | lines 15 and 19, saturating | 8 bits |
//! | 47 - 50 | `scaled` | `Wc / c` | UQ45.14 |
//! | 51 | `sum`, `over`, `*_high`, `*_low` | `+ W_AI` and half a unit; how each branch stands to the clamp | UQ23.14 |
//! | (51) | `clamped` | clamp to `[W_min, W_init]`: written back and forwarded | UQ23.11 |
//! | 52 | `window_52` | `W` | UQ23.11 |
//! | 53 - 56 | `rate_mul` | `W / T_W` | UQ7.27 |

use crate::prim::delay::Delay;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::congestion::HpccWindow;
use crate::words::congestion::ScaledWindow;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Windows of 2^`A` flows.
#[block]
pub struct WindowUpdate<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 43: flow.
    pub flow: Signal<In, U<A>>,
    /// Clock 46: reciprocal of the utilisation over eta.
    pub inverse: Signal<In, U<51>>,
    /// Clock 46: `U >= eta`.
    pub congested: Signal<In, Bit>,
    /// Clock 51: the slot holds a live event or a creation.
    pub valid: Signal<In, Bit>,
    /// Clock 51: the flow starts.
    pub create: Signal<In, Bit>,
    /// Clock 51: Algorithm 1 applies.
    pub measured: Signal<In, Bit>,
    /// Clock 51: `ack.seq > lastUpdateSeq`.
    pub update_reference: Signal<In, Bit>,
    /// Register: `maxStage`.
    pub max_stage: Signal<In, U<8>>,
    /// Register: `W_init`.
    pub w_init: Signal<In, U<34>>,
    /// Register: `W_min`.
    pub w_min: Signal<In, U<34>>,
    /// Register: `W_AI`, UQ23.14.
    pub w_ai: Signal<In, U<37>>,
    /// Register: `1 / T_W`.
    pub rate_per_window: Signal<In, U<34>>,
    /// Clock 56: window.
    pub window: Signal<Out, U<34>>,
    /// Clock 56: rate.
    pub rate: Signal<Out, U<34>>,
    memory: ForwardRam<HpccWindow, A>,
    flow_51: Delay<U<A>, 8>,
    reference: Signal<Local, U<34>>,
    stage: Signal<Local, U<8>>,
    multiplicative: DFF<Bit>,
    multiplicative_50: Delay<Bit, 3>,
    stage_47: DFF<U<8>>,
    stage_48: DFF<U<8>>,
    stage_51: Delay<U<8>, 3>,
    scaled: MulPipe<51, 34, 59, 26>,
    scaled_window: Signal<Local, ScaledWindow>,
    reference_50: Delay<U<34>, 4>,
    kept_51: Delay<HpccWindow, 5>,
    base: Signal<Local, U<37>>,
    sum: DFF<U<37>>,
    over: DFF<Bit>,
    scaled_high: DFF<Bit>,
    scaled_low: DFF<Bit>,
    reference_high: DFF<Bit>,
    reference_low: DFF<Bit>,
    multiplicative_51: DFF<Bit>,
    w_ai_r: DFF<U<37>>,
    high_limit: DFF<U<37>>,
    low_limit: DFF<U<37>>,
    fine_reference: Signal<Local, U<37>>,
    high: Signal<Local, Bit>,
    low: Signal<Local, Bit>,
    clamped: Signal<Local, U<34>>,
    new_window: Signal<Local, U<34>>,
    new_reference: Signal<Local, U<34>>,
    new_stage: Signal<Local, U<8>>,
    window_52: DFF<U<34>>,
    window_56: Delay<U<34>, 4>,
    rate_mul: MulPipe<34, 34, 34, 27>,
}

#[kernel]
impl<const A: usize> Logic for WindowUpdate<A> {
    fn update(&mut self) {
        self.memory.raddr.next = self.flow.val();
        self.flow_51.d.next = self.flow.val();
        self.reference.next = self.memory.rdata.val().reference_window;
        self.stage.next = self.memory.rdata.val().stage;
        self.kept_51.d.next = self.memory.rdata.val();
        self.multiplicative.d.next = self.congested.val() | (self.stage.val() >= self.max_stage.val());
        self.multiplicative_50.d.next = self.multiplicative.q.val();
        self.stage_47.d.next = self.stage.val();
        self.stage_48.d.next = self.stage_47.q.val() + 1;
        if self.stage_47.q.val().all() {
            self.stage_48.d.next = self.stage_47.q.val();
        }
        if self.multiplicative.q.val() {
            self.stage_48.d.next = bits_u::<8>(0);
        }
        self.stage_51.d.next = self.stage_48.q.val();
        inputs!(scaled: a = inverse, b = reference);
        self.reference_50.d.next = self.reference.val();
        // three guard bits: W > W_init after rounding is base > 8 W_init + 7 - (W_AI + 4), W < W_min is base < 8 W_min - (W_AI + 4)
        self.w_ai_r.d.next = self.w_ai.val() + 4;
        self.high_limit.d.next = ((bit_cast_u::<37, 34>(self.w_init.val()) << 3) | 7) - self.w_ai_r.q.val();
        self.low_limit.d.next = bits_u::<37>(0);
        if (bit_cast_u::<37, 34>(self.w_min.val()) << 3) > self.w_ai_r.q.val() {
            self.low_limit.d.next = (bit_cast_u::<37, 34>(self.w_min.val()) << 3) - self.w_ai_r.q.val();
        }
        self.fine_reference.next = bit_cast_u::<37, 34>(self.reference_50.q.val()) << 3;
        self.reference_high.d.next = self.fine_reference.val() > self.high_limit.q.val();
        self.reference_low.d.next = self.fine_reference.val() < self.low_limit.q.val();
        self.scaled_window.next = bit_cast_word::<ScaledWindow, U<59>>(self.scaled.p.val());
        self.scaled_high.d.next = self.scaled_window.val().window > self.high_limit.q.val();
        self.scaled_low.d.next = self.scaled_window.val().window < self.low_limit.q.val();
        self.over.d.next = self.scaled_window.val().over.any();
        assign!(multiplicative_51.d = multiplicative_50.q, base = fine_reference);
        if self.multiplicative_50.q.val() {
            self.base.next = self.scaled_window.val().window;
        }
        self.sum.d.next = self.base.val() + self.w_ai_r.q.val();

        self.high.next = self.reference_high.q.val();
        self.low.next = self.reference_low.q.val();
        if self.multiplicative_51.q.val() {
            self.high.next = self.over.q.val() | self.scaled_high.q.val();
            self.low.next = self.scaled_low.q.val();
        }
        self.clamped.next = self.sum.q.val().get_bits::<34>(3);
        if self.low.val() {
            self.clamped.next = self.w_min.val();
        }
        if self.high.val() {
            self.clamped.next = self.w_init.val();
        }
        self.new_window.next = self.kept_51.q.val().window;
        self.new_reference.next = self.kept_51.q.val().reference_window;
        self.new_stage.next = self.kept_51.q.val().stage;
        if self.measured.val() {
            self.new_window.next = self.clamped.val();
            if self.update_reference.val() {
                self.new_reference.next = self.clamped.val();
                self.new_stage.next = self.stage_51.q.val();
            }
        }
        if self.create.val() {
            assign!(new_window = w_init, new_reference = w_init);
            self.new_stage.next = bits_u::<8>(0);
        }
        inputs!(memory: we = valid, waddr = flow_51.q);
        self.memory.wdata.next.reference_window = self.new_reference.val();
        self.memory.wdata.next.window = self.new_window.val();
        self.memory.wdata.next.stage = self.new_stage.val();

        self.window_52.d.next = self.new_window.val();
        self.window_56.d.next = self.window_52.q.val();
        inputs!(rate_mul: a = window_52, b = rate_per_window);
        self.window.next = self.window_56.q.val();
        self.rate.next = self.rate_mul.p.val();
    }
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
