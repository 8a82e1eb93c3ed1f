//! The answers that are in the pipe, and those of them that it leaves to the state machine.

use crate::emit::naming::named_inside;
use crate::prim::lut_ram::LutRam;
use crate::prim::skid::StreamOut;
use crate::prim::uint::U;
use crate::words::transport::Commit;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Sixteen places, taken in turn: more than are in the pipe. While an answer waits here for the state machine nothing enters the pipe; what enters in the clock in
/// which it comes [moves nothing](super::stages).
#[block]
pub struct Held {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: drops what waits.
    pub reset: Signal<In, Bit>,
    /// An answer enters the pipe.
    pub put: Signal<In, Bit>,
    /// It.
    pub data: Signal<In, Commit>,
    /// Place of the item.
    pub place: Signal<Out, U<4>>,
    /// Place to read.
    pub read_place: Signal<In, U<4>>,
    /// What lay there a clock ago; while the state machine has its turn, the answer that is offered to it.
    pub read: Signal<Out, Commit>,
    /// The answer of `defer_place` is for the state machine.
    pub defer: Signal<In, Bit>,
    /// See `defer`.
    pub defer_place: Signal<In, U<4>>,
    /// The state machine has its turn.
    pub turn: Signal<In, Bit>,
    /// An answer waits for the state machine.
    pub waits: Signal<Out, Bit>,
    /// For the state machine, in their order.
    pub machine: StreamOut<Commit>,
    #[registers(U<3>:
        /// Oldest entry of the queue of answers for the state machine.
        head,
        /// Place behind the newest entry of that queue.
        tail)]
    new_head: Signal<Local, U<3>>,
    /// Place that the next answer gets.
    next_place: DFF<U<4>>,
    #[registers(Bit:
        /// The oldest answer for the state machine is addressed.
        addressed,
        /// The oldest answer for the state machine shows at `machine`.
        shown,
        /// An answer waits for the state machine.
        left)]
    /// The answers.
    answers: LutRam<Commit, 4>,
    /// Places of those that wait for the state machine.
    places: LutRam<U<4>, 3>,
}

#[kernel]
impl Logic for Held {
    fn update(&mut self) {
        place = next_place;
        if put {
            next_place = next_place + 1;
        }
        // nobody reads the next place before it is taken
        answers.we = true;
        inputs!(answers: waddr = next_place, wdata = data);
        answers.raddr = if turn { places.rdata } else { read_place };
        read = answers.rdata;
        inputs!(places: we = defer, waddr = tail, wdata = defer_place, raddr = head);
        if defer {
            tail = tail + 1;
        }
        new_head = head;
        if machine.ready {
            new_head = head + 1;
        }
        head = new_head;
        // eight places are more than can come before the state machine has its turn
        left = defer | (new_head != tail);
        waits = left;
        machine.data = answers.rdata;
        // the oldest answer shows two clocks after it was addressed
        machine.valid = shown;
        if !turn | !left | machine.ready {
            clear!(addressed, shown);
        } else {
            addressed = true;
            shown = addressed;
        }
        reset!(head, tail, next_place, addressed, shown, left);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "../tests/held.rs"]
mod tests;
