//! What the response queue does next: a creation, a READ's end, or an answer, in this order.

use crate::nic::words::{Commit, Context};
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::bit_cast_w;
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
    /// The answer; of an end generation and PSN in their places, the tag in that of the MSN, and bit 0: it failed.
    pub entry: Signal<Out, Commit>,
    /// The creation: queue pair 7:0, generation 15:8, alive 16, INT 17.
    pub creation: Signal<Out, U<18>>,
    contexts: StreamFifo<U<18>, 8, 256>,
    // queue pair 7:0, generation 15:8, PSN 39:16, failed 40, tag 42:41
    ends: StreamFifo<U<43>, 8, 256>,
}

#[kernel]
impl Logic for Intake {
    fn update(&mut self) {
        inputs!([contexts, ends], reset);
        self.contexts.up.valid.next = self.context_valid.val();
        self.contexts.up.data.next = bit_cast_u::<18, 8>(self.context_qp.val())
            | (bit_cast_u::<18, 8>(self.context_data.val().get_bits::<8>(1)) << 8)
            | (bit_cast_u::<18, 1>(self.context_data.val().get_bits::<1>(0)) << 16)
            | (bit_cast_u::<18, 1>(self.context_data.val().get_bits::<1>(132)) << 17);
        self.ends.up.valid.next = self.gone_valid.val();
        self.ends.up.data.next = bit_cast_u::<43, 8>(self.gone_qp.val())
            | (bit_cast_u::<43, 8>(self.gone_generation.val()) << 8)
            | (bit_cast_u::<43, 24>(self.gone_psn.val()) << 16)
            | (bit_cast_u::<43, 1>(bit_cast_b(self.gone_failed.val())) << 40)
            | (bit_cast_u::<43, 2>(self.gone_tag.val()) << 41);

        self.valid.next = self.contexts.down.valid.val() | self.ends.down.valid.val() | self.up.valid.val();
        self.contexts.down.ready.next = self.take.val();
        self.ends.down.ready.next = self.take.val() & !self.contexts.down.valid.val();
        self.up.ready.next = self.take.val() & !self.contexts.down.valid.val() & !self.ends.down.valid.val();
        self.creation.next = self.contexts.down.data.val();
        self.op.next = bits_u::<2>(2);
        self.qp.next = self.up.data.val().get_bits::<8>(2);
        self.entry.next = self.up.data.val();
        if self.ends.down.valid.val() {
            self.op.next = bits_u::<2>(1);
            self.qp.next = self.ends.down.data.val().get_bits::<8>(0);
            self.entry.next = (bit_cast_w::<420, 7, 8>(self.ends.down.data.val().get_bits::<8>(8)) << 10)
                | (bit_cast_w::<420, 7, 24>(self.ends.down.data.val().get_bits::<24>(16)) << 18)
                | (bit_cast_w::<420, 7, 2>(self.ends.down.data.val().get_bits::<2>(41)) << 50)
                | bit_cast_w::<420, 7, 1>(self.ends.down.data.val().get_bits::<1>(40));
        }
        if self.contexts.down.valid.val() {
            self.op.next = bits_u::<2>(0);
            self.qp.next = self.contexts.down.data.val().get_bits::<8>(0);
        }
    }
}
