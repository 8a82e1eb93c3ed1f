//! The module against the fixed-point law: every update, in the clock in which it is due, for everything that enters, ticks of the walk
//! included.

use super::registers::{after_reset, DcqcnRegisterBlock};
use super::top::{DcqcnSlot, LATENCY};
use crate::cc::bench::{law_module, Bench};
use crate::cc::slot::{kind_code, offer_command, offer_event, taken_update, RawUpdate};
use crate::prim::uint::{Limbs, U};
use crate::prim::word::bit_cast_number;
use crate::sim::{init, step, Stimulus};
use crate::words::dcqcn::DcqcnEntry;
use hpcc_models::cc::dcqcn::{DcqcnParams, IncreaseRule};
use hpcc_models::cc::{CcEvent, CongestionControl, EventKind};
use hpcc_models::fixed::dcqcn::{DcqcnRegisters, FixedDcqcnState};
use hpcc_models::fixed::{FixedDcqcn, FixedLaw};
use std::collections::VecDeque;

const LINE: u64 = 100_000_000_000;
/// Clocks from the entry of an event to its update.
const INSIDE: u64 = LATENCY as u64 - 4;

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

/// A module with everything that enters it fed to the law.
struct Life<const FLOWS: usize, const A: usize> {
    slot: Box<DcqcnSlot<FLOWS, A>>,
    law: FixedDcqcn,
    random: Stimulus,
    /// Generation of each flow that lives in the law.
    live: Vec<Option<u8>>,
    /// Generation that the next creation of a flow has.
    next: Vec<u8>,
    /// Taken at the ports, not yet entered.
    events: VecDeque<CcEvent>,
    commands: VecDeque<(bool, u32, u8)>,
    /// Updates to come, and the clock of each.
    expected: VecDeque<(u64, RawUpdate)>,
    clock: u64,
    now: u64,
    updates: u64,
    ticks: u64,
    cuts: u64,
    out_of_range: u64,
    /// Clock of the last tick of each flow.
    visited: Vec<u64>,
    /// Chance that the receiver takes an update.
    accept: f64,
}

impl<const FLOWS: usize, const A: usize> Life<FLOWS, A> {
    fn new(registers: DcqcnRegisters, seed: u64) -> Self {
        let mut slot: Box<DcqcnSlot<FLOWS, A>> = Box::default();
        init(slot.as_mut()).expect("complete block");
        let mut life = Self {
            slot,
            law: FixedDcqcn::with_registers(registers, 0),
            random: Stimulus::new(seed),
            live: vec![None; FLOWS],
            next: vec![0; FLOWS],
            events: VecDeque::new(),
            commands: VecDeque::new(),
            expected: VecDeque::new(),
            clock: 0,
            now: 1 << 30,
            updates: 0,
            ticks: 0,
            cuts: 0,
            out_of_range: 0,
            visited: vec![0; FLOWS],
            accept: 1.0,
        };
        life.slot.reset.next = true;
        step(life.slot.as_mut(), |_| ());
        life.slot.reset.next = false;
        for (address, data) in life.law.writes() {
            life.slot.param.write.next = true;
            life.slot.param.address.next = U(address.into());
            life.slot.param.data.next = U(data);
            step(life.slot.as_mut(), |_| ());
        }
        life.slot.param.write.next = false;
        for _ in 0..(1 << A) + 8 {
            step(life.slot.as_mut(), |_| ());
        }
        life
    }

    /// One clock, `ns` later; whether event and command were taken.
    fn step(&mut self, ns: u64, event: Option<&CcEvent>, command: Option<(bool, u32, u8)>) -> (bool, bool) {
        self.now += ns;
        self.slot.now.next = U(self.now & 0xffff_ffff_ffff);
        offer_event(&mut self.slot.event, event);
        offer_command(&mut self.slot.command, command);
        self.slot.update.ready.next = self.random.chance(self.accept);
        let (event_taken, command_taken, update, entered) = step(self.slot.as_mut(), |s| {
            let (event, command) = (&s.event, &s.command);
            (
                event.valid.val() & event.ready.val(),
                command.valid.val() & command.ready.val(),
                taken_update(&s.update),
                s.entering(),
            )
        });
        let due = self.expected.front().is_some_and(|(clock, _)| *clock <= self.clock);
        if self.accept == 1.0 {
            assert_eq!(update.is_some(), due, "clock {}: an update at its time", self.clock);
        }
        if let Some(update) = update {
            let (_, expected) = self.expected.pop_front().expect("an update is due");
            assert_eq!(update, expected, "clock {}", self.clock);
            self.updates += 1;
        }
        if let (true, Some(event)) = (event_taken, event) {
            if (event.flow as usize) < FLOWS {
                self.events.push_back(*event);
            } else {
                self.out_of_range += 1;
            }
        }
        if let (true, Some(command)) = (command_taken, command) {
            self.commands.push_back(command);
        }
        if entered.0.valid {
            self.enter(entered.0, entered.1);
        }
        self.clock += 1;
        (event_taken, command_taken)
    }

    /// What enters is what was taken, and does to the law what it does to the module.
    fn enter(&mut self, entry: DcqcnEntry, flow: u32) {
        if entry.command {
            let (create, wanted, generation) = self.commands.pop_front().expect("a command was taken");
            assert_eq!(
                (entry.create, flow, entry.generation.0),
                (create, wanted, generation.into())
            );
            self.live[flow as usize] = create.then_some(generation);
            if create {
                self.law.create(flow, generation);
                self.expect(flow, generation);
            } else {
                self.law.remove(flow);
            }
            return;
        }
        let event = if entry.walked {
            self.ticks += 1;
            self.visited[flow as usize] = self.clock;
            let Some(generation) = self.live[flow as usize] else {
                return;
            };
            CcEvent {
                kind: EventKind::Tick,
                flow,
                generation,
                now: entry.now.0 << 10,
                ..CcEvent::default()
            }
        } else {
            let event = self.events.pop_front().expect("an event was taken");
            let kind: U<3> = bit_cast_number::<3, _>(entry.kind);
            assert_eq!(
                (flow, entry.generation.0, kind.0, entry.ecn, entry.bytes.0, entry.now.0),
                (
                    event.flow,
                    event.generation.into(),
                    kind_code(event.kind),
                    event.ecn,
                    u64::from(event.bytes >> 6),
                    (event.now >> 10) & 0xf_ffff
                )
            );
            event
        };
        let known = self.live[flow as usize] == Some(event.generation);
        let before = self.law.state(flow).copied();
        if self.law.handle(&event).is_some() {
            self.expect(flow, event.generation);
        }
        if let (Some(before), Some(after), true) = (before, self.law.state(flow), known) {
            self.cuts += u64::from(is_cut(self.law.registers(), &before, after, &event));
        }
    }

    fn expect(&mut self, flow: u32, generation: u8) {
        let answer = self.law.answer(flow).expect("live flow");
        let update = RawUpdate {
            flow: flow as u16,
            generation,
            window: answer.window,
            rate: answer.rate,
            utilisation: answer.signal,
        };
        self.expected.push_back((self.clock + INSIDE, update));
    }

    /// Offers a command until it is taken.
    fn command(&mut self, create: bool, flow: u32, generation: u8) {
        while !self.step(5, None, Some((create, flow, generation))).1 {}
    }

    fn drain(&mut self) {
        self.accept = 1.0;
        for _ in 0..400 {
            self.step(5, None, None);
        }
        assert!(self.events.is_empty() && self.commands.is_empty());
    }

    /// The next random event: a few flows have most, in bursts; kinds that move rates far above their natural share.
    fn random_event(&mut self) -> CcEvent {
        let s = &mut self.random;
        let flow = match s.below(10) {
            0..=4 => s.below(3),
            5 => FLOWS as u64 - 1 - s.below(2),
            6 if s.chance(0.05) => FLOWS as u64 + s.below(3),
            _ => s.below(FLOWS as u64),
        } as u32;
        let kind = match s.below(20) {
            0..=3 => EventKind::Cnp,
            4..=12 => EventKind::Ack,
            13..=16 => EventKind::Tick,
            17 => EventKind::Nak,
            18 => EventKind::Timeout,
            _ => [EventKind::Sent, EventKind::Probe][s.below(2) as usize],
        };
        let own = self.live.get(flow as usize).copied().flatten().unwrap_or(0);
        CcEvent {
            kind,
            flow,
            generation: if s.chance(0.01) { own.wrapping_add(1) } else { own },
            ecn: s.chance(0.3),
            bytes: match s.below(6) {
                0 => s.corner(32) as u32,
                1 => s.below(4) as u32 * 64 + 63,
                2 => 64 * self.law.registers().byte_reset,
                _ => s.below(1 << 14) as u32,
            },
            now: self.now & 0xffff_ffff_ffff,
            ..CcEvent::default()
        }
    }

    /// So many clocks of random life.
    fn random(&mut self, clocks: u64) {
        for flow in 0..FLOWS as u32 {
            self.command(true, flow, 0);
        }
        let (mut event, mut command) = (None, None);
        let (mut offer, mut pace) = (0.8, 5);
        for _ in 0..clocks {
            if self.random.chance(0.002) {
                offer = [1.0, 0.8, 0.3, 0.02][self.random.below(4) as usize];
                pace = [5, 5, 300, 3_000][self.random.below(4) as usize];
                self.accept = [1.0, 0.9, 0.3, 0.05][self.random.below(4) as usize];
            }
            if event.is_none() && self.random.chance(offer) {
                event = Some(self.random_event());
            }
            if command.is_none() && self.random.chance(0.004) {
                let flow = self.random.below(FLOWS as u64) as u32;
                let create = self.random.chance(0.7);
                let generation = &mut self.next[flow as usize];
                *generation = generation.wrapping_add(1);
                command = Some((create, flow, *generation));
            }
            let jump = if self.random.chance(1e-4) {
                self.random.corner(28)
            } else {
                pace
            };
            // the time of an event that waits may be a little past
            let (event_taken, command_taken) = self.step(jump, event.as_ref(), command);
            if event_taken {
                event = None;
            }
            if command_taken {
                command = None;
            }
        }
        while event.is_some() || command.is_some() {
            let (event_taken, command_taken) = self.step(5, event.as_ref(), command);
            event = event.filter(|_| !event_taken);
            command = command.filter(|_| !command_taken);
        }
        self.drain();
        assert_eq!(self.slot.count_late.val().0, self.law.late());
        assert_eq!(self.slot.count_out_of_range.val().0, self.out_of_range);
        assert_eq!(self.slot.count_cuts.val().0, self.cuts);
        assert!(self.cuts > clocks / 400 && self.updates > clocks / 100);
    }
}

/// Whether the event cut the rate: every notification sets the flag, and only a cut clears it.
fn is_cut(r: &DcqcnRegisters, before: &FixedDcqcnState, after: &FixedDcqcnState, event: &CcEvent) -> bool {
    let marked = event.ecn && r.mode.mark_on_ack;
    let notified = match event.kind {
        EventKind::Cnp => true,
        EventKind::Ack | EventKind::Nak => marked,
        EventKind::Timeout => r.mode.cut_on_timeout,
        _ => false,
    };
    (notified || before.cnp_cut) && !after.cnp_cut
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
