//! Alpha, the estimate of congestion: `alpha (1 - g)`, plus `g` after a CNP; a loop of six clocks around its RAM.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 2 - 4 | `memory` | the flow's alpha | UQ1.20 |
//! | 5 - 8 | `product` | alpha x gain | UQ1.40 |
//! | 9 | `fall` | rounded up: rounded down, alpha would stop at `1 / g` units | UQ1.20 |
//! | 9 | `risen` | alpha, plus the gain after a CNP | UQ1.20 |
//! | (9) | `updated` | their difference: written back and forwarded | UQ1.20 |
//! | 10 | `result` | the flow's new alpha | UQ1.20 |

use crate::emit::naming::named_inside;
use crate::prim::delay::Delay;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::dcqcn::{AlphaShare, DcqcnStep};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Alpha of 2^`A` flows.
#[block]
pub struct DcqcnAlpha<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 1: flow.
    pub flow: Signal<In, U<A>>,
    /// Clock 7: what the event does.
    pub step: Signal<In, DcqcnStep>,
    /// Register: gain, UQ0.20.
    pub gain: Signal<In, U<20>>,
    /// Clock 10: alpha after the event.
    pub alpha: Signal<Out, U<21>>,
    #[registers(U<21>:
        /// Clock 9: alpha before the event, UQ1.20.
        alpha_9,
        /// Clock 9: alpha times the gain, rounded up, UQ1.20.
        fall,
        /// Clock 9: alpha, with the gain after a congestion notification, UQ1.20.
        risen,
        /// Clock 10: alpha after the event, UQ1.20.
        result)]
    #[registers(DcqcnStep:
        /// What the event does, in the clock of the name.
        step_8, step_9)]
    memory: ForwardRam<U<21>, A>,
    flow_9: Delay<U<A>, 8>,
    product: MulPipe<21, 20, 41, 0>,
    alpha_8: Delay<U<21>, 4>,
    share: Signal<Local, AlphaShare>,
    updated: Signal<Local, U<21>>,
}

#[kernel]
impl<const A: usize> Logic for DcqcnAlpha<A> {
    fn update(&mut self) {
        memory.raddr = flow;
        flow_9 = flow;
        inputs!(product: a = memory.rdata, b = gain);
        alpha_8 = memory.rdata;
        assign!(alpha_9.d = alpha_8.q, step_8.d = step);
        step_9 = step_8;
        share = bit_cast_word::<AlphaShare, U<41>>(product.p);
        fall = share.whole + bit_cast_u::<21, 1>(bit_cast_b(share.below.any()));
        risen = if step_8.noted { alpha_8 + bit_cast_u::<21, 20>(gain) } else { alpha_8 };
        updated = if step_9.alpha { risen - fall } else { alpha_9 };
        if step_9.created {
            updated = bits_u::<21>(0x10_0000);
        }
        inputs!(memory: we = step_9.live, waddr = flow_9.q, wdata = updated);
        assign!(result.d = updated, alpha = result);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
