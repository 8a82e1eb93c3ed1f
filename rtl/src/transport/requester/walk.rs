//! One step of the walk over a queue pair's ring: what an answer does to one message.

use super::above_outstanding;
use crate::emit::naming::named_inside;
use crate::prim::uint::U;
use crate::prim::word::bit_cast_word;
use crate::words::requester::PsnDistance;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// How far an answer moves `una` in the oldest message, and whether the scheduler may have it: at most four times 2^`SEGMENT` PSNs
/// are outstanding. `una`, `limit` and `sought` stay for two clocks, in the second of which the message is there; the outputs come out of registers in the
/// third.
///
/// PSNs are compared by the sign of their distance: messages and what is outstanding are shorter than half of all PSNs.
///
/// Reference: `acknowledge`, `take_read_packet` and `next` of `hpcc_models::nic`'s requester.
#[block]
pub struct Walk<const SEGMENT: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Oldest PSN without acknowledgement.
    pub una: Signal<In, U<24>>,
    /// In the first clock: `una` is that of a queue pair whose state has just been read, and comes in the second.
    pub loads: Signal<In, Bit>,
    /// A clock behind `loads`: the answer's PSN lies before it.
    pub old: Signal<In, Bit>,
    /// A clock behind `loads`: it is that PSN.
    pub at_una: Signal<In, Bit>,
    /// `limit` is one past the answer's PSN, not that PSN.
    pub past: Signal<In, Bit>,
    /// PSN up to which the answer acknowledges, exclusive.
    pub limit: Signal<In, U<24>>,
    /// The data of a READ up to `limit`, inclusive, has arrived.
    pub with_data: Signal<In, Bit>,
    /// First PSN of the message.
    pub start: Signal<In, U<24>>,
    /// One past its last PSN.
    pub finish: Signal<In, U<24>>,
    /// The message is a READ.
    pub read: Signal<In, Bit>,
    /// PSN to find.
    pub sought: Signal<In, U<24>>,
    /// READs admitted.
    pub reads: Signal<In, U<5>>,
    /// READs admitted at most.
    pub max_reads: Signal<In, U<5>>,
    /// `una` after the answer.
    pub new_una: Signal<Out, U<24>>,
    /// It is another than before.
    pub advances: Signal<Out, Bit>,
    /// The message is done.
    pub complete: Signal<Out, Bit>,
    /// The data was taken.
    pub taken: Signal<Out, Bit>,
    /// The message holds the PSN sought.
    pub holds: Signal<Out, Bit>,
    /// The message ends behind the PSN sought.
    pub reaches: Signal<Out, Bit>,
    /// The scheduler may have the message.
    pub fits: Signal<Out, Bit>,
    // the answer moves on a WRITE, or READ data that of a READ; that ends with the message. Where it ends is late, so that these are put together a clock later
    #[registers(Bit:
        /// The answer moves `una` in a WRITE.
        moves_write,
        /// The answer moves `una` in a READ: it tells READ data.
        moves_read,
        /// The answer tells READ data up to the end of the message.
        at_end,
        /// The PSN sought lies within the message.
        held,
        /// The PSN sought lies before the end of the message.
        reached_it,
        /// The message may be given to the scheduler: neither PSNs nor READs outstanding would be too many.
        fitted)]
    /// `una` after the answer if that ends before the message does; if not.
    #[registers(U<24>:
        /// `una` after the answer if that ends before the message does.
        una_inside,
        /// `una` after the answer if that ends with the message or behind it.
        una_at_end)]
    /// The answer ends before the message does.
    ends_before: DFF<Bit>,
    /// The answer is about the message.
    moved: Signal<Local, Bit>,
    /// Distance from `una` to `limit`.
    ahead: Signal<Local, PsnDistance>,
    /// The same, less one.
    ahead_less_one: Signal<Local, PsnDistance>,
    /// `limit` is behind `una`: the answer acknowledges something new.
    moves: DFF<Bit>,
    /// `limit` is not before `una`, if the answer is READ data.
    reached: DFF<Bit>,
    /// `una` has come.
    loaded: DFF<Bit>,
    /// `moves` and `reached`, or what is known of them where `una` has come.
    #[signals(Bit: moves_now, reached_now)]
    /// First PSN behind the READ data up to `limit`.
    behind_data: DFF<U<24>>,
    /// Distance from the end of the message to `limit`.
    beyond: Signal<Local, PsnDistance>,
    /// Distance from the first PSN of the message to the PSN sought.
    from_start: Signal<Local, PsnDistance>,
    /// Distance from the end of the message to the PSN sought.
    from_finish: Signal<Local, PsnDistance>,
    /// PSNs from `una` to the end of the message, less one.
    left_less_one: Signal<Local, U<24>>,
    /// Bits above the largest number of PSNs outstanding.
    #[init(Constant::new(U(above_outstanding(SEGMENT))))]
    above: Constant<U<24>>,
}

#[kernel]
impl<const SEGMENT: usize> Logic for Walk<SEGMENT> {
    fn update(&mut self) {
        ahead = bit_cast_word::<PsnDistance, U<24>>(limit - una);
        reached = !ahead.negative;
        // by two signs, because it takes long to see that two PSNs are one
        ahead_less_one = bit_cast_word::<PsnDistance, U<24>>(limit + !una);
        moves = !ahead.negative & !ahead_less_one.negative;
        // where `una` has just come, its distance to the answer's PSN has been measured elsewhere; only data is asked whether it has reached `una`
        loaded = loads;
        assign!(reached_now = reached, moves_now = moves);
        if loaded {
            reached_now = !old;
            moves_now = !old & (past | !at_una);
        }
        behind_data = limit + 1;
        beyond = bit_cast_word::<PsnDistance, U<24>>(limit - finish);
        // an acknowledgement never completes a READ, only its data does; which of two is known from registers when the end of the message is compared
        moved = if read { with_data & reached_now } else { moves_now };
        una_inside = una;
        una_at_end = una;
        if moved {
            una_inside = if read { behind_data } else { limit };
            if !read {
                una_at_end = finish;
            }
        }
        // chosen a clock later, because that it ends before the message does is late
        ends_before = beyond.negative;
        new_una = if ends_before { una_inside } else { una_at_end };
        moves_write = moved & !read;
        moves_read = moved & read;
        // READ data up to the last PSN of the message ends before the message's end, so that one of the two is compared
        at_end = behind_data == finish;
        from_start = bit_cast_word::<PsnDistance, U<24>>(sought - start);
        from_finish = bit_cast_word::<PsnDistance, U<24>>(sought - finish);
        held = !from_start.negative & from_finish.negative;
        reached_it = from_finish.negative;
        // what is left is not more than the span, a power of two
        left_less_one = finish + !una;
        fitted = ((left_less_one & above) == 0) & (!read | (reads < max_reads));
        complete = (moves_write & !ends_before) | (moves_read & at_end);
        advances = moves_write | (moves_read & ends_before);
        taken = moves_read & ends_before;
        assign!(holds = held, reaches = reached_it, fits = fitted);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "tests/walk.rs"]
mod tests;
