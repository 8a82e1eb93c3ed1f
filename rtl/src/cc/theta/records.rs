//! Round-trip times without the arithmetic: the flow's record, sequence numbers, and what kind of step an event is.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 - 2 | `memory` | the flow's record |
//! | 3 | `known`, `age`, `way`, `ahead`, `forward` | comparisons with it |
//! | 4 | `rtt`, `elapsed`, `old`, `ends_round`, `advances` | round-trip time and time since the last one, saturated; end of the round trip |
//! | 5 | outputs, `write`, the word to write | the order of decisions of [`hpcc_models::fixed::powertcp`] |
//!
//! The write of clock 5 is in the RAM before the flow's next read, because a flow enters every six clocks at most.

use crate::emit::naming::named_inside;
use crate::prim::delay::Delay;
use crate::prim::table_ram::TableRam;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::congestion::{DelayRecord, DelaySample, DelayWord, LongTime, Passing, PowerScalars, StepKind};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Records of 2^`A` flows.
#[block]
pub struct DelayRecords<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 0: what enters.
    pub entering: Signal<In, Passing>,
    /// Clock 0: flow.
    pub flow: Signal<In, U<A>>,
    /// Clock 0: what the acknowledgement says.
    pub word: Signal<In, DelayWord>,
    /// Registers of the law.
    pub scalars: Signal<In, PowerScalars>,
    /// Clock 5: the round-trip time beside the one before.
    pub sample: Signal<Out, DelaySample>,
    /// Clock 5: what kind of step it is.
    pub step: Signal<Out, StepKind>,
    /// Clock 5, counter pulse: flow unknown or of another generation.
    pub late: Signal<Out, Bit>,
    /// Clock 5, counter pulse: the last round-trip time is older than the limit.
    pub stale_flow: Signal<Out, Bit>,
    memory: TableRam<DelayRecord, A>,
    word_2: Delay<DelayWord, 2>,
    now_4: Delay<U<48>, 2>,
    snd_nxt_4: Delay<U<24>, 2>,
    sent_valid_3: DFF<Bit>,
    sent_valid_4: DFF<Bit>,
    passing_2: Delay<Passing, 2>,
    passing_3: DFF<Passing>,
    passing_4: DFF<Passing>,
    flow_5: Delay<U<A>, 5>,
    known: DFF<Bit>,
    known_4: DFF<Bit>,
    record_3: DFF<DelayRecord>,
    record_4: DFF<DelayRecord>,
    age: DFF<U<48>>,
    way: DFF<U<48>>,
    ahead: DFF<U<24>>,
    forward: DFF<U<24>>,
    long_way: Signal<Local, LongTime>,
    long_age: Signal<Local, LongTime>,
    rtt: DFF<U<24>>,
    elapsed: DFF<U<24>>,
    old: DFF<Bit>,
    ends_round: DFF<Bit>,
    advances: DFF<Bit>,
    is_event: Signal<Local, Bit>,
    is_command: Signal<Local, Bit>,
    accepted: Signal<Local, Bit>,
    quiet: Signal<Local, Bit>,
    timed: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    aged: Signal<Local, Bit>,
    measure: Signal<Local, Bit>,
    base: Signal<Local, U<17>>,
    grown: Signal<Local, U<26>>,
    came: Signal<Local, U<24>>,
    sample_r: DFF<DelaySample>,
    step_r: DFF<StepKind>,
    late_r: DFF<Bit>,
    stale_flow_r: DFF<Bit>,
    write: DFF<Bit>,
    record_5: DFF<DelayRecord>,
}

#[kernel]
impl<const A: usize> Logic for DelayRecords<A> {
    fn update(&mut self) {
        self.memory.raddr.next = self.flow.val();
        self.word_2.d.next = self.word.val();
        self.now_4.d.next = self.word_2.q.val().now;
        self.snd_nxt_4.d.next = self.word_2.q.val().snd_nxt;
        self.sent_valid_3.d.next = self.word_2.q.val().sent_valid;
        self.sent_valid_4.d.next = self.sent_valid_3.q.val();
        self.flow_5.d.next = self.flow.val();
        self.passing_2.d.next = self.entering.val();
        self.passing_3.d.next = self.passing_2.q.val();
        self.passing_4.d.next = self.passing_3.q.val();

        // clock 2: comparisons with the record
        self.known.d.next =
            self.memory.rdata.val().exists & (self.memory.rdata.val().generation == self.passing_2.q.val().generation);
        self.record_3.d.next = self.memory.rdata.val();
        self.age.d.next = self.word_2.q.val().now - self.memory.rdata.val().last_ack;
        self.way.d.next = self.word_2.q.val().now - self.word_2.q.val().sent_at;
        self.ahead.d.next = self.word_2.q.val().psn_next - self.memory.rdata.val().round_end;
        self.forward.d.next = self.word_2.q.val().snd_nxt - self.memory.rdata.val().round_end;

        // clock 3
        self.known_4.d.next = self.known.q.val();
        self.record_4.d.next = self.record_3.q.val();
        self.long_way.next = bit_cast_word::<LongTime, U<48>>(self.way.q.val());
        self.rtt.d.next = self.long_way.val().measured;
        if self.long_way.val().beyond.any() {
            self.rtt.d.next = bits_u::<24>(0xff_ffffu64);
        }
        if !self.sent_valid_3.q.val() {
            self.rtt.d.next = bit_cast_u::<24, 17>(self.record_3.q.val().base_rtt);
        }
        self.long_age.next = bit_cast_word::<LongTime, U<48>>(self.age.q.val());
        self.elapsed.d.next = self.long_age.val().measured;
        if self.long_age.val().beyond.any() {
            self.elapsed.d.next = bits_u::<24>(0xff_ffffu64);
        }
        self.old.d.next = (self.age.q.val().get_bits::<16>(32).any()
            | (self.age.q.val().get_bits::<32>(0) > self.scalars.val().stale_limit))
            & !self.scalars.val().mode.ageless;
        self.ends_round.d.next = (self.ahead.q.val().any() & !self.ahead.q.val().get_bit(23))
            | (self.scalars.val().mode.inclusive & !self.ahead.q.val().any());
        self.advances.d.next =
            !self.scalars.val().mode.last_full | (self.forward.q.val().any() & !self.forward.q.val().get_bit(23));

        // clock 4: the order of decisions
        self.is_event.next = self.passing_4.q.val().valid & !self.passing_4.q.val().command;
        self.is_command.next = self.passing_4.q.val().valid & self.passing_4.q.val().command;
        self.accepted.next = self.is_event.val() & self.known_4.q.val();
        self.quiet.next =
            self.record_4.q.val().recorded & (self.scalars.val().mode.reaction == 2) & !self.ends_round.q.val();
        self.timed.next = !self.quiet.val() & (self.sent_valid_4.q.val() | self.scalars.val().mode.smallest_rtt);
        self.first.next = self.timed.val() & !self.record_4.q.val().recorded & !self.scalars.val().mode.first_updates;
        self.aged.next = self.timed.val() & self.record_4.q.val().recorded & self.old.q.val();
        self.measure.next = self.timed.val() & !self.first.val() & !self.aged.val() & self.elapsed.q.val().any();
        self.base.next = self.record_4.q.val().base_rtt;
        if self.timed.val()
            & self.scalars.val().mode.smallest_rtt
            & (self.rtt.q.val() < bit_cast_u::<24, 17>(self.record_4.q.val().base_rtt))
        {
            self.base.next = bit_cast_u::<17, 24>(self.rtt.q.val());
        }
        // growth and time together: below zero it is zero, above the format the largest
        self.grown.next = bit_cast_u::<26, 24>(self.rtt.q.val()) + bit_cast_u::<26, 24>(self.elapsed.q.val())
            - bit_cast_u::<26, 24>(self.record_4.q.val().prev_rtt);
        self.came.next = bit_cast_u::<24, 26>(self.grown.val());
        if self.grown.val().get_bit(24) {
            self.came.next = bits_u::<24>(0xff_ffffu64);
        }
        if self.grown.val().get_bit(25) {
            self.came.next = bits_u::<24>(0);
        }
        self.sample_r.d.next.came = self.came.val();
        self.sample_r.d.next.elapsed = self.elapsed.q.val();
        self.sample_r.d.next.rtt = self.rtt.q.val();
        self.sample_r.d.next.base_rtt = self.base.val();
        if self.passing_4.q.val().command {
            self.sample_r.d.next.base_rtt = self.scalars.val().base_rtt;
        }
        self.sample.next = self.sample_r.q.val();
        self.step_r.d.next.live = self.accepted.val() | (self.is_command.val() & self.passing_4.q.val().create);
        self.step_r.d.next.created = self.passing_4.q.val().command;
        self.step_r.d.next.sampled = self.accepted.val() & self.measure.val();
        self.step_r.d.next.ends_round = self.ends_round.q.val();
        self.step_r.d.next.path_changed = false;
        self.step.next = self.step_r.q.val();
        self.late_r.d.next = self.is_event.val() & !self.known_4.q.val();
        self.late.next = self.late_r.q.val();
        self.stale_flow_r.d.next = self.accepted.val() & self.aged.val();
        self.stale_flow.next = self.stale_flow_r.q.val();

        // clock 5: write back
        self.write.d.next = (self.accepted.val() & self.timed.val()) | self.is_command.val();
        self.record_5.d.next = self.record_4.q.val();
        self.record_5.d.next.base_rtt = self.base.val();
        self.record_5.d.next.last_ack = self.now_4.q.val();
        if self.first.val() | self.aged.val() | self.measure.val() {
            self.record_5.d.next.prev_rtt = self.rtt.q.val();
            self.record_5.d.next.recorded = true;
        }
        if self.first.val() | self.aged.val() | (self.measure.val() & self.ends_round.q.val() & self.advances.q.val()) {
            self.record_5.d.next.round_end = self.snd_nxt_4.q.val();
        }
        if self.passing_4.q.val().command {
            self.record_5.d.next = bits_zero::<DelayRecord>(0);
            self.record_5.d.next.base_rtt = self.scalars.val().base_rtt;
            self.record_5.d.next.generation = self.passing_4.q.val().generation;
            self.record_5.d.next.exists = self.passing_4.q.val().create;
        }
        self.memory.we.next = self.write.q.val();
        self.memory.waddr.next = self.flow_5.q.val();
        self.memory.wdata.next = self.record_5.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
