//! Whose turn it is: the pipes' or the state machine's. They share the tables, so the pipes are empty before the state machine begins.

use crate::emit::naming::named_inside;
use crate::prim::uint::{bits_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// The state machine comes when it is asked for and keeps its turn for four operations, or longer if nothing waits for the pipes; then the
/// pipes have eight clocks. Answers that their pipe has left to the state machine are done before it goes on. What calls or waits is seen in the
/// clock after and holds the pipes from the one behind that.
#[block]
pub struct Turns {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: the pipes' turn.
    pub reset: Signal<In, Bit>,
    /// Something waits for the state machine.
    pub calls: Signal<In, Bit>,
    /// Of that, answers that their pipe has left.
    pub answers: Signal<In, Bit>,
    /// The state machine is between two operations.
    pub idle: Signal<In, Bit>,
    /// It began one a clock ago.
    pub begun: Signal<In, Bit>,
    /// Something waits for one of the pipes.
    pub waits: Signal<In, Bit>,
    /// Something is in one of them.
    pub busy: Signal<In, Bit>,
    /// Something waits for a clock in which neither writes a state.
    pub crowded: Signal<In, Bit>,
    /// The state machine has the turn.
    pub machine: Signal<Out, Bit>,
    /// The state machine may begin an operation.
    pub go: Signal<Out, Bit>,
    /// Nothing may enter the pipes: it is or will be the state machine's turn, or was `crowded` a clock ago.
    pub hold: Signal<Out, Bit>,
    #[registers(Bit:
        /// The state machine has the turn.
        turn,
        /// It is or will be the state machine's turn.
        holds,
        /// Nothing may enter the pipes: `holds`, or memory writes were crowded a clock ago.
        closed,
        /// Something waited for the state machine a clock ago.
        called_before,
        /// Something waited for one of the pipes a clock ago.
        waited_before,
        /// The pipes have clocks left for themselves.
        rests)]
    #[registers(U<3>:
        /// Operations of the state machine in this turn, saturated at 7.
        operations)]
    #[signals(Bit: leaves, asked, called, begins, next_holds)]
    /// Clocks that the pipes have left for themselves; `rests` while there are any.
    rest: DFF<U<3>>,
}

#[kernel]
impl Logic for Turns {
    fn update(&mut self) {
        // what waits is seen a clock later, so that the choice of an input is not in the path of what enters the pipe
        assign!(called_before.d = calls, waited_before.d = waits);
        asked = answers | called_before;
        called = answers | (called_before & (!rests | !waited_before));
        leaves = idle & (!asked | ((operations > 3) & !answers & waited_before));
        go = turn & !leaves;
        hold = closed;
        machine = turn;
        // held without a turn, the pipes run out
        begins = holds & !busy;
        if turn {
            next_holds = !leaves;
            if leaves {
                turn = false;
                rest = bits_u::<3>(7);
                rests = true;
            } else if begun & !operations.all() {
                operations = operations + 1;
            }
        } else {
            clear!(operations);
            if rests {
                rest = rest - 1;
                rests = rest != 1;
            }
            turn = begins;
            next_holds = called | begins;
        }
        holds = next_holds;
        closed = next_holds | crowded;
        reset!(
            turn,
            holds,
            closed,
            called_before,
            waited_before,
            operations,
            rest,
            rests
        );
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "../tests/turns.rs"]
mod tests;
