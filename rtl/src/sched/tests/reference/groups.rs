//! Levels of groups on their way, who has work by groups, and what the groups have sent.

use super::entry::Act;
use super::events::Effect;
use super::ports::Registers;
use super::stages::Later;
use hpcc_models::sched::limit::GROUPS;
use hpcc_models::sched::{CapControl, Level, Membership, SchedRegisters};

/// A level that was written: group, rate, and the registers of that clock.
type Written = Option<(u8, u64, SchedRegisters, CapControl)>;

pub struct Levels {
    written: Later<Written>,
    settle: u8,
    /// The level that the engines write in this clock.
    pub out: Option<(u8, Level)>,
}

impl Levels {
    pub fn new() -> Self {
        Self {
            written: Later::new(7),
            settle: 0,
            out: None,
        }
    }

    pub fn clock(&mut self, level: Option<(u8, u64)>, registers: &Registers, reset: bool) {
        let written = level.map(|(group, rate)| (group, rate, registers.words, registers.limits));
        self.out = self
            .written
            .pass(written)
            .map(|(group, rate, words, limits)| (group, Level::new(rate, &limits, &words)));
        if self.settle > 0 {
            self.out = Some((self.settle & 15, Level::NONE));
            self.settle -= 1;
        }
        if reset {
            self.settle = 31;
        }
    }
}

/// What changes the sums of a group: flows with work, bytes.
type Change = (u8, i64, i64);

pub struct Groups {
    members: Vec<Membership>,
    /// Group and MTU code of each flow, as leaving packets find them.
    at_exit: Vec<(u8, u8)>,
    to_exit: Later<Option<(u16, u8, u8)>>,
    of_events: Later<[Option<Change>; 2]>,
    corrections: Later<Option<Change>>,
    on_the_way: Later<Option<u16>>,
    leaving: Later<Option<(u8, u8)>>,
    of_packet: Later<Option<Change>>,
    changes: Later<Vec<Change>>,
    active: [i64; GROUPS],
    bytes: [i64; GROUPS],
    turn: u8,
    clearing: bool,
    counted: Later<Option<(u8, u64)>>,
    totalled: Later<Option<(u8, u64)>>,
    shown: [(u64, u64); GROUPS],
    /// Flows with work and bytes of the group that was looked at.
    pub out: (u64, u64),
}

impl Groups {
    pub fn new(flows: usize) -> Self {
        Self {
            members: vec![Membership::default(); flows],
            at_exit: vec![(0, 0); flows],
            to_exit: Later::new(2),
            of_events: Later::new(2),
            corrections: Later::new(3),
            on_the_way: Later::new(1),
            leaving: Later::new(2),
            of_packet: Later::new(1),
            changes: Later::new(2),
            active: [0; GROUPS],
            bytes: [0; GROUPS],
            turn: 0,
            clearing: false,
            counted: Later::new(2),
            totalled: Later::new(3),
            shown: [(0, 0); GROUPS],
            out: (0, 0),
        }
    }

    /// Who comes and who goes by an event.
    fn event(&mut self, effect: &Effect) -> [Option<Change>; 2] {
        let member = &mut self.members[usize::from(effect.taken.flow)];
        let before = *member;
        let Act::Op(op) = effect.taken.act else {
            // who was there before a reset has gone with it
            member.active = false;
            return [None; 2];
        };
        member.handle(op, &effect.after, &effect.outcome);
        if effect.outcome.late {
            return [None; 2];
        }
        [
            Some((before.group, -i64::from(before.active), 0)),
            Some((member.group, i64::from(member.active), 0)),
        ]
    }

    pub fn clock(
        &mut self,
        effect: Option<&Effect>,
        corrects: Option<(u16, u32)>,
        leaves: Option<u16>,
        look: u8,
        registers: &Registers,
        reset: bool,
    ) {
        // what packets find of their flow
        let exit = effect
            .filter(|effect| !effect.outcome.late)
            .map(|effect| effect.taken.flow);
        let of_event = effect.map_or([None; 2], |effect| self.event(effect));
        let exit = exit.map(|flow| {
            let mtu = effect.map_or(0, |effect| effect.after.mtu);
            (flow, self.members[usize::from(flow)].group, mtu)
        });
        if let Some((flow, group, mtu)) = self.to_exit.pass(exit) {
            self.at_exit[usize::from(flow)] = (group, mtu);
        }
        let correction = corrects.map(|(flow, bytes)| {
            let (group, _) = self.at_exit[usize::from(flow)];
            (group, 0, -i64::from((bytes << 12) as i32 >> 12))
        });
        let correction = self.corrections.pass(correction);
        let leaves = self.on_the_way.pass(leaves);
        let left = self.leaving.pass(leaves.map(|flow| self.at_exit[usize::from(flow)]));
        let packet = left.map(|(group, mtu)| (group, 0, i64::from(registers.words.wire_bytes(mtu))));
        let packet = self.of_packet.pass(packet);

        // sums; for sixteen clocks after a reset nothing counts
        let events = self.of_events.pass(of_event);
        let changes = events.into_iter().chain([packet, correction]).flatten();
        let changes = if self.clearing { vec![] } else { changes.collect() };
        for (group, flows, bytes) in self.changes.pass(changes) {
            self.active[usize::from(group)] += flows;
            self.bytes[usize::from(group)] += bytes;
        }
        if self.clearing {
            (self.active, self.bytes) = ([0; GROUPS], [0; GROUPS]);
        }

        // one group after the other is shown
        let turn = usize::from(self.turn);
        self.out = self.shown[usize::from(look)];
        if let Some((group, count)) = self.counted.pass(Some((self.turn, self.active[turn] as u64 & 0xffff))) {
            self.shown[usize::from(group)].0 = count;
        }
        if let Some((group, total)) = self.totalled.pass(Some((self.turn, self.bytes[turn] as u64))) {
            self.shown[usize::from(group)].1 = total;
        }
        self.clearing &= self.turn != 15;
        self.turn = (self.turn + 1) % 16;
        if reset {
            (self.turn, self.clearing) = (0, true);
        }
    }
}
