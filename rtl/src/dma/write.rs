//! Memory writer: jobs and their payload in, one token a job out when the memory has taken all of it. AXI4 write master of
//! 512 bits.
//!
//! All bursts carry one identifier, so responses come in order. Addresses and data go their own ways, as AXI has it.

use super::split::JobSplit;
use super::write_align::WriteAlign;
use crate::nic::words::DmaJob;
use crate::prim::axi::AxiWriteOut;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::words::dma::{AxiResponse, Burst, ByteAddress, JobShape, WriteLine};
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
    /// Their payload: 512 bits of data, 7 bits number of bytes, last beat; every beat full but a job's last one.
    pub payload: StreamIn<W<520, 9>>,
    /// One a job, in order, after the response of its last burst: a bus error happened.
    pub written: StreamOut<U<1>>,
    /// Memory: writes with identifier 0, so that responses come in order, of whole 64-byte lines that cross no 4 KiB; `bid` is not looked at.
    pub m_axi: AxiWriteOut,
    split: JobSplit,
    bursts: StreamFifo<Burst, 5, 16>,
    shapes: StreamFifo<JobShape, 5, 16>,
    pending: StreamFifo<U<1>, 6, 32>,
    align: WriteAlign,
    lines: StreamFifo<WriteLine, 4, 8>,
    tokens: StreamFifo<U<1>, 5, 16>,
    start: Signal<Local, ByteAddress>,
    line: Signal<Local, WriteLine>,
    answer: Signal<Local, AxiResponse>,
    failed: DFF<Bit>,
    ends: Signal<Local, Bit>,
    response: Signal<Local, Bit>,
    error: Signal<Local, Bit>,
}

#[kernel]
impl Logic for DmaWriter {
    fn update(&mut self) {
        inputs!([split, bursts, shapes, pending, align, lines, tokens]: reset);

        StreamIn::<DmaJob>::link(&mut self.job, &mut self.split.job);
        self.split.open.next = self.bursts.up.ready.val() & self.shapes.up.ready.val() & self.pending.up.ready.val();
        inputs!(bursts from split: up.data = burst, up.valid = burst_valid);
        self.pending.up.data.next = bit_cast_b(self.split.burst_last.val());
        self.pending.up.valid.next = self.split.burst_valid.val();
        inputs!(shapes from split: up.data = shape, up.valid = shape_valid);

        // addresses
        self.start.next = bits_zero::<ByteAddress>(0);
        self.start.next.line = self.bursts.down.data.val().line;
        self.m_axi.aw.id.next = 0.into();
        self.m_axi.aw.addr.next = bit_cast_number::<64, ByteAddress>(self.start.val());
        self.m_axi.aw.len.next = bit_cast_u::<8, 6>(self.bursts.down.data.val().lines_less_one);
        self.m_axi.aw.size.next = 6.into();
        self.m_axi.aw.burst.next = 1.into();
        self.m_axi.aw.lock.next = false;
        self.m_axi.aw.cache.next = 3.into();
        self.m_axi.aw.prot.next = 2.into();
        self.m_axi.aw.valid.next = self.bursts.down.valid.val();
        self.bursts.down.ready.next = self.m_axi.aw.ready.val();

        // data
        inputs!(align from shapes: shape.data = down.data, shape.valid = down.valid);
        self.shapes.down.ready.next = self.align.shape.ready.val();
        StreamIn::<W<520, 9>>::link(&mut self.payload, &mut self.align.payload);
        self.align.crowded.next = self.lines.crowded.val();
        inputs!(lines from align: up.data = line, up.valid = line_valid);
        self.line.next = self.lines.down.data.val();
        assign! {
            m_axi.w.data = line.data, m_axi.w.strb = line.strobe, m_axi.w.last = line.last
        }
        self.m_axi.w.valid.next = self.lines.down.valid.val();
        self.lines.down.ready.next = self.m_axi.w.ready.val();

        // responses: the last one of a job makes its token
        self.ends.next = self.pending.down.data.val().any();
        self.m_axi.b.ready.next = self.pending.down.valid.val() & self.tokens.up.ready.val();
        self.response.next = self.m_axi.b.valid.val() & self.pending.down.valid.val() & self.tokens.up.ready.val();
        self.pending.down.ready.next = self.response.val();
        self.answer.next = bit_cast_word::<AxiResponse, U<2>>(self.m_axi.b.resp.val());
        self.error.next = self.failed.q.val() | self.answer.val().error;
        if self.response.val() {
            self.failed.d.next = self.error.val() & !self.ends.val();
        }
        self.tokens.up.data.next = bit_cast_b(self.error.val());
        self.tokens.up.valid.next = self.response.val() & self.ends.val();
        StreamOut::<U<1>>::link(&mut self.written, &mut self.tokens.down);
        reset!(failed);
    }
}
