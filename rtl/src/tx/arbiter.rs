//! Frames of both builders onto one link: acknowledgements first, frames whole.

use super::Beat;
use crate::prim::skid::{Skid, StreamIn};
use crate::prim::uint::U;
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
    /// Beat, first byte in the lowest bits.
    pub m_axis_tdata: Signal<Out, W<512, 8>>,
    /// Byte enables; partial on the last beat only.
    pub m_axis_tkeep: Signal<Out, U<64>>,
    /// Last beat of a frame.
    pub m_axis_tlast: Signal<Out, Bit>,
    /// Bad frame, with `tlast`: the MAC must not send it as a good one.
    pub m_axis_tuser: Signal<Out, Bit>,
    /// A beat is offered.
    pub m_axis_tvalid: Signal<Out, Bit>,
    /// It is taken.
    pub m_axis_tready: Signal<In, Bit>,
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
        self.out.up.valid.next = self.offered.val();
        self.out.up.data.next = self.beat.val();
        if self.offered.val() & self.out.up.ready.val() {
            self.inside.d.next = !self.beat.val().get_bit(576);
            self.with_data.d.next = self.pick_data.val();
        }
        self.m_axis_tdata.next = bit_cast_ww::<512, 8, 578, 10>(self.out.down.data.val());
        self.m_axis_tkeep.next = self.out.down.data.val().get_bits::<64>(512);
        self.m_axis_tlast.next = self.out.down.data.val().get_bit(576);
        self.m_axis_tuser.next = self.out.down.data.val().get_bit(577);
        self.m_axis_tvalid.next = self.out.down.valid.val();
        self.out.down.ready.next = self.m_axis_tready.val();
        if self.reset.val() {
            self.inside.d.next = false;
        }
    }
}
