//! What operations do to flows, nine clocks after they were taken.

use super::entry::{Act, Taken};
use super::ports::Registers;
use hpcc_models::sched::psn::ahead;
use hpcc_models::sched::{Cap, CapControl, Op, Outcome, Pacing, SchedRegisters, SenderState, Timing, VisitState};

/// What an operation has led to.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    pub taken: Taken,
    pub outcome: Outcome,
    pub before: SenderState,
    pub after: SenderState,
    pub pacing: Option<Pacing>,
    pub cap: Option<Cap>,
    /// PSN for the congestion control.
    pub psn: u32,
    /// Packets that are acknowledged newly.
    pub acked: u32,
}

impl Effect {
    pub fn clears(&self) -> bool {
        self.taken.act == Act::Clear
    }
}

/// An operation on its way, and what it has met.
#[derive(Clone, Copy)]
struct Flight {
    taken: Taken,
    interval_ns: u32,
    control: CapControl,
    visited: VisitState,
    overhead: u32,
    timer_now: u32,
    timeout: u32,
    retry_limit: u8,
    rnr_retry: u8,
    held: u8,
}

pub struct Events {
    flows: Vec<SenderState>,
    /// Operations by the clocks since they left the entry, less one.
    line: [Option<Flight>; 8],
    /// The operation that ends in this clock.
    pub effect: Option<Effect>,
}

impl Events {
    pub fn new(flows: usize) -> Self {
        Self {
            flows: vec![SenderState::default(); flows],
            line: [None; 8],
            effect: None,
        }
    }

    pub fn clock(
        &mut self,
        taken: Option<Taken>,
        registers: &Registers,
        held: u8,
        visited: impl Fn(u16) -> VisitState,
    ) {
        let first = taken.map(|taken| Flight {
            taken,
            interval_ns: registers.words.interval_ns,
            control: registers.limits,
            visited: VisitState::default(),
            overhead: 0,
            timer_now: 0,
            timeout: 0,
            retry_limit: 0,
            rnr_retry: 0,
            held: 0,
        });
        if let Some(flight) = &mut self.line[1] {
            flight.visited = visited(flight.taken.flow);
        }
        if let Some(flight) = &mut self.line[4] {
            flight.timer_now = (registers.now >> 10) as u32 & 0xffff;
        }
        if let Some(flight) = &mut self.line[5] {
            flight.overhead = registers.words.overhead;
            (flight.timeout, flight.retry_limit) = (registers.words.timeout, registers.words.retry_limit);
            flight.rnr_retry = registers.rnr_retry;
            flight.held = held;
        }
        self.effect = self.line[7].map(|flight| self.carry_out(&flight, &registers.words));
        self.line.rotate_right(1);
        self.line[0] = first;
    }

    fn carry_out(&mut self, flight: &Flight, registers: &SchedRegisters) -> Effect {
        let Flight { taken, visited, .. } = flight;
        let state = &mut self.flows[usize::from(taken.flow)];
        let before = *state;
        let mut effect = Effect {
            taken: *taken,
            outcome: Outcome::default(),
            before,
            after: SenderState::default(),
            pacing: None,
            cap: None,
            psn: taken.psn,
            acked: 0,
        };
        let Act::Op(op) = taken.act else {
            *state = SenderState::default();
            return effect;
        };
        let timing = Timing {
            now: flight.timer_now,
            timeout: flight.timeout,
            retry_limit: flight.retry_limit,
            rnr_retry: flight.rnr_retry,
            held: flight.held,
        };
        let outcome = state.handle(op, taken.generation, visited, &timing);
        (effect.outcome, effect.after) = (outcome, *state);
        let registers = SchedRegisters {
            interval_ns: flight.interval_ns,
            overhead: flight.overhead,
            ..*registers
        };
        effect.pacing = outcome.paced.then(|| match op {
            Op::Update(rate, window) => Pacing::new(rate, window, state.mtu, &registers),
            _ => Pacing::new(0, 0, state.mtu, &registers),
        });
        effect.cap = outcome.limited.then(|| match op {
            Op::Limit(rate, group) => Cap::new(rate, group, state.mtu, &flight.control, &registers),
            _ => Cap::NONE,
        });
        if outcome.timeout {
            effect.psn = state.una;
        }
        if matches!(op, Op::Ack(_) | Op::Nak(_) | Op::Wait(..)) {
            effect.acked = ahead(state.una, before.una);
        }
        effect
    }
}
