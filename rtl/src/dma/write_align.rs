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
    pub payload: StreamIn<W<520, 9>>,
    /// Stop: at most four more lines come.
    pub crowded: Signal<In, Bit>,
    /// There is a line.
    pub line_valid: Signal<Out, Bit>,
    /// It.
    pub line: Signal<Out, WriteLine>,
    walk: JobWalk,
    shift: DFF<ByteTurn>,
    end_bytes: DFF<U<7>>,
    /// Number of the next line in its page, and that it is the page's last.
    page_line: DFF<U<6>>,
    page_end: DFF<Bit>,
    go: Signal<Local, Bit>,
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
        // the line behind the last beat brings none
        StreamIn::<JobShape>::link(&mut self.shape, &mut self.walk.shape);
        self.start_line.next = self.shape.data.val().first_line;
        self.place.next = bit_cast_number::<6, ByteTurn>(self.shape.data.val().first_byte);
        self.go.next =
            self.walk.busy.val() & !self.crowded.val() & (self.payload.valid.val() | !self.walk.any_beat.val());
        self.payload.ready.next = self.walk.busy.val() & !self.crowded.val() & self.walk.any_beat.val();
        inputs!(walk: reset, step = go);
        if self.go.val() {
            self.page_line.d.next = self.page_line.q.val() + 1;
            self.page_end.d.next = self.page_line.q.val() == 62;
        }
        if self.walk.next_job.val() {
            self.shift.d.next = self.shape.data.val().first_byte;
            self.down.d.next = bit_cast_word::<ByteTurn, U<6>>(bit_cast_u::<6, 1>(0.into()) - self.place.val());
            self.straight.d.next = self.place.val() == 0;
            self.end_bytes.d.next = self.shape.data.val().end_bytes;
            self.page_line.d.next = self.start_line.val();
            self.page_end.d.next = self.start_line.val().all();
        }

        // turned up
        self.beat.next = bit_cast_word::<BufferedPayload, W<520, 9>>(self.payload.data.val());
        inputs!(turn: line = beat.data, turn = down);
        self.straight_1.d.next = self.straight.q.val();
        self.straight_2.d.next = self.straight_1.q.val();
        assign! {
            valid_1.d = go, shift_1.d = shift, end_bytes_1.d = end_bytes, starts_1.d = walk.first_line,
            ends_1.d = walk.last_line
        }
        self.last_1.d.next = self.walk.last_line.val() | self.page_end.q.val();
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
        fields!(line_3.d: strobe = strobe_2, last = last_2);
        assign!(line_valid = valid_3, line = line_3);
        reset!(valid_1, valid_2, valid_3);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
