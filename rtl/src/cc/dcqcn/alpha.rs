//! Alpha, the estimate of congestion: `alpha (1 - g)`, plus `g` after a CNP; a loop of six clocks around its RAM.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 1 - 3 | `memory` | the flow's alpha | UQ1.20 |
//! | 4 - 7 | `product` | alpha x gain | UQ1.40 |
//! | 8 | `fall` | rounded up: rounded down, alpha would stop at `1 / g` units | UQ1.20 |
//! | 8 | `risen` | alpha, plus the gain after a CNP | UQ1.20 |
//! | (8) | `updated` | their difference: written back and forwarded | UQ1.20 |
//! | 9 | `result` | the flow's new alpha | UQ1.20 |

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
    /// Clock 0: flow.
    pub flow: Signal<In, U<A>>,
    /// Clock 6: what the event does.
    pub step: Signal<In, DcqcnStep>,
    /// Register: gain, UQ0.20.
    pub gain: Signal<In, U<20>>,
    /// Clock 9: alpha after the event.
    pub alpha: Signal<Out, U<21>>,
    #[registers(U<21>: alpha_8, fall, risen, result)]
    #[registers(DcqcnStep: step_7, step_8)]
    memory: ForwardRam<U<21>, A>,
    flow_8: Delay<U<A>, 8>,
    product: MulPipe<21, 20, 41, 0>,
    alpha_7: Delay<U<21>, 4>,
    share: Signal<Local, AlphaShare>,
    updated: Signal<Local, U<21>>,
}

#[kernel]
impl<const A: usize> Logic for DcqcnAlpha<A> {
    fn update(&mut self) {
        memory.raddr = flow;
        flow_8 = flow;
        inputs!(product: a = memory.rdata, b = gain);
        alpha_7 = memory.rdata;
        assign!(alpha_8.d = alpha_7.q, step_7.d = step);
        step_8 = step_7;
        share = bit_cast_word::<AlphaShare, U<41>>(product.p);
        fall = share.units + bit_cast_u::<21, 1>(bit_cast_b(share.below.any()));
        risen = if step_7.noted { alpha_7 + bit_cast_u::<21, 20>(gain) } else { alpha_7 };
        updated = if step_8.alpha { risen - fall } else { alpha_8 };
        if step_8.created {
            updated = bits_u::<21>(0x10_0000);
        }
        inputs!(memory: we = step_8.live, waddr = flow_8.q, wdata = updated);
        assign!(result.d = updated, alpha = result);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
