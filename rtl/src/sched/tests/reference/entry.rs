//! Which source goes first, and what it brings.

use super::ports::{Inputs, SOURCES};
use crate::words::sched::Telemetry;
use hpcc_models::sched::{FlowSettings, Op};
use std::collections::VecDeque;

/// What happens to a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Op(Op),
    /// After reset.
    Clear,
}

/// An operation that was taken.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    pub flow: u16,
    pub generation: u8,
    pub act: Act,
    /// PSN of an acknowledgement or notice.
    pub psn: u32,
    /// What it carried; of an operation that is no acknowledgement, what the last one did.
    pub telemetry: Telemetry,
}

/// The two places of a source.
#[derive(Clone, Default)]
struct Places {
    waiting: VecDeque<Taken>,
    ready: bool,
}

pub struct Entry {
    last_flow: u16,
    timer_clocks: u32,
    phase: usize,
    places: [Places; SOURCES],
    /// The flow that is cleared next.
    sweep: Option<u16>,
    /// A flow was cleared one and two clocks ago.
    swept: [bool; 2],
    timer_flow: u16,
    timer_wait: u32,
    timer_due: bool,
    /// Clocks since the timer came to its flow.
    timer_age: u32,
    /// Flows of the last four clocks, as far as they are compared.
    recent: [Option<u16>; 4],
    /// Bits of a flow number that are compared.
    compared: u16,
    chosen: Option<Taken>,
    /// What acknowledgements carried: the last sixteen taken at the port, how many were, and how many of them were chosen.
    carried: [Telemetry; 16],
    carried_count: usize,
    chosen_count: usize,
    /// The operation that leaves.
    pub out: Option<Taken>,
    /// What would have left has a flow number that does not exist.
    pub out_of_range: bool,
}

const UPDATES: usize = 0;
const COMMANDS: usize = 1;
/// Acknowledgements.
const EVENTS: usize = 2;
/// READ requests that left.
pub const FEEDBACK: usize = 3;
const WORK: usize = 4;
/// Looks of the timer, which offer nothing at a port.
const LOOKS: usize = 5;

impl Entry {
    pub fn new(flows: u16, flow_bits: u32, timer_clocks: u32) -> Self {
        Self {
            last_flow: flows - 1,
            timer_clocks,
            phase: 0,
            places: Default::default(),
            sweep: None,
            swept: [false; 2],
            timer_flow: 0,
            timer_wait: 0,
            timer_due: false,
            timer_age: 0,
            recent: [None; 4],
            compared: ((1u32 << flow_bits) - 1) as u16,
            chosen: None,
            carried: [Telemetry::default(); 16],
            carried_count: 0,
            chosen_count: 0,
            out: None,
            out_of_range: false,
        }
    }

    /// Which sources are taken.
    pub fn ready(&self) -> [bool; SOURCES] {
        std::array::from_fn(|source| self.places[source].ready)
    }

    /// The flow that a source, or a look of the timer, waits for.
    fn head(&self, source: usize) -> Option<u16> {
        if source == LOOKS {
            return Some(self.timer_flow);
        }
        self.places[source].waiting.front().map(|head| head.flow)
    }

    /// The source that is chosen; flows of the last four clocks wait, and that of the last one keeps its turn all the same. A command that
    /// waits lets nobody go before it.
    fn choose(&self, timers_rest: bool) -> Option<usize> {
        let compared = |source: usize| self.head(source).map(|flow| flow & self.compared);
        let wants = |source: usize| {
            let known = source != LOOKS || (self.timer_due && !timers_rest && self.timer_age >= 3);
            let flow = compared(source).filter(|_| known)?;
            (!self.recent[1..].contains(&Some(flow))).then_some(source)
        };
        // of two sides that both want the one whose turn it is
        let meet = |bit: usize, first: Option<usize>, second: Option<usize>| match self.phase >> bit & 1 {
            0 => first.or(second),
            _ => second.or(first),
        };
        let others = meet(1, meet(0, wants(FEEDBACK), wants(WORK)), wants(LOOKS));
        let mut elected = meet(2, meet(0, wants(UPDATES), wants(EVENTS)), others);
        if !self.places[COMMANDS].waiting.is_empty() {
            elected = wants(COMMANDS);
        }
        elected.filter(|source| compared(*source) != self.recent[0])
    }

    /// What a source offers.
    fn offered(&self, source: usize, inputs: &Inputs) -> Option<Taken> {
        let event = &inputs.event;
        let (flow, generation, op) = match source {
            UPDATES => {
                let update = inputs.update?;
                let op = Op::Update(update.rate.0, update.window.0);
                (update.flow.0 as u16, update.generation.0 as u8, op)
            }
            COMMANDS => inputs.command?,
            EVENTS => {
                if !inputs.event_valid {
                    return None;
                }
                let psn = event.psn_next.0 as u32;
                let op = match event.telemetry.event_kind.0 {
                    0 => Op::Ack(psn),
                    1 => Op::Nak(psn),
                    _ => Op::Notify,
                };
                let op = if event.not_ready { Op::Wait(psn, event.rnr_timer.0 as u8) } else { op };
                (event.flow.0 as u16, event.generation.0 as u8, op)
            }
            FEEDBACK => inputs.feedback.filter(|(_, _, op)| matches!(op, Op::Advance(..)))?,
            _ => inputs.work?,
        };
        Some(Taken {
            flow,
            generation,
            act: Act::Op(op),
            psn: event.psn_next.0 as u32,
            telemetry: event.telemetry,
        })
    }

    /// The operation of a source that is chosen.
    fn take(&mut self, source: usize) -> Option<Taken> {
        self.chosen_count += usize::from(source == EVENTS);
        let telemetry = self.carried[(self.chosen_count + 15) % 16];
        if source == LOOKS {
            let flow = self.timer_flow;
            return Some(Taken {
                flow,
                generation: 0,
                act: Act::Op(Op::Tick),
                psn: 0,
                telemetry,
            });
        }
        let taken = self.places[source].waiting.pop_front()?;
        Some(Taken { telemetry, ..taken })
    }

    pub fn clock(&mut self, inputs: &Inputs, timers_rest: bool) {
        let source = self.choose(timers_rest);
        let exists = |taken: &Taken| taken.flow <= self.last_flow;
        self.out = self.chosen.filter(exists);
        self.out_of_range = self.chosen.is_some_and(|taken| !exists(&taken));
        let taken = source.and_then(|source| self.take(source));
        self.chosen = taken;
        self.recent.rotate_right(1);
        self.recent[0] = taken.map(|taken| taken.flow & self.compared);
        let closed = self.sweep.is_some() || self.swept.contains(&true);
        self.swept = [self.sweep.is_some(), self.swept[0]];
        for source in 0..SOURCES {
            if let Some(offered) = self.offered(source, inputs).filter(|_| self.places[source].ready) {
                self.places[source].waiting.push_back(offered);
                if source == EVENTS {
                    self.carried[self.carried_count % 16] = offered.telemetry;
                    self.carried_count += 1;
                }
            }
            self.places[source].ready = self.places[source].waiting.len() < 2 && !closed;
        }
        self.phase = (self.phase + 1) % 8;
        self.timer_age += 1;
        if source == Some(LOOKS) {
            self.timer_due = false;
            self.timer_age = 0;
            self.timer_flow = if self.timer_flow == self.last_flow { 0 } else { self.timer_flow + 1 };
        }
        self.timer_due |= self.timer_wait == self.timer_clocks - 1;
        self.timer_wait = (self.timer_wait + 1) % self.timer_clocks;
        if let Some(flow) = self.sweep {
            self.chosen = Some(Taken {
                flow,
                generation: 0,
                act: Act::Clear,
                psn: 0,
                telemetry: Telemetry::default(),
            });
            self.sweep = Some(flow + 1).filter(|flow| *flow <= self.last_flow);
        }
        if inputs.reset {
            self.recent[0] = None;
            *self = Self {
                last_flow: self.last_flow,
                timer_clocks: self.timer_clocks,
                recent: self.recent,
                compared: self.compared,
                carried: self.carried,
                sweep: Some(0),
                ..Self::new(1, 0, 0)
            };
        }
    }
}

/// A command as an operation.
pub fn command(create: bool, psn: u32, settings: FlowSettings, limit: Option<(u64, u8)>) -> Op {
    match limit {
        _ if create => Op::Create(psn, settings),
        Some((rate, group)) => Op::Limit(rate, group),
        None => Op::Remove,
    }
}
