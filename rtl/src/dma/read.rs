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
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
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
    bursts: StreamFifo<U<64>, 5, 16>,
    shapes: StreamFifo<U<40>, 5, 16>,
    align: ReadAlign,
    beats: StreamFifo<W<521, 9>, 9, 448>,
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
        self.m_axi_arid.next = 0.into();
        self.m_axi_araddr.next = bit_cast_u::<64, 58>(self.bursts.down.data.val().get_bits::<58>(6)) << 6;
        self.m_axi_arlen.next = bit_cast_u::<8, 6>(self.bursts.down.data.val().get_bits::<6>(0));
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
        self.align.line.data.next = bit_cast_ww::<513, 9, 512, 8>(self.m_axi_rdata.val())
            | (bit_cast_w::<513, 9, 1>(self.m_axi_rresp.val().get_bits::<1>(1)) << 512);
        self.align.line.valid.next = self.m_axi_rvalid.val();
        self.m_axi_rready.next = self.align.line.ready.val();
        self.beats.up.data.next = self.align.payload.val();
        self.beats.up.valid.next = self.align.payload_valid.val();
        StreamOut::<W<521, 9>>::link(&mut self.payload, &mut self.beats.down);

        // room promised to the reads under way
        self.leaves.next = self.beats.down.valid.val() & self.payload.ready.val();
        self.grown.next = self.promised.q.val();
        if self.split.shape_valid.val() {
            self.grown.next = self.promised.q.val() + bit_cast_u::<10, 7>(self.split.shape.val().get_bits::<7>(13));
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
