//! The theta-PowerTCP module: wiring only, and the delays that carry an event's flow past the arithmetic.

use super::measure::DelayPower;
use super::records::DelayRecords;
use super::scale::BaseScale;
use crate::cc::parts::admit::Admit;
use crate::cc::powertcp::reaction::PowerReaction;
use crate::cc::powertcp::registers::PowerRegisterBlock;
use crate::cc::slot::{ConfigIn, LawSlot};
use crate::prim::counter::SaturatingCounter;
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, U};
use crate::words::congestion::{DelayWord, FlowTag, LawCommand, LawUpdate, PowerScalars, StepKind};
use crate::words::sched::LawEvent;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks from the one in which an event is taken to the one in which its update is offered, the receiver being ready:
/// three of entry, 74 of pipeline, three of FIFO.
pub const LATENCY: usize = 80;

/// Congestion-control slot filled by theta-PowerTCP, for `FLOWS` flows (2^`A` at most).
///
/// One event a clock for different flows, one every six clocks for the same flow; latency [`LATENCY`]. Updates leave in
/// the order of events. A creation is answered by an update with the first window and rate, every acknowledgement of a
/// flow by one, even where it carries no time; removed flows, old generations and other kinds of events by none.
#[block]
pub struct ThetaSlot<const FLOWS: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high. Nothing is taken for 2^`A` clocks after it.
    pub reset: Signal<In, Bit>,
    /// Register write port, [`hpcc_models::fixed::powertcp::address`].
    pub param: ConfigIn,
    /// Creation and removal of flows.
    pub command: StreamIn<LawCommand>,
    /// Events.
    pub event: StreamIn<LawEvent>,
    /// Updates.
    pub update: StreamOut<LawUpdate>,
    /// Acknowledgements of a flow that does not exist or of an earlier generation.
    pub count_late: Signal<Out, U<32>>,
    /// Acknowledgements of a flow number past the configured count.
    pub count_out_of_range: Signal<Out, U<32>>,
    /// Acknowledgements whose flow had been silent for longer than the limit.
    pub count_stale_flow: Signal<Out, U<32>>,
    registers: PowerRegisterBlock,
    admit: Admit<DelayWord, FLOWS, A>,
    records: DelayRecords<A>,
    measure: DelayPower,
    reaction: PowerReaction<A>,
    scale: BaseScale,
    updates: StreamFifo<LawUpdate, 7, 48>,
    tag_29: Delay<FlowTag, 29>,
    tag_74: Delay<FlowTag, 18>,
    step_37: Delay<StepKind, 32>,
    live_74: Delay<Bit, 10>,
    power_74: Delay<U<51>, 36>,
    late: SaturatingCounter,
    out_of_range: SaturatingCounter,
    stale_flow: SaturatingCounter,
    scalars: Signal<Local, PowerScalars>,
}

#[kernel]
impl<const FLOWS: usize, const A: usize> Logic for ThetaSlot<FLOWS, A> {
    fn update(&mut self) {
        inputs!([registers, admit, updates, late, out_of_range, stale_flow]: reset);

        inputs!(registers from param: write, address, data);
        scalars = registers.scalars;

        admit.offered.next.now = event.data.val().telemetry.now;
        admit.offered.next.sent_at = event.data.val().telemetry.sent_at;
        admit.offered.next.sent_valid = event.data.val().telemetry.sent_valid;
        admit.offered.next.snd_nxt = event.data.val().snd_nxt;
        admit.offered.next.psn_next = event.data.val().psn_next;
        StreamIn::<LawEvent>::link(&mut event, &mut admit.event);
        StreamIn::<LawCommand>::link(&mut command, &mut admit.command);
        admit.crowded = updates.crowded;
        admit.takes_probes = false;

        inputs!(records from admit: entering, flow, word);
        inputs!([records, measure, reaction, scale]: scalars);
        measure.sample = records.sample;

        // whose step and which kind, past the arithmetic
        tag_29.generation = admit.entering.val().generation;
        tag_29.flow = bit_cast_u::<16, A>(admit.flow);
        step_37 = records.step;
        inputs!(reaction from measure: power, tau, whole, inverse_base_rtt);
        reaction.none = false;
        inputs!(reaction: tag = tag_29.q, step = step_37.q);
        scale.base_rtt = records.sample.val().base_rtt;
        inputs!(scale from reaction: window = new_window, rate);

        tag_74 = reaction.tag_28;
        power_74 = reaction.smoothed;
        live_74 = reaction.live;
        updates.up.valid = live_74;
        updates.up.data.next.flow = tag_74.flow;
        updates.up.data.next.generation = tag_74.generation;
        updates.up.data.next.window = scale.scaled;
        updates.up.data.next.rate = scale.rate_74;
        updates.up.data.next.signal = power_74;
        StreamOut::<LawUpdate>::link(&mut update, &mut updates.down);

        late.pulse = records.late;
        out_of_range.pulse = admit.out_of_range;
        stale_flow.pulse = records.stale_flow;
        count_late = late.count;
        count_out_of_range = out_of_range.count;
        count_stale_flow = stale_flow.count;
    }
}

impl<const FLOWS: usize, const A: usize> LawSlot for ThetaSlot<FLOWS, A> {
    const LAW: &'static str = "theta-powertcp";
    const LATENCY: usize = LATENCY;
}
