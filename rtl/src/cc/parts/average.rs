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
    #[registers(U<51>:
        /// Clock 31: new average, UQ17.34, if a part of the hop's utilisation is taken in.
        sum,
        /// Clock 32: the flow's average after the event, UQ17.34.
        result)]
    weight: MulPipe<17, 34, 34, 16>,
    largest_25: Delay<U<51>, 3>,
    fresh: MulPipe<51, 34, 64, 21>,
    memory: ForwardRam<U<51>, A>,
    old: MulPipe<51, 34, 64, 21>,
    largest_31: Delay<U<51>, 6>,
    unchanged_31: Delay<U<51>, 5>,
    whole_31: Delay<Bit, 9>,
    none_31: Delay<Bit, 9>,
    flow_31: Delay<U<A>, 8>,
    /// Clock 30: weight times utilisation of the hop, and half a unit of the result, UQ17.47.
    fresh_30: DFF<U<64>>,
    /// Clock 26: 1 less the weight, UQ0.34.
    rest: DFF<U<34>>,
    added: Signal<Local, U<64>>,
    next: Signal<Local, U<51>>,
}

#[kernel]
impl<const A: usize> Logic for Average<A> {
    fn update(&mut self) {
        inputs!(weight: a = tau, b = inverse_base_rtt);
        largest_25 = largest;
        inputs!(fresh: a = largest_25.q, b = weight.p);
        fresh_30 = fresh.p + 0x1000;
        rest = bits_u::<34>(0) - weight.p;
        memory.raddr = flow;
        inputs!(old: a = memory.rdata, b = rest);
        added = old.p + fresh_30;
        sum = added.get_bits::<51>(13);

        largest_31 = largest_25;
        unchanged_31 = memory.rdata;
        whole_31 = whole;
        none_31 = none;
        flow_31 = flow;
        next = unchanged_31;
        if measured & !none_31 {
            if whole_31 {
                next = largest_31;
            } else {
                next = sum;
            }
        }
        if restart {
            next = bit_cast_u::<51, 48>(c_init);
        }
        inputs!(memory: we = valid, waddr = flow_31.q, wdata = next);
        assign!(result.d = next, utilisation = result);
    }
}
