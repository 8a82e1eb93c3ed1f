//! NEWACK without the arithmetic: hop records, sequence numbers, and what kind of step an event is.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 - 2 | `memory` | the flow's record |
//! | 3 | `known`, `same_path`, `age`, `ahead`, `forward` | comparisons with it |
//! | 4 | `old`, `ends_round`, `advances` | stale flow, end of the round trip |
//! | 5 | outputs, `write`, the word to write | the order of decisions of [`hpcc_models::fixed::hpcc`] and [`hpcc_models::fixed::powertcp`] |
//!
//! The write of clock 5 is in the RAM before the flow's next read, because a flow enters every six clocks at most: no
//! bypass over these 418 bits. What differs between laws is in [`RecordRules`].

use super::hop::HopStage;
use crate::emit::naming::named_as;
use crate::prim::delay::Delay;
use crate::prim::table_ram::TableRam;
use crate::prim::uint::{LoopIdx, U};
use crate::words::congestion::{AckWord, FlowRecord, HopSample, Passing, RecordRules, SpeedEntry, StepKind};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Records of 2^`A` flows.
#[block]
pub struct Records<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 0: what enters.
    pub entering: Signal<In, Passing>,
    /// Clock 0: flow.
    pub flow: Signal<In, U<A>>,
    /// Clock 0: what the acknowledgement says.
    pub word: Signal<In, AckWord>,
    /// How this law treats records.
    pub rules: Signal<In, RecordRules>,
    /// Register: age limit, ns.
    pub stale_limit: Signal<In, U<32>>,
    /// Clock 3, to each lane.
    pub sample: [Signal<Out, HopSample>; 5],
    /// Clock 5, to each lane: takes part in the maximum.
    pub used: [Signal<Out, Bit>; 5],
    /// Clock 5: what kind of step it is.
    pub step: Signal<Out, StepKind>,
    /// Clock 5, counter pulse: flow unknown or of another generation.
    pub late: Signal<Out, Bit>,
    /// Clock 5, counter pulse: a speed code without entry.
    pub bad_speed: Signal<Out, Bit>,
    /// Clock 5, counter pulse: more than five hops.
    pub many_hops: Signal<Out, Bit>,
    /// Clock 5, counter pulse: records older than the limit.
    pub stale_flow: Signal<Out, Bit>,
    /// Clock 0: speed code of each hop.
    pub code: [Signal<Out, U<4>>; 5],
    /// Clock 1: what it stands for.
    pub speed: [Signal<In, SpeedEntry>; 5],
    #[registers(Passing:
        /// What passes through the pipeline, in the clock of the name.
        passing_3, passing_4)]
    #[registers(Bit:
        /// Clock 3: the event is the response to a probe.
        probe_3,
        /// The flow exists, and the event is of its generation, from clock 3 on.
        known,
        /// The flow has records of an earlier acknowledgement, from clock 3 on.
        has_records,
        /// Clock 3: path and number of hops are those of the records.
        same_path,
        /// A speed code of the acknowledgement has no entry, from clock 3 on.
        unknown_speed,
        /// The flow exists, and the event is of its generation, from clock 3 on.
        known_4,
        /// The flow has records of an earlier acknowledgement, from clock 3 on.
        has_records_4,
        /// Clock 4: as `same_path`, or the law does not ask.
        same_path_4)]
    #[registers(Bit:
        /// A speed code of the acknowledgement has no entry, from clock 3 on.
        unknown_speed_4,
        /// Clock 4: the records are older than the limit.
        old,
        /// Clock 4: the acknowledgement ends a round trip.
        ends_round,
        /// Clock 4: the end of the next round trip lies behind that of this one, or the law does not ask.
        advances,
        /// Clock 5, counter pulse: flow unknown or of another generation.
        late_r,
        /// Clock 5, counter pulse: a speed code without entry.
        bad_speed_r,
        /// Clock 5, counter pulse: more than five hops.
        many_hops_r,
        /// Clock 5, counter pulse: records older than the limit.
        stale_flow_r,
        /// Clock 5: the flow's record is written.
        write)]
    #[registers(Bit:
        /// Clock 5: the flow exists after this.
        exists_5,
        /// Clock 5: the flow has records after this.
        recorded_5,
        /// Clock 5: the end of the round trip stays what it was.
        round_goes_on)]
    #[registers(U<48>:
        /// Clock 3: time since the last acknowledgement, ns.
        age,
        /// Clock 5: time of the acknowledgement, ns.
        now_5)]
    #[registers(U<24>:
        /// Clock 3: distance of the acknowledgement's PSN from the end of the round trip.
        ahead,
        /// Clock 3: distance of the next PSN to send from the end of the round trip.
        forward,
        /// Clock 5: PSN that ends the round trip, as it was.
        last_round_end_5,
        /// Clock 5: PSN that ends the next round trip: the next one to send.
        next_round_end_5)]
    #[signals(Bit: is_event, is_command, accepted, quiet, moved, aged, measure, sampled)]
    memory: TableRam<FlowRecord, A>,
    hop: [HopStage; 5],
    word_2: Delay<AckWord, 2>,
    now_4: Delay<U<48>, 2>,
    path_4: Delay<U<12>, 2>,
    hops_4: Delay<U<4>, 2>,
    snd_nxt_4: Delay<U<24>, 2>,
    int_valid_4: Delay<Bit, 2>,
    passing_2: Delay<Passing, 2>,
    flow_5: Delay<U<A>, 5>,
    round_end_4: Delay<U<24>, 2>,
    used_4: [Signal<Local, Bit>; 5],
    /// Clock 5: hops that take part in the maximum.
    used_r: [DFF<Bit>; 5],
    hop_count: Signal<Local, U<4>>,
    /// Clock 5: what kind of step the event is.
    step_r: DFF<StepKind>,
    /// Clock 5: generation of the flow.
    generation_5: DFF<U<8>>,
    /// Clock 5: path of the acknowledgement.
    path_5: DFF<U<12>>,
    /// Clock 5: number of hops.
    hops_5: DFF<U<4>>,
}

#[kernel]
impl<const A: usize> Logic for Records<A> {
    fn update(&mut self) {
        memory.raddr = flow;
        word_2 = word;
        now_4 = word_2.now;
        path_4 = word_2.path_id;
        hops_4 = word_2.n_hop;
        snd_nxt_4 = word_2.snd_nxt;
        int_valid_4 = word_2.int_valid;
        flow_5 = flow;
        passing_2 = entering;
        passing_3 = passing_2;
        passing_4 = passing_3;

        // clock 2: comparisons with the record
        known = memory.rdata.val().exists & (memory.rdata.val().generation == passing_2.generation);
        has_records = memory.rdata.val().recorded;
        same_path = (memory.rdata.val().path_id == word_2.path_id) & (memory.rdata.val().n_hop == word_2.n_hop);
        age = word_2.now - memory.rdata.val().last_ack;
        ahead = word_2.psn_next - memory.rdata.val().round_end;
        forward = word_2.snd_nxt - memory.rdata.val().round_end;
        round_end_4 = memory.rdata.val().round_end;
        probe_3 = word_2.probe;
        unknown_speed = ((word_2.n_hop > 0) & !hop[0].speed_valid)
            | ((word_2.n_hop > 1) & !hop[1].speed_valid)
            | ((word_2.n_hop > 2) & !hop[2].speed_valid)
            | ((word_2.n_hop > 3) & !hop[3].speed_valid)
            | ((word_2.n_hop > 4) & !hop[4].speed_valid);

        // clock 3
        assign!(known_4.d = known, has_records_4.d = has_records);
        same_path_4 = same_path | rules.ageless;
        unknown_speed_4 = unknown_speed;
        old = (age.get_bits::<16>(32).any() | (age.get_bits::<32>(0) > stale_limit)) & !rules.ageless;
        ends_round = rules.always_ends | probe_3 | (ahead.any() & !ahead.get_bit(23));
        advances = !rules.only_forward | (forward.any() & !forward.get_bit(23));

        // clock 4: the order of decisions
        is_event = passing_4.valid & !passing_4.command;
        is_command = passing_4.valid & passing_4.command;
        accepted = is_event & known_4 & int_valid_4 & !unknown_speed_4;
        quiet = has_records_4 & rules.quiet_within & !ends_round;
        moved = has_records_4 & !quiet & !same_path_4;
        aged = has_records_4 & !quiet & same_path_4 & old;
        measure = has_records_4 & !quiet & same_path_4 & !old;
        hop_count = hops_4;
        for i in 0..5 {
            code[i] = word.hops[i].speed;
            hop[i].speed = speed[i];
            hop[i].fresh = word_2.hops[i];
            hop[i].recorded = memory.rdata.val().hops[i];
            hop[i].hold = has_records_4 & same_path_4 & !old;
            hop[i].absent = hop_count <= i.val();
            hop[i].ageless = rules.ageless;
            sample[i] = hop[i].sample;
            used_4[i] = hop[i].counts & (hop_count > i.val());
            used_r[i] = used_4[i];
            used[i] = used_r[i];
        }
        sampled = !rules.needs_sample | rules.ageless | used_4[0] | used_4[1] | used_4[2] | used_4[3] | used_4[4];
        step_r.live = accepted | (is_command & passing_4.create);
        step_r.created = passing_4.command;
        step_r.sampled = accepted & measure & sampled;
        step_r.ends_round = ends_round;
        step_r.path_changed = accepted & moved;
        late_r = is_event & !known_4;
        bad_speed_r = is_event & known_4 & int_valid_4 & unknown_speed_4;
        many_hops_r = accepted & (hop_count > 5);
        stale_flow_r = accepted & aged;
        assign! {
            step = step_r, late = late_r, bad_speed = bad_speed_r, many_hops = many_hops_r, stale_flow = stale_flow_r
        }

        // clock 5: write back
        write = (accepted & !quiet) | is_command;
        exists_5 = !passing_4.command | passing_4.create;
        recorded_5 = !passing_4.command;
        generation_5 = passing_4.generation;
        // the latest decision of this stage chooses behind its register
        round_goes_on = measure & !(ends_round & sampled & advances);
        assign!(last_round_end_5.d = round_end_4.q, next_round_end_5.d = snd_nxt_4.q);
        assign!(now_5.d = now_4.q, path_5.d = path_4.q, hops_5.d = hops_4.q);
        inputs!(memory: we = write, waddr = flow_5.q);
        for i in 0..5 {
            memory.wdata.next.hops[i].speed = (hop[i].stored).speed;
            memory.wdata.next.hops[i].ts = (hop[i].stored).ts;
            memory.wdata.next.hops[i].tx_bytes = (hop[i].stored).tx_bytes;
            memory.wdata.next.hops[i].queued = (hop[i].stored).queued;
        }
        memory.wdata.next.last_ack = now_5;
        memory.wdata.next.path_id = path_5;
        memory.wdata.next.n_hop = hops_5;
        memory.wdata.next.round_end = if round_goes_on { last_round_end_5 } else { next_round_end_5 };
        memory.wdata.next.generation = generation_5;
        memory.wdata.next.recorded = recorded_5;
        memory.wdata.next.exists = exists_5;
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_as::<Self>("cc_records")
    }
}
