//! Payload becomes lines of memory with strobes; a line every clock.
//!
//! The mirror of [`super::read_align`]: a line is the upper part of one beat of payload and the lower part of the next. The job at hand
//! and the place of its next line are registers here too.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 2 | beat turned up by the place of the job's first byte |
//! | 2 - 3 | joined with the beat before |

use super::turn::LineTurn;
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
    pub payload: StreamIn<W<520, 9>>,
    /// Stop: at most four more lines come.
    pub crowded: Signal<In, Bit>,
    /// There is a line.
    pub line_valid: Signal<Out, Bit>,
    /// It.
    pub line: Signal<Out, WriteLine>,
    /// The job at hand, what is left of it with the next line, and that line's place.
    busy: DFF<Bit>,
    shift: DFF<ByteTurn>,
    end_bytes: DFF<U<7>>,
    lines_left: DFF<U<7>>,
    beats_left: DFF<U<7>>,
    page_line: DFF<U<6>>,
    first_line: DFF<Bit>,
    last_line: DFF<Bit>,
    page_end: DFF<Bit>,
    brings: DFF<Bit>,
    go: Signal<Local, Bit>,
    next_job: Signal<Local, Bit>,
    lines: Signal<Local, U<7>>,
    beats: Signal<Local, U<7>>,
    start_line: Signal<Local, U<6>>,
    head: Signal<Local, U<64>>,
    tail: Signal<Local, U<64>>,
    beat: Signal<Local, BufferedPayload>,
    /// Up by the place of the job's first byte is down by the rest of a line.
    place: Signal<Local, U<6>>,
    down: DFF<ByteTurn>,
    straight: DFF<Bit>,
    straight_1: DFF<Bit>,
    straight_2: DFF<Bit>,
    turn: LineTurn,
    valid_1: DFF<Bit>,
    shift_1: DFF<ByteTurn>,
    end_bytes_1: DFF<U<7>>,
    starts_1: DFF<Bit>,
    ends_1: DFF<Bit>,
    last_1: DFF<Bit>,
    valid_2: DFF<Bit>,
    strobe_2: DFF<U<64>>,
    last_2: DFF<Bit>,
    previous: DFF<W<512, 8>>,
    valid_3: DFF<Bit>,
    line_3: DFF<WriteLine>,
}

#[kernel]
impl Logic for WriteAlign {
    fn update(&mut self) {
        // the next job is taken up with the last line of the one before; the line behind the last beat brings none
        self.lines.next = self.shape.data.val().lines;
        self.beats.next = self.shape.data.val().beats;
        self.start_line.next = self.shape.data.val().first_line;
        self.place.next = bit_cast_number::<6, ByteTurn>(self.shape.data.val().first_byte);
        self.go.next = self.busy.q.val() & !self.crowded.val() & (self.payload.valid.val() | !self.brings.q.val());
        self.payload.ready.next = self.busy.q.val() & !self.crowded.val() & self.brings.q.val();
        self.next_job.next = !self.busy.q.val() | (self.go.val() & self.last_line.q.val());
        self.shape.ready.next = self.next_job.val();
        if self.go.val() {
            self.first_line.d.next = false;
            self.lines_left.d.next = self.lines_left.q.val() - 1;
            self.beats_left.d.next = self.beats_left.q.val() - 1;
            self.page_line.d.next = self.page_line.q.val() + 1;
            self.last_line.d.next = self.lines_left.q.val() == 2;
            self.brings.d.next = self.brings.q.val() & (self.beats_left.q.val() != 1);
            self.page_end.d.next = self.page_line.q.val() == 62;
        }
        if self.next_job.val() {
            self.busy.d.next = self.shape.valid.val();
            self.shift.d.next = self.shape.data.val().first_byte;
            self.down.d.next = bit_cast_word::<ByteTurn, U<6>>(bit_cast_u::<6, 1>(0.into()) - self.place.val());
            self.straight.d.next = self.place.val() == 0;
            self.end_bytes.d.next = self.shape.data.val().end_bytes;
            self.first_line.d.next = true;
            self.lines_left.d.next = self.lines.val();
            self.beats_left.d.next = self.beats.val();
            self.page_line.d.next = self.start_line.val();
            self.last_line.d.next = self.lines.val() == 1;
            self.brings.d.next = self.beats.val().any();
            self.page_end.d.next = self.start_line.val().all();
        }

        // turned up
        self.beat.next = bit_cast_word::<BufferedPayload, W<520, 9>>(self.payload.data.val());
        self.turn.line.next = self.beat.val().data;
        self.turn.turn.next = self.down.q.val();
        self.straight_1.d.next = self.straight.q.val();
        self.straight_2.d.next = self.straight_1.q.val();
        self.valid_1.d.next = self.go.val();
        self.shift_1.d.next = self.shift.q.val();
        self.end_bytes_1.d.next = self.end_bytes.q.val();
        self.starts_1.d.next = self.first_line.q.val();
        self.ends_1.d.next = self.last_line.q.val();
        self.last_1.d.next = self.last_line.q.val() | self.page_end.q.val();
        self.head.next = !bit_cast_u::<64, 1>(0.into());
        if self.starts_1.q.val() {
            self.head.next = !bit_cast_u::<64, 1>(0.into()) << bit_cast_number::<6, ByteTurn>(self.shift_1.q.val());
        }
        self.tail.next = !bit_cast_u::<64, 1>(0.into());
        if self.ends_1.q.val() {
            self.tail.next = !(!bit_cast_u::<64, 1>(0.into()) << self.end_bytes_1.q.val());
        }
        self.valid_2.d.next = self.valid_1.q.val();
        self.strobe_2.d.next = self.head.val() & self.tail.val();
        self.last_2.d.next = self.last_1.q.val();
        if self.valid_2.q.val() {
            self.previous.d.next = self.turn.turned.val();
        }
        self.valid_3.d.next = self.valid_2.q.val();
        self.line_3.d.next.data =
            (self.turn.turned.val() & !self.turn.moved.val()) | (self.previous.q.val() & self.turn.moved.val());
        if self.straight_2.q.val() {
            self.line_3.d.next.data = self.turn.turned.val();
        }
        self.line_3.d.next.strobe = self.strobe_2.q.val();
        self.line_3.d.next.last = self.last_2.q.val();
        self.line_valid.next = self.valid_3.q.val();
        self.line.next = self.line_3.q.val();
        if self.reset.val() {
            self.busy.d.next = false;
            self.valid_1.d.next = false;
            self.valid_2.d.next = false;
            self.valid_3.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
