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
    walk: JobWalk,
    shift: DFF<ByteTurn>,
    tail_bytes: DFF<U<7>>,
    take: Signal<Local, Bit>,
    turn: LineTurn,
    valid_1: DFF<Bit>,
    tag_1: DFF<LinePlan>,
    valid_2: DFF<Bit>,
    tag_2: DFF<LinePlan>,
    held: DFF<Bit>,
    held_data: DFF<W<512, 8>>,
    held_tag: DFF<LinePlan>,
    failed: DFF<Bit>,
    leave: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    joined: Signal<Local, W<512, 8>>,
    bytes: Signal<Local, U<7>>,
    error: Signal<Local, Bit>,
    payload_r: DFF<PayloadBeat>,
    payload_valid_r: DFF<Bit>,
}

#[kernel]
impl Logic for ReadAlign {
    fn update(&mut self) {
        StreamIn::<JobShape>::link(&mut self.shape, &mut self.walk.shape);
        self.take.next = self.line.valid.val() & self.walk.busy.val();
        self.line.ready.next = self.walk.busy.val();
        inputs!(walk: reset, step = take);
        if self.walk.next_job.val() {
            self.shift.d.next = self.shape.data.val().first_byte;
            self.tail_bytes.d.next = self.shape.data.val().last_bytes;
        }

        // turned down
        self.turn.line.next = self.line.data.val().data;
        self.turn.turn.next = self.shift.q.val();
        self.valid_1.d.next = self.take.val();
        self.bytes.next = 64.into();
        if self.walk.last_beat.val() {
            self.bytes.next = self.tail_bytes.q.val();
        }
        fields!(tag_1.d from walk: first_line, begins = any_beat, last_beat, whole = last_line);
        self.tag_1.d.next.failed = self.line.data.val().failed;
        self.tag_1.d.next.count = self.bytes.val();
        advance!(valid_2, tag_2);

        // held until it is whole
        self.whole.next = self.held_tag.q.val().whole;
        self.leave.next = self.held.q.val() & (self.whole.val() | self.valid_2.q.val());
        assign!(joined = held_data, error = failed);
        if !self.whole.val() {
            self.joined.next =
                (self.held_data.q.val() & self.turn.moved.val()) | (self.turn.turned.val() & !self.turn.moved.val());
            self.error.next = self.failed.q.val() | self.tag_2.q.val().failed;
        }
        self.payload_valid_r.d.next = self.leave.val();
        fields!(payload_r.d: data = joined, count = held_tag.count, last = held_tag.last_beat);
        self.payload_r.d.next.failed = self.error.val() & self.held_tag.q.val().last_beat;
        if self.leave.val() {
            self.held.d.next = false;
        }
        if self.valid_2.q.val() {
            assign!(held.d = tag_2.begins, held_data.d = turn.turned, held_tag.d = tag_2);
            self.failed.d.next = self.tag_2.q.val().failed | (self.failed.q.val() & !self.tag_2.q.val().first_line);
        }
        assign!(payload_valid = payload_valid_r, payload = payload_r);
        reset!(valid_1, valid_2, held, payload_valid_r);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
