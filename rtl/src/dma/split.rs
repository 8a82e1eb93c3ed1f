//! A job of the memory reader or writer becomes one burst, or two where it crosses a 4 KiB page.
//!
//! Bursts are made of whole 64-byte lines: the strobes of a write and the alignment of a read decide about bytes.

use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::dma::{Burst, ByteAddress, BytePlace, ByteTurn, DmaJob, JobShape, LineCount, LineNumber, PageCount};
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
    #[registers(Bit:
        /// A job is held.
        full,
        /// The first burst of the job has left, the second one follows.
        second,
        /// The job crosses a page of 4 KiB, so that it has two bursts.
        crossing)]
    #[signals(LineCount: length_parts, lines_up_parts, beats_up_parts, past_less_one_parts)]
    #[signals(U<13>: length, past, past_in_page, lines_up, beats_up, past_less_one)]
    #[signals(U<7>: last_bytes, count_less_one)]
    #[signals(Bit: last, go, taken)]
    in_page: Signal<Local, BytePlace>,
    page_parts: Signal<Local, PageCount>,
    /// First line of the job.
    line: DFF<LineNumber>,
    /// Lines of the whole job, less one.
    lines_less_one: DFF<U<7>>,
    /// Lines from the first one to the end of its page, less one.
    room_less_one: DFF<U<6>>,
    /// Where the job begins and ends in its lines.
    shape_r: DFF<JobShape>,
    taking: Signal<Local, DmaJob>,
    address: Signal<Local, ByteAddress>,
    first_line: Signal<Local, LineNumber>,
}

#[kernel]
impl Logic for JobSplit {
    fn update(&mut self) {
        // bursts of the job held
        last = second | !crossing;
        go = full & open;
        assign!(count_less_one = lines_less_one, first_line = line);
        if second {
            count_less_one = lines_less_one + !bit_cast_u::<7, 6>(room_less_one);
            first_line.in_page = bits_u::<6>(0);
            first_line.page = line.page + 1;
        } else {
            if crossing {
                count_less_one = bit_cast_u::<7, 6>(room_less_one);
            }
        }
        burst.line = first_line;
        burst.lines_less_one = bit_cast_u::<6, 7>(count_less_one);
        assign!(burst_valid = go, burst_last = last, shape = shape_r);
        shape_valid = go & !second;
        taken = !full | (go & last);
        job.ready = taken;
        if go {
            second = true;
        }

        // the next job's measures
        taking = job.data;
        address = bit_cast_word::<ByteAddress, U<64>>(taking.address);
        length = taking.length;
        past = bit_cast_u::<13, 6>(address.in_line) + length;
        lines_up = past + 63;
        beats_up = length + 63;
        past_less_one = past - 1;
        // does it go on in the next page? 4096 bytes of its page are no byte of the next
        fields!(in_page: in_line = address.in_line, line = address.line.in_page);
        past_in_page = bit_cast_u::<13, 12>(bit_cast_number::<12, BytePlace>(in_page)) + length;
        page_parts = bit_cast_word::<PageCount, U<13>>(past_in_page);
        length_parts = bit_cast_word::<LineCount, U<13>>(length);
        lines_up_parts = bit_cast_word::<LineCount, U<13>>(lines_up);
        beats_up_parts = bit_cast_word::<LineCount, U<13>>(beats_up);
        past_less_one_parts = bit_cast_word::<LineCount, U<13>>(past_less_one);
        // 1 to 64
        last_bytes = if length_parts.bytes == 0 { bits_u::<7>(64) } else { bit_cast_u::<7, 6>(length_parts.bytes) };
        if taken {
            full = job.valid;
            second = false;
            assign!(line.d = address.line, lines_less_one.d = past_less_one_parts.lines);
            crossing = page_parts.pages & page_parts.bytes.any();
            room_less_one = !address.line.in_page;
            shape_r.first_byte = bit_cast_word::<ByteTurn, U<6>>(address.in_line);
            fields!(shape_r.d:
                lines = lines_up_parts.lines, beats = beats_up_parts.lines, last_bytes);
        }
        reset!(full, second);
    }
}
