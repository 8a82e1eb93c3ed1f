//! What the requester keeps of each queue pair, and the copies of other blocks' tables that it reads.
//!
//! The state of a queue pair carries its generation. Where that is not the context's, the state is void: the queue pair starts
//! at the context's first PSN with an empty ring. Creation voids what is left of any earlier generation too, and the sweep after reset,
//! a dead context of generation 0, voids all; a removal does not, because the ring is still to be completed. Three RAMs, written
//! together by a creation one clock after it or as soon as nobody else writes, in the order of the creations; two clocks from `qp` to the outputs. What stands in a
//! void state is put aside a clock later, in the [pipe](super::fast::stages).

use crate::emit::naming::named_inside;
use crate::prim::ram::{LoopRam, RamReg};
use crate::prim::short_fifo::ShortFifo;
use crate::prim::uint::U;
use crate::words::context::QpContext;
use crate::words::requester::{LandingContext, RequesterContext, RequesterState, SentTo};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Tables by queue pair.
#[block]
pub struct Store {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: contexts that have not landed are dropped.
    pub reset: Signal<In, Bit>,
    /// A queue pair is created or removed; at most every fifth clock.
    pub context_valid: Signal<In, Bit>,
    /// Its number.
    pub context_qp: Signal<In, U<8>>,
    /// Its context.
    pub context_data: Signal<In, QpContext>,
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
    pub new_state: Signal<In, RequesterState>,
    /// From the next clock on compare the state's generation with `generation`, not with the context's: for removal, which may come after the context's.
    pub removing: Signal<In, Bit>,
    /// See `removing`.
    pub generation: Signal<In, U<8>>,
    /// The state, two clocks after `qp`, if it is not void.
    pub state: Signal<Out, RequesterState>,
    /// It is void.
    pub is_void: Signal<Out, Bit>,
    /// Generation that it is compared with.
    pub own_generation: Signal<Out, U<8>>,
    /// First PSN of the context.
    pub first_psn: Signal<Out, U<24>>,
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
    /// A context waits until nobody else writes.
    pub crowded: Signal<Out, Bit>,
    #[signals(Bit: lands)]
    contexts: RamReg<RequesterContext, 8>,
    states: LoopRam<RequesterState, 8>,
    sent: RamReg<SentTo, 8>,
    /// Contexts that have not landed: the tables are written in any clock, so a second one may come before the first has.
    landing: ShortFifo<LandingContext, 2, 1>,
    arriving: Signal<Local, LandingContext>,
    waits: Signal<Local, LandingContext>,
    by_generation: DFF<Bit>,
    /// The state is of the context's generation; of the one that is removed.
    #[signals(Bit: of_context, of_removed, is_own)]
    compared: Signal<Local, U<8>>,
}

#[kernel]
impl Logic for Store {
    fn update(&mut self) {
        // a context lands when neither of the tables that it voids is written
        arriving.qp = context_qp;
        arriving.voids = context_data.alive | !context_data.generation.any();
        arriving.created.alive = context_data.alive;
        arriving.created.generation = context_data.generation;
        arriving.created.mtu = context_data.mtu;
        arriving.created.int_on = context_data.int_on;
        arriving.created.first_psn = context_data.send_psn;
        inputs!(landing: reset, up.data = arriving, up.valid = context_valid);
        waits = landing.down.data;
        lands = landing.down.valid & !we & !sent_valid;
        landing.down.ready = lands;
        crowded = landing.down.valid;
        inputs!(contexts: we = lands, waddr = waits.qp, wdata = waits.created);
        // what is not used is void, whatever else stands there
        sent.we = sent_valid | (landing.down.valid & !we & waits.voids);
        sent.waddr = if sent_valid { sent_qp } else { waits.qp };
        sent.wdata.next.end_psn = sent_end;
        sent.wdata.next.generation = sent_generation;
        sent.wdata.next.used = sent_valid;
        states.we = we | (landing.down.valid & !sent_valid & waits.voids);
        // whose turn it is to write comes late, so that the addresses do not wait for the rest
        states.waddr = if we { write_qp } else { waits.qp };
        states.wdata = new_state;
        states.wdata.next.used = we;
        contexts.raddr = qp;
        states.raddr = qp;
        sent.raddr = qp;

        alive = contexts.rdata.val().alive;
        context_generation = contexts.rdata.val().generation;
        mtu = contexts.rdata.val().mtu;
        int_on = contexts.rdata.val().int_on;
        sent_known = sent.rdata.val().used & (sent.rdata.val().generation == contexts.rdata.val().generation);
        sent_to = sent.rdata.val().end_psn;

        by_generation = removing;
        compared = if by_generation { generation } else { contexts.rdata.val().generation };
        state = states.rdata;
        of_context = states.rdata.val().generation == contexts.rdata.val().generation;
        of_removed = states.rdata.val().generation == generation;
        is_own = if by_generation { of_removed } else { of_context };
        is_void = !states.rdata.val().used | !is_own;
        own_generation = compared;
        first_psn = contexts.rdata.val().first_psn;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
