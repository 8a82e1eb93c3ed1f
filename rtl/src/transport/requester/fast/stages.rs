//! The pipe of answers and READ responses: what an acknowledgement, READ data or a READ response means, while nothing but one message is concerned.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | `step` offered | the queue pair's state is read |
//! | 1 | `step_1` | next PSN; when the packet left is asked; where the oldest message lies shows, or the first that may be a READ with missing data |
//! | 2 | `step_2` | state and context show; that message is read |
//! | 3 | `state_3` | what stands in a void state; distances |
//! | 4 | `state_4`, ... | with the message: the decision; a completion |
//! | 5 | `state_5`, ... | what is decided is written into the state; event, echo; where in its READ a response's payload lies |
//!
//! While the state machine has the turn, the clocks 2 and 3 are for it: it takes the state from clock 3, and where its own PSN lies. What it writes goes in there.
//!
//! What is left to the state machine changes nothing here. What the pipe does is what the state machine would do. A READ response that is left to it takes
//! the responses behind it out of the pipe.

use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::requester::{FastStep, OwnMessage, PsnDistance, RequesterState, Syndrome, VoidBy};
use crate::words::transport::AnswerKind;
use crate::words::wire::AethSyndrome;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// A step a clock; steps of one queue pair at least five clocks apart, a READ response at least four behind any.
#[block]
pub struct Stages {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: drops what is inside.
    pub reset: Signal<In, Bit>,
    /// 0: a step enters.
    pub valid: Signal<In, Bit>,
    /// 0: it.
    pub step: Signal<In, FastStep>,
    /// 1: queue pair of the packet whose departure is asked for.
    pub asked_qp: Signal<Out, U<8>>,
    /// 1: its PSN.
    pub asked_psn: Signal<Out, U<24>>,
    /// 2: state of the queue pair.
    pub state: Signal<In, RequesterState>,
    /// 2: it is void.
    pub all_void: Signal<In, VoidBy>,
    /// 2: all of it that answers own is void.
    pub acked_void: Signal<In, VoidBy>,
    /// 2: its generation.
    pub own_generation: Signal<In, U<8>>,
    /// 2: first PSN, with which a void state begins.
    pub first_psn: Signal<In, U<24>>,
    /// 2: it exists.
    pub alive: Signal<In, Bit>,
    /// 2: generation of its context.
    pub context_generation: Signal<In, U<8>>,
    /// 2: MTU code.
    pub mtu: Signal<In, U<3>>,
    /// 2: it collects INT.
    pub int_on: Signal<In, Bit>,
    /// 2: it has sent something.
    pub sent_known: Signal<In, Bit>,
    /// 2: one past the highest PSN sent.
    pub sent_to: Signal<In, U<24>>,
    /// 1: the queue pair whose oldest message is to be read.
    pub ring_qp: Signal<Out, U<8>>,
    /// 1: or not that, but the first that may be a READ with missing data.
    pub ring_read: Signal<Out, Bit>,
    /// The state machine has the turn.
    pub turn: Signal<In, Bit>,
    /// 2: PSN of its input.
    pub machine_psn: Signal<In, U<24>>,
    /// 3: the state.
    pub state_now: Signal<Out, RequesterState>,
    /// 3: it is void.
    pub void_now: Signal<Out, Bit>,
    /// 3: the queue pair has ended.
    pub dead_now: Signal<Out, Bit>,
    /// 3: nothing is in the ring.
    pub empty: Signal<Out, Bit>,
    /// 3: the PSN lies before `una`.
    pub old: Signal<Out, Bit>,
    /// 3: it was not sent.
    pub unsent: Signal<Out, Bit>,
    /// 3: it lies before the end of the READ data taken.
    pub before_gap: Signal<Out, Bit>,
    /// 4: the PSN lay before `una`.
    pub old_before: Signal<Out, Bit>,
    /// 4: it was `una`.
    pub at_una: Signal<Out, Bit>,
    /// 5: the payload of the READ response is taken.
    pub takes: Signal<Out, Bit>,
    /// 5: the READ response is for the state machine; those behind it are dropped.
    pub defers_response: Signal<Out, Bit>,
    /// 1: the READ response that has entered in the clock in which something was left to the state machine is dropped.
    pub recalls_response: Signal<Out, Bit>,
    /// 5: what is taken is the last of its READ.
    pub last: Signal<Out, Bit>,
    /// 5: bytes of the READ before that payload.
    pub ahead: Signal<Out, U<36>>,
    /// 4: that message.
    pub message: Signal<In, OwnMessage>,
    /// 4: there is room for a completion.
    pub room: Signal<In, Bit>,
    /// 5: the work request of the message is done, without an error.
    pub completed: Signal<Out, Bit>,
    /// 4: its queue pair, or that of the state that may be written in the next clock.
    pub completes_qp: Signal<Out, U<8>>,
    /// 4: place of the answer, to be read.
    pub read_place: Signal<Out, U<4>>,
    /// 3: the state machine, which has the turn, writes a state; that goes through the same registers.
    pub saves: Signal<In, Bit>,
    /// 3: of this queue pair.
    pub saved_qp: Signal<In, U<8>>,
    /// 3: that state.
    pub saved_state: Signal<In, RequesterState>,
    /// 4: something may be written in the next clock.
    pub will_write: Signal<Out, Bit>,
    /// 5: something is written, or might have been.
    pub writing: Signal<Out, Bit>,
    /// 5: the state is to be written, be it as it was.
    pub we: Signal<Out, Bit>,
    /// 5: by the state machine.
    pub saved: Signal<Out, Bit>,
    /// 5: by the pipe.
    pub moved: Signal<Out, Bit>,
    /// 5: of this queue pair.
    pub qp: Signal<Out, U<8>>,
    /// 5: generation of the state.
    pub generation: Signal<Out, U<8>>,
    /// 5: new state.
    pub new_state: Signal<Out, RequesterState>,
    /// 5: place of what comes out.
    pub place: Signal<Out, U<4>>,
    /// 5: a message is done, its place in the ring is free.
    pub frees: Signal<Out, Bit>,
    /// 5: the answer is for the state machine.
    pub defers_answer: Signal<Out, Bit>,
    /// 5: an event for the scheduler.
    pub tells: Signal<Out, Bit>,
    /// 5: its PSN.
    pub psn: Signal<Out, U<24>>,
    /// 5: bytes acknowledged.
    pub bytes: Signal<Out, U<32>>,
    /// 5: it comes of an acknowledgement.
    pub acknowledges: Signal<Out, Bit>,
    /// 5: INT counts.
    pub with_int: Signal<Out, Bit>,
    /// 5: READ data is to be echoed.
    pub echo: Signal<Out, Bit>,
    /// 5: counted: an acknowledgement of what was never sent.
    pub ghost: Signal<Out, Bit>,
    /// 5: counted: a syndrome without meaning.
    pub ignored: Signal<Out, Bit>,
    /// 5: counted: the queue pair has ended.
    pub ended: Signal<Out, Bit>,
    /// Something is inside.
    pub busy: Signal<Out, Bit>,
    // 1, 2
    #[registers(Bit:
        /// A step is in the clock of the name.
        valid_1, valid_2,
        /// The step of the clock of the name was inside when another one was left to the state machine, perhaps of its queue pair.
        passes_1, passes_2)]
    #[registers(FastStep:
        /// Answer or READ response in the clock of the name.
        step_1, step_2)]
    /// PSN behind that of the step, in the clock of the name.
    next_2: DFF<U<24>>,
    // 3
    #[registers(Bit:
        /// A step is in the clock of the name.
        valid_3,
        /// The step of the clock of the name was inside when another one was left to the state machine, perhaps of its queue pair.
        passes_3,
        /// Clock 3: the queue pair exists, and the step is of its generation.
        alive_3,
        /// Clock 3: the queue pair asks for INT.
        int_on_3,
        /// Clock 3: it is known how far packets have been sent.
        sent_known_3)]
    // of the places in the ring, unless the state is void: none has been taken, none has been given to the scheduler, all have; none is there, none is out; the
    // oldest READ with missing data is not out; no completion waits
    #[registers(Bit:
        /// Clock 3: no place of the ring was ever taken, if that part of the state is void.
        at_start_3,
        /// Clock 3: no message was ever given to the scheduler, if that part of the state is void.
        none_yet_3,
        /// Clock 3: the scheduler has all messages of the ring.
        all_out_3,
        /// Clock 3: the ring is empty.
        alone_3,
        /// Clock 3: the scheduler has no message of the ring.
        none_out_3,
        /// Clock 3: the oldest READ with missing data has not been given to the scheduler.
        none_read_3,
        /// Clock 3: no completion waits.
        told_all_3)]
    #[registers(U<24>:
        /// PSN behind that of the step, in the clock of the name.
        next_3,
        /// Clock 3: PSN up to which packets have been sent.
        sent_to_3,
        /// Clock 3: first PSN of the queue pair.
        first_psn_3)]
    #[registers(VoidBy:
        /// Clock 3: the part of the state that posting owns was never written since the queue pair was created.
        void_3,
        /// Clock 3: the part that answers own was never written since then.
        acked_void_3)]
    /// Clock 3: generation of the queue pair.
    reference_3: DFF<U<8>>,
    /// The state in clock 3.
    now: Signal<Local, RequesterState>,
    #[signals(Bit: is_void, acked_is_void, none_out, no_read, is_old, has_ended, goes_on, is_response)]
    #[registers(FastStep:
        /// Answer or READ response in the clock of the name.
        step_3, step_4, step_5)]
    #[registers(RequesterState:
        /// Clock 3: state of the queue pair as read.
        state_3,
        /// State of the queue pair, also where it was void, in the clock of the name; the state machine's own while it has the turn.
        state_4, state_5)]
    /// Clock 3: MTU code of the queue pair.
    mtu_3: DFF<U<3>>,
    #[signals(PsnDistance: from_first, from_una, beyond, lag, over, progress, offset)]
    #[signals(Syndrome: syndrome)]
    // 4
    #[registers(Bit:
        /// A step is in the clock of the name.
        valid_4,
        /// Clock 4: the queue pair exists, and the step is of its generation.
        live_4,
        /// Clock 4: the queue pair has ended in an error.
        ended_4,
        /// Clock 4: PSN of the step lies before `una`.
        old_4,
        /// Clock 4: PSN of the step is `una`.
        at_una_4,
        /// Clock 4: PSN of the step was never sent.
        unsent_4,
        /// Clock 4: PSN of the step lies at or beyond that of the READ data missing first.
        behind_4,
        /// Clock 4: the scheduler has all messages of the ring.
        all_4,
        /// Clock 4: no completion waits, so that this one may be told at once.
        direct_4,
        /// Clock 4: the queue pair asks for INT.
        int_on_4)]
    #[registers(Bit:
        /// Clock 4: the step is an acknowledgement.
        acknowledgement_4,
        /// Clock 4: the step is a positive acknowledgement.
        positive_4,
        /// Clock 4: the step is an acknowledgement that is neither positive nor a NAK.
        ignored_4,
        /// Clock 4: the step tells READ data that was written.
        data_4,
        /// Clock 4: the step tells READ data that had come before.
        duplicate_4,
        /// Clock 4: the step is a READ response.
        response_4)]
    #[registers(Bit:
        /// The state machine's state is written in place of the step's, in the clock of the name.
        saves_4,
        /// Clock 4: the step is an answer of a queue pair that lives.
        judged_4,
        /// Clock 4: the step moves the queue pair's state if its oldest message is a WRITE.
        moves_write_4,
        /// Clock 4: the step moves the queue pair's state if its oldest message is a READ.
        moves_read_4,
        /// Clock 4: the step changes nothing and is not for the state machine.
        drops_4,
        /// Clock 4: nor is it if its PSN lies before `una`.
        drops_old_4,
        /// Clock 4: the step is a READ response of a queue pair that lives and has a READ with missing data.
        awaited_4,
        /// Clock 4: PSN of the step lies before that of the READ data missing first.
        before_gap_4,
        /// Clock 4: PSN of the step is that of the READ data missing first.
        next_missing_4,
        /// Clock 4: the payload of the READ response is as long as a full packet's.
        whole_4,
        /// Clock 4: the payload of the READ response is not longer than a full packet's, and not empty.
        short_4)]
    #[registers(U<24>:
        /// PSN behind that of the step, in the clock of the name.
        next_4,
        /// Clock 4: PSNs from `una` to the one behind the step.
        passed_4)]
    /// MTU code of the queue pair in the clock of the name.
    mtu_4: DFF<U<3>>,
    /// Clock 4: bits of a length that are above a full packet's.
    above_packet_4: DFF<U<16>>,
    #[signals(U<16>: full_length, last_byte, unlike)]
    #[signals(Bit: is_answer, is_ack, drops, gap_far, at_first, may_fit, moving, closing)]
    #[signals(Bit: judged, at_end, is_data, is_positive, is_ignored, is_duplicate, may_move, kind_moves, moves, done)]
    // 5
    // `writes_5`: `valid_5` or `saves_5`, for the memories; `may_move_5`: the step may move the state, which is known before what it moves
    #[registers(Bit:
        /// A step is in the clock of the name.
        valid_5,
        /// The state machine's state is written in place of the step's, in the clock of the name.
        saves_5,
        /// Clock 5: a step ends or the state machine's state is written: enables the memories.
        writes_5,
        /// Clock 5: the step may move the state; known before it is known whether it does.
        may_move_5,
        /// Clock 5: the step is an acknowledgement.
        acknowledges_5,
        /// Clock 5: the step is an acknowledgement of a queue pair that asks for INT.
        with_int_5)]
    // an answer that is for the state machine unless it moves; an event, an echo even if it does not move; an echo if it does
    #[registers(Bit:
        /// Clock 5: the step is an answer that is for the state machine unless it moves the state.
        answer_5,
        /// Clock 5: the acknowledgement becomes an event of the congestion control even if it does not move the state.
        tells_5,
        /// Clock 5: INT of the step is echoed though it moves nothing.
        duplicate_5,
        /// Clock 5: INT of the step is echoed if the step moves the state.
        echoes_5)]
    #[registers(Bit:
        /// Clock 5, counter pulse: acknowledgement of a PSN that was never sent.
        ghost_5,
        /// Clock 5, counter pulse: acknowledgement that is neither positive nor a NAK.
        ignored_5,
        /// Clock 5, counter pulse: acknowledgement for a queue pair that has ended.
        ended_5)]
    // the answer may move within its message, or also to its end; where the message ends, seen from the step, is late in clock 4
    #[registers(Bit:
        /// Clock 5: the answer moves the state if its PSN lies within the oldest message.
        kind_moves_5,
        /// Clock 5: the answer ends the oldest message if its PSN is the last one of it.
        closes_5,
        /// Clock 5: PSN of the step lies within the message, before its last one.
        within_5,
        /// Clock 5: PSN of the step is the last one of the message.
        at_end_5,
        /// Clock 5: the message is a READ.
        read_5,
        /// Clock 5: the message is the last of its work request.
        ends_work_5)]
    // likewise of one about data that is missing
    #[registers(Bit:
        /// Clock 5: as `kind_moves_5`, and the answer passes READ data that was missing.
        fills_5,
        /// Clock 5: as `closes_5`, and the answer passes READ data that was missing.
        fills_all_5)]
    /// PSN behind that of the step, in the clock of the name.
    next_5: DFF<U<24>>,
    /// Bytes that are acknowledged, but for half of the shift by the MTU code.
    passed_5: DFF<U<32>>,
    // one behind the places and the count that the state has; where the READ with missing data is if the oldest message goes
    #[registers(U<5>:
        /// Clock 5: place behind the oldest message.
        behind_head_5,
        /// Clock 5: place behind the oldest message whose completion waits.
        behind_told_5,
        /// Clock 5: place behind the oldest READ with missing data.
        behind_read_at_5,
        /// Clock 5: READs that have ended, and one more.
        one_more_retired_5,
        /// Clock 5: place of the oldest READ with missing data once the oldest message is gone.
        read_at_freed_5)]
    written: Signal<Local, RequesterState>,
    #[signals(Bit: next_one, accepts, defers, deferred, dropped_1, counts)]
    // the READ response may be taken inside of its READ, or at its end, if it is the first of a READ, or the next one; it was in the pipe until here
    #[registers(Bit:
        /// Clock 5: the READ response is taken if its PSN lies within its READ, before the last one.
        takes_inside_5,
        /// Clock 5: the READ response is taken if its PSN is the last one of its READ.
        takes_end_5,
        /// Clock 5: the READ response is the first of its READ.
        first_5,
        /// Clock 5: the READ response is the one missing first.
        missing_5,
        /// Clock 5: the step is a READ response.
        response_5)]
    /// What the READ response is ahead of its READ's first, bytes, but for half of the shift by the MTU code.
    ahead_5: DFF<U<36>>,
    /// MTU code of the queue pair in the clock of the name.
    mtu_5: DFF<U<3>>,
}

#[kernel]
impl Logic for Stages {
    fn update(&mut self) {
        // 5, for all others: what the message says of a READ response is late in clock 4, so that it is put together here
        moves = (kind_moves_5 & within_5) | (closes_5 & at_end_5);
        done = closes_5 & at_end_5;
        next_one = first_5 | missing_5;
        accepts = next_one & ((takes_inside_5 & within_5) | (takes_end_5 & at_end_5));
        defers = answer_5 & !moves;
        deferred = response_5 & !accepts;

        // 0, 1
        // a response behind one that is for the state machine is dropped
        valid_1 = valid;
        step_1 = step;
        // what has entered while something, perhaps of its queue pair, was left to the state machine: that it was is late, so that a READ response enters anew,
        // and an answer is left to the state machine, too, if it would move anything
        passes_1 = defers | deferred;
        assign!(passes_2.d = passes_1, passes_3.d = passes_2);
        dropped_1 = step_1.response & passes_1;
        recalls_response = valid_1 & dropped_1;
        assign!(asked_qp = step_1.qp, asked_psn = step_1.psn);
        valid_2 = valid_1 & !(step_1.response & deferred) & !dropped_1;
        step_2 = step_1;
        next_2 = step_1.psn + 1;

        ring_qp = step_1.qp;
        ring_read = step_1.response;

        // 2
        valid_3 = valid_2 & !(step_2.response & deferred);
        assign!(step_3.d = step_2, next_3.d = next_2, state_3.d = state);
        alone_3 = state.head == state.tail;
        at_start_3 = !state.tail.any();
        none_yet_3 = !state.admit.any();
        all_out_3 = state.admit == state.tail;
        none_out_3 = state.head == state.admit;
        none_read_3 = state.read_at == state.admit;
        told_all_3 = state.told == state.head;
        assign!(
            void_3.d = all_void,
            acked_void_3.d = acked_void,
            reference_3.d = own_generation,
            first_psn_3.d = first_psn
        );
        if turn {
            step_3.psn = machine_psn;
        }
        alive_3 = alive & (context_generation == step_2.generation);
        assign!(
            mtu_3.d = mtu,
            int_on_3.d = int_on,
            sent_known_3.d = sent_known,
            sent_to_3.d = sent_to
        );

        // 3: where the PSN lies
        is_void = void_3.lower | void_3.upper;
        acked_is_void = acked_void_3.lower | acked_void_3.upper;
        goes_on = valid_3 & !(step_3.response & deferred);
        valid_4 = goes_on;
        now = state_3;
        if acked_is_void {
            now = bits_zero::<RequesterState>(0);
            now.accepted = first_psn_3;
            fields!(now from state_3: assigned, admit, tail, posted);
        }
        if is_void {
            now.assigned = first_psn_3;
            now.admit = bits_u::<5>(0);
            now.tail = bits_u::<5>(0);
            now.posted = bits_u::<5>(0);
        }
        now.una = if acked_is_void { first_psn_3 } else { state_3.una };
        now.generation = reference_3;
        state_now = now;
        void_now = is_void;
        empty = is_void | (!acked_is_void & alone_3) | (acked_is_void & at_start_3);
        has_ended = !acked_is_void & state_3.dead;
        dead_now = has_ended;
        assign!(step_4.d = step_3, next_4.d = next_3, state_4.d = now);
        saves_4 = saves;
        if turn {
            state_4 = saved_state;
            step_4.qp = saved_qp;
        }
        assign!(
            live_4.d = alive_3,
            ended_4.d = has_ended,
            int_on_4.d = int_on_3,
            mtu_4.d = mtu_3
        );
        // how far it lies behind `una`, for both that it may be: which of them it is would be late
        from_first = bit_cast_word::<PsnDistance, U<24>>(step_3.psn - first_psn_3);
        at_first = step_3.psn == first_psn_3;
        from_una = bit_cast_word::<PsnDistance, U<24>>(step_3.psn - state_3.una);
        is_old = if acked_is_void { from_first.negative } else { from_una.negative };
        beyond = bit_cast_word::<PsnDistance, U<24>>(step_3.psn - sent_to_3);
        lag = bit_cast_word::<PsnDistance, U<24>>(now.accepted - next_3);
        passed_4 = next_3 - now.una;
        old_4 = is_old;
        unsent = !sent_known_3 | !beyond.negative;
        unsent_4 = unsent;
        behind_4 = lag.negative;
        all_4 = is_void | all_out_3;
        direct_4 = acked_is_void | told_all_3;
        none_out = if acked_is_void { none_yet_3 } else { none_out_3 };
        no_read = if acked_is_void { none_yet_3 } else { none_read_3 };
        // a READ response: the oldest READ with missing data may be there, and what of it is missing; in a void state there is none
        progress = bit_cast_word::<PsnDistance, U<24>>(step_3.psn - state_3.accepted);
        gap_far = if acked_is_void { from_first.negative } else { progress.negative };
        is_response = step_3.response;
        awaited_4 = goes_on & is_response & alive_3 & !is_void & !has_ended & !no_read & !step_3.negative;
        before_gap_4 = gap_far;
        next_missing_4 = if acked_is_void { at_first } else { step_3.psn == state_3.accepted };
        response_4 = is_response;
        old = is_old;
        at_una_4 = if acked_is_void { at_first } else { step_3.psn == state_3.una };
        assign!(old_before = old_4, at_una = at_una_4);
        before_gap = gap_far;
        full_length = bits_u::<16>(256) << mtu_3;
        last_byte = step_3.length - 1;
        whole_4 = step_3.length == full_length;
        short_4 = !(last_byte & (bits_u::<16>(0xff00) << mtu_3)).any();
        above_packet_4 = bits_u::<16>(0xff00) << mtu_3;
        // what the answer is
        is_answer = !step_3.response;
        syndrome = bit_cast_word::<Syndrome, AethSyndrome>(step_3.syndrome);
        is_ack = is_answer & (step_3.answer == AnswerKind::Acknowledgement);
        acknowledgement_4 = is_ack;
        is_positive = is_ack & !syndrome.code.any();
        positive_4 = is_positive;
        // positive, receiver not ready and negative mean something
        is_ignored = is_ack & syndrome.code.any() & (syndrome.code != 1) & (syndrome.code != 3);
        ignored_4 = is_ignored;
        is_data = is_answer & (step_3.answer == AnswerKind::ReadData) & !step_3.failed;
        data_4 = is_data;
        is_duplicate = is_answer & (step_3.answer == AnswerKind::ReadDuplicate);
        duplicate_4 = is_duplicate;
        // and what it may be about: the oldest message, nothing, or more than is known here
        judged = goes_on & is_answer & alive_3 & !has_ended;
        judged_4 = judged;
        may_move = judged & !passes_3 & !is_void & !none_out;
        moves_write_4 = may_move & is_positive & sent_known_3 & beyond.negative;
        moves_read_4 = may_move & is_data;
        drops_4 = !is_answer | !alive_3 | has_ended | is_ignored | is_duplicate;
        drops_old_4 = is_positive | is_data;

        // 4: an answer moves within the oldest message, or to its end
        over = bit_cast_word::<PsnDistance, U<24>>(next_4 - message.end_psn);
        at_end = next_4 == message.end_psn;
        assign!(within_5.d = over.negative, at_end_5.d = at_end);
        // neither a gap nor an earlier message, nor one that must wait for its completion or lets others follow
        kind_moves = if message.read { moves_read_4 } else { moves_write_4 };
        moving = kind_moves & !old_4;
        closing = kind_moves & !old_4 & direct_4 & all_4 & (room | !message.last);
        assign!(kind_moves_5.d = moving, closes_5.d = closing);
        fills_5 = moving & behind_4;
        fills_all_5 = closing & behind_4;
        completes_qp = step_4.qp;
        drops = drops_4 | (drops_old_4 & old_4) | (acknowledgement_4 & !old_4 & unsent_4);
        answer_5 = valid_4 & !drops;
        tells_5 = judged_4 & positive_4 & old_4;
        acknowledges_5 = acknowledgement_4;
        with_int_5 = acknowledgement_4 & int_on_4;
        echoes_5 = data_4 & int_on_4;
        duplicate_5 = valid_4 & duplicate_4 & step_4.int_on;
        ghost_5 = judged_4 & acknowledgement_4 & !old_4 & unsent_4;
        ignored_5 = judged_4 & ignored_4 & (old_4 | !unsent_4);
        ended_5 = valid_4 & live_4 & ended_4 & acknowledgement_4;
        next_5 = next_4;
        // half of the shift by the MTU code, the other half a clock later
        counts = positive_4 & !old_4;
        passed_5 = if counts { (bit_cast_u::<32, 24>(passed_4) << 8) << (mtu_4 & 4) } else { bits_u::<32>(0) };
        mtu_5 = mtu_4;

        // 4: the next response of a READ, of the kind and length of its place; the last has what whole packets leave of the READ
        offset = bit_cast_word::<PsnDistance, U<24>>(step_4.psn - message.first_psn);
        // compared as if both were one less, which changes nothing
        unlike = (bit_cast_u::<16, 13>(message.length) ^ step_4.length) & !above_packet_4;
        may_fit = awaited_4 & !old_4 & !unsent_4 & !before_gap_4 & message.read;
        takes_inside_5 = may_fit & !step_4.ends & whole_4;
        takes_end_5 = may_fit & step_4.ends & short_4 & !unlike.any();
        first_5 = step_4.psn == message.first_psn;
        missing_5 = next_missing_4 & !offset.negative;
        response_5 = valid_4 & response_4 & !deferred;
        ahead_5 = (bit_cast_u::<36, 24>(step_4.psn - message.first_psn) << 8) << (mtu_4 & 4);

        state_5 = state_4;
        // added before it is known whether the message goes: the way on to the tables is long
        behind_head_5 = state_4.head + 1;
        behind_told_5 = state_4.told + 1;
        behind_read_at_5 = state_4.read_at + 1;
        one_more_retired_5 = state_4.retired + 1;
        read_at_freed_5 = state_4.read_at;
        if state_4.read_at == state_4.head {
            read_at_freed_5 = state_4.head + 1;
        }
        assign!(read_5.d = message.read, ends_work_5.d = message.last);
        saves_5 = saves_4;
        writes_5 = valid_4 | saves_4;
        may_move_5 = moves_write_4 | moves_read_4 | awaited_4;
        assign!(valid_5.d = valid_4, step_5.d = step_4);
        read_place = step_4.place;

        // 5
        // that it moves is late; a state that does not move is written as it was read: nobody has written it since
        we = may_move_5 | saves_5;
        will_write = valid_4 | saves_4;
        writing = writes_5;
        saved = saves_5;
        written = state_5;
        if moves {
            written.una = next_5;
        }
        if done {
            fields!(written: head = behind_head_5, told = behind_told_5, read_at = read_at_freed_5);
        }
        if done & read_5 {
            written.retired = one_more_retired_5;
        }
        // `moves` about data that is missing, or `accepts`
        if (within_5 & (fills_5 | (takes_inside_5 & next_one))) | (at_end_5 & (fills_all_5 | (takes_end_5 & next_one)))
        {
            written.accepted = next_5;
        }
        if accepts & at_end_5 {
            written.read_at = behind_read_at_5;
        }
        moved = moves | accepts;
        assign! {
            qp = step_5.qp, generation = state_5.generation, new_state = written, place = step_5.place,
            frees = done, psn = next_5,
            acknowledges = acknowledges_5, with_int = with_int_5, ghost = ghost_5, ignored = ignored_5,
            ended = ended_5
        }
        completed = done & ends_work_5;
        defers_answer = defers;
        tells = tells_5 | moves;
        echo = duplicate_5 | (moves & echoes_5);
        assign!(takes = accepts, defers_response = deferred, last = at_end_5);
        ahead = ahead_5 << (mtu_5 & 3);
        bytes = passed_5 << (mtu_5 & 3);
        busy = valid_1 | valid_2 | valid_3 | valid_4 | valid_5;
        reset! {
            valid_1, valid_2, valid_3, valid_4, valid_5, saves_4, saves_5, writes_5, may_move_5, kind_moves_5, closes_5, answer_5, tells_5,
            duplicate_5, ghost_5, ignored_5, ended_5, takes_inside_5, takes_end_5, fills_5, fills_all_5, response_5
        }
    }
}

#[cfg(test)]
#[path = "../tests/stages.rs"]
mod tests;
