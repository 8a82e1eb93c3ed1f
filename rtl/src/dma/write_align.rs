//! Payload becomes lines of memory with strobes; a line every clock.
//!
//! The mirror of [`super::read_align`]: a line is the upper part of one beat of payload and the lower part of the next.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 2 | beat turned up by the place of the job's first byte |
//! | 2 - 3 | joined with the beat before |

use super::turn::LineTurn;
use super::walk::JobWalk;
use crate::emit::naming::named_inside;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::dma::{ByteTurn, JobShape, WriteLine};
use crate::words::rx::BufferedPayload;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Aligns the payload of one job after the other.
#[block]
pub struct WriteAlign {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Jobs in the order of their payload, as [`super::split::JobSplit`] describes them.
    pub shape: StreamIn<JobShape>,
    /// Payload: 512 bits of data, 7 bits number of bytes, last beat; every beat full but a job's last one.
    pub payload: StreamIn<BufferedPayload>,
    /// Stop: at most four more lines come.
    pub crowded: Signal<In, Bit>,
    /// There is a line.
    pub line_valid: Signal<Out, Bit>,
    /// It.
    pub line: Signal<Out, WriteLine>,
    #[registers(ByteTurn: shift, down, shift_1)]
    #[registers(U<7>: end_bytes, end_bytes_1)]
    #[registers(Bit: page_end, straight, straight_1, straight_2, valid_1, starts_1, ends_1, last_1, valid_2, last_2)]
    #[registers(Bit: valid_3)]
    #[signals(U<64>: head, tail)]
    walk: JobWalk,
    /// Number of the next line in its page, and that it is the page's last.
    page_line: DFF<U<6>>,
    /// Up by the place of the job's first byte is down by the rest of a line.
    place: Signal<Local, U<6>>,
    turn: LineTurn,
    go: Signal<Local, Bit>,
    start_line: Signal<Local, U<6>>,
    beat: Signal<Local, BufferedPayload>,
    strobe_2: DFF<U<64>>,
    previous: DFF<W<512, 8>>,
    line_3: DFF<WriteLine>,
}

#[kernel]
impl Logic for WriteAlign {
    fn update(&mut self) {
        // the line behind the last beat brings none
        StreamIn::<JobShape>::link(&mut shape, &mut walk.shape);
        start_line = shape.data.val().first_line;
        place = bit_cast_number::<6, ByteTurn>(shape.data.val().first_byte);
        go = walk.busy & !crowded & (payload.valid | !walk.any_beat);
        payload.ready = walk.busy & !crowded & walk.any_beat;
        inputs!(walk: reset, step = go);
        if go {
            page_line = page_line + 1;
            page_end = page_line == 62;
        }
        if walk.next_job {
            shift = shape.data.val().first_byte;
            down = bit_cast_word::<ByteTurn, U<6>>(bit_cast_u::<6, 1>(0.into()) - place);
            straight = place == 0;
            end_bytes = shape.data.val().end_bytes;
            page_line = start_line;
            page_end = start_line.all();
        }

        // turned up
        beat = payload.data;
        inputs!(turn: line = beat.data, turn = down);
        straight_1 = straight;
        straight_2 = straight_1;
        assign! {
            valid_1.d = go, shift_1.d = shift, end_bytes_1.d = end_bytes, starts_1.d = walk.first_line,
            ends_1.d = walk.last_line
        }
        last_1 = walk.last_line | page_end;
        head = !bit_cast_u::<64, 1>(0.into());
        if starts_1 {
            head = !bit_cast_u::<64, 1>(0.into()) << bit_cast_number::<6, ByteTurn>(shift_1);
        }
        tail = if ends_1 { !(!bit_cast_u::<64, 1>(0.into()) << end_bytes_1) } else { !bit_cast_u::<64, 1>(0.into()) };
        valid_2 = valid_1;
        strobe_2 = head & tail;
        last_2 = last_1;
        if valid_2 {
            previous = turn.turned;
        }
        valid_3 = valid_2;
        line_3.data = if straight_2 { turn.turned } else { (turn.turned & !turn.moved) | (previous & turn.moved) };
        fields!(line_3.d: strobe = strobe_2, last = last_2);
        assign!(line_valid = valid_3, line = line_3);
        reset!(valid_1, valid_2, valid_3);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
