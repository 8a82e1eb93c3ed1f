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
    memory: TableRam<FlowRecord, A>,
    hop: [HopStage; 5],
    word_2: Delay<AckWord, 2>,
    now_4: Delay<U<48>, 2>,
    path_4: Delay<U<12>, 2>,
    hops_4: Delay<U<4>, 2>,
    snd_nxt_4: Delay<U<24>, 2>,
    int_valid_4: Delay<Bit, 2>,
    passing_2: Delay<Passing, 2>,
    passing_3: DFF<Passing>,
    passing_4: DFF<Passing>,
    flow_5: Delay<U<A>, 5>,
    known: DFF<Bit>,
    has_records: DFF<Bit>,
    same_path: DFF<Bit>,
    unknown_speed: DFF<Bit>,
    age: DFF<U<48>>,
    ahead: DFF<U<24>>,
    forward: DFF<U<24>>,
    round_end_4: Delay<U<24>, 2>,
    known_4: DFF<Bit>,
    has_records_4: DFF<Bit>,
    same_path_4: DFF<Bit>,
    unknown_speed_4: DFF<Bit>,
    old: DFF<Bit>,
    ends_round: DFF<Bit>,
    advances: DFF<Bit>,
    is_event: Signal<Local, Bit>,
    is_command: Signal<Local, Bit>,
    accepted: Signal<Local, Bit>,
    quiet: Signal<Local, Bit>,
    moved: Signal<Local, Bit>,
    aged: Signal<Local, Bit>,
    measure: Signal<Local, Bit>,
    used_4: [Signal<Local, Bit>; 5],
    sampled: Signal<Local, Bit>,
    hop_count: Signal<Local, U<4>>,
    used_r: [DFF<Bit>; 5],
    step_r: DFF<StepKind>,
    late_r: DFF<Bit>,
    bad_speed_r: DFF<Bit>,
    many_hops_r: DFF<Bit>,
    stale_flow_r: DFF<Bit>,
    write: DFF<Bit>,
    exists_5: DFF<Bit>,
    recorded_5: DFF<Bit>,
    generation_5: DFF<U<8>>,
    round_end_5: DFF<U<24>>,
    now_5: DFF<U<48>>,
    path_5: DFF<U<12>>,
    hops_5: DFF<U<4>>,
}

#[kernel]
impl<const A: usize> Logic for Records<A> {
    fn update(&mut self) {
        self.memory.raddr.next = self.flow.val();
        self.word_2.d.next = self.word.val();
        self.now_4.d.next = self.word_2.q.val().now;
        self.path_4.d.next = self.word_2.q.val().path_id;
        self.hops_4.d.next = self.word_2.q.val().n_hop;
        self.snd_nxt_4.d.next = self.word_2.q.val().snd_nxt;
        self.int_valid_4.d.next = self.word_2.q.val().int_valid;
        self.flow_5.d.next = self.flow.val();
        self.passing_2.d.next = self.entering.val();
        self.passing_3.d.next = self.passing_2.q.val();
        self.passing_4.d.next = self.passing_3.q.val();

        // clock 2: comparisons with the record
        self.known.d.next =
            self.memory.rdata.val().exists & (self.memory.rdata.val().generation == self.passing_2.q.val().generation);
        self.has_records.d.next = self.memory.rdata.val().recorded;
        self.same_path.d.next = (self.memory.rdata.val().path_id == self.word_2.q.val().path_id)
            & (self.memory.rdata.val().n_hop == self.word_2.q.val().n_hop);
        self.age.d.next = self.word_2.q.val().now - self.memory.rdata.val().last_ack;
        self.ahead.d.next = self.word_2.q.val().psn_next - self.memory.rdata.val().round_end;
        self.forward.d.next = self.word_2.q.val().snd_nxt - self.memory.rdata.val().round_end;
        self.round_end_4.d.next = self.memory.rdata.val().round_end;
        self.unknown_speed.d.next = ((self.word_2.q.val().n_hop > 0) & !self.hop[0].speed_valid.val())
            | ((self.word_2.q.val().n_hop > 1) & !self.hop[1].speed_valid.val())
            | ((self.word_2.q.val().n_hop > 2) & !self.hop[2].speed_valid.val())
            | ((self.word_2.q.val().n_hop > 3) & !self.hop[3].speed_valid.val())
            | ((self.word_2.q.val().n_hop > 4) & !self.hop[4].speed_valid.val());

        // clock 3
        assign!(known_4.d = known, has_records_4.d = has_records);
        self.same_path_4.d.next = self.same_path.q.val() | self.rules.val().ageless;
        self.unknown_speed_4.d.next = self.unknown_speed.q.val();
        self.old.d.next = (self.age.q.val().get_bits::<16>(32).any()
            | (self.age.q.val().get_bits::<32>(0) > self.stale_limit.val()))
            & !self.rules.val().ageless;
        self.ends_round.d.next =
            self.rules.val().always_ends | (self.ahead.q.val().any() & !self.ahead.q.val().get_bit(23));
        self.advances.d.next =
            !self.rules.val().only_forward | (self.forward.q.val().any() & !self.forward.q.val().get_bit(23));

        // clock 4: the order of decisions
        self.is_event.next = self.passing_4.q.val().valid & !self.passing_4.q.val().command;
        self.is_command.next = self.passing_4.q.val().valid & self.passing_4.q.val().command;
        self.accepted.next =
            self.is_event.val() & self.known_4.q.val() & self.int_valid_4.q.val() & !self.unknown_speed_4.q.val();
        self.quiet.next = self.has_records_4.q.val() & self.rules.val().quiet_within & !self.ends_round.q.val();
        self.moved.next = self.has_records_4.q.val() & !self.quiet.val() & !self.same_path_4.q.val();
        self.aged.next = self.has_records_4.q.val() & !self.quiet.val() & self.same_path_4.q.val() & self.old.q.val();
        self.measure.next =
            self.has_records_4.q.val() & !self.quiet.val() & self.same_path_4.q.val() & !self.old.q.val();
        self.hop_count.next = self.hops_4.q.val();
        for i in 0..5 {
            self.code[i].next = self.word.val().hops[i].speed;
            self.hop[i].speed.next = self.speed[i].val();
            self.hop[i].fresh.next = self.word_2.q.val().hops[i];
            self.hop[i].recorded.next = self.memory.rdata.val().hops[i];
            self.hop[i].hold.next = self.has_records_4.q.val() & self.same_path_4.q.val() & !self.old.q.val();
            self.hop[i].absent.next = self.hop_count.val() <= i.val();
            self.hop[i].ageless.next = self.rules.val().ageless;
            self.sample[i].next = self.hop[i].sample.val();
            self.used_4[i].next = self.hop[i].counts.val() & (self.hop_count.val() > i.val());
            self.used_r[i].d.next = self.used_4[i].val();
            self.used[i].next = self.used_r[i].q.val();
        }
        self.sampled.next = !self.rules.val().needs_sample
            | self.rules.val().ageless
            | self.used_4[0].val()
            | self.used_4[1].val()
            | self.used_4[2].val()
            | self.used_4[3].val()
            | self.used_4[4].val();
        self.step_r.d.next.live = self.accepted.val() | (self.is_command.val() & self.passing_4.q.val().create);
        self.step_r.d.next.created = self.passing_4.q.val().command;
        self.step_r.d.next.sampled = self.accepted.val() & self.measure.val() & self.sampled.val();
        self.step_r.d.next.ends_round = self.ends_round.q.val();
        self.step_r.d.next.path_changed = self.accepted.val() & self.moved.val();
        self.late_r.d.next = self.is_event.val() & !self.known_4.q.val();
        self.bad_speed_r.d.next =
            self.is_event.val() & self.known_4.q.val() & self.int_valid_4.q.val() & self.unknown_speed_4.q.val();
        self.many_hops_r.d.next = self.accepted.val() & (self.hop_count.val() > 5);
        self.stale_flow_r.d.next = self.accepted.val() & self.aged.val();
        assign! {
            step = step_r, late = late_r, bad_speed = bad_speed_r, many_hops = many_hops_r, stale_flow = stale_flow_r
        }

        // clock 5: write back
        self.write.d.next = (self.accepted.val() & !self.quiet.val()) | self.is_command.val();
        self.exists_5.d.next = !self.passing_4.q.val().command | self.passing_4.q.val().create;
        self.recorded_5.d.next = !self.passing_4.q.val().command;
        assign!(generation_5.d = passing_4.generation, round_end_5.d = snd_nxt_4.q);
        if self.measure.val() & !(self.ends_round.q.val() & self.sampled.val() & self.advances.q.val()) {
            self.round_end_5.d.next = self.round_end_4.q.val();
        }
        assign!(now_5.d = now_4.q, path_5.d = path_4.q, hops_5.d = hops_4.q);
        inputs!(memory: we = write, waddr = flow_5.q);
        for i in 0..5 {
            self.memory.wdata.next.hops[i].speed = (self.hop[i].stored.val()).speed;
            self.memory.wdata.next.hops[i].ts = (self.hop[i].stored.val()).ts;
            self.memory.wdata.next.hops[i].tx_bytes = (self.hop[i].stored.val()).tx_bytes;
            self.memory.wdata.next.hops[i].queued = (self.hop[i].stored.val()).queued;
        }
        self.memory.wdata.next.last_ack = self.now_5.q.val();
        self.memory.wdata.next.path_id = self.path_5.q.val();
        self.memory.wdata.next.n_hop = self.hops_5.q.val();
        self.memory.wdata.next.round_end = self.round_end_5.q.val();
        self.memory.wdata.next.generation = self.generation_5.q.val();
        self.memory.wdata.next.recorded = self.recorded_5.q.val();
        self.memory.wdata.next.exists = self.exists_5.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_as::<Self>("cc_records")
    }
}
