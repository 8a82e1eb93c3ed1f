//! A job of the memory reader or writer becomes one burst, or two where it crosses a 4 KiB page.
//!
//! Bursts are made of whole 64-byte lines: the strobes of a write and the alignment of a read decide about bytes.

use crate::nic::words::DmaJob;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_u, bits_u, U};
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
    /// From bit 0 up: first byte in its line 6, lines 7, beats of payload 7, bytes of the last beat of payload 7, bytes
    /// used of the last line 7, number of the first line in its page 6.
    pub shape: Signal<Out, U<40>>,
    /// A burst.
    pub burst_valid: Signal<Out, Bit>,
    /// Lines less one, then the number of the first line (address / 64).
    pub burst: Signal<Out, U<64>>,
    /// Last burst of its job.
    pub burst_last: Signal<Out, Bit>,
    full: DFF<Bit>,
    second: DFF<Bit>,
    line: DFF<U<58>>,
    lines_less_one: DFF<U<7>>,
    room_less_one: DFF<U<6>>,
    shape_r: DFF<U<40>>,
    address: Signal<Local, U<64>>,
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
    first_line: Signal<Local, U<58>>,
}

#[kernel]
impl Logic for JobSplit {
    fn update(&mut self) {
        // bursts of the job held
        self.crossing.next = self.lines_less_one.q.val() > bit_cast_u::<7, 6>(self.room_less_one.q.val());
        self.last.next = self.second.q.val() | !self.crossing.val();
        self.go.next = self.full.q.val() & self.open.val();
        self.count_less_one.next = self.lines_less_one.q.val();
        self.first_line.next = self.line.q.val();
        if self.second.q.val() {
            self.count_less_one.next = self.lines_less_one.q.val() + !bit_cast_u::<7, 6>(self.room_less_one.q.val());
            self.first_line.next = bit_cast_u::<58, 52>(self.line.q.val().get_bits::<52>(6) + 1) << 6;
        } else {
            if self.crossing.val() {
                self.count_less_one.next = bit_cast_u::<7, 6>(self.room_less_one.q.val());
            }
        }
        self.burst.next = (bit_cast_u::<64, 58>(self.first_line.val()) << 6)
            | bit_cast_u::<64, 6>(self.count_less_one.val().get_bits::<6>(0));
        self.burst_valid.next = self.go.val();
        self.burst_last.next = self.last.val();
        self.shape.next = self.shape_r.q.val();
        self.shape_valid.next = self.go.val() & !self.second.q.val();
        self.taken.next = !self.full.q.val() | (self.go.val() & self.last.val());
        self.job.ready.next = self.taken.val();
        if self.go.val() {
            self.second.d.next = true;
        }

        // the next job's measures
        self.address.next = self.job.data.val().get_bits::<64>(0);
        self.length.next = self.job.data.val().get_bits::<13>(64);
        self.past.next = bit_cast_u::<13, 6>(self.address.val().get_bits::<6>(0)) + self.length.val();
        self.lines_up.next = self.past.val() + 63;
        self.beats_up.next = self.length.val() + 63;
        self.past_less_one.next = self.past.val() - 1;
        // bytes of the last beat, and of the last line up to its end: 1 to 64
        self.last_bytes.next = bit_cast_u::<7, 6>(self.length.val().get_bits::<6>(0));
        if self.length.val().get_bits::<6>(0) == 0 {
            self.last_bytes.next = bits_u::<7>(64);
        }
        self.end_bytes.next = bit_cast_u::<7, 6>(self.past.val().get_bits::<6>(0));
        if self.past.val().get_bits::<6>(0) == 0 {
            self.end_bytes.next = bits_u::<7>(64);
        }
        if self.taken.val() {
            self.full.d.next = self.job.valid.val();
            self.second.d.next = false;
            self.line.d.next = self.address.val().get_bits::<58>(6);
            self.lines_less_one.d.next = self.past_less_one.val().get_bits::<7>(6);
            self.room_less_one.d.next = !self.address.val().get_bits::<6>(6);
            self.shape_r.d.next = bit_cast_u::<40, 6>(self.address.val().get_bits::<6>(0))
                | (bit_cast_u::<40, 7>(self.lines_up.val().get_bits::<7>(6)) << 6)
                | (bit_cast_u::<40, 7>(self.beats_up.val().get_bits::<7>(6)) << 13)
                | (bit_cast_u::<40, 7>(self.last_bytes.val()) << 20)
                | (bit_cast_u::<40, 7>(self.end_bytes.val()) << 27)
                | (bit_cast_u::<40, 6>(self.address.val().get_bits::<6>(6)) << 34);
        }
        if self.reset.val() {
            self.full.d.next = false;
            self.second.d.next = false;
        }
    }
}
