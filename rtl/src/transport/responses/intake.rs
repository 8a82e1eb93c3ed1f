//! What the response queue does next: a creation, a READ's end, or an answer, in this order.

use crate::emit::naming::named_inside;
use crate::nic::words::{Commit, Context};
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::context::QpContext;
use crate::words::responses::{QpChange, ReadEnd};
use crate::words::transport::Commit as CommitWord;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Collects what comes without handshake, and chooses.
#[block]
pub struct Intake {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// A queue pair is created or removed.
    pub context_valid: Signal<In, Bit>,
    /// Which.
    pub context_qp: Signal<In, U<8>>,
    /// Its context.
    pub context_data: Signal<In, Context>,
    /// A READ's last response has left, or one could not be read from memory.
    pub gone_valid: Signal<In, Bit>,
    /// It could not be read.
    pub gone_failed: Signal<In, Bit>,
    /// Queue pair.
    pub gone_qp: Signal<In, U<8>>,
    /// Its generation.
    pub gone_generation: Signal<In, U<8>>,
    /// PSN of the response.
    pub gone_psn: Signal<In, U<24>>,
    /// Tag of its READ.
    pub gone_tag: Signal<In, U<2>>,
    /// Answers.
    pub up: StreamIn<Commit>,
    /// What is offered is taken.
    pub take: Signal<In, Bit>,
    /// Something is offered.
    pub valid: Signal<Out, Bit>,
    /// 0 creation, 1 end, 2 answer.
    pub op: Signal<Out, U<2>>,
    /// Queue pair.
    pub qp: Signal<Out, U<8>>,
    /// The answer; of an end generation and PSN in their places, the tag in that of the MSN, and whether it failed.
    pub entry: Signal<Out, CommitWord>,
    /// The creation.
    pub creation: Signal<Out, QpChange>,
    contexts: StreamFifo<QpChange, 8, 256>,
    ends: StreamFifo<ReadEnd, 8, 256>,
    created: Signal<Local, QpContext>,
    answer: Signal<Local, CommitWord>,
}

#[kernel]
impl Logic for Intake {
    fn update(&mut self) {
        inputs!([contexts, ends]: reset);
        self.contexts.up.valid.next = self.context_valid.val();
        self.created.next = bit_cast_word::<QpContext, W<211, 4>>(self.context_data.val());
        self.contexts.up.data.next.qp = self.context_qp.val();
        self.contexts.up.data.next.generation = self.created.val().generation;
        self.contexts.up.data.next.alive = self.created.val().alive;
        self.contexts.up.data.next.int_on = self.created.val().int_on;
        self.ends.up.valid.next = self.gone_valid.val();
        self.ends.up.data.next.qp = self.gone_qp.val();
        self.ends.up.data.next.generation = self.gone_generation.val();
        self.ends.up.data.next.psn = self.gone_psn.val();
        self.ends.up.data.next.failed = self.gone_failed.val();
        self.ends.up.data.next.tag = self.gone_tag.val();

        self.valid.next = self.contexts.down.valid.val() | self.ends.down.valid.val() | self.up.valid.val();
        self.contexts.down.ready.next = self.take.val();
        self.ends.down.ready.next = self.take.val() & !self.contexts.down.valid.val();
        self.up.ready.next = self.take.val() & !self.contexts.down.valid.val() & !self.ends.down.valid.val();
        self.creation.next = self.contexts.down.data.val();
        self.op.next = bits_u::<2>(2);
        self.answer.next = bit_cast_word::<CommitWord, W<421, 7>>(self.up.data.val());
        assign!(qp = answer.qp, entry = answer);
        if self.ends.down.valid.val() {
            self.op.next = bits_u::<2>(1);
            self.qp.next = self.ends.down.data.val().qp;
            self.entry.next = bits_zero::<CommitWord>(0);
            self.entry.next.generation = self.ends.down.data.val().generation;
            self.entry.next.psn = self.ends.down.data.val().psn;
            self.entry.next.msn = bit_cast_u::<24, 2>(self.ends.down.data.val().tag);
            self.entry.next.ends_or_failed = self.ends.down.data.val().failed;
        }
        if self.contexts.down.valid.val() {
            self.op.next = bits_u::<2>(0);
            self.qp.next = self.contexts.down.data.val().qp;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
