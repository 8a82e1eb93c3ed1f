//! Memory reader: jobs in, their bytes out as payload in the same order. AXI4 read master of 512 bits.
//!
//! All bursts carry one identifier, so data comes in order. A job's bursts are asked for only when the payload FIFO has room for
//! all of it, so `rready` falls only while there is no job to read for. 28 KiB and more are outstanding: 2.3 us at 100 Gb/s.

use super::read_align::ReadAlign;
use super::split::JobSplit;
use crate::nic::words::DmaJob;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
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
    pub payload: StreamOut<W<521, 9>>,
    /// Always 0: order is kept.
    pub m_axi_arid: Signal<Out, U<4>>,
    /// First byte, a multiple of 64.
    pub m_axi_araddr: Signal<Out, U<64>>,
    /// Beats less one.
    pub m_axi_arlen: Signal<Out, U<8>>,
    /// 64 bytes a beat.
    pub m_axi_arsize: Signal<Out, U<3>>,
    /// INCR.
    pub m_axi_arburst: Signal<Out, U<2>>,
    /// Normal access.
    pub m_axi_arlock: Signal<Out, Bit>,
    /// Normal memory, bufferable.
    pub m_axi_arcache: Signal<Out, U<4>>,
    /// Data, not secure, not privileged.
    pub m_axi_arprot: Signal<Out, U<3>>,
    /// There is a read.
    pub m_axi_arvalid: Signal<Out, Bit>,
    /// It is taken.
    pub m_axi_arready: Signal<In, Bit>,
    /// Not looked at.
    pub m_axi_rid: Signal<In, U<4>>,
    /// Data.
    pub m_axi_rdata: Signal<In, W<512, 8>>,
    /// Bit 1: error.
    pub m_axi_rresp: Signal<In, U<2>>,
    /// Not looked at: beats are counted.
    pub m_axi_rlast: Signal<In, Bit>,
    /// There is data.
    pub m_axi_rvalid: Signal<In, Bit>,
    /// It is taken.
    pub m_axi_rready: Signal<Out, Bit>,
    split: JobSplit,
    bursts: StreamFifo<Burst, 5, 16>,
    shapes: StreamFifo<JobShape, 5, 16>,
    align: ReadAlign,
    beats: StreamFifo<W<521, 9>, 9, 448>,
    start: Signal<Local, ByteAddress>,
    line: Signal<Local, ReadLine>,
    response: Signal<Local, AxiResponse>,
    promised: DFF<U<10>>,
    grown: Signal<Local, U<10>>,
    leaves: Signal<Local, Bit>,
}

#[kernel]
impl Logic for DmaReader {
    fn update(&mut self) {
        inputs!([split, bursts, shapes, align, beats], reset);

        StreamIn::<DmaJob>::link(&mut self.job, &mut self.split.job);
        self.split.open.next =
            self.bursts.up.ready.val() & self.shapes.up.ready.val() & (self.promised.q.val() <= bits_u::<10>(448));
        self.bursts.up.data.next = self.split.burst.val();
        self.bursts.up.valid.next = self.split.burst_valid.val();
        self.shapes.up.data.next = self.split.shape.val();
        self.shapes.up.valid.next = self.split.shape_valid.val();

        // one address a burst
        self.start.next = bits_zero::<ByteAddress>(0);
        self.start.next.line = self.bursts.down.data.val().line;
        self.m_axi_arid.next = 0.into();
        self.m_axi_araddr.next = bit_cast_number::<64, ByteAddress>(self.start.val());
        self.m_axi_arlen.next = bit_cast_u::<8, 6>(self.bursts.down.data.val().lines_less_one);
        self.m_axi_arsize.next = 6.into();
        self.m_axi_arburst.next = 1.into();
        self.m_axi_arlock.next = false;
        self.m_axi_arcache.next = 3.into();
        self.m_axi_arprot.next = 2.into();
        self.m_axi_arvalid.next = self.bursts.down.valid.val();
        self.bursts.down.ready.next = self.m_axi_arready.val();

        self.align.shape.data.next = self.shapes.down.data.val();
        self.align.shape.valid.next = self.shapes.down.valid.val();
        self.shapes.down.ready.next = self.align.shape.ready.val();
        self.response.next = bit_cast_word::<AxiResponse, U<2>>(self.m_axi_rresp.val());
        self.line.next.data = self.m_axi_rdata.val();
        self.line.next.failed = self.response.val().error;
        self.align.line.data.next = self.line.val();
        self.align.line.valid.next = self.m_axi_rvalid.val();
        self.m_axi_rready.next = self.align.line.ready.val();
        self.beats.up.data.next = bit_cast_bus::<521, 9, PayloadBeat>(self.align.payload.val());
        self.beats.up.valid.next = self.align.payload_valid.val();
        StreamOut::<W<521, 9>>::link(&mut self.payload, &mut self.beats.down);

        // room promised to the reads under way
        self.leaves.next = self.beats.down.valid.val() & self.payload.ready.val();
        self.grown.next = self.promised.q.val();
        if self.split.shape_valid.val() {
            self.grown.next = self.promised.q.val() + bit_cast_u::<10, 7>(self.split.shape.val().beats);
        }
        self.promised.d.next = self.grown.val();
        if self.leaves.val() {
            self.promised.d.next = self.grown.val() - 1;
        }
        if self.reset.val() {
            self.promised.d.next = 0.into();
        }
    }
}
