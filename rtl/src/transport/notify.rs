//! Notification point: marked packets become congestion notification packets, at most one in an interval for each queue pair and kind
//! of packet. Reference: `notify` of `hpcc_models::nic`.
//!
//! | clock | does |
//! |---|---|
//! | 0 | the next step: a mark goes first, then the creation of a queue pair, then a notification that leaves |
//! | 0 - 3 | state of its queue pair out of the RAM, with what the steps before it write until then |
//! | 3 | time since the last one |
//! | 4 | is the interval over? |
//! | 5 | decision, with what the two steps before it have decided |
//! | 6 | state written; a notification goes into the FIFO |
//!
//! The time since the last one is that of the state in clock 3. If a step decides later to notify, then one of its queue pair that comes within
//! three clocks finds a notification due, whose time does not count: it leaves more than three clocks later.
//!
//! A kind of packets of a queue pair has one notification in the FIFO at most, however long pause holds it. A FIFO that is full
//! nevertheless, after many removals, asks for nothing: the next mark does. The time of the last one is kept modulo 2^28 units of 1.024 us, so
//! that a mark 275 seconds after it, to the interval, may be overlooked.

use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::skid::{Skid, StreamOut};
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::word::bits_zero;
use crate::words::context::QpContext;
use crate::words::requester::QpOfGeneration;
use crate::words::transport::{AckKind, AckSend, CongestionMark, Notified, NotifyKind, NotifyState, NotifyStep};
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
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// A marked packet came.
    pub mark_valid: Signal<In, Bit>,
    /// Queue pair and direction of the marked packet.
    pub mark: Signal<In, CongestionMark>,
    /// Notifications, for the builder of frames without payload.
    pub send: StreamOut<AckSend>,
    steps: Delay<NotifyStep, 3>,
    states: ForwardRam<NotifyState, 8>,
    /// Time of one clock ago, 1.024 us.
    now_1: DFF<U<28>>,
    /// A queue pair was created and takes the next step without a mark.
    begins: DFF<Bit>,
    /// The queue pair that was created.
    begun: DFF<CongestionMark>,
    leaves: Signal<Local, Bit>,
    step: Signal<Local, NotifyStep>,
    // 3
    step_3: Signal<Local, NotifyStep>,
    first: Signal<Local, Notified>,
    /// Clock 4: time since the last notification, 1.024 us.
    elapsed: DFF<U<28>>,
    #[registers(NotifyStep:
        /// Clock 4: the step.
        step_4,
        /// Clock 5: the step.
        step_5)]
    #[registers(NotifyState:
        /// Clock 4: state of its queue pair.
        state_4,
        /// Clock 5: state of its queue pair, without what the step before it decides.
        state_5)]
    // 4
    #[registers(Bit:
        /// Clock 5: the least interval since the last notification is over.
        over,
        /// Clock 5: the step before was about the same queue pair.
        same)]
    // 5
    #[signals(NotifyState: state, new_state)]
    #[signals(Notified: told, new_told)]
    #[signals(Bit: fresh, asks)]
    #[registers(Bit:
        /// Clock 6: a notification goes into the FIFO.
        asked,
        /// Clock 6: the state is written.
        writes)]
    /// Clock 6: the state after the step.
    decided: DFF<NotifyState>,
    /// Clock 6: queue pair and kind of packets of the step.
    decided_mark: DFF<CongestionMark>,
    // 6
    waiting: StreamFifo<CongestionMark, 9, 504>,
    /// Those on their way out; all else of the frame is the same for all of them.
    out: Skid<QpOfGeneration>,
    #[signals(QpOfGeneration: next_out, goes_out)]
    item: Signal<Local, AckSend>,
}

#[kernel]
impl Logic for Notify {
    fn update(&mut self) {
        inputs!([waiting, out]: reset);
        now_1 = now.get_bits::<28>(10);

        // 0
        leaves = waiting.down.valid & out.up.ready & !hold & !mark_valid & !begins;
        step = bits_zero::<NotifyStep>(0);
        step.mark = waiting.down.data;
        if leaves {
            step.kind = NotifyKind::Leaves;
        }
        if begins {
            step.kind = NotifyKind::Begins;
            step.mark = begun;
        }
        if mark_valid {
            step.kind = NotifyKind::Marked;
            step.mark = mark;
        } else {
            begins = false;
        }
        if context_valid {
            begins = true;
            fields!(begun.d: qp = context_qp, generation = context_data.generation);
        }
        steps = step;
        states.raddr = step.mark.qp;

        // 3: what the step three before has decided comes after the RAM's word; changed or not, it is the state of its queue pair
        step_3 = steps;
        first = if step_3.mark.response { states.rdata.val().responses } else { states.rdata.val().requests };
        elapsed = now_1 - first.at;
        step_4 = step_3;
        state_4 = if decided_mark.qp == step_3.mark.qp { decided } else { states.rdata };

        // 4
        over = elapsed >= bit_cast_u::<28, 24>(interval);
        step_5 = step_4;
        state_5 = if decided_mark.qp == step_4.mark.qp { decided } else { state_4 };
        same = step_5.mark.qp == step_4.mark.qp;

        // 5
        state = if same { decided } else { state_5 };
        fresh = state.generation == step_5.mark.generation;
        told = if step_5.mark.response { state.responses } else { state.requests };
        asks =
            (step_5.kind == NotifyKind::Marked) & enable & fresh & !told.due & !waiting.crowded & (!told.told | over);
        new_told = told;
        if asks {
            new_told.due = true;
            new_told.told = true;
            new_told.at = now_1;
        }
        if (step_5.kind == NotifyKind::Leaves) & fresh {
            new_told.due = false;
        }
        new_state = state;
        if step_5.mark.response {
            new_state.responses = new_told;
        } else {
            new_state.requests = new_told;
        }
        if step_5.kind == NotifyKind::Begins {
            new_state = bits_zero::<NotifyState>(0);
            new_state.generation = step_5.mark.generation;
        }
        writes = step_5.kind != NotifyKind::Nothing;
        assign!(asked.d = asks, decided.d = new_state, decided_mark.d = step_5.mark);

        // 6
        inputs!(states: we = writes, waddr = decided_mark.qp, wdata = decided);
        inputs!(waiting: up.valid = asked, up.data = decided_mark);

        // out
        waiting.down.ready = leaves;
        next_out.qp = waiting.down.data.val().qp;
        next_out.generation = waiting.down.data.val().generation;
        inputs!(out: up.valid = leaves, up.data = next_out);
        goes_out = out.down.data;
        item = bits_zero::<AckSend>(0);
        item.kind = AckKind::Notification;
        fields!(item from goes_out: qp, generation);
        assign!(send.valid = out.down.valid, send.data = item);
        out.down.ready = send.ready;

        reset!(begins, asked);
    }
}

#[cfg(test)]
#[path = "notify_tests.rs"]
mod tests;
