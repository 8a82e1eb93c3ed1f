//! Entry of the pipeline: one event or command a clock, a flow at most every six clocks, nothing while the exit is crowded.
//!
//! Three loops of the pipeline (records, average, window) read and write a flow's state within six clocks. An event of a
//! flow that entered less than six clocks ago waits here, and what stands behind it waits too; other flows' events pass
//! at one a clock. Commands go before events. After reset all flows are removed, one a clock, before anything is taken.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | -3 | ports | |
//! | -2 | `heads`, `commands`, `ring` | skid buffers for what the interlock looks at; the wide rest in distributed RAM |
//! | -1 | `next_*`, `hold_off` | compared with the five that entered before: clocks left to wait |
//! | 0 | outputs | enters once nothing is left to wait |
//!
//! The ring is read every clock, so the interlock drives a four-bit pointer and no wide enable.

use super::interlock::FlowWait;
use super::sweep::FlowSweep;
use crate::emit::naming::named_with;
use crate::prim::lut_ram::LutRam;
use crate::prim::skid::{Skid, StreamIn};
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::congestion::{CcEventKind, EventHead, LawCommand, Passing};
use crate::words::sched::LawEvent;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Entry of the pipeline for `FLOWS` flows, 2^`A` of them at most, of whose events the law keeps a `T`.
#[block(check(FLOWS <= 1 << A && A <= 16, "2^A flows at most, A of 16 at most"))]
pub struct Admit<T: Synth, const FLOWS: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Events.
    pub event: StreamIn<LawEvent>,
    /// What the law wants of the event on offer, flow and generation aside.
    pub offered: Signal<In, T>,
    /// Creations and removals.
    pub command: StreamIn<LawCommand>,
    /// The exit holds many updates: take nothing.
    pub crowded: Signal<In, Bit>,
    /// Clock 0: what enters.
    pub entering: Signal<Out, Passing>,
    /// Clock 0: flow.
    pub flow: Signal<Out, U<A>>,
    /// Clock 0: what the law wanted of the event.
    pub word: Signal<Out, T>,
    /// Clock 0, counter pulse: an event of a flow number past the configured count was dropped.
    pub out_of_range: Signal<Out, Bit>,
    heads: Skid<EventHead>,
    ring: LutRam<T, 4>,
    write_place: DFF<U<4>>,
    read_place: DFF<U<4>>,
    commands: Skid<LawCommand>,
    #[init(Constant::new(U(FLOWS as u64)))]
    limit: Constant<U<17>>,
    sweep: FlowSweep<A>,
    recent_valid: [DFF<Bit>; 4],
    recent_flow: [DFF<U<A>>; 4],
    next_valid: DFF<Bit>,
    next_command: DFF<Bit>,
    next_create: DFF<Bit>,
    next_good: DFF<Bit>,
    next_past: DFF<Bit>,
    next_flow: DFF<U<A>>,
    next_generation: DFF<U<8>>,
    hold_off: DFF<U<3>>,
    offered_flow: Signal<Local, U<A>>,
    commanded_flow: Signal<Local, U<A>>,
    #[combinational]
    event_wait: FlowWait<A>,
    #[combinational]
    command_wait: FlowWait<A>,
    in_range: Signal<Local, Bit>,
    enter: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    kind: Signal<Local, CcEventKind>,
    entering_r: DFF<Passing>,
    flow_r: DFF<U<A>>,
    out_of_range_r: DFF<Bit>,
}

#[kernel]
impl<T: Synth, const FLOWS: usize, const A: usize> Logic for Admit<T, FLOWS, A> {
    fn update(&mut self) {
        inputs!([heads, commands, sweep]: reset);

        // the head into the skid buffer, the event word into the ring
        self.kind.next = bit_cast_word::<CcEventKind, U<3>>(self.event.data.val().telemetry.event_kind);
        self.heads.up.valid.next = self.event.valid.val();
        self.event.ready.next = self.heads.up.ready.val();
        self.heads.up.data.next.flow = self.event.data.val().flow;
        self.heads.up.data.next.generation = self.event.data.val().generation;
        self.heads.up.data.next.acknowledges =
            (self.kind.val() == CcEventKind::Ack) | (self.kind.val() == CcEventKind::Nak);
        self.ring.we.next = self.event.valid.val() & self.heads.up.ready.val();
        self.ring.waddr.next = self.write_place.q.val();
        self.ring.wdata.next = self.offered.val();
        if self.event.valid.val() & self.heads.up.ready.val() {
            self.write_place.d.next = self.write_place.q.val() + 1;
        }
        self.ring.raddr.next = self.read_place.q.val();
        StreamIn::<LawCommand>::link(&mut self.command, &mut self.commands.up);

        self.enter.next =
            self.next_valid.q.val() & (self.hold_off.q.val() == 0) & !self.crowded.val() & !self.sweep.active.val();
        self.load.next = self.enter.val() | !self.next_valid.q.val();
        self.commands.down.ready.next = self.load.val();
        self.heads.down.ready.next = self.load.val() & !self.commands.down.valid.val();

        // clocks to wait, for both that may be loaded
        self.offered_flow.next = bit_cast_u::<A, 16>(self.heads.down.data.val().flow);
        self.commanded_flow.next = bit_cast_u::<A, 16>(self.commands.down.data.val().flow);
        inputs!(event_wait: flow = offered_flow, next_valid, next_flow);
        inputs!(command_wait: flow = commanded_flow, next_valid, next_flow);
        for i in 0..4 {
            self.event_wait.recent_valid[i].next = self.recent_valid[i].q.val();
            self.event_wait.recent_flow[i].next = self.recent_flow[i].q.val();
            self.command_wait.recent_valid[i].next = self.recent_valid[i].q.val();
            self.command_wait.recent_flow[i].next = self.recent_flow[i].q.val();
        }
        self.hold_off.d.next = self.hold_off.q.val();
        if self.hold_off.q.val().any() {
            self.hold_off.d.next = self.hold_off.q.val() - 1;
        }
        self.in_range.next = bit_cast_u::<17, 16>(self.heads.down.data.val().flow) < self.limit.val();
        if self.load.val() {
            self.next_valid.d.next = self.heads.down.valid.val() | self.commands.down.valid.val();
            self.next_command.d.next = self.commands.down.valid.val();
            self.next_create.d.next = self.commands.down.data.val().create;
            if self.commands.down.valid.val() {
                self.next_good.d.next = bit_cast_u::<17, 16>(self.commands.down.data.val().flow) < self.limit.val();
                self.next_past.d.next = false;
                self.next_flow.d.next = self.commanded_flow.val();
                self.next_generation.d.next = self.commands.down.data.val().generation;
                self.hold_off.d.next = self.command_wait.wait.val();
            } else {
                self.next_good.d.next = self.heads.down.data.val().acknowledges & self.in_range.val();
                self.next_past.d.next = self.heads.down.data.val().acknowledges & !self.in_range.val();
                self.next_flow.d.next = self.offered_flow.val();
                self.next_generation.d.next = self.heads.down.data.val().generation;
                self.hold_off.d.next = self.event_wait.wait.val();
            }
        }
        for i in 0..3 {
            self.recent_valid[i + 1].d.next = self.recent_valid[i].q.val();
            self.recent_flow[i + 1].d.next = self.recent_flow[i].q.val();
        }
        self.recent_valid[0].d.next = self.enter.val();
        self.recent_flow[0].d.next = self.next_flow.q.val();
        if self.enter.val() & !self.next_command.q.val() {
            self.read_place.d.next = self.read_place.q.val() + 1;
        }

        self.entering_r.d.next.valid = self.enter.val() & self.next_good.q.val();
        fields!(entering_r.d: command = next_command, create = next_create, generation = next_generation);
        self.out_of_range_r.d.next = self.enter.val() & self.next_past.q.val();
        self.flow_r.d.next = self.next_flow.q.val();
        if self.sweep.active.val() {
            self.entering_r.d.next.valid = true;
            self.entering_r.d.next.command = true;
            self.entering_r.d.next.create = false;
            self.flow_r.d.next = self.sweep.flow.val();
        }
        if self.reset.val() {
            self.entering_r.d.next.valid = false;
            clear!(out_of_range_r, next_valid, hold_off);
            self.recent_valid[0].d.next = false;
            clear!(write_place, read_place);
        }
        assign!(entering = entering_r, flow = flow_r);
        self.word.next = self.ring.rdata.val();
        self.out_of_range.next = self.out_of_range_r.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_with::<Self>(&[("WIDTH", T::BITS)], &["offered", "word", "ring_rdata"])
    }
}
