//! Bytes of a beat: the length of the run of ones in a byte-enable, by halving, two halvings a stage.

use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::words::switch::{EnabledBytes, Enables16, Enables32, Enables4, Enables64, Enables8};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Three stages that move when `go` is high.
#[block]
pub struct BeatLength {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The pipeline moves.
    pub go: Signal<In, Bit>,
    /// Byte enables, contiguous from bit 0.
    pub keep: Signal<In, U<64>>,
    /// Their number, three moves later.
    pub bytes: Signal<Out, U<7>>,
    #[registers(Bit:
        /// Move 1: all 64 bytes are enabled.
        full_1,
        /// Move 1: 32 bytes and more are enabled.
        over_32_1,
        /// Move 1: of the half in which the count ends, 16 bytes and more are enabled.
        over_16_1,
        /// Move 2: all 64 bytes are enabled.
        full_2)]
    whole: Signal<Local, Enables64>,
    half: Signal<Local, Enables32>,
    quarter: Signal<Local, Enables16>,
    /// Move 1: the sixteen enables among which the count ends.
    quarter_1: DFF<Enables16>,
    eighth: Signal<Local, Enables8>,
    rest: Signal<Local, Enables4>,
    /// Move 2: the four enables among which the count ends.
    rest_2: DFF<Enables4>,
    /// Move 2: the count down to fours.
    upper_2: DFF<EnabledBytes>,
    pair: Signal<Local, U<2>>,
    total: Signal<Local, EnabledBytes>,
    /// Move 3: the count.
    total_3: DFF<U<7>>,
}

#[kernel]
impl Logic for BeatLength {
    fn update(&mut self) {
        // the ones are contiguous: where the lower half is full, its last enable is set, and the count goes on in the upper half
        whole = bit_cast_word::<Enables64, U<64>>(keep);
        half = bit_cast_word::<Enables32, U<64>>(keep);
        if whole.lower_full {
            half = bit_cast_word::<Enables32, U<32>>(whole.upper);
        }
        quarter = bit_cast_word::<Enables16, Enables32>(half);
        if half.lower_full {
            quarter = bit_cast_word::<Enables16, U<16>>(half.upper);
        }
        eighth = bit_cast_word::<Enables8, Enables16>(quarter_1);
        if quarter_1.lower_full {
            eighth = bit_cast_word::<Enables8, U<8>>(quarter_1.upper);
        }
        rest = bit_cast_word::<Enables4, Enables8>(eighth);
        if eighth.lower_full {
            rest = bit_cast_word::<Enables4, U<4>>(eighth.upper);
        }
        pair = bit_cast_u::<2, 4>(bit_cast_number::<4, Enables4>(rest_2));
        if rest_2.lower_full {
            pair = rest_2.upper;
        }
        total = upper_2;
        total.two = rest_2.lower_full;
        total.one = pair.get_bit(0);
        if go {
            full_1 = keep.get_bit(63);
            assign! {
                over_32_1.d = whole.lower_full, over_16_1.d = half.lower_full, quarter_1.d = quarter
            }
            full_2 = full_1;
            upper_2 = bits_zero::<EnabledBytes>(0);
            fields!(upper_2.d:
                thirty_two = over_32_1, sixteen = over_16_1, eight = quarter_1.lower_full, four = eighth.lower_full);
            rest_2 = rest;
            total_3 = if full_2 { bits_u::<7>(64) } else { bit_cast_number::<7, EnabledBytes>(total) };
        }
        bytes = total_3;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::uint::mask;
    use crate::sim::{init, step};

    #[test]
    fn every_length() {
        let mut block: Box<BeatLength> = Box::default();
        init(block.as_mut()).expect("complete block");
        block.go.next = true;
        for i in 0..=67usize {
            block.keep.next = U(mask(i.min(64)));
            let bytes = step(block.as_mut(), |b| b.bytes.val().0);
            if i >= 3 {
                assert_eq!(bytes, i as u64 - 3);
            }
        }
    }
}
