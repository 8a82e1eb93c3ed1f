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

mod law;
mod measure;
mod params;
mod state;
#[cfg(test)]
mod tests;
mod unit;

pub use law::PowerLaw;
pub use measure::Sample;
pub use params::{
    Arithmetic, BaseRtt, Beta, Current, FirstAck, MissingRtt, OldWindow, PowerParams, Profile, Reaction, SecondTerm,
    Signal,
};
pub use state::{PowerBranch, PowerObservation, PowerState};
pub use unit::LawUnit;

use super::hpcc::{HpccCounters, Link, ParamError, StepOptions};
use super::{psn_after, CcEvent, CongestionControl, EventKind, FlowTable, Update, MAX_HOPS};

impl PowerLaw {
    /// NEWACK on one flow: the one-step interface. The event must carry what the law reads.
    pub fn step(&self, state: &mut PowerState, event: &CcEvent, options: &StepOptions) -> PowerObservation {
        let p = &self.params;
        // PowerTCP: strictly after the end of the round trip; theta, line 27 of Algorithm 2: `ack.seq < lastUpdated` returns.
        let at_the_end = p.signal == Signal::Delay && p.arithmetic == Arithmetic::Windows;
        let ends = psn_after(event.psn_next, state.snap_seq) || (at_the_end && event.psn_next == state.snap_seq);
        // the response to a probe is always a full update, as in HPCC++
        let full = ends || event.kind == EventKind::Probe;
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
        let taken = match self.law.params.signal {
            Signal::Int => event.kind.brings_int(),
            Signal::Delay => event.kind.acknowledges(),
        };
        if !taken {
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
