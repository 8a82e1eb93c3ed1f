//! Which work request enters the pipe of work requests, and when: the one that the window offers, unless its queue pair is inside.

use crate::emit::naming::named_inside;
use crate::prim::uint::{bit_cast_u, U};
use crate::words::requester::PostStep;
use crate::words::work::WorkRequest;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// One work request a clock, and one in five clocks of a queue pair: the state that one reads is what the one before it has written, and that has not been
/// left to the state machine. Whether the queue pair of the one that waits is inside is known a clock before.
#[block]
pub struct PostEntry {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Nothing enters in this clock.
    pub hold: Signal<In, Bit>,
    /// What work requests make has little room: none enters in the next clock.
    pub rests: Signal<In, Bit>,
    /// A work request waits; none does in the clock behind one that was taken.
    pub waits: Signal<In, Bit>,
    /// It.
    pub work: Signal<In, WorkRequest>,
    /// Place of the item.
    pub place: Signal<In, U<4>>,
    /// No queue pair, operation or length.
    pub invalid: Signal<In, Bit>,
    /// Queue pair of the work request that may wait in the next clock, unless `is_new`.
    pub next_qp: Signal<In, U<8>>,
    /// It is another than in this clock,
    pub is_new: Signal<In, Bit>,
    /// of this queue pair.
    pub new_qp: Signal<In, U<8>>,
    /// The work request enters.
    pub taken: Signal<Out, Bit>,
    /// What enters with it.
    pub step: Signal<Out, PostStep>,
    // is the queue pair of what may wait now inside, for both that it may be; it is the new one
    #[registers(Bit:
        /// A work request entered the pipe so many clocks ago as the name says; its queue pair is in `qp_1`, `qp_2` or `qp_3`.
        inside_1, inside_2, inside_3,
        /// A work request of the queue pair that was told as `next_qp` is inside.
        next_meets,
        /// A work request of the queue pair that was told as `new_qp` is inside.
        new_meets,
        /// The work request that waits is of the queue pair that was told as `new_qp`.
        was_new,
        /// None enters in this clock: what work requests make has little room.
        rested)]
    #[registers(U<8>:
        /// Queue pair of the work request that entered so many clocks ago as the name says.
        qp_1, qp_2, qp_3)]
    #[signals(Bit: takes, meets, next_inside, new_inside)]
    qp: Signal<Local, U<8>>,
    entering: Signal<Local, PostStep>,
}

#[kernel]
impl Logic for PostEntry {
    fn update(&mut self) {
        meets = if was_new { new_meets } else { next_meets };
        takes = waits & !meets & !rested & !hold;
        taken = takes;
        qp = bit_cast_u::<8, 24>(work.qpn);
        assign!(entering.qp = qp, entering.place = place, entering.invalid = invalid);
        entering.length = work.length;
        entering.read = work.operation.any();
        step = entering;

        // whose queue pair will be inside in the next clock
        each!((is_inside, number) in [(next_inside, next_qp), (new_inside, new_qp)] {
            is_inside = (takes & (qp == number))
                | (inside_1 & (qp_1 == number))
                | (inside_2 & (qp_2 == number))
                | (inside_3 & (qp_3 == number));
        });
        assign!(
            next_meets.d = next_inside,
            new_meets.d = new_inside,
            was_new.d = is_new,
            rested.d = rests
        );
        assign!(inside_1.d = takes, qp_1.d = qp);
        assign!(inside_2.d = inside_1, qp_2.d = qp_1);
        assign!(inside_3.d = inside_2, qp_3.d = qp_2);
        reset!(inside_1, inside_2, inside_3, next_meets, new_meets, rested);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "../tests/post_entry.rs"]
mod tests;
