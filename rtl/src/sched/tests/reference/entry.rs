//! Which source goes first, and what it brings.

use super::ports::{Inputs, SOURCES};
use crate::words::sched::Telemetry;
use hpcc_models::sched::{FlowSettings, Op};

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
    /// What lay on the port of the acknowledgements then.
    pub telemetry: Telemetry,
}

pub struct Entry {
    last_flow: u16,
    timer_clocks: u32,
    phase: usize,
    /// The flow that is cleared next.
    sweep: Option<u16>,
    timer_flow: u16,
    timer_wait: u32,
    timer_due: bool,
    /// Flows of the last two clocks.
    recent: [Option<u16>; 2],
    chosen: Option<Taken>,
    /// The operation that leaves.
    pub out: Option<Taken>,
    /// What would have left has a flow number that does not exist.
    pub out_of_range: bool,
}

impl Entry {
    pub fn new(flows: u16, timer_clocks: u32) -> Self {
        Self {
            last_flow: flows - 1,
            timer_clocks,
            phase: 0,
            sweep: None,
            timer_flow: 0,
            timer_wait: 0,
            timer_due: false,
            recent: [None; 2],
            chosen: None,
            out: None,
            out_of_range: false,
        }
    }

    /// The source that is taken: that of the phase, or the first one. Flows of the last two clocks wait.
    pub fn choose(&self, inputs: &Inputs, timers_rest: bool) -> Option<usize> {
        if self.sweep.is_some() {
            return None;
        }
        let flows = [
            inputs.update.map(|update| update.flow.0 as u16),
            inputs.command.map(|command| command.0),
            Some(inputs.event.flow.0 as u16).filter(|_| inputs.event_valid),
            inputs.feedback.map(|feedback| feedback.0),
            inputs.work.map(|work| work.0),
            Some(self.timer_flow).filter(|_| self.timer_due && !timers_rest),
        ];
        let free = |source: usize| flows[source].is_some_and(|flow| !self.recent.contains(&Some(flow)));
        let of_phase = self
            .phase
            .checked_sub(1)
            .filter(|source| *source <= SOURCES && free(*source));
        of_phase.or_else(|| (0..=SOURCES).find(|source| free(*source)))
    }

    fn taken(&self, source: usize, inputs: &Inputs) -> Option<Taken> {
        let event = &inputs.event;
        let (flow, generation, op) = match source {
            0 => {
                let update = inputs.update?;
                let op = Op::Update(update.rate.0, update.window.0);
                (update.flow.0 as u16, update.generation.0 as u8, op)
            }
            1 => inputs.command?,
            2 => {
                let psn = event.psn_next.0 as u32;
                let op = match event.telemetry.event_kind.0 {
                    0 => Op::Ack(psn),
                    1 => Op::Nak(psn),
                    _ => Op::Notify,
                };
                (event.flow.0 as u16, event.generation.0 as u8, op)
            }
            3 => inputs.feedback?,
            4 => inputs.work?,
            _ => (self.timer_flow, 0, Op::Tick),
        };
        Some(Taken {
            flow,
            generation,
            act: Act::Op(op),
            psn: event.psn_next.0 as u32,
            telemetry: event.telemetry,
        })
    }

    pub fn clock(&mut self, source: Option<usize>, inputs: &Inputs) {
        let taken = source.and_then(|source| self.taken(source, inputs));
        let exists = |taken: &Taken| taken.flow <= self.last_flow;
        self.out = self.chosen.filter(exists);
        self.out_of_range = self.chosen.is_some_and(|taken| !exists(&taken));
        self.chosen = taken;
        self.recent = [taken.map(|taken| taken.flow), self.recent[0]];
        self.phase = (self.phase + 1) % 8;
        self.timer_due |= self.timer_wait == self.timer_clocks - 1;
        self.timer_wait = (self.timer_wait + 1) % self.timer_clocks;
        if source == Some(SOURCES) {
            self.timer_due = false;
            self.timer_flow = if self.timer_flow == self.last_flow { 0 } else { self.timer_flow + 1 };
        }
        if let Some(flow) = self.sweep {
            self.chosen = Some(Taken {
                flow,
                generation: 0,
                act: Act::Clear,
                psn: 0,
                telemetry: inputs.event.telemetry,
            });
            self.sweep = Some(flow + 1).filter(|flow| *flow <= self.last_flow);
        }
        if inputs.reset {
            *self = Self {
                sweep: Some(0),
                recent: [None, self.recent[1]],
                ..Self::new(self.last_flow + 1, self.timer_clocks)
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
