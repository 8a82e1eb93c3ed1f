//! Whether what is said of a queue pair is about the one that bears its number now.
//!
//! A block that hears of a queue pair late may hear of one that has been removed and created again since. Each note therefore bears
//! a generation, which is held against the newest one two clocks later; a creation meanwhile makes the note void.

use crate::prim::ram::RamReg;
use crate::prim::uint::U;
use crate::words::requester::QpOfGeneration;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Generations of 256 queue pairs. One note a clock; the verdict follows two clocks later.
#[block]
pub struct GenerationCheck {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// There is a note.
    pub valid: Signal<In, Bit>,
    /// Whom it is about.
    pub note: Signal<In, QpOfGeneration>,
    /// A generation is written.
    pub we: Signal<In, Bit>,
    /// Of this queue pair.
    pub waddr: Signal<In, U<8>>,
    /// The generation.
    pub wdata: Signal<In, U<8>>,
    /// There was a note two clocks ago, and its queue pair was not written since.
    pub due: Signal<Out, Bit>,
    /// It is also about the newest generation.
    pub holds: Signal<Out, Bit>,
    /// Queue pair that it is about.
    pub about: Signal<Out, U<8>>,
    generations: RamReg<U<8>, 8>,
    valid_1: DFF<Bit>,
    note_1: DFF<QpOfGeneration>,
    valid_2: DFF<Bit>,
    note_2: DFF<QpOfGeneration>,
}

#[kernel]
impl Logic for GenerationCheck {
    fn update(&mut self) {
        inputs!(generations, we, waddr, wdata);
        self.generations.raddr.next = self.note.val().qp;
        self.valid_1.d.next = self.valid.val();
        self.note_1.d.next = self.note.val();
        // the memory gives what is written in the clock of the read; what is written in the next clock is caught here
        self.valid_2.d.next = self.valid_1.q.val() & !(self.we.val() & (self.waddr.val() == self.note_1.q.val().qp));
        self.note_2.d.next = self.note_1.q.val();
        self.due.next = self.valid_2.q.val();
        self.holds.next = self.valid_2.q.val() & (self.generations.rdata.val() == self.note_2.q.val().generation);
        self.about.next = self.note_2.q.val().qp;
    }
}
