//! Points of the book's list for DCQCN that the fixed-point law alone can show.

use super::*;
use crate::cc::dcqcn::{Dcqcn, IncreaseRule};
use proptest::prelude::*;

const LINE: u64 = 100_000_000_000;

fn event(kind: EventKind, now: u64) -> CcEvent {
    CcEvent {
        kind,
        generation: 1,
        now,
        ..CcEvent::default()
    }
}

fn law(params: &DcqcnParams) -> FixedDcqcn {
    let mut law = FixedDcqcn::new(params, false, 0).unwrap();
    law.create(0, 1);
    law
}

fn gbps(bits: u64) -> f64 {
    rate_bits_per_second(bits) / 1e9
}

/// Ticks on time until `until`, ns.
fn run(law: &mut FixedDcqcn, until: u64) {
    while let Some(at) = law.next_tick(0).filter(|&at| at <= until) {
        law.handle(&event(EventKind::Tick, at));
    }
}

/// The first CNP cuts at once to a half (alpha is 1) and keeps the target; the next one within 50 us waits for the gate.
#[test]
fn the_first_cut_by_hand() {
    let params = DcqcnParams::sigcomm(LINE, 1e5);
    let mut law = law(&params);
    let down = law.handle(&event(EventKind::Cnp, 1 << 20)).unwrap();
    assert_eq!(down.rate, 50e9);
    let target = law.state(0).unwrap().rt;
    assert!((gbps(target) - 100.0).abs() < 1e-6);
    assert!(law.handle(&event(EventKind::Cnp, (1 << 20) + 10_000)).is_none());
    run(&mut law, (1 << 20) + 50_000);
    assert_eq!(law.state(0).unwrap().rc, law.registers().line_rate >> 1);
    run(&mut law, (1 << 20) + 52_000);
    // Alpha has not been updated yet: another half; no increase since, so the target stays.
    assert!((gbps(law.state(0).unwrap().rc) - 25.0).abs() < 1e-6);
    assert_eq!(law.state(0).unwrap().rt, target);
}

/// QCN's rule with F = 2, timer and bytes in turn: T1 B1 nothing; T2 additive (the larger stage reaches F); B2 additive; T3 additive; B3:
/// both exceed F, the first hyper increase.
#[test]
fn both_stages_by_hand() {
    let mut params = DcqcnParams::sigcomm(LINE, 1e5);
    (params.rule, params.fast_recovery) = (IncreaseRule::Qcn, 2);
    let registers = DcqcnRegisters::new(&params, false).unwrap();
    let mut s = registers.start();
    registers.step(&mut s, &event(EventKind::Cnp, 1 << 20));
    s.rt = registers.line_rate / 4;
    let (ai, hai) = (registers.rate_ai, registers.rate_hai);
    for (by_bytes, step) in [
        (false, 0),
        (true, 0),
        (false, ai),
        (true, ai),
        (false, ai),
        (true, hai),
        (false, hai),
    ] {
        let (rt, rc) = (s.rt, s.rc);
        registers.increase(&mut s, by_bytes);
        assert_eq!(
            (s.rt, s.rc),
            (rt + step, (rc >> 1) + ((rt + step) >> 1)),
            "stages {} {}",
            s.stage_t,
            s.stage_b
        );
    }
}

/// The rule of the authors of HPCC: the stage before the step against F; bytes have a stage of their own.
#[test]
fn one_stage_by_hand() {
    let mut params = DcqcnParams::new(LINE, 1e5);
    params.fast_recovery = 1;
    let registers = DcqcnRegisters::new(&params, false).unwrap();
    let mut s = registers.start();
    registers.step(&mut s, &event(EventKind::Cnp, 1 << 20));
    s.rt = registers.line_rate / 4;
    for step in [0, registers.rate_ai, registers.rate_hai, registers.rate_hai] {
        let rt = s.rt;
        registers.increase(&mut s, false);
        assert_eq!(s.rt, rt + step);
    }
}

/// Acknowledged bytes end a stage when the counter falls below zero, and only then.
#[test]
fn bytes_end_a_stage() {
    let mut params = DcqcnParams::sigcomm(LINE, 1e5);
    params.byte_reset = 64 * 100;
    let mut law = law(&params);
    law.handle(&event(EventKind::Cnp, 1 << 20));
    let ack = |bytes| CcEvent {
        bytes,
        ..event(EventKind::Ack, (1 << 20) + 100)
    };
    assert!(law.handle(&ack(6400)).is_none());
    let up = law.handle(&ack(64)).unwrap();
    assert!((up.rate / 75e9 - 1.0).abs() < 1e-9);
    assert_eq!((law.state(0).unwrap().stage_b, law.state(0).unwrap().bytes), (1, 100));
}

/// Without a CNP alpha falls from 1 to 0, which rounding would never reach; with one in each interval it stays 1.
#[test]
fn alpha_reaches_zero_and_holds_one() {
    let registers = DcqcnRegisters::new(&DcqcnParams::sigcomm(LINE, 1e5), false).unwrap();
    let mut s = registers.start();
    registers.step(&mut s, &event(EventKind::Cnp, 1 << 20));
    let mut now = 1 << 20;
    let mut steps = 0;
    while s.alpha > 0 && steps < 10_000 {
        now += u64::from(registers.alpha_interval) << TIME_SHIFT;
        registers.step(&mut s, &event(EventKind::Tick, now));
        steps += 1;
    }
    assert!(s.alpha == 0, "alpha {} after {steps} steps", s.alpha);
    let mut s = registers.start();
    registers.step(&mut s, &event(EventKind::Cnp, 1 << 20));
    for round in 1..500u64 {
        let at = (1 << 20) + round * (u64::from(registers.alpha_interval) << TIME_SHIFT);
        registers.step(&mut s, &event(EventKind::Cnp, at - 1024));
        registers.step(&mut s, &event(EventKind::Tick, at));
        assert_eq!(s.alpha, ONE, "round {round}");
    }
}

fn any_event() -> impl Strategy<Value = (EventKind, u64, u32, bool)> {
    let kind = prop_oneof![
        3 => Just(EventKind::Cnp), 4 => Just(EventKind::Ack), 4 => Just(EventKind::Tick),
        1 => Just(EventKind::Nak), 1 => Just(EventKind::Timeout), 1 => Just(EventKind::Sent)
    ];
    let wait = prop_oneof![3 => 0u64..100_000, 1 => 0u64..2_000, 1 => 0u64..5_000_000];
    (kind, wait, any::<u32>().prop_map(|b| b >> 4), any::<bool>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever comes: `R_min <= rc <= rt <= line`.
    #[test]
    fn rates_stay_in_order(events in prop::collection::vec(any_event(), 1..300), qcn in any::<bool>(), clamp in any::<bool>(),
        min in 1u64..50, late in any::<bool>(), bytes in prop_oneof![Just(0u64), 64u64..1 << 24]) {
        let mut params = DcqcnParams::sigcomm(LINE, 1e5);
        params.rule = if qcn { IncreaseRule::Qcn } else { IncreaseRule::Timer };
        (params.clamp_target, params.immediate, params.byte_reset) = (clamp, !late, bytes);
        params.min_rate = min * 1_000_000_000;
        params.mark_on_ack = true;
        let registers = DcqcnRegisters::new(&params, false).unwrap();
        let mut s = registers.start();
        let mut now = 1 << 20;
        for (kind, wait, bytes, ecn) in events {
            now += wait;
            registers.step(&mut s, &CcEvent { bytes, ecn, ..event(kind, now) });
            prop_assert!(s.rc >= registers.min_rate && s.rc <= s.rt + 1 && s.rt <= registers.line_rate, "{s:?}");
            prop_assert!(s.alpha <= ONE && s.bytes <= registers.byte_reset);
        }
    }

    /// The same CNPs, the walk looking every 6 us: rates within 1 % of golden, which catches up by itself. CNPs do not fall between an
    /// increase and the walk's next look: there the two differ for as long as that look lasts.
    #[test]
    fn golden_is_followed_within_a_hundredth(gaps in prop::collection::vec((1u64..8, 13_000u64..54_000), 1..60)) {
        const INCREASE: u64 = 54 << TIME_SHIFT;
        let mut params = DcqcnParams::sigcomm(LINE, 1e5);
        (params.alpha_interval, params.increase_interval) = (INCREASE, INCREASE);
        params.decrease_interval = 49 << TIME_SHIFT;
        let mut golden = Dcqcn::new(params);
        let mut fixed = FixedDcqcn::new(&params, false, 6_000).unwrap();
        golden.create(0, 1);
        fixed.create(0, 1);
        let mut now = 1 << 20;
        for (rounds, rest) in gaps {
            now += rounds * INCREASE + rest;
            run(&mut fixed, now);
            golden.handle(&event(EventKind::Cnp, now));
            fixed.handle(&event(EventKind::Cnp, now));
            let (g, f) = (golden.rate(0).unwrap() as f64, rate_bits_per_second(fixed.state(0).unwrap().rc));
            prop_assert!((f / g - 1.0).abs() <= 0.01, "at {now} ns: golden {g}, fixed {f}");
        }
    }
}
