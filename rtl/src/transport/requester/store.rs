//! What the requester keeps of each queue pair, and the copies of other blocks' tables that it reads.
//!
//! The state of a queue pair carries its generation. Where that is not the context's, the state is void: the queue pair starts
//! at the context's first PSN with an empty ring. Creation voids what is left of any earlier generation too, and the sweep after reset,
//! a dead context of generation 0, voids all; a removal does not, because the ring is still to be completed. Three RAMs, written
//! together by a creation one clock after it or as soon as nobody else writes; two clocks from `qp` to the outputs.

use crate::emit::naming::named_inside;
use crate::nic::words::Context;
use crate::prim::ram::RamReg;
use crate::prim::uint::U;
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::context::QpContext;
use crate::words::requester::{RequesterContext, RequesterState, SentTo};
use crate::{block, kernel};
use rust_hdl::prelude::*;

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
    /// Let a context wait that has not landed.
    pub hold: Signal<In, Bit>,
    /// Queue pair to read.
    pub qp: Signal<In, U<8>>,
    /// Write the state.
    pub we: Signal<In, Bit>,
    /// Queue pair to write.
    pub write_qp: Signal<In, U<8>>,
    /// New state.
    pub new_state: Signal<In, RequesterState>,
    /// Compare the state's generation with `generation`, not with the context's: for removal, which may come after the context's.
    pub removing: Signal<In, Bit>,
    /// See `removing`.
    pub generation: Signal<In, U<8>>,
    /// The state, two clocks after `qp`; its generation field is the one compared with.
    pub state: Signal<Out, RequesterState>,
    /// Oldest message, if the state is not void.
    pub head: Signal<Out, U<5>>,
    /// No READ with missing data is before this message, if the state is not void.
    pub read_at: Signal<Out, U<5>>,
    /// The same for the oldest message whose completion has not left.
    pub told: Signal<Out, U<5>>,
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
    /// A queue pair is created or removed, or has ended: a READ run of it is void.
    pub forget: Signal<Out, Bit>,
    /// It.
    pub forget_qp: Signal<Out, U<8>>,
    contexts: RamReg<RequesterContext, 8>,
    states: RamReg<RequesterState, 8>,
    sent: RamReg<SentTo, 8>,
    waits: DFF<Bit>,
    waits_qp: DFF<U<8>>,
    waits_context: DFF<RequesterContext>,
    created: Signal<Local, QpContext>,
    lands: Signal<Local, Bit>,
    voids: Signal<Local, Bit>,
    reference: Signal<Local, U<8>>,
}

#[kernel]
impl Logic for Store {
    fn update(&mut self) {
        // a context lands when neither of the tables that it voids is written
        self.lands.next = self.waits.q.val() & !self.we.val() & !self.sent_valid.val() & !self.hold.val();
        self.voids.next =
            self.lands.val() & (self.waits_context.q.val().alive | !self.waits_context.q.val().generation.any());
        if self.lands.val() {
            self.waits.d.next = false;
        }
        if self.context_valid.val() {
            self.waits.d.next = true;
            self.waits_qp.d.next = self.context_qp.val();
        }
        inputs!(contexts: we = lands, waddr = waits_qp, wdata = waits_context);
        self.created.next = bit_cast_word::<QpContext, W<211, 4>>(self.context_data.val());
        if self.context_valid.val() {
            fields!(waits_context.d from created: alive, generation, mtu, int_on, first_psn = send_psn);
        }
        self.sent.we.next = self.sent_valid.val() | self.voids.val();
        self.sent.waddr.next = self.sent_qp.val();
        self.sent.wdata.next.end_psn = self.sent_end.val();
        self.sent.wdata.next.generation = self.sent_generation.val();
        self.sent.wdata.next.used = true;
        self.states.we.next = self.we.val() | self.voids.val();
        inputs!(states: waddr = write_qp, wdata = new_state);
        self.forget.next = self.lands.val() | (self.we.val() & self.new_state.val().dead);
        self.forget_qp.next = self.write_qp.val();
        if self.lands.val() {
            self.forget_qp.next = self.waits_qp.q.val();
        }
        if self.voids.val() {
            self.sent.waddr.next = self.waits_qp.q.val();
            self.sent.wdata.next = bits_zero::<SentTo>(0);
            self.states.waddr.next = self.waits_qp.q.val();
            self.states.wdata.next = bits_zero::<RequesterState>(0);
        }
        self.contexts.raddr.next = self.qp.val();
        self.states.raddr.next = self.qp.val();
        self.sent.raddr.next = self.qp.val();

        self.head.next = self.states.rdata.val().head;
        self.read_at.next = self.states.rdata.val().read_at;
        self.told.next = self.states.rdata.val().told;
        self.alive.next = self.contexts.rdata.val().alive;
        self.context_generation.next = self.contexts.rdata.val().generation;
        self.mtu.next = self.contexts.rdata.val().mtu;
        self.int_on.next = self.contexts.rdata.val().int_on;
        self.sent_known.next =
            self.sent.rdata.val().used & (self.sent.rdata.val().generation == self.contexts.rdata.val().generation);
        self.sent_to.next = self.sent.rdata.val().end_psn;

        self.reference.next = self.contexts.rdata.val().generation;
        if self.removing.val() {
            self.reference.next = self.generation.val();
        }
        self.state.next = self.states.rdata.val();
        if !self.states.rdata.val().used | (self.states.rdata.val().generation != self.reference.val()) {
            self.state.next = bits_zero::<RequesterState>(0);
            self.state.next.una = self.contexts.rdata.val().first_psn;
            self.state.next.accepted = self.contexts.rdata.val().first_psn;
            self.state.next.assigned = self.contexts.rdata.val().first_psn;
            self.state.next.generation = self.reference.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
