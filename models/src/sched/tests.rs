//! Properties of the two functions: pacing that neither loses nor bursts, sequence numbers that never break their order.

use super::formats::*;
use super::psn::*;
use super::*;
use proptest::prelude::*;

const LINE: f64 = 12.5;
const MTU_1024: FlowSettings = FlowSettings {
    mtu: 2,
    priority: 0,
    windowless: false,
    timerless: false,
};

fn pacing(bytes_per_ns: f64, registers: &SchedRegisters) -> Pacing {
    Pacing::new(
        (bytes_per_ns * (1u64 << 27) as f64).round() as u64,
        (8 << 20) << 11 >> 1,
        2,
        registers,
    )
}

const TIMING: Timing = Timing {
    now: 0,
    timeout: 10,
    retry_limit: 1,
    rnr_retry: 7,
    held: 0,
};

/// Everything before `psn` is sent, and there is credit for more.
fn sent(psn: u32) -> VisitState {
    VisitState {
        nxt: psn,
        max: psn,
        credit: 5000 << CREDIT_FRACTION,
        ..VisitState::default()
    }
}

fn busy_sender(end: u32) -> SenderState {
    SenderState {
        end,
        mtu: 2,
        alive: true,
        ..SenderState::default()
    }
}

/// Visits at the given gaps (ns); returns packets sent and the time of the last visit.
fn run(rate: f64, gaps: impl Iterator<Item = u64>, registers: &SchedRegisters) -> (u64, u64) {
    let (pacing, mut state, mut now, mut sent) = (pacing(rate, registers), VisitState::default(), 0u64, 0u64);
    for gap in gaps {
        now += gap;
        let mut sender = busy_sender(add(state.nxt, 1000));
        sender.una = state.nxt;
        let tick = (now >> TICK_SHIFT) as u32 & ((1 << LAST_BITS) - 1);
        let visit = visit(&sender, &pacing, &state, tick, false, registers);
        assert!(visit.state.credit <= i64::from(pacing.cap) << CREDIT_FRACTION);
        sent += u64::from(visit.grant.map_or(0, |grant| grant.count));
        state = visit.state;
    }
    (sent, now)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// The theorem of the cap: with no gap above the interval less one tick, nor above one in which a flow earns more than a visit grants, nothing
    /// earned is ever lost. At the line's rate the second is the shorter one, some 345 ns.
    #[test]
    fn nothing_is_lost_while_visits_keep_the_interval(
        rate in prop_oneof![Just(0.0125), Just(LINE), 0.0125..LINE],
        gaps in prop::collection::vec(prop_oneof![Just(504u64), 60u64..=504], 2000),
    ) {
        let registers = SchedRegisters::default();
        let longest = (f64::from(grant_limit(2) * registers.wire_bytes(2)) / rate) as u64 - (1 << TICK_SHIFT);
        let (sent, time) = run(rate, gaps.into_iter().map(|gap| gap.min(longest)), &registers);
        let earned = rate * time as f64 / f64::from(registers.wire_bytes(2));
        prop_assert!((sent as f64 - earned).abs() <= 1.1, "{sent} of {earned}");
    }

    /// After any pause the burst is one packet and one interval's worth, at most.
    #[test]
    fn a_stall_is_no_burst(rate in 0.0125..LINE, stall in 0u64..4_000_000) {
        let registers = SchedRegisters::default();
        let (before, _) = run(rate, std::iter::repeat_n(100, 50), &registers);
        let (after, _) = run(rate, std::iter::repeat_n(100, 50).chain([stall]), &registers);
        let burst = (f64::from(registers.wire_bytes(2)) + rate * 512.0 + 1.0) / f64::from(registers.wire_bytes(2));
        prop_assert!((after - before) as f64 <= burst);
    }

    /// Any events in any order: una <= nxt <= end and una <= max hold, seen from una; a visit grants only what they allow.
    #[test]
    fn sequence_numbers_keep_their_order(
        start in prop_oneof![Just(0xff_fff0u32), 0u32..=PSN_MASK],
        steps in prop::collection::vec((0u8..10, 0u32..40, prop_oneof![Just(0u8), 0u8..2]), 1..400),
    ) {
        let registers = SchedRegisters::default();
        let timing = |now| Timing { now, timeout: 10, retry_limit: 7, rnr_retry: 7, held: 0 };
        let (mut sender, mut state) = (SenderState::default(), VisitState::default());
        let mut generation = 1u8;
        sender.handle(Op::Create(start, MTU_1024), generation, &state, &timing(0));
        let pacing = Pacing::new(100 << 27, (20 * 1024) << 11, 2, &registers);
        for (now, (kind, value, off)) in (1u32..).zip(steps) {
            // acknowledgements reach a little behind and beyond what is right
            let psn = add(sender.una, value).wrapping_sub(4) & PSN_MASK;
            let before = sender;
            let op = match kind {
                0 | 1 => Op::Ack(psn),
                2 => Op::Nak(psn),
                3 => Op::Work(add(sender.end, value)),
                4 => Op::Tick,
                5 if value < 2 => Op::Remove,
                6 if value < 2 => Op::Create(psn, MTU_1024),
                7 if value < 4 => Op::Restart(psn, add(psn, 10 * value)),
                7 => Op::Adjust(value),
                _ => {
                    let visit = visit(&sender, &pacing, &state, now * 100, false, &registers);
                    if let Some(grant) = visit.grant {
                        prop_assert!(sender.alive && ahead(grant.psn, sender.una) < 20);
                        prop_assert!(ahead(add(grant.psn, grant.count), sender.una) <= 20, "window");
                        prop_assert!(!is_after(add(grant.psn, grant.count), sender.end), "work");
                    }
                    state = visit.state;
                    continue;
                }
            };
            // a flow that is created again has a new generation
            let created = matches!(op, Op::Create(..));
            generation += u8::from(created);
            let of = if created { generation } else { generation - off };
            let outcome = sender.handle(op, of, &state, &timing(now));
            if outcome.late || outcome.beyond {
                prop_assert_eq!(before, sender);
            }
            if !created && !matches!(op, Op::Restart(..)) {
                prop_assert!(!is_after(before.una, sender.una), "una never moves back");
                prop_assert!(!is_after(sender.una, sender.end), "nothing beyond the work is acknowledged");
            }
        }
    }
}

#[test]
fn a_rewind_moves_only_the_next_psn() {
    let registers = SchedRegisters::default();
    let mut sender = busy_sender(100);
    let fast = pacing(LINE, &registers);
    let start = VisitState {
        nxt: 30,
        max: 30,
        credit: 5000 << CREDIT_FRACTION,
        ..VisitState::default()
    };
    let outcome = sender.handle(Op::Nak(10), 0, &start, &TIMING);
    assert_eq!((outcome.snd_nxt, outcome.to_cc, sender.una), (10, true, 10));
    let after = visit(&sender, &fast, &start, 0, false, &registers);
    let grant = after.grant.expect("credit is there");
    assert_eq!((grant.psn, grant.repeats, grant.rewound), (10, 15, true));
    assert_eq!(after.state.max, 30);
    // pacing still applies: the credit is used up as by any packet
    assert_eq!(grant.count, 4);
    // an acknowledgement of the first transmission is taken, and the sender goes on behind it
    let outcome = sender.handle(Op::Ack(25), 0, &after.state, &TIMING);
    assert_eq!((outcome.beyond, outcome.snd_nxt), (false, 25));
    let next = visit(&sender, &fast, &after.state, 1000, false, &registers);
    assert_eq!(next.grant.map(|grant| (grant.psn, grant.rewound)), Some((25, false)));
}

#[test]
fn the_timer_runs_only_with_data_outstanding_and_ends_the_flow_at_the_limit() {
    let mut sender = busy_sender(100);
    let mut visited = VisitState::default();
    let tick = |sender: &mut SenderState, visited: &VisitState, now| {
        sender.handle(
            Op::Tick,
            0,
            visited,
            &Timing {
                now,
                timeout: 10,
                retry_limit: 2,
                rnr_retry: 7,
                held: 0,
            },
        )
    };
    for now in 0..100 {
        assert!(!tick(&mut sender, &visited, now).timeout, "nothing is outstanding");
    }
    (visited.nxt, visited.max) = (5, 5);
    tick(&mut sender, &visited, 100);
    assert!(!tick(&mut sender, &visited, 109).timeout);
    // something was sent in between: the timer starts again
    visited.nxt = 6;
    assert!(!tick(&mut sender, &visited, 111).timeout);
    for (round, now) in [(1, 121), (2, 131)] {
        let outcome = tick(&mut sender, &visited, now);
        assert!(outcome.timeout && outcome.to_cc && outcome.wake, "{round}");
        assert_eq!((outcome.snd_nxt, sender.retries), (0, round));
        // the rewind is carried out and the packets go again
        visited.seen = sender.rewinds;
        tick(&mut sender, &visited, now);
    }
    assert!(tick(&mut sender, &visited, 141).ended && !sender.alive);
    assert!(!tick(&mut sender, &visited, 200).ended);
}

#[test]
fn psns_inside_a_read_are_not_granted_until_a_rewind_asks_again() {
    let registers = SchedRegisters::default();
    let mut sender = busy_sender(100);
    let slow = pacing(0.01, &registers);
    let mut state = sent(12);
    sender.handle(Op::Advance(10, 50), 0, &state, &TIMING);
    let visit_now = |sender: &SenderState, state: &VisitState| visit(sender, &slow, state, 0, false, &registers);
    assert_eq!(visit_now(&sender, &state).grant.map(|grant| grant.psn), Some(50));
    state.nxt = 10;
    assert_eq!(
        visit_now(&sender, &state).grant.map(|grant| grant.psn),
        Some(10),
        "the request itself"
    );
    state.nxt = 50;
    state.max = 50;
    sender.handle(Op::Nak(20), 0, &state, &TIMING);
    assert_eq!(visit_now(&sender, &state).grant.map(|grant| grant.psn), Some(20));
}

/// A READ request leaves, a second loss is told before the scheduler hears what the request covers, and then data moves `una` into it: the rewind
/// asks again from there, and the flow is not taken for idle.
#[test]
fn a_rewind_asks_again_within_a_read_that_is_told_late() {
    let registers = SchedRegisters::default();
    let mut sender = busy_sender(20);
    let slow = pacing(0.01, &registers);
    let state = sent(20);
    sender.handle(Op::Advance(10, 20), 0, &state, &TIMING);
    sender.handle(Op::Nak(12), 0, &state, &TIMING);
    let first = visit(&sender, &slow, &state, 0, false, &registers);
    assert_eq!(first.grant.map(|grant| grant.psn), Some(12));
    let state = VisitState {
        credit: 5000 << CREDIT_FRACTION,
        ..first.state
    };
    sender.handle(Op::Nak(12), 0, &state, &TIMING);
    sender.handle(Op::Advance(12, 20), 0, &state, &TIMING);
    sender.handle(Op::Ack(14), 0, &state, &TIMING);
    let again = visit(&sender, &slow, &state, 0, false, &registers);
    assert_eq!(again.grant.map(|grant| (grant.psn, grant.rewound)), Some((14, true)));
    // what that request covers is passed over again
    sender.handle(Op::Advance(14, 20), 0, &again.state, &TIMING);
    assert!(visit(&sender, &slow, &again.state, 0, false, &registers).idle);
}

#[test]
fn pause_keeps_the_flow_in_the_ring_and_a_closed_window_does_not() {
    let registers = SchedRegisters::default();
    let sender = busy_sender(10);
    let state = VisitState::default();
    let paused = visit(&sender, &pacing(LINE, &registers), &state, 500, true, &registers);
    assert!(paused.grant.is_none() && !paused.idle);
    let closed = visit(
        &sender,
        &Pacing::new(1 << 27, 0, 2, &registers),
        &state,
        500,
        false,
        &registers,
    );
    assert!(closed.grant.is_none() && closed.idle);
}

/// Progress gives a flow all of its retries back: with a limit of two, two timeouts between any two acknowledgements end nothing, and the
/// third in a row does.
#[test]
fn progress_gives_the_retries_back() {
    let mut sender = SenderState {
        una: 100,
        end: 200,
        from: 100,
        to: 100,
        ..busy_sender(200)
    };
    let mut now = 0;
    let mut operate = |op: Op, nxt: u32| {
        now += 10;
        let visited = VisitState {
            nxt,
            max: nxt,
            seen: sender.rewinds,
            restarts: sender.restarts,
            generation: sender.generation,
            ..VisitState::default()
        };
        let timing = Timing {
            now,
            timeout: 3,
            retry_limit: 2,
            rnr_retry: 7,
            held: 0,
        };
        let outcome = sender.handle(op, sender.generation, &visited, &timing);
        (outcome.timeout, outcome.ended)
    };
    let mut una = 100;
    for round in 0..3 {
        assert_eq!(operate(Op::Tick, una + 8), (false, false), "round {round}: armed");
        assert_eq!(operate(Op::Tick, una + 8), (true, false), "round {round}: first");
        assert_eq!(operate(Op::Tick, una + 8), (true, false), "round {round}: second");
        una += 3;
        operate(Op::Ack(una), una + 5);
    }
    assert_eq!(operate(Op::Tick, una + 8), (false, false), "armed");
    assert_eq!(operate(Op::Tick, una + 8), (true, false), "first");
    assert_eq!(operate(Op::Tick, una + 8), (true, false), "second");
    assert_eq!(operate(Op::Tick, una + 8), (false, true), "third");
}

/// Times of some timer codes (InfiniBand Architecture Specification 1, table of RNR NAK timers), us.
#[test]
fn waits_for_a_receiver_that_is_not_ready() {
    for (code, us) in [
        (0, 655_360),
        (1, 10),
        (3, 30),
        (4, 40),
        (5, 60),
        (6, 80),
        (12, 640),
        (13, 960),
        (30, 327_680),
        (31, 491_520),
    ] {
        let units = u64::from(rnr_wait(code));
        assert!(units < 1 << RNR_WAIT_BITS, "code {code}");
        // the wait begins within a unit and ends with one
        assert!(
            (units - 1) * 1024 >= us * 1000 && (units - 2) * 1024 < us * 1000,
            "code {code}: {units}"
        );
    }
}

/// A flow that waits has no work for visits; what is said again changes nothing; the timer ends the wait, with pauses longer than it counts at once.
#[test]
fn a_flow_waits_for_its_receiver() {
    let mut sender = busy_sender(10);
    let at = |now| Timing { now, ..TIMING };
    let outcome = sender.handle(Op::Wait(2, 0), 0, &sent(5), &at(100));
    assert!(outcome.to_cc && outcome.wake && outcome.snd_nxt == 2);
    assert_eq!(
        (sender.una, sender.shown().end, sender.end, sender.rewinds),
        (2, 2, 10, 1)
    );
    for op in [Op::Wait(2, 1), Op::Nak(2)] {
        let before = sender;
        let outcome = sender.handle(op, 0, &sent(5), &at(200));
        assert_eq!((sender, outcome.to_cc), (before, op != Op::Nak(2)), "{op:?}");
    }
    let (mut now, mut looks) = (100, 0);
    while sender.waits {
        now = (now + 40_000) & 0xffff;
        let outcome = sender.handle(Op::Tick, 0, &sent(5), &at(now));
        assert!(!outcome.timeout && outcome.wake != sender.waits);
        looks += 1;
    }
    // 655.36 ms in looks of 40.96 ms
    assert_eq!(looks, 17);
    assert_eq!(sender.shown().end, 10);
    // progress ends a wait, too
    sender.handle(Op::Wait(2, 0), 0, &sent(5), &at(0));
    sender.handle(Op::Ack(3), 0, &sent(5), &at(1));
    assert!(!sender.waits && sender.rnr_waits == 0);
}

#[test]
fn the_limit_of_waits_ends_a_flow() {
    for limit in [0, 1, 3, 7] {
        let mut sender = busy_sender(10);
        let timing = |now| Timing {
            now,
            rnr_retry: limit,
            ..TIMING
        };
        let mut waits = 0;
        for round in 0..20 {
            let now = 1000 * round;
            let outcome = sender.handle(Op::Wait(2, 1), 0, &sent(5), &timing(now));
            assert_eq!(outcome.ended, outcome.not_ready);
            if outcome.ended {
                break;
            }
            waits += 1;
            sender.handle(Op::Tick, 0, &sent(5), &timing(now + 500));
            assert!(!sender.waits);
        }
        assert_eq!(waits, if limit == 7 { 20 } else { limit }, "limit {limit}");
        assert_eq!(sender.alive, limit == 7);
    }
}
