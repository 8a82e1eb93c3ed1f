//! Frames of both kinds onto one link: acknowledgements first, frames whole.

use crate::prim::axi::AxisFrameOut;
use crate::prim::skid::{Skid, StreamIn};
use crate::words::tx::FrameBeat;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// A beat a clock, also from frame to frame; one clock from a builder to the link.
#[block]
pub struct FrameArbiter {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Acknowledgements.
    pub ack: StreamIn<FrameBeat>,
    /// Data.
    pub data: StreamIn<FrameBeat>,
    /// No acknowledgement begins.
    pub ack_hold: Signal<In, Bit>,
    /// No data frame begins.
    pub data_hold: Signal<In, Bit>,
    /// Frames.
    pub m_axis: AxisFrameOut,
    #[registers(Bit:
        /// A frame has begun and not ended.
        inside,
        /// That frame is one with data.
        with_data)]
    #[signals(Bit: pick_data, may, offered)]
    #[signals(FrameBeat: beat, leaving)]
    out: Skid<FrameBeat>,
}

#[kernel]
impl Logic for FrameArbiter {
    fn update(&mut self) {
        out.reset = reset;
        pick_data = with_data;
        may = true;
        if !inside {
            pick_data = !ack.valid | ack_hold;
            may = !pick_data | !data_hold;
        }
        offered = ack.valid & may;
        beat = ack.data;
        if pick_data {
            offered = data.valid & may;
            beat = data.data;
        }
        ack.ready = out.up.ready & may & !pick_data;
        data.ready = out.up.ready & may & pick_data;
        inputs!(out: up.valid = offered, up.data = beat);
        if offered & out.up.ready {
            inside = !beat.last;
            with_data = pick_data;
        }
        leaving = out.down.data;
        inputs!(m_axis from leaving: tdata = data, tkeep = keep, tlast = last, tuser = bad);
        m_axis.tvalid = out.down.valid;
        out.down.ready = m_axis.tready;
        reset!(inside);
    }
}
