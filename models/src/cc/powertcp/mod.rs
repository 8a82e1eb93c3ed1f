//! PowerTCP and theta-PowerTCP, golden models (NSDI 2022, Algorithms 1 and 2), in the paper's form and in that of its authors'
//! released simulator.
//!
//! In: acknowledgements with INT (PowerTCP) or with the time at which their packet left (theta-PowerTCP). Out: window in bytes, rate in
//! bits per second. An acknowledgement is looked at in this order:
//!
//! 1. another kind, an unknown flow, another generation, no INT, an invalid speed code: ignored
//! 2. a law that reacts once a round trip, within it: nothing
//! 3. the first one, one on another path, one after a long silence: stored
//! 4. power ([`measure`](self)), smoothed (line 33), window (line 39), then the end of the round trip

mod measure;
mod params;
mod state;
#[cfg(test)]
mod tests;

pub use measure::Sample;
pub use params::{
    Arithmetic, BaseRtt, Beta, Current, FirstAck, OldWindow, PowerParams, Profile, Reaction, SecondTerm, Signal,
};
pub use state::{PowerBranch, PowerObservation, PowerState};

use super::hpcc::{HpccCounters, Link, ParamError, StepOptions, TX_UNIT, TX_WRAP};
use super::{psn_after, CcEvent, CongestionControl, EventKind, FlowTable, Update, MAX_HOPS};

/// What windows are counted in: bytes, or whole bits per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawUnit {
    /// Largest value and that of a new flow.
    pub most: f64,
    /// Smallest value.
    pub least: f64,
    /// Additive increase.
    pub beta: f64,
    /// Products are cut to whole numbers.
    pub whole: bool,
}

impl LawUnit {
    fn of(params: &PowerParams) -> Self {
        match params.arithmetic {
            Arithmetic::Windows => Self {
                most: params.w_init,
                least: params.w_min(),
                beta: params.beta_bytes(),
                whole: false,
            },
            Arithmetic::WholeRates => Self {
                most: params.line_rate as f64,
                least: params.min_rate as f64,
                beta: params.beta_rate(),
                whole: true,
            },
        }
    }

    fn cut(&self, value: f64) -> f64 {
        if self.whole {
            value.trunc()
        } else {
            value
        }
    }
}

/// The law without any flow: validated parameters and the constants that follow from them.
#[derive(Clone, Debug)]
pub struct PowerLaw {
    params: PowerParams,
    unit: LawUnit,
    /// `tau`, ns.
    tau: f64,
    /// A hop's record is stale from this age on, ns, by speed code; `None`: never.
    stale_dt: [Option<u32>; 16],
}

impl PowerLaw {
    /// Checks the parameters and derives the constants.
    pub fn new(params: PowerParams) -> Result<Self, ParamError> {
        params.validate()?;
        Self::beyond_hardware(params)
    }

    /// The same with `tau` and a window that the hardware's number formats need not hold.
    pub fn beyond_hardware(params: PowerParams) -> Result<Self, ParamError> {
        params.validate_law()?;
        let stale_dt = params.port_speeds.map(|speed| {
            params.stale_limit_ns.map(|limit| {
                let turn_bits = u128::from(TX_WRAP) * u128::from(TX_UNIT) * u128::from(params.int_multi) * 8;
                let turn_ns = (turn_bits * 1_000_000_000).div_ceil(u128::from(speed.max(1)));
                u32::try_from(turn_ns).map_or(limit + 1, |turn| turn.min(limit + 1))
            })
        });
        Ok(Self {
            unit: LawUnit::of(&params),
            tau: f64::from(params.base_rtt_ns),
            stale_dt,
            params,
        })
    }

    /// The parameters.
    pub fn params(&self) -> &PowerParams {
        &self.params
    }

    /// A flow that has just started.
    pub fn start(&self) -> PowerState {
        PowerState::new(&self.params, &self.unit)
    }

    /// A window of the state in bytes.
    pub fn bytes(&self, state: &PowerState, value: f64) -> f64 {
        match self.params.arithmetic {
            Arithmetic::Windows => value,
            Arithmetic::WholeRates => value * (state.base_rtt_ns as f64 * 1e-9) / 8.0,
        }
    }

    /// A window of the state as a rate, bits per second.
    pub fn rate(&self, value: f64) -> f64 {
        match self.params.arithmetic {
            Arithmetic::Windows => value * self.params.line_rate as f64 / self.params.w_init,
            Arithmetic::WholeRates => value,
        }
    }

    /// NEWACK on one flow: the one-step interface. The event must carry what the law reads.
    pub fn step(&self, state: &mut PowerState, event: &CcEvent, options: &StepOptions) -> PowerObservation {
        let p = &self.params;
        // PowerTCP: strictly after the end of the round trip; theta, line 27 of Algorithm 2: `ack.seq < lastUpdated` returns.
        let at_the_end = p.signal == Signal::Delay && p.arithmetic == Arithmetic::Windows;
        let full = psn_after(event.psn_next, state.snap_seq) || (at_the_end && event.psn_next == state.snap_seq);
        if p.reaction == Reaction::PerRoundTrip && state.has_records && !full {
            return self.observe(state, PowerBranch::Unchanged, false, None);
        }
        let old = match p.old_window {
            OldWindow::PerPacket => state.window_at_send(event),
            _ => state.old,
        };
        let links = links_of(event, options);
        let measured = match p.signal {
            Signal::Int => self.measure_hops(state, event, &links, options.forced_hop),
            Signal::Delay => self.measure_delay(state, event),
        };
        let kept_time = p.signal == Signal::Delay && measured == Err(PowerBranch::NoSample);
        if !kept_time {
            state.last_ack_ns = event.now;
        }
        let mut sample = match measured {
            Ok(sample) => sample,
            Err(branch) => return self.observe(state, branch, full, None),
        };
        self.smooth(state, &mut sample);
        if p.reaction == Reaction::WindowPerRoundTrip && !full {
            return self.observe(state, PowerBranch::Power, false, Some(sample));
        }
        state.current = self.window(state.power, old, state.current);
        if full {
            self.end_round_trip(state, event);
        }
        self.observe(state, PowerBranch::Window, full, Some(sample))
    }

    /// Line 33 (Algorithm 2: line 21).
    fn smooth(&self, state: &mut PowerState, sample: &mut Sample) {
        let base = state.base_rtt_ns;
        if self.params.clamp_dt {
            sample.dt_ns = sample.dt_ns.min(base);
        }
        let (base, dt) = (base as f64, sample.dt_ns as f64);
        state.power = (state.power * (base - dt) + sample.norm * dt) / base;
    }

    /// Line 39 with the clamp.
    pub(crate) fn window(&self, power: f64, old: f64, current: f64) -> f64 {
        let p = &self.params;
        let second = match p.second_term {
            SecondTerm::Current => current,
            SecondTerm::Old => old,
        };
        let power = power.max(p.smallest_power) / p.eta;
        let unit = &self.unit;
        // A power of nothing gives infinity, which the clamp takes.
        let first = unit.cut(p.gamma * (unit.cut(old / power) + unit.beta));
        let new = first + unit.cut(p.one_minus_gamma * second);
        new.min(unit.most).max(unit.least)
    }

    fn end_round_trip(&self, state: &mut PowerState, event: &CcEvent) {
        match self.params.old_window {
            OldWindow::LastFull => state.old = state.current,
            _ => (state.old, state.stored) = (state.stored, state.current),
        }
        if self.params.arithmetic == Arithmetic::Windows || psn_after(event.snd_nxt, state.snap_seq) {
            state.snap_seq = event.snd_nxt;
        }
    }

    fn observe(&self, state: &PowerState, branch: PowerBranch, full: bool, sample: Option<Sample>) -> PowerObservation {
        PowerObservation {
            branch,
            full,
            norm_power: sample.map(|s| s.norm),
            power: state.power,
            w: self.bytes(state, state.current),
            old: self.bytes(state, state.old),
            rate: self.rate(state.current),
            reference_rate: self.rate(state.old),
            base_rtt_ns: state.base_rtt_ns,
            winner: sample.and_then(|s| s.winner),
            dt_ns: sample.map_or(0, |s| s.dt_ns),
            hop_power: sample.map_or([None; MAX_HOPS], |s| s.hop_power),
        }
    }
}

fn links_of(event: &CcEvent, options: &StepOptions) -> [Link; MAX_HOPS] {
    std::array::from_fn(|i| Link {
        speed: event.hops[i].speed & 15,
        ts: event.hops[i].ts,
        tx_bytes: event.hops[i].tx_bytes,
        q_len: options
            .queues
            .map_or(u32::from(event.hops[i].q_len), |queues| queues[i]),
    })
}

/// PowerTCP or theta-PowerTCP for all flows of a NIC.
#[derive(Clone, Debug)]
pub struct PowerTcp {
    law: PowerLaw,
    flows: FlowTable<PowerState>,
    counters: HpccCounters,
    last: Option<PowerObservation>,
}

impl PowerTcp {
    /// No flows yet. `tau` and windows may be beyond the hardware's number formats.
    pub fn new(params: PowerParams) -> Result<Self, ParamError> {
        Ok(Self {
            law: PowerLaw::beyond_hardware(params)?,
            flows: FlowTable::default(),
            counters: HpccCounters::default(),
            last: None,
        })
    }

    /// The law and its parameters.
    pub fn law(&self) -> &PowerLaw {
        &self.law
    }

    /// Counters since the start.
    pub fn counters(&self) -> HpccCounters {
        self.counters
    }

    /// State of a flow.
    pub fn state(&self, flow: u32) -> Option<&PowerState> {
        self.flows.get(flow)
    }

    /// What the last event did; `None` if it was ignored.
    pub fn last(&self) -> Option<&PowerObservation> {
        self.last.as_ref()
    }

    /// [`CongestionControl::handle`] with options for one step.
    pub fn handle_with(&mut self, event: &CcEvent, options: &StepOptions) -> Option<Update> {
        self.last = None;
        if !matches!(event.kind, EventKind::Ack | EventKind::Nak) {
            return None;
        }
        let Some(state) = self.flows.get_mut(event.flow, event.generation) else {
            self.counters.late += 1;
            return None;
        };
        if !self.law.is_usable(event) {
            return None;
        }
        if self.law.has_invalid_speed(event) {
            self.counters.invalid_speed += 1;
            return None;
        }
        if usize::from(event.n_hop) > MAX_HOPS {
            self.counters.hops_over_five += 1;
        }
        let seen = self.law.step(state, event, options);
        self.last = Some(seen);
        Some(Update {
            flow: event.flow,
            generation: event.generation,
            window: seen.w,
            rate: seen.rate,
        })
    }
}

impl CongestionControl for PowerTcp {
    fn name(&self) -> &'static str {
        self.law.params.name()
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        let state = self.law.start();
        let update = Update {
            flow,
            generation,
            window: self.law.bytes(&state, state.current),
            rate: self.law.rate(state.current),
        };
        self.flows.insert(flow, generation, state);
        update
    }

    fn remove(&mut self, flow: u32) {
        self.flows.remove(flow);
    }

    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        self.handle_with(event, &StepOptions::default())
    }
}
