//! A visit: sequence numbers, then credit, then at most fifteen packets. One visit a clock.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 2 | inputs | the three words of the flow show | |
//! | 3 | `wanted`, `elapsed`, `correction`, `wire_3` | rewind, restart or none; ticks and bytes since the last visit | 24, 20, 20, 13 bits |
//! | 3 | `rate_3`, `cap_3`, `window_3` | the least of law and limits; of the level only the rate | |
//! | 4 | `behind`, `inside`, `lead` | against `una` and the READ last sent | 24 bits |
//! | 4 - 6 | `product` | rate x ticks | UQ27.16 |
//! | 5 | `nxt_5`, `base` | next PSN; credit with correction | SQ20.16 |
//! | 5, 6 | `cap_5`, `window_6` | credit cap and window under the level too | 20, 16 bits |
//! | 5 | `share` | random part of a packet | 13 bits |
//! | 6 | `in_flight`, `left`, `repeat` | packets | 24 bits |
//! | 7 | `open`, `left_7`, `sum` | saturated at 15; credit earned | 4 bits, 45 bits |
//! | 8 | `room`, `balance[0]` | smaller of both; capped | 4 bits, SQ20.16 |
//! | 9 - 12 | `balance[1..5]`, `count` | 8, 4, 2, 1 packets where room and credit allow | |
//! | 13 | outputs | the flow's new state and the grant | |
//!
//! Bit for bit [`hpcc_models::sched::visit_dithered`] of what [`hpcc_models::sched::Pacing::limited`] leaves.

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
    /// Clock 2: pacing.
    pub pacing: Signal<In, PacingState>,
    /// Clock 2: cap of the flow.
    pub cap: Signal<In, PacingState>,
    /// Clock 2: level of its group.
    pub level: Signal<In, GroupLevel>,
    /// Register: flows that become active start after a random part of a packet time.
    pub dither: Signal<In, Bit>,
    /// Random number.
    pub random: Signal<In, U<16>>,
    /// Clock 3: rate under law and limits.
    pub rate: Signal<Out, U<34>>,
    /// Clock 2: visit state.
    pub state: Signal<In, VisitFlow>,
    /// Clock 2: tick now.
    pub tick: Signal<In, U<20>>,
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
    fresh: Signal<Local, Bit>,
    restarted: Signal<Local, Bit>,
    rewound: Signal<Local, Bit>,
    sender_3: DFF<FlowShared>,
    fresh_3: DFF<Bit>,
    restarted_3: DFF<Bit>,
    restarted_4: DFF<Bit>,
    rewound_3: DFF<Bit>,
    wanted: DFF<U<24>>,
    max_3: DFF<U<24>>,
    elapsed: DFF<U<20>>,
    correction: DFF<U<20>>,
    credit_3: DFF<U<37>>,
    rate_3: DFF<U<34>>,
    wire_3: DFF<U<13>>,
    ticks: Signal<Local, U<17>>,
    product: MulPipe<34, 17, 43, 8>,
    fresh_5: Delay<Bit, 2>,
    fresh_6: DFF<Bit>,
    behind: DFF<PsnDistance>,
    from_start: DFF<U<24>>,
    span: DFF<U<24>>,
    wanted_4: DFF<U<24>>,
    una_5: Delay<U<24>, 2>,
    end_5: Delay<U<24>, 2>,
    to_4: DFF<U<24>>,
    max_4: DFF<U<24>>,
    lead: DFF<U<24>>,
    max_5: DFF<U<24>>,
    nxt_5: DFF<U<24>>,
    corrected_4: DFF<U<37>>,
    wire_4: DFF<U<13>>,
    wire_6: Delay<U<13>, 2>,
    wire_7: DFF<U<13>>,
    base_5: DFF<U<37>>,
    base_6: DFF<U<37>>,
    in_flight: DFF<U<24>>,
    left: DFF<PsnDistance>,
    repeat: DFF<PsnDistance>,
    window_3: DFF<U<16>>,
    window_5: Delay<U<16>, 2>,
    window_6: DFF<U<16>>,
    cap_3: DFF<U<20>>,
    cap_4: DFF<U<20>>,
    cap_5: DFF<U<20>>,
    cap_6: DFF<U<20>>,
    cap_7: DFF<U<20>>,
    own_rate: Signal<Local, U<34>>,
    level_earned_3: DFF<U<20>>,
    level_window_3: DFF<U<23>>,
    level_cap: DFF<U<21>>,
    level_round: DFF<RoundedWindow>,
    level_less_one: Signal<Local, U<12>>,
    level_packets: DFF<U<16>>,
    mtu_4: DFF<U<3>>,
    share: MulPipe<16, 13, 13, 16>,
    share_6: DFF<U<13>>,
    rest_3: DFF<Bit>,
    rest_6: Delay<Bit, 3>,
    halted_4: DFF<Bit>,
    halted_6: Delay<Bit, 2>,
    halted_7: DFF<Bit>,
    work: Signal<Local, Bit>,
    resting_7: DFF<Bit>,
    resting_12: Delay<Bit, 5>,
    stopped_8: DFF<Bit>,
    stopped_12: Delay<Bit, 4>,
    headroom: Signal<Local, WindowRoom>,
    correction_sign: Signal<Local, CorrectionSign>,
    added: Signal<Local, Credit>,
    base_credit: Signal<Local, Credit>,
    longer_base: Signal<Local, LongerCredit>,
    earned: Signal<Local, LongerCreditSign>,
    open: DFF<U<4>>,
    left_7: DFF<U<4>>,
    repeats_7: DFF<U<4>>,
    passed_7: DFF<Bit>,
    far_7: DFF<Bit>,
    sum: DFF<U<45>>,
    alive_7: Delay<Bit, 4>,
    priority_7: Delay<U<3>, 4>,
    priority_12: Delay<U<3>, 5>,
    stopped: Signal<Local, Bit>,
    idle_8: DFF<Bit>,
    idle_12: Delay<Bit, 4>,
    open_8: DFF<U<4>>,
    open_12: Delay<U<4>, 4>,
    room: [DFF<U<4>>; 4],
    balance: [DFF<U<37>>; 5],
    count: [DFF<U<4>>; 5],
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
    seen_new: Signal<Local, U<4>>,
    windowless_6: Delay<Bit, 3>,
    windowless_12: Delay<Bit, 6>,
    adjust_12: Delay<U<20>, 9>,
    tick_12: Delay<U<20>, 10>,
    parked_12: Delay<Bit, 10>,
    end_psn: Signal<Local, U<24>>,
    max_new: Signal<Local, U<24>>,
    state_13: DFF<VisitFlow>,
    grant_13: DFF<Grant>,
    idle_13: DFF<Bit>,
}

#[kernel]
impl Logic for Visit {
    fn update(&mut self) {
        // 2: is the state of this generation, is a rewind pending
        self.fresh.next = self.state.val().generation != self.sender.val().generation;
        self.restarted.next = self.fresh.val() | (self.state.val().restarts != self.sender.val().restarts);
        self.rewound.next = !self.restarted.val() & (self.state.val().seen != self.sender.val().rewinds);
        assign! {
            sender_3.d = sender, fresh_3.d = fresh, restarted_3.d = restarted, rewound_3.d = rewound
        }
        self.seen_12.d.next = self.state.val().seen;
        self.wanted.d.next = self.state.val().nxt;
        if self.restarted.val() | self.rewound.val() {
            self.wanted.d.next = self.sender.val().una;
        }
        self.max_3.d.next = self.state.val().max;
        if self.fresh.val() {
            self.max_3.d.next = self.sender.val().una;
        }
        self.elapsed.d.next = self.tick.val() - self.state.val().last;
        self.correction.d.next = self.sender.val().adjust - self.state.val().adjust_seen;
        self.credit_3.d.next = self.state.val().credit;
        // the least of law, cap and level
        self.own_rate.next = self.pacing.val().rate;
        if self.cap.val().rate < self.pacing.val().rate {
            self.own_rate.next = self.cap.val().rate;
        }
        self.rate_3.d.next = self.own_rate.val();
        if (self.level.val().rate < self.pacing.val().rate) & (self.level.val().rate < self.cap.val().rate) {
            self.rate_3.d.next = self.level.val().rate;
        }
        self.cap_3.d.next = self.pacing.val().cap;
        if self.cap.val().cap < self.pacing.val().cap {
            self.cap_3.d.next = self.cap.val().cap;
        }
        self.window_3.d.next = self.pacing.val().window;
        if self.cap.val().window < self.pacing.val().window {
            self.window_3.d.next = self.cap.val().window;
        }
        assign! {
            level_earned_3.d = level.earned, level_window_3.d = level.window, rest_3.d = state.rest
        }
        self.wire_3.d.next = bits_u::<13>(4096) + bit_cast_u::<13, 10>(self.overhead.val());
        if self.sender.val().mtu == 0 {
            self.wire_3.d.next = bits_u::<13>(256) + bit_cast_u::<13, 10>(self.overhead.val());
        }
        if self.sender.val().mtu == 1 {
            self.wire_3.d.next = bits_u::<13>(512) + bit_cast_u::<13, 10>(self.overhead.val());
        }
        if self.sender.val().mtu == 2 {
            self.wire_3.d.next = bits_u::<13>(1024) + bit_cast_u::<13, 10>(self.overhead.val());
        }
        if self.sender.val().mtu == 3 {
            self.wire_3.d.next = bits_u::<13>(2048) + bit_cast_u::<13, 10>(self.overhead.val());
        }
        self.tick_12.d.next = self.tick.val();
        self.parked_12.d.next = self.state.val().parked;

        // 3
        self.behind.d.next = bit_cast_word::<PsnDistance, U<24>>(self.wanted.q.val() - self.sender_3.q.val().una);
        self.from_start.d.next = self.wanted.q.val() - self.sender_3.q.val().from;
        self.span.d.next = self.sender_3.q.val().to - self.sender_3.q.val().from;
        self.wanted_4.d.next = self.wanted.q.val();
        self.una_5.d.next = self.sender_3.q.val().una;
        self.end_5.d.next = self.sender_3.q.val().end_psn;
        self.to_4.d.next = self.sender_3.q.val().to;
        self.max_4.d.next = self.max_3.q.val();
        self.lead.d.next = self.max_3.q.val() - self.sender_3.q.val().una;
        self.restarted_4.d.next = self.restarted_3.q.val();
        self.windowless_6.d.next = self.sender_3.q.val().windowless;
        self.ticks.next = bit_cast_u::<17, 20>(self.elapsed.q.val());
        if self.elapsed.q.val() > 0x1_ffff {
            self.ticks.next = bits_u::<17>(0x1ffff);
        }
        self.rate.next = self.rate_3.q.val();
        self.halted_4.d.next = self.rate_3.q.val() == 0;
        self.cap_4.d.next = self.cap_3.q.val();
        self.level_cap.d.next =
            bit_cast_u::<21, 20>(self.level_earned_3.q.val()) + bit_cast_u::<21, 13>(self.wire_3.q.val());
        self.window_5.d.next = self.window_3.q.val();
        self.mtu_4.d.next = self.sender_3.q.val().mtu;
        self.level_less_one.next = bits_u::<12>(4095);
        if self.sender_3.q.val().mtu == 0 {
            self.level_less_one.next = bits_u::<12>(255);
        }
        if self.sender_3.q.val().mtu == 1 {
            self.level_less_one.next = bits_u::<12>(511);
        }
        if self.sender_3.q.val().mtu == 2 {
            self.level_less_one.next = bits_u::<12>(1023);
        }
        if self.sender_3.q.val().mtu == 3 {
            self.level_less_one.next = bits_u::<12>(2047);
        }
        self.level_round.d.next = bit_cast_word::<RoundedWindow, U<24>>(
            bit_cast_u::<24, 23>(self.level_window_3.q.val()) + bit_cast_u::<24, 12>(self.level_less_one.val()),
        );
        inputs!(share: a = random, b = wire_3);
        self.rest_6.d.next = self.rest_3.q.val();
        inputs!(product: a = rate_3, b = ticks);
        self.correction_sign.next = bit_cast_word::<CorrectionSign, U<20>>(self.correction.q.val());
        self.added.next.fraction = bits_u::<16>(0);
        fields!(added: bytes = correction, negative = correction_sign.negative);
        self.corrected_4.d.next = self.credit_3.q.val() + bit_cast_number::<37, Credit>(self.added.val());
        self.fresh_5.d.next = self.fresh_3.q.val();
        self.wire_4.d.next = self.wire_3.q.val();
        self.alive_7.d.next = self.sender_3.q.val().alive;
        self.priority_7.d.next = self.sender_3.q.val().pause_class;
        self.rewound_12.d.next = self.rewound_3.q.val();
        self.generation_12.d.next = self.sender_3.q.val().generation;
        self.rewinds_12.d.next = self.sender_3.q.val().rewinds;
        self.restarts_12.d.next = self.sender_3.q.val().restarts;
        self.adjust_12.d.next = self.sender_3.q.val().adjust;

        // 4: acknowledged past a rewind; inside a READ that was asked for
        self.nxt_5.d.next = self.wanted_4.q.val();
        if self.from_start.q.val().any() & (self.from_start.q.val() < self.span.q.val()) {
            self.nxt_5.d.next = self.to_4.q.val();
        }
        if self.behind.q.val().negative {
            self.nxt_5.d.next = self.wanted_4.q.val() - bit_cast_number::<24, PsnDistance>(self.behind.q.val());
        }
        // what was sent before a restart stays in flight if the restart goes back, and is nothing to it otherwise
        self.max_5.d.next = self.max_4.q.val();
        if self.restarted_4.q.val() & (self.lead.q.val() > 0x40_0000) {
            self.max_5.d.next = self.wanted_4.q.val();
        }
        self.base_5.d.next = self.corrected_4.q.val();
        self.wire_6.d.next = self.wire_4.q.val();
        self.cap_5.d.next = self.cap_4.q.val();
        if self.level_cap.q.val() < bit_cast_u::<21, 20>(self.cap_4.q.val()) {
            self.cap_5.d.next = bit_cast_u::<20, 21>(self.level_cap.q.val());
        }
        self.level_packets.d.next = self.level_round.q.val().units >> self.mtu_4.q.val();
        self.halted_6.d.next = self.halted_4.q.val();

        // 5
        self.in_flight.d.next = self.nxt_5.q.val() - self.una_5.q.val();
        self.left.d.next = bit_cast_word::<PsnDistance, U<24>>(self.end_5.q.val() - self.nxt_5.q.val());
        self.repeat.d.next = bit_cast_word::<PsnDistance, U<24>>(self.max_5.q.val() - self.nxt_5.q.val());
        self.base_6.d.next = self.base_5.q.val();
        self.window_6.d.next = self.window_5.q.val();
        if self.level_packets.q.val() < self.window_5.q.val() {
            self.window_6.d.next = self.level_packets.q.val();
        }
        self.cap_6.d.next = self.cap_5.q.val();
        assign!(share_6.d = share.p, fresh_6.d = fresh_5.q);
        self.nxt_12.d.next = self.nxt_5.q.val();
        self.max_12.d.next = self.max_5.q.val();

        // 6: saturate at fifteen; credit earned
        self.headroom.next = bit_cast_word::<WindowRoom, U<25>>(
            bit_cast_u::<25, 16>(self.window_6.q.val()) - bit_cast_u::<25, 24>(self.in_flight.q.val()),
        );
        self.open.d.next = bit_cast_u::<4, 24>(self.headroom.val().packets);
        if self.headroom.val().packets > 15 {
            self.open.d.next = bits_u::<4>(15);
        }
        if self.headroom.val().negative {
            self.open.d.next = bits_u::<4>(0);
        }
        if self.windowless_6.q.val() {
            self.open.d.next = bits_u::<4>(15);
        }
        self.windowless_12.d.next = self.windowless_6.q.val();
        self.left_7.d.next = bit_cast_u::<4, 23>(self.left.q.val().magnitude);
        if self.left.q.val().magnitude > 15 {
            self.left_7.d.next = bits_u::<4>(15);
        }
        if self.left.q.val().negative {
            self.left_7.d.next = bits_u::<4>(0);
        }
        self.passed_7.d.next = self.repeat.q.val().negative;
        self.far_7.d.next = self.repeat.q.val().magnitude > 15;
        self.repeats_7.d.next = bit_cast_u::<4, 23>(self.repeat.q.val().magnitude);
        if self.repeat.q.val().magnitude > 15 {
            self.repeats_7.d.next = bits_u::<4>(15);
        }
        if self.repeat.q.val().negative {
            self.repeats_7.d.next = bits_u::<4>(0);
        }
        self.base_credit.next = bit_cast_word::<Credit, U<37>>(self.base_6.q.val());
        self.longer_base.next.credit = self.base_6.q.val();
        self.longer_base.next.sign = bits_u::<8>(0);
        if self.base_credit.val().negative {
            self.longer_base.next.sign = bits_u::<8>(0xff);
        }
        self.sum.d.next =
            bit_cast_u::<45, 43>(self.product.p.val()) + bit_cast_number::<45, LongerCredit>(self.longer_base.val());
        self.work.next = self.left.q.val().magnitude.any() & !self.left.q.val().negative;
        self.resting_7.d.next = !self.work.val() | self.halted_6.q.val();
        self.halted_7.d.next = self.halted_6.q.val();
        // who becomes active waits a random part of a packet time, whatever it had saved
        self.cap_7.d.next = self.cap_6.q.val();
        if self.dither.val() & (self.fresh_6.q.val() | self.rest_6.q.val()) & self.work.val() & !self.halted_6.q.val() {
            self.cap_7.d.next = bit_cast_u::<20, 13>(self.wire_6.q.val() - self.share_6.q.val());
        }
        if self.fresh_6.q.val() {
            self.sum.d.next = bit_cast_u::<45, 13>(self.wire_6.q.val()) << 16;
        }

        // 7
        self.priority_12.d.next = self.priority_7.q.val();
        self.stopped.next = !self.alive_7.q.val() | (self.open.q.val() == 0) | (self.left_7.q.val() == 0);
        assign!(idle_8.d = stopped, open_8.d = open);
        self.resting_12.d.next = self.resting_7.q.val();
        self.stopped_8.d.next = self.halted_7.q.val() & !self.stopped.val();
        self.stopped_12.d.next = self.stopped_8.q.val();
        self.room[0].d.next = self.left_7.q.val();
        if self.open.q.val() < self.left_7.q.val() {
            self.room[0].d.next = self.open.q.val();
        }
        if self.stopped.val() | self.halted_7.q.val() | self.pause.val().get_bit(self.priority_7.q.val().index()) {
            self.room[0].d.next = bits_u::<4>(0);
        }
        self.wire_7.d.next = self.wire_6.q.val();
        self.earned.next = bit_cast_word::<LongerCreditSign, U<45>>(self.sum.q.val());
        self.balance[0].d.next = bit_cast_u::<37, 45>(self.sum.q.val());
        if !self.earned.val().negative & (self.sum.q.val() > (bit_cast_u::<45, 20>(self.cap_7.q.val()) << 16)) {
            self.balance[0].d.next = bit_cast_u::<37, 20>(self.cap_7.q.val()) << 16;
        }
        self.count[0].d.next = bits_u::<4>(0);
        self.bytes[0].d.next = self.wire_7.q.val();
        self.repeats_12.d.next = bits_zero::<RepeatCount>(0);
        self.repeats_12.d.next.passed = self.passed_7.q.val();
        self.repeats_12.d.next.many = self.far_7.q.val();
        self.repeats_12.d.next.count = self.repeats_7.q.val();
        self.idle_12.d.next = self.idle_8.q.val();
        self.open_12.d.next = self.open_8.q.val();

        // 8 to 11: eight, four, two, one
        self.diff[0].next = self.balance[0].q.val() - (bit_cast_u::<37, 13>(self.bytes[0].q.val()) << 19);
        self.diff[1].next = self.balance[1].q.val() - (bit_cast_u::<37, 13>(self.bytes[1].q.val()) << 18);
        self.diff[2].next = self.balance[2].q.val() - (bit_cast_u::<37, 13>(self.bytes[2].q.val()) << 17);
        self.diff[3].next = self.balance[3].q.val() - (bit_cast_u::<37, 13>(self.bytes[3].q.val()) << 16);
        self.diff_sign[0].next = bit_cast_word::<Credit, U<37>>(self.diff[0].val());
        self.balance_sign[0].next = bit_cast_word::<Credit, U<37>>(self.balance[0].q.val());
        self.diff_sign[1].next = bit_cast_word::<Credit, U<37>>(self.diff[1].val());
        self.balance_sign[1].next = bit_cast_word::<Credit, U<37>>(self.balance[1].q.val());
        self.diff_sign[2].next = bit_cast_word::<Credit, U<37>>(self.diff[2].val());
        self.balance_sign[2].next = bit_cast_word::<Credit, U<37>>(self.balance[2].q.val());
        self.diff_sign[3].next = bit_cast_word::<Credit, U<37>>(self.diff[3].val());
        self.balance_sign[3].next = bit_cast_word::<Credit, U<37>>(self.balance[3].q.val());
        for i in 0..4 {
            self.balance[i + 1].d.next = self.balance[i].q.val();
            self.count[i + 1].d.next = self.count[i].q.val();
        }
        for i in 0..3 {
            self.room[i + 1].d.next = self.room[i].q.val();
            self.bytes[i + 1].d.next = self.bytes[i].q.val();
        }
        if (self.room[0].q.val() >= 8) & !self.diff_sign[0].val().negative & !self.balance_sign[0].val().negative {
            self.balance[1].d.next = self.diff[0].val();
            self.count[1].d.next = self.count[0].q.val() + 8;
            self.room[1].d.next = self.room[0].q.val() - 8;
        }
        if (self.room[1].q.val() >= 4) & !self.diff_sign[1].val().negative & !self.balance_sign[1].val().negative {
            self.balance[2].d.next = self.diff[1].val();
            self.count[2].d.next = self.count[1].q.val() + 4;
            self.room[2].d.next = self.room[1].q.val() - 4;
        }
        if (self.room[2].q.val() >= 2) & !self.diff_sign[2].val().negative & !self.balance_sign[2].val().negative {
            self.balance[3].d.next = self.diff[2].val();
            self.count[3].d.next = self.count[2].q.val() + 2;
            self.room[3].d.next = self.room[2].q.val() - 2;
        }
        if (self.room[3].q.val() >= 1) & !self.diff_sign[3].val().negative & !self.balance_sign[3].val().negative {
            self.balance[4].d.next = self.diff[3].val();
            self.count[4].d.next = self.count[3].q.val() + 1;
        }

        // 12: new state
        self.end_psn.next = self.nxt_12.q.val() + bit_cast_u::<24, 4>(self.count[4].q.val());
        self.max_new.next = self.max_12.q.val();
        if self.repeats_12.q.val().passed
            | (!self.repeats_12.q.val().many & (self.count[4].q.val() > self.repeats_12.q.val().count))
        {
            self.max_new.next = self.end_psn.val();
        }
        // a rewind without a packet is still to come
        self.seen_new.next = self.rewinds_12.q.val();
        if self.rewound_12.q.val() & (self.count[4].q.val() == 0) {
            self.seen_new.next = self.seen_12.q.val();
        }
        self.state_13.d.next = bits_zero::<VisitFlow>(0);
        fields!(state_13.d:
            nxt = end_psn, max = max_new, seen = seen_new, generation = generation_12.q, restarts = restarts_12.q);
        self.state_13.d.next.parked = self.parked_12.q.val() ^ self.idle_12.q.val();
        fields!(state_13.d: last = tick_12.q, adjust_seen = adjust_12.q);
        self.state_13.d.next.credit = self.balance[4].q.val();
        fields!(state_13.d: stopped = stopped_12.q, rest = resting_12.q);
        if !self.ends.val() {
            self.state_13.d.next = bits_zero::<VisitFlow>(0);
        }
        self.grant_13.d.next = bits_zero::<Grant>(0);
        self.grant_13.d.next.psn = self.nxt_12.q.val();
        self.grant_13.d.next.count = self.count[4].q.val();
        self.grant_13.d.next.repeats = self.repeats_12.q.val().count;
        self.grant_13.d.next.rewound = self.rewound_12.q.val();
        self.grant_13.d.next.fills = (self.count[4].q.val() == self.open_12.q.val()) & !self.windowless_12.q.val();
        fields!(grant_13.d: generation = generation_12.q, pause_class = priority_12.q);
        assign! {
            idle_13.d = idle_12.q, state_after = state_13, grant = grant_13, idle = idle_13
        }
    }
}
