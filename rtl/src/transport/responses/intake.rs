//! What the response queue does next: a creation, a READ's end, or an answer, in this order.

use crate::emit::naming::named_inside;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
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
    /// Low when it is: `take` for what is wide.
    pub rests: Signal<In, Bit>,
    /// Queue pair of what is offered in the next clock.
    pub coming_qp: Signal<Out, U<8>>,
    /// Something is offered.
    pub valid: Signal<Out, Bit>,
    /// What.
    pub subject: Signal<Out, ResponseInput>,
    /// Queue pair.
    pub qp: Signal<Out, U<8>>,
    /// The answer; of an end the generation in its place, the tag in that of the MSN, whether it failed, and as PSN the one that could not be
    /// read, or one past the last.
    pub entry: Signal<Out, Commit>,
    /// The creation.
    pub creation: Signal<Out, QpChange>,
    contexts: StreamFifo<QpChange, 8, 256>,
    ends: StreamFifo<ReadEnd, 8, 256>,
    #[signals(Bit: moves)]
    valid_r: DFF<Bit>,
    /// Nothing is offered: the same once more for what is narrow, which need not wait for a net to everything that is wide.
    open: DFF<Bit>,
    subject_r: DFF<ResponseInput>,
    qp_r: DFF<U<8>>,
    entry_r: DFF<Commit>,
    creation_r: DFF<QpChange>,
    end: Signal<Local, ReadEnd>,
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

        // the next one
        moves = take | open;
        contexts.down.ready = moves;
        ends.down.ready = moves & !contexts.down.valid;
        up.ready = moves & !contexts.down.valid & !ends.down.valid;
        end = ends.down.data;
        coming_qp = qp_r;
        if moves {
            valid_r = contexts.down.valid | ends.down.valid | up.valid;
            open = !contexts.down.valid & !ends.down.valid & !up.valid;
            subject_r = ResponseInput::Answer;
            coming_qp = up.data.val().qp;
            if ends.down.valid {
                subject_r = ResponseInput::ReadEnd;
                coming_qp = end.qp;
            }
            if contexts.down.valid {
                subject_r = ResponseInput::Creation;
                coming_qp = contexts.down.data.val().qp;
            }
        }
        if !rests | !valid_r {
            assign!(creation_r.d = contexts.down.data, entry_r.d = up.data);
            if ends.down.valid {
                entry_r = bits_zero::<Commit>(0);
                fields!(entry_r.d from end: generation, ends_or_failed = failed);
                entry_r.psn = end.psn + bit_cast_u::<24, 1>(bit_cast_b(!end.failed));
                entry_r.msn = bit_cast_u::<24, 4>(end.tag);
            }
        }
        qp_r = coming_qp;
        assign!(
            valid = valid_r,
            subject = subject_r,
            qp = qp_r,
            entry = entry_r,
            creation = creation_r
        );
        if reset {
            valid_r = false;
            open = true;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
