//! Entry: commands, events and ticks of the walk in one row, a flow at most every six clocks, nothing while the exit is crowded.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | -4 | ports | |
//! | -3 | `events`, `commands` | skid buffers |
//! | -2 | `chosen` | skid buffer: a command before an event before a tick; an overdue tick before an event |
//! | -1 | `next`, `hold_off` | compared with the five that entered before: clocks left to wait |
//! | 0 | outputs | enters once nothing is left to wait |
//!
//! Three loops (timers, alpha, rates) read and write a flow's state within six clocks. What stands behind a flow that waits waits too. After
//! reset all flows are removed, one a clock, before anything is taken.

use crate::cc::parts::interlock::FlowWait;
use crate::cc::parts::sweep::FlowSweep;
use crate::prim::skid::{Skid, StreamIn};
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::congestion::{CcEventKind, LawCommand};
use crate::words::dcqcn::{ByteCount, DcqcnChosen, DcqcnEntry, DcqcnEvent, NicClock};
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
    #[signals(Bit: tick, pick, load, enter)]
    #[registers(Bit:
        /// Clock -1: something waits to enter.
        next_valid,
        /// Clock -1: the event that waits names a flow number past the configured count.
        next_past,
        /// Nothing may enter: the exit is crowded, or flows are removed after a reset.
        closed,
        /// What waits is of a flow that entered too few clocks ago.
        waits,
        /// Clock 0, counter pulse: an event of a flow number past the configured count was dropped.
        out_of_range_r)]
    #[registers(DcqcnEntry:
        /// Clock -1: command, event or tick that waits to enter.
        next,
        /// Clock 0: what enters.
        entering_r)]
    #[registers(U<A>:
        /// Clock -1: flow of what waits.
        next_flow,
        /// Clock 0: flow.
        flow_r)]
    #[signals(U<A>: chosen_flow)]
    events: Skid<DcqcnEvent>,
    commands: Skid<LawCommand>,
    chosen: Skid<DcqcnChosen>,
    choice: Signal<Local, DcqcnChosen>,
    #[init(Constant::new(U(FLOWS as u64)))]
    limit: Constant<U<17>>,
    sweep: FlowSweep<A>,
    #[combinational]
    to_wait: FlowWait<A>,
    /// Something entered one, two, three or four clocks ago.
    recent_valid: [DFF<Bit>; 4],
    /// Flow of what entered one, two, three or four clocks ago.
    recent_flow: [DFF<U<A>>; 4],
    clock_in: Signal<Local, NicClock>,
    bytes_in: Signal<Local, ByteCount>,
    /// Clocks that what waits must still wait.
    hold_off: DFF<U<3>>,
}

#[kernel]
impl<const FLOWS: usize, const A: usize> Logic for DcqcnAdmit<FLOWS, A> {
    fn update(&mut self) {
        inputs!([events, commands, chosen, sweep]: reset);
        events.up.valid = event.valid;
        event.ready = events.up.ready;
        events.up.data.next.flow = event.data.val().flow;
        events.up.data.next.generation = event.data.val().generation;
        events.up.data.next.kind = bit_cast_word::<CcEventKind, U<3>>(event.data.val().telemetry.event_kind);
        events.up.data.next.ecn = event.data.val().telemetry.ecn;
        clock_in = bit_cast_word::<NicClock, U<48>>(event.data.val().telemetry.now);
        bytes_in = bit_cast_word::<ByteCount, U<32>>(event.data.val().telemetry.bytes);
        events.up.data.next.bytes = bytes_in.whole;
        events.up.data.next.now = clock_in.whole;
        StreamIn::<LawCommand>::link(&mut command, &mut commands.up);

        closed = crowded | sweep.active;
        enter = next_valid & !waits & !closed;
        load = enter | !next_valid;
        pick = chosen.up.ready;
        tick = tick_valid & !commands.down.valid & (tick_overdue | !events.down.valid);
        commands.down.ready = pick;
        events.down.ready = pick & !commands.down.valid & !tick;
        tick_taken = pick & tick;

        // one of the three
        chosen.up.valid = commands.down.valid | events.down.valid | tick;
        choice = bits_zero::<DcqcnChosen>(0);
        choice.entry.command = commands.down.valid;
        choice.entry.create = commands.down.data.val().create;
        choice.entry.walked = tick;
        choice.entry.generation = events.down.data.val().generation;
        choice.entry.kind = events.down.data.val().kind;
        choice.entry.ecn = events.down.data.val().ecn;
        choice.entry.bytes = events.down.data.val().bytes;
        choice.entry.now = events.down.data.val().now;
        choice.entry.valid = bit_cast_u::<17, 16>(events.down.data.val().flow) < limit;
        choice.past = bit_cast_u::<17, 16>(events.down.data.val().flow) >= limit;
        choice.flow = events.down.data.val().flow;
        if tick {
            choice.entry.kind = CcEventKind::Tick;
            choice.entry.now = now;
            choice.entry.valid = true;
            choice.past = false;
            choice.flow = bit_cast_u::<16, A>(tick_flow);
        }
        if commands.down.valid {
            choice.entry.generation = commands.down.data.val().generation;
            choice.entry.valid = bit_cast_u::<17, 16>(commands.down.data.val().flow) < limit;
            choice.past = false;
            choice.flow = commands.down.data.val().flow;
        }
        chosen.up.data = choice;
        chosen.down.ready = load;
        chosen_flow = bit_cast_u::<A, 16>(chosen.down.data.val().flow);

        inputs!(to_wait: flow = chosen_flow, next_valid, next_flow);
        for i in 0..4 {
            to_wait.recent_valid[i] = recent_valid[i];
            to_wait.recent_flow[i] = recent_flow[i];
        }
        if hold_off.any() {
            hold_off = hold_off - 1;
        }
        waits = hold_off > 1;
        if load {
            assign! {
                next_valid.d = chosen.down.valid, next_flow.d = chosen_flow, hold_off.d = to_wait.wait
            }
            next = chosen.down.data.val().entry;
            next_past = chosen.down.data.val().past;
            waits = to_wait.wait.any();
        }
        for i in 0..3 {
            recent_valid[i + 1] = recent_valid[i];
            recent_flow[i + 1] = recent_flow[i];
        }
        recent_valid[0] = enter;
        recent_flow[0] = next_flow;

        entering_r = next;
        entering_r.valid = enter & next.valid;
        flow_r = next_flow;
        out_of_range_r = enter & next_past;
        if sweep.active {
            entering_r.valid = true;
            entering_r.command = true;
            entering_r.create = false;
            flow_r = sweep.flow;
        }
        if reset {
            entering_r.valid = false;
            out_of_range_r = false;
            closed = true;
            clear!(next_valid, hold_off, waits);
            recent_valid[0] = false;
        }
        assign!(entering = entering_r, flow = flow_r, out_of_range = out_of_range_r);
    }
}
