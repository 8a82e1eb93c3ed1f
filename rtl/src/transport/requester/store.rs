//! What the requester keeps of each queue pair, and the copies of other blocks' tables that it reads.
//!
//! The state of a queue pair carries its generation. Where that is not the context's, the state is void: the queue pair starts
//! at the context's first PSN with an empty ring. Creation voids what is left of any earlier generation too, and the sweep after reset,
//! a dead context of generation 0, voids all; a removal does not, because the ring is still to be completed. Three RAMs, written
//! together by a creation one clock after it or as soon as nobody else writes; two clocks from `qp` to the outputs.

use crate::nic::words::Context;
use crate::prim::ram::RamReg;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// State of a queue pair: una 23:0, accepted 47:24, assigned 71:48, PSN of the last reported READ gap 95:72, that is valid 96,
/// dead 97, ring positions head 102:98, admit 107:103, tail 112:108 and READ 117:113, READs admitted 122:118, status of a work
/// request cut off by the queue pair's end 126:123, generation 134:127.
///
/// * `una`: oldest PSN without acknowledgement; `assigned`: next PSN without a message.
/// * `accepted`: no READ data before it is missing, though the last of it may still be on its way to memory. `una <= accepted`.
/// * Positions count messages modulo 32: `head <= admit <= tail <= head + 16`; messages before `admit` are with the scheduler,
///   and READ, between `head` and `tail`, has no READ with missing data before it.
pub type QueueState = W<135, 3>;

/// A message as the requester itself needs it: start 23:0, end 47:24, READ 48, last 49, local address 113:50, length 145:114,
/// id 209:146, bytes of the work request 241:210.
pub type OwnMessage = W<242, 4>;

/// Tables by queue pair.
#[block]
pub struct Store {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A queue pair is created or removed; at most every fifth clock.
    pub context_valid: Signal<In, Bit>,
    /// Its number.
    pub context_qp: Signal<In, U<8>>,
    /// Its context.
    pub context_data: Signal<In, Context>,
    /// A packet was sent for the first time.
    pub sent_valid: Signal<In, Bit>,
    /// Its queue pair.
    pub sent_qp: Signal<In, U<8>>,
    /// Its generation.
    pub sent_generation: Signal<In, U<8>>,
    /// One past its PSN; of a READ request one past the last response's.
    pub sent_end: Signal<In, U<24>>,
    /// Queue pair to read.
    pub qp: Signal<In, U<8>>,
    /// Write the state.
    pub we: Signal<In, Bit>,
    /// Queue pair to write.
    pub write_qp: Signal<In, U<8>>,
    /// New state.
    pub new_state: Signal<In, QueueState>,
    /// Compare the state's generation with `generation`, not with the context's: for removal, which may come after the context's.
    pub removing: Signal<In, Bit>,
    /// See `removing`.
    pub generation: Signal<In, U<8>>,
    /// The state, two clocks after `qp`; its generation field is the one compared with.
    pub state: Signal<Out, QueueState>,
    /// Oldest message, if the state is not void.
    pub head: Signal<Out, U<5>>,
    /// No READ with missing data is before this message, if the state is not void.
    pub read_at: Signal<Out, U<5>>,
    /// The queue pair exists.
    pub alive: Signal<Out, Bit>,
    /// Generation of the context.
    pub context_generation: Signal<Out, U<8>>,
    /// MTU code.
    pub mtu: Signal<Out, U<3>>,
    /// It collects INT.
    pub int_on: Signal<Out, Bit>,
    /// This generation has sent something.
    pub sent_known: Signal<Out, Bit>,
    /// One past the highest PSN it sent.
    pub sent_to: Signal<Out, U<24>>,
    // alive 0, generation 8:1, MTU 11:9, INT 12, first PSN 36:13
    contexts: RamReg<U<37>, 8>,
    // state 134:0, used 135
    states: RamReg<W<136, 3>, 8>,
    // end 23:0, generation 31:24, used 32
    sent: RamReg<U<33>, 8>,
    waits: DFF<Bit>,
    waits_qp: DFF<U<8>>,
    waits_context: DFF<U<37>>,
    lands: Signal<Local, Bit>,
    voids: Signal<Local, Bit>,
    first: Signal<Local, U<24>>,
    reference: Signal<Local, U<8>>,
}

#[kernel]
impl Logic for Store {
    fn update(&mut self) {
        // a context lands when neither of the tables that it voids is written
        self.lands.next = self.waits.q.val() & !self.we.val() & !self.sent_valid.val();
        self.voids.next = self.lands.val()
            & (self.waits_context.q.val().get_bit(0) | !self.waits_context.q.val().get_bits::<8>(1).any());
        if self.lands.val() {
            self.waits.d.next = false;
        }
        if self.context_valid.val() {
            self.waits.d.next = true;
            self.waits_qp.d.next = self.context_qp.val();
        }
        self.contexts.we.next = self.lands.val();
        self.contexts.waddr.next = self.waits_qp.q.val();
        self.contexts.wdata.next = self.waits_context.q.val();
        if self.context_valid.val() {
            self.waits_context.d.next = bit_cast_u::<37, 9>(self.context_data.val().get_bits::<9>(0))
                | (bit_cast_u::<37, 4>(self.context_data.val().get_bits::<4>(129)) << 9)
                | (bit_cast_u::<37, 24>(self.context_data.val().get_bits::<24>(136)) << 13);
        }
        self.sent.we.next = self.sent_valid.val() | self.voids.val();
        self.sent.waddr.next = self.sent_qp.val();
        self.sent.wdata.next = bit_cast_u::<33, 24>(self.sent_end.val())
            | (bit_cast_u::<33, 8>(self.sent_generation.val()) << 24)
            | (bits_u::<33>(1) << 32);
        self.states.we.next = self.we.val() | self.voids.val();
        self.states.waddr.next = self.write_qp.val();
        self.states.wdata.next =
            bit_cast_ww::<136, 3, 135, 3>(self.new_state.val()) | (bit_cast_w::<136, 3, 1>(bit_cast_b(true)) << 135);
        if self.voids.val() {
            self.sent.waddr.next = self.waits_qp.q.val();
            self.sent.wdata.next = bits_u::<33>(0);
            self.states.waddr.next = self.waits_qp.q.val();
            self.states.wdata.next = bit_cast_w::<136, 3, 1>(bits_u::<1>(0));
        }
        self.contexts.raddr.next = self.qp.val();
        self.states.raddr.next = self.qp.val();
        self.sent.raddr.next = self.qp.val();

        self.head.next = self.states.rdata.val().get_bits::<5>(98);
        self.read_at.next = self.states.rdata.val().get_bits::<5>(113);
        self.alive.next = self.contexts.rdata.val().get_bit(0);
        self.context_generation.next = self.contexts.rdata.val().get_bits::<8>(1);
        self.mtu.next = self.contexts.rdata.val().get_bits::<3>(9);
        self.int_on.next = self.contexts.rdata.val().get_bit(12);
        self.first.next = self.contexts.rdata.val().get_bits::<24>(13);
        self.sent_known.next = self.sent.rdata.val().get_bit(32)
            & (self.sent.rdata.val().get_bits::<8>(24) == self.contexts.rdata.val().get_bits::<8>(1));
        self.sent_to.next = self.sent.rdata.val().get_bits::<24>(0);

        self.reference.next = self.contexts.rdata.val().get_bits::<8>(1);
        if self.removing.val() {
            self.reference.next = self.generation.val();
        }
        self.state.next = bit_cast_ww::<135, 3, 136, 3>(self.states.rdata.val());
        if !self.states.rdata.val().get_bit(135) | (self.states.rdata.val().get_bits::<8>(127) != self.reference.val())
        {
            self.state.next = bit_cast_w::<135, 3, 24>(self.first.val())
                | (bit_cast_w::<135, 3, 24>(self.first.val()) << 24)
                | (bit_cast_w::<135, 3, 24>(self.first.val()) << 48)
                | (bit_cast_w::<135, 3, 8>(self.reference.val()) << 127);
        }
    }
}
