//! What enters the pipe next: a READ response, or an answer or a work request, in turn while both can go.
//!
//! Work requests come no faster than what they become is taken: one in two clocks behind a WRITE, which is two operations of the scheduler and two beats on the
//! bus, one in four behind a READ, whose answer and response go through this pipe too. Faster ones would fill packet buffers until frames are lost.

use crate::emit::naming::named_inside;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_u, bits_u, U};
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
    /// Answers; each waits here for its turn.
    pub answers: StreamIn<Commit>,
    /// Place that the answer gets.
    pub answer_place: Signal<In, U<4>>,
    /// An answer comes, and takes that place.
    pub answer_comes: Signal<Out, Bit>,
    /// A work request waits.
    pub work_waits: Signal<In, Bit>,
    /// It.
    pub work: Signal<In, WorkRequest>,
    /// Queue pair of the work request that may wait in the next clock.
    pub next_work_qp: Signal<In, U<8>>,
    /// Its place.
    pub work_place: Signal<In, U<4>>,
    /// No queue pair, operation or length.
    pub work_invalid: Signal<In, Bit>,
    /// A READ response waits, for a clock or more.
    pub response_waits: Signal<In, Bit>,
    /// It, from a clock before it waits on.
    pub response: Signal<In, ArrivedResponse>,
    /// It enters.
    pub response_taken: Signal<Out, Bit>,
    /// The work request enters.
    pub work_taken: Signal<Out, Bit>,
    /// Something waits that may enter as soon as `hold` is low and its queue pair is not inside.
    pub waits: Signal<Out, Bit>,
    /// Something enters in this clock.
    pub valid: Signal<Out, Bit>,
    /// What.
    pub step: Signal<Out, FastStep>,
    #[registers(Bit: inside_1, inside_2, inside_3, turn, full, answer_meets, work_meets, response_meets, pauses)]
    #[registers(U<8>: qp_1, qp_2, qp_3)]
    #[signals(Bit: answer_can, work_can, response_can, is_work, takes_work, takes_answer, takes_response, takes, opens)]
    #[signals(Bit: response_near, work_near, work_far, behind_answer, behind_work, behind_response, behind_inside)]
    #[signals(U<8>: answer_qp, newcomer_qp, next_answer_qp, work_qp, response_qp)]
    /// Clocks before the next work request; `pauses` while there are any.
    pause: DFF<U<2>>,
    next_pause: Signal<Local, U<2>>,
    /// The answer that waits.
    answer: DFF<FastStep>,
    newcomer: Signal<Local, Commit>,
    word: Signal<Local, FastStep>,
}

#[kernel]
impl Logic for Entry {
    fn update(&mut self) {
        // what would enter does not depend on `hold`, which is late; nor does one kind wait for the decision about another
        answer_can = full & !answer_meets;
        work_can = work_waits & !work_meets & !pauses;
        response_can = response_waits & !response_meets;
        is_work = work_can & (!answer_can | turn) & !response_can;
        next_pause = if pauses { pause - 1 } else { bits_u::<2>(0) };
        takes_response = response_can & !hold;
        takes_work = work_can & (!answer_can | turn) & !response_can & !hold;
        takes_answer = answer_can & !(work_can & turn) & !response_can & !hold;
        if takes_work | takes_answer {
            turn = takes_answer;
        }
        if takes_work {
            next_pause = if work.operation.any() { bits_u::<2>(3) } else { bits_u::<2>(1) };
        }
        pause = next_pause;
        pauses = next_pause.any();
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
        work_qp = bit_cast_u::<8, 24>(work.qpn);
        if is_work {
            word.qp = work_qp;
            word.place = work_place;
        }
        if response_can {
            fields!(word from response: qp, generation, psn);
            word.length = bit_cast_u::<32, 16>(response.length);
        }
        step = word;

        // the answer behind it
        newcomer = answers.data;
        opens = !full | takes_answer;
        answers.ready = opens;
        answer_comes = answers.valid & opens;
        if opens {
            full = answers.valid;
            fields!(answer.d from newcomer: qp, generation, psn, answer, syndrome, int_on, failed = ends_or_failed);
            answer.place = answer_place;
        }

        // whose queue pair will be inside in the next clock
        assign!(
            answer_qp = answer.qp,
            newcomer_qp = newcomer.qp,
            response_qp = response.qp
        );
        each!((meets, number) in [(work_near, next_work_qp), (response_near, response_qp)] {
            meets = (takes_work & (work_qp == number))
                | (takes_answer & (answer_qp == number))
                | (takes_response & (response_qp == number))
                | (inside_1 & (qp_1 == number))
                | (inside_2 & (qp_2 == number));
        });
        work_far = inside_3 & (qp_3 == next_work_qp);
        work_meets = work_near | work_far;
        // an answer: the one behind it as soon as it goes, of which alone it is known before what goes
        next_answer_qp = if full { answer_qp } else { newcomer_qp };
        behind_work = work_qp == next_answer_qp;
        behind_response = response_qp == next_answer_qp;
        behind_inside = (inside_1 & (qp_1 == next_answer_qp))
            | (inside_2 & (qp_2 == next_answer_qp))
            | (inside_3 & (qp_3 == next_answer_qp));
        behind_answer = (answer_qp == newcomer_qp)
            | (inside_1 & (qp_1 == newcomer_qp))
            | (inside_2 & (qp_2 == newcomer_qp))
            | (inside_3 & (qp_3 == newcomer_qp));
        answer_meets = if takes_answer {
            behind_answer
        } else {
            behind_inside | (takes_work & behind_work) | (takes_response & behind_response)
        };
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
            pause,
            pauses,
            full
        );
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "../tests/entry.rs"]
mod tests;
