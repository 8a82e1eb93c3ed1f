//! What the response queue does next: a creation, a READ's end, or an answer, in this order; but behind an end an answer.
//!
//! One a clock leaves, but what is of a queue pair that the response queue has in hand waits until its list is written and may be read: four clocks behind the
//! one before, if that one is decided at once. An end waits a clock behind another one, in which an answer goes: a READ is one of each. Whether one has to wait
//! is known a clock before. An end that has to wait lets an answer pass, and an answer that has to wait, as it was a clock before, lets an end pass: those of a
//! READ and of the one asked for behind it come in the same order, so that one wait would follow another.

use crate::emit::naming::named_inside;
use crate::prim::async_ram::AsyncRam;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::context::QpContext;
use crate::words::responses::{EndInMsn, QpChange, QueuedAnswer, ReadEnd, ResponseInput};
use crate::words::transport::{Commit, ReadRequest};
use crate::words::wire::AethSyndrome;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Collects what comes without handshake, and chooses.
#[block]
pub struct Intake {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// A queue pair is created or removed.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair whose context is written.
    pub context_qp: Signal<In, U<8>>,
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// A READ's last response has left, or one could not be read from memory.
    pub gone_valid: Signal<In, Bit>,
    /// The response could not be read from memory.
    pub gone_failed: Signal<In, Bit>,
    /// With `gone_failed`: because the region of its memory stands no longer; low: host memory failed.
    pub gone_refused: Signal<In, Bit>,
    /// Queue pair.
    pub gone_qp: Signal<In, U<8>>,
    /// Generation of the queue pair whose READ has gone.
    pub gone_generation: Signal<In, U<8>>,
    /// PSN of the response.
    pub gone_psn: Signal<In, U<24>>,
    /// Tag of its READ.
    pub gone_tag: Signal<In, U<5>>,
    /// Answers.
    pub up: StreamIn<Commit>,
    /// Register: there is room for what may become of it.
    pub room: Signal<In, Bit>,
    /// Something is compared.
    pub compared: Signal<In, Bit>,
    /// It is an end.
    pub compared_end: Signal<In, Bit>,
    /// Of this queue pair.
    pub compared_qp: Signal<In, U<8>>,
    /// Something is looked at.
    pub looked_at: Signal<In, Bit>,
    /// Of this queue pair.
    pub looked_qp: Signal<In, U<8>>,
    /// It waits, and with it what is compared.
    pub stalls: Signal<In, Bit>,
    /// What was looked at before goes on.
    pub in_hand: Signal<In, Bit>,
    /// It is of this queue pair.
    pub decided_qp: Signal<In, U<8>>,
    /// Queue pair of what is offered in the next clock.
    pub coming_qp: Signal<Out, U<8>>,
    /// What is offered is taken, to be compared.
    pub take: Signal<Out, Bit>,
    /// What.
    pub subject: Signal<Out, ResponseInput>,
    /// Queue pair.
    pub qp: Signal<Out, U<8>>,
    /// The answer; of an end the generation in its place, the tag in that of the MSN, whether it failed, the syndrome of what is answered then, and as
    /// PSN the one that could not be read, or one past the last.
    pub entry: Signal<Out, QueuedAnswer>,
    /// Place of an answer's INT.
    pub int_at: Signal<In, U<3>>,
    /// Its INT, in the same clock; of a READ its `ReadRequest`.
    pub int_stack: Signal<Out, W<336, 6>>,
    /// The creation.
    pub creation: Signal<Out, QpChange>,
    contexts: StreamFifo<QpChange, 8, 256>,
    ends: StreamFifo<ReadEnd, 8, 256>,
    #[signals(Bit: moves, head_end, end_meets, answer_meets, head_meets, stay_meets)]
    #[signals(Bit: context_waits, end_waits, behind_end, answer_blocked, holds_answer, swaps, is_free, opens)]
    // the answer waited in the clock before, and then had to for another one
    #[registers(Bit:
        /// An answer was offered one clock ago and not taken.
        answer_waited,
        /// The answer that was offered one clock ago is of a queue pair that is in hand.
        answer_near)]
    #[signals(U<8>: head_qp)]
    // something is offered; it must wait
    #[registers(Bit:
        /// Something is offered to the response queue.
        offers,
        /// What is offered is of a queue pair that is in hand, and waits.
        met)]
    // the creation that was offered a clock ago leaves its FIFO now; an end does when it is taken
    #[registers(Bit:
        /// The creation that was offered one clock ago leaves its FIFO.
        context_leaves)]
    /// Kind of what is offered.
    subject_r: DFF<ResponseInput>,
    /// Queue pair of what is offered.
    qp_r: DFF<U<8>>,
    /// The answer or the end of a READ that is offered.
    entry_r: DFF<QueuedAnswer>,
    came: Signal<Local, Commit>,
    /// INT of the last eight answers that were taken: four are offered, compared, looked at and in hand.
    stacks: AsyncRam<W<336, 6>, 3>,
    /// Where the INT of the next one will lie.
    next_at: DFF<U<3>>,
    /// The creation that is offered.
    creation_r: DFF<QpChange>,
    end: Signal<Local, ReadEnd>,
    end_msn: Signal<Local, EndInMsn>,
}

#[kernel]
impl Logic for Intake {
    fn update(&mut self) {
        inputs!([contexts, ends]: reset);
        contexts.up.valid = context_valid;
        contexts.up.data.next.qp = context_qp;
        contexts.up.data.next.generation = context_data.generation;
        contexts.up.data.next.alive = context_data.alive;
        contexts.up.data.next.int_on = context_data.int_on;
        ends.up.valid = gone_valid;
        ends.up.data.next.qp = gone_qp;
        ends.up.data.next.generation = gone_generation;
        ends.up.data.next.psn = gone_psn;
        ends.up.data.next.failed = gone_failed;
        ends.up.data.next.refused = gone_refused;
        ends.up.data.next.tag = gone_tag;

        // the next one
        take = offers & !met & room & !stalls;
        behind_end = offers & (subject_r == ResponseInput::ReadEnd);
        answer_blocked = answer_near & answer_waited;
        swaps = behind_end & met & !answer_blocked;
        is_free = take | !offers;
        moves = is_free | (swaps & up.valid);
        context_waits = contexts.down.valid & !context_leaves;
        end_waits = ends.down.valid & !behind_end;
        contexts.down.ready = context_leaves;
        ends.down.ready = take & behind_end;
        context_leaves = moves & context_waits;
        holds_answer = answer_blocked & ends.down.valid;
        opens = (is_free | swaps) & !context_waits & !holds_answer & !end_waits;
        up.ready = opens;
        came = up.data;
        answer_waited = up.valid & !opens;
        end = ends.down.data;
        head_end = end_waits & !context_waits;
        head_qp = if end_waits { end.qp } else { up.data.val().qp };
        if context_waits {
            head_qp = contexts.down.data.val().qp;
        }
        // what leaves in this clock, what is compared and what is looked at is decided later; what is decided at once is written in this clock
        // at the latest, which is early enough
        // ends and answers for themselves, since which of them comes is known late; a creation stays for a clock, and is compared then
        end_meets = (offers & (end.qp == qp_r))
            | (compared & (end.qp == compared_qp))
            | (looked_at & (end.qp == looked_qp))
            | (in_hand & (end.qp == decided_qp))
            | (stalls & compared_end);
        answer_meets = (offers & (up.data.val().qp == qp_r))
            | (compared & (up.data.val().qp == compared_qp))
            | (looked_at & (up.data.val().qp == looked_qp))
            | (in_hand & (up.data.val().qp == decided_qp));
        // of the end that may go in this clock too, since which goes is known late
        answer_near = answer_meets | (end_waits & (up.data.val().qp == end.qp));
        head_meets = context_waits | (end_waits & end_meets) | (!end_waits & answer_meets);
        stay_meets = (compared & (qp_r == compared_qp))
            | (looked_at & (qp_r == looked_qp))
            | (in_hand & (qp_r == decided_qp))
            | (stalls & compared_end & (subject_r == ResponseInput::ReadEnd));
        met = if moves { head_meets } else { stay_meets };
        coming_qp = if moves { head_qp } else { qp_r };
        qp_r = coming_qp;
        if moves {
            offers = context_waits | end_waits | (up.valid & !holds_answer);
            subject_r = if head_end { ResponseInput::ReadEnd } else { ResponseInput::Answer };
            if context_waits {
                subject_r = ResponseInput::Creation;
            }
        }
        // the upper bits are read of answers alone: left as they are, these registers need no late reset
        end_msn = bit_cast_word::<EndInMsn, U<24>>(up.data.val().msn);
        end_msn.tag = end.tag;
        // only if something comes, so that these many bits do not wait on the wire on which everything else does
        if moves & (context_waits | end_waits | up.valid) {
            creation_r = contexts.down.data;
            fields!(entry_r.d from came: kind, qp, generation, psn, syndrome, msn, ends_or_failed, int_length);
            entry_r.asked = bit_cast_word::<ReadRequest, W<336, 6>>(came.int_stack);
            entry_r.int_at = next_at;
            if end_waits {
                fields!(entry_r.d from end: generation, ends_or_failed = failed);
                entry_r.psn = end.psn + bit_cast_u::<24, 1>(bit_cast_b(!end.failed));
                entry_r.msn = bit_cast_number::<24, EndInMsn>(end_msn);
                entry_r.syndrome =
                    if end.refused { AethSyndrome::NakRemoteAccess } else { AethSyndrome::NakRemoteOperation };
            }
        }
        assign!(subject = subject_r, qp = qp_r, entry = entry_r, creation = creation_r);
        inputs!(stacks: we = opens, waddr = next_at, wdata = came.int_stack, raddr = int_at);
        int_stack = stacks.rdata;
        if up.valid & opens {
            next_at = next_at + 1;
        }
        reset!(offers, context_leaves, answer_waited, next_at);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "tests/intake.rs"]
mod tests;
