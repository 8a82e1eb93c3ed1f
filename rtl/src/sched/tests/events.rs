//! The event pipeline against [`hpcc_models::sched::SenderState::handle`], with random operations of few flows.

use super::visits::{pacing_word, sender_word};
use crate::prim::uint::U;
use crate::sched::entry::SAME_FLOW_INTERVAL;
use crate::sched::sender::Sender;
use crate::sim::{init, step, Stimulus};
use crate::words::sched::{FlowCap, OpKind, Operation, Visited};
use hpcc_models::sched::formats::*;
use hpcc_models::sched::{
    Cap, CapControl, FlowSettings, Op, Outcome, Pacing, SchedRegisters, SenderState, Timing, VisitState,
};
use std::collections::VecDeque;

const FLOWS: usize = 9;
const LATENCY: usize = 9;
/// Waits for a receiver that is not ready.
const RNR_RETRY: u8 = 2;

struct Expected {
    flow: usize,
    op: Op,
    /// The scheduler's own removal after reset.
    clear: bool,
    /// PSN of the event; of a timeout the oldest one outstanding.
    psn: u32,
    /// Packets acknowledged newly.
    acked: u32,
    /// The flow's before the event.
    mtu: u8,
    generation: u8,
    outcome: Outcome,
    sender: SenderState,
    pacing: Option<Pacing>,
    cap: Option<Cap>,
}

fn random_op(random: &mut Stimulus, flow: &SenderState, max: u32) -> Op {
    let near = |random: &mut Stimulus, psn: u32| match random.below(8) {
        0 => random.corner(24) as u32,
        _ => psn.wrapping_add(random.below(24) as u32).wrapping_sub(8) & PSN_MASK,
    };
    match random.below(20) {
        0..=3 => Op::Ack(near(random, flow.una)),
        4 => Op::Ack(max),
        5 => Op::Nak(near(random, flow.una)),
        6 if random.chance(0.3) => Op::Nak(flow.una),
        6 => Op::Wait(
            [near(random, flow.una), flow.una][random.below(2) as usize],
            random.uniform(5) as u8 % 6,
        ),
        7 => Op::Notify,
        8..=9 => Op::Work(near(random, flow.end)),
        10 if random.chance(0.3) => Op::Restart(near(random, flow.una), near(random, flow.end)),
        10 => Op::Advance(near(random, max), near(random, max)),
        11..=12 => Op::Update(random.corner(34), random.corner(34)),
        13 => Op::Limit(random.corner(34), random.below(16) as u8),
        14..=17 => Op::Tick,
        18 => Op::Create(
            random.corner(24) as u32,
            FlowSettings {
                mtu: random.below(5) as u8,
                priority: random.uniform(3) as u8,
                windowless: random.chance(0.3),
                timerless: random.chance(0.2),
            },
        ),
        19 if random.chance(0.2) => Op::Remove,
        _ => Op::Tick,
    }
}

/// What events see of a visit state.
fn visited_word(s: &VisitState) -> Visited {
    Visited {
        nxt: U(s.nxt.into()),
        max: U(s.max.into()),
        seen: U(s.seen.into()),
        generation: U(s.generation.into()),
        restarts: U(s.restarts.into()),
        stopped: s.stopped,
    }
}

fn op_word(op: Op, generation: u8) -> Operation {
    let word = Operation {
        generation: U(generation.into()),
        ..Operation::default()
    };
    let psn = |kind, psn: u32| Operation {
        kind,
        psn: U(psn.into()),
        ..word
    };
    let two = |kind, first, second: u32| Operation {
        second: U(second.into()),
        ..psn(kind, first)
    };
    let kind = |kind| Operation { kind, ..word };
    match op {
        Op::Ack(at) => psn(OpKind::Ack, at),
        Op::Nak(at) => psn(OpKind::Nak, at),
        Op::Wait(at, code) => Operation {
            rnr_timer: U(code.into()),
            ..psn(OpKind::Wait, at)
        },
        Op::Notify => kind(OpKind::Notify),
        Op::Work(end) => psn(OpKind::Work, end),
        Op::Advance(from, to) => two(OpKind::Advance, from, to),
        Op::Adjust(_) => unreachable!("no operation of the block"),
        Op::Update(rate, window) => Operation {
            rate: U(rate),
            window: U(window),
            ..kind(OpKind::Update)
        },
        Op::Limit(rate, group) => Operation {
            rate: U(rate),
            window: U((1 << 34) - 1),
            group: U(group.into()),
            ..kind(OpKind::Limit)
        },
        Op::Tick => kind(OpKind::Tick),
        Op::Create(at, settings) => Operation {
            mtu: U(settings.mtu.into()),
            pause_class: U(settings.priority.into()),
            windowless: settings.windowless,
            timerless: settings.timerless,
            ..psn(OpKind::Create, at)
        },
        Op::Remove => kind(OpKind::Remove),
        Op::Restart(start, end) => two(OpKind::Restart, end, start),
    }
}

#[test]
fn every_event_agrees_bit_for_bit() {
    let registers = SchedRegisters {
        timeout: 3,
        retry_limit: 2,
        ..SchedRegisters::default()
    };
    let mut block: Box<Sender<4, 2>> = Box::default();
    init(block.as_mut()).expect("complete block");
    block.engines.next = U(3);
    block.inverse.next = U((1u64 << 18).div_ceil(3));
    block.overhead.next = U(registers.overhead.into());
    block.interval.next = U(registers.interval_ns.into());
    let control = CapControl {
        window: true,
        dither: false,
        time_ns: 5000,
    };
    block.cap_window.next = control.window;
    block.cap_time.next = U(control.time_ns.into());
    block.timeout.next = U(registers.timeout.into());
    block.retry_limit.next = U(registers.retry_limit.into());
    block.rnr_retry.next = U(RNR_RETRY.into());
    let mut random = Stimulus::new(5);
    let mut flows = vec![SenderState::default(); FLOWS];
    // a stand-in for visits: it carries out some rewinds and sends something
    let mut visited = vec![VisitState::default(); FLOWS];
    let mut last_used = [0usize; FLOWS];
    let mut expected: VecDeque<Option<Expected>> = VecDeque::from(vec![]);
    let mut words = VecDeque::from(vec![Visited::default(); 4]);
    let mut timers = VecDeque::from(vec![0u32; 5]);
    let mut holds = VecDeque::from(vec![0u8; 6]);
    let mut seen = [0u32; 4];
    let (mut newly, mut cleared, mut worked) = (0, 0, 0);
    // whether an engine is told of an operation in this clock, and whether that clears the flow, as the clock before says
    let mut next = (false, false);
    // flows of the latest clocks, with an event or without; the latest first
    let mut offered = VecDeque::from(vec![0u64; LATENCY + 1]);
    for clock in 1..800_000usize {
        let flow = random.below(FLOWS as u64) as usize;
        let free = last_used[flow] == 0 || clock - last_used[flow] >= SAME_FLOW_INTERVAL;
        let offer = free && random.chance(0.8);
        offered.push_front(flow as u64);
        offered.truncate(LATENCY + 1);
        let now = (clock / 256) as u32 & 0xffff;
        // held priorities in one quiet time of two, or no timer would run out
        let held = if clock / 32_768 % 4 == 3 && random.chance(0.1) { random.uniform(8) as u8 } else { 0 };
        let mut word = Visited::default();
        expected.push_back(offer.then(|| {
            last_used[flow] = clock;
            let (state, seen_by_visit) = (&mut flows[flow], &mut visited[flow]);
            // quiet times let timers run out
            let quiet = clock / 32_768 % 2 == 1;
            if random.chance(if quiet { 0.001 } else { 0.3 }) {
                let advance = random.below(6) as u32;
                let start = if seen_by_visit.seen == state.rewinds { seen_by_visit.nxt } else { state.una };
                *seen_by_visit = VisitState {
                    nxt: start.wrapping_add(advance) & PSN_MASK,
                    max: seen_by_visit.max.wrapping_add(random.below(4) as u32) & PSN_MASK,
                    seen: if random.chance(0.7) { state.rewinds } else { seen_by_visit.seen },
                    restarts: if random.chance(0.7) { state.restarts } else { seen_by_visit.restarts },
                    generation: if random.chance(0.9) { state.generation } else { 77 },
                    stopped: random.chance(0.1),
                    ..*seen_by_visit
                };
            }
            word = visited_word(seen_by_visit);
            let op = match random_op(&mut random, state, seen_by_visit.max) {
                Op::Ack(_) | Op::Nak(_) | Op::Create(..) | Op::Remove | Op::Restart(..) if quiet => Op::Tick,
                op => op,
            };
            let generation = match op {
                // a look of the timer has no generation
                Op::Create(..) | Op::Tick => random.uniform(8) as u8,
                _ if random.chance(0.95) => state.generation,
                _ => random.uniform(8) as u8,
            };
            let clear = !quiet && random.chance(0.002);
            let notified = random.uniform(24) as u32;
            block.word.next = match op {
                _ if clear => Operation {
                    kind: OpKind::Clear,
                    generation: U(generation.into()),
                    ..Operation::default()
                },
                Op::Notify => Operation {
                    psn: U(notified.into()),
                    ..op_word(op, generation)
                },
                _ => op_word(op, generation),
            };
            let timing = Timing {
                now,
                timeout: registers.timeout,
                retry_limit: registers.retry_limit,
                rnr_retry: RNR_RETRY,
                held,
            };
            let before = *state;
            let outcome = if clear {
                *state = SenderState::default();
                Outcome::default()
            } else {
                state.handle(op, generation, seen_by_visit, &timing)
            };
            let psn = match op {
                Op::Ack(psn) | Op::Nak(psn) | Op::Wait(psn, _) => psn,
                Op::Notify => notified,
                _ => state.una,
            };
            let acked = match op {
                Op::Ack(_) | Op::Nak(_) | Op::Wait(..) => state.una.wrapping_sub(before.una) & PSN_MASK,
                _ => 0,
            };
            let pacing = outcome.paced.then(|| match op {
                Op::Update(rate, window) => Pacing::new(rate, window, state.mtu, &registers),
                _ => Pacing::new(0, 0, state.mtu, &registers),
            });
            let cap = outcome.limited.then(|| match op {
                Op::Limit(rate, group) => Cap::new(rate, group, state.mtu, &control, &registers),
                _ => Cap::NONE,
            });
            Expected {
                flow,
                op,
                clear,
                psn,
                acked,
                mtu: before.mtu,
                generation: before.generation,
                outcome,
                sender: *state,
                pacing,
                cap,
            }
        }));
        words.push_back(word);
        timers.push_back(now);
        holds.push_back(held);
        block.valid.next = offer;
        block.flow.next = U(flow as u64);
        block.visited.next = words.pop_front().unwrap_or_default();
        block.held.next = U(holds.pop_front().unwrap_or(0).into());
        block.timer_now.next = U(timers.pop_front().unwrap_or(0).into());
        let due = if expected.len() > LATENCY { expected.pop_front().flatten() } else { None };
        step(block.as_mut(), |b| {
            if clock > LATENCY {
                let got = (
                    b.index.val().0,
                    b.engine_4.val().0,
                    b.flow_next.val().0,
                    b.engine_next.val().0,
                );
                let want = (offered[2] / 3, offered[4] % 3, offered[8], offered[8] % 3);
                assert_eq!(got, want, "clock {clock}: index at 2, engine at 4 and 8, flow at 8");
            }
            assert_eq!(b.notify.val(), due.is_some(), "clock {clock}: notify");
            let clears = b.notify.val() && b.clear.val();
            assert_eq!((b.notify.val(), clears), next, "clock {clock}: as said a clock ago");
            next = (b.notify_next.val(), b.clear_next.val());
            let Some(e) = &due else { return };
            let at = format!(
                "clock {clock}, flow {}, {:?}, {:?}, {:?}",
                e.flow, e.op, e.outcome, e.sender
            );
            assert_eq!(b.engine_index.val().0, e.flow as u64 / 3, "{at}");
            assert_eq!(b.flow_9.val().0, e.flow as u64, "{at}");
            assert_eq!(b.sender.val(), sender_word(&e.sender.shown()), "{at}");
            assert_eq!(b.known.val(), sender_word(&e.sender), "{at}");
            assert_eq!(b.tired.val(), e.outcome.not_ready, "{at}");
            let got = (
                b.late.val(),
                b.beyond.val(),
                b.to_cc.val(),
                b.wake.val(),
                b.timed_out.val(),
                b.ended.val(),
                b.paced.val(),
            );
            let o = &e.outcome;
            assert_eq!(
                got,
                (o.late, o.beyond, o.to_cc, o.wake, o.timeout, o.ended, o.paced),
                "{at}"
            );
            assert_eq!(b.clear.val(), e.clear, "{at}: clear");
            let works = !e.clear && matches!(e.op, Op::Work(_) | Op::Restart(..) | Op::Create(..));
            assert_eq!(b.worked.val(), works, "{at}: worked");
            worked += u32::from(works);
            if o.to_cc || o.ended {
                let got = (b.acked_mtu.val().0, b.generation.val().0);
                assert_eq!(got, (e.mtu.into(), e.generation.into()), "{at}: MTU code, generation");
            }
            if o.to_cc {
                assert_eq!(b.snd_nxt.val().0, u64::from(o.snd_nxt), "{at}");
                let got = (b.psn.val().0, b.acked.val().0);
                assert_eq!(got, (e.psn.into(), e.acked.into()), "{at}: PSN, acknowledged newly");
                newly += u32::from(e.acked > 0);
            }
            cleared += u32::from(e.clear);
            if let Some(p) = e.pacing {
                assert_eq!(b.pacing.val(), pacing_word(&p), "{at}: {p:?}");
            }
            if e.clear {
                assert_eq!(
                    b.pacing.val(),
                    Default::default(),
                    "{at}: pacing of a flow that is cleared"
                );
                assert_eq!(b.cap.val(), Default::default(), "{at}: its cap and group");
            }
            assert_eq!(b.limited.val(), o.limited, "{at}");
            if let Some(cap) = e.cap {
                let want = FlowCap {
                    pacing: pacing_word(&cap.pacing),
                    group: U(cap.group.into()),
                };
                assert_eq!(b.cap.val(), want, "{at}: {cap:?}");
            }
            for (count, flag) in seen.iter_mut().zip([o.timeout, o.ended, o.beyond, o.late]) {
                *count += u32::from(flag);
            }
        });
    }
    assert!(seen.iter().all(|n| *n > 4), "{seen:?}");
    assert!(newly > 1000 && cleared > 100, "{newly} {cleared}");
    assert!(worked > 1000, "{worked}");
}

/// Progress gives a flow all of its retries back: with a limit of two, two timeouts, an acknowledgement, and two timeouts more end
/// nothing; the third in a row does.
#[test]
fn an_acknowledgement_gives_the_retries_back() {
    let mut block: Box<Sender<4, 2>> = Box::default();
    init(block.as_mut()).expect("complete block");
    block.engines.next = U(3);
    block.inverse.next = U((1u64 << 18).div_ceil(3));
    block.timeout.next = U(3);
    block.retry_limit.next = U(2);
    block.flow.next = U(4);
    let (mut now, mut rewinds) = (0, 0);
    // one operation on its own; whether it timed out, and whether the flow ended
    let mut operate = |op: Op, nxt: u32| {
        now += 10;
        let seen = VisitState {
            nxt,
            max: nxt,
            seen: rewinds,
            generation: 1,
            ..VisitState::default()
        };
        block.visited.next = visited_word(&seen);
        block.timer_now.next = U(now);
        block.word.next = op_word(op, 1);
        block.valid.next = true;
        let mut found = (false, false);
        for _ in 0..=LATENCY + 4 {
            step(block.as_mut(), |b| {
                found.0 |= b.timed_out.val();
                found.1 |= b.ended.val();
            });
            block.valid.next = false;
        }
        rewinds += u32::from(found.0);
        found
    };
    operate(Op::Create(100, FlowSettings::default()), 100);
    operate(Op::Work(200), 100);
    // eight packets are out; the first look arms the timer, and after a timeout they have been sent again
    let mut una = 100;
    for round in 0..3 {
        assert_eq!(operate(Op::Tick, una + 8), (false, false), "round {round}: armed");
        for timeout in 0..2 {
            assert_eq!(
                operate(Op::Tick, una + 8),
                (true, false),
                "round {round}, timeout {timeout}"
            );
        }
        una += 3;
        operate(Op::Ack(una), una + 5);
    }
    assert_eq!(operate(Op::Tick, una + 8), (false, false));
    assert_eq!(operate(Op::Tick, una + 8), (true, false));
    assert_eq!(operate(Op::Tick, una + 8), (true, false));
    assert_eq!(operate(Op::Tick, una + 8), (false, true), "the third in a row");
}
