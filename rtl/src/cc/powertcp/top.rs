//! The PowerTCP module: wiring only, and the delays that carry an event's flow past the arithmetic.

use super::lane::PowerLane;
use super::reaction::PowerReaction;
use super::registers::PowerRegisterBlock;
use crate::cc::parts::admit::Admit;
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
    AckWord, FlowTag, LawCommand, LawUpdate, ParamAddress, ParamTable, PowerScalars, StepKind,
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
    lane: [PowerLane; 5],
    maximum: Maximum,
    reaction: PowerReaction<A>,
    updates: StreamFifo<LawUpdate, 7, 48>,
    tag_31: Delay<FlowTag, 31>,
    tag_71: Delay<FlowTag, 13>,
    step_39: Delay<StepKind, 34>,
    live_71: Delay<Bit, 5>,
    power_71: Delay<U<51>, 31>,
    rejections: Rejections,
    place: Signal<Local, ParamAddress>,
    scalars: Signal<Local, PowerScalars>,
}

#[kernel]
impl<const FLOWS: usize, const A: usize> Logic for PowerSlot<FLOWS, A> {
    fn update(&mut self) {
        inputs!([registers, admit, updates, rejections]: reset);

        inputs!(registers from param: write, address, data);
        scalars = registers.scalars;
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
        records.rules.next.always_ends = false;
        records.rules.next.quiet_within = scalars.mode.reaction == 2;
        records.rules.next.ageless = scalars.mode.ageless;
        records.rules.next.needs_sample = true;
        records.rules.next.only_forward = scalars.mode.last_full;
        records.stale_limit = scalars.stale_limit;

        for i in 0..5 {
            lane[i].sample = records.sample[i];
            inputs!(lane[i] from scalars: arrivals = mode.arrivals, floor = current_floor);
            lane[i].used = records.used[i];
            inputs!(lane[i] from scalars: base_rtt, base_rtt_shift);
            maximum.utilisation[i] = lane[i].power;
            maximum.tau[i] = lane[i].tau;
            maximum.whole[i] = lane[i].whole;
        }

        // whose step and which kind, past the arithmetic
        tag_31.generation = admit.entering.val().generation;
        tag_31.flow = bit_cast_u::<16, A>(admit.flow);
        step_39 = records.step;
        inputs!(reaction from maximum: power = largest, tau = largest_tau, whole = largest_whole, none);
        inputs!(reaction: scalars, inverse_base_rtt = scalars.inverse_base_rtt, tag = tag_31.q, step = step_39.q);

        tag_71 = reaction.tag_28;
        power_71 = reaction.smoothed;
        live_71 = reaction.live;
        updates.up.valid = live_71;
        updates.up.data.next.flow = tag_71.flow;
        updates.up.data.next.generation = tag_71.generation;
        updates.up.data.next.window = reaction.new_window;
        updates.up.data.next.rate = reaction.rate;
        updates.up.data.next.signal = power_71;
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

impl<const FLOWS: usize, const A: usize> LawSlot for PowerSlot<FLOWS, A> {
    const LAW: &'static str = "powertcp";
    const LATENCY: usize = LATENCY;
}
