//! The HPCC module: wiring only, and the delays that carry an event's flow past the arithmetic.

use super::lane::HopLane;
use super::registers::RegisterBlock;
use super::window::WindowUpdate;
use crate::cc::parts::admit::Admit;
use crate::cc::parts::average::Average;
use crate::cc::parts::fields::AckFields;
use crate::cc::parts::inverse::InverseUtilisation;
use crate::cc::parts::maximum::Maximum;
use crate::cc::parts::records::Records;
use crate::cc::parts::rejections::Rejections;
use crate::cc::parts::reset::HPCC;
use crate::cc::parts::speed_table::SpeedTable;
use crate::cc::slot::{ConfigIn, LawSlot};
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::congestion::{
    AckWord, FlowTag, LawCommand, LawUpdate, ParamAddress, ParamTable, StepKind, WindowStep,
};
use crate::words::sched::LawEvent;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks from the one in which an event is taken to the one in which its update is offered, the receiver being ready:
/// three of entry, 56 of pipeline, three of FIFO.
pub const LATENCY: usize = 62;

/// Congestion-control slot filled by HPCC, for `FLOWS` flows (2^`A` at most).
///
/// One event a clock for different flows, one every six clocks for the same flow; latency [`LATENCY`]. Updates leave in
/// the order of events. A creation is answered by an update with the first window and rate; removed flows, old
/// generations, kinds other than acknowledgements, and INT that is absent or has an unknown speed code are answered by
/// none.
#[block]
pub struct HpccSlot<const FLOWS: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high. Nothing is taken for 2^`A` clocks after it.
    pub reset: Signal<In, Bit>,
    /// Register write port, [`hpcc_models::fixed::registers::address`].
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
    registers: RegisterBlock,
    #[combinational]
    fields: AckFields,
    admit: Admit<AckWord, FLOWS, A>,
    records: Records<A>,
    speeds: [SpeedTable<HPCC>; 5],
    lane: [HopLane; 5],
    maximum: Maximum,
    average: Average<A>,
    inverse: InverseUtilisation,
    window: WindowUpdate<A>,
    updates: StreamFifo<LawUpdate, 7, 64>,
    tag_23: Delay<FlowTag, 23>,
    tag_43: Delay<FlowTag, 20>,
    tag_56: Delay<FlowTag, 13>,
    step_31: Delay<StepKind, 26>,
    step_51: Delay<WindowStep, 20>,
    live_56: Delay<Bit, 5>,
    utilisation_56: Delay<U<51>, 24>,
    rejections: Rejections,
    place: Signal<Local, ParamAddress>,
}

#[kernel]
impl<const FLOWS: usize, const A: usize> Logic for HpccSlot<FLOWS, A> {
    fn update(&mut self) {
        inputs!([registers, admit, updates, rejections]: reset);

        inputs!(registers from param: write, address, data);
        place = bit_cast_word::<ParamAddress, U<6>>(param.address);
        for i in 0..5 {
            inputs!(speeds[i]: address = place.entry, data = param.data);
            speeds[i].write_busy = param.write & (place.group == ParamTable::BusyTime);
            speeds[i].write_weight = param.write & (place.group == ParamTable::QueueWeight);
            speeds[i].write_stale = param.write & (place.group == ParamTable::StaleTime);
            speeds[i].code = records.code[i];
            records.speed[i] = speeds[i].entry;
        }

        fields.event = event.data;
        admit.offered = fields.word;
        StreamIn::<LawEvent>::link(&mut event, &mut admit.event);
        StreamIn::<LawCommand>::link(&mut command, &mut admit.command);
        admit.crowded = updates.crowded;
        admit.takes_probes = true;

        inputs!(records from admit: entering, flow, word);
        // 1 reacts to every acknowledgement, 2 once a round trip
        records.rules.next.always_ends = registers.reaction == 1;
        records.rules.next.quiet_within = registers.reaction == 2;
        records.rules.next.ageless = false;
        records.rules.next.needs_sample = false;
        records.rules.next.only_forward = false;
        records.stale_limit = registers.stale_limit;

        for i in 0..5 {
            lane[i].sample = records.sample[i];
            lane[i].used = records.used[i];
            inputs!(lane[i] from registers: base_rtt, base_rtt_shift);
            maximum.utilisation[i] = lane[i].utilisation;
            maximum.tau[i] = lane[i].tau;
            maximum.whole[i] = lane[i].whole;
        }

        // whose step and which kind, past the arithmetic
        tag_23.generation = admit.entering.val().generation;
        tag_23.flow = bit_cast_u::<16, A>(admit.flow);
        tag_43 = tag_23;
        tag_56 = tag_43;
        step_31 = records.step;
        step_51.live = step_31.live;
        step_51.created = step_31.created;
        step_51.windowed = step_31.sampled;
        step_51.ends_round = step_31.ends_round;

        inputs!(average from maximum: largest, tau = largest_tau, whole = largest_whole, none);
        average.flow = bit_cast_u::<A, 16>(tag_23.flow);
        average.valid = step_31.live;
        average.restart = step_31.created | step_31.path_changed;
        average.measured = step_31.sampled;
        inputs!(average from registers: inverse_base_rtt, c_init);
        inverse.utilisation = average.utilisation;
        utilisation_56 = average.utilisation;

        window.flow = bit_cast_u::<A, 16>(tag_43.flow);
        inputs!(window from inverse: inverse, congested);
        window.valid = step_51.live;
        window.create = step_51.created;
        window.measured = step_51.windowed;
        window.update_reference = step_51.ends_round;
        inputs!(window from registers: max_stage, w_init, w_min, w_ai, rate_per_window);

        live_56 = step_51.live;
        updates.up.valid = live_56;
        updates.up.data.next.flow = tag_56.flow;
        updates.up.data.next.generation = tag_56.generation;
        updates.up.data.next.window = window.window;
        updates.up.data.next.rate = window.rate;
        updates.up.data.next.signal = utilisation_56;
        StreamOut::<LawUpdate>::link(&mut update, &mut updates.down);

        inputs!(rejections:
            late = records.late, out_of_range = admit.out_of_range, bad_speed = records.bad_speed,
            many_hops = records.many_hops);
        rejections.path_changed = records.step.val().path_changed;
        rejections.stale_flow = records.stale_flow;
        outputs!(rejections:
            count_late, count_out_of_range, count_bad_speed, count_many_hops, count_path_changed, count_stale_flow);
    }
}

impl<const FLOWS: usize, const A: usize> LawSlot for HpccSlot<FLOWS, A> {
    const LAW: &'static str = "hpcc";
    const LATENCY: usize = LATENCY;
}
