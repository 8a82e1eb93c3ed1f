//! Bytes of a beat: the length of the run of ones in a byte-enable, by halving, two halvings a stage.

use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
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
    half: Signal<Local, U<32>>,
    quarter: Signal<Local, U<16>>,
    quarter_1: DFF<U<16>>,
    full_1: DFF<Bit>,
    bit_5_1: DFF<Bit>,
    bit_4_1: DFF<Bit>,
    eighth: Signal<Local, U<8>>,
    rest: Signal<Local, U<4>>,
    rest_2: DFF<U<4>>,
    full_2: DFF<Bit>,
    upper_2: DFF<U<7>>,
    pair: Signal<Local, U<2>>,
    total_3: DFF<U<7>>,
}

#[kernel]
impl Logic for BeatLength {
    fn update(&mut self) {
        self.half.next = bit_cast_u::<32, 64>(self.keep.val());
        if self.keep.val().get_bit(31) {
            self.half.next = self.keep.val().get_bits::<32>(32);
        }
        self.quarter.next = bit_cast_u::<16, 32>(self.half.val());
        if self.half.val().get_bit(15) {
            self.quarter.next = self.half.val().get_bits::<16>(16);
        }
        self.eighth.next = bit_cast_u::<8, 16>(self.quarter_1.q.val());
        if self.quarter_1.q.val().get_bit(7) {
            self.eighth.next = self.quarter_1.q.val().get_bits::<8>(8);
        }
        self.rest.next = bit_cast_u::<4, 8>(self.eighth.val());
        if self.eighth.val().get_bit(3) {
            self.rest.next = self.eighth.val().get_bits::<4>(4);
        }
        self.pair.next = bit_cast_u::<2, 4>(self.rest_2.q.val());
        if self.rest_2.q.val().get_bit(1) {
            self.pair.next = self.rest_2.q.val().get_bits::<2>(2);
        }
        if self.go.val() {
            self.full_1.d.next = self.keep.val().get_bit(63);
            self.bit_5_1.d.next = self.keep.val().get_bit(31);
            self.bit_4_1.d.next = self.half.val().get_bit(15);
            self.quarter_1.d.next = self.quarter.val();
            self.full_2.d.next = self.full_1.q.val();
            self.upper_2.d.next = (bit_cast_u::<7, 1>(bit_cast_b(self.bit_5_1.q.val())) << 5)
                | (bit_cast_u::<7, 1>(bit_cast_b(self.bit_4_1.q.val())) << 4)
                | (bit_cast_u::<7, 1>(bit_cast_b(self.quarter_1.q.val().get_bit(7))) << 3)
                | (bit_cast_u::<7, 1>(bit_cast_b(self.eighth.val().get_bit(3))) << 2);
            self.rest_2.d.next = self.rest.val();
            if self.full_2.q.val() {
                self.total_3.d.next = bits_u::<7>(64);
            } else {
                self.total_3.d.next = self.upper_2.q.val()
                    | (bit_cast_u::<7, 1>(bit_cast_b(self.rest_2.q.val().get_bit(1))) << 1)
                    | bit_cast_u::<7, 1>(bit_cast_b(self.pair.val().get_bit(0)));
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
