//! What enters the pipe of answers next: a READ response, or else an answer.
//!
//! What answers make has little room now and then; READ responses do not wait for that.

use crate::prim::skid::StreamIn;
use crate::prim::uint::U;
use crate::prim::word::bits_zero;
use crate::words::requester::{ArrivedResponse, FastStep};
use crate::words::transport::Commit;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// One step a clock, and one in five clocks of a queue pair: the state that a step reads is what the step before it has written, and that has not been left to
/// the state machine. A READ response in four clocks: one that is left to the state machine takes those behind it along.
///
/// Whether the queue pair of what waits is inside is known a clock before: an answer is compared when it comes, a READ response in the clock in which it shows.
#[block]
pub struct Entry {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Nothing enters in this clock.
    pub hold: Signal<In, Bit>,
    /// Answers; each waits here for its turn, three at most.
    pub answers: StreamIn<Commit>,
    /// Place that the answer gets.
    pub answer_place: Signal<In, U<4>>,
    /// An answer comes, and takes that place.
    pub answer_comes: Signal<Out, Bit>,
    /// A READ response waits, for a clock or more.
    pub response_waits: Signal<In, Bit>,
    /// It, from a clock before it waits on.
    pub response: Signal<In, ArrivedResponse>,
    /// It enters.
    pub response_taken: Signal<Out, Bit>,
    /// Queue pair of the state that may be written in this clock.
    pub write_qp: Signal<In, U<8>>,
    /// And in the next clock.
    pub next_write_qp: Signal<In, U<8>>,
    /// The queue pair of `step` is `write_qp`.
    pub meets_write: Signal<Out, Bit>,
    /// It is `next_write_qp`.
    pub meets_next_write: Signal<Out, Bit>,
    /// What answers make has little room: none enters in the next clock.
    pub answers_rest: Signal<In, Bit>,
    /// Something waits that may enter as soon as `hold` is low and its queue pair is not inside.
    pub waits: Signal<Out, Bit>,
    /// Something enters in this clock.
    pub valid: Signal<Out, Bit>,
    /// What.
    pub step: Signal<Out, FastStep>,
    #[registers(Bit:
        /// A step entered the pipe so many clocks ago as the name says; its queue pair is in `qp_1`, `qp_2` or `qp_3`.
        inside_1, inside_2, inside_3,
        /// The first answer waits in `answer`.
        full,
        /// A second answer waits in `behind`.
        behind_full,
        /// The answer that came last is in `come`.
        come_full,
        /// An answer is taken from the input in this clock.
        opened,
        /// `behind` holds nothing: the inverse of `behind_full`, a register of its own that enables the wide registers.
        spare,
        /// An answer entered the pipe a clock ago.
        taken,
        /// If an answer entered a clock ago: a step of the next answer's queue pair is inside.
        meets_behind,
        /// If none did: a step of the first answer's queue pair is inside.
        meets_first,
        /// The first answer must not enter: a READ response of its queue pair goes first, or what answers make has little room.
        answer_waits,
        /// A step of the READ response's queue pair is inside.
        response_meets)]
    #[registers(U<8>:
        /// Queue pair of the step that entered so many clocks ago as the name says.
        qp_1, qp_2, qp_3)]
    #[signals(Bit: answer_meets, answer_can, answer_goes, crowded, response_can, takes_answer, takes_response, takes, comes, come_stays)]
    #[signals(Bit: response_near, behind_response, held_inside, newcomer_inside, newcomer_meets, answer_inside, stays)]
    #[signals(U<8>: answer_qp, response_qp)]
    /// The answer that waits.
    answer: DFF<FastStep>,
    /// The one behind it: it comes whether the first one goes or not, so that what goes is known to nobody who offers answers.
    /// `spare` is `behind_full`, inverted, for the wide registers alone.
    behind: DFF<FastStep>,
    /// The one that has come last, for a clock or as long as both are full.
    come: DFF<FastStep>,
    newcomer: Signal<Local, Commit>,
    arrived: Signal<Local, FastStep>,
    word: Signal<Local, FastStep>,
}

#[kernel]
impl Logic for Entry {
    fn update(&mut self) {
        // what would enter does not depend on `hold`; nor does one kind wait for the decision about another
        answer_meets = if taken { meets_behind } else { meets_first };
        answer_can = full & !answer_meets & !answer_waits;
        response_can = response_waits & !response_meets;
        takes_response = response_can & !hold;
        answer_goes = answer_can & !response_can;
        takes_answer = answer_goes & !hold;
        response_taken = takes_response;
        waits = full | response_waits;
        takes = takes_answer | takes_response;
        valid = takes;

        word = answer;
        word.response = response_can;
        fields!(word from response: ends, negative, length);
        assign!(answer_qp = answer.qp, response_qp = response.qp);
        if response_can {
            fields!(word from response: qp, generation, psn);
        }
        step = word;
        // compared before it is known which of them enters
        each!((meets, number) in [(meets_write, write_qp), (meets_next_write, next_write_qp)] {
            meets = answer_qp == number;
            if response_can {
                meets = response_qp == number;
            }
        });

        // an answer comes out of block RAM and is late, so that a register takes it and nothing else looks at it
        newcomer = answers.data;
        answers.ready = opened;
        answer_comes = answers.valid & opened;
        come_stays = !opened | answers.valid;
        come_full = come_stays;
        arrived = bits_zero::<FastStep>(0);
        fields!(arrived from newcomer: qp, generation, psn, answer, syndrome, int_on, failed = ends_or_failed);
        arrived.place = answer_place;
        if opened {
            come = arrived;
        }

        // the answers behind the first
        comes = come_full & !behind_full;
        if spare {
            behind = come;
        }
        if takes_answer | !full {
            full = behind_full | comes;
            answer = if spare { come } else { behind };
        }
        stays = full & !takes_answer & (behind_full | comes);
        behind_full = stays;
        spare = !stays;
        // a register of its own, because where the answers come from it addresses many block RAMs; what `hold` says comes last
        crowded = full & (behind_full | comes) & come_stays;
        opened = !crowded | (answer_goes & !hold);

        // whose queue pair will be inside in the next clock: of a response,
        response_near = (takes_answer & (answer_qp == response_qp))
            | takes_response
            | (inside_1 & (qp_1 == response_qp))
            | (inside_2 & (qp_2 == response_qp));
        // of an answer:
        each!((meets, number) in [(answer_inside, answer_qp), (held_inside, behind.qp), (newcomer_inside, come.qp)] {
            meets = (inside_1 & (qp_1 == number)) | (inside_2 & (qp_2 == number)) | (inside_3 & (qp_3 == number));
        });
        behind_response = full & (response_qp == answer_qp);
        // a READ response that may go goes, or holds up what has come last a clock for nothing
        newcomer_meets = newcomer_inside | (full & (come.qp == answer_qp)) | (response_can & (come.qp == response_qp));
        // whether the answer goes depends on `hold` and is a register beside them. Where it goes: of the one behind it, or of the one that comes straight into its place
        meets_behind = (behind_full & (held_inside | (behind.qp == answer_qp))) | (!behind_full & newcomer_meets);
        taken = takes_answer;
        // where it does not, or there is none
        meets_first = (full & answer_inside) | (!full & !behind_full & newcomer_meets);
        // a READ response that may go goes, or does not let the answer go either
        answer_waits = (response_can & behind_response) | answers_rest;
        response_meets = response_near;
        inside_1 = takes;
        qp_1 = word.qp;
        assign!(inside_2.d = inside_1, qp_2.d = qp_1);
        assign!(inside_3.d = inside_2, qp_3.d = qp_2);
        reset!(
            inside_1,
            inside_2,
            inside_3,
            taken,
            meets_behind,
            meets_first,
            answer_waits,
            response_meets,
            full,
            behind_full,
            come_full
        );
        if reset {
            spare = true;
            opened = true;
        }
    }
}

#[cfg(test)]
#[path = "../tests/entry.rs"]
mod tests;
