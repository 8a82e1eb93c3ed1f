//! The core of the interpolated reciprocal: 1/x of a normalised mantissa, one result each clock, five clocks.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 1, 2 | `rom`, `step` | table entry of the eight bits below the leading one; the fifteen bits below those wait |
//! | 3, 4 | `product` | slope times step |
//! | 5 | `fraction` | base less product, two guard bits rounded away (the half unit is in the table's base), saturated |
//!
//! The same as [`hpcc_models::fixed::reciprocal::reciprocal_mantissa`], whose error is proven by enumeration.

use crate::prim::delay::Delay;
use crate::prim::mul::MulPipe;
use crate::prim::rom::Rom;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::{block, kernel};
use hpcc_models::fixed::reciprocal::{ROUNDING, STORED_BASE_BITS, TABLE};
use rust_hdl::prelude::*;

/// `1/x = (1 + fraction / 2^17) x 2^-23` for `x` from 2^23 to 2^24 - 1, five clocks later.
#[block]
pub struct ReciprocalMantissa {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Normalised mantissa: the top bit is set.
    pub x: Signal<In, U<24>>,
    /// Fraction of the result.
    pub fraction: Signal<Out, U<17>>,
    #[init(Rom::new(entries()))]
    rom: Rom<8, 32>,
    step: Delay<U<15>, 2>,
    product: MulPipe<15, 12, 12, 15>,
    base: Delay<U<20>, 2>,
    rounded: Signal<Local, U<20>>,
    result: DFF<U<17>>,
}

/// The words of the ROM: base above, slope below.
fn entries() -> Vec<u64> {
    let word = |(base, slope): &_| u64::from(*base + ROUNDING) | u64::from(*slope) << STORED_BASE_BITS;
    TABLE.iter().map(word).collect()
}

#[kernel]
impl Logic for ReciprocalMantissa {
    fn update(&mut self) {
        rom.addr = x.get_bits::<8>(15);
        step = bit_cast_u::<15, 24>(x);
        product.a = step;
        product.b = rom.data.get_bits::<12>(20);
        base = rom.data.get_bits::<20>(0);
        rounded = base - bit_cast_u::<20, 12>(product.p);
        result = if rounded.get_bit(19) { bits_u::<17>(0x1ffff) } else { rounded.get_bits::<17>(2) };
        fraction = result;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step};
    use hpcc_models::fixed::reciprocal::reciprocal_mantissa;

    /// Every 61st mantissa and both ends of every table entry; the model itself is enumerated.
    #[test]
    fn agrees_with_the_model_five_clocks_later() {
        let mut block: Box<ReciprocalMantissa> = Box::default();
        init(block.as_mut()).expect("complete block");
        let ends = (0..256u32).flat_map(|i| [(256 + i) << 15, ((256 + i) << 15) | 0x7fff]);
        let inputs: Vec<u32> = ends.chain((1 << 23..1 << 24).step_by(61)).collect();
        for clock in 0..inputs.len() + 5 {
            block.x.next = U(u64::from(*inputs.get(clock).unwrap_or(&(1 << 23))));
            let got = step(block.as_mut(), |block| block.fraction.val().0);
            if clock >= 5 {
                let x = inputs[clock - 5];
                assert_eq!(got, u64::from(reciprocal_mantissa(x)), "x = {x:#x}");
            }
        }
    }
}
