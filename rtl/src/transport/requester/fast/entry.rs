//! What enters the pipe next: a READ response first, then an answer or a work request, in turn while both can go; while many answers wait, a work request waits
//! for three of them.
//!
//! So work requests come no faster than what they become is taken. A READ is three steps, of its work request, its response and the answer about the
//! response's payload: if work requests took more than what is left by the others, responses would fill the packet buffer until frames are lost.
//! Behind a READ of more than 64 bytes the next work request waits for three clocks, behind one of 128 bytes or more, or while READs of peers are answered, for
//! four: its response is on the wire for as long or longer. What is posted faster than it is answered waits at the peer, whose response queue is slower with more
//! than eight READs of a queue pair.
//!
//! What answers, and what work requests make has little room now and then; each holds up its own kind, and READ responses wait for neither.

use crate::emit::naming::named_inside;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::bits_zero;
use crate::words::requester::{ArrivedResponse, FastStep};
use crate::words::transport::Commit;
use crate::words::work::WorkRequest;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// One step a clock, and one in five clocks of a queue pair: the state that a step reads is what the step before it has written, and that has not been left to
/// the state machine. A READ response in four clocks: one that is left to the state machine takes those behind it along.
///
/// Whether the queue pair of what waits is inside is known a clock before: an answer is compared when it comes, a work request when it is addressed, a READ
/// response in the clock in which it shows.
#[block]
pub struct Entry {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Nothing enters in this clock.
    pub hold: Signal<In, Bit>,
    /// Answers; each waits here for its turn, two at most.
    pub answers: StreamIn<Commit>,
    /// Many answers wait behind those here.
    pub many_answers: Signal<In, Bit>,
    /// Place that the answer gets.
    pub answer_place: Signal<In, U<4>>,
    /// An answer comes, and takes that place.
    pub answer_comes: Signal<Out, Bit>,
    /// A work request waits; none does in the clock behind one that was taken.
    pub work_waits: Signal<In, Bit>,
    /// It.
    pub work: Signal<In, WorkRequest>,
    /// Its place.
    pub work_place: Signal<In, U<4>>,
    /// No queue pair, operation or length.
    pub work_invalid: Signal<In, Bit>,
    /// Queue pair of the work request that may wait in the next clock, unless `work_is_new`.
    pub next_work_qp: Signal<In, U<8>>,
    /// It is another than in this clock,
    pub work_is_new: Signal<In, Bit>,
    /// of this queue pair.
    pub new_work_qp: Signal<In, U<8>>,
    /// A READ response waits, for a clock or more.
    pub response_waits: Signal<In, Bit>,
    /// It, from a clock before it waits on.
    pub response: Signal<In, ArrivedResponse>,
    /// It enters.
    pub response_taken: Signal<Out, Bit>,
    /// The work request enters.
    pub work_taken: Signal<Out, Bit>,
    /// Queue pair of the state that may be written in this clock.
    pub write_qp: Signal<In, U<8>>,
    /// And in the next clock.
    pub next_write_qp: Signal<In, U<8>>,
    /// The queue pair of `step` is `write_qp`.
    pub meets_write: Signal<Out, Bit>,
    /// It is `next_write_qp`.
    pub meets_next_write: Signal<Out, Bit>,
    /// A READ of a peer becomes active; READs are answered for 64 clocks from then on.
    pub answers_read: Signal<In, Bit>,
    /// What answers make has little room: none enters in the next clock.
    pub answers_rest: Signal<In, Bit>,
    /// What work requests make has little room: none enters in the next clock.
    pub work_rests: Signal<In, Bit>,
    /// Something waits that may enter as soon as `hold` is low and its queue pair is not inside.
    pub waits: Signal<Out, Bit>,
    /// Something enters in this clock.
    pub valid: Signal<Out, Bit>,
    /// What.
    pub step: Signal<Out, FastStep>,
    #[registers(Bit: inside_1, inside_2, inside_3, turn, full, behind_full, spare, answer_meets, work_meets, response_meets, pauses, answering)]
    #[registers(U<8>: qp_1, qp_2, qp_3)]
    #[signals(Bit: answer_can, work_can, response_can, is_work, takes_work, takes_answer, takes_response, takes, opens, comes, work_first)]
    #[signals(Bit: new_work_near, new_work_far, answer_near, response_near, work_near, work_far, behind_answer, behind_work, behind_response, behind_inside, second_inside, held_inside, newcomer_inside, second_answer, second_work, second_response, answer_inside, work_inside, stays)]
    #[signals(U<8>: answer_qp, work_qp, response_qp)]
    /// Clocks in which READs are answered.
    answered: DFF<U<6>>,
    next_answered: Signal<Local, U<6>>,
    /// A READ's work request went a clock ago; it was for more than 64 bytes; it was long, or READs of peers were answered.
    #[registers(Bit: behind_read, behind_middle, behind_long)]
    /// Clocks before the next work request; `pauses` while there are any.
    pause: DFF<U<2>>,
    next_pause: Signal<Local, U<2>>,
    /// Answers that have gone since a work request did, three at most. It is a work request's `turn` behind one, behind three while many wait.
    in_row: DFF<U<2>>,
    /// The answer that waits.
    answer: DFF<FastStep>,
    /// The one behind it: it comes whether the first one goes or not, so that what goes is known to nobody who offers answers.
    /// `spare` is `behind_full`, inverted, for the wide registers alone.
    behind: DFF<FastStep>,
    newcomer: Signal<Local, Commit>,
    arrived: Signal<Local, FastStep>,
    word: Signal<Local, FastStep>,
}

#[kernel]
impl Logic for Entry {
    fn update(&mut self) {
        // what would enter does not depend on `hold`, which is late; nor does one kind wait for the decision about another
        answer_can = full & !answer_meets;
        work_can = work_waits & !work_meets & !pauses;
        response_can = response_waits & !response_meets;
        work_first = work_can & (!answer_can | turn);
        is_work = work_first & !response_can;
        takes_response = response_can & !hold;
        takes_work = is_work & !hold;
        takes_answer = answer_can & !(work_can & turn) & !response_can & !hold;
        if takes_answer & !turn {
            turn = !many_answers | (in_row == 2);
            in_row = in_row + 1;
        }
        // for how long is known a clock later: until then none waits
        behind_read = takes_work & work.operation.any();
        behind_long = answering | (work.length >= 128);
        behind_middle = work.length > 64;
        next_pause = if pauses { pause - 1 } else { bits_u::<2>(0) };
        if takes_work {
            clear!(turn, in_row);
        }
        if behind_read & behind_middle {
            next_pause = bits_u::<2>(1);
        }
        if behind_read & behind_long {
            next_pause = bits_u::<2>(2);
        }
        pause = next_pause;
        pauses = next_pause.any();
        next_answered = if answering { answered - 1 } else { bits_u::<6>(0) };
        if answers_read {
            next_answered = bits_u::<6>(63);
        }
        answered = next_answered;
        answering = next_answered.any();
        work_taken = takes_work;
        response_taken = takes_response;
        waits = full | work_waits | response_waits;
        takes = takes_work | takes_answer | takes_response;
        valid = takes;

        word = answer;
        word.work = is_work;
        word.response = response_can;
        word.invalid = work_invalid;
        word.read = work.operation.any();
        word.length = work.length;
        fields!(word from response: ends, negative);
        assign!(answer_qp = answer.qp, response_qp = response.qp);
        work_qp = bit_cast_u::<8, 24>(work.qpn);
        if work_first {
            word.qp = work_qp;
            word.place = work_place;
        }
        if response_can {
            fields!(word from response: qp, generation, psn);
            word.length = bit_cast_u::<32, 16>(response.length);
        }
        step = word;
        // compared before it is known which of them enters
        each!((meets, number) in [(meets_write, write_qp), (meets_next_write, next_write_qp)] {
            meets = answer_qp == number;
            if work_first {
                meets = work_qp == number;
            }
            if response_can {
                meets = response_qp == number;
            }
        });

        // the answers behind it
        newcomer = answers.data;
        opens = !behind_full;
        answers.ready = opens;
        comes = answers.valid & opens;
        answer_comes = comes;
        arrived = bits_zero::<FastStep>(0);
        fields!(arrived from newcomer: qp, generation, psn, answer, syndrome, int_on, failed = ends_or_failed);
        arrived.place = answer_place;
        if spare {
            behind = arrived;
        }
        if takes_answer | !full {
            full = behind_full | comes;
            answer = if spare { arrived } else { behind };
        }
        stays = full & !takes_answer & (behind_full | comes);
        behind_full = stays;
        spare = !stays;

        // whose queue pair will be inside in the next clock
        each!((meets, number) in [(work_near, next_work_qp), (new_work_near, new_work_qp), (response_near, response_qp)] {
            meets = (takes_work & (work_qp == number))
                | (takes_answer & (answer_qp == number))
                | (takes_response & (response_qp == number))
                | (inside_1 & (qp_1 == number))
                | (inside_2 & (qp_2 == number));
        });
        work_far = inside_3 & (qp_3 == next_work_qp);
        new_work_far = inside_3 & (qp_3 == new_work_qp);
        work_inside = if work_is_new { new_work_near | new_work_far } else { work_near | work_far };
        work_meets = work_inside | work_rests;
        // an answer: the one behind it as soon as it goes, of which alone it is known before what goes; which of two that is, is chosen behind the comparisons
        each!((meets, number) in [(answer_inside, answer_qp), (held_inside, behind.qp), (newcomer_inside, newcomer.qp)] {
            meets = (inside_1 & (qp_1 == number)) | (inside_2 & (qp_2 == number)) | (inside_3 & (qp_3 == number));
        });
        second_inside = if behind_full { held_inside } else { newcomer_inside };
        each!((meets, number) in [(second_answer, answer_qp), (second_work, work_qp), (second_response, response_qp)] {
            meets = if behind_full { behind.qp == number } else { newcomer.qp == number };
        });
        behind_answer = second_answer | second_inside;
        behind_inside = if full { answer_inside } else { second_inside };
        behind_work = if full { work_qp == answer_qp } else { second_work };
        behind_response = if full { response_qp == answer_qp } else { second_response };
        answer_near = if answer_can { behind_answer } else { behind_inside };
        if work_first {
            answer_near = behind_inside | behind_work;
        }
        if response_can {
            answer_near = behind_inside | behind_response;
        }
        if hold {
            answer_near = behind_inside;
        }
        answer_meets = answer_near | answers_rest;
        response_meets = response_near;
        inside_1 = takes;
        qp_1 = word.qp;
        assign!(inside_2.d = inside_1, qp_2.d = qp_1);
        assign!(inside_3.d = inside_2, qp_3.d = qp_2);
        reset!(
            inside_1,
            inside_2,
            inside_3,
            answer_meets,
            work_meets,
            response_meets,
            turn,
            in_row,
            behind_read,
            pause,
            pauses,
            answered,
            answering,
            full,
            behind_full
        );
        if reset {
            spare = true;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "../tests/entry.rs"]
mod tests;
