//! The module against the fixed-point law: every update, in the clock in which it is due, for everything that enters, ticks of the walk
//! included.

mod life;

use super::registers::{after_reset, DcqcnRegisterBlock};
use super::top::{DcqcnSlot, LATENCY};
use crate::cc::bench::{law_module, Bench};
use crate::prim::uint::Limbs;
use crate::sim::{init, step};
use hpcc_models::cc::dcqcn::{DcqcnParams, IncreaseRule};
use hpcc_models::cc::{CcEvent, EventKind};
use hpcc_models::fixed::dcqcn::DcqcnRegisters;
use hpcc_models::fixed::FixedDcqcn;
use life::Life;

const LINE: u64 = 100_000_000_000;

type Slot = DcqcnSlot<50, 6>;
law_module!(Slot);

fn sigcomm() -> DcqcnRegisters {
    DcqcnRegisters::new(&DcqcnParams::sigcomm(LINE, 162_500.0), false).expect("parameters")
}

/// The law with a standing walk, for what needs no ticks.
fn bench() -> Bench<Slot, FixedDcqcn> {
    let registers = DcqcnRegisters { walk: 0, ..sigcomm() };
    Bench::new(FixedDcqcn::with_registers(registers, 0), LATENCY)
}

#[test]
fn first_update_comes_after_the_latency() {
    bench().first_update_comes_after_the_latency();
}

#[test]
fn one_event_a_clock_and_one_every_six_for_one_flow() {
    bench().keeps_its_pace();
}

#[test]
fn flow_numbers_past_the_count_are_dropped_and_counted() {
    let mut bench = bench();
    let dropped = bench.drops_flow_numbers_past_the_count();
    assert_eq!(bench.slot.count_out_of_range.val().0, dropped);
}

#[test]
fn three_hundred_flows_agree_bit_for_bit_in_the_papers_profile() {
    Life::<300, 9>::new(sigcomm(), 1).random(40_000);
}

#[test]
fn the_authors_profile_agrees_bit_for_bit() {
    let params = DcqcnParams::new(25_000_000_000, 1e5);
    let registers = DcqcnRegisters::new(&params, true).expect("parameters");
    Life::<50, 6>::new(registers, 2).random(30_000);
}

/// Each mode bit and each limit on its own, with short intervals so that all timers meet.
#[test]
fn every_mode_agrees_bit_for_bit() {
    let changes: [fn(&mut DcqcnRegisters); 12] = [
        |r| r.mode.qcn = false,
        |r| r.mode.clamp = true,
        |r| (r.mode.mark_on_ack, r.byte_reset) = (true, 3),
        |r| r.mode.window = true,
        |r| (r.mode.window, r.window_time) = (true, (1 << 34) - 1),
        |r| r.mode.cut_on_timeout = true,
        |r| (r.mode.first_late, r.first_rate) = (true, r.line_rate / 3),
        |r| (r.first_rate, r.min_rate) = (r.line_rate / 100, (r.line_rate / 50) & !1),
        |r| r.min_decrease = 200,
        |r| (r.fast_recovery, r.byte_reset, r.rate_hai) = (0, 1, (1 << 34) - 1),
        |r| (r.gain, r.fast_recovery) = ((1 << 20) - 1, 30),
        |r| (r.byte_reset, r.walk, r.alpha_interval) = (0, 1, 1),
    ];
    for (seed, change) in (3..).zip(changes) {
        let mut registers = DcqcnRegisters {
            alpha_interval: 3,
            cut_interval: 2,
            increase_interval: 4,
            byte_reset: 400,
            fast_recovery: 2,
            ..sigcomm()
        };
        change(&mut registers);
        Life::<50, 6>::new(registers, seed).random(8_000);
    }
}

/// Forty increases by timer without a cut, and forty by bytes: the stages stay at their end, and the hyper step with them.
#[test]
fn stages_stay_at_their_end() {
    for by_bytes in [false, true] {
        let mut registers = DcqcnRegisters {
            cut_interval: 2,
            increase_interval: 1,
            byte_reset: 1,
            fast_recovery: 30,
            walk: 0,
            ..sigcomm()
        };
        (registers.mode.qcn, registers.mode.clamp) = (false, true);
        let line = registers.line_rate;
        let mut life = Life::<50, 6>::new(registers, 11);
        life.command(true, 7, 1);
        let kinds = [EventKind::Cnp; 2]
            .into_iter()
            .chain([if by_bytes { EventKind::Ack } else { EventKind::Tick }; 40]);
        for kind in kinds {
            let event = CcEvent {
                kind,
                flow: 7,
                generation: 1,
                bytes: 128,
                now: life.now,
                ..CcEvent::default()
            };
            while !life.step(5, Some(&event), None).0 {}
            life.step(3_000, None, None);
        }
        life.drain();
        let state = life.law.state(7).expect("a live flow");
        assert_eq!(state.stage_t.max(state.stage_b), 31);
        assert!(state.rt < line, "the target still rises");
        assert!(life.updates > 40 && life.expected.is_empty());
    }
}

/// Flows that were notified get a tick in each round of the walk, under full load too; the others none.
#[test]
fn the_walk_visits_every_notified_flow_in_time() {
    const NOTIFIED: [u32; 5] = [0, 1, 17, 48, 49];
    for (load, most) in [(false, 50 + 5 * 3 + 8), (true, 50 + 5 * (3 + 24))] {
        let mut life = Life::<50, 6>::new(sigcomm(), 9);
        for flow in 0..50 {
            life.command(true, flow, 1);
        }
        let event = |kind, flow, now| CcEvent {
            kind,
            flow,
            generation: 1,
            now,
            ..CcEvent::default()
        };
        for flow in NOTIFIED {
            let cnp = event(EventKind::Cnp, flow, life.now);
            while !life.step(5, Some(&cnp), None).0 {}
        }
        for _ in 0..200 {
            life.step(5, None, None);
        }
        let mut last = life.visited.clone();
        for clock in 0..5_000 {
            let ack = event(EventKind::Ack, clock % 50, life.now);
            life.step(5, load.then_some(&ack), None);
            for (flow, last) in last.iter_mut().enumerate() {
                let visited = life.visited[flow];
                if !NOTIFIED.contains(&(flow as u32)) {
                    assert_eq!(visited, 0, "flow {flow} was not notified");
                } else if visited != *last {
                    assert!(visited - *last <= most, "load {load}, flow {flow}: {}", visited - *last);
                    *last = visited;
                }
            }
        }
        for flow in NOTIFIED {
            assert!(
                life.clock - last[flow as usize] <= most,
                "load {load}: flow {flow} is visited"
            );
        }
    }
}

#[test]
fn a_walk_over_all_flows_takes_four_clocks_each() {
    let mut life = Life::<300, 9>::new(sigcomm(), 10);
    for flow in 0..300 {
        life.command(true, flow, 1);
        let cnp = CcEvent {
            kind: EventKind::Cnp,
            flow,
            generation: 1,
            now: life.now,
            ..CcEvent::default()
        };
        while !life.step(5, Some(&cnp), None).0 {}
    }
    life.step(5, None, None);
    for _ in 0..600 {
        life.step(5, None, None);
    }
    let before = life.ticks;
    for _ in 0..1_200 {
        life.step(5, None, None);
    }
    assert_eq!(life.ticks - before, 300);
}

#[test]
fn after_reset_the_registers_hold_the_papers_profile() {
    let mut block: Box<DcqcnRegisterBlock> = Box::default();
    init(block.as_mut()).expect("complete block");
    block.reset.next = true;
    step(block.as_mut(), |_| {});
    block.reset.next = false;
    let seen = step(block.as_mut(), |b| b.scalars.val());
    let r = after_reset();
    assert_eq!(
        r,
        DcqcnRegisters {
            window_time: r.window_time,
            ..sigcomm()
        }
    );
    assert_eq!(IncreaseRule::Qcn, DcqcnParams::sigcomm(LINE, 1.0).rule);
    let mut mode = [0];
    seen.mode.to_limbs(&mut mode);
    assert_eq!(mode[0], r.mode.bits());
    let held = [
        (seen.gain.0, r.gain),
        (seen.alpha_interval.0, r.alpha_interval.into()),
        (seen.cut_interval.0, r.cut_interval.into()),
        (seen.increase_interval.0, r.increase_interval.into()),
        (seen.byte_reset.0, r.byte_reset.into()),
        (seen.fast_recovery.0, r.fast_recovery.into()),
        (seen.rate_ai.0, r.rate_ai),
        (seen.rate_hai.0, r.rate_hai),
        (seen.min_rate.0, r.min_rate),
        (seen.line_rate.0, r.line_rate),
        (seen.first_rate.0, r.first_rate),
        (seen.min_decrease.0, r.min_decrease),
        (seen.window_time.0, r.window_time),
        (seen.walk.0, r.walk.into()),
    ];
    for (place, (seen, wanted)) in held.into_iter().enumerate() {
        assert_eq!(seen, wanted, "register {}", place + 1);
    }
}
