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
    #[registers(Bit:
        /// Lines of a job are walked over.
        busy_r,
        /// The next line is the first one of its job.
        first_line_r,
        /// The next line is the last one of its job.
        last_line_r,
        /// The next line begins a beat.
        any_beat_r,
        /// The beat that the next line begins is the last one of its job.
        last_beat_r)]
    #[signals(U<7>: lines, beats)]
    /// Lines of the job with the next one.
    lines_left: DFF<U<7>>,
    /// Beats of payload of the job with that of the next line.
    beats_left: DFF<U<7>>,
    takes: Signal<Local, Bit>,
}

#[kernel]
impl Logic for JobWalk {
    fn update(&mut self) {
        lines = shape.data.val().lines;
        beats = shape.data.val().beats;
        takes = !busy_r | (step & last_line_r);
        assign!(next_job = takes, shape.ready = takes, busy = busy_r);
        assign! {
            first_line = first_line_r, last_line = last_line_r, any_beat = any_beat_r, last_beat = last_beat_r
        }
        if step {
            first_line_r = false;
            lines_left = lines_left - 1;
            beats_left = beats_left - 1;
            last_line_r = lines_left == 2;
            last_beat_r = beats_left == 2;
            any_beat_r = any_beat_r & !last_beat_r;
        }
        if takes {
            busy_r = shape.valid;
            first_line_r = true;
            assign!(lines_left.d = lines, beats_left.d = beats);
            last_line_r = lines == 1;
            last_beat_r = beats == 1;
            any_beat_r = beats.any();
        }
        if reset {
            clear!(busy_r);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
