//! The pipe of work requests: one of one message, for which there is room, is queued and goes to the scheduler.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | `step` offered | the queue pair's state is read, the local region looked up |
//! | 1, 2 | `step_1`, `step_2` | state and context show |
//! | 3 | `posted_3`, ... | what stands in a void state; what is outstanding, packets of the work request |
//! | 4 | `posted_4`, ... | with the verdict on the region: the decision |
//! | 5 | `posted_5`, ... | what is decided is written into the state; the message, work for the scheduler |
//!
//! What is left to the state machine changes nothing here. What the pipe does is what the state machine would do.

use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::transport::requester::{above_outstanding, longest_message};
use crate::words::requester::{AckProgress, PostContext, PostState, PostStep, VoidBy};
use crate::words::responder::RoundedLength;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// A work request a clock; those of one queue pair at least five clocks apart. Messages of 2^`SEGMENT` PSNs at most, four times that outstanding.
#[block]
pub struct Posts<const SEGMENT: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: drops what is inside.
    pub reset: Signal<In, Bit>,
    /// Register: READs outstanding at most.
    pub max_reads: Signal<In, U<5>>,
    /// 0: a work request enters.
    pub valid: Signal<In, Bit>,
    /// 0: it.
    pub step: Signal<In, PostStep>,
    /// 2: what posting owns of the state of its queue pair.
    pub posted: Signal<In, PostState>,
    /// 2: it is void.
    pub posted_void: Signal<In, VoidBy>,
    /// 2: what it needs of the rest, which may be some clocks old.
    pub progress: Signal<In, AckProgress>,
    /// 2: that is void.
    pub progress_void: Signal<In, VoidBy>,
    /// 2: context.
    pub qp_context: Signal<In, PostContext>,
    /// 3: protection domain of the queue pair.
    pub domain: Signal<Out, U<16>>,
    /// 4: the local region allows the work request.
    pub allowed: Signal<In, Bit>,
    /// 4: place of the work request, to be read.
    pub read_place: Signal<Out, U<4>>,
    /// 4: the state may be written in the next clock.
    pub will_write: Signal<Out, Bit>,
    /// 5: the state may be written.
    pub writing: Signal<Out, Bit>,
    /// 5: that of this queue pair.
    pub qp: Signal<Out, U<8>>,
    /// 5: new state.
    pub new_posted: Signal<Out, PostState>,
    /// 5: place of what comes out.
    pub place: Signal<Out, U<4>>,
    /// 5: a message is queued and goes to the scheduler, and the state is written.
    pub push: Signal<Out, Bit>,
    /// 5: generation of its queue pair.
    pub generation: Signal<Out, U<8>>,
    /// 5: its position in the ring.
    pub tail: Signal<Out, U<5>>,
    /// 5: its first PSN.
    pub start: Signal<Out, U<24>>,
    /// 5: one past its last.
    pub finish: Signal<Out, U<24>>,
    /// 5: the work request comes back, the ring is full.
    pub returns: Signal<Out, Bit>,
    /// 5: it is for the state machine.
    pub defers: Signal<Out, Bit>,
    /// 5: one of the two.
    pub comes_back: Signal<Out, Bit>,
    /// Something is inside.
    pub busy: Signal<Out, Bit>,
    #[registers(Bit:
        /// A work request is in the clock of the name.
        valid_1, valid_2, valid_3, valid_4, valid_5)]
    #[registers(PostStep:
        /// Work request in the clock of the name: queue pair, place, length, kind.
        step_1, step_2, step_3, step_4, step_5)]
    // 3
    #[registers(PostState:
        /// Clock 3: the part of the queue pair's state that posting owns, as read.
        posted_3,
        /// That part of the state, also where it was void, in the clock of the name.
        posted_4, posted_5)]
    #[registers(VoidBy:
        /// Clock 3: that part was never written since the queue pair was created.
        posted_void_3,
        /// Clock 3: the part of the state that answers own was never written since the queue pair was created.
        progress_void_3)]
    /// Clock 3: the part of the state that answers own.
    progress_3: DFF<AckProgress>,
    /// Clock 3: context of the queue pair.
    context_3: DFF<PostContext>,
    #[signals(PostState: now, written)]
    #[signals(AckProgress: acked)]
    #[signals(U<5>: reads)]
    length_less_one: Signal<Local, U<32>>,
    rounded: Signal<Local, RoundedLength>,
    // 4
    #[registers(Bit:
        /// Clock 4: no queue pair that lives, or no legal work request.
        refused_4,
        /// Clock 4: the queue pair's ring of messages is full.
        full_4,
        /// Clock 4: the scheduler has all messages of the ring.
        all_4,
        /// Clock 4: fewer READs are outstanding than may be.
        reads_4)]
    #[registers(U<24>:
        /// Clock 4: PSNs assigned and not acknowledged.
        outstanding_4,
        /// Clock 4: packets of the work request less one.
        more_psns_4,
        /// Clock 4: PSN behind the first one of the work request.
        first_behind_4)]
    #[signals(U<24>: last_out)]
    #[signals(Bit: more, refused, may_queue, queues, waits)]
    // 5
    // it queues, unless more would be outstanding than may be, which is late in clock 4; it returns; or it is for the state machine
    #[registers(Bit:
        /// Clock 5: the work request is queued, unless too many PSNs would be outstanding.
        may_queue_5,
        /// Clock 5: more PSNs would be outstanding than may be.
        too_much_5,
        /// Clock 5: the ring is full: the work request goes back to the window.
        returns_5,
        /// Clock 5: the work request is for the state machine.
        defers_5,
        /// Clock 5: the work request returns or is for the state machine.
        comes_back_5)]
    /// Clock 5: one past the last PSN of the work request.
    end_5: DFF<U<24>>,
    /// Bits of a number of PSNs less one that is longer than a message may be.
    #[init(Constant::new(U(0xff_ffff & !(longest_message(SEGMENT) - 1))))]
    beyond_span: Constant<U<24>>,
    #[init(Constant::new(U(above_outstanding(SEGMENT))))]
    above: Constant<U<24>>,
}

#[kernel]
impl<const SEGMENT: usize> Logic for Posts<SEGMENT> {
    fn update(&mut self) {
        // 0 to 2
        assign!(valid_1.d = valid, step_1.d = step);
        assign!(valid_2.d = valid_1, step_2.d = step_1);
        assign!(valid_3.d = valid_2, step_3.d = step_2);
        assign!(posted_3.d = posted, posted_void_3.d = posted_void);
        assign!(
            progress_3.d = progress,
            progress_void_3.d = progress_void,
            context_3.d = qp_context
        );

        // 3
        domain = context_3.domain;
        assign!(valid_4.d = valid_3, step_4.d = step_3);
        now = posted_3;
        if posted_void_3.lower | posted_void_3.upper {
            now = bits_zero::<PostState>(0);
            now.assigned = context_3.first_psn;
        }
        now.generation = context_3.generation;
        posted_4 = now;
        acked = progress_3;
        if progress_void_3.lower | progress_void_3.upper {
            acked = bits_zero::<AckProgress>(0);
            acked.una = context_3.first_psn;
        }
        outstanding_4 = now.assigned - acked.una;
        all_4 = now.admit == now.tail;
        full_4 = (now.tail - acked.told) == 16;
        reads = now.posted - acked.retired;
        reads_4 = reads < max_reads;
        refused_4 = !context_3.alive | acked.dead | step_3.invalid;
        // packets of the work request less one, none if it has no bytes
        length_less_one = step_3.length - 1;
        rounded = bit_cast_word::<RoundedLength, U<33>>(bit_cast_u::<33, 32>(length_less_one));
        more_psns_4 =
            if step_3.length == 0 { bits_u::<24>(0) } else { bit_cast_u::<24, 25>(rounded.whole >> context_3.mtu) };
        first_behind_4 = now.assigned + 1;

        // 4: a work request of one message that the scheduler may have at once
        assign!(valid_5.d = valid_4, step_5.d = step_4, posted_5.d = posted_4);
        read_place = step_4.place;
        more = (more_psns_4 & beyond_span).any();
        end_5 = first_behind_4 + more_psns_4;
        // what would be outstanding is not more than a power of two
        last_out = outstanding_4 + more_psns_4;
        too_much_5 = (last_out & above).any();
        refused = refused_4 | !allowed;
        may_queue = !refused & !full_4 & !more & all_4 & (!step_4.read | reads_4);
        may_queue_5 = valid_4 & may_queue;
        returns_5 = valid_4 & !refused & full_4;
        defers_5 = valid_4 & (refused | !full_4) & !may_queue;
        comes_back_5 = valid_4 & !may_queue;

        // 5
        queues = may_queue_5 & !too_much_5;
        waits = may_queue_5 & too_much_5;
        defers = defers_5 | waits;
        comes_back = comes_back_5 | waits;
        written = posted_5;
        written.tail = posted_5.tail + 1;
        written.admit = posted_5.tail + 1;
        written.assigned = end_5;
        written.posted = posted_5.posted + bit_cast_u::<5, 1>(bit_cast_b(step_5.read));
        assign! {
            will_write = valid_4, writing = valid_5, qp = step_5.qp, new_posted = written, place = step_5.place, push = queues,
            generation = posted_5.generation, tail = posted_5.tail, start = posted_5.assigned, finish = end_5,
            returns = returns_5
        }
        busy = valid_1 | valid_2 | valid_3 | valid_4 | valid_5;
        reset!(
            valid_1,
            valid_2,
            valid_3,
            valid_4,
            valid_5,
            may_queue_5,
            returns_5,
            defers_5,
            comes_back_5
        );
    }
}
