//! Frames of both builders onto one link: acknowledgements first, frames whole.

use super::Beat;
use crate::prim::axi::AxisFrameOut;
use crate::prim::skid::{Skid, StreamIn};
use crate::prim::wide::{bit_cast_ww, W};
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
    pub ack: StreamIn<Beat>,
    /// Data.
    pub data: StreamIn<Beat>,
    /// No acknowledgement begins.
    pub ack_hold: Signal<In, Bit>,
    /// No data frame begins.
    pub data_hold: Signal<In, Bit>,
    /// Frames.
    pub m_axis: AxisFrameOut,
    inside: DFF<Bit>,
    with_data: DFF<Bit>,
    pick_data: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
    offered: Signal<Local, Bit>,
    beat: Signal<Local, W<578, 10>>,
    out: Skid<W<578, 10>>,
}

#[kernel]
impl Logic for FrameArbiter {
    fn update(&mut self) {
        self.out.reset.next = self.reset.val();
        self.pick_data.next = self.with_data.q.val();
        self.may.next = true;
        if !self.inside.q.val() {
            self.pick_data.next = !self.ack.valid.val() | self.ack_hold.val();
            self.may.next = !self.pick_data.val() | !self.data_hold.val();
        }
        self.offered.next = self.ack.valid.val() & self.may.val();
        self.beat.next = self.ack.data.val();
        if self.pick_data.val() {
            self.offered.next = self.data.valid.val() & self.may.val();
            self.beat.next = self.data.data.val();
        }
        self.ack.ready.next = self.out.up.ready.val() & self.may.val() & !self.pick_data.val();
        self.data.ready.next = self.out.up.ready.val() & self.may.val() & self.pick_data.val();
        inputs!(out: up.valid = offered, up.data = beat);
        if self.offered.val() & self.out.up.ready.val() {
            self.inside.d.next = !self.beat.val().get_bit(576);
            self.with_data.d.next = self.pick_data.val();
        }
        self.m_axis.tdata.next = bit_cast_ww::<512, 8, 578, 10>(self.out.down.data.val());
        self.m_axis.tkeep.next = self.out.down.data.val().get_bits::<64>(512);
        self.m_axis.tlast.next = self.out.down.data.val().get_bit(576);
        self.m_axis.tuser.next = self.out.down.data.val().get_bit(577);
        self.m_axis.tvalid.next = self.out.down.valid.val();
        self.out.down.ready.next = self.m_axis.tready.val();
        reset!(inside);
    }
}
