//! Lines of memory become payload whose first byte lies in the lowest bits; a line every clock, never stalled.
//!
//! A beat of payload is the upper part of one line and the lower part of the next. It is held until the next line of its job
//! comes; a job's last beat that needs no further line leaves in the clock after its own.
//!
//! The shape of the job at hand and the place of its next line in it are registers: whether a line is taken hangs on no arithmetic.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 2 | line turned down by the place of the job's first byte |
//! | 2 - 3 | held |
//! | 3 - 4 | joined with the line behind it |

use super::turn::LineTurn;
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
    /// The job at hand, what is left of it with the next line, and that line's place.
    busy: DFF<Bit>,
    shift: DFF<ByteTurn>,
    tail_bytes: DFF<U<7>>,
    lines_left: DFF<U<7>>,
    beats_left: DFF<U<7>>,
    first_line: DFF<Bit>,
    last_line: DFF<Bit>,
    any_beat: DFF<Bit>,
    last_beat: DFF<Bit>,
    take: Signal<Local, Bit>,
    next_job: Signal<Local, Bit>,
    lines: Signal<Local, U<7>>,
    beats: Signal<Local, U<7>>,
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
        // the next job is taken up with the last line of the one before
        self.lines.next = self.shape.data.val().lines;
        self.beats.next = self.shape.data.val().beats;
        self.take.next = self.line.valid.val() & self.busy.q.val();
        self.line.ready.next = self.busy.q.val();
        self.next_job.next = !self.busy.q.val() | (self.take.val() & self.last_line.q.val());
        self.shape.ready.next = self.next_job.val();
        if self.take.val() {
            self.first_line.d.next = false;
            self.lines_left.d.next = self.lines_left.q.val() - 1;
            self.beats_left.d.next = self.beats_left.q.val() - 1;
            self.last_line.d.next = self.lines_left.q.val() == 2;
            self.last_beat.d.next = self.beats_left.q.val() == 2;
            self.any_beat.d.next = self.any_beat.q.val() & !self.last_beat.q.val();
        }
        if self.next_job.val() {
            self.busy.d.next = self.shape.valid.val();
            self.shift.d.next = self.shape.data.val().first_byte;
            self.tail_bytes.d.next = self.shape.data.val().last_bytes;
            self.first_line.d.next = true;
            self.lines_left.d.next = self.lines.val();
            self.beats_left.d.next = self.beats.val();
            self.last_line.d.next = self.lines.val() == 1;
            self.last_beat.d.next = self.beats.val() == 1;
            self.any_beat.d.next = self.beats.val().any();
        }

        // turned down
        self.turn.line.next = self.line.data.val().data;
        self.turn.turn.next = self.shift.q.val();
        self.valid_1.d.next = self.take.val();
        self.bytes.next = 64.into();
        if self.last_beat.q.val() {
            self.bytes.next = self.tail_bytes.q.val();
        }
        self.tag_1.d.next.first_line = self.first_line.q.val();
        self.tag_1.d.next.begins = self.any_beat.q.val();
        self.tag_1.d.next.last_beat = self.last_beat.q.val();
        self.tag_1.d.next.whole = self.last_line.q.val();
        self.tag_1.d.next.failed = self.line.data.val().failed;
        self.tag_1.d.next.count = self.bytes.val();
        self.valid_2.d.next = self.valid_1.q.val();
        self.tag_2.d.next = self.tag_1.q.val();

        // held until it is whole
        self.whole.next = self.held_tag.q.val().whole;
        self.leave.next = self.held.q.val() & (self.whole.val() | self.valid_2.q.val());
        self.joined.next = self.held_data.q.val();
        self.error.next = self.failed.q.val();
        if !self.whole.val() {
            self.joined.next =
                (self.held_data.q.val() & self.turn.moved.val()) | (self.turn.turned.val() & !self.turn.moved.val());
            self.error.next = self.failed.q.val() | self.tag_2.q.val().failed;
        }
        self.payload_valid_r.d.next = self.leave.val();
        self.payload_r.d.next.data = self.joined.val();
        self.payload_r.d.next.count = self.held_tag.q.val().count;
        self.payload_r.d.next.last = self.held_tag.q.val().last_beat;
        self.payload_r.d.next.failed = self.error.val() & self.held_tag.q.val().last_beat;
        if self.leave.val() {
            self.held.d.next = false;
        }
        if self.valid_2.q.val() {
            self.held.d.next = self.tag_2.q.val().begins;
            self.held_data.d.next = self.turn.turned.val();
            self.held_tag.d.next = self.tag_2.q.val();
            self.failed.d.next = self.tag_2.q.val().failed | (self.failed.q.val() & !self.tag_2.q.val().first_line);
        }
        self.payload_valid.next = self.payload_valid_r.q.val();
        self.payload.next = self.payload_r.q.val();
        if self.reset.val() {
            self.busy.d.next = false;
            self.valid_1.d.next = false;
            self.valid_2.d.next = false;
            self.held.d.next = false;
            self.payload_valid_r.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
