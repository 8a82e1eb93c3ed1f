//! Answers about READ data that follow each other become one, while the requester is busy with another answer.
//!
//! What is joined: data of the same READ, in order, that memory has taken, of a queue pair without INT (with INT each packet is echoed). The last
//! response of a READ is the last of its answer too.

use crate::emit::naming::named_inside;
use crate::nic::words::Commit;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_word};
use crate::words::transport::{AnswerKind, Commit as CommitWord};
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
    held: DFF<CommitWord>,
    /// There is an answer for the requester.
    full: DFF<Bit>,
    /// That answer.
    offered: DFF<CommitWord>,
    /// The answer that arrives, by fields.
    next: Signal<Local, CommitWord>,
    /// The held answer goes on to the requester.
    moves: Signal<Local, Bit>,
    /// The arriving answer acknowledges more READ data of the same queue pair: it replaces the held one.
    joins: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Gather {
    fn update(&mut self) {
        self.next.next = bit_cast_word::<CommitWord, W<421, 7>>(self.up.data.val());
        self.moves.next = self.held_full.q.val() & (!self.full.q.val() | self.down.ready.val());
        self.joins.next = (self.held.q.val().answer == AnswerKind::ReadData)
            & (self.next.val().answer == AnswerKind::ReadData)
            & !self.held.q.val().int_on
            & !self.held.q.val().msn.any()
            & !self.held.q.val().ends_or_failed
            & !self.next.val().ends_or_failed
            & (self.held.q.val().qp == self.next.val().qp)
            & (self.held.q.val().generation == self.next.val().generation)
            & ((self.held.q.val().psn + 1) == self.next.val().psn);
        self.up.ready.next = !self.held_full.q.val() | self.moves.val() | self.joins.val();
        if self.down.ready.val() {
            self.full.d.next = false;
        }
        if self.moves.val() {
            self.held_full.d.next = false;
            self.full.d.next = true;
            self.offered.d.next = self.held.q.val();
        }
        if self.up.valid.val() & (!self.held_full.q.val() | self.moves.val() | self.joins.val()) {
            self.held_full.d.next = true;
            self.held.d.next = self.next.val();
        }
        self.down.valid.next = self.full.q.val();
        self.down.data.next = bit_cast_bus::<421, 7, CommitWord>(self.offered.q.val());
        reset!(held_full, full);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
