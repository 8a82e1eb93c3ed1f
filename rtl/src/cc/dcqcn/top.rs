//! The DCQCN module: wiring only, and the delays that carry an event's flow past the arithmetic.

use super::alpha::DcqcnAlpha;
use super::entry::DcqcnAdmit;
use super::rates::DcqcnRateBlock;
use super::registers::DcqcnRegisterBlock;
use super::timers::DcqcnTimerBlock;
use super::walk::Walk;
use crate::cc::slot::{ConfigIn, LawSlot};
use crate::prim::counter::SaturatingCounter;
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::congestion::{LawCommand, LawUpdate};
use crate::words::dcqcn::NicClock;
use crate::words::sched::LawEvent;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks from the one in which an event is taken to the one in which its update is offered, the receiver being ready:
/// four of entry, 20 of pipeline, three of FIFO.
pub const LATENCY: usize = 27;

/// Congestion-control slot filled by DCQCN's reaction point, for `FLOWS` flows (2^`A` at most).
///
/// One event a clock for different flows, one every six clocks for the same flow; latency [`LATENCY`]. Updates leave in the order of events.
/// A creation is answered by an update with line rate and window; an event only where the flow's rate changed. Ticks come from the walk
/// inside, at the time of `now`, or as events; removed flows and old generations are answered by none.
#[block]
pub struct DcqcnSlot<const FLOWS: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high. Nothing is taken for 2^`A` clocks after it.
    pub reset: Signal<In, Bit>,
    /// Register write port, [`hpcc_models::fixed::dcqcn::address`].
    pub param: ConfigIn,
    /// Creation and removal of flows.
    pub command: StreamIn<LawCommand>,
    /// Events.
    pub event: StreamIn<LawEvent>,
    /// Updates.
    pub update: StreamOut<LawUpdate>,
    /// The NIC's clock, ns: the time of the walk's ticks.
    pub now: Signal<In, U<48>>,
    /// Events of a flow that does not exist or of an earlier generation.
    pub count_late: Signal<Out, U<32>>,
    /// Events of a flow number past the configured count.
    pub count_out_of_range: Signal<Out, U<32>>,
    /// Cuts of a rate.
    pub count_cuts: Signal<Out, U<32>>,
    registers: DcqcnRegisterBlock,
    walk: Walk<FLOWS, A>,
    admit: DcqcnAdmit<FLOWS, A>,
    timers: DcqcnTimerBlock<A>,
    alpha: DcqcnAlpha<A>,
    rates: DcqcnRateBlock<A>,
    updates: StreamFifo<LawUpdate, 6, 32>,
    flow_1: DFF<U<A>>,
    flow_7: Delay<U<A>, 6>,
    flow_20: Delay<U<A>, 13>,
    generation_20: Delay<U<8>, 14>,
    alpha_20: Delay<U<21>, 10>,
    late: SaturatingCounter,
    out_of_range: SaturatingCounter,
    cuts: SaturatingCounter,
    nic_clock: Signal<Local, NicClock>,
    now_r: DFF<U<20>>,
}

#[kernel]
impl<const FLOWS: usize, const A: usize> Logic for DcqcnSlot<FLOWS, A> {
    fn update(&mut self) {
        inputs!([registers, walk, admit, updates, late, out_of_range, cuts]: reset);

        inputs!(registers from param: write, address, data);

        StreamIn::<LawEvent>::link(&mut event, &mut admit.event);
        StreamIn::<LawCommand>::link(&mut command, &mut admit.command);
        nic_clock = bit_cast_word::<NicClock, U<48>>(now);
        now_r = nic_clock.whole;
        inputs!(admit: now = now_r, crowded = updates.crowded);
        inputs!(admit from walk: tick_valid = valid, tick_flow = flow, tick_overdue = overdue);
        walk.taken = admit.tick_taken;
        walk.interval = registers.scalars.val().walk;
        inputs!(walk from timers: write, write_flow, write_started);

        inputs!(timers: scalars = registers.scalars, entering = admit.entering, flow = admit.flow);
        flow_1 = admit.flow;
        inputs!(alpha: flow = flow_1, step = timers.step);
        alpha.gain = registers.scalars.val().gain;
        flow_7 = flow_1;
        inputs!(rates: scalars = registers.scalars, flow = flow_7.q, step = timers.step, alpha = alpha.alpha);

        flow_20 = flow_7;
        generation_20 = timers.generation;
        alpha_20 = alpha.alpha;
        updates.up.valid = rates.valid;
        updates.up.data.next.flow = bit_cast_u::<16, A>(flow_20);
        updates.up.data.next.generation = generation_20;
        updates.up.data.next.window = rates.window;
        updates.up.data.next.rate = rates.rate;
        updates.up.data.next.signal = bit_cast_u::<51, 21>(alpha_20);
        StreamOut::<LawUpdate>::link(&mut update, &mut updates.down);

        late.pulse = timers.late;
        out_of_range.pulse = admit.out_of_range;
        cuts.pulse = timers.step.val().cut;
        count_late = late.count;
        count_out_of_range = out_of_range.count;
        count_cuts = cuts.count;
    }
}

#[cfg(test)]
impl<const FLOWS: usize, const A: usize> DcqcnSlot<FLOWS, A> {
    /// Clock 0: what enters, and its flow.
    pub(super) fn entering(&self) -> (crate::words::dcqcn::DcqcnEntry, u32) {
        (self.admit.entering.val(), self.admit.flow.val().0 as u32)
    }
}

impl<const FLOWS: usize, const A: usize> LawSlot for DcqcnSlot<FLOWS, A> {
    const LAW: &'static str = "dcqcn";
    const LATENCY: usize = LATENCY;
}
