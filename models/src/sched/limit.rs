//! Limits from outside the congestion control: a cap for each flow and a level for each group of flows.
//!
//! A host's agent (HCC, see the book) writes them; the scheduler enforces `R_eff = min(rate of the law, cap of the flow, level of
//! its group)`. Everything that a limit means to a visit grows with its rate, so what the minimum of the rates would give is
//! the minimum of what each of them gives: it is computed once, when the limit is written, and a visit only compares.

use super::formats::*;
use super::psn::ahead;
use super::registers::SchedRegisters;
use super::sender::{Op, Outcome};
use super::state::SenderState;
use super::visit::Pacing;
use crate::fixed::formats::{RATE_BITS, WINDOW_BITS};

/// Groups of flows.
pub const GROUPS: usize = 16;
/// Bits of a group's number.
pub const GROUP_BITS: u32 = 4;
/// Bits of a level's window, bytes, saturating: the largest rate times the longest time.
pub const LEVEL_WINDOW_BITS: u32 = 23;
/// Bits of the time that makes a window of a limit's rate, ns.
pub const CAP_TIME_BITS: u32 = 16;
/// Bits of what a level earns in a visit interval, bytes.
pub const LEVEL_EARNED_BITS: u32 = 20;
/// The rate that limits nothing, UQ7.27 bytes per ns.
pub const NO_LIMIT: u64 = (1 << RATE_BITS) - 1;

/// The register `CAP_CONTROL`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CapControl {
    /// A limit also bounds the window: to its rate times [`Self::time_ns`], one packet at least. It acts on limits written later.
    pub window: bool,
    /// A flow that becomes active, or whose rate rises from 0, starts after a random part of a packet time.
    pub dither: bool,
    /// Time of the window, ns, 16 bits.
    pub time_ns: u16,
}

impl CapControl {
    /// Window of a limit, UQ23.11 bytes; all ones without [`Self::window`].
    const fn window(&self, rate: u64) -> u64 {
        if !self.window || rate == NO_LIMIT {
            return (1 << WINDOW_BITS) - 1;
        }
        // UQ7.27 bytes per ns times ns
        let window = (rate as u128 * self.time_ns as u128) >> 16;
        if window == 0 {
            1
        } else {
            window as u64
        }
    }
}

/// The level of a group, as visits read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Rate, UQ7.27 bytes per ns.
    pub rate: u64,
    /// Bytes earned in one visit interval, rounded up.
    pub earned: u32,
    /// Window, whole bytes, rounded up.
    pub window: u32,
}

impl Level {
    /// The level after reset.
    pub const NONE: Self = Self {
        rate: NO_LIMIT,
        earned: (1 << LEVEL_EARNED_BITS) - 1,
        window: (1 << LEVEL_WINDOW_BITS) - 1,
    };

    /// The level that a write of `rate` makes.
    pub const fn new(rate: u64, control: &CapControl, registers: &SchedRegisters) -> Self {
        let window = (control.window(rate) + (1 << 11) - 1) >> 11;
        let most = (1 << LEVEL_WINDOW_BITS) - 1;
        Self {
            rate,
            earned: credit_cap(rate, registers.interval_ns, 0),
            window: if window > most { most as u32 } else { window as u32 },
        }
    }
}

/// The cap of a flow and its group, as visits read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    /// What the cap alone would allow.
    pub pacing: Pacing,
    /// Group, below [`GROUPS`].
    pub group: u8,
}

impl Cap {
    /// No cap, group 0: what the creation of a flow writes.
    pub const NONE: Self = Self {
        pacing: Pacing {
            rate: NO_LIMIT,
            cap: (1 << CREDIT_INTEGER) - 1,
            window: (1 << WINDOW_PACKETS_BITS) - 1,
        },
        group: 0,
    };

    /// The cap that a write of `rate` ([`NO_LIMIT`] for none) makes.
    pub fn new(rate: u64, group: u8, mtu: u8, control: &CapControl, registers: &SchedRegisters) -> Self {
        Self {
            pacing: Pacing::new(rate, control.window(rate), mtu, registers),
            group,
        }
    }
}

impl Pacing {
    /// What the law (`self`), the cap of the flow and the level of its group allow together.
    pub fn limited(&self, cap: &Cap, level: &Level, mtu: u8, registers: &SchedRegisters) -> Self {
        let shift = 8 + u32::from(mtu.min(4));
        let level_cap = (level.earned + registers.wire_bytes(mtu)).min((1 << CREDIT_INTEGER) - 1);
        let level_window = (level.window + (1 << shift) - 1) >> shift;
        Self {
            rate: self.rate.min(cap.pacing.rate).min(level.rate),
            cap: self.cap.min(cap.pacing.cap).min(level_cap),
            window: self.window.min(cap.pacing.window).min(level_window),
        }
    }
}

/// What the registers `ACTIVE` count: the group of a flow, and whether it has work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Membership {
    /// Group.
    pub group: u8,
    /// The flow has something unsent or unacknowledged; one without a window, which nobody acknowledges, something unsent.
    pub active: bool,
}

impl Membership {
    /// What an event makes of it. `sender` and `outcome` are what [`SenderState::handle`] made of the same event.
    pub fn handle(&mut self, op: Op, sender: &SenderState, outcome: &Outcome) {
        if outcome.late {
            return;
        }
        match op {
            Op::Create(..) => self.group = 0,
            Op::Limit(_, group) => self.group = group,
            _ => {}
        }
        let unacknowledged = !sender.windowless || matches!(op, Op::Work(_) | Op::Restart(..));
        let from = if unacknowledged || ahead(outcome.snd_nxt, sender.una) >= 1 << 23 {
            sender.una
        } else {
            outcome.snd_nxt
        };
        self.active = sender.alive && from != sender.end;
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;
    use proptest::prelude::*;

    const ONE: u64 = 1 << 27;

    fn control(window: bool, time_ns: u16) -> CapControl {
        CapControl {
            window,
            dither: false,
            time_ns,
        }
    }

    proptest! {
        /// The minimum of three words is the word of the smallest rate.
        #[test]
        fn the_smallest_rate_decides(
            rates in prop::array::uniform3(0u64..1 << RATE_BITS), mtu in 0u8..5, window in any::<bool>(), time in 1u16..,
        ) {
            let (registers, control) = (SchedRegisters::default(), control(window, time));
            let law = Pacing::new(rates[0], (1 << WINDOW_BITS) - 1, mtu, &registers);
            let cap = Cap::new(rates[1], 3, mtu, &control, &registers);
            let got = law.limited(&cap, &Level::new(rates[2], &control, &registers), mtu, &registers);
            let least = rates[0].min(rates[1]).min(rates[2]);
            let want = Pacing::new(least, control.window(rates[1].min(rates[2])), mtu, &registers);
            prop_assert_eq!(got, want);
        }

        /// No limit changes nothing.
        #[test]
        fn none_is_none(rate in 0u64..1 << RATE_BITS, window in 0u64..1 << WINDOW_BITS, mtu in 0u8..5) {
            let registers = SchedRegisters::default();
            let law = Pacing::new(rate, window, mtu, &registers);
            prop_assert_eq!(law.limited(&Cap::NONE, &Level::NONE, mtu, &registers), law);
        }

        /// After a limit falls no more leaves than the new rate earns, one packet, and one visit interval's worth, whatever
        /// credit there was.
        #[test]
        fn bytes_after_the_write_are_bounded(
            old in 0u64..20 * ONE, new in 0u64..20 * ONE, credit in 0i64..1 << 20,
            gaps in prop::collection::vec(8u32..512, 1..200), mtu in 0u8..5, by_level in any::<bool>(),
        ) {
            let (registers, control) = (SchedRegisters::default(), CapControl::default());
            let law = Pacing::new(old, (1 << WINDOW_BITS) - 1, mtu, &registers);
            let (cap, level) = if by_level {
                (Cap::NONE, Level::new(new, &control, &registers))
            } else {
                (Cap::new(new, 0, mtu, &control, &registers), Level::NONE)
            };
            let pacing = law.limited(&cap, &level, mtu, &registers);
            let mut state = VisitState { credit: credit << CREDIT_FRACTION, ..VisitState::default() };
            let (mut now, mut bytes) = (0u32, 0u64);
            let wire = u64::from(registers.wire_bytes(mtu));
            let rate = old.min(new);
            let earned = |ns: u32| (rate * u64::from(ns)) >> 27;
            for gap in gaps {
                now += gap;
                let sender = SenderState { una: state.nxt, end: psn::add(state.nxt, 1000), mtu, alive: true, ..SenderState::default() };
                let after = visit(&sender, &pacing, &state, now >> TICK_SHIFT, false, &registers);
                bytes += wire * u64::from(after.grant.map_or(0, |grant| grant.count));
                state = after.state;
                let bound = earned(now + 8) + 1 + wire + earned(registers.interval_ns) + 1;
                prop_assert!(bytes <= bound, "{bytes} bytes in {now} ns, {bound} allowed");
                prop_assert!(rate != 0 || bytes == 0);
            }
        }

        /// Nothing is saved over a pause, over idleness or over a stop beyond one packet and a visit interval's worth: from each moment on, and
        /// whatever came before, what leaves is bounded by the time since.
        #[test]
        fn bytes_after_a_pause_are_bounded(
            rate in 0u64..20 * ONE, by in 0usize..3, visits in prop::collection::vec((8u32..3000, 0u8..4), 1..300), mtu in 0u8..5,
        ) {
            let (registers, control) = (SchedRegisters::default(), CapControl::default());
            let law = Pacing::new(if by == 0 { rate } else { 20 * ONE }, (1 << WINDOW_BITS) - 1, mtu, &registers);
            let cap = if by == 1 { Cap::new(rate, 0, mtu, &control, &registers) } else { Cap::NONE };
            let level = if by == 2 { Level::new(rate, &control, &registers) } else { Level::NONE };
            let pacing = law.limited(&cap, &level, mtu, &registers);
            let wire = u64::from(registers.wire_bytes(mtu));
            let earned = |ns: u32| (rate * u64::from(ns)) >> 27;
            let mut state = VisitState::default();
            let mut now = 0u32;
            // time and bytes sent until then, at each moment from which on is counted
            let mut moments: Vec<(u32, u64)> = Vec::new();
            let mut bytes = 0u64;
            for (gap, kind) in visits {
                now += gap;
                let work = if kind == 1 { 0 } else { 1000 };
                let sender = SenderState { una: state.nxt, end: psn::add(state.nxt, work), mtu, alive: true, ..SenderState::default() };
                moments.push((now, bytes));
                let after = visit(&sender, &pacing, &state, now >> TICK_SHIFT, kind == 0, &registers);
                prop_assert!(kind > 1 || after.grant.is_none());
                bytes += wire * u64::from(after.grant.map_or(0, |grant| grant.count));
                state = after.state;
                for &(since, before) in &moments {
                    let bound = earned(now - since + 8) + 1 + wire + earned(registers.interval_ns) + 1;
                    prop_assert!(bytes - before <= bound, "{} bytes in {} ns, {bound} allowed", bytes - before, now - since);
                }
            }
        }

        /// The first packet of a flow that becomes active waits a part of its packet time, and no flow gains by it.
        #[test]
        fn dither_spreads_and_gives_nothing(rate in ONE / 100..12 * ONE, random in any::<u16>(), credit in 0i64..3000) {
            let registers = SchedRegisters::default();
            let pacing = Pacing::new(rate, (1 << WINDOW_BITS) - 1, 2, &registers);
            let before = VisitState { rest: true, credit: credit << CREDIT_FRACTION, ..VisitState::default() };
            let sender = SenderState { end: 10, mtu: 2, alive: true, ..SenderState::default() };
            let dithered = |now| Moment { now, random: Some(random), ..Moment::default() };
            let with = visit_at(&sender, &pacing, &before, &dithered(100), &registers);
            let without = visit(&sender, &pacing, &before, 100, false, &registers);
            let wire = i64::from(registers.wire_bytes(2));
            let start = (wire - ((i64::from(random) * i64::from(mtu_bytes(2))) >> 16)) << CREDIT_FRACTION;
            let total = |visit: &Visit| visit.state.credit + ((wire * i64::from(visit.grant.map_or(0, |g| g.count))) << CREDIT_FRACTION);
            prop_assert_eq!(total(&with), total(&without).min(start));
            prop_assert!(!with.state.rest);
            // once it is active it is left alone
            let next = visit_at(&sender, &pacing, &with.state, &dithered(200), &registers);
            prop_assert_eq!(next, visit(&sender, &pacing, &with.state, 200, false, &registers));
        }
    }

    #[test]
    fn a_stopped_flow_stays_in_the_ring_and_says_so() {
        let registers = SchedRegisters::default();
        let stopped = Pacing::new(5 * ONE, 1 << 30, 2, &registers).limited(
            &Cap::NONE,
            &Level::new(0, &CapControl::default(), &registers),
            2,
            &registers,
        );
        let sender = SenderState {
            end: 10,
            mtu: 2,
            alive: true,
            ..SenderState::default()
        };
        let before = VisitState {
            credit: 5000 << CREDIT_FRACTION,
            ..VisitState::default()
        };
        let after = visit(&sender, &stopped, &before, 0, false, &registers);
        assert_eq!((after.grant, after.idle), (None, false));
        assert!(after.state.stopped && after.state.rest);
        // with nothing to send it leaves, and its timer runs
        let idle = visit(
            &SenderState { end: 0, ..sender },
            &stopped,
            &before,
            0,
            false,
            &registers,
        );
        assert!(idle.idle && !idle.state.stopped && idle.state.rest);
    }

    #[test]
    fn the_timer_of_a_stopped_flow_starts_over_with_each_look() {
        let timing = |now| Timing {
            now,
            timeout: 10,
            retry_limit: 7,
            rnr_retry: 7,
            held: 0,
        };
        for stopped in [false, true] {
            let mut sender = SenderState {
                end: 10,
                alive: true,
                ..SenderState::default()
            };
            let visited = VisitState {
                nxt: 5,
                max: 5,
                stopped,
                ..VisitState::default()
            };
            let looks = [0, 20, 40].map(|now| sender.handle(Op::Tick, 0, &visited, &timing(now)).timeout);
            assert_eq!(looks, [false, !stopped, false]);
        }
    }

    #[test]
    fn active_is_unacknowledged_work() {
        let timing = Timing {
            now: 0,
            timeout: 10,
            retry_limit: 7,
            rnr_retry: 7,
            held: 0,
        };
        let mut sender = SenderState::default();
        let mut member = Membership { group: 7, active: true };
        let mut visited = VisitState::default();
        let settings = FlowSettings {
            mtu: 2,
            ..FlowSettings::default()
        };
        let mut go = |op, visited: &VisitState| {
            let outcome = sender.handle(op, 1, visited, &timing);
            member.handle(op, &sender, &outcome);
            (member.group, member.active)
        };
        assert_eq!(go(Op::Create(0, settings), &visited), (0, false));
        assert_eq!(go(Op::Limit(ONE, 3), &visited), (3, false));
        assert_eq!(go(Op::Work(4), &visited), (3, true));
        (visited.nxt, visited.max, visited.generation) = (4, 4, 1);
        assert_eq!(go(Op::Ack(3), &visited), (3, true), "one packet is on its way");
        assert_eq!(go(Op::Ack(4), &visited), (3, false));
        assert_eq!(go(Op::Work(9), &visited), (3, true));
        assert_eq!(go(Op::Remove, &visited), (3, false));
        // nobody acknowledges: what counts is what is unsent
        let settings = FlowSettings {
            windowless: true,
            timerless: true,
            ..settings
        };
        visited.generation = 0;
        assert_eq!(go(Op::Create(0, settings), &visited), (0, false));
        assert_eq!(go(Op::Restart(0, 4), &visited), (0, true));
        (visited.nxt, visited.max, visited.generation, visited.restarts) = (4, 4, 1, 1);
        assert_eq!(go(Op::Tick, &visited), (0, false));
    }
}
