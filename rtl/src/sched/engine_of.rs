//! Which engine a flow belongs to, and its index there: the flow number over the number of engines, by multiplication.
//!
//! The multiplier is made of tables: what each three bits of the flow number add to the product, of which the constant leaves a function of three
//! bits for each bit of the sum.
//!
//! | clock | what |
//! |---|---|
//! | 0 | flow |
//! | 1 | sums of two tables |
//! | 2 | its index: the quotient |
//! | 4 | its engine: the rest |

use crate::emit::naming::named_inside;
use crate::prim::delay::Delay;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::visit::EngineProduct;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Engine and index of flows whose numbers have `A` bits, 15 at most; an index has `I` bits. A flow a clock.
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
    #[registers(U<3>:
        /// Clock 3: lowest three bits of the flow number.
        low_3,
        /// Clock 3: lowest three bits of the flow's index.
        index_3,
        /// Clock 4: engine of the flow: the remainder of the division.
        engine_4)]
    low_2: Delay<U<3>, 2>,
    number: Signal<Local, U<15>>,
    #[signals(U<32>: once, twice, thrice, fourfold)]
    /// Three bits of the flow number each, the lowest first.
    digits: [Signal<Local, U<3>>; 5],
    /// The constant, as often as the digit says.
    times: [Signal<Local, U<32>>; 5],
    #[registers(U<32>:
        /// Clock 1: the constant times the lower six bits of the flow number.
        low_1,
        /// Clock 1: the constant times the middle six bits of the flow number.
        middle_1,
        /// Clock 1: the constant times the upper three bits of the flow number.
        high_1,
        /// Clock 2: the constant times the flow number; its upper bits are the flow's index.
        product_2)]
    quotient: Signal<Local, EngineProduct>,
}

#[kernel]
impl<const A: usize, const I: usize> Logic for EngineOf<A, I> {
    fn update(&mut self) {
        number = bit_cast_u::<15, A>(flow);
        once = bit_cast_u::<32, 17>(inverse);
        twice = once + once;
        thrice = once + twice;
        fourfold = twice + twice;
        for i in 0..5 {
            digits[i] = number.get_bits::<3>(3 * i);
            times[i] = bits_u::<32>(0);
            if digits[i] == 1 {
                times[i] = once;
            }
            if digits[i] == 2 {
                times[i] = twice;
            }
            if digits[i] == 3 {
                times[i] = thrice;
            }
            if digits[i] == 4 {
                times[i] = fourfold;
            }
            if digits[i] == 5 {
                times[i] = fourfold + once;
            }
            if digits[i] == 6 {
                times[i] = thrice + thrice;
            }
            if digits[i] == 7 {
                times[i] = fourfold + thrice;
            }
        }
        low_1 = times[0] + (times[1] << 3);
        middle_1 = times[2] + (times[3] << 3);
        high_1 = times[4];
        product_2 = low_1 + (middle_1 << 6) + (high_1 << 12);
        quotient = bit_cast_word::<EngineProduct, U<32>>(product_2);
        index = bit_cast_u::<I, 14>(quotient.index);
        // the rest is below 8: the lowest bits of what it is the difference of suffice
        low_2 = bit_cast_u::<3, A>(flow);
        low_3 = low_2;
        index_3 = bit_cast_u::<3, 14>(quotient.index);
        // in sums: the multiplier that synthesis would take for three bits lies far away
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
