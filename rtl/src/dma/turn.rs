//! Lines turned by 0 to 63 bytes, in two steps.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 1 | turned by 0 to 7 bytes |
//! | 1 - 2 | by multiples of 8 bytes |

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
    fine: Signal<Local, BitDistance>,
    coarse: Signal<Local, BitDistance>,
    line_twice: Signal<Local, Twice>,
    twice: Signal<Local, W<1024, 16>>,
    line_1: DFF<W<512, 8>>,
    moved_1: DFF<W<512, 8>>,
    eights_1: DFF<U<3>>,
    line_twice_1: Signal<Local, Twice>,
    twice_1: Signal<Local, W<1024, 16>>,
    line_2: DFF<W<512, 8>>,
    moved_2: DFF<W<512, 8>>,
}

#[kernel]
impl Logic for LineTurn {
    fn update(&mut self) {
        self.fine.next.bits = 0.into();
        self.fine.next.bytes = self.turn.val().bytes;
        self.fine.next.eights = 0.into();
        fields!(line_twice: low = line, high = line);
        self.twice.next = bit_cast_bus::<1024, 16, Twice>(self.line_twice.val());
        self.line_1.d.next =
            bit_cast_ww::<512, 8, 1024, 16>(self.twice.val() >> bit_cast_number::<6, BitDistance>(self.fine.val()));
        self.moved_1.d.next = !bit_cast_w::<512, 8, 1>(0.into()) >> bit_cast_number::<6, BitDistance>(self.fine.val());
        self.eights_1.d.next = self.turn.val().eights;

        self.coarse.next.bits = 0.into();
        self.coarse.next.bytes = 0.into();
        self.coarse.next.eights = self.eights_1.q.val();
        fields!(line_twice_1: low = line_1, high = line_1);
        self.twice_1.next = bit_cast_bus::<1024, 16, Twice>(self.line_twice_1.val());
        self.line_2.d.next =
            bit_cast_ww::<512, 8, 1024, 16>(self.twice_1.val() >> bit_cast_number::<9, BitDistance>(self.coarse.val()));
        self.moved_2.d.next = self.moved_1.q.val() >> bit_cast_number::<9, BitDistance>(self.coarse.val());
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
                bytes: U(turn as u64 % 8),
                eights: U(turn as u64 / 8),
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
