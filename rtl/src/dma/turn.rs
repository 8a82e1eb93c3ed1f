//! Lines turned by 0 to 63 bytes, in two steps.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 1 | turned by multiples of four bytes up to 12, and by 0 to 3 bytes |
//! | 1 - 2 | by multiples of 16 bytes |
//!
//! A choice of four is one table of six inputs: three of them a bit, where two choices of eight are four.

use crate::prim::uint::{LoopIdx, U};
use crate::prim::wide::{bit_cast_w, W};
use crate::words::dma::ByteTurn;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Turns a line a clock.
#[block]
pub struct LineTurn {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Line, the first byte lowest.
    pub line: Signal<In, W<512, 8>>,
    /// How far its bytes move towards the lowest; those that leave there come back at the upper end.
    pub turn: Signal<In, ByteTurn>,
    /// Turned line, two clocks later.
    pub turned: Signal<Out, W<512, 8>>,
    /// Ones in the bytes that have not come back from below, two clocks later.
    pub moved: Signal<Out, W<512, 8>>,
    #[signals(W<512, 8>: ones, by_fours, moved_fours)]
    #[registers(W<512, 8>:
        /// Clock 1: the line, turned by the distance modulo sixteen bytes.
        line_1,
        /// Clock 1: ones at the bits that came from above, none at those that came around.
        moved_1,
        /// Clock 2: the line, turned by the whole distance.
        line_2,
        /// Clock 2: ones at the bits that came from above, none at those that came around.
        moved_2)]
    /// Clock 1: steps of sixteen bytes that are left of the distance.
    sixteens_1: DFF<U<2>>,
}

#[kernel]
impl Logic for LineTurn {
    fn update(&mut self) {
        ones = !bit_cast_w::<512, 8, 1>(0.into());
        assign!(by_fours = line, moved_fours = ones);
        for i in 1..4 {
            if turn.fours == i.val() {
                by_fours = (line >> (32 * i.val())) | (line << (512 - 32 * i.val()));
                moved_fours = ones >> (32 * i.val());
            }
        }
        assign!(line_1.d = by_fours, moved_1.d = moved_fours);
        for i in 1..4 {
            if turn.bytes == i.val() {
                line_1 = (by_fours >> (8 * i.val())) | (by_fours << (512 - 8 * i.val()));
                moved_1 = moved_fours >> (8 * i.val());
            }
        }
        sixteens_1 = turn.sixteens;

        assign!(line_2.d = line_1, moved_2.d = moved_1);
        for i in 1..4 {
            if sixteens_1 == i.val() {
                line_2 = (line_1 >> (128 * i.val())) | (line_1 << (512 - 128 * i.val()));
                moved_2 = moved_1 >> (128 * i.val());
            }
        }
        assign!(turned = line_2, moved = moved_2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::uint::Limbs;
    use crate::sim::{init, step, Stimulus};
    use std::collections::VecDeque;

    /// Every turn of lines of random bytes, one a clock, against bytes moved one by one.
    #[test]
    fn bytes_move_round() {
        let mut block: Box<LineTurn> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(64);
        let mut expected = VecDeque::new();
        for clock in 0..1000usize {
            let turn = clock % 64;
            let bytes: Vec<u8> = (0..64).map(|_| stimulus.below(256) as u8).collect();
            let line = |bytes: &[u8]| {
                let limbs = bytes
                    .chunks(8)
                    .map(|eight| u64::from_le_bytes(eight.try_into().expect("eight bytes")));
                W::from_limbs(&limbs.collect::<Vec<_>>())
            };
            block.line.next = line(&bytes);
            block.turn.next = ByteTurn {
                bytes: U(turn as u64 % 4),
                fours: U(turn as u64 / 4 % 4),
                sixteens: U(turn as u64 / 16),
            };
            let turned: Vec<u8> = (0..64).map(|at| bytes[(at + turn) % 64]).collect();
            let moved: Vec<u8> = (0..64).map(|at| if at + turn < 64 { 255 } else { 0 }).collect();
            expected.push_back((line(&turned), line(&moved)));
            step(block.as_mut(), |b| {
                if clock >= 2 {
                    assert_eq!(
                        Some((b.turned.val(), b.moved.val())),
                        expected.pop_front(),
                        "clock {clock}"
                    );
                }
            });
        }
    }
}
