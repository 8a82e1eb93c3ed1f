//! READ responses in order: all of a READ but the first and the last are decided here, beside the state machine.
//!
//! The state machine judges the first response of a READ and starts a run with it: the PSN and the address of the next. A response that
//! fits its queue pair's run is taken at once and moves the run; any other one goes to the state machine.
//!
//! | clock | does |
//! |---|---|
//! | 0 | a response waits; if the run at hand is not its queue pair's, the run is read |
//! | 1 | (only then) the run shows |
//! | 2 | is the response the run's next? |
//! | 3 | taken, or left to the state machine |
//!
//! Two clocks a response of the same queue pair, four otherwise. Creation, removal and end of a queue pair void its run.

use crate::nic::words::RxRow;
use crate::prim::ram::Ram;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::requester::ReadRun;
use crate::words::requester::Syndrome;
use crate::words::transport::RxPacket;
use crate::words::wire::{AckHeader, Extension};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// The runs of all queue pairs.
#[block]
pub struct Follow {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// A READ response waits.
    pub waits: Signal<In, Bit>,
    /// It; it stays until it is taken.
    pub row: Signal<In, RxRow>,
    /// There is room for a decision.
    pub room: Signal<In, Bit>,
    /// The state machine takes the response.
    pub popped: Signal<In, Bit>,
    /// The state machine has accepted the response in hand.
    pub learn: Signal<In, Bit>,
    /// The run behind it.
    pub learned: Signal<In, ReadRun>,
    /// A queue pair's run is void. Not with `learn`.
    pub forget: Signal<In, Bit>,
    /// Its number.
    pub forget_qp: Signal<In, U<8>>,
    /// The response is for the state machine.
    pub slow: Signal<Out, Bit>,
    /// The response is taken in this clock.
    pub take: Signal<Out, Bit>,
    /// Where its payload goes.
    pub address: Signal<Out, U<64>>,
    /// With `slow`: the run of its queue pair.
    pub run: Signal<Out, ReadRun>,
    runs: Ram<ReadRun, 8>,
    near: DFF<ReadRun>,
    near_qp: DFF<U<8>>,
    near_known: DFF<Bit>,
    fetching: DFF<Bit>,
    compared: DFF<Bit>,
    fits: DFF<Bit>,
    slow_r: DFF<Bit>,
    packet: Signal<Local, RxPacket>,
    given: Signal<Local, Extension>,
    aeth: Signal<Local, AckHeader>,
    syndrome: Signal<Local, Syndrome>,
    full: Signal<Local, U<16>>,
    moved: Signal<Local, ReadRun>,
    takes: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Follow {
    fn update(&mut self) {
        self.packet.next = bit_cast_word::<RxPacket, W<550, 9>>(self.row.val());
        self.full.next = bits_u::<16>(256) << self.packet.val().mtu;
        self.runs.raddr.next = self.packet.val().qp;

        self.given.next = bit_cast_word::<Extension, W<128, 2>>(self.packet.val().extension);
        self.aeth.next = bit_cast_word::<AckHeader, U<32>>(self.given.val().aeth);
        self.syndrome.next = bit_cast_word::<Syndrome, U<8>>(self.aeth.val().syndrome);
        // 2: Middle has no AETH; a first response asked for again may come in the middle
        self.fits.d.next = self.near.q.val().valid
            & (self.near.q.val().generation == self.packet.val().generation)
            & (self.near.q.val().psn == self.packet.val().psn)
            & ((self.near.q.val().psn + 1) != self.near.q.val().end_psn)
            & ((self.packet.val().opcode == 0x0e)
                | ((self.packet.val().opcode == 0x0d) & !self.syndrome.val().code.any()))
            & (self.packet.val().payload_length == self.full.val())
            & !self.forget.val();

        self.takes.next = self.compared.q.val() & self.fits.q.val() & self.room.val() & !self.forget.val();
        if self.fetching.q.val() {
            self.fetching.d.next = false;
            assign!(near.d = runs.rdata, near_qp.d = packet.qp);
            self.near_known.d.next = true;
        } else if self.compared.q.val() {
            if !self.fits.q.val() {
                self.compared.d.next = false;
                self.slow_r.d.next = true;
            } else if self.takes.val() | self.forget.val() {
                self.compared.d.next = false;
            }
        } else if self.waits.val() & !self.slow_r.q.val() {
            if self.near_known.q.val() & (self.near_qp.q.val() == self.packet.val().qp) {
                self.compared.d.next = true;
            } else {
                self.fetching.d.next = true;
            }
        }
        if self.popped.val() {
            self.slow_r.d.next = false;
        }

        // 3
        self.moved.next = self.near.q.val();
        self.moved.next.psn = self.near.q.val().psn + 1;
        self.moved.next.address = self.near.q.val().address + bit_cast_u::<64, 16>(self.full.val());
        if self.learn.val() {
            self.moved.next = self.learned.val();
        }
        self.runs.we.next = self.takes.val() | self.learn.val() | self.forget.val();
        inputs!(runs: waddr = packet.qp, wdata = moved);
        if self.takes.val() | self.learn.val() {
            self.near.d.next = self.moved.val();
        }
        if self.forget.val() {
            self.runs.waddr.next = self.forget_qp.val();
            self.runs.wdata.next = bits_zero::<ReadRun>(0);
            if self.fetching.q.val() | (self.near_qp.q.val() == self.forget_qp.val()) {
                self.near_known.d.next = false;
                self.near.d.next = bits_zero::<ReadRun>(0);
            }
        }
        assign!(take = takes, slow = slow_r, address = near.address, run = near);
        reset!(near_known, fetching, compared, slow_r);
    }
}
