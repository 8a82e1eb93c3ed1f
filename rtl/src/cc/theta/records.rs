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
    #[registers(Bit: sent_valid_3, sent_valid_4, known, known_4, old, ends_round, advances, late_r, stale_flow_r)]
    #[registers(Bit: write)]
    #[registers(Passing: passing_3, passing_4)]
    #[registers(DelayRecord: record_3, record_4, record_5)]
    #[registers(U<48>: age, way)]
    #[registers(U<24>: ahead, forward, rtt, elapsed)]
    #[signals(LongTime: long_way, long_age)]
    #[signals(Bit: is_event, is_command, accepted, repeats, quiet, timed, first, aged, measure)]
    memory: TableRam<DelayRecord, A>,
    word_2: Delay<DelayWord, 2>,
    now_4: Delay<U<48>, 2>,
    snd_nxt_4: Delay<U<24>, 2>,
    passing_2: Delay<Passing, 2>,
    flow_5: Delay<U<A>, 5>,
    base: Signal<Local, U<17>>,
    grown: Signal<Local, U<26>>,
    came: Signal<Local, U<24>>,
    sample_r: DFF<DelaySample>,
    step_r: DFF<StepKind>,
}

#[kernel]
impl<const A: usize> Logic for DelayRecords<A> {
    fn update(&mut self) {
        memory.raddr = flow;
        word_2 = word;
        now_4 = word_2.now;
        snd_nxt_4 = word_2.snd_nxt;
        sent_valid_3 = word_2.sent_valid;
        advance!(sent_valid_4, record_4, passing_4);
        flow_5 = flow;
        passing_2 = entering;
        passing_3 = passing_2;

        // clock 2: comparisons with the record
        known = memory.rdata.val().exists & (memory.rdata.val().generation == passing_2.generation);
        record_3 = memory.rdata;
        age = word_2.now - memory.rdata.val().last_ack;
        way = word_2.now - word_2.sent_at;
        ahead = word_2.psn_next - memory.rdata.val().round_end;
        forward = word_2.snd_nxt - memory.rdata.val().round_end;

        // clock 3
        repeats = scalars.mode.missing_rtt == 2;
        known_4 = known;
        long_way = bit_cast_word::<LongTime, U<48>>(way);
        rtt = if long_way.beyond.any() { bits_u::<24>(0xff_ffffu64) } else { long_way.measured };
        if !sent_valid_3 {
            rtt = bit_cast_u::<24, 17>(record_3.base_rtt);
            if repeats {
                rtt = record_3.prev_rtt;
            }
        }
        long_age = bit_cast_word::<LongTime, U<48>>(age);
        elapsed = if long_age.beyond.any() { bits_u::<24>(0xff_ffffu64) } else { long_age.measured };
        old = (age.get_bits::<16>(32).any() | (age.get_bits::<32>(0) > scalars.stale_limit)) & !scalars.mode.ageless;
        ends_round = (ahead.any() & !ahead.get_bit(23)) | (scalars.mode.inclusive & !ahead.any());
        advances = !scalars.mode.last_full | (forward.any() & !forward.get_bit(23));

        // clock 4: the order of decisions
        is_event = passing_4.valid & !passing_4.command;
        is_command = passing_4.valid & passing_4.command;
        accepted = is_event & known_4;
        quiet = record_4.recorded & (scalars.mode.reaction == 2) & !ends_round;
        timed = !quiet & (sent_valid_4 | (scalars.mode.missing_rtt == 1) | (repeats & record_4.recorded));
        first = timed & !record_4.recorded & !scalars.mode.first_updates;
        aged = timed & record_4.recorded & old;
        measure = timed & !first & !aged & elapsed.any();
        base = record_4.base_rtt;
        if timed & scalars.mode.smallest_rtt & (rtt < bit_cast_u::<24, 17>(record_4.base_rtt)) {
            base = bit_cast_u::<17, 24>(rtt);
        }
        // growth and time together: below zero it is zero, above the format the largest
        grown = bit_cast_u::<26, 24>(rtt) + bit_cast_u::<26, 24>(elapsed) - bit_cast_u::<26, 24>(record_4.prev_rtt);
        came = if grown.get_bit(24) { bits_u::<24>(0xff_ffffu64) } else { bit_cast_u::<24, 26>(grown) };
        if grown.get_bit(25) {
            came = bits_u::<24>(0);
        }
        fields!(sample_r.d: came, elapsed, rtt, base_rtt = base);
        if passing_4.command {
            sample_r.base_rtt = scalars.base_rtt;
        }
        step_r.live = accepted | (is_command & passing_4.create);
        step_r.created = passing_4.command;
        step_r.sampled = accepted & measure;
        step_r.ends_round = ends_round;
        step_r.path_changed = false;
        late_r = is_event & !known_4;
        stale_flow_r = accepted & aged;
        assign!(
            sample = sample_r,
            step = step_r,
            late = late_r,
            stale_flow = stale_flow_r
        );

        // clock 5: write back
        write = (accepted & timed) | is_command;
        record_5 = record_4;
        record_5.base_rtt = base;
        record_5.last_ack = now_4;
        if first | aged | measure {
            record_5.prev_rtt = rtt;
            record_5.recorded = true;
        }
        if first | aged | (measure & ends_round & advances) {
            record_5.round_end = snd_nxt_4;
        }
        if passing_4.command {
            record_5 = bits_zero::<DelayRecord>(0);
            record_5.base_rtt = scalars.base_rtt;
            record_5.generation = passing_4.generation;
            record_5.exists = passing_4.create;
        }
        inputs!(memory: we = write, waddr = flow_5.q, wdata = record_5);
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
