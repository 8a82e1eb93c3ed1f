//! Lines of memory become payload whose first byte lies in the lowest bits; a line every clock, never stalled.
//!
//! A beat of payload is the upper part of one line and the lower part of the next. It is held until the next line of its job
//! comes; a job's last beat that needs no further line leaves in the clock after its own.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 2 | line turned down by the place of the job's first byte |
//! | 2 - 3 | held |
//! | 3 - 4 | joined with the line behind it |

use super::turn::LineTurn;
use super::walk::JobWalk;
use crate::emit::naming::named_inside;
use crate::prim::skid::StreamIn;
use crate::prim::uint::U;
use crate::prim::wide::W;
use crate::words::dma::{ByteTurn, JobShape, LinePlan, ReadLine};
use crate::words::tx::PayloadBeat;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Aligns the lines of one job after the other.
#[block]
pub struct ReadAlign {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Jobs in the order of their lines, as [`super::split::JobSplit`] describes them.
    pub shape: StreamIn<JobShape>,
    /// Lines.
    pub line: StreamIn<ReadLine>,
    /// There is payload; whoever takes it has room.
    pub payload_valid: Signal<Out, Bit>,
    /// It; that a line of the job failed stands in its last beat.
    pub payload: Signal<Out, PayloadBeat>,
    #[signals(Bit: take, leave, whole, error)]
    #[registers(Bit:
        /// A line was taken one clock ago.
        valid_1,
        /// The line of two clocks ago is turned.
        valid_2,
        /// A line is held whose rest begins the next beat.
        held,
        /// A line of the job came with an error.
        failed,
        /// A beat is offered.
        payload_valid_r)]
    #[registers(LinePlan:
        /// Part that the line of one clock ago has in its job.
        tag_1,
        /// Part that the turned line has in its job.
        tag_2,
        /// Part that the held line has in its job.
        held_tag)]
    walk: JobWalk,
    turn: LineTurn,
    /// Bytes by which the job's lines are turned.
    shift: DFF<ByteTurn>,
    /// Bytes of the job's last beat.
    tail_bytes: DFF<U<7>>,
    /// The line that is held, turned.
    held_data: DFF<W<512, 8>>,
    joined: Signal<Local, W<512, 8>>,
    bytes: Signal<Local, U<7>>,
    /// The beat that is offered.
    payload_r: DFF<PayloadBeat>,
}

#[kernel]
impl Logic for ReadAlign {
    fn update(&mut self) {
        StreamIn::<JobShape>::link(&mut shape, &mut walk.shape);
        take = line.valid & walk.busy;
        line.ready = walk.busy;
        inputs!(walk: reset, step = take);
        if walk.next_job {
            shift = shape.data.val().first_byte;
            tail_bytes = shape.data.val().last_bytes;
        }

        // turned down
        turn.line = line.data.val().data;
        turn.turn = shift;
        valid_1 = take;
        bytes = if walk.last_beat { tail_bytes } else { 64.into() };
        fields!(tag_1.d from walk: first_line, begins = any_beat, last_beat, whole = last_line);
        tag_1.failed = line.data.val().failed;
        tag_1.count = bytes;
        advance!(valid_2, tag_2);

        // held until it is whole
        whole = held_tag.whole;
        leave = held & (whole | valid_2);
        assign!(joined = held_data, error = failed);
        if !whole {
            joined = (held_data & turn.moved) | (turn.turned & !turn.moved);
            error = failed | tag_2.failed;
        }
        payload_valid_r = leave;
        fields!(payload_r.d: data = joined, count = held_tag.count, last = held_tag.last_beat);
        payload_r.failed = error & held_tag.last_beat;
        if leave {
            held = false;
        }
        if valid_2 {
            assign!(held.d = tag_2.begins, held_data.d = turn.turned, held_tag.d = tag_2);
            failed = tag_2.failed | (failed & !tag_2.first_line);
        }
        assign!(payload_valid = payload_valid_r, payload = payload_r);
        reset!(valid_1, valid_2, held, payload_valid_r);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
