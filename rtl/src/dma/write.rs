//! Memory writer: jobs and their payload in, one token a job out when the memory has taken all of it. AXI4 write master of
//! 512 bits.
//!
//! All bursts carry one identifier, so responses come in order. Addresses and data go their own ways, as AXI has it.

use super::split::JobSplit;
use super::write_align::WriteAlign;
use crate::nic::words::DmaJob;
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
    /// Always 0: order is kept.
    pub m_axi_awid: Signal<Out, U<4>>,
    /// First byte, a multiple of 64.
    pub m_axi_awaddr: Signal<Out, U<64>>,
    /// Beats less one.
    pub m_axi_awlen: Signal<Out, U<8>>,
    /// 64 bytes a beat.
    pub m_axi_awsize: Signal<Out, U<3>>,
    /// INCR.
    pub m_axi_awburst: Signal<Out, U<2>>,
    /// Normal access.
    pub m_axi_awlock: Signal<Out, Bit>,
    /// Normal memory, bufferable.
    pub m_axi_awcache: Signal<Out, U<4>>,
    /// Data, not secure, not privileged.
    pub m_axi_awprot: Signal<Out, U<3>>,
    /// There is a write.
    pub m_axi_awvalid: Signal<Out, Bit>,
    /// It is taken.
    pub m_axi_awready: Signal<In, Bit>,
    /// Data.
    pub m_axi_wdata: Signal<Out, W<512, 8>>,
    /// Bytes to write.
    pub m_axi_wstrb: Signal<Out, U<64>>,
    /// Last beat of its burst.
    pub m_axi_wlast: Signal<Out, Bit>,
    /// There is data.
    pub m_axi_wvalid: Signal<Out, Bit>,
    /// It is taken.
    pub m_axi_wready: Signal<In, Bit>,
    /// Not looked at.
    pub m_axi_bid: Signal<In, U<4>>,
    /// Bit 1: error.
    pub m_axi_bresp: Signal<In, U<2>>,
    /// There is a response.
    pub m_axi_bvalid: Signal<In, Bit>,
    /// It is taken.
    pub m_axi_bready: Signal<Out, Bit>,
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
        inputs!([split, bursts, shapes, pending, align, lines, tokens], reset);

        StreamIn::<DmaJob>::link(&mut self.job, &mut self.split.job);
        self.split.open.next = self.bursts.up.ready.val() & self.shapes.up.ready.val() & self.pending.up.ready.val();
        self.bursts.up.data.next = self.split.burst.val();
        self.bursts.up.valid.next = self.split.burst_valid.val();
        self.pending.up.data.next = bit_cast_b(self.split.burst_last.val());
        self.pending.up.valid.next = self.split.burst_valid.val();
        self.shapes.up.data.next = self.split.shape.val();
        self.shapes.up.valid.next = self.split.shape_valid.val();

        // addresses
        self.start.next = bits_zero::<ByteAddress>(0);
        self.start.next.line = self.bursts.down.data.val().line;
        self.m_axi_awid.next = 0.into();
        self.m_axi_awaddr.next = bit_cast_number::<64, ByteAddress>(self.start.val());
        self.m_axi_awlen.next = bit_cast_u::<8, 6>(self.bursts.down.data.val().lines_less_one);
        self.m_axi_awsize.next = 6.into();
        self.m_axi_awburst.next = 1.into();
        self.m_axi_awlock.next = false;
        self.m_axi_awcache.next = 3.into();
        self.m_axi_awprot.next = 2.into();
        self.m_axi_awvalid.next = self.bursts.down.valid.val();
        self.bursts.down.ready.next = self.m_axi_awready.val();

        // data
        self.align.shape.data.next = self.shapes.down.data.val();
        self.align.shape.valid.next = self.shapes.down.valid.val();
        self.shapes.down.ready.next = self.align.shape.ready.val();
        StreamIn::<W<520, 9>>::link(&mut self.payload, &mut self.align.payload);
        self.align.crowded.next = self.lines.crowded.val();
        self.lines.up.data.next = self.align.line.val();
        self.lines.up.valid.next = self.align.line_valid.val();
        self.line.next = self.lines.down.data.val();
        self.m_axi_wdata.next = self.line.val().data;
        self.m_axi_wstrb.next = self.line.val().strobe;
        self.m_axi_wlast.next = self.line.val().last;
        self.m_axi_wvalid.next = self.lines.down.valid.val();
        self.lines.down.ready.next = self.m_axi_wready.val();

        // responses: the last one of a job makes its token
        self.ends.next = self.pending.down.data.val().any();
        self.m_axi_bready.next = self.pending.down.valid.val() & self.tokens.up.ready.val();
        self.response.next = self.m_axi_bvalid.val() & self.pending.down.valid.val() & self.tokens.up.ready.val();
        self.pending.down.ready.next = self.response.val();
        self.answer.next = bit_cast_word::<AxiResponse, U<2>>(self.m_axi_bresp.val());
        self.error.next = self.failed.q.val() | self.answer.val().error;
        if self.response.val() {
            self.failed.d.next = self.error.val() & !self.ends.val();
        }
        self.tokens.up.data.next = bit_cast_b(self.error.val());
        self.tokens.up.valid.next = self.response.val() & self.ends.val();
        StreamOut::<U<1>>::link(&mut self.written, &mut self.tokens.down);
        if self.reset.val() {
            self.failed.d.next = false;
        }
    }
}
