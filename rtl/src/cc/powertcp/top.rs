//! The PowerTCP module: wiring only, and the delays that carry an event's flow past the arithmetic.

use super::factor::WeightedInverse;
use super::lane::PowerLane;
use super::registers::PowerRegisterBlock;
use super::window::PowerWindow;
use crate::cc::parts::admit::Admit;
use crate::cc::parts::average::Average;
use crate::cc::parts::fields::AckFields;
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
    AckWord, FlowTag, LawCommand, LawUpdate, ParamAddress, ParamTable, PowerScalars, StepKind, WindowStep,
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
    #[combinational]
    fields: AckFields,
    admit: Admit<AckWord, FLOWS, A>,
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
        inputs!([registers, admit, updates, rejections]: reset);

        inputs!(registers from param: write, address, data);
        self.scalars.next = self.registers.scalars.val();
        self.place.next = bit_cast_word::<ParamAddress, U<6>>(self.param.address.val());
        for i in 0..5 {
            inputs!(speeds[i]: address = place.entry, data = param.data);
            self.speeds[i].write_busy.next = self.param.write.val() & (self.place.val().group == ParamTable::BusyTime);
            self.speeds[i].write_weight.next =
                self.param.write.val() & (self.place.val().group == ParamTable::QueueWeight);
            self.speeds[i].write_stale.next =
                self.param.write.val() & (self.place.val().group == ParamTable::StaleTime);
            self.speeds[i].code.next = self.records.code[i].val();
            self.records.speed[i].next = self.speeds[i].entry.val();
        }

        self.fields.event.next = self.event.data.val();
        self.admit.offered.next = self.fields.word.val();
        StreamIn::<LawEvent>::link(&mut self.event, &mut self.admit.event);
        StreamIn::<LawCommand>::link(&mut self.command, &mut self.admit.command);
        self.admit.crowded.next = self.updates.crowded.val();

        inputs!(records from admit: entering, flow, word);
        self.records.rules.next.always_ends = false;
        self.records.rules.next.quiet_within = self.scalars.val().mode.reaction == 2;
        self.records.rules.next.ageless = self.scalars.val().mode.ageless;
        self.records.rules.next.needs_sample = true;
        self.records.rules.next.only_forward = self.scalars.val().mode.last_full;
        self.records.stale_limit.next = self.scalars.val().stale_limit;

        for i in 0..5 {
            self.lane[i].sample.next = self.records.sample[i].val();
            inputs!(lane[i] from scalars: arrivals = mode.arrivals, floor = current_floor);
            self.lane[i].used.next = self.records.used[i].val();
            inputs!(lane[i] from scalars: base_rtt, base_rtt_shift);
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

        inputs!(average from maximum: largest, tau = largest_tau, whole = largest_whole, none);
        self.average.flow.next = bit_cast_u::<A, 16>(self.tag_31.q.val().flow);
        self.average.valid.next = self.step_39.q.val().live;
        self.average.restart.next = self.step_39.q.val().created | self.step_39.q.val().path_changed;
        self.average.measured.next = self.step_39.q.val().sampled;
        inputs!(average from scalars: inverse_base_rtt, c_init = power_init);
        inputs!(factor: power = average.utilisation, smallest = scalars.smallest_power, gamma = scalars.gamma);
        self.power_71.d.next = self.average.utilisation.val();

        self.window.flow.next = bit_cast_u::<A, 16>(self.tag_58.q.val().flow);
        self.window.factor.next = self.factor.factor.val();
        self.window.valid.next = self.step_66.q.val().live;
        self.window.create.next = self.step_66.q.val().created;
        self.window.windowed.next = self.step_66.q.val().windowed;
        self.window.ends_round.next = self.step_66.q.val().ends_round;
        inputs!(window from scalars:
            old_in_both = mode.old_in_both, last_full = mode.last_full, w_init, w_min, beta, gamma, rate_per_window);

        self.live_71.d.next = self.step_66.q.val().live;
        self.updates.up.valid.next = self.live_71.q.val();
        self.updates.up.data.next.flow = self.tag_71.q.val().flow;
        self.updates.up.data.next.generation = self.tag_71.q.val().generation;
        self.updates.up.data.next.window = self.window.window.val();
        self.updates.up.data.next.rate = self.window.rate.val();
        self.updates.up.data.next.signal = self.power_71.q.val();
        StreamOut::<LawUpdate>::link(&mut self.update, &mut self.updates.down);

        inputs!(rejections:
            late = records.late, out_of_range = admit.out_of_range, bad_speed = records.bad_speed,
            many_hops = records.many_hops);
        self.rejections.path_changed.next = self.records.step.val().path_changed;
        self.rejections.stale_flow.next = self.records.stale_flow.val();
        outputs!(rejections:
            count_late, count_out_of_range, count_bad_speed, count_many_hops, count_path_changed, count_stale_flow);
    }
}

impl<const FLOWS: usize, const A: usize> LawSlot for PowerSlot<FLOWS, A> {
    const LAW: &'static str = "powertcp";
    const LATENCY: usize = LATENCY;
}
