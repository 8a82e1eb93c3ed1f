//! Which engine a flow belongs to, and its index there: the flow number over the number of engines, by multiplication.
//!
//! | clock | what |
//! |---|---|
//! | 0 | flow |
//! | 2 | its index: the quotient |
//! | 4 | its engine: the rest |

use crate::emit::naming::named_inside;
use crate::prim::delay::Delay;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Engine and index of flows whose numbers have `A` bits; an index has `I` bits. A flow a clock.
#[block]
pub struct EngineOf<const A: usize, const I: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 0: flow.
    pub flow: Signal<In, U<A>>,
    /// Constant: number of engines.
    pub engines: Signal<In, U<3>>,
    /// Constant: 2^18 / engines, rounded up.
    pub inverse: Signal<In, U<17>>,
    /// Clock 2: index.
    pub index: Signal<Out, U<I>>,
    /// Clock 4: engine.
    pub engine: Signal<Out, U<3>>,
    #[signals(U<3>: rest, multiple)]
    #[registers(U<3>: low_3, index_3, engine_4)]
    low_2: Delay<U<3>, 2>,
    quotient: MulPipe<16, 17, 15, 18>,
}

#[kernel]
impl<const A: usize, const I: usize> Logic for EngineOf<A, I> {
    fn update(&mut self) {
        quotient.a = bit_cast_u::<16, A>(flow);
        quotient.b = inverse;
        index = bit_cast_u::<I, 15>(quotient.p);
        // the rest is below 8: the lowest bits of what it is the difference of suffice
        low_2 = bit_cast_u::<3, A>(flow);
        low_3 = low_2;
        // straight into a register: multipliers lie far from everything else
        index_3 = bit_cast_u::<3, 15>(quotient.p);
        // in sums: the multiplier that synthesis would take for three bits lies far away too
        assign!(rest = low_3, multiple = engines);
        for i in 0..3 {
            if index_3.get_bit(i) {
                rest = rest - multiple;
            }
            multiple = multiple << 1;
        }
        engine_4 = rest;
        engine = engine_4;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
