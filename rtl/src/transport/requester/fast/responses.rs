//! READ responses in the order of arrival: those that wait for the pipe, those inside, and those whose decision has not left.
//!
//! A response keeps its place until what becomes of it has left. Three pointers follow the newest: `next` is the one that enters the pipe next, `judged`
//! the oldest without a decision, `head` the oldest whose decision has not left. One that the pipe leaves to the state machine takes those behind it
//! out of the pipe again, because the decisions must leave in the order of arrival; they enter anew once the state machine is done with it.

use crate::prim::lut_ram::LutRam;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::wide::W;
use crate::prim::word::bit_cast_word;
use crate::words::requester::{ArrivedResponse, ReadDecision, Syndrome};
use crate::words::transport::RxPacket;
use crate::words::wire::{AckHeader, AethSyndrome, Extension, Opcode};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Sixteen places; one in and one out in every second clock. Two clocks from `row` to `step`, which shows a clock before it `waits`.
#[block]
pub struct Responses {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: drops what waits.
    pub reset: Signal<In, Bit>,
    /// READ responses.
    pub row: StreamIn<RxPacket>,
    /// One may go into the pipe.
    pub waits: Signal<Out, Bit>,
    /// What the pipe needs of it.
    pub step: Signal<Out, ArrivedResponse>,
    /// It goes in this clock. Only with `waits`.
    pub enters: Signal<In, Bit>,
    /// The oldest one inside is taken.
    pub takes: Signal<In, Bit>,
    /// With `takes`: local address of its READ's first byte.
    pub base: Signal<In, U<64>>,
    /// With `takes`: bytes of the READ before its payload.
    pub ahead: Signal<In, U<36>>,
    /// With `takes`: it is the last of its READ.
    pub last: Signal<In, Bit>,
    /// A clock after `takes`: the region of its READ's memory stands.
    pub stands: Signal<In, Bit>,
    /// The oldest one inside is for the state machine, and what is inside of others counts no more, nor what enters in this clock.
    pub defers: Signal<In, Bit>,
    /// The one that entered a clock ago counts no more.
    pub recalls: Signal<In, Bit>,
    /// The oldest response.
    pub front: Signal<Out, RxPacket>,
    /// It is taken, and its decision may leave.
    pub decided: Signal<Out, Bit>,
    /// That decision.
    pub decision: Signal<Out, ReadDecision>,
    /// The region of its memory stood when it was taken.
    pub decision_stands: Signal<Out, Bit>,
    /// It leaves in this clock. Only with `decided`.
    pub acts: Signal<In, Bit>,
    /// The oldest response, if it is for the state machine; taken with its decision.
    pub machine: StreamOut<RxPacket>,
    #[registers(Bit:
        /// A READ response is taken from the input in this clock.
        room,
        /// A READ response that has not entered the pipe shows at `step`.
        shown,
        /// That READ response may go into the pipe.
        offers,
        /// The oldest READ response shows at `front`.
        front_shown,
        /// The oldest READ response is decided, and its decision may leave.
        due,
        /// The oldest READ response that is not decided is for the state machine.
        deferred,
        /// The oldest READ response is offered to the state machine.
        offered)]
    #[registers(U<5>:
        /// Oldest READ response.
        head,
        /// Oldest READ response without a decision.
        judged,
        /// READ response that enters the pipe next.
        next,
        /// As `next`, a clock ago.
        before,
        /// Place behind the newest READ response.
        tail)]
    #[signals(Bit: writes, leaves, some, again)]
    #[signals(U<5>: new_tail, coming)]
    #[signals(U<4>: place)]
    /// The responses.
    rows: LutRam<RxPacket, 4>,
    /// What the pipe needs of them.
    steps: LutRam<ArrivedResponse, 4>,
    /// Their decisions. Base and distance are added when they leave: the base comes from far away, out of many block RAMs.
    decisions: LutRam<ReadDecision, 4>,
    /// Responses that were taken, and whether the region of their memory stood, a clock after they were.
    standing: DFF<U<16>>,
    /// `standing` of the oldest response.
    stands_r: DFF<Bit>,
    /// A response was taken a clock ago.
    taken: DFF<Bit>,
    /// Its place.
    taken_at: DFF<U<4>>,
    now_standing: Signal<Local, U<16>>,
    arriving: Signal<Local, RxPacket>,
    given: Signal<Local, Extension>,
    aeth: Signal<Local, AckHeader>,
    syndrome: Signal<Local, Syndrome>,
    word: Signal<Local, ArrivedResponse>,
    made: Signal<Local, ReadDecision>,
}

#[kernel]
impl Logic for Responses {
    fn update(&mut self) {
        // in
        row.ready = room;
        writes = row.valid & room;
        new_tail = tail;
        if writes {
            new_tail = tail + 1;
        }
        tail = new_tail;
        room = (new_tail - head) != 16;
        arriving = row.data;
        given = bit_cast_word::<Extension, W<128, 2>>(arriving.extension);
        aeth = bit_cast_word::<AckHeader, U<32>>(given.aeth);
        syndrome = bit_cast_word::<Syndrome, AethSyndrome>(aeth.syndrome);
        fields!(word from arriving: qp, generation, psn, length = payload_length);
        word.ends = (arriving.opcode == Opcode::ReadResponseLast) | (arriving.opcode == Opcode::ReadResponseOnly);
        // Middle has no AETH
        word.negative = (arriving.opcode != Opcode::ReadResponseMiddle) & syndrome.code.any();
        place = bit_cast_u::<4, 5>(tail);
        inputs!([rows, steps]: we = writes, waddr = place);
        rows.wdata = arriving;
        steps.wdata = word;

        // into the pipe
        // where all behind the one for the state machine enter anew, that one does
        again = recalls & !deferred;
        coming = if enters { next + 1 } else { next };
        if again {
            coming = before;
        }
        before = next;
        steps.raddr = bit_cast_u::<4, 5>(coming);
        step = steps.rdata;
        waits = offers;
        some = if enters { next + 1 != tail } else { next != tail };
        shown = (some | again) & !defers;
        offers = shown & !enters & !again & !defers & !(deferred & !machine.ready);
        next = coming;
        if defers {
            next = judged + 1;
        }

        // out of the pipe
        leaves = acts | machine.ready;
        fields!(made: base, ahead, last);
        decisions.we = takes;
        decisions.waddr = bit_cast_u::<4, 5>(judged);
        decisions.wdata = made;
        assign!(taken.d = takes, taken_at.d = decisions.waddr);
        now_standing = standing;
        if taken {
            now_standing = standing.replace_bit(taken_at.index(), stands);
        }
        standing = now_standing;
        if takes | machine.ready {
            judged = judged + 1;
        }
        if machine.ready {
            deferred = false;
        }
        if defers {
            deferred = true;
        }

        // away
        rows.raddr = bit_cast_u::<4, 5>(head);
        front = rows.rdata;
        front_shown = (head != tail) & !leaves;
        due = (head != judged) & !leaves;
        decided = due;
        decisions.raddr = bit_cast_u::<4, 5>(head);
        decision = decisions.rdata;
        stands_r = now_standing.get_bit(decisions.raddr.index());
        decision_stands = stands_r;
        machine.valid = offered;
        offered = deferred & (head == judged) & front_shown & !leaves;
        machine.data = rows.rdata;
        if leaves {
            head = head + 1;
        }
        reset!(
            room,
            shown,
            offers,
            front_shown,
            due,
            deferred,
            offered,
            head,
            judged,
            next,
            tail
        );
    }
}

#[cfg(test)]
#[path = "../tests/responses.rs"]
mod tests;
