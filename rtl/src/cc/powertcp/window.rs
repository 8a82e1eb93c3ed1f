//! Line 39: window, old window and the next one, a loop of six clocks around their RAM; then the rate.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 61 | inputs, `memory` | `gamma / power`; the flow's windows | UQ19.32, UQ23.11 |
//! | 62 - 65 | `first` | old window x `gamma / power` | UQ42.14 |
//! | 62 - 65 | `second` | present window (or the old one) x `1 - gamma` | UQ24.14 |
//! | 66 | `sum`, `over`, `under`, `past` | both, `gamma beta` and half a unit; on which side of `W_min` and of `W_init` that is | UQ25.14 |
//! | (66) | `clamped` | clamp to `[W_min, W_init]`: written back and forwarded | UQ23.11 |
//! | 67 | `window_67` | window | UQ23.11 |
//! | 68 - 71 | `rate_mul` | window / `tau` | UQ7.27 |
//!
//! A flow may come back after six clocks because both terms of the sum are products of the state with something known before:
//! nothing else is inside the loop.

use crate::prim::delay::Delay;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::congestion::{PowerWindows, WindowSide};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Windows of 2^`A` flows.
#[block]
pub struct PowerWindow<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 58: flow.
    pub flow: Signal<In, U<A>>,
    /// Clock 61: `gamma / power`.
    pub factor: Signal<In, U<51>>,
    /// Clock 66: the slot holds a live event or a creation.
    pub valid: Signal<In, Bit>,
    /// Clock 66: the flow starts.
    pub create: Signal<In, Bit>,
    /// Clock 66: line 39 applies.
    pub windowed: Signal<In, Bit>,
    /// Clock 66: the acknowledgement ends a round trip.
    pub ends_round: Signal<In, Bit>,
    /// Register: both terms use the old window.
    pub old_in_both: Signal<In, Bit>,
    /// Register: the old window is that of the last full update.
    pub last_full: Signal<In, Bit>,
    /// Register: `W_init`.
    pub w_init: Signal<In, U<34>>,
    /// Register: `W_min`.
    pub w_min: Signal<In, U<34>>,
    /// Register: `gamma beta`, UQ23.14.
    pub beta: Signal<In, U<37>>,
    /// Register: `gamma`, UQ1.33.
    pub gamma: Signal<In, U<34>>,
    /// Register: `1 / tau`.
    pub rate_per_window: Signal<In, U<34>>,
    /// Clock 71: window.
    pub window: Signal<Out, U<34>>,
    /// Clock 71: rate.
    pub rate: Signal<Out, U<34>>,
    #[registers(U<34>:
        /// Clock 62: 1 less `gamma`, UQ1.33.
        rest,
        /// Clock 67: window after the event, UQ23.11 bytes.
        window_67)]
    #[registers(U<39>:
        /// What is added to the window, with half a unit for rounding.
        increase,
        /// Clock 66: new window before it is clamped.
        sum)]
    #[registers(U<41>:
        /// What is added, less the smallest window.
        above_min,
        /// What is added, less the largest window.
        above_init,
        /// What is added, less half a unit.
        short_increase)]
    #[registers(Bit:
        /// Clock 66: the new window lies beyond all that the format holds.
        over,
        /// Clock 66: the new window is smaller than the smallest one.
        under,
        /// Clock 66: the new window is larger than the largest one.
        past)]
    #[signals(U<41>: both)]
    #[signals(WindowSide: min_side, init_side)]
    memory: ForwardRam<PowerWindows, A>,
    flow_66: Delay<U<A>, 8>,
    first: MulPipe<51, 34, 56, 29>,
    second: MulPipe<34, 34, 38, 30>,
    kept_66: Delay<PowerWindows, 5>,
    window_71: Delay<U<34>, 4>,
    rate_mul: MulPipe<34, 34, 34, 27>,
    rounded: Signal<Local, U<36>>,
    clamped: Signal<Local, U<34>>,
    updated: Signal<Local, PowerWindows>,
}

#[kernel]
impl<const A: usize> Logic for PowerWindow<A> {
    fn update(&mut self) {
        memory.raddr = flow;
        flow_66 = flow;
        kept_66 = memory.rdata;
        first.a = factor;
        first.b = memory.rdata.val().old;
        rest = bits_u::<34>(0x2_0000_0000u64) - gamma;
        second.a = if old_in_both { memory.rdata.val().old } else { memory.rdata.val().current };
        second.b = rest;
        increase = bit_cast_u::<39, 37>(beta) + 4;
        sum = bit_cast_u::<39, 37>(bit_cast_u::<37, 56>(first.p)) + bit_cast_u::<39, 38>(second.p) + increase;
        over = first.p.get_bits::<19>(37).any();
        // the same less each bound: the comparison is done when the sum is. Above `W_init` is what exceeds it by a unit, which is 8 here
        above_min = bit_cast_u::<41, 39>(increase) - (bit_cast_u::<41, 34>(w_min) << 3);
        short_increase = bit_cast_u::<41, 37>(beta) - 4;
        above_init = short_increase - (bit_cast_u::<41, 34>(w_init) << 3);
        both = bit_cast_u::<41, 37>(bit_cast_u::<37, 56>(first.p)) + bit_cast_u::<41, 38>(second.p);
        min_side = bit_cast_word::<WindowSide, U<41>>(both + above_min);
        init_side = bit_cast_word::<WindowSide, U<41>>(both + above_init);
        under = min_side.below;
        past = !init_side.below;

        rounded = sum.get_bits::<36>(3);
        clamped = if under { w_min } else { bit_cast_u::<34, 36>(rounded) };
        if over | past {
            clamped = w_init;
        }
        updated = kept_66;
        if windowed {
            updated.current = clamped;
            if ends_round {
                updated.stored = clamped;
                updated.old = if last_full { clamped } else { kept_66.stored };
            }
        }
        if create {
            fields!(updated: current = w_init, old = w_init, stored = w_init);
        }
        inputs!(memory: we = valid, waddr = flow_66.q, wdata = updated);

        window_67 = updated.current;
        window_71 = window_67;
        inputs!(rate_mul: a = window_67, b = rate_per_window);
        window = window_71;
        rate = rate_mul.p;
    }
}
