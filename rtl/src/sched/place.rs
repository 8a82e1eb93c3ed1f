//! Where a source's operations wait until they are chosen: two places, whose flows are compared with those of the last clocks.
//!
//! An operation is taken while its flow is none of those of the last four clocks. Three of these are compared a clock before, when the operation
//! comes and while it waits, in each place for itself: who waits for none of them stands for election (`stands`). The latest one is known too late for that,
//! and is compared beside the election (`repeats`): who is elected all the same is not taken in that clock, nor is another one.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | -3 | inputs | an operation is offered; was its flow chosen one, two or three clocks ago |
//! | -2 | `flow_0`, `flow_1`, `stands_r` | it stands for election; was its flow chosen in the clock before |
//! | -1 | `word_0`, `word_1` | what has been chosen |
//!
//! `up_ready` is a register. Only as many bits are compared as flow numbers have, so a number past the configured count may wait for another
//! flow before it is dropped.

use crate::emit::naming::named_by_size;
use crate::prim::uint::{bit_cast_u, U};
use crate::words::sched::Operation;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Two places for operations on flows whose numbers have `A` bits.
#[block]
pub struct Place<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: nothing waits here.
    pub reset: Signal<In, Bit>,
    /// Nothing is taken.
    pub closed: Signal<In, Bit>,
    /// Constant: the last flow number.
    pub last_flow: Signal<In, U<A>>,
    /// Clock -3: an operation is offered.
    pub up_valid: Signal<In, Bit>,
    /// Clock -3: it is taken.
    pub up_ready: Signal<Out, Bit>,
    /// Clock -3: its flow.
    pub up_flow: Signal<In, U<16>>,
    /// Clock -3: the operation.
    pub up_word: Signal<In, Operation>,
    /// A flow was chosen one clock ago.
    pub latest_valid: Signal<In, Bit>,
    /// Which.
    pub latest: Signal<In, U<A>>,
    /// A flow was chosen two clocks ago.
    pub second_valid: Signal<In, Bit>,
    /// Which.
    pub second: Signal<In, U<A>>,
    /// A flow was chosen three clocks ago.
    pub third_valid: Signal<In, Bit>,
    /// Which.
    pub third: Signal<In, U<A>>,
    /// Clock -2: an operation stands for election.
    pub stands: Signal<Out, Bit>,
    /// Clock -2: an operation waits, standing or not.
    pub waits: Signal<Out, Bit>,
    /// Clock -2: it is of the flow of the clock before.
    pub repeats: Signal<Out, Bit>,
    /// Clock -2: its flow, as it is compared.
    pub head: Signal<Out, U<A>>,
    /// Clock -2: it is taken.
    pub take: Signal<In, Bit>,
    /// Clock -1: flow of the operation that was chosen.
    pub flow: Signal<Out, U<16>>,
    /// Clock -1: it is not past the last flow.
    pub in_range: Signal<Out, Bit>,
    /// Clock -1: the operation.
    pub word: Signal<Out, Operation>,
    #[registers(Bit:
        /// An operation is taken in this clock.
        ready,
        /// Entry into which the next operation goes.
        write,
        /// Entry that is chosen from next.
        read,
        /// Entry from which the last choice was made.
        read_1,
        /// The entry of the name holds an operation.
        full_0, full_1,
        /// An operation stands for election: its flow was chosen in none of the last clocks.
        stands_r,
        /// An operation waits, standing or not.
        waits_r,
        /// The flow number of the operation in the entry of the name is within the configured count.
        in_range_0, in_range_1)]
    #[registers(Bit:
        /// The flow of the entry of the name was chosen one clock before the latest.
        once_0, once_1,
        /// The flow of the entry of the name was chosen two clocks before the latest.
        twice_0, twice_1)]
    #[registers(U<16>:
        /// Flow of the operation in the entry of the name.
        flow_0, flow_1)]
    #[signals(Bit: accept, now_0, now_1, came_1, came_2, came_3, comes_in_range, next_free_0, next_free_1)]
    // of what comes: nothing waits before it; its flow was chosen in none of the last clocks
    #[signals(Bit: comes_first, next_free)]
    // full with what comes; who of those that wait stands in the next clock if nothing is taken in this one, and if it is
    #[signals(Bit: filled_0, filled_1, next_full_0, next_full_1, stands_if_not, stands_if_taken)]
    #[signals(U<A>: head_0, head_1, coming)]
    /// Operation in the entry of the name.
    word_0: DFF<Operation>,
    /// Operation in the entry of the name.
    word_1: DFF<Operation>,
}

#[kernel]
impl<const A: usize> Logic for Place<A> {
    fn update(&mut self) {
        // what waits: was its flow chosen in the last clock; the last three are known
        head_0 = bit_cast_u::<A, 16>(flow_0);
        head_1 = bit_cast_u::<A, 16>(flow_1);
        now_0 = latest_valid & (latest == head_0);
        now_1 = latest_valid & (latest == head_1);
        stands = stands_r;
        repeats = if read { now_1 } else { now_0 };
        head = if read { head_1 } else { head_0 };
        next_free_0 = !(now_0 | once_0 | twice_0);
        next_free_1 = !(now_1 | once_1 | twice_1);
        assign!(
            once_0.d = now_0,
            once_1.d = now_1,
            twice_0.d = once_0,
            twice_1.d = once_1
        );

        // what comes
        up_ready = ready;
        accept = up_valid & ready;
        coming = bit_cast_u::<A, 16>(up_flow);
        comes_in_range = up_flow <= bit_cast_u::<16, A>(last_flow);
        came_1 = latest_valid & (latest == coming);
        came_2 = second_valid & (second == coming);
        came_3 = third_valid & (third == coming);
        assign!(filled_0 = full_0, filled_1 = full_1);
        // an empty place takes what is offered, whether it is taken or not, which is known later
        if !full_0 {
            assign!(word_0.d = up_word, flow_0.d = up_flow, in_range_0.d = comes_in_range);
        }
        if !full_1 {
            assign!(word_1.d = up_word, flow_1.d = up_flow, in_range_1.d = comes_in_range);
        }
        if accept & !write {
            filled_0 = true;
            assign!(once_0.d = came_1, twice_0.d = came_2);
        }
        if accept & write {
            filled_1 = true;
            assign!(once_1.d = came_1, twice_1.d = came_2);
        }
        // what is taken is known late, so that who stands next is computed for both. Whether what comes is free is late too, and is added last: it stands next
        // only where nothing else waits that is not taken
        comes_first = write == read;
        next_free = !(came_1 | came_2 | came_3);
        stands_if_not = if read { full_1 & next_free_1 } else { full_0 & next_free_0 };
        stands_if_taken = if read { full_0 & next_free_0 } else { full_1 & next_free_1 };
        stands_r = accept & (comes_first | take) & next_free;
        if take & stands_if_taken {
            stands_r = true;
        }
        if !take & stands_if_not {
            stands_r = true;
        }
        ready = !closed & (take | !(filled_0 & filled_1));
        next_full_0 = filled_0 & !(take & !read);
        next_full_1 = filled_1 & !(take & read);
        assign!(full_0.d = next_full_0, full_1.d = next_full_1);
        waits_r = next_full_0 | next_full_1;
        waits = waits_r;
        if accept {
            write = !write;
        }
        if take {
            read = !read;
        }

        // what was chosen stays where it is for one clock more
        read_1 = read;
        flow = if read_1 { flow_1 } else { flow_0 };
        in_range = if read_1 { in_range_1 } else { in_range_0 };
        word = word_0;
        if read_1 {
            word = word_1;
        }
        reset!(ready, waits_r, stands_r, full_0, full_1, write, read);
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_by_size::<Self>(A > 9)
    }
}
