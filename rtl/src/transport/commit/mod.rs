//! What follows from a packet waits here until the memory has taken its payload.
//!
//! Requests and answers each keep their order, and neither waits for the other ([`queues`]). A bus error turns what
//! the responder wanted to send into a negative acknowledgement (remote operational error) and ends the queue pair: what it
//! commits later in the same generation is swallowed. The requester hears of its own errors in the bit `ends_or_failed`.
//!
//! The INT of an entry stays in its queue until the entry leaves. What sends nothing leaves too, unseen, and takes its INT away.
//!
//! | clock | requests | answers |
//! |---|---|---|
//! | 0 - 3 | queue | queue |
//! | 3 - 4 | entry into a register, failed generation of its queue pair out of the RAM | token awaited, answer into a register |
//! | 4 - 5 | that generation into a register, beside the entry's second one | |
//! | 5 - 6 | is it the entry's? Token awaited; response or nothing | |

pub mod queues;

use self::queues::CommitQueues;
use crate::prim::ram::Ram;
use crate::prim::skid::{Skid, StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::prim::word::bits_zero;
use crate::words::requester::QpOfGeneration;
use crate::words::rx::{CommitEntry, CommitTurn};
use crate::words::transport::{Commit, CommitHead, CommitKind, FailedGeneration};
use crate::words::wire::AethSyndrome;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// One entry a clock of each kind while nobody waits.
#[block]
pub struct CommitStage {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high; nothing may be outstanding. Forgets no failed queue pair: the context bus does that.
    pub reset: Signal<In, Bit>,
    /// A queue pair is created or removed: it has not failed. At most every third clock.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair whose context is written.
    pub context_qp: Signal<In, U<8>>,
    /// What follows from packets, in the order of the write jobs.
    pub up: StreamIn<CommitEntry>,
    /// One token a write job, in order: bus error.
    pub written: StreamIn<U<1>>,
    /// Acknowledgements and READs (`KIND` 1 and 2).
    pub response: StreamOut<Commit>,
    /// Answers to the requester (`KIND` 3).
    pub answer: StreamOut<Commit>,
    /// A write of a request failed: the responder half of this queue pair ends.
    pub fail_valid: Signal<Out, Bit>,
    /// Queue pair.
    pub fail_qp: Signal<Out, U<8>>,
    /// Generation of the queue pair whose write failed.
    pub fail_generation: Signal<Out, U<8>>,
    queues: CommitQueues,
    #[registers(Bit: full_1, full, answer_full)]
    #[registers(CommitTurn: entry_1, entry)]
    /// The entry before this one failed, and was of the same queue pair and generation: its mark came too late for `found`.
    after_failed: DFF<Bit>,
    #[registers(FailedGeneration: found)]
    #[signals(Bit: take, moves, fails, error, swallowed, done, sends, goes_out, answer_moves, answer_written)]
    #[signals(FailedGeneration: looked_for, marked)]
    #[signals(QpOfGeneration: own, own_1)]
    #[registers(Bit: fail_valid_r, forget)]
    failed: Ram<FailedGeneration, 8>,
    responses: Skid<CommitHead>,
    #[signals(CommitHead: item, sent)]
    /// The answer that is offered.
    answered: DFF<CommitHead>,
    waiting: Signal<Local, CommitTurn>,
    #[signals(Commit: whole_response, whole_answer)]
    fail_r: DFF<QpOfGeneration>,
    forget_qp: DFF<U<8>>,
    arriving: Signal<Local, CommitTurn>,
}

#[kernel]
impl Logic for CommitStage {
    fn update(&mut self) {
        inputs!([queues, responses]: reset);
        StreamIn::<CommitEntry>::link(&mut up, &mut queues.up);
        StreamIn::<U<1>>::link(&mut written, &mut queues.written);

        // answers
        waiting = queues.answers.data;
        answer_moves = !answer_full | answer.ready;
        answer_written = !waiting.waits | queues.answers_written.valid;
        queues.answers.ready = answer_moves & answer_written;
        queues.answers_written.ready = answer_moves & queues.answers.valid & waiting.waits;
        if answer_moves {
            answer_full = queues.answers.valid & answer_written;
            answered = waiting.commit;
            if waiting.waits & queues.answers_written.data.any() {
                answered.ends_or_failed = true;
            }
        }
        answer.valid = answer_full;
        fields!(whole_answer from answered:
            kind, qp, generation, psn, syndrome, msn, int_length, answer, int_on, ends_or_failed, ecn);
        whole_answer.int_stack = queues.answers_int.data;
        answer.data = whole_answer;
        queues.answers_int.ready = answer_full & answer.ready;

        // requests, out: an item an entry. Whether the queue pair is a failed one is known last, so that it decides only over what is sent, never
        // over who moves
        fields!(own from entry: qp = commit.qp, generation = commit.generation);
        error = entry.waits & queues.requests_written.data.any();
        looked_for.generation = own.generation;
        looked_for.failed = true;
        swallowed = (found == looked_for) | after_failed;
        done = full & (queues.requests_written.valid | !entry.waits) & responses.up.ready;
        queues.requests_written.ready = full & entry.waits & responses.up.ready;
        item = entry.commit;
        if error {
            // a negative acknowledgement, remote operational error; the message that ends with this packet does not end now
            item.kind = CommitKind::Acknowledge;
            item.syndrome = AethSyndrome::NakRemoteOperation;
            item.msn = entry.commit.msn - bit_cast_u::<24, 1>(bit_cast_b(entry.commit.ends_or_failed));
        }
        if swallowed {
            item.kind = CommitKind::Nothing;
        }
        responses.up.data = item;
        responses.up.valid = done;
        sent = responses.down.data;
        sends = sent.kind != CommitKind::Nothing;
        response.valid = responses.down.valid & sends;
        fields!(whole_response from sent:
            kind, qp, generation, psn, syndrome, msn, int_length, answer, int_on, ends_or_failed, ecn);
        whole_response.int_stack = queues.requests_int.data;
        response.data = whole_response;
        goes_out = response.ready | !sends;
        responses.down.ready = goes_out;
        queues.requests_int.ready = responses.down.valid & goes_out;

        // failed queue pairs; a creation waits for a failure that is marked in the same clock
        fails = done & error;
        marked.generation = own.generation;
        marked.failed = true;
        inputs!(failed: we = forget, waddr = forget_qp);
        failed.wdata = bits_zero::<FailedGeneration>(0);
        if fails {
            failed.we = true;
            failed.waddr = own.qp;
            failed.wdata = marked;
        } else {
            forget = false;
        }
        if context_valid {
            forget = true;
            forget_qp = context_qp;
        }
        fail_valid_r = fails & !swallowed;
        fail_r = own;
        fail_valid = fail_valid_r;
        fail_qp = fail_r.qp;
        fail_generation = fail_r.generation;

        // in; while an entry waits its row is read again, and the one before it may fail in the clock in which it moves on
        fields!(own_1 from entry_1: qp = commit.qp, generation = commit.generation);
        moves = !full | done;
        if moves {
            assign!(full.d = full_1, entry.d = entry_1, found.d = failed.rdata);
            after_failed = fails & (own_1 == own);
        }
        take = !full_1 | moves;
        queues.requests.ready = take;
        arriving = queues.requests.data;
        failed.raddr = own_1.qp;
        if take {
            assign!(full_1.d = queues.requests.valid, entry_1.d = queues.requests.data);
            failed.raddr = arriving.commit.qp;
        }
        reset!(full_1, full, answer_full, fail_valid_r);
    }
}

#[cfg(test)]
mod tests;
