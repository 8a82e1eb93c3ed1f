//! Memory writer: jobs and their payload in, one token a job out when the memory has taken all of it. AXI4 write master of
//! 512 bits.
//!
//! All bursts carry one identifier, so responses come in order. Addresses and data go their own ways, as AXI has it: while many responses
//! are due a burst's data may be ahead of its address.

use super::split::JobSplit;
use crate::prim::axi::AxiWriteOut;
use crate::prim::fifo::StreamFifo;
use crate::prim::lut_fifo::LutFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::words::dma::DmaJob;
use crate::words::dma::{AxiResponse, Burst, ByteAddress, WriteLine};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Writer with 64 bursts outstanding at most.
#[block]
pub struct DmaWriter {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high; no write may be outstanding.
    pub reset: Signal<In, Bit>,
    /// Jobs of 1 to 4096 bytes.
    pub job: StreamIn<DmaJob>,
    /// Their payload in the lines of memory that it goes to, as the packet buffer makes them: it goes on as it comes, by wire.
    pub payload: StreamIn<WriteLine>,
    /// One a job, in order, after the response of its last burst: a bus error happened.
    pub written: StreamOut<U<1>>,
    /// Pulse: memory has taken a job whole, or refused it; a clock after its last response.
    pub job_done: Signal<Out, Bit>,
    /// Memory: writes with identifier 0, so that responses come in order, of whole 64-byte lines that cross no 4 KiB; `bid` is not looked at.
    pub m_axi: AxiWriteOut,
    #[signals(Bit: ends, response, error)]
    split: JobSplit,
    bursts: LutFifo<Burst, 5, 16>,
    pending: StreamFifo<U<1>, 6, 32>,
    tokens: StreamFifo<U<1>, 5, 16>,
    start: Signal<Local, ByteAddress>,
    line: Signal<Local, WriteLine>,
    #[registers(Bit:
        /// A burst of the job was answered with an error.
        failed,
        /// A job has ended, for one clock.
        job_done_r)]
    answer: Signal<Local, AxiResponse>,
}

#[kernel]
impl Logic for DmaWriter {
    fn update(&mut self) {
        inputs!([split, bursts, pending, tokens]: reset);

        StreamIn::<DmaJob>::link(&mut job, &mut split.job);
        split.open = bursts.up.ready & pending.up.ready;
        inputs!(bursts from split: up.data = burst, up.valid = burst_valid);
        pending.up.data = bit_cast_b(split.burst_last);
        pending.up.valid = split.burst_valid;

        // addresses
        start = bits_zero::<ByteAddress>(0);
        start.line = bursts.down.data.val().line;
        m_axi.aw.id = 0.into();
        m_axi.aw.addr = bit_cast_number::<64, ByteAddress>(start);
        m_axi.aw.len = bit_cast_u::<8, 6>(bursts.down.data.val().lines_less_one);
        m_axi.aw.size = 6.into();
        m_axi.aw.burst = 1.into();
        m_axi.aw.lock = false;
        m_axi.aw.cache = 3.into();
        m_axi.aw.prot = 2.into();
        m_axi.aw.valid = bursts.down.valid;
        bursts.down.ready = m_axi.aw.ready;

        // data
        line = payload.data;
        assign! {
            m_axi.w.data = line.data, m_axi.w.strb = line.strobe, m_axi.w.last = line.last
        }
        m_axi.w.valid = payload.valid;
        payload.ready = m_axi.w.ready;

        // responses: the last one of a job makes its token
        ends = pending.down.data.any();
        m_axi.b.ready = pending.down.valid & tokens.up.ready;
        response = m_axi.b.valid & pending.down.valid & tokens.up.ready;
        pending.down.ready = response;
        answer = bit_cast_word::<AxiResponse, U<2>>(m_axi.b.resp);
        error = failed | answer.error;
        if response {
            failed = error & !ends;
        }
        tokens.up.data = bit_cast_b(error);
        tokens.up.valid = response & ends;
        StreamOut::<U<1>>::link(&mut written, &mut tokens.down);
        job_done_r = response & ends;
        job_done = job_done_r;
        reset!(failed, job_done_r);
    }
}
