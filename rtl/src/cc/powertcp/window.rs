//! Line 39: window, old window and the next one, a loop of six clocks around their RAM; then the rate.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 61 | inputs, `memory` | `gamma / power`; the flow's windows | UQ19.32, UQ23.11 |
//! | 62 - 65 | `first` | old window x `gamma / power` | UQ42.14 |
//! | 62 - 65 | `second` | present window (or the old one) x `1 - gamma` | UQ24.14 |
//! | 66 | `sum`, `over` | both, `gamma beta` and half a unit | UQ25.14 |
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
use crate::words::congestion::PowerWindows;
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
    memory: ForwardRam<PowerWindows, A>,
    flow_66: Delay<U<A>, 8>,
    first: MulPipe<51, 34, 56, 29>,
    second: MulPipe<34, 34, 38, 30>,
    rest: DFF<U<34>>,
    increase: DFF<U<39>>,
    kept_66: Delay<PowerWindows, 5>,
    sum: DFF<U<39>>,
    over: DFF<Bit>,
    rounded: Signal<Local, U<36>>,
    clamped: Signal<Local, U<34>>,
    updated: Signal<Local, PowerWindows>,
    window_67: DFF<U<34>>,
    window_71: Delay<U<34>, 4>,
    rate_mul: MulPipe<34, 34, 34, 27>,
}

#[kernel]
impl<const A: usize> Logic for PowerWindow<A> {
    fn update(&mut self) {
        self.memory.raddr.next = self.flow.val();
        self.flow_66.d.next = self.flow.val();
        self.kept_66.d.next = self.memory.rdata.val();
        self.first.a.next = self.factor.val();
        self.first.b.next = self.memory.rdata.val().old;
        self.rest.d.next = bits_u::<34>(0x2_0000_0000u64) - self.gamma.val();
        self.second.a.next = self.memory.rdata.val().current;
        if self.old_in_both.val() {
            self.second.a.next = self.memory.rdata.val().old;
        }
        self.second.b.next = self.rest.q.val();
        self.increase.d.next = bit_cast_u::<39, 37>(self.beta.val()) + 4;
        self.sum.d.next = bit_cast_u::<39, 37>(bit_cast_u::<37, 56>(self.first.p.val()))
            + bit_cast_u::<39, 38>(self.second.p.val())
            + self.increase.q.val();
        self.over.d.next = self.first.p.val().get_bits::<19>(37).any();

        self.rounded.next = self.sum.q.val().get_bits::<36>(3);
        self.clamped.next = bit_cast_u::<34, 36>(self.rounded.val());
        if self.rounded.val() < bit_cast_u::<36, 34>(self.w_min.val()) {
            self.clamped.next = self.w_min.val();
        }
        if self.over.q.val() | (self.rounded.val() > bit_cast_u::<36, 34>(self.w_init.val())) {
            self.clamped.next = self.w_init.val();
        }
        self.updated.next = self.kept_66.q.val();
        if self.windowed.val() {
            self.updated.next.current = self.clamped.val();
            if self.ends_round.val() {
                self.updated.next.stored = self.clamped.val();
                self.updated.next.old = self.kept_66.q.val().stored;
                if self.last_full.val() {
                    self.updated.next.old = self.clamped.val();
                }
            }
        }
        if self.create.val() {
            fields!(updated: current = w_init, old = w_init, stored = w_init);
        }
        inputs!(memory: we = valid, waddr = flow_66.q, wdata = updated);

        self.window_67.d.next = self.updated.val().current;
        self.window_71.d.next = self.window_67.q.val();
        inputs!(rate_mul: a = window_67, b = rate_per_window);
        self.window.next = self.window_71.q.val();
        self.rate.next = self.rate_mul.p.val();
    }
}
