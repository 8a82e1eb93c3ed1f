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
    #[registers(Bit:
        /// There was a note one clock ago.
        valid_1,
        /// There was a note two clocks ago, and its queue pair was not written since.
        valid_2)]
    #[registers(QpOfGeneration:
        /// The note of one clock ago.
        note_1,
        /// The note of two clocks ago.
        note_2)]
    generations: RamReg<U<8>, 8>,
}

#[kernel]
impl Logic for GenerationCheck {
    fn update(&mut self) {
        inputs!(generations: we, waddr, wdata);
        generations.raddr = note.qp;
        assign!(valid_1.d = valid, note_1.d = note);
        // the memory gives what is written in the clock of the read; what is written in the next clock is caught here
        valid_2 = valid_1 & !(we & (waddr == note_1.qp));
        note_2 = note_1;
        due = valid_2;
        holds = valid_2 & (generations.rdata == note_2.generation);
        about = note_2.qp;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};
    use std::collections::VecDeque;

    /// Notes about eight queue pairs of four generations while these are written, against a list of what was written when.
    #[test]
    fn only_what_is_about_the_newest_generation_holds() {
        let mut block: Box<GenerationCheck> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(25);
        let mut known = [0; 256];
        // notes on their way: clocks since, queue pair, generation, whether its queue pair was written in the clock after it
        let mut notes: VecDeque<Option<(usize, u64, u64, bool)>> = VecDeque::new();
        let (mut held, mut overtaken) = (0, 0);
        for clock in 0..20_000 {
            let note = stimulus
                .chance(0.7)
                .then(|| (stimulus.below(8) as usize, stimulus.below(4)));
            let write = stimulus
                .chance(0.4)
                .then(|| (stimulus.below(8) as usize, stimulus.below(4)));
            block.valid.next = note.is_some();
            let (qp, generation) = note.unwrap_or_default();
            block.note.next = QpOfGeneration {
                qp: U(qp as u64),
                generation: U(generation),
            };
            block.we.next = write.is_some();
            let (written, value) = write.unwrap_or_default();
            (block.waddr.next, block.wdata.next) = (U(written as u64), U(value));
            if let Some((qp, newest)) = write {
                known[qp] = newest;
                if let Some(Some(last)) = notes.back_mut() {
                    last.3 |= last.0 == qp;
                }
            }
            notes.push_back(note.map(|(qp, generation)| (qp, generation, known[qp], false)));
            step(block.as_mut(), |b| {
                if clock < 2 {
                    return;
                }
                let expected = notes.pop_front().flatten().filter(|note| !note.3);
                assert_eq!(b.due.val(), expected.is_some(), "clock {clock}");
                let holds = expected.is_some_and(|(_, generation, newest, _)| generation == newest);
                assert_eq!(b.holds.val(), holds, "clock {clock}");
                if let Some((qp, ..)) = expected {
                    assert_eq!(b.about.val().0, qp as u64, "clock {clock}");
                }
                held += usize::from(holds);
                overtaken += usize::from(expected.is_some() && !holds);
            });
        }
        assert!(held > 1000 && overtaken > 1000, "{held} {overtaken}");
    }
}
