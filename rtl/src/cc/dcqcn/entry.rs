//! Entry: commands, events and ticks of the walk in one row, a flow at most every six clocks, nothing while the exit is crowded.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | -4 | ports | |
//! | -3 | `events`, `commands` | skid buffers |
//! | -2 | `chosen` | a command before an event before a tick; an overdue tick before an event |
//! | -1 | `next`, `hold_off` | compared with the five that entered before: clocks left to wait |
//! | 0 | outputs | enters once nothing is left to wait |
//!
//! Three loops (timers, alpha, rates) read and write a flow's state within six clocks. What stands behind a flow that waits waits too. After
//! reset all flows are removed, one a clock, before anything is taken.

use crate::cc::parts::interlock::FlowWait;
use crate::cc::parts::sweep::FlowSweep;
use crate::prim::skid::{Skid, StreamIn};
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::congestion::{CcEventKind, LawCommand};
use crate::words::dcqcn::{ByteCount, DcqcnEntry, DcqcnEvent, NicClock};
use crate::words::sched::LawEvent;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Entry for `FLOWS` flows, 2^`A` of them at most.
#[block(check(FLOWS <= 2usize.pow(A as u32) && A <= 16, "2^A flows at most, A of 16 at most"))]
pub struct DcqcnAdmit<const FLOWS: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Events.
    pub event: StreamIn<LawEvent>,
    /// Creations and removals.
    pub command: StreamIn<LawCommand>,
    /// The NIC's clock, 1.024 us: the time of ticks.
    pub now: Signal<In, U<20>>,
    /// A tick is offered.
    pub tick_valid: Signal<In, Bit>,
    /// Its flow.
    pub tick_flow: Signal<In, U<A>>,
    /// It goes before events.
    pub tick_overdue: Signal<In, Bit>,
    /// The tick is taken.
    pub tick_taken: Signal<Out, Bit>,
    /// The exit holds many updates: let nothing in.
    pub crowded: Signal<In, Bit>,
    /// Clock 0: what enters.
    pub entering: Signal<Out, DcqcnEntry>,
    /// Clock 0: its flow.
    pub flow: Signal<Out, U<A>>,
    /// Clock 0, counter pulse: an event of a flow number past the configured count was dropped.
    pub out_of_range: Signal<Out, Bit>,
    clock_in: Signal<Local, NicClock>,
    bytes_in: Signal<Local, ByteCount>,
    events: Skid<DcqcnEvent>,
    commands: Skid<LawCommand>,
    #[init(Constant::new(U(FLOWS as u64)))]
    limit: Constant<U<17>>,
    sweep: FlowSweep<A>,
    tick: Signal<Local, Bit>,
    pick: Signal<Local, Bit>,
    chosen_valid: DFF<Bit>,
    chosen: DFF<DcqcnEntry>,
    chosen_flow: DFF<U<A>>,
    chosen_past: DFF<Bit>,
    #[combinational]
    to_wait: FlowWait<A>,
    load: Signal<Local, Bit>,
    next_valid: DFF<Bit>,
    next: DFF<DcqcnEntry>,
    next_flow: DFF<U<A>>,
    next_past: DFF<Bit>,
    hold_off: DFF<U<3>>,
    closed: DFF<Bit>,
    enter: Signal<Local, Bit>,
    recent_valid: [DFF<Bit>; 4],
    recent_flow: [DFF<U<A>>; 4],
    entering_r: DFF<DcqcnEntry>,
    flow_r: DFF<U<A>>,
    out_of_range_r: DFF<Bit>,
}

#[kernel]
impl<const FLOWS: usize, const A: usize> Logic for DcqcnAdmit<FLOWS, A> {
    fn update(&mut self) {
        inputs!([events, commands, sweep]: reset);
        self.events.up.valid.next = self.event.valid.val();
        self.event.ready.next = self.events.up.ready.val();
        self.events.up.data.next.flow = self.event.data.val().flow;
        self.events.up.data.next.generation = self.event.data.val().generation;
        self.events.up.data.next.kind = bit_cast_word::<CcEventKind, U<3>>(self.event.data.val().telemetry.event_kind);
        self.events.up.data.next.ecn = self.event.data.val().telemetry.ecn;
        self.clock_in.next = bit_cast_word::<NicClock, U<48>>(self.event.data.val().telemetry.now);
        self.bytes_in.next = bit_cast_word::<ByteCount, U<32>>(self.event.data.val().telemetry.bytes);
        self.events.up.data.next.bytes = self.bytes_in.val().units;
        self.events.up.data.next.now = self.clock_in.val().units;
        StreamIn::<LawCommand>::link(&mut self.command, &mut self.commands.up);

        self.closed.d.next = self.crowded.val() | self.sweep.active.val();
        self.enter.next = self.next_valid.q.val() & (self.hold_off.q.val() == 0) & !self.closed.q.val();
        self.load.next = self.enter.val() | !self.next_valid.q.val();
        self.pick.next = self.load.val() | !self.chosen_valid.q.val();
        self.tick.next = self.tick_valid.val()
            & !self.commands.down.valid.val()
            & (self.tick_overdue.val() | !self.events.down.valid.val());
        self.commands.down.ready.next = self.pick.val();
        self.events.down.ready.next = self.pick.val() & !self.commands.down.valid.val() & !self.tick.val();
        self.tick_taken.next = self.pick.val() & self.tick.val();

        // one of the three
        if self.pick.val() {
            self.chosen_valid.d.next = self.commands.down.valid.val() | self.events.down.valid.val() | self.tick.val();
            self.chosen.d.next.command = self.commands.down.valid.val();
            self.chosen.d.next.create = self.commands.down.data.val().create;
            self.chosen.d.next.walked = self.tick.val();
            self.chosen.d.next.generation = self.events.down.data.val().generation;
            self.chosen.d.next.kind = self.events.down.data.val().kind;
            self.chosen.d.next.ecn = self.events.down.data.val().ecn;
            self.chosen.d.next.bytes = self.events.down.data.val().bytes;
            self.chosen.d.next.now = self.events.down.data.val().now;
            self.chosen.d.next.valid = bit_cast_u::<17, 16>(self.events.down.data.val().flow) < self.limit.val();
            self.chosen_past.d.next = bit_cast_u::<17, 16>(self.events.down.data.val().flow) >= self.limit.val();
            self.chosen_flow.d.next = bit_cast_u::<A, 16>(self.events.down.data.val().flow);
            if self.tick.val() {
                self.chosen.d.next.kind = CcEventKind::Tick;
                self.chosen.d.next.now = self.now.val();
                self.chosen.d.next.valid = true;
                self.chosen_past.d.next = false;
                self.chosen_flow.d.next = self.tick_flow.val();
            }
            if self.commands.down.valid.val() {
                self.chosen.d.next.generation = self.commands.down.data.val().generation;
                self.chosen.d.next.valid = bit_cast_u::<17, 16>(self.commands.down.data.val().flow) < self.limit.val();
                self.chosen_past.d.next = false;
                self.chosen_flow.d.next = bit_cast_u::<A, 16>(self.commands.down.data.val().flow);
            }
        }

        inputs!(to_wait: flow = chosen_flow, next_valid, next_flow);
        for i in 0..4 {
            self.to_wait.recent_valid[i].next = self.recent_valid[i].q.val();
            self.to_wait.recent_flow[i].next = self.recent_flow[i].q.val();
        }
        if self.hold_off.q.val().any() {
            self.hold_off.d.next = self.hold_off.q.val() - 1;
        }
        if self.load.val() {
            assign! {
                next_valid.d = chosen_valid, next.d = chosen, next_flow.d = chosen_flow, next_past.d = chosen_past,
                hold_off.d = to_wait.wait
            }
        }
        for i in 0..3 {
            self.recent_valid[i + 1].d.next = self.recent_valid[i].q.val();
            self.recent_flow[i + 1].d.next = self.recent_flow[i].q.val();
        }
        self.recent_valid[0].d.next = self.enter.val();
        self.recent_flow[0].d.next = self.next_flow.q.val();

        self.entering_r.d.next = self.next.q.val();
        self.entering_r.d.next.valid = self.enter.val() & self.next.q.val().valid;
        self.flow_r.d.next = self.next_flow.q.val();
        self.out_of_range_r.d.next = self.enter.val() & self.next_past.q.val();
        if self.sweep.active.val() {
            self.entering_r.d.next.valid = true;
            self.entering_r.d.next.command = true;
            self.entering_r.d.next.create = false;
            self.flow_r.d.next = self.sweep.flow.val();
        }
        if self.reset.val() {
            self.entering_r.d.next.valid = false;
            self.out_of_range_r.d.next = false;
            self.closed.d.next = true;
            clear!(chosen_valid, next_valid, hold_off);
            self.recent_valid[0].d.next = false;
        }
        assign!(entering = entering_r, flow = flow_r, out_of_range = out_of_range_r);
    }
}
