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
    #[signals(U<34>: reference, clamped, new_window, new_reference)]
    #[signals(U<8>: stage, new_stage)]
    #[registers(Bit:
        /// Clock 47: line 12 of Algorithm 1: the window is scaled, not only raised.
        multiplicative,
        /// Clock 51: the scaled window lies beyond all that the format holds.
        over,
        /// Clock 51: the scaled window is larger than the largest one.
        scaled_high,
        /// Clock 51: the scaled window is smaller than the smallest one.
        scaled_low,
        /// Clock 51: the raised reference window is larger than the largest one.
        reference_high,
        /// Clock 51: the raised reference window is smaller than the smallest one.
        reference_low,
        /// Clock 51: as `multiplicative`.
        multiplicative_51)]
    #[registers(U<8>:
        /// Clock 47: increase stage of the flow.
        stage_47,
        /// Clock 48: increase stage after the event, saturated at 255; 0 if the window is scaled.
        stage_48)]
    #[signals(U<37>: base, fine_reference)]
    #[registers(U<37>:
        /// Clock 51: new window with half a unit for rounding, UQ23.14.
        sum,
        /// `W_AI`, UQ23.14: what the window grows by additively.
        w_ai_r,
        /// Largest scaled window that stays below `W_init` with `W_AI` added, UQ23.14.
        high_limit,
        /// Smallest scaled window that stays above `W_min` with `W_AI` added, UQ23.14.
        low_limit)]
    #[signals(Bit: high, low)]
    memory: ForwardRam<HpccWindow, A>,
    flow_51: Delay<U<A>, 8>,
    multiplicative_50: Delay<Bit, 3>,
    stage_51: Delay<U<8>, 3>,
    scaled: MulPipe<51, 34, 59, 26>,
    reference_50: Delay<U<34>, 4>,
    kept_51: Delay<HpccWindow, 5>,
    window_56: Delay<U<34>, 4>,
    rate_mul: MulPipe<34, 34, 34, 27>,
    scaled_window: Signal<Local, ScaledWindow>,
    /// Clock 52: window after the event, UQ23.11 bytes.
    window_52: DFF<U<34>>,
}

#[kernel]
impl<const A: usize> Logic for WindowUpdate<A> {
    fn update(&mut self) {
        memory.raddr = flow;
        flow_51 = flow;
        reference = memory.rdata.val().reference_window;
        stage = memory.rdata.val().stage;
        kept_51 = memory.rdata;
        multiplicative = congested | (stage >= max_stage);
        multiplicative_50 = multiplicative;
        stage_47 = stage;
        stage_48 = if stage_47.all() { stage_47 } else { stage_47 + 1 };
        if multiplicative {
            stage_48 = bits_u::<8>(0);
        }
        stage_51 = stage_48;
        inputs!(scaled: a = inverse, b = reference);
        reference_50 = reference;
        // three guard bits: W > W_init after rounding is base > 8 W_init + 7 - (W_AI + 4), W < W_min is base < 8 W_min - (W_AI + 4)
        w_ai_r = w_ai + 4;
        high_limit = ((bit_cast_u::<37, 34>(w_init) << 3) | 7) - w_ai_r;
        low_limit = bits_u::<37>(0);
        if (bit_cast_u::<37, 34>(w_min) << 3) > w_ai_r {
            low_limit = (bit_cast_u::<37, 34>(w_min) << 3) - w_ai_r;
        }
        fine_reference = bit_cast_u::<37, 34>(reference_50) << 3;
        reference_high = fine_reference > high_limit;
        reference_low = fine_reference < low_limit;
        scaled_window = bit_cast_word::<ScaledWindow, U<59>>(scaled.p);
        scaled_high = scaled_window.window > high_limit;
        scaled_low = scaled_window.window < low_limit;
        over = scaled_window.over.any();
        assign!(multiplicative_51.d = multiplicative_50.q, base = fine_reference);
        if multiplicative_50 {
            base = scaled_window.window;
        }
        sum = base + w_ai_r;

        high = reference_high;
        low = reference_low;
        if multiplicative_51 {
            high = over | scaled_high;
            low = scaled_low;
        }
        clamped = if low { w_min } else { sum.get_bits::<34>(3) };
        if high {
            clamped = w_init;
        }
        new_window = kept_51.window;
        new_reference = kept_51.reference_window;
        new_stage = kept_51.stage;
        if measured {
            new_window = clamped;
            if update_reference {
                new_reference = clamped;
                new_stage = stage_51;
            }
        }
        if create {
            assign!(new_window = w_init, new_reference = w_init);
            new_stage = bits_u::<8>(0);
        }
        inputs!(memory: we = valid, waddr = flow_51.q);
        memory.wdata.next.reference_window = new_reference;
        memory.wdata.next.window = new_window;
        memory.wdata.next.stage = new_stage;

        window_52 = new_window;
        window_56 = window_52;
        inputs!(rate_mul: a = window_52, b = rate_per_window);
        window = window_56;
        rate = rate_mul.p;
    }
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
