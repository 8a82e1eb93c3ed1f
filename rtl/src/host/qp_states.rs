//! Which queue pairs live, under which generation, and which of them have a half that has ended.

use super::generations::GenerationCheck;
use crate::emit::naming::named_inside;
use crate::prim::ram::Ram;
use crate::prim::uint::U;
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::context::QpLife;
use crate::words::requester::QpOfGeneration;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// State of the queue pairs, for the manager.
#[block]
pub struct QpStates {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high, for 256 clocks at least: everything is forgotten.
    pub reset: Signal<In, Bit>,
    /// Queue pair.
    pub qp: Signal<In, U<8>>,
    /// Its word, one clock later.
    pub word: Signal<Out, QpLife>,
    /// One of its halves has ended; one clock after `qp`.
    pub ended: Signal<Out, Bit>,
    /// Write the word of `qp`.
    pub write: Signal<In, Bit>,
    /// New word; no half of one that is alive has ended.
    pub new_word: Signal<In, QpLife>,
    /// A requester half has ended.
    pub requester_ended_valid: Signal<In, Bit>,
    /// Which: `QpOfGeneration`.
    pub requester_ended: Signal<In, U<16>>,
    /// A responder half has ended.
    pub responder_ended_valid: Signal<In, Bit>,
    /// Which: `QpOfGeneration`.
    pub responder_ended: Signal<In, U<16>>,
    words: Ram<QpLife, 8>,
    requester_check: GenerationCheck,
    responder_check: GenerationCheck,
    clearing: DFF<U<8>>,
    we: Signal<Local, Bit>,
    waddr: Signal<Local, U<8>>,
    wdata: Signal<Local, QpLife>,
    marks: DFF<W<256, 4>>,
    marks_1: Signal<Local, W<256, 4>>,
    marks_2: Signal<Local, W<256, 4>>,
    ended_r: DFF<Bit>,
}

#[kernel]
impl Logic for QpStates {
    fn update(&mut self) {
        self.words.raddr.next = self.qp.val();
        self.word.next = self.words.rdata.val();
        self.ended_r.d.next = self.marks.q.val().get_bit(self.qp.val().index());
        self.ended.next = self.ended_r.q.val();

        self.requester_check.valid.next = self.requester_ended_valid.val() & !self.reset.val();
        self.requester_check.note.next = bit_cast_word::<QpOfGeneration, U<16>>(self.requester_ended.val());
        self.responder_check.valid.next = self.responder_ended_valid.val() & !self.reset.val();
        self.responder_check.note.next = bit_cast_word::<QpOfGeneration, U<16>>(self.responder_ended.val());
        self.marks_1.next = self.marks.q.val();
        if self.requester_check.holds.val() {
            self.marks_1.next = self
                .marks
                .q
                .val()
                .replace_bit(self.requester_check.about.val().index(), true);
        }
        self.marks_2.next = self.marks_1.val();
        if self.responder_check.holds.val() {
            self.marks_2.next = self
                .marks_1
                .val()
                .replace_bit(self.responder_check.about.val().index(), true);
        }
        self.marks.d.next = self.marks_2.val();
        if self.write.val() & self.new_word.val().alive {
            self.marks.d.next = self.marks_2.val().replace_bit(self.qp.val().index(), false);
        }

        assign!(we = write, waddr = qp, wdata = new_word);
        if self.reset.val() {
            // one word a clock
            self.clearing.d.next = self.clearing.q.val() + 1;
            self.we.next = true;
            self.waddr.next = self.clearing.q.val();
            self.wdata.next = bits_zero::<QpLife>(0);
        }
        inputs!(words: we, waddr, wdata);
        inputs!([requester_check, responder_check]: we, waddr);
        self.requester_check.wdata.next = self.wdata.val().generation;
        self.responder_check.wdata.next = self.wdata.val().generation;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
