//! Words of a frame become lines of memory with strobes; a line every clock, never stalled.
//!
//! The mirror of `super::read_align`: a line is the upper part of one word and the lower part of the next.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 2 | word turned by the distance between its place in the frame and its place in memory; strobes |
//! | 2 | joined with the word before |

use super::turn::LineTurn;
use crate::emit::naming::named_inside;
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::wide::{bit_cast_w, W};
use crate::words::dma::{WordPlan, WriteLine};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Aligns the words of one payload after the other.
#[block]
pub struct WriteAlign {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Word of a frame, first byte in the lowest bits.
    pub word: Signal<In, W<512, 8>>,
    /// What becomes of it.
    pub plan: Signal<In, WordPlan>,
    /// There is a line, two clocks after the word that completes it; whoever takes it has room.
    pub line_valid: Signal<Out, Bit>,
    /// It, with one level of logic behind the registers. What is not written of it is undefined.
    pub line: Signal<Out, WriteLine>,
    turn: LineTurn,
    /// What becomes of the word of one clock ago.
    plan_1: DFF<WordPlan>,
    #[signals(U<64>: head, behind)]
    #[registers(Bit:
        /// There was a word two clocks ago.
        valid_2,
        /// The word of two clocks ago completes a line.
        makes_line_2,
        /// The line begins with the word of two clocks ago.
        alone_2,
        /// The line is the last one of its job.
        last_2)]
    /// Bytes of the line that are of the word before.
    before: Signal<Local, W<512, 8>>,
    /// Bytes of the line that are written.
    strobe_2: DFF<U<64>>,
    /// The word before, turned, whose rest begins the next line.
    previous: DFF<W<512, 8>>,
}

#[kernel]
impl Logic for WriteAlign {
    fn update(&mut self) {
        inputs!(turn: line = word);
        turn.turn = plan.val().turn;
        plan_1 = plan;
        valid_2 = plan_1.valid;
        makes_line_2 = plan_1.valid & plan_1.makes_line;
        alone_2 = plan_1.alone;
        last_2 = plan_1.last;
        head = !bit_cast_u::<64, 1>(0.into()) << plan_1.first_byte;
        behind = !bit_cast_u::<64, 1>(1.into()) << plan_1.last_byte;
        strobe_2 = head & !behind;
        if valid_2 {
            previous = turn.turned;
        }
        before = turn.moved;
        if alone_2 {
            before = !bit_cast_w::<512, 8, 1>(0.into());
        }
        line.data = (previous & before) | (turn.turned & !before);
        fields!(line: strobe = strobe_2, last = last_2);
        line_valid = makes_line_2;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
