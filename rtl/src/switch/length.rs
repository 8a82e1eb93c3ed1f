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
    whole: Signal<Local, Enables64>,
    half: Signal<Local, Enables32>,
    quarter: Signal<Local, Enables16>,
    quarter_1: DFF<Enables16>,
    full_1: DFF<Bit>,
    over_32_1: DFF<Bit>,
    over_16_1: DFF<Bit>,
    eighth: Signal<Local, Enables8>,
    rest: Signal<Local, Enables4>,
    rest_2: DFF<Enables4>,
    full_2: DFF<Bit>,
    upper_2: DFF<EnabledBytes>,
    pair: Signal<Local, U<2>>,
    total: Signal<Local, EnabledBytes>,
    total_3: DFF<U<7>>,
}

#[kernel]
impl Logic for BeatLength {
    fn update(&mut self) {
        // the ones are contiguous: where the lower half is full, its last enable is set, and the count goes on in the upper half
        self.whole.next = bit_cast_word::<Enables64, U<64>>(self.keep.val());
        self.half.next = bit_cast_word::<Enables32, U<64>>(self.keep.val());
        if self.whole.val().lower_full {
            self.half.next = bit_cast_word::<Enables32, U<32>>(self.whole.val().upper);
        }
        self.quarter.next = bit_cast_word::<Enables16, Enables32>(self.half.val());
        if self.half.val().lower_full {
            self.quarter.next = bit_cast_word::<Enables16, U<16>>(self.half.val().upper);
        }
        self.eighth.next = bit_cast_word::<Enables8, Enables16>(self.quarter_1.q.val());
        if self.quarter_1.q.val().lower_full {
            self.eighth.next = bit_cast_word::<Enables8, U<8>>(self.quarter_1.q.val().upper);
        }
        self.rest.next = bit_cast_word::<Enables4, Enables8>(self.eighth.val());
        if self.eighth.val().lower_full {
            self.rest.next = bit_cast_word::<Enables4, U<4>>(self.eighth.val().upper);
        }
        self.pair.next = bit_cast_u::<2, 4>(bit_cast_number::<4, Enables4>(self.rest_2.q.val()));
        if self.rest_2.q.val().lower_full {
            self.pair.next = self.rest_2.q.val().upper;
        }
        self.total.next = self.upper_2.q.val();
        self.total.next.two = self.rest_2.q.val().lower_full;
        self.total.next.one = self.pair.val().get_bit(0);
        if self.go.val() {
            self.full_1.d.next = self.keep.val().get_bit(63);
            assign! {
                over_32_1.d = whole.lower_full, over_16_1.d = half.lower_full, quarter_1.d = quarter
            }
            self.full_2.d.next = self.full_1.q.val();
            self.upper_2.d.next = bits_zero::<EnabledBytes>(0);
            fields!(upper_2.d:
                thirty_two = over_32_1, sixteen = over_16_1, eight = quarter_1.lower_full, four = eighth.lower_full);
            self.rest_2.d.next = self.rest.val();
            self.total_3.d.next = bit_cast_number::<7, EnabledBytes>(self.total.val());
            if self.full_2.q.val() {
                self.total_3.d.next = bits_u::<7>(64);
            }
        }
        self.bytes.next = self.total_3.q.val();
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
