//! A module and the fixed-point law side by side.

use crate::cc::dcqcn::top::{DcqcnSlot, LATENCY};
use crate::cc::slot::{kind_code, offer_command, offer_event, taken_update, RawUpdate};
use crate::prim::uint::U;
use crate::prim::word::bit_cast_number;
use crate::sim::{init, step, Stimulus};
use crate::words::dcqcn::DcqcnEntry;
use hpcc_models::cc::{CcEvent, CongestionControl, EventKind};
use hpcc_models::fixed::dcqcn::{DcqcnRegisters, FixedDcqcnState};
use hpcc_models::fixed::{FixedDcqcn, FixedLaw};
use std::collections::VecDeque;

/// Clocks from the entry of an event to its update.
const INSIDE: u64 = LATENCY as u64 - 4;

/// A module with everything that enters it fed to the law.
pub struct Life<const FLOWS: usize, const A: usize> {
    pub slot: Box<DcqcnSlot<FLOWS, A>>,
    pub law: FixedDcqcn,
    pub random: Stimulus,
    /// Generation of each flow that lives in the law.
    pub live: Vec<Option<u8>>,
    /// Generation that the next creation of a flow has.
    pub next: Vec<u8>,
    /// Taken at the ports, not yet entered.
    pub events: VecDeque<CcEvent>,
    pub commands: VecDeque<(bool, u32, u8)>,
    /// Updates to come, and the clock of each.
    pub expected: VecDeque<(u64, RawUpdate)>,
    pub clock: u64,
    pub now: u64,
    pub updates: u64,
    pub ticks: u64,
    pub cuts: u64,
    pub out_of_range: u64,
    /// Clock of the last tick of each flow.
    pub visited: Vec<u64>,
    /// Chance that the receiver takes an update.
    pub accept: f64,
}

impl<const FLOWS: usize, const A: usize> Life<FLOWS, A> {
    pub fn new(registers: DcqcnRegisters, seed: u64) -> Self {
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
    pub fn step(&mut self, ns: u64, event: Option<&CcEvent>, command: Option<(bool, u32, u8)>) -> (bool, bool) {
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
    pub fn enter(&mut self, entry: DcqcnEntry, flow: u32) {
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

    pub fn expect(&mut self, flow: u32, generation: u8) {
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
    pub fn command(&mut self, create: bool, flow: u32, generation: u8) {
        while !self.step(5, None, Some((create, flow, generation))).1 {}
    }

    pub fn drain(&mut self) {
        self.accept = 1.0;
        for _ in 0..400 {
            self.step(5, None, None);
        }
        assert!(self.events.is_empty() && self.commands.is_empty());
    }

    /// The next random event: a few flows have most, in bursts; kinds that move rates far above their natural share.
    pub fn random_event(&mut self) -> CcEvent {
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
    pub fn random(&mut self, clocks: u64) {
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
            let jump = if self.random.chance(1e-4) { self.random.corner(28) } else { pace };
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
