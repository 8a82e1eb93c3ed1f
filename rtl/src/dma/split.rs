//! A job of the memory reader or writer becomes one burst, or two where it crosses a 4 KiB page.
//!
//! Bursts are made of whole 64-byte lines: the strobes of a write and the alignment of a read decide about bytes.

use crate::nic::words::DmaJob;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::dma::{Burst, ByteAddress, ByteTurn, DmaJob as Job, JobShape, LineCount, LineNumber};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// A job's first burst leaves one clock after the job is taken, its second one in the clock after that.
#[block]
pub struct JobSplit {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Jobs of 1 to 4096 bytes.
    pub job: StreamIn<DmaJob>,
    /// Everything that `burst` and `shape` go to takes them in this clock.
    pub open: Signal<In, Bit>,
    /// The first or only burst of a job, with `shape`.
    pub shape_valid: Signal<Out, Bit>,
    /// How the job lies in lines.
    pub shape: Signal<Out, JobShape>,
    /// A burst.
    pub burst_valid: Signal<Out, Bit>,
    /// It.
    pub burst: Signal<Out, Burst>,
    /// Last burst of its job.
    pub burst_last: Signal<Out, Bit>,
    full: DFF<Bit>,
    second: DFF<Bit>,
    line: DFF<LineNumber>,
    lines_less_one: DFF<U<7>>,
    room_less_one: DFF<U<6>>,
    shape_r: DFF<JobShape>,
    taking: Signal<Local, Job>,
    address: Signal<Local, ByteAddress>,
    length_parts: Signal<Local, LineCount>,
    past_parts: Signal<Local, LineCount>,
    lines_up_parts: Signal<Local, LineCount>,
    beats_up_parts: Signal<Local, LineCount>,
    past_less_one_parts: Signal<Local, LineCount>,
    length: Signal<Local, U<13>>,
    past: Signal<Local, U<13>>,
    lines_up: Signal<Local, U<13>>,
    beats_up: Signal<Local, U<13>>,
    past_less_one: Signal<Local, U<13>>,
    last_bytes: Signal<Local, U<7>>,
    end_bytes: Signal<Local, U<7>>,
    crossing: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    count_less_one: Signal<Local, U<7>>,
    first_line: Signal<Local, LineNumber>,
}

#[kernel]
impl Logic for JobSplit {
    fn update(&mut self) {
        // bursts of the job held
        self.crossing.next = self.lines_less_one.q.val() > bit_cast_u::<7, 6>(self.room_less_one.q.val());
        self.last.next = self.second.q.val() | !self.crossing.val();
        self.go.next = self.full.q.val() & self.open.val();
        assign!(count_less_one = lines_less_one, first_line = line);
        if self.second.q.val() {
            self.count_less_one.next = self.lines_less_one.q.val() + !bit_cast_u::<7, 6>(self.room_less_one.q.val());
            self.first_line.next.in_page = bits_u::<6>(0);
            self.first_line.next.page = self.line.q.val().page + 1;
        } else {
            if self.crossing.val() {
                self.count_less_one.next = bit_cast_u::<7, 6>(self.room_less_one.q.val());
            }
        }
        self.burst.next.line = self.first_line.val();
        self.burst.next.lines_less_one = bit_cast_u::<6, 7>(self.count_less_one.val());
        assign!(burst_valid = go, burst_last = last, shape = shape_r);
        self.shape_valid.next = self.go.val() & !self.second.q.val();
        self.taken.next = !self.full.q.val() | (self.go.val() & self.last.val());
        self.job.ready.next = self.taken.val();
        if self.go.val() {
            self.second.d.next = true;
        }

        // the next job's measures
        self.taking.next = bit_cast_word::<Job, DmaJob>(self.job.data.val());
        self.address.next = bit_cast_word::<ByteAddress, U<64>>(self.taking.val().address);
        self.length.next = self.taking.val().length;
        self.past.next = bit_cast_u::<13, 6>(self.address.val().in_line) + self.length.val();
        self.lines_up.next = self.past.val() + 63;
        self.beats_up.next = self.length.val() + 63;
        self.past_less_one.next = self.past.val() - 1;
        self.length_parts.next = bit_cast_word::<LineCount, U<13>>(self.length.val());
        self.past_parts.next = bit_cast_word::<LineCount, U<13>>(self.past.val());
        self.lines_up_parts.next = bit_cast_word::<LineCount, U<13>>(self.lines_up.val());
        self.beats_up_parts.next = bit_cast_word::<LineCount, U<13>>(self.beats_up.val());
        self.past_less_one_parts.next = bit_cast_word::<LineCount, U<13>>(self.past_less_one.val());
        // bytes of the last beat, and of the last line up to its end: 1 to 64
        self.last_bytes.next = bit_cast_u::<7, 6>(self.length_parts.val().bytes);
        if self.length_parts.val().bytes == 0 {
            self.last_bytes.next = bits_u::<7>(64);
        }
        self.end_bytes.next = bit_cast_u::<7, 6>(self.past_parts.val().bytes);
        if self.past_parts.val().bytes == 0 {
            self.end_bytes.next = bits_u::<7>(64);
        }
        if self.taken.val() {
            self.full.d.next = self.job.valid.val();
            self.second.d.next = false;
            assign!(line.d = address.line, lines_less_one.d = past_less_one_parts.lines);
            self.room_less_one.d.next = !self.address.val().line.in_page;
            self.shape_r.d.next.first_byte = bit_cast_word::<ByteTurn, U<6>>(self.address.val().in_line);
            fields!(shape_r.d:
                lines = lines_up_parts.lines, beats = beats_up_parts.lines, last_bytes, end_bytes,
                first_line = address.line.in_page);
        }
        reset!(full, second);
    }
}
