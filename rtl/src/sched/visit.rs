//! A visit: sequence numbers, then credit, then at most fifteen packets and 4096 bytes, four packets or one behind a READ. One visit a clock.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 2 | inputs | the three words of the flow show | |
//! | 3 | `restarted_3`, `rewinds_3`, `elapsed`, `correction`, `wire_3` | rewind, restart or none; ticks and bytes since the last visit | 20, 20, 13 bits |
//! | 3 | `rate_3`, `cap_3`, `window_3` | the least of law and limits; of the level only the rate | |
//! | 4 | `behind`, `lead` | against `una` and the READ last sent | 24 bits |
//! | 4 - 6 | `product` | rate x ticks | UQ27.16 |
//! | 5 | `nxt_5`, `base` | next PSN; credit with correction | SQ20.16 |
//! | 5, 6 | `follows_read`, `most` | is a READ asked for just before the next PSN; packets that are granted at most | 4 bits |
//! | 5, 6 | `cap_5`, `window_6` | credit cap and window under the level too | 20, 16 bits |
//! | 5 | `share_5` | random part of a packet's payload | 13 bits |
//! | 6 | `in_flight`, `left`, `repeat` | packets | 24 bits |
//! | 7 | `open`, `left_7`, `sum` | saturated at 15, at `most`; credit earned | 4 bits, 45 bits |
//! | 7 | `paused_7` | is the flow's priority paused | |
//! | 8 | `room`, `balance[0]` | smaller of both; capped | 4 bits, SQ20.16 |
//! | 9 - 12 | `balance[1..5]`, `count` | 8, 4, 2, 1 packets where room and credit allow | |
//! | 13 | outputs | the flow's new state and the grant | |
//!
//! Bit for bit [`hpcc_models::sched::visit_at`] of what [`hpcc_models::sched::Pacing::limited`] leaves.

use crate::prim::delay::Delay;
use crate::prim::mul::MulPipe;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::words::requester::PsnDistance;
use crate::words::sched::{FlowShared, Grant, GroupLevel, PacingState, RepeatCount, VisitFlow};
use crate::words::visit::{CorrectionSign, Credit, LongerCredit, LongerCreditSign, RoundedWindow, WindowRoom};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Visits. The flow's words are inputs two clocks after its visit began, its new state leaves eleven clocks later.
#[block]
pub struct Visit {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 2: sender state.
    pub sender: Signal<In, FlowShared>,
    /// Clock 2: bytes that its packets used less than full ones, all together.
    pub adjust: Signal<In, U<20>>,
    /// Clock 2: pacing.
    pub pacing: Signal<In, PacingState>,
    /// Clock 2: cap of the flow.
    pub cap: Signal<In, PacingState>,
    /// Clock 2: level of its group.
    pub level: Signal<In, GroupLevel>,
    /// Register: flows that become active start after a random part of the time of a packet's payload.
    pub dither: Signal<In, Bit>,
    /// Random number.
    pub random: Signal<In, U<16>>,
    /// Clock 3: rate under law and limits.
    pub rate: Signal<Out, U<34>>,
    /// Clock 2: visit state.
    pub state: Signal<In, VisitFlow>,
    /// Clock 2: tick now.
    pub tick: Signal<In, U<20>>,
    /// Clock 5: other flows wait for their visits.
    pub crowded: Signal<In, Bit>,
    /// Paused priorities.
    pub pause: Signal<In, U<8>>,
    /// Register: wire bytes of a packet beside its payload.
    pub overhead: Signal<In, U<10>>,
    /// Clock 12: a visit ends; without one, the state afterwards is zero.
    pub ends: Signal<In, Bit>,
    /// Clock 13: visit state afterwards.
    pub state_after: Signal<Out, VisitFlow>,
    /// Clock 13: grant with priority, without flow and tag; count 0 is none.
    pub grant: Signal<Out, Grant>,
    /// Clock 13: the flow leaves the ring.
    pub idle: Signal<Out, Bit>,
    #[signals(Bit: fresh, restarted, work, stopped, within_read, near)]
    #[registers(Bit:
        /// Clock 3: the visit state belongs to an earlier generation of the flow, so that nothing of it counts.
        fresh_3,
        /// Clock 3: the sender state was restarted or created since the last visit, so that sending begins at `una`.
        restarted_3,
        /// Clock 4: as `restarted_3`.
        restarted_4,
        /// Clock 3: a go-back-N rewind has been asked for since the last visit.
        rewinds_3,
        /// Clock 6: as `fresh_3`.
        fresh_6,
        /// Clock 3: the flow had nothing to send, or rate 0, when it was visited last.
        rest_3,
        /// Clock 4: the flow's rate is 0.
        halted_4,
        /// Clock 7: as `halted_4`.
        halted_7,
        /// Clock 7: the flow has nothing to send, or its rate is 0.
        resting_7,
        /// Clock 7: the peer has paused the flow's priority (PFC).
        paused_7)]
    #[registers(Bit:
        /// Clock 8: the flow has work and an open window, but rate 0.
        stopped_8,
        /// Clock 7: the next PSN lies beyond all that was sent, so that nothing is a repetition.
        passed_7,
        /// Clock 7: sixteen packets or more from the next PSN on were sent before.
        far_7,
        /// Clock 8: the flow is gone, its window is full or its work is done: it leaves the ring.
        idle_8,
        /// Clock 13: the flow leaves the ring.
        idle_13,
        /// Clock 5: the next PSN lies inside the READ that was asked for last or at most 15 behind it, which likely begins another READ.
        follows_read)]
    // the flow has something to send, unless `left` is negative
    #[registers(Bit:
        /// Clock 6: work is left between the next PSN and the end, unless `left` is negative.
        some_left)]
    #[registers(U<24>:
        /// Clock 3: next PSN of the last visit.
        nxt_3,
        /// Clock 3: one past the highest PSN that the last visit knew as sent.
        max_3,
        /// Clock 4: distance of the wanted PSN from the first PSN of the READ that was asked for last.
        from_start,
        /// Clock 4: PSNs of that READ's responses.
        span,
        /// Clock 4: PSN to go on with: `una` after a rewind or restart, the next PSN of the last visit otherwise.
        wanted_4,
        /// Oldest PSN that is not acknowledged, in the clock of the name.
        una_4, una_5,
        /// Clock 4: one past the last PSN of the READ that was asked for last.
        to_4,
        /// Clock 4: one past the highest PSN that was sent, before what a restart makes of it.
        max_4,
        /// Clock 4: distance of `max_4` from `una`.
        lead,
        /// Clock 5: one past the highest PSN that was sent; after a restart to a place far from it, the PSN to go on with.
        max_5,
        /// Clock 5: next PSN to send: behind the READ if the wanted one lies within it, and never before `una`.
        nxt_5,
        /// Clock 6: packets between `una` and the next PSN.
        in_flight)]
    #[registers(U<20>:
        /// Clock 3: ticks since the last visit, modulo 2^20.
        elapsed,
        /// Clock 3: bytes to give back to the credit, two's complement: the running total of refunds less the part taken in already.
        correction,
        /// Clock 3: the smaller credit cap of law and limit, bytes.
        cap_3,
        /// Clock 4: as `cap_3`.
        cap_4,
        /// Clock 5: credit cap, bytes, also within what the group's level earns in a visit interval and one packet.
        cap_5,
        /// Clock 6: as `cap_5`.
        cap_6,
        /// Clock 7: credit cap, bytes; for a flow that becomes active with dither, a packet less a random part of it.
        cap_7,
        /// Clock 3: bytes that the group's level earns in one visit interval.
        level_earned_3)]
    #[registers(U<37>:
        /// Clock 3: credit at the last visit, SQ20.16 bytes.
        credit_3,
        /// Clock 4: credit with the refunded bytes, SQ20.16.
        corrected_4,
        /// Credit with the refunded bytes, SQ20.16, in the clock of the name.
        base_5, base_6)]
    #[registers(U<13>:
        /// Clock 3: bytes of a full packet on the wire: payload of the MTU and `overhead`.
        wire_3,
        /// Bytes of a full packet on the wire, in the clock of the name.
        wire_4, wire_7,
        /// Clock 5: random part of a full packet's payload, bytes.
        share_5,
        /// Clock 6: as `share_5`.
        share_6)]
    #[registers(PsnDistance:
        /// Clock 4: distance of the wanted PSN from `una`; negative if an acknowledgement has passed it.
        behind,
        /// Clock 6: packets from the next PSN to the end of the work; negative if the next PSN lies beyond it.
        left,
        /// Clock 6: packets from the next PSN on that were sent before; negative if none was.
        repeat)]
    #[registers(U<16>:
        /// Clock 3: the smaller window of law and limit, packets.
        window_3,
        /// Clock 6: window under the group's level too, packets.
        window_6,
        /// Clock 5: window of the group's level, packets of the flow's MTU.
        level_packets)]
    #[signals(Credit: added, base_credit)]
    #[registers(U<4>:
        /// Clock 6: packets that one visit may grant, so that a round over all flows stays shorter than a peer waits for a response.
        most,
        /// Clock 7: packets that the window still admits, saturated at 15.
        open,
        /// Clock 7: packets of work that is left, at most `most`.
        left_7,
        /// Clock 7: packets from the next PSN on that were sent before, saturated at 15.
        repeats_7,
        /// Clock 8: as `open`.
        open_8)]
    #[signals(U<24>: after_read)]
    #[signals(U<24>: end_psn, max_new, wanted, max_before)]
    product: MulPipe<34, 17, 43, 8>,
    fresh_5: Delay<Bit, 2>,
    end_5: Delay<U<24>, 2>,
    wire_6: Delay<U<13>, 2>,
    window_5: Delay<U<16>, 2>,
    spare_bits: Signal<Local, U<4>>,
    share: Signal<Local, U<16>>,
    /// Clock 4: random number of the dither; a register of its own, because one generator serves all engines.
    random_4: DFF<U<16>>,
    rest_6: Delay<Bit, 3>,
    halted_6: Delay<Bit, 2>,
    resting_12: Delay<Bit, 5>,
    stopped_12: Delay<Bit, 4>,
    alive_7: Delay<Bit, 4>,
    priority_6: Delay<U<3>, 3>,
    priority_12: Delay<U<3>, 6>,
    idle_12: Delay<Bit, 4>,
    open_12: Delay<U<4>, 4>,
    /// Clocks 8 to 11: packets that work and window still admit, after the grants of 8, 4 and 2 packets before.
    room: [DFF<U<4>>; 4],
    /// Clocks 8 to 12: credit, SQ20.16 bytes, saturated at the cap and then less the packets granted so far.
    balance: [DFF<U<37>>; 5],
    /// Clocks 8 to 12: packets granted so far.
    count: [DFF<U<4>>; 5],
    /// Clocks 8 to 11: bytes of a full packet on the wire.
    bytes: [DFF<U<13>>; 4],
    diff: [Signal<Local, U<37>>; 4],
    diff_sign: [Signal<Local, Credit>; 4],
    balance_sign: [Signal<Local, Credit>; 4],
    repeats_12: Delay<RepeatCount, 5>,
    nxt_12: Delay<U<24>, 7>,
    max_12: Delay<U<24>, 7>,
    rewound_12: Delay<Bit, 9>,
    generation_12: Delay<U<8>, 9>,
    rewinds_12: Delay<U<4>, 9>,
    restarts_12: Delay<U<4>, 9>,
    seen_12: Delay<U<4>, 10>,
    windowless_6: Delay<Bit, 3>,
    windowless_12: Delay<Bit, 6>,
    adjust_12: Delay<U<20>, 10>,
    tick_12: Delay<U<20>, 10>,
    parked_12: Delay<Bit, 10>,
    /// Clock 3: sender state of the flow.
    sender_3: DFF<FlowShared>,
    /// Clock 3: least rate of law, limit and group level, UQ7.27 bytes per ns.
    rate_3: DFF<U<34>>,
    ticks: Signal<Local, U<17>>,
    own_rate: Signal<Local, U<34>>,
    /// Clock 3: window of the group's level, bytes.
    level_window_3: DFF<U<23>>,
    /// Clock 4: bytes that the group's level earns in one visit interval, and one packet.
    level_cap: DFF<U<21>>,
    /// Clock 4: window of the group's level, rounded up to whole packets of the flow's MTU.
    level_round: DFF<RoundedWindow>,
    level_less_one: Signal<Local, U<12>>,
    #[registers(U<3>:
        /// MTU code of the flow in the clock of the name: the payload of a full packet is 256 << mtu bytes.
        mtu_4, mtu_5)]
    headroom: Signal<Local, WindowRoom>,
    correction_sign: Signal<Local, CorrectionSign>,
    longer_base: Signal<Local, LongerCredit>,
    earned: Signal<Local, LongerCreditSign>,
    /// Clock 7: credit with what the elapsed time has earned, SQ28.16 bytes; a packet's bytes for a flow that is new.
    sum: DFF<U<45>>,
    seen_new: Signal<Local, U<4>>,
    /// Clock 13: visit state to be stored; zero if no visit ends.
    state_13: DFF<VisitFlow>,
    /// Clock 13: grant, count 0 if there is none.
    grant_13: DFF<Grant>,
}

#[kernel]
impl Logic for Visit {
    fn update(&mut self) {
        // 2: is the state of this generation, is a rewind pending
        fresh = state.generation != sender.generation;
        restarted = fresh | (state.restarts != sender.restarts);
        assign! {
            sender_3.d = sender, fresh_3.d = fresh, restarted_3.d = restarted
        }
        rewinds_3 = state.seen != sender.rewinds;
        seen_12 = state.seen;
        assign!(nxt_3.d = state.nxt, max_3.d = state.max);
        elapsed = tick - state.last;
        correction = adjust - state.adjust_seen;
        credit_3 = state.credit;
        // the least of law, cap and level
        own_rate = if cap.rate < pacing.rate { cap.rate } else { pacing.rate };
        rate_3 = if (level.rate < pacing.rate) & (level.rate < cap.rate) { level.rate } else { own_rate };
        cap_3 = if cap.cap < pacing.cap { cap.cap } else { pacing.cap };
        window_3 = if cap.window < pacing.window { cap.window } else { pacing.window };
        assign! {
            level_earned_3.d = level.earned, level_window_3.d = level.window, rest_3.d = state.rest
        }
        wire_3 = bits_u::<13>(4096) + bit_cast_u::<13, 10>(overhead);
        if sender.mtu == 0 {
            wire_3 = bits_u::<13>(256) + bit_cast_u::<13, 10>(overhead);
        }
        if sender.mtu == 1 {
            wire_3 = bits_u::<13>(512) + bit_cast_u::<13, 10>(overhead);
        }
        if sender.mtu == 2 {
            wire_3 = bits_u::<13>(1024) + bit_cast_u::<13, 10>(overhead);
        }
        if sender.mtu == 3 {
            wire_3 = bits_u::<13>(2048) + bit_cast_u::<13, 10>(overhead);
        }
        tick_12 = tick;
        adjust_12 = adjust;
        parked_12 = state.parked;

        // 3: chosen here, as what is known at 2 comes from block RAM
        wanted = if restarted_3 | rewinds_3 { sender_3.una } else { nxt_3 };
        max_before = if fresh_3 { sender_3.una } else { max_3 };
        behind = bit_cast_word::<PsnDistance, U<24>>(wanted - sender_3.una);
        from_start = wanted - sender_3.from;
        span = sender_3.to - sender_3.from;
        wanted_4 = wanted;
        una_4 = sender_3.una;
        end_5 = sender_3.end_psn;
        to_4 = sender_3.to;
        max_4 = max_before;
        lead = max_before - sender_3.una;
        restarted_4 = restarted_3;
        windowless_6 = sender_3.windowless;
        ticks = if elapsed > 0x1_ffff { bits_u::<17>(0x1ffff) } else { bit_cast_u::<17, 20>(elapsed) };
        rate = rate_3;
        halted_4 = rate_3 == 0;
        cap_4 = cap_3;
        level_cap = bit_cast_u::<21, 20>(level_earned_3) + bit_cast_u::<21, 13>(wire_3);
        window_5 = window_3;
        mtu_4 = sender_3.mtu;
        level_less_one = if sender_3.mtu == 0 { bits_u::<12>(255) } else { bits_u::<12>(4095) };
        if sender_3.mtu == 1 {
            level_less_one = bits_u::<12>(511);
        }
        if sender_3.mtu == 2 {
            level_less_one = bits_u::<12>(1023);
        }
        if sender_3.mtu == 3 {
            level_less_one = bits_u::<12>(2047);
        }
        level_round = bit_cast_word::<RoundedWindow, U<24>>(
            bit_cast_u::<24, 23>(level_window_3) + bit_cast_u::<24, 12>(level_less_one),
        );
        // a register of its own: one generator serves all engines
        random_4 = random;
        rest_6 = rest_3;
        inputs!(product: a = rate_3, b = ticks);
        correction_sign = bit_cast_word::<CorrectionSign, U<20>>(correction);
        added.fraction = bits_u::<16>(0);
        fields!(added: bytes = correction, negative = correction_sign.negative);
        corrected_4 = credit_3 + bit_cast_number::<37, Credit>(added);
        fresh_5 = fresh_3;
        wire_4 = wire_3;
        alive_7 = sender_3.alive;
        priority_6 = sender_3.pause_class;
        rewound_12 = rewinds_3 & !restarted_3;
        generation_12 = sender_3.generation;
        rewinds_12 = sender_3.rewinds;
        restarts_12 = sender_3.restarts;

        // 4: acknowledged past a rewind; inside a READ that was asked for
        within_read = from_start.any() & (from_start < span);
        nxt_5 = if within_read { to_4 } else { wanted_4 };
        if behind.negative {
            nxt_5 = una_4;
        }
        una_5 = una_4;
        // what follows a READ of several packets is likely another one, of which only the first PSN becomes a packet
        after_read = from_start - span;
        near = after_read < 16;
        follows_read = (span > 1) & !behind.negative & (within_read | near);
        mtu_5 = mtu_4;
        // what was sent before a restart stays in flight if the restart goes back, and is nothing to it otherwise
        max_5 = if restarted_4 & (lead > 0x40_0000) { wanted_4 } else { max_4 };
        base_5 = corrected_4;
        wire_6 = wire_4;
        cap_5 = if level_cap < bit_cast_u::<21, 20>(cap_4) { bit_cast_u::<20, 21>(level_cap) } else { cap_4 };
        level_packets = level_round.whole >> mtu_4;
        halted_6 = halted_4;
        // of the payload of a full packet, so that no multiplier is needed
        spare_bits = bits_u::<4>(4);
        if mtu_4 == 0 {
            spare_bits = bits_u::<4>(8);
        }
        if mtu_4 == 1 {
            spare_bits = bits_u::<4>(7);
        }
        if mtu_4 == 2 {
            spare_bits = bits_u::<4>(6);
        }
        if mtu_4 == 3 {
            spare_bits = bits_u::<4>(5);
        }
        share = random_4 >> spare_bits;
        share_5 = bit_cast_u::<13, 16>(share);

        // 5
        in_flight = nxt_5 - una_5;
        left = bit_cast_word::<PsnDistance, U<24>>(end_5 - nxt_5);
        some_left = end_5 != nxt_5;
        repeat = bit_cast_word::<PsnDistance, U<24>>(max_5 - nxt_5);
        base_6 = base_5;
        window_6 = if level_packets < window_5 { level_packets } else { window_5 };
        cap_6 = cap_5;
        assign!(share_6.d = share_5, fresh_6.d = fresh_5.q);
        nxt_12 = nxt_5;
        max_12 = max_5;

        // a round over all flows must be shorter than a peer waits for a response
        most = if follows_read { bits_u::<4>(4) } else { bits_u::<4>(15) };
        if !follows_read & (mtu_5 == 1) {
            most = bits_u::<4>(8);
        }
        if mtu_5 == 2 {
            most = bits_u::<4>(4);
        }
        if mtu_5 == 3 {
            most = bits_u::<4>(2);
        }
        if follows_read & crowded {
            most = bits_u::<4>(1);
        }
        if mtu_5 > 3 {
            most = bits_u::<4>(1);
        }

        // 6: saturate; credit earned
        headroom = bit_cast_word::<WindowRoom, U<25>>(bit_cast_u::<25, 16>(window_6) - bit_cast_u::<25, 24>(in_flight));
        // a window has sixteen bits: what is not negative has no more either
        open = bit_cast_u::<4, 24>(headroom.packets);
        if bit_cast_u::<16, 24>(headroom.packets) > 15 {
            open = bits_u::<4>(15);
        }
        if headroom.negative {
            open = bits_u::<4>(0);
        }
        if windowless_6 {
            open = bits_u::<4>(15);
        }
        windowless_12 = windowless_6;
        priority_12 = priority_6;
        left_7 = if left.magnitude > bit_cast_u::<23, 4>(most) { most } else { bit_cast_u::<4, 23>(left.magnitude) };
        if left.negative {
            left_7 = bits_u::<4>(0);
        }
        passed_7 = repeat.negative;
        far_7 = repeat.magnitude > 15;
        repeats_7 = if repeat.magnitude > 15 { bits_u::<4>(15) } else { bit_cast_u::<4, 23>(repeat.magnitude) };
        if repeat.negative {
            repeats_7 = bits_u::<4>(0);
        }
        base_credit = bit_cast_word::<Credit, U<37>>(base_6);
        longer_base.credit = base_6;
        longer_base.sign = if base_credit.negative { bits_u::<8>(0xff) } else { bits_u::<8>(0) };
        sum = bit_cast_u::<45, 43>(product.p) + bit_cast_number::<45, LongerCredit>(longer_base);
        work = some_left & !left.negative;
        resting_7 = !work | halted_6;
        halted_7 = halted_6;
        // the register of paused priorities lies far from most engines
        paused_7 = pause.get_bit(priority_6.index());
        // who becomes active waits a random part of a packet time, whatever it had saved
        cap_7 = cap_6;
        if dither & (fresh_6 | rest_6) & work & !halted_6 {
            cap_7 = bit_cast_u::<20, 13>(wire_6 - share_6);
        }
        if fresh_6 {
            sum = bit_cast_u::<45, 13>(wire_6) << 16;
        }

        // 7
        stopped = !alive_7 | (open == 0) | (left_7 == 0);
        assign!(idle_8.d = stopped, open_8.d = open);
        resting_12 = resting_7;
        stopped_8 = halted_7 & !stopped;
        stopped_12 = stopped_8;
        room[0] = if open < left_7 { open } else { left_7 };
        if stopped | halted_7 | paused_7 {
            room[0] = bits_u::<4>(0);
        }
        wire_7 = wire_6;
        earned = bit_cast_word::<LongerCreditSign, U<45>>(sum);
        balance[0] = bit_cast_u::<37, 45>(sum);
        // with as many whole bytes as the cap it is the cap, whatever the fraction
        if !earned.negative & (bit_cast_u::<29, 45>(sum >> 16) >= bit_cast_u::<29, 20>(cap_7)) {
            balance[0] = bit_cast_u::<37, 20>(cap_7) << 16;
        }
        count[0] = bits_u::<4>(0);
        bytes[0] = wire_7;
        repeats_12 = bits_zero::<RepeatCount>(0);
        repeats_12.passed = passed_7;
        repeats_12.many = far_7;
        repeats_12.count = repeats_7;
        idle_12 = idle_8;
        open_12 = open_8;

        // 8 to 11: eight, four, two, one
        diff[0] = balance[0] - (bit_cast_u::<37, 13>(bytes[0]) << 19);
        diff[1] = balance[1] - (bit_cast_u::<37, 13>(bytes[1]) << 18);
        diff[2] = balance[2] - (bit_cast_u::<37, 13>(bytes[2]) << 17);
        diff[3] = balance[3] - (bit_cast_u::<37, 13>(bytes[3]) << 16);
        diff_sign[0] = bit_cast_word::<Credit, U<37>>(diff[0]);
        balance_sign[0] = bit_cast_word::<Credit, U<37>>(balance[0]);
        diff_sign[1] = bit_cast_word::<Credit, U<37>>(diff[1]);
        balance_sign[1] = bit_cast_word::<Credit, U<37>>(balance[1]);
        diff_sign[2] = bit_cast_word::<Credit, U<37>>(diff[2]);
        balance_sign[2] = bit_cast_word::<Credit, U<37>>(balance[2]);
        diff_sign[3] = bit_cast_word::<Credit, U<37>>(diff[3]);
        balance_sign[3] = bit_cast_word::<Credit, U<37>>(balance[3]);
        for i in 0..4 {
            balance[i + 1] = balance[i];
            count[i + 1] = count[i];
        }
        for i in 0..3 {
            room[i + 1] = room[i];
            bytes[i + 1] = bytes[i];
        }
        if (room[0] >= 8) & !diff_sign[0].negative & !balance_sign[0].negative {
            balance[1] = diff[0];
            count[1] = count[0] + 8;
            room[1] = room[0] - 8;
        }
        if (room[1] >= 4) & !diff_sign[1].negative & !balance_sign[1].negative {
            balance[2] = diff[1];
            count[2] = count[1] + 4;
            room[2] = room[1] - 4;
        }
        if (room[2] >= 2) & !diff_sign[2].negative & !balance_sign[2].negative {
            balance[3] = diff[2];
            count[3] = count[2] + 2;
            room[3] = room[2] - 2;
        }
        if (room[3] >= 1) & !diff_sign[3].negative & !balance_sign[3].negative {
            balance[4] = diff[3];
            count[4] = count[3] + 1;
        }

        // 12: new state
        end_psn = nxt_12 + bit_cast_u::<24, 4>(count[4]);
        max_new = max_12;
        if repeats_12.passed | (!repeats_12.many & (count[4] > repeats_12.count)) {
            max_new = end_psn;
        }
        // a rewind without a packet is still to come
        seen_new = if rewound_12 & (count[4] == 0) { seen_12 } else { rewinds_12 };
        state_13 = bits_zero::<VisitFlow>(0);
        fields!(state_13.d:
            nxt = end_psn, max = max_new, seen = seen_new, generation = generation_12.q, restarts = restarts_12.q);
        state_13.parked = parked_12 ^ idle_12;
        fields!(state_13.d: last = tick_12.q, adjust_seen = adjust_12.q);
        state_13.credit = balance[4];
        fields!(state_13.d: stopped = stopped_12.q, rest = resting_12.q);
        if !ends {
            state_13 = bits_zero::<VisitFlow>(0);
        }
        grant_13 = bits_zero::<Grant>(0);
        grant_13.psn = nxt_12;
        grant_13.count = count[4];
        grant_13.repeats = repeats_12.count;
        grant_13.rewound = rewound_12;
        grant_13.fills = (count[4] == open_12) & !windowless_12;
        fields!(grant_13.d: generation = generation_12.q, pause_class = priority_12.q);
        assign! {
            idle_13.d = idle_12.q, state_after = state_13, grant = grant_13, idle = idle_13
        }
    }
}
