//! Lines 8 and 9: the moving average of the utilisation, a loop of six clocks around its RAM.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 22 | inputs | the most congested hop | UQ17.34, 17 bits |
//! | 23 - 25 | `weight` | `w = tau / T` | UQ0.34 |
//! | 26 | `rest` | `1 - w` | UQ0.34 |
//! | 26 - 29 | `fresh` | `w` x hop | UQ17.47 |
//! | 30 | `fresh_30` | plus half a unit of the result | UQ17.47 |
//! | 23 - 26 | `memory` | the flow's average | UQ17.34 |
//! | 27 - 30 | `old` | `(1 - w)` x average | UQ17.47 |
//! | 31 | `sum` | both, cut | UQ17.34 |
//! | (31) | `next` | sum, hop alone, start value or unchanged: written back and forwarded | |
//! | 32 | `utilisation` | the flow's new average | UQ17.34 |
//!
//! Everything that does not depend on the average is computed beside the loop, so that a flow may come back after six
//! clocks: only one multiplication, one addition and one selection are inside.

use crate::prim::delay::Delay;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Moving average of 2^`A` flows.
#[block]
pub struct Average<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 22: largest utilisation.
    pub largest: Signal<In, U<51>>,
    /// Clock 22: its `tau`, normalised like `T`.
    pub tau: Signal<In, U<17>>,
    /// Clock 22: `tau >= T`.
    pub whole: Signal<In, Bit>,
    /// Clock 22: no hop counted.
    pub none: Signal<In, Bit>,
    /// Clock 23: flow.
    pub flow: Signal<In, U<A>>,
    /// Clock 31: the slot holds a live event or a creation.
    pub valid: Signal<In, Bit>,
    /// Clock 31: start value wanted (creation or another path).
    pub restart: Signal<In, Bit>,
    /// Clock 31: Algorithm 1 applies.
    pub measured: Signal<In, Bit>,
    /// Register: `2^50 / T`.
    pub inverse_base_rtt: Signal<In, U<34>>,
    /// Register: start value.
    pub c_init: Signal<In, U<48>>,
    /// Clock 32: the average after this event.
    pub utilisation: Signal<Out, U<51>>,
    weight: MulPipe<17, 34, 34, 16>,
    largest_25: Delay<U<51>, 3>,
    fresh: MulPipe<51, 34, 64, 21>,
    fresh_30: DFF<U<64>>,
    rest: DFF<U<34>>,
    memory: ForwardRam<U<51>, A>,
    old: MulPipe<51, 34, 64, 21>,
    added: Signal<Local, U<64>>,
    sum: DFF<U<51>>,
    largest_31: Delay<U<51>, 6>,
    unchanged_31: Delay<U<51>, 5>,
    whole_31: Delay<Bit, 9>,
    none_31: Delay<Bit, 9>,
    flow_31: Delay<U<A>, 8>,
    next: Signal<Local, U<51>>,
    result: DFF<U<51>>,
}

#[kernel]
impl<const A: usize> Logic for Average<A> {
    fn update(&mut self) {
        inputs!(weight: a = tau, b = inverse_base_rtt);
        self.largest_25.d.next = self.largest.val();
        inputs!(fresh: a = largest_25.q, b = weight.p);
        self.fresh_30.d.next = self.fresh.p.val() + 0x1000;
        self.rest.d.next = bits_u::<34>(0) - self.weight.p.val();
        self.memory.raddr.next = self.flow.val();
        inputs!(old: a = memory.rdata, b = rest);
        self.added.next = self.old.p.val() + self.fresh_30.q.val();
        self.sum.d.next = self.added.val().get_bits::<51>(13);

        self.largest_31.d.next = self.largest_25.q.val();
        self.unchanged_31.d.next = self.memory.rdata.val();
        self.whole_31.d.next = self.whole.val();
        self.none_31.d.next = self.none.val();
        self.flow_31.d.next = self.flow.val();
        self.next.next = self.unchanged_31.q.val();
        if self.measured.val() & !self.none_31.q.val() {
            if self.whole_31.q.val() {
                self.next.next = self.largest_31.q.val();
            } else {
                self.next.next = self.sum.q.val();
            }
        }
        if self.restart.val() {
            self.next.next = bit_cast_u::<51, 48>(self.c_init.val());
        }
        inputs!(memory: we = valid, waddr = flow_31.q, wdata = next);
        assign!(result.d = next, utilisation = result);
    }
}
