//! What the response queue does next: a creation, a READ's end, or an answer, in this order.

use crate::emit::naming::named_inside;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::word::bits_zero;
use crate::words::context::QpContext;
use crate::words::responses::{QpChange, ReadEnd, ResponseInput};
use crate::words::transport::Commit;
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
    pub context_data: Signal<In, QpContext>,
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
    pub gone_tag: Signal<In, U<4>>,
    /// Answers.
    pub up: StreamIn<Commit>,
    /// What is offered is taken.
    pub take: Signal<In, Bit>,
    /// Something is offered.
    pub valid: Signal<Out, Bit>,
    /// What.
    pub subject: Signal<Out, ResponseInput>,
    /// Queue pair.
    pub qp: Signal<Out, U<8>>,
    /// The answer; of an end generation and PSN in their places, the tag in that of the MSN, and whether it failed.
    pub entry: Signal<Out, Commit>,
    /// The creation.
    pub creation: Signal<Out, QpChange>,
    contexts: StreamFifo<QpChange, 8, 256>,
    ends: StreamFifo<ReadEnd, 8, 256>,
    answer: Signal<Local, Commit>,
}

#[kernel]
impl Logic for Intake {
    fn update(&mut self) {
        inputs!([contexts, ends]: reset);
        contexts.up.valid = context_valid;
        contexts.up.data.next.qp = context_qp;
        contexts.up.data.next.generation = context_data.generation;
        contexts.up.data.next.alive = context_data.alive;
        contexts.up.data.next.int_on = context_data.int_on;
        ends.up.valid = gone_valid;
        ends.up.data.next.qp = gone_qp;
        ends.up.data.next.generation = gone_generation;
        ends.up.data.next.psn = gone_psn;
        ends.up.data.next.failed = gone_failed;
        ends.up.data.next.tag = gone_tag;

        valid = contexts.down.valid | ends.down.valid | up.valid;
        contexts.down.ready = take;
        ends.down.ready = take & !contexts.down.valid;
        up.ready = take & !contexts.down.valid & !ends.down.valid;
        creation = contexts.down.data;
        subject = ResponseInput::Answer;
        answer = up.data;
        assign!(qp = answer.qp, entry = answer);
        if ends.down.valid {
            subject = ResponseInput::ReadEnd;
            qp = ends.down.data.val().qp;
            entry = bits_zero::<Commit>(0);
            entry.generation = ends.down.data.val().generation;
            entry.psn = ends.down.data.val().psn;
            entry.msn = bit_cast_u::<24, 4>(ends.down.data.val().tag);
            entry.ends_or_failed = ends.down.data.val().failed;
        }
        if contexts.down.valid {
            subject = ResponseInput::Creation;
            qp = contexts.down.data.val().qp;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
