//! One engine: active flows wait for their turn, one visit a clock.
//!
//! | clock | what |
//! |---|---|
//! | -1 | a flow leaves [`super::waiting`] (the ring), or the row of woken flows, which goes first |
//! | -1 | its cap is read, at 1 the level of its group |
//! | 0 | its other words are read: sender state, pacing, visit state |
//! | 2 - 13 | [`super::visit`] |
//! | 13 | visit state written; grant to the FIFO |
//! | 15 | the flow waits again, unless it is idle |
//!
//! A flow is waiting, in the woken row or in the pipeline, never in two of them, so a short ring cannot visit a flow
//! in flight. An idle flow is in none, and costs nothing.
//!
//! Whether a flow is out is the exclusive or of two bits, one that visits flip when the flow leaves, one that wakes flip
//! when it comes back: each bit has one writer. A wake waits until every visit that may have missed its event has ended:
//!
//! | clock after the event is written | what |
//! |---|---|
//! | 13 | the last visit that read the old sender state writes its visit state |
//! | 13, 14 | both bits are read |
//! | 16 | a flow that is out is woken |
//!
//! A flow that is cleared is as after power-up: every word of it is zero, both bits equal, hence out. Only the clearing after
//! reset does that, when no visit is under way.

use super::choice::Choice;
use super::visit::Visit;
use super::waiting::Waiting;
use crate::emit::naming::named_by_size;
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::lut_ram::LutRam;
use crate::prim::skid::StreamOut;
use crate::prim::table_ram::TableRam;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::sched::{FlowCap, FlowPlace, FlowShared, Grant, GroupLevel, PacingState, VisitFlow, Visited, Wake};
use crate::words::visit::{RingEntry, TagDistance, WholeCredit};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks from a visit's reads to its writes.
pub const VISIT_LATENCY: usize = 13;

/// Engine for 2^`I` flows of 2^`A` in all, with `ROWS` waiting rows: 1 is a ring.
#[block]
pub struct Engine<const A: usize, const I: usize, const ROWS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// A flow of this engine has changed.
    pub notify: Signal<In, Bit>,
    /// Its index.
    pub index: Signal<In, U<I>>,
    /// Its number.
    pub flow: Signal<In, U<A>>,
    /// Its sender state.
    pub sender: Signal<In, FlowShared>,
    /// Its pacing, if `paced`; zero if it is cleared.
    pub pacing: Signal<In, PacingState>,
    /// Pacing is written.
    pub paced: Signal<In, Bit>,
    /// Its cap and group, if `limited`; zero if it is cleared.
    pub cap: Signal<In, FlowCap>,
    /// Cap and group are written.
    pub limited: Signal<In, Bit>,
    /// A level is written; after a reset, none in every group.
    pub level_write: Signal<In, Bit>,
    /// Its group.
    pub level_group: Signal<In, U<4>>,
    /// The level.
    pub level: Signal<In, GroupLevel>,
    /// Register: flows that become active start after a random part of a packet time.
    pub dither: Signal<In, Bit>,
    /// Random number.
    pub random: Signal<In, U<16>>,
    /// It may have something to send.
    pub wake: Signal<In, Bit>,
    /// It is cleared; its sender state is zero then.
    pub clear: Signal<In, Bit>,
    /// Index whose visited word is wanted.
    pub asked: Signal<In, U<I>>,
    /// The visited word of two clocks ago's index.
    pub visited: Signal<Out, Visited>,
    /// Tick now.
    pub tick: Signal<In, U<20>>,
    /// Paused priorities.
    pub pause: Signal<In, U<8>>,
    /// Register: wire bytes of a packet beside its payload.
    pub overhead: Signal<In, U<10>>,
    /// Service tag of the grant in service.
    pub tag: Signal<In, U<6>>,
    /// Grants.
    pub grants: StreamOut<Grant>,
    sender_ram: TableRam<FlowShared, I>,
    pacing_ram: TableRam<PacingState, I>,
    cap_ram: TableRam<FlowCap, I>,
    cap_2: DFF<PacingState>,
    level_ram: LutRam<GroupLevel, 4>,
    state_ram: TableRam<VisitFlow, I>,
    visited_ram: TableRam<Visited, I>,
    out_ram: TableRam<Bit, I>,
    back_ram: ForwardRam<Bit, I>,
    wake_13: Delay<Wake, 13>,
    wake_14: DFF<Wake>,
    wake_16: Delay<Wake, 2>,
    is_out: Signal<Local, Bit>,
    waking: Signal<Local, Bit>,
    woken: StreamFifo<FlowPlace, I, 1>,
    waiting: Waiting<I, ROWS>,
    choice: Choice,
    fifo: StreamFifo<Grant, 5, 4>,
    settle: DFF<U<5>>,
    settled: Signal<Local, Bit>,
    clears: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    valid_0: DFF<Bit>,
    credit: Signal<Local, WholeCredit>,
    entry: Signal<Local, RingEntry>,
    entry_0: DFF<RingEntry>,
    valid_12: Delay<Bit, 12>,
    valid_13: DFF<Bit>,
    entry_13: Delay<RingEntry, 13>,
    visit: Visit,
    ending: Signal<Local, Bit>,
    ends_at: Signal<Local, U<I>>,
    after: Signal<Local, VisitFlow>,
    lag: Signal<Local, TagDistance>,
    tag_now: Signal<Local, U<6>>,
    tag_after: Signal<Local, U<6>>,
    granted: Signal<Local, Bit>,
    back: Signal<Local, RingEntry>,
    back_15: Delay<RingEntry, 2>,
    back_valid_15: Delay<Bit, 2>,
}

#[kernel]
impl<const A: usize, const I: usize, const ROWS: usize> Logic for Engine<A, I, ROWS> {
    fn update(&mut self) {
        inputs!([woken, waiting, fifo]: reset);
        // visits that were in flight at reset end without a trace
        if self.settle.q.val().any() {
            self.settle.d.next = self.settle.q.val() - 1;
        }
        if self.reset.val() {
            self.settle.d.next = bits_u::<5>(31);
        }
        self.settled.next = self.settle.q.val() == 0;

        // events
        inputs!(sender_ram: we = notify, waddr = index, wdata = sender);
        self.clears.next = self.notify.val() & self.clear.val();
        self.pacing_ram.we.next = self.clears.val() | (self.notify.val() & self.paced.val());
        inputs!(pacing_ram: waddr = index, wdata = pacing);
        self.cap_ram.we.next = self.clears.val() | (self.notify.val() & self.limited.val());
        inputs!(cap_ram: waddr = index, wdata = cap);
        inputs!(level_ram: we = level_write, waddr = level_group, wdata = level);
        self.visited_ram.raddr.next = self.asked.val();
        self.visited.next = self.visited_ram.rdata.val();

        // wakes
        self.wake_13.d.next = bits_zero::<Wake>(0);
        self.wake_13.d.next.place.index = bit_cast_u::<16, I>(self.index.val());
        self.wake_13.d.next.place.flow = bit_cast_u::<16, A>(self.flow.val());
        self.wake_13.d.next.wake = self.notify.val() & self.wake.val();
        self.wake_13.d.next.clear = self.clears.val();
        self.wake_14.d.next = self.wake_13.q.val();
        self.wake_16.d.next = self.wake_14.q.val();
        self.back_ram.raddr.next = bit_cast_u::<I, 16>(self.wake_13.q.val().place.index);
        self.out_ram.raddr.next = bit_cast_u::<I, 16>(self.wake_14.q.val().place.index);
        self.is_out.next = self.out_ram.rdata.val() == self.back_ram.rdata.val();
        // a wake that was under way at reset ends without a trace too
        self.waking.next = self.wake_16.q.val().wake & self.is_out.val() & self.settled.val();
        self.back_ram.we.next = self.waking.val() | self.wake_16.q.val().clear;
        self.back_ram.waddr.next = bit_cast_u::<I, 16>(self.wake_16.q.val().place.index);
        self.back_ram.wdata.next = (self.out_ram.rdata.val() ^ self.waking.val()) & !self.wake_16.q.val().clear;
        self.woken.up.valid.next = self.waking.val();
        self.woken.up.data.next = self.wake_16.q.val().place;

        // -1: who is next
        self.open.next = self.settled.val() & !self.fifo.crowded.val();
        self.woken.down.ready.next = self.open.val();
        self.waiting.down.ready.next = self.open.val() & !self.woken.down.valid.val();
        self.valid_0.d.next = self.open.val() & (self.woken.down.valid.val() | self.waiting.down.valid.val());
        self.entry.next = self.waiting.down.data.val();
        if self.woken.down.valid.val() {
            fields!(entry: place = woken.down.data, tag);
        }

        self.entry_0.d.next = self.entry.val();

        // -1 to 2: cap, then the level of its group
        self.cap_ram.raddr.next = bit_cast_u::<I, 16>(self.entry.val().place.index);
        self.level_ram.raddr.next = self.cap_ram.rdata.val().group;
        self.cap_2.d.next = self.cap_ram.rdata.val().pacing;
        inputs!(visit: cap = cap_2, level = level_ram.rdata);
        inputs!(visit: dither, random);

        // 0 to 13
        self.sender_ram.raddr.next = bit_cast_u::<I, 16>(self.entry_0.q.val().place.index);
        self.pacing_ram.raddr.next = bit_cast_u::<I, 16>(self.entry_0.q.val().place.index);
        self.state_ram.raddr.next = bit_cast_u::<I, 16>(self.entry_0.q.val().place.index);
        inputs!(visit: sender = sender_ram.rdata, pacing = pacing_ram.rdata, state = state_ram.rdata);
        inputs!(visit: tick, pause, overhead);
        self.valid_12.d.next = self.valid_0.q.val();
        self.valid_13.d.next = self.valid_12.q.val();
        // when no visit ends there is no state after it, which is what a flow that is cleared gets
        self.visit.ends.next = self.valid_12.q.val() & self.settled.val();
        self.entry_13.d.next = self.entry_0.q.val();

        // 13: write back, grant, return
        self.ending.next = self.valid_13.q.val() & self.settled.val();
        self.ends_at.next = bit_cast_u::<I, 16>(self.entry_13.q.val().place.index);
        self.after.next = self.visit.state_after.val();
        if self.clears.val() {
            self.ends_at.next = self.index.val();
        }
        self.state_ram.we.next = self.ending.val() | self.clears.val();
        inputs!(state_ram: waddr = ends_at, wdata = after);
        self.visited_ram.we.next = self.ending.val() | self.clears.val();
        self.visited_ram.waddr.next = self.ends_at.val();
        self.visited_ram.wdata.next = bits_zero::<Visited>(0);
        self.visited_ram.wdata.next.nxt = self.after.val().nxt;
        self.visited_ram.wdata.next.max = self.after.val().max;
        self.visited_ram.wdata.next.seen = self.after.val().seen;
        self.visited_ram.wdata.next.generation = self.after.val().generation;
        self.visited_ram.wdata.next.restarts = self.after.val().restarts;
        self.visited_ram.wdata.next.stopped = self.after.val().stopped;
        self.out_ram.we.next = self.ending.val() | self.clears.val();
        inputs!(out_ram: waddr = ends_at, wdata = after.parked);
        self.lag.next = bit_cast_word::<TagDistance, U<6>>(self.tag.val() - self.entry_13.q.val().tag);
        self.tag_now.next = self.entry_13.q.val().tag;
        if !self.lag.val().negative {
            self.tag_now.next = self.tag.val();
        }
        self.granted.next = self.visit.grant.val().count.any();
        self.tag_after.next = self.tag_now.val();
        if self.granted.val() {
            self.tag_after.next = self.tag_now.val() + 1;
        }
        self.back_valid_15.d.next = self.ending.val() & !self.visit.idle.val();
        self.back.next.place = self.entry_13.q.val().place;
        self.back.next.tag = self.tag_after.val();
        self.back_15.d.next = self.back.val();
        self.waiting.tick.next = self.tick.val();
        self.waiting.enter.next = self.back_valid_15.q.val() & self.settled.val();
        inputs!(waiting: flow = back_15.q, row = choice.row);
        self.choice.rate.next = self.visit.rate.val();
        self.choice.mtu.next = self.sender_ram.rdata.val().mtu;
        self.choice.pause_bit.next = self.sender_ram.rdata.val().pause_class;
        self.choice.pause.next = self.pause.val();
        self.credit.next = bit_cast_word::<WholeCredit, U<37>>(self.visit.state_after.val().credit);
        self.choice.credit.next = self.credit.val().bytes;
        self.fifo.up.valid.next = self.ending.val() & self.granted.val();
        self.fifo.up.data.next = self.visit.grant.val();
        self.fifo.up.data.next.flow = bit_cast_u::<13, 16>(self.entry_13.q.val().place.flow);
        self.fifo.up.data.next.tag = self.tag_now.val();
        StreamOut::<Grant>::link(&mut self.grants, &mut self.fifo.down);
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_by_size::<Self>(ROWS > 1)
    }
}
