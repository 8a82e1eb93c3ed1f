//! Memory reader: jobs in, their bytes out as payload in the same order. AXI4 read master of 512 bits.
//!
//! All bursts carry one identifier, so data comes in order. A job's bursts are asked for only when the payload FIFO has room for
//! all of it, so `rready` falls only while there is no job to read for. 28 KiB and more are outstanding: memory that answers within 2.3 us
//! keeps a wire of 100 Gb/s busy.

use super::read_align::ReadAlign;
use super::split::JobSplit;
use crate::prim::axi::AxiReadOut;
use crate::prim::fifo::StreamFifo;
use crate::prim::lut_fifo::LutFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::words::dma::DmaJob;
use crate::words::dma::{AxiResponse, Burst, ByteAddress, JobShape, ReadLine};
use crate::words::tx::PayloadBeat;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Beats of payload that the FIFO holds; a job of up to 64 beats is admitted while at most 448 are promised.
pub const READ_BEATS: usize = 512;
/// Jobs outstanding at most.
pub const READ_JOBS: usize = 34;

/// Reader with a buffer of 32 KiB.
#[block]
pub struct DmaReader {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high; no read may be outstanding.
    pub reset: Signal<In, Bit>,
    /// Jobs of 1 to 4096 bytes.
    pub job: StreamIn<DmaJob>,
    /// 512 bits of data, 7 bits number of bytes, last beat of its job, bus error in this job (on its last beat).
    pub payload: StreamOut<PayloadBeat>,
    /// Pulse: memory has given all that a job asked for.
    pub job_done: Signal<Out, Bit>,
    /// Memory: reads with identifier 0, so that data comes in order, of whole 64-byte lines that cross no 4 KiB; `rid` and `rlast` are not
    /// looked at, beats are counted.
    pub m_axi: AxiReadOut,
    split: JobSplit,
    bursts: LutFifo<Burst, 5, 16>,
    shapes: LutFifo<JobShape, 5, 16>,
    align: ReadAlign,
    beats: StreamFifo<PayloadBeat, 9, 448>,
    start: Signal<Local, ByteAddress>,
    line: Signal<Local, ReadLine>,
    response: Signal<Local, AxiResponse>,
    /// Beats that wait in `beats`, and beats of jobs under way, for which its room is promised.
    promised: DFF<U<10>>,
    /// A job's beats have room, also behind those of a job that is admitted in the clock before.
    room: DFF<Bit>,
    grown: Signal<Local, U<10>>,
    leaves: Signal<Local, Bit>,
    /// A job has ended, for one clock.
    job_done_r: DFF<Bit>,
}

#[kernel]
impl Logic for DmaReader {
    fn update(&mut self) {
        inputs!([split, bursts, shapes, align, beats]: reset);

        StreamIn::<DmaJob>::link(&mut job, &mut split.job);
        split.open = bursts.up.ready & shapes.up.ready & room;
        inputs!(bursts from split: up.data = burst, up.valid = burst_valid);
        inputs!(shapes from split: up.data = shape, up.valid = shape_valid);

        // one address a burst
        start = bits_zero::<ByteAddress>(0);
        start.line = bursts.down.data.val().line;
        m_axi.ar.id = 0.into();
        m_axi.ar.addr = bit_cast_number::<64, ByteAddress>(start);
        m_axi.ar.len = bit_cast_u::<8, 6>(bursts.down.data.val().lines_less_one);
        m_axi.ar.size = 6.into();
        m_axi.ar.burst = 1.into();
        m_axi.ar.lock = false;
        m_axi.ar.cache = 3.into();
        m_axi.ar.prot = 2.into();
        m_axi.ar.valid = bursts.down.valid;
        bursts.down.ready = m_axi.ar.ready;

        inputs!(align from shapes: shape.data = down.data, shape.valid = down.valid);
        shapes.down.ready = align.shape.ready;
        response = bit_cast_word::<AxiResponse, U<2>>(m_axi.r.resp);
        fields!(line: data = m_axi.r.data, failed = response.error);
        inputs!(align: line.data = line, line.valid = m_axi.r.valid);
        m_axi.r.ready = align.line.ready;
        job_done_r = align.payload_valid & align.payload.val().last;
        job_done = job_done_r;
        beats.up.data = align.payload;
        beats.up.valid = align.payload_valid;
        StreamOut::<PayloadBeat>::link(&mut payload, &mut beats.down);

        // room promised to the reads under way
        leaves = beats.down.valid & payload.ready;
        grown = if split.shape_valid { promised + bit_cast_u::<10, 7>(split.shape.val().beats) } else { promised };
        promised = if leaves { grown - 1 } else { grown };
        // known without the sum
        room = (promised <= bits_u::<10>(448)) & (!split.shape_valid | (promised <= bits_u::<10>(384)));
        reset!(promised, room, job_done_r);
    }
}
