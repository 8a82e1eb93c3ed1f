//! Which queue pairs live, under which generation, and which of them have a half that has ended.

use crate::prim::ram::{Ram, RamReg};
use crate::prim::uint::U;
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::context::{EndedHalf, QpLife};
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
    // two more copies of the generations
    generations_a: RamReg<U<8>, 8>,
    generations_b: RamReg<U<8>, 8>,
    clearing: DFF<U<8>>,
    requester_half: Signal<Local, QpOfGeneration>,
    responder_half: Signal<Local, QpOfGeneration>,
    we: Signal<Local, Bit>,
    waddr: Signal<Local, U<8>>,
    wdata: Signal<Local, QpLife>,
    marks: DFF<W<256, 4>>,
    marks_1: Signal<Local, W<256, 4>>,
    marks_2: Signal<Local, W<256, 4>>,
    ended_a: DFF<EndedHalf>,
    ended_b: DFF<EndedHalf>,
    late_a: DFF<EndedHalf>,
    late_b: DFF<EndedHalf>,
    ended_r: DFF<Bit>,
}

#[kernel]
impl Logic for QpStates {
    fn update(&mut self) {
        self.words.raddr.next = self.qp.val();
        self.word.next = self.words.rdata.val();
        self.ended_r.d.next = self.marks.q.val().get_bit(self.qp.val().index());
        self.ended.next = self.ended_r.q.val();

        // a late word about an earlier generation is void: one that is written while the word's is read, and one before it
        self.requester_half.next = bit_cast_word::<QpOfGeneration, U<16>>(self.requester_ended.val());
        self.responder_half.next = bit_cast_word::<QpOfGeneration, U<16>>(self.responder_ended.val());
        self.generations_a.raddr.next = self.requester_half.val().qp;
        self.generations_b.raddr.next = self.responder_half.val().qp;
        self.ended_a.d.next.valid = self.requester_ended_valid.val();
        self.ended_a.d.next.qp = self.requester_half.val().qp;
        self.ended_a.d.next.generation = self.requester_half.val().generation;
        self.ended_b.d.next.valid = self.responder_ended_valid.val();
        self.ended_b.d.next.qp = self.responder_half.val().qp;
        self.ended_b.d.next.generation = self.responder_half.val().generation;
        self.late_a.d.next = self.ended_a.q.val();
        if self.write.val() & (self.ended_a.q.val().qp == self.qp.val()) {
            self.late_a.d.next = bits_zero::<EndedHalf>(0);
        }
        self.late_b.d.next = self.ended_b.q.val();
        if self.write.val() & (self.ended_b.q.val().qp == self.qp.val()) {
            self.late_b.d.next = bits_zero::<EndedHalf>(0);
        }
        self.marks_1.next = self.marks.q.val();
        if self.late_a.q.val().valid & (self.generations_a.rdata.val() == self.late_a.q.val().generation) {
            self.marks_1.next = self.marks.q.val().replace_bit(self.late_a.q.val().qp.index(), true);
        }
        self.marks_2.next = self.marks_1.val();
        if self.late_b.q.val().valid & (self.generations_b.rdata.val() == self.late_b.q.val().generation) {
            self.marks_2.next = self.marks_1.val().replace_bit(self.late_b.q.val().qp.index(), true);
        }
        self.marks.d.next = self.marks_2.val();
        if self.write.val() & self.new_word.val().alive {
            self.marks.d.next = self.marks_2.val().replace_bit(self.qp.val().index(), false);
        }

        self.we.next = self.write.val();
        self.waddr.next = self.qp.val();
        self.wdata.next = self.new_word.val();
        if self.reset.val() {
            self.ended_a.d.next = bits_zero::<EndedHalf>(0);
            self.ended_b.d.next = bits_zero::<EndedHalf>(0);
            self.late_a.d.next = bits_zero::<EndedHalf>(0);
            self.late_b.d.next = bits_zero::<EndedHalf>(0);
            // one word a clock
            self.clearing.d.next = self.clearing.q.val() + 1;
            self.we.next = true;
            self.waddr.next = self.clearing.q.val();
            self.wdata.next = bits_zero::<QpLife>(0);
        }
        inputs!(words, we, waddr, wdata);
        inputs!(generations_a, we, waddr);
        self.generations_a.wdata.next = self.wdata.val().generation;
        inputs!(generations_b, we, waddr);
        self.generations_b.wdata.next = self.wdata.val().generation;
    }
}
