//! Which queue pairs live, under which generation, and which of them have a half that has ended.

use super::generations::GenerationCheck;
use crate::emit::naming::named_inside;
use crate::prim::ram::Ram;
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::prim::wide::W;
use crate::prim::word::bits_zero;
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
    /// Word of the queue pair, one clock later.
    pub word: Signal<Out, QpLife>,
    /// One of its halves has ended, or it does not live; one clock after `qp`.
    pub ended: Signal<Out, Bit>,
    /// Write the word of `qp`; it happens in the next clock.
    pub write: Signal<In, Bit>,
    /// New word; no half of one that is alive has ended.
    pub new_word: Signal<In, QpLife>,
    /// A requester half has ended.
    pub requester_ended_valid: Signal<In, Bit>,
    /// Queue pair whose requester half has ended.
    pub requester_ended: Signal<In, QpOfGeneration>,
    /// A responder half has ended.
    pub responder_ended_valid: Signal<In, Bit>,
    /// Queue pair whose responder half has ended.
    pub responder_ended: Signal<In, QpOfGeneration>,
    /// A half of a queue pair that lives has ended, and none of its halves before; one pulse for each.
    pub died: Signal<Out, Bit>,
    #[signals(W<256, 4>: marks_1, marks_2)]
    #[signals(Bit: requester_died, responder_died)]
    #[registers(Bit:
        /// A requester half ended a clock ago.
        requester_over,
        /// A responder half ended a clock ago.
        responder_over,
        /// The queue pair of that requester half was marked before.
        requester_marked,
        /// The queue pair of that responder half was marked before.
        responder_marked,
        /// Both halves of one queue pair ended a clock ago.
        both,
        /// A queue pair has died, for one clock.
        died_r)]
    /// Queue pairs that have died, and whose pulse is to come.
    untold: DFF<U<4>>,
    untold_now: Signal<Local, U<4>>,
    words: Ram<QpLife, 8>,
    requester_check: GenerationCheck,
    responder_check: GenerationCheck,
    /// Queue pair whose word is cleared in this clock of a reset.
    clearing: DFF<U<8>>,
    we: Signal<Local, Bit>,
    waddr: Signal<Local, U<8>>,
    wdata: Signal<Local, QpLife>,
    /// Queue pairs one of whose halves has ended, or that do not live.
    marks: DFF<W<256, 4>>,
    #[registers(Bit:
        /// The queue pair of one clock ago is marked.
        ended_r,
        /// A word is written in this clock, one clock after the manager said so.
        write_1,
        /// A requester half that is of the newest generation has ended and is marked in this clock.
        requester_ends,
        /// A responder half that is of the newest generation has ended and is marked in this clock.
        responder_ends)]
    #[registers(U<8>:
        /// Queue pair of one clock ago.
        qp_1,
        /// Queue pair of the requester half that has ended.
        requester_qp,
        /// Queue pair of the responder half that has ended.
        responder_qp)]
    /// Word that is written.
    new_1: DFF<QpLife>,
}

#[kernel]
impl Logic for QpStates {
    fn update(&mut self) {
        words.raddr = qp;
        word = words.rdata;
        ended_r = marks.get_bit(qp.index());
        ended = ended_r;

        requester_check.valid = requester_ended_valid & !reset;
        requester_check.note = requester_ended;
        responder_check.valid = responder_ended_valid & !reset;
        responder_check.note = responder_ended;
        assign!(write_1.d = write, qp_1.d = qp, new_1.d = new_word);
        assign!(we = write_1, waddr = qp_1, wdata = new_1);
        if reset {
            // one word a clock
            clearing = clearing + 1;
            we = true;
            waddr = clearing;
            wdata = bits_zero::<QpLife>(0);
        }
        // marked a clock after the check, unless its queue pair is written meanwhile
        requester_ends = requester_check.holds & !(write_1 & (qp_1 == requester_check.about));
        responder_ends = responder_check.holds & !(write_1 & (qp_1 == responder_check.about));
        assign!(
            requester_qp.d = requester_check.about,
            responder_qp.d = responder_check.about
        );
        marks_1 = if requester_ends { marks.replace_bit(requester_qp.index(), true) } else { marks };
        marks_2 = marks_1;
        if responder_ends {
            marks_2 = marks_1.replace_bit(responder_qp.index(), true);
        }
        // whoever does not live has nothing to end
        marks = if write_1 { marks_2.replace_bit(qp_1.index(), !new_1.q.val().alive) } else { marks_2 };

        // who is marked for the first time has died
        // which of 256 marks is asked for is a long way, so that it goes into a register by itself; the other half of the same queue pair may end
        // in the same clock
        assign!(requester_over.d = requester_ends, responder_over.d = responder_ends);
        requester_marked = marks.get_bit(requester_qp.index());
        responder_marked = marks.get_bit(responder_qp.index());
        both = requester_ends & (requester_qp == responder_qp);
        requester_died = requester_over & !requester_marked;
        responder_died = responder_over & !responder_marked & !both;
        untold_now =
            untold + bit_cast_u::<4, 1>(bit_cast_b(requester_died)) + bit_cast_u::<4, 1>(bit_cast_b(responder_died));
        died_r = untold_now.any();
        untold = untold_now - bit_cast_u::<4, 1>(bit_cast_b(untold_now.any()));
        died = died_r;

        if reset {
            clear!(requester_over, responder_over, untold, died_r);
        }

        inputs!(words: we, waddr, wdata);
        inputs!([requester_check, responder_check]: we, waddr);
        requester_check.wdata = wdata.generation;
        responder_check.wdata = wdata.generation;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
