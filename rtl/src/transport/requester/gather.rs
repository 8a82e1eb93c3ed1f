//! Answers about READ data that follow each other become one, while the requester is busy with another answer.
//!
//! What is joined: data of the same READ, in order, that memory has taken, of a queue pair without INT (with INT each packet is echoed). The last
//! response of a READ is the last of its answer too.

use crate::emit::naming::named_inside;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::words::transport::{AnswerKind, Commit};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// One answer a clock in; the answer that is offered does not change. Two clocks from `up` to `down`.
#[block]
pub struct Gather {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: drops what waits.
    pub reset: Signal<In, Bit>,
    /// Answers.
    pub up: StreamIn<Commit>,
    /// Answers, those about READ data for all data up to their PSN.
    pub down: StreamOut<Commit>,
    /// There is an answer that the next one may join.
    held_full: DFF<Bit>,
    /// That answer.
    held: DFF<Commit>,
    /// There is an answer for the requester.
    full: DFF<Bit>,
    /// That answer.
    offered: DFF<Commit>,
    /// The answer that arrives, by fields.
    next: Signal<Local, Commit>,
    /// The held answer goes on to the requester.
    moves: Signal<Local, Bit>,
    /// The arriving answer acknowledges more READ data of the same queue pair: it replaces the held one.
    joins: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Gather {
    fn update(&mut self) {
        next = up.data;
        moves = held_full & (!full | down.ready);
        joins = (held.answer == AnswerKind::ReadData)
            & (next.answer == AnswerKind::ReadData)
            & !held.int_on
            & !held.msn.any()
            & !held.ends_or_failed
            & !next.ends_or_failed
            & (held.qp == next.qp)
            & (held.generation == next.generation)
            & ((held.psn + 1) == next.psn);
        up.ready = !held_full | moves | joins;
        if down.ready {
            full = false;
        }
        if moves {
            held_full = false;
            full = true;
            offered = held;
        }
        if up.valid & (!held_full | moves | joins) {
            held_full = true;
            held = next;
        }
        down.valid = full;
        down.data = offered;
        reset!(held_full, full);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
