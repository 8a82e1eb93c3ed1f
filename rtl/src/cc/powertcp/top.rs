//! The PowerTCP module: wiring only, and the delays that carry an event's flow past the arithmetic.

use super::factor::WeightedInverse;
use super::lane::PowerLane;
use super::registers::PowerRegisterBlock;
use super::window::PowerWindow;
use crate::cc::parts::admit::Admit;
use crate::cc::parts::average::Average;
use crate::cc::parts::maximum::Maximum;
use crate::cc::parts::records::Records;
use crate::cc::parts::rejections::Rejections;
use crate::cc::parts::reset::POWERTCP;
use crate::cc::parts::speed_table::SpeedTable;
use crate::cc::slot::{ConfigIn, LawSlot};
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::congestion::{
    FlowTag, LawCommand, LawUpdate, ParamAddress, ParamTable, PowerScalars, StepKind, WindowStep,
};
use crate::words::sched::LawEvent;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks from the one in which an event is taken to the one in which its update is offered, the receiver being ready:
/// three of entry, 71 of pipeline, three of FIFO.
pub const LATENCY: usize = 77;

/// Congestion-control slot filled by PowerTCP, for `FLOWS` flows (2^`A` at most).
///
/// One event a clock for different flows, one every six clocks for the same flow; latency [`LATENCY`]. Updates leave in
/// the order of events. A creation is answered by an update with the first window and rate; removed flows, old
/// generations, kinds other than acknowledgements, and INT that is absent or has an unknown speed code are answered by
/// none.
#[block]
pub struct PowerSlot<const FLOWS: usize, const A: usize> {
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
    /// Acknowledgements whose INT was ignored for a speed code without entry.
    pub count_bad_speed: Signal<Out, U<32>>,
    /// Acknowledgements with more than five hops: the first five were used.
    pub count_many_hops: Signal<Out, U<32>>,
    /// Acknowledgements that came over another path than the last.
    pub count_path_changed: Signal<Out, U<32>>,
    /// Acknowledgements that found records older than the limit.
    pub count_stale_flow: Signal<Out, U<32>>,
    registers: PowerRegisterBlock,
    admit: Admit<FLOWS, A>,
    records: Records<A>,
    speeds: [SpeedTable<POWERTCP>; 5],
    place: Signal<Local, ParamAddress>,
    lane: [PowerLane; 5],
    maximum: Maximum,
    average: Average<A>,
    factor: WeightedInverse,
    window: PowerWindow<A>,
    updates: StreamFifo<LawUpdate, 7, 48>,
    tag_31: Delay<FlowTag, 31>,
    tag_58: Delay<FlowTag, 27>,
    tag_71: Delay<FlowTag, 13>,
    step_39: Delay<StepKind, 34>,
    step_66: Delay<WindowStep, 27>,
    live_71: Delay<Bit, 5>,
    power_71: Delay<U<51>, 31>,
    rejections: Rejections,
    scalars: Signal<Local, PowerScalars>,
}

#[kernel]
impl<const FLOWS: usize, const A: usize> Logic for PowerSlot<FLOWS, A> {
    fn update(&mut self) {
        self.registers.reset.next = self.reset.val();
        self.admit.reset.next = self.reset.val();
        self.updates.reset.next = self.reset.val();
        self.rejections.reset.next = self.reset.val();

        self.registers.write.next = self.param.write.val();
        self.registers.address.next = self.param.address.val();
        self.registers.data.next = self.param.data.val();
        self.scalars.next = self.registers.scalars.val();
        self.place.next = bit_cast_word::<ParamAddress, U<6>>(self.param.address.val());
        for i in 0..5 {
            self.speeds[i].address.next = self.place.val().entry;
            self.speeds[i].data.next = self.param.data.val();
            self.speeds[i].write_busy.next = self.param.write.val() & (self.place.val().group == ParamTable::BusyTime);
            self.speeds[i].write_weight.next =
                self.param.write.val() & (self.place.val().group == ParamTable::QueueWeight);
            self.speeds[i].write_stale.next =
                self.param.write.val() & (self.place.val().group == ParamTable::StaleTime);
            self.speeds[i].code.next = self.records.code[i].val();
            self.records.speed[i].next = self.speeds[i].entry.val();
        }

        StreamIn::<LawEvent>::link(&mut self.event, &mut self.admit.event);
        StreamIn::<LawCommand>::link(&mut self.command, &mut self.admit.command);
        self.admit.crowded.next = self.updates.crowded.val();

        self.records.entering.next = self.admit.entering.val();
        self.records.flow.next = self.admit.flow.val();
        self.records.word.next = self.admit.word.val();
        self.records.rules.next.always_ends = false;
        self.records.rules.next.quiet_within = self.scalars.val().mode.reaction == 2;
        self.records.rules.next.ageless = self.scalars.val().mode.ageless;
        self.records.rules.next.needs_sample = true;
        self.records.rules.next.only_forward = self.scalars.val().mode.last_full;
        self.records.stale_limit.next = self.scalars.val().stale_limit;

        for i in 0..5 {
            self.lane[i].sample.next = self.records.sample[i].val();
            self.lane[i].arrivals.next = self.scalars.val().mode.arrivals;
            self.lane[i].current_floor.next = self.scalars.val().current_floor;
            self.lane[i].used.next = self.records.used[i].val();
            self.lane[i].base_rtt.next = self.scalars.val().base_rtt;
            self.lane[i].base_rtt_shift.next = self.scalars.val().base_rtt_shift;
            self.maximum.utilisation[i].next = self.lane[i].power.val();
            self.maximum.tau[i].next = self.lane[i].tau.val();
            self.maximum.whole[i].next = self.lane[i].whole.val();
        }

        // whose step and which kind, past the arithmetic
        self.tag_31.d.next.generation = self.admit.entering.val().generation;
        self.tag_31.d.next.flow = bit_cast_u::<16, A>(self.admit.flow.val());
        self.tag_58.d.next = self.tag_31.q.val();
        self.tag_71.d.next = self.tag_58.q.val();
        self.step_39.d.next = self.records.step.val();
        self.step_66.d.next.live = self.step_39.q.val().live;
        self.step_66.d.next.created = self.step_39.q.val().created;
        // a reaction of 1 waits with the window for the end of the round trip
        self.step_66.d.next.windowed =
            self.step_39.q.val().sampled & ((self.scalars.val().mode.reaction != 1) | self.step_39.q.val().ends_round);
        self.step_66.d.next.ends_round = self.step_39.q.val().ends_round;

        self.average.largest.next = self.maximum.largest.val();
        self.average.tau.next = self.maximum.largest_tau.val();
        self.average.whole.next = self.maximum.largest_whole.val();
        self.average.none.next = self.maximum.none.val();
        self.average.flow.next = bit_cast_u::<A, 16>(self.tag_31.q.val().flow);
        self.average.valid.next = self.step_39.q.val().live;
        self.average.restart.next = self.step_39.q.val().created | self.step_39.q.val().path_changed;
        self.average.measured.next = self.step_39.q.val().sampled;
        self.average.inverse_base_rtt.next = self.scalars.val().inverse_base_rtt;
        self.average.c_init.next = self.scalars.val().power_init;
        self.factor.power.next = self.average.utilisation.val();
        self.factor.smallest.next = self.scalars.val().smallest_power;
        self.factor.gamma.next = self.scalars.val().gamma;
        self.power_71.d.next = self.average.utilisation.val();

        self.window.flow.next = bit_cast_u::<A, 16>(self.tag_58.q.val().flow);
        self.window.factor.next = self.factor.factor.val();
        self.window.valid.next = self.step_66.q.val().live;
        self.window.create.next = self.step_66.q.val().created;
        self.window.windowed.next = self.step_66.q.val().windowed;
        self.window.ends_round.next = self.step_66.q.val().ends_round;
        self.window.old_in_both.next = self.scalars.val().mode.old_in_both;
        self.window.last_full.next = self.scalars.val().mode.last_full;
        self.window.w_init.next = self.scalars.val().w_init;
        self.window.w_min.next = self.scalars.val().w_min;
        self.window.beta.next = self.scalars.val().beta;
        self.window.gamma.next = self.scalars.val().gamma;
        self.window.rate_per_window.next = self.scalars.val().rate_per_window;

        self.live_71.d.next = self.step_66.q.val().live;
        self.updates.up.valid.next = self.live_71.q.val();
        self.updates.up.data.next.flow = self.tag_71.q.val().flow;
        self.updates.up.data.next.generation = self.tag_71.q.val().generation;
        self.updates.up.data.next.window = self.window.window.val();
        self.updates.up.data.next.rate = self.window.rate.val();
        self.updates.up.data.next.signal = self.power_71.q.val();
        StreamOut::<LawUpdate>::link(&mut self.update, &mut self.updates.down);

        self.rejections.late.next = self.records.late.val();
        self.rejections.out_of_range.next = self.admit.out_of_range.val();
        self.rejections.bad_speed.next = self.records.bad_speed.val();
        self.rejections.many_hops.next = self.records.many_hops.val();
        self.rejections.path_changed.next = self.records.step.val().path_changed;
        self.rejections.stale_flow.next = self.records.stale_flow.val();
        self.count_late.next = self.rejections.count_late.val();
        self.count_out_of_range.next = self.rejections.count_out_of_range.val();
        self.count_bad_speed.next = self.rejections.count_bad_speed.val();
        self.count_many_hops.next = self.rejections.count_many_hops.val();
        self.count_path_changed.next = self.rejections.count_path_changed.val();
        self.count_stale_flow.next = self.rejections.count_stale_flow.val();
    }
}

impl<const FLOWS: usize, const A: usize> LawSlot for PowerSlot<FLOWS, A> {
    const LAW: &'static str = "powertcp";
    const LATENCY: usize = LATENCY;
}
