//! The job at hand of an aligner, line by line.

use crate::emit::naming::named_inside;
use crate::prim::skid::StreamIn;
use crate::prim::uint::U;
use crate::words::dma::JobShape;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Takes up one job after the other, each with the last line of the one before. What is said of the next line is said by registers:
/// whether a line moves hangs on no arithmetic.
#[block]
pub struct JobWalk {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Jobs in the order of their lines, as [`super::split::JobSplit`] describes them.
    pub shape: StreamIn<JobShape>,
    /// A line of the job moves; only while `busy`.
    pub step: Signal<In, Bit>,
    /// There is a job.
    pub busy: Signal<Out, Bit>,
    /// The next job is taken up with this clock's edge, if there is one.
    pub next_job: Signal<Out, Bit>,
    /// Its next line is its first.
    pub first_line: Signal<Out, Bit>,
    /// Its next line is its last.
    pub last_line: Signal<Out, Bit>,
    /// With its next line goes a beat of payload.
    pub any_beat: Signal<Out, Bit>,
    /// With its next line goes its last beat of payload.
    pub last_beat: Signal<Out, Bit>,
    busy_r: DFF<Bit>,
    /// Lines of the job with the next one.
    lines_left: DFF<U<7>>,
    /// Beats of payload of the job with that of the next line.
    beats_left: DFF<U<7>>,
    first_line_r: DFF<Bit>,
    last_line_r: DFF<Bit>,
    any_beat_r: DFF<Bit>,
    last_beat_r: DFF<Bit>,
    takes: Signal<Local, Bit>,
    lines: Signal<Local, U<7>>,
    beats: Signal<Local, U<7>>,
}

#[kernel]
impl Logic for JobWalk {
    fn update(&mut self) {
        self.lines.next = self.shape.data.val().lines;
        self.beats.next = self.shape.data.val().beats;
        self.takes.next = !self.busy_r.q.val() | (self.step.val() & self.last_line_r.q.val());
        assign!(next_job = takes, shape.ready = takes, busy = busy_r);
        assign! {
            first_line = first_line_r, last_line = last_line_r, any_beat = any_beat_r, last_beat = last_beat_r
        }
        if self.step.val() {
            self.first_line_r.d.next = false;
            self.lines_left.d.next = self.lines_left.q.val() - 1;
            self.beats_left.d.next = self.beats_left.q.val() - 1;
            self.last_line_r.d.next = self.lines_left.q.val() == 2;
            self.last_beat_r.d.next = self.beats_left.q.val() == 2;
            self.any_beat_r.d.next = self.any_beat_r.q.val() & !self.last_beat_r.q.val();
        }
        if self.takes.val() {
            self.busy_r.d.next = self.shape.valid.val();
            self.first_line_r.d.next = true;
            assign!(lines_left.d = lines, beats_left.d = beats);
            self.last_line_r.d.next = self.lines.val() == 1;
            self.last_beat_r.d.next = self.beats.val() == 1;
            self.any_beat_r.d.next = self.beats.val().any();
        }
        if self.reset.val() {
            clear!(busy_r);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
