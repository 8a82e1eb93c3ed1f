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
//! | 0 | outputs | enters once nothing is left to wait, and nothing is removed and the exit not crowded a clock before |
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
    /// Constant: the law takes responses to probes for acknowledgements.
    pub takes_probes: Signal<In, Bit>,
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
    #[registers(U<4>:
        /// Place in the ring at which the next event's word is written.
        write_place,
        /// Place in the ring of the word of the event that enters next.
        read_place)]
    #[registers(Bit:
        /// Clock -1: an event or a command waits to enter.
        next_valid,
        /// Clock -1: a command waits to enter.
        next_command,
        /// Clock -1: the command creates a flow.
        next_create,
        /// Clock -1: what waits is something that the law takes, of a flow number within the configured count.
        next_good,
        /// Clock -1: the event that waits names a flow number past the configured count.
        next_past,
        /// Clock 0, counter pulse: an event of a flow number past the configured count was dropped.
        out_of_range_r,
        /// What waits may enter: the exit is not crowded, and no flow is removed after a reset.
        open,
        /// What waits is of a flow that entered too few clocks ago.
        waits)]
    #[registers(U<A>:
        /// Clock -1: flow of what waits.
        next_flow,
        /// Clock 0: flow.
        flow_r)]
    #[signals(U<A>: offered_flow, commanded_flow)]
    #[signals(Bit: in_range, enter, load)]
    heads: Skid<EventHead>,
    ring: LutRam<T, 4>,
    commands: Skid<LawCommand>,
    #[init(Constant::new(U(FLOWS as u64)))]
    limit: Constant<U<17>>,
    sweep: FlowSweep<A>,
    /// Something entered one, two, three or four clocks ago.
    recent_valid: [DFF<Bit>; 4],
    /// Flow of what entered one, two, three or four clocks ago.
    recent_flow: [DFF<U<A>>; 4],
    #[combinational]
    event_wait: FlowWait<A>,
    #[combinational]
    command_wait: FlowWait<A>,
    /// Clock -1: generation of what waits.
    next_generation: DFF<U<8>>,
    /// Clocks that what waits must still wait.
    hold_off: DFF<U<3>>,
    kind: Signal<Local, CcEventKind>,
    /// Clock 0: what enters.
    entering_r: DFF<Passing>,
}

#[kernel]
impl<T: Synth, const FLOWS: usize, const A: usize> Logic for Admit<T, FLOWS, A> {
    fn update(&mut self) {
        inputs!([heads, commands, sweep]: reset);

        // the head into the skid buffer, the event word into the ring
        kind = bit_cast_word::<CcEventKind, U<3>>(event.data.val().telemetry.event_kind);
        heads.up.valid = event.valid;
        event.ready = heads.up.ready;
        heads.up.data.next.flow = event.data.val().flow;
        heads.up.data.next.generation = event.data.val().generation;
        heads.up.data.next.acknowledges =
            (kind == CcEventKind::Ack) | (kind == CcEventKind::Nak) | (takes_probes & (kind == CcEventKind::Probe));
        // the next place is free, so what is not taken may be written there too: `ready` drives no wide enable either
        ring.we = event.valid;
        ring.waddr = write_place;
        ring.wdata = offered;
        if event.valid & heads.up.ready {
            write_place = write_place + 1;
        }
        ring.raddr = read_place;
        StreamIn::<LawCommand>::link(&mut command, &mut commands.up);

        open = !crowded & !sweep.active;
        enter = next_valid & open & !waits;
        load = enter | !next_valid;
        commands.down.ready = load;
        heads.down.ready = load & !commands.down.valid;

        // clocks to wait, for both that may be loaded
        offered_flow = bit_cast_u::<A, 16>(heads.down.data.val().flow);
        commanded_flow = bit_cast_u::<A, 16>(commands.down.data.val().flow);
        inputs!(event_wait: flow = offered_flow, next_valid, next_flow);
        inputs!(command_wait: flow = commanded_flow, next_valid, next_flow);
        for i in 0..4 {
            event_wait.recent_valid[i] = recent_valid[i];
            event_wait.recent_flow[i] = recent_flow[i];
            command_wait.recent_valid[i] = recent_valid[i];
            command_wait.recent_flow[i] = recent_flow[i];
        }
        hold_off = if hold_off.any() { hold_off - 1 } else { hold_off };
        waits = hold_off > 1;
        in_range = bit_cast_u::<17, 16>(heads.down.data.val().flow) < limit;
        if load {
            next_valid = heads.down.valid | commands.down.valid;
            next_command = commands.down.valid;
            next_create = commands.down.data.val().create;
            if commands.down.valid {
                next_good = bit_cast_u::<17, 16>(commands.down.data.val().flow) < limit;
                next_past = false;
                next_flow = commanded_flow;
                next_generation = commands.down.data.val().generation;
                hold_off = command_wait.wait;
                waits = command_wait.wait.any();
            } else {
                next_good = heads.down.data.val().acknowledges & in_range;
                next_past = heads.down.data.val().acknowledges & !in_range;
                next_flow = offered_flow;
                next_generation = heads.down.data.val().generation;
                hold_off = event_wait.wait;
                waits = event_wait.wait.any();
            }
        }
        for i in 0..3 {
            recent_valid[i + 1] = recent_valid[i];
            recent_flow[i + 1] = recent_flow[i];
        }
        recent_valid[0] = enter;
        recent_flow[0] = next_flow;
        if enter & !next_command {
            read_place = read_place + 1;
        }

        entering_r.valid = enter & next_good;
        fields!(entering_r.d: command = next_command, create = next_create, generation = next_generation);
        out_of_range_r = enter & next_past;
        flow_r = next_flow;
        if sweep.active {
            entering_r.valid = true;
            entering_r.command = true;
            entering_r.create = false;
            flow_r = sweep.flow;
        }
        if reset {
            entering_r.valid = false;
            clear!(out_of_range_r, next_valid, hold_off, waits);
            recent_valid[0] = false;
            clear!(write_place, read_place);
        }
        assign!(entering = entering_r, flow = flow_r);
        word = ring.rdata;
        out_of_range = out_of_range_r;
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_with::<Self>(&[("WIDTH", T::BITS)], &["offered", "word", "ring_rdata"])
    }
}
