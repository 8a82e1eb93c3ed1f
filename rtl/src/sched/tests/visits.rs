//! The visit pipeline against [`hpcc_models::sched::visit()`]: a new random visit every clock.

use crate::prim::uint::U;
use crate::sched::engine::VISIT_LATENCY;
use crate::sched::visit::Visit;
use crate::sim::{init, step, Stimulus};
use crate::words::sched::{FlowShared, GroupLevel, PacingState, VisitFlow};
use hpcc_models::sched::formats::*;
use hpcc_models::sched::{visit_at, Cap, CapControl, Level, Moment, Pacing, SchedRegisters, SenderState, VisitState};
use std::collections::VecDeque;

/// What visits see of a sender state.
pub(super) fn sender_word(s: &SenderState) -> FlowShared {
    FlowShared {
        una: U(s.una.into()),
        end_psn: U(s.end.into()),
        from: U(s.from.into()),
        to: U(s.to.into()),
        generation: U(s.generation.into()),
        rewinds: U(s.rewinds.into()),
        restarts: U(s.restarts.into()),
        mtu: U(s.mtu.into()),
        pause_class: U(s.priority.into()),
        alive: s.alive,
        windowless: s.windowless,
    }
}

/// The level as a word.
pub(super) fn level_word(level: &Level) -> GroupLevel {
    GroupLevel {
        rate: U(level.rate),
        earned: U(level.earned.into()),
        window: U(level.window.into()),
    }
}

/// The pacing as a word.
pub(super) fn pacing_word(pacing: &Pacing) -> PacingState {
    PacingState {
        rate: U(pacing.rate),
        cap: U(pacing.cap.into()),
        window: U(pacing.window.into()),
    }
}

fn visit_word(s: &VisitState) -> VisitFlow {
    VisitFlow {
        nxt: U(s.nxt.into()),
        max: U(s.max.into()),
        seen: U(s.seen.into()),
        generation: U(s.generation.into()),
        restarts: U(s.restarts.into()),
        parked: s.parked,
        last: U(s.last.into()),
        adjust_seen: U(s.adjust_seen.into()),
        credit: U(s.credit as u64 & ((1 << CREDIT_BITS) - 1)),
        stopped: s.stopped,
        rest: s.rest,
    }
}

struct Case {
    sender: SenderState,
    pacing: Pacing,
    cap: Cap,
    level: Level,
    random: Option<u16>,
    state: VisitState,
    tick: u32,
    pause: u8,
}

/// PSNs near each other most of the time, so that every comparison goes both ways.
fn case(random: &mut Stimulus, registers: &SchedRegisters) -> Case {
    let una = random.corner(24) as u32;
    let near = |random: &mut Stimulus| match random.below(8) {
        0 => random.corner(24) as u32,
        _ => una.wrapping_add(random.below(40) as u32).wrapping_sub(8) & PSN_MASK,
    };
    let sender = SenderState {
        una,
        end: near(random),
        from: near(random),
        to: near(random),
        adjust: random.corner(12) as u32,
        generation: random.below(2) as u8,
        rewinds: random.below(16) as u32,
        restarts: random.below(16) as u32,
        mtu: random.below(5) as u8,
        priority: random.below(8) as u8,
        alive: random.chance(0.95),
        windowless: random.chance(0.1),
        ..SenderState::default()
    };
    let window = match random.below(4) {
        0 => random.corner(34),
        _ => random.below(40 << 11 << (8 + sender.mtu)) & ((1 << 34) - 1),
    };
    let pacing = Pacing::new(random.corner(34), window, sender.mtu, registers);
    // limits now and then below the law's rate, often none
    let control = CapControl {
        window: random.chance(0.5),
        dither: random.chance(0.5),
        time_ns: random.corner(16) as u16,
    };
    let cap =
        if random.chance(0.5) { Cap::NONE } else { Cap::new(random.corner(34), 0, sender.mtu, &control, registers) };
    let level = if random.chance(0.5) { Level::NONE } else { Level::new(random.corner(34), &control, registers) };
    let credit = (random.corner(33) as i64) - ((random.corner(20) as i64 * i64::from(random.chance(0.1))) << 12);
    let state = VisitState {
        nxt: near(random),
        max: near(random),
        seen: if random.chance(0.8) { sender.rewinds } else { random.below(16) as u32 },
        restarts: if random.chance(0.8) { sender.restarts } else { random.below(16) as u32 },
        generation: if random.chance(0.9) { sender.generation } else { random.uniform(8) as u8 },
        parked: random.chance(0.5),
        last: random.corner(20) as u32,
        adjust_seen: if random.chance(0.8) { sender.adjust } else { random.corner(12) as u32 },
        credit,
        stopped: random.chance(0.5),
        rest: random.chance(0.5),
    };
    let tick = if random.chance(0.8) {
        state.last.wrapping_add(random.below(200) as u32) & ((1 << LAST_BITS) - 1)
    } else {
        random.corner(20) as u32
    };
    Case {
        sender,
        pacing,
        cap,
        level,
        random: control.dither.then(|| random.uniform(16) as u16),
        state,
        tick,
        pause: if random.chance(0.9) { 0 } else { random.uniform(8) as u8 },
    }
}

#[test]
fn every_visit_agrees_bit_for_bit() {
    let registers = SchedRegisters::default();
    let mut block: Box<Visit> = Box::default();
    init(block.as_mut()).expect("complete block");
    let mut random = Stimulus::new(11);
    let mut expected = VecDeque::new();
    let (mut granted, mut idle) = ([0u32; 16], 0);
    // pause is looked at four clocks after the rest
    let mut pauses = VecDeque::from(vec![0u8; 4]);
    // whether others wait, three clocks after the rest
    let mut crowds = VecDeque::from(vec![false; 3]);
    let mut dithers = VecDeque::from(vec![false; 4]);
    let mut numbers = VecDeque::from(vec![0u16; 1]);
    // whether a visit ends, ten clocks after it
    let mut ends = VecDeque::from(vec![false; 10]);
    block.overhead.next = U(registers.overhead.into());
    for clock in 0..300_000 {
        let case = case(&mut random, &registers);
        block.sender.next = sender_word(&case.sender);
        block.adjust.next = U(case.sender.adjust.into());
        block.pacing.next = pacing_word(&case.pacing);
        block.cap.next = pacing_word(&case.cap.pacing);
        block.level.next = level_word(&case.level);
        block.state.next = visit_word(&case.state);
        block.tick.next = U(case.tick.into());
        // so is dither, four clocks after the rest, and the random number one clock after
        dithers.push_back(case.random.is_some());
        block.dither.next = dithers.pop_front().unwrap_or(false);
        numbers.push_back(case.random.unwrap_or(0));
        block.random.next = U(numbers.pop_front().unwrap_or(0).into());
        let crowded = random.chance(0.5);
        crowds.push_back(crowded);
        block.crowded.next = crowds.pop_front().unwrap_or(false);
        pauses.push_back(case.pause);
        block.pause.next = U(pauses.pop_front().unwrap_or(0).into());
        let ended = random.chance(0.9);
        ends.push_back(ended);
        block.ends.next = ends.pop_front().unwrap_or(false);
        let moment = Moment {
            now: case.tick,
            paused: case.pause >> case.sender.priority & 1 == 1,
            crowded,
            random: case.random,
        };
        let limited = case.pacing.limited(&case.cap, &case.level, case.sender.mtu, &registers);
        let inputs = (case.sender, limited, case.state, moment);
        expected.push_back((
            visit_at(&inputs.0, &inputs.1, &inputs.2, &moment, &registers),
            inputs,
            ended,
        ));
        let got = step(block.as_mut(), |b| (b.state_after.val(), b.grant.val(), b.idle.val()));
        if expected.len() < VISIT_LATENCY - 1 {
            continue;
        }
        let (want, inputs, ended) = expected.pop_front().expect("a visit is due");
        let grant = want.grant.map_or((0, 0, 0, 0, 0), |g| {
            (
                g.psn.into(),
                g.count.into(),
                g.repeats.into(),
                g.rewound.into(),
                g.fills.into(),
            )
        });
        let g = got.1;
        let seen = (g.psn.0, g.count.0, g.repeats.0, g.rewound.into(), g.fills.into());
        let state_after = if ended { visit_word(&want.state) } else { VisitFlow::default() };
        assert_eq!(
            got.0, state_after,
            "clock {clock}: {inputs:?} should lead to {:?}",
            want.state
        );
        assert_eq!(got.2, want.idle, "clock {clock}: idle");
        assert_eq!(seen.1, grant.1, "clock {clock}: count");
        if grant.1 > 0 {
            assert_eq!(seen, grant, "clock {clock}: {want:?}");
        }
        granted[grant.1 as usize] += 1;
        idle += u32::from(want.idle);
    }
    assert!(granted.iter().all(|n| *n > 100) && idle > 10_000, "{granted:?} {idle}");
}
