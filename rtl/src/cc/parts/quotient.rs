//! Bytes over time of one hop: how much came or went in eighths of a unit, times the time that a unit takes at the hop's speed, over
//! the time between two stamps. One hop every clock.
//!
//! Clocks count from the inputs.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 0 | inputs | numerator, time between the stamps, register of the hop's speed | 24, 24 bits, UQ12.22 |
//! | 4, 5 | `busy` | numerator x busy time | UQ33.25 ns |
//! | 1 - 5 | `normalise` | the time shifted until its top bit is set | 24 bits |
//! | 6 - 8 | `moved` | busy time shifted alike, bits lost at the top remembered | |
//! | 9 | `aligned` | saturated | UQ14.37 |
//! | 6 - 10 | `reciprocal` | 1 / normalised time | 1.17 |
//! | 10 - 12 | `low`, `middle`, `high` | three tiles of the aligned time x fraction of the reciprocal | 34 bits each |
//! | 13 | `low_13`, `middle_13`, `high_13`, input | these beside the adder; what is added to them | |
//! | 14 | `sum` | both, cut | UQ20.37 |
//!
//! The quotient is `aligned`, four clocks later, plus the product: `addend` is that, and what else the law adds. Multipliers of an FPGA
//! stand in columns far from the carry chains, so that their products wait a clock in registers, and one chain adds all.

use crate::prim::mul::MulPipe;
use crate::prim::normalise::Normalise24;
use crate::prim::reciprocal::ReciprocalMantissa;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::numbers::{AlignedTiles, FineShift, OuterTiles, QuotientShift, TileProduct};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Quotient of one hop, 14 clocks.
#[block]
pub struct Quotient {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 0: eighths of a unit of 128 bytes (or anything else that is divided by the time).
    pub numerator: Signal<In, U<24>>,
    /// Clock 0: time between the stamps, ns.
    pub elapsed: Signal<In, U<24>>,
    /// Clock 0: time of a unit, UQ12.22 ns.
    pub busy_time: Signal<In, U<34>>,
    /// Clock 9: the part without the reciprocal's fraction, UQ14.37.
    pub aligned: Signal<Out, U<51>>,
    /// Clock 13: what the product is added to, UQ19.37.
    pub addend: Signal<In, U<56>>,
    /// Clock 14: both, UQ20.37.
    pub sum: Signal<Out, U<57>>,
    #[registers(U<63>:
        /// Clock 6: busy time, shifted by a multiple of eight places like the time.
        moved_6, moved_7, moved_8)]
    #[registers(Bit:
        /// Clock 6: bits were lost at the top of that.
        lost_6, lost_7, shift_7, lost_8)]
    #[registers(U<51>:
        /// Clock 9: busy time over the power of two of the time, UQ14.37, saturated.
        aligned_9, aligned_10)]
    #[registers(TileProduct:
        /// Clock 13: product of the lowest tile, which waits beside the adder.
        low_13,
        /// Clock 13: products of the two outer tiles, which wait beside the adder.
        high_13)]
    busy: MulPipe<24, 34, 58>,
    normalise: Normalise24,
    reciprocal: ReciprocalMantissa,
    low: MulPipe<17, 17, 34>,
    middle: MulPipe<17, 17, 34>,
    high: MulPipe<17, 17, 34>,
    busy_5: DFF<U<58>>,
    shift_6: DFF<FineShift>,
    wide: Signal<Local, U<63>>,
    shift: Signal<Local, QuotientShift>,
    tiles: Signal<Local, AlignedTiles>,
    outer: Signal<Local, OuterTiles>,
    middle_13: DFF<U<34>>,
    /// Clock 14: quotient and what the law adds, UQ20.37.
    sum_r: DFF<U<57>>,
}

#[kernel]
impl Logic for Quotient {
    fn update(&mut self) {
        inputs!(busy: a = numerator, b = busy_time);
        busy_5 = busy.p;
        normalise.n = elapsed;
        reciprocal.x = normalise.x;

        // shift by 0, 8, 16 or 24
        wide = bit_cast_u::<63, 58>(busy_5);
        shift = bit_cast_word::<QuotientShift, U<5>>(normalise.shift);
        moved_6 = wide;
        lost_6 = false;
        if shift.eights == 1 {
            moved_6 = wide << 8;
            lost_6 = wide >= 0x80_0000_0000_0000u64;
        }
        if shift.eights == 2 {
            moved_6 = wide << 16;
            lost_6 = wide >= 0x8000_0000_0000u64;
        }
        if shift.eights == 3 {
            moved_6 = wide << 24;
            lost_6 = wide >= 0x80_0000_0000u64;
        }
        shift_6 = shift.fine;
        // shift by 0, 2, 4 or 6
        advance!(moved_7, lost_7);
        if shift_6.twos == 1 {
            moved_7 = moved_6 << 2;
            lost_7 = lost_6 | (moved_6 >= 0x2000_0000_0000_0000u64);
        }
        if shift_6.twos == 2 {
            moved_7 = moved_6 << 4;
            lost_7 = lost_6 | (moved_6 >= 0x800_0000_0000_0000u64);
        }
        if shift_6.twos == 3 {
            moved_7 = moved_6 << 6;
            lost_7 = lost_6 | (moved_6 >= 0x200_0000_0000_0000u64);
        }
        shift_7 = shift_6.one;
        // shift by 0 or 1
        advance!(moved_8, lost_8);
        if shift_7 {
            moved_8 = moved_7 << 1;
            lost_8 = lost_7 | (moved_7 >= 0x4000_0000_0000_0000u64);
        }
        aligned_9 = if lost_8 { bits_u::<51>(0x7ffffffffffffu64) } else { moved_8.get_bits::<51>(12) };
        aligned = aligned_9;
        aligned_10 = aligned_9;
        tiles = bit_cast_word::<AlignedTiles, U<51>>(aligned_10);
        inputs!(low: a = tiles.low, b = reciprocal.fraction);
        inputs!(middle: a = tiles.middle, b = reciprocal.fraction);
        inputs!(high: a = tiles.high, b = reciprocal.fraction);
        low_13 = bit_cast_word::<TileProduct, U<34>>(low.p);
        middle_13 = middle.p;
        high_13 = bit_cast_word::<TileProduct, U<34>>(high.p);
        // the lowest product's upper half and the highest product have no bit in common
        fields!(outer: low = low_13.high, high = high_13);
        sum_r = bit_cast_u::<57, 56>(addend)
            + bit_cast_u::<57, 51>(bit_cast_number::<51, OuterTiles>(outer))
            + bit_cast_u::<57, 34>(middle_13);
        sum = sum_r;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};
    use hpcc_models::fixed::powertcp::arithmetic::current;
    use std::collections::VecDeque;

    #[test]
    fn agrees_with_the_model_after_fourteen_clocks() {
        let mut block: Box<Quotient> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(8);
        let (mut past, mut aligned, mut other) = (VecDeque::new(), VecDeque::from([0; 4]), 0);
        for clock in 0..30_000 {
            let numerator = stimulus.corner(24) >> stimulus.below(24);
            let elapsed = (stimulus.corner(24) >> stimulus.below(24)).max(1);
            let busy = stimulus.corner(34) >> stimulus.below(34);
            block.numerator.next = U(numerator);
            block.elapsed.next = U(elapsed);
            block.busy_time.next = U(busy);
            past.push_back((numerator as u32, busy, elapsed as u32));
            // the quotient's own part of four clocks ago, and something else
            let of_last_clock = std::mem::replace(&mut other, stimulus.corner(55));
            block.addend.next = U(aligned.pop_front().expect("four clocks") + other);
            let (a, sum) = step(block.as_mut(), |b| (b.aligned.val().0, b.sum.val().0));
            aligned.push_back(a);
            if clock >= 14 {
                let (numerator, busy, elapsed) = past.pop_front().expect("in flight");
                let quotient = (sum - of_last_clock).min((1 << 51) - 1);
                assert_eq!(
                    quotient,
                    current(numerator, busy, elapsed),
                    "{numerator} {busy} {elapsed}"
                );
            }
        }
    }
}
