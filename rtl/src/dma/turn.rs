//! Lines turned by 0 to 63 bytes, in two steps.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 1 | turned by 0 to 15 bytes |
//! | 1 - 2 | by multiples of 16 bytes |
//!
//! Two bits of the distance at a time are a choice of four, which is one table of six inputs: three of them a bit, where two choices of
//! eight are four.

use crate::prim::uint::U;
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::prim::word::{bit_cast_bus, bit_cast_number};
use crate::words::dma::{BitDistance, ByteTurn, Twice};
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
    #[signals(BitDistance: fine, coarse)]
    #[signals(Twice: line_twice, line_twice_1)]
    #[signals(W<1024, 16>: twice, twice_1)]
    #[registers(W<512, 8>: line_1, moved_1, line_2, moved_2)]
    sixteens_1: DFF<U<2>>,
}

#[kernel]
impl Logic for LineTurn {
    fn update(&mut self) {
        fine.bits = 0.into();
        fine.bytes = turn.bytes;
        fine.sixteens = 0.into();
        fields!(line_twice: low = line, high = line);
        twice = bit_cast_bus::<1024, 16, Twice>(line_twice);
        line_1 = bit_cast_ww::<512, 8, 1024, 16>(twice >> bit_cast_number::<7, BitDistance>(fine));
        moved_1 = !bit_cast_w::<512, 8, 1>(0.into()) >> bit_cast_number::<7, BitDistance>(fine);
        sixteens_1 = turn.sixteens;

        coarse.bits = 0.into();
        coarse.bytes = 0.into();
        coarse.sixteens = sixteens_1;
        fields!(line_twice_1: low = line_1, high = line_1);
        twice_1 = bit_cast_bus::<1024, 16, Twice>(line_twice_1);
        line_2 = bit_cast_ww::<512, 8, 1024, 16>(twice_1 >> bit_cast_number::<9, BitDistance>(coarse));
        moved_2 = moved_1 >> bit_cast_number::<9, BitDistance>(coarse);
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
                bytes: U(turn as u64 % 16),
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
