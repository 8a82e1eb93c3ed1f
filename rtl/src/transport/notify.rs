//! Notification point: marked packets become congestion notification packets, at most one in an interval for each queue pair and kind
//! of packet. Reference: `notify` of `hpcc_models::nic`.
//!
//! | clock | does |
//! |---|---|
//! | 0 | the next step: a mark goes first, then the creation of a queue pair, then a notification that leaves |
//! | 0 - 3 | state of its queue pair out of the RAM, with what the steps before it write |
//! | 3 | is the interval over? New state; a notification goes into the FIFO |
//!
//! A kind of packets of a queue pair has one notification in the FIFO at most, however long pause holds it. A FIFO that is full
//! nevertheless, after many removals, asks for nothing: the next mark does. The time of the last one is kept modulo 2^28 units of 1.024 us, so
//! that a mark 275 seconds after it, to the interval, may be overlooked.

use crate::nic::words::{AckSend, Context};
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::skid::{Skid, StreamOut};
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::word::{bit_cast_bus, bit_cast_word, bits_zero};
use crate::words::context::QpContext;
use crate::words::transport::{AckSend as AckSendWord, CongestionMark, Notified, NotifyKind, NotifyState, NotifyStep};
use crate::{block, kernel};
use hpcc_models::nic::CNP_UNIT_BITS;
use rust_hdl::prelude::*;

// where the kernel takes the units out of the clock
const _: () = assert!(CNP_UNIT_BITS == 10);

/// Takes a mark a clock, none lost. Contexts come at most every third clock, marks at most two clocks in a row.
#[block]
pub struct Notify {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: forgets what waits, but no time; the context bus does that.
    pub reset: Signal<In, Bit>,
    /// Time, ns.
    pub now: Signal<In, U<48>>,
    /// Register: marks are answered.
    pub enable: Signal<In, Bit>,
    /// Pause: nothing leaves.
    pub hold: Signal<In, Bit>,
    /// Register: least time between two notifications, 1.024 us.
    pub interval: Signal<In, U<24>>,
    /// A context is written.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair.
    pub context_qp: Signal<In, U<8>>,
    /// Its context.
    pub context_data: Signal<In, Context>,
    /// A marked packet came.
    pub mark_valid: Signal<In, Bit>,
    /// Whose.
    pub mark: Signal<In, CongestionMark>,
    /// Notifications, for the builder of frames without payload.
    pub send: StreamOut<AckSend>,
    now_1: DFF<U<28>>,
    qp_context: Signal<Local, QpContext>,
    begins: DFF<Bit>,
    begun: DFF<CongestionMark>,
    leaves: Signal<Local, Bit>,
    step: Signal<Local, NotifyStep>,
    steps: Delay<NotifyStep, 3>,
    states: ForwardRam<NotifyState, 8>,
    // 3
    step_3: Signal<Local, NotifyStep>,
    state: Signal<Local, NotifyState>,
    told: Signal<Local, Notified>,
    fresh: Signal<Local, Bit>,
    elapsed: Signal<Local, U<28>>,
    asks: Signal<Local, Bit>,
    new_told: Signal<Local, Notified>,
    new_state: Signal<Local, NotifyState>,
    writes: Signal<Local, Bit>,
    asked: DFF<Bit>,
    asked_mark: DFF<CongestionMark>,
    waiting: StreamFifo<CongestionMark, 9, 504>,
    item: Signal<Local, AckSendWord>,
    out: Skid<AckSend>,
}

#[kernel]
impl Logic for Notify {
    fn update(&mut self) {
        inputs!([waiting, out]: reset);
        self.now_1.d.next = self.now.val().get_bits::<28>(10);

        // 0
        self.qp_context.next = bit_cast_word::<QpContext, Context>(self.context_data.val());
        self.leaves.next = self.waiting.down.valid.val()
            & self.out.up.ready.val()
            & !self.hold.val()
            & !self.mark_valid.val()
            & !self.begins.q.val();
        self.step.next = bits_zero::<NotifyStep>(0);
        self.step.next.mark = self.waiting.down.data.val();
        if self.leaves.val() {
            self.step.next.kind = NotifyKind::Leaves;
        }
        if self.begins.q.val() {
            self.step.next.kind = NotifyKind::Begins;
            self.step.next.mark = self.begun.q.val();
        }
        if self.mark_valid.val() {
            self.step.next.kind = NotifyKind::Marked;
            self.step.next.mark = self.mark.val();
        } else {
            self.begins.d.next = false;
        }
        if self.context_valid.val() {
            self.begins.d.next = true;
            fields!(begun.d: qp = context_qp, generation = qp_context.generation);
        }
        self.steps.d.next = self.step.val();
        self.states.raddr.next = self.step.val().mark.qp;

        // 3
        self.step_3.next = self.steps.q.val();
        self.state.next = self.states.rdata.val();
        self.fresh.next = self.state.val().generation == self.step_3.val().mark.generation;
        self.told.next = self.state.val().requests;
        if self.step_3.val().mark.response {
            self.told.next = self.state.val().responses;
        }
        self.elapsed.next = self.now_1.q.val() - self.told.val().at;
        self.asks.next = (self.step_3.val().kind == NotifyKind::Marked)
            & self.enable.val()
            & self.fresh.val()
            & !self.told.val().due
            & !self.waiting.crowded.val()
            & (!self.told.val().told | (self.elapsed.val() >= bit_cast_u::<28, 24>(self.interval.val())));
        self.new_told.next = self.told.val();
        self.new_told.next.due = self.asks.val();
        if self.asks.val() {
            self.new_told.next.told = true;
            self.new_told.next.at = self.now_1.q.val();
        }
        self.new_state.next = self.state.val();
        if self.step_3.val().mark.response {
            self.new_state.next.responses = self.new_told.val();
        } else {
            self.new_state.next.requests = self.new_told.val();
        }
        self.writes.next = self.asks.val() | ((self.step_3.val().kind == NotifyKind::Leaves) & self.fresh.val());
        if self.step_3.val().kind == NotifyKind::Begins {
            self.writes.next = true;
            self.new_state.next = bits_zero::<NotifyState>(0);
            self.new_state.next.generation = self.step_3.val().mark.generation;
        }
        inputs!(states: we = writes, waddr = step_3.mark.qp, wdata = new_state);
        assign!(asked.d = asks, asked_mark.d = step_3.mark);
        inputs!(waiting: up.valid = asked, up.data = asked_mark);

        // out
        self.waiting.down.ready.next = self.leaves.val();
        self.item.next = bits_zero::<AckSendWord>(0);
        self.item.next.notifies = true;
        self.item.next.qp = self.waiting.down.data.val().qp;
        self.item.next.generation = self.waiting.down.data.val().generation;
        self.out.up.valid.next = self.leaves.val();
        self.out.up.data.next = bit_cast_bus::<416, 7, AckSendWord>(self.item.val());
        StreamOut::<AckSend>::link(&mut self.send, &mut self.out.down);

        reset!(begins, asked);
    }
}

#[cfg(test)]
#[path = "notify_tests.rs"]
mod tests;
