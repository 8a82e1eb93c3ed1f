//! What follows from requests and what follows from answers wait for memory in queues of their own.
//!
//! Memory takes payload in the order of the packets, so its results come in that order too; whose the next one is says a third queue. In one queue
//! a READ that the peer asks for would wait until memory has the READ responses that came before it, and an acknowledgement would wait for the payload
//! of WRITEs: both ways at once the two directions would lengthen each other's loops.
//!
//! INT, most of an entry, waits in queues beside those, and is taken when what it belongs to leaves the commit stage, so that no register between
//! holds it.
//!
//! | clock | an entry |
//! |---|---|
//! | 0 | comes |
//! | 3 | is offered, if its queue was empty |

use crate::emit::naming::named_inside;
use crate::prim::fifo::StreamFifo;
use crate::prim::short_fifo::ShortFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, U};
use crate::prim::wide::W;
use crate::prim::word::bit_cast_word;
use crate::words::rx::{CommitEntry, CommitTurn};
use crate::words::transport::{Commit, CommitHead, CommitKind};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// An entry a clock in, and one of each kind out. Each queue holds 64, as many as memory owes of frames of two beats in 128 clocks; nothing is taken
/// while one of them holds 56. The INT of an entry is there when the entry is, if that of the one before has been taken.
#[block]
pub struct CommitQueues {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: empties the queues.
    pub reset: Signal<In, Bit>,
    /// What follows from packets, in the order of the write jobs.
    pub up: StreamIn<CommitEntry>,
    /// One token a write job, in order: bus error.
    pub written: StreamIn<U<1>>,
    /// What follows from requests.
    pub requests: StreamOut<CommitTurn>,
    /// Their INT; of READs what they ask for.
    pub requests_int: StreamOut<W<336, 6>>,
    /// Tokens of their write jobs.
    pub requests_written: StreamOut<U<1>>,
    /// What follows from acknowledgements and READ responses (`CommitKind::Answer`).
    pub answers: StreamOut<CommitTurn>,
    /// Their INT.
    pub answers_int: StreamOut<W<336, 6>>,
    /// Tokens of their write jobs.
    pub answers_written: StreamOut<U<1>>,
    #[registers(Bit:
        /// An entry is taken in this clock if there is one: every queue has room.
        opens)]
    #[signals(Bit: takes, is_answer, request_enters, answer_enters, of_answer, awaited)]
    of_requests: StreamFifo<CommitTurn, 6, 56>,
    of_answers: StreamFifo<CommitTurn, 6, 56>,
    int_of_requests: StreamFifo<W<336, 6>, 6, 56>,
    int_of_answers: StreamFifo<W<336, 6>, 6, 56>,
    /// Of each write job under way: an answer waits for it.
    order: ShortFifo<U<1>, 7, 1>,
    arriving: Signal<Local, CommitEntry>,
    turn: Signal<Local, CommitTurn>,
}

#[kernel]
impl Logic for CommitQueues {
    fn update(&mut self) {
        inputs!([of_requests, of_answers, int_of_requests, int_of_answers, order]: reset);

        // in: each queue has room for what comes until its warning is heard. One of INT holds what the queue beside it holds, and more
        arriving = up.data;
        is_answer = arriving.commit.kind == CommitKind::Answer;
        up.ready = opens;
        takes = up.valid & opens;
        // nor can `order` overflow: what waits of both kinds together is less than it holds
        opens = !int_of_requests.crowded & !int_of_answers.crowded;
        turn.commit = bit_cast_word::<CommitHead, Commit>(arriving.commit);
        turn.waits = arriving.waits;
        inputs!([of_requests, of_answers]: up.data = turn);
        inputs!([int_of_requests, int_of_answers]: up.data = arriving.commit.int_stack);
        request_enters = takes & !is_answer;
        answer_enters = takes & is_answer;
        inputs!([of_requests, int_of_requests]: up.valid = request_enters);
        inputs!([of_answers, int_of_answers]: up.valid = answer_enters);
        order.up.data = bit_cast_b(is_answer);
        order.up.valid = takes & arriving.waits;
        StreamOut::<CommitTurn>::link(&mut requests, &mut of_requests.down);
        StreamOut::<CommitTurn>::link(&mut answers, &mut of_answers.down);
        StreamOut::<W<336, 6>>::link(&mut requests_int, &mut int_of_requests.down);
        StreamOut::<W<336, 6>>::link(&mut answers_int, &mut int_of_answers.down);

        // whose token is the next one
        of_answer = order.down.data.any();
        requests_written.data = written.data;
        requests_written.valid = written.valid & order.down.valid & !of_answer;
        answers_written.data = written.data;
        answers_written.valid = written.valid & order.down.valid & of_answer;
        awaited = if of_answer { answers_written.ready } else { requests_written.ready };
        written.ready = order.down.valid & awaited;
        order.down.ready = written.valid & awaited;
        reset!(opens);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
