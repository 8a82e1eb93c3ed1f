//! The theta-PowerTCP module: wiring only, and the delays that carry an event's flow past the arithmetic.

use super::measure::DelayPower;
use super::records::DelayRecords;
use super::scale::BaseScale;
use crate::cc::parts::admit::Admit;
use crate::cc::parts::average::Average;
use crate::cc::powertcp::factor::WeightedInverse;
use crate::cc::powertcp::registers::PowerRegisterBlock;
use crate::cc::powertcp::window::PowerWindow;
use crate::cc::slot::{ConfigIn, LawSlot};
use crate::prim::counter::SaturatingCounter;
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, U};
use crate::words::congestion::{DelayWord, FlowTag, LawCommand, LawUpdate, PowerScalars, StepKind, WindowStep};
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
    average: Average<A>,
    factor: WeightedInverse,
    window: PowerWindow<A>,
    scale: BaseScale,
    updates: StreamFifo<LawUpdate, 7, 48>,
    tag_29: Delay<FlowTag, 29>,
    tag_56: Delay<FlowTag, 27>,
    tag_74: Delay<FlowTag, 18>,
    step_37: Delay<StepKind, 32>,
    step_64: Delay<WindowStep, 27>,
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
        self.registers.reset.next = self.reset.val();
        self.admit.reset.next = self.reset.val();
        self.updates.reset.next = self.reset.val();

        self.registers.write.next = self.param.write.val();
        self.registers.address.next = self.param.address.val();
        self.registers.data.next = self.param.data.val();
        self.scalars.next = self.registers.scalars.val();

        self.admit.offered.next.now = self.event.data.val().telemetry.now;
        self.admit.offered.next.sent_at = self.event.data.val().telemetry.sent_at;
        self.admit.offered.next.sent_valid = self.event.data.val().telemetry.sent_valid;
        self.admit.offered.next.snd_nxt = self.event.data.val().snd_nxt;
        self.admit.offered.next.psn_next = self.event.data.val().psn_next;
        StreamIn::<LawEvent>::link(&mut self.event, &mut self.admit.event);
        StreamIn::<LawCommand>::link(&mut self.command, &mut self.admit.command);
        self.admit.crowded.next = self.updates.crowded.val();

        self.records.entering.next = self.admit.entering.val();
        self.records.flow.next = self.admit.flow.val();
        self.records.word.next = self.admit.word.val();
        self.records.scalars.next = self.scalars.val();
        self.measure.sample.next = self.records.sample.val();
        self.measure.scalars.next = self.scalars.val();

        // whose step and which kind, past the arithmetic
        self.tag_29.d.next.generation = self.admit.entering.val().generation;
        self.tag_29.d.next.flow = bit_cast_u::<16, A>(self.admit.flow.val());
        self.tag_56.d.next = self.tag_29.q.val();
        self.tag_74.d.next = self.tag_56.q.val();
        self.step_37.d.next = self.records.step.val();
        self.step_64.d.next.live = self.step_37.q.val().live;
        self.step_64.d.next.created = self.step_37.q.val().created;
        // a reaction of 1 waits with the window for the end of the round trip
        self.step_64.d.next.windowed =
            self.step_37.q.val().sampled & ((self.scalars.val().mode.reaction != 1) | self.step_37.q.val().ends_round);
        self.step_64.d.next.ends_round = self.step_37.q.val().ends_round;

        self.average.largest.next = self.measure.power.val();
        self.average.tau.next = self.measure.tau.val();
        self.average.whole.next = self.measure.whole.val();
        self.average.none.next = false;
        self.average.flow.next = bit_cast_u::<A, 16>(self.tag_29.q.val().flow);
        self.average.valid.next = self.step_37.q.val().live;
        self.average.restart.next = self.step_37.q.val().created;
        self.average.measured.next = self.step_37.q.val().sampled;
        self.average.inverse_base_rtt.next = self.measure.inverse_base_rtt.val();
        self.average.c_init.next = self.scalars.val().power_init;
        self.factor.power.next = self.average.utilisation.val();
        self.factor.smallest.next = self.scalars.val().smallest_power;
        self.factor.gamma.next = self.scalars.val().gamma;
        self.power_74.d.next = self.average.utilisation.val();

        self.window.flow.next = bit_cast_u::<A, 16>(self.tag_56.q.val().flow);
        self.window.factor.next = self.factor.factor.val();
        self.window.valid.next = self.step_64.q.val().live;
        self.window.create.next = self.step_64.q.val().created;
        self.window.windowed.next = self.step_64.q.val().windowed;
        self.window.ends_round.next = self.step_64.q.val().ends_round;
        self.window.old_in_both.next = self.scalars.val().mode.old_in_both;
        self.window.last_full.next = self.scalars.val().mode.last_full;
        self.window.w_init.next = self.scalars.val().w_init;
        self.window.w_min.next = self.scalars.val().w_min;
        self.window.beta.next = self.scalars.val().beta;
        self.window.gamma.next = self.scalars.val().gamma;
        self.window.rate_per_window.next = self.scalars.val().rate_per_window;
        self.scale.base_rtt.next = self.records.sample.val().base_rtt;
        self.scale.scalars.next = self.scalars.val();
        self.scale.window.next = self.window.window.val();
        self.scale.rate.next = self.window.rate.val();

        self.live_74.d.next = self.step_64.q.val().live;
        self.updates.up.valid.next = self.live_74.q.val();
        self.updates.up.data.next.flow = self.tag_74.q.val().flow;
        self.updates.up.data.next.generation = self.tag_74.q.val().generation;
        self.updates.up.data.next.window = self.scale.scaled.val();
        self.updates.up.data.next.rate = self.scale.rate_74.val();
        self.updates.up.data.next.signal = self.power_74.q.val();
        StreamOut::<LawUpdate>::link(&mut self.update, &mut self.updates.down);

        self.late.reset.next = self.reset.val();
        self.out_of_range.reset.next = self.reset.val();
        self.stale_flow.reset.next = self.reset.val();
        self.late.pulse.next = self.records.late.val();
        self.out_of_range.pulse.next = self.admit.out_of_range.val();
        self.stale_flow.pulse.next = self.records.stale_flow.val();
        self.count_late.next = self.late.count.val();
        self.count_out_of_range.next = self.out_of_range.count.val();
        self.count_stale_flow.next = self.stale_flow.count.val();
    }
}

impl<const FLOWS: usize, const A: usize> LawSlot for ThetaSlot<FLOWS, A> {
    const LAW: &'static str = "theta-powertcp";
    const LATENCY: usize = LATENCY;
}
