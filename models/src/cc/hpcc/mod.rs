//! HPCC, golden model (SIGCOMM 2019, Algorithm 1), with what the paper leaves open decided.
//!
//! In: [`CcEvent`] of kind `Ack` or `Nak` with INT. Out: window in bytes, rate in bits per second. Generic over the
//! float type; `f64` is the reference. An event is looked at in this order:
//!
//! 1. another kind (a [`EventKind::Probe`] is taken as an ACK that is always newer), an unknown flow, another generation, no INT, an invalid
//!    speed code: ignored (counted), no update
//! 2. first ACK of the flow with INT: records stored, `lastUpdateSeq = snd_nxt`
//! 3. per-RTT reaction and `ack.seq <= lastUpdateSeq`: nothing
//! 4. `nHop` or `pathID` differs: records replaced, `lastUpdateSeq = snd_nxt`, `U = 1` (also if the flow is stale as well)
//! 5. last ACK older than the stale limit: records replaced, `lastUpdateSeq = snd_nxt`
//! 6. Algorithm 1

mod alpha_fair;
mod class_search;
mod inflight;
mod law;
mod n_aware;
mod params;
mod remote;
mod state;
#[cfg(test)]
mod tests;
mod window;

pub use inflight::{HopDelta, Inflight};
pub(crate) use law::float;
pub use law::HpccLaw;
pub use params::{
    Fairness, HpccParams, ParamError, RateSignal, Reaction, BASE_RTT_RANGE_NS, DEFAULT_PORT_SPEEDS, MAX_LINK_RATE,
    MAX_WINDOW, Q_UNIT, TS_WRAP, TX_UNIT, TX_WRAP, UTILISATION_UNIT,
};
pub use remote::{receiver_kind, remote_window, Notified, ReceiverClock, RemoteWindow, SilenceWatch};
pub use state::{Branch, FlowState, HopRegister, Link, Observation};

use super::{psn_after, CcEvent, CongestionControl, EventKind, FlowTable, Update, MAX_HOPS};
use num_traits::Float;

/// What can be asked of one step beyond the law itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepOptions {
    /// Hop to take as the most congested one, whatever the maximum says.
    pub forced_hop: Option<usize>,
    /// Queue fields wider than the event's 16 bits (traces record 17).
    pub queues: Option<[u32; MAX_HOPS]>,
}

impl<F: Float> HpccLaw<F> {
    /// NEWACK (lines 21 to 27) on one flow: the one-step interface. The event must carry INT with valid speed codes.
    pub fn step(&self, state: &mut FlowState<F>, event: &CcEvent, options: &StepOptions) -> Observation<F> {
        let mut found = None;
        let newer = matches!(
            (self.params.reaction, event.kind),
            (Reaction::PerAck, _) | (_, EventKind::Probe)
        ) || psn_after(event.psn_next, state.last_update_seq);
        let links = links_of(event, options);
        let mut full = false;
        let branch = if !state.has_records {
            state.replace_records(event, &links);
            self.start_registers(state);
            Branch::First
        } else if self.params.reaction == Reaction::PerRtt && !newer {
            return observe(state, Branch::Unchanged, false, None);
        } else if event.n_hop != state.n_hop || event.path_id != state.path_id {
            state.replace_records(event, &links);
            state.u = F::one();
            self.start_registers(state);
            Branch::PathChange
        } else if event.now.saturating_sub(state.last_ack_ns) > u64::from(self.params.stale_limit_ns) {
            state.replace_records(event, &links);
            Branch::StaleFlow
        } else {
            full = newer; // 22: if ack.seq > lastUpdateSeq
            let inflight = self.inflight(state, &links, options.forced_hop);
            let branch = match self.params.fairness {
                Fairness::MaxMin => {
                    state.u = self.average(state.u, inflight.tau, inflight.u);
                    if self.params.class_search {
                        self.search_class(state, &inflight, &links, full)
                    } else {
                        let w_ai = self.additive_step(state, inflight.winner, event.now);
                        self.compute_window(state, full, w_ai) // 23, 26
                    }
                }
                Fairness::Alpha(alpha) => self.alpha_fair(state, &inflight, float(alpha), full),
            };
            if full {
                state.last_update_seq = event.snd_nxt; // 24
            }
            self.advance_records(state, &links); // 27
            found = Some(inflight);
            branch
        };
        state.last_ack_ns = event.now;
        observe(state, branch, full, found)
    }

    fn start_registers(&self, state: &mut FlowState<F>) {
        if let Fairness::Alpha(alpha) = self.params.fairness {
            self.reset_registers(state, float(alpha));
        }
    }
}

fn links_of(event: &CcEvent, options: &StepOptions) -> [Link; MAX_HOPS] {
    std::array::from_fn(|i| {
        let hop = event.hops[i];
        let q_len = options.queues.map_or(u32::from(hop.q_len), |queues| queues[i]);
        Link {
            speed: hop.speed & 15,
            ts: hop.ts,
            tx_bytes: hop.tx_bytes,
            q_len,
        }
    })
}

fn observe<F: Float>(
    state: &FlowState<F>,
    branch: Branch,
    full: bool,
    inflight: Option<Inflight<F>>,
) -> Observation<F> {
    Observation {
        branch,
        full,
        u: state.u,
        w: state.w,
        wc: state.wc,
        inc_stage: state.inc_stage,
        winner: inflight.and_then(|found| found.winner),
        tau_ns: inflight.and_then(|found| found.tau.to_u32()).unwrap_or(0),
        hop_u: inflight.map_or([None; MAX_HOPS], |found| found.hop_u),
    }
}

/// Events that were counted rather than used, or used in part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HpccCounters {
    /// ACKs with more than five hops: the first five are used.
    pub hops_over_five: u64,
    /// ACKs whose INT was ignored because of a speed code without entry.
    pub invalid_speed: u64,
    /// Events of a flow that does not exist or of an earlier generation.
    pub late: u64,
}

/// HPCC for all flows of a NIC.
#[derive(Clone, Debug)]
pub struct Hpcc<F = f64> {
    law: HpccLaw<F>,
    flows: FlowTable<FlowState<F>>,
    counters: HpccCounters,
    last: Option<Observation<F>>,
}

impl<F: Float> Hpcc<F> {
    /// No flows yet.
    pub fn new(params: HpccParams) -> Result<Self, ParamError> {
        HpccLaw::new(params).map(Self::of)
    }

    /// The same with `T` and a window that the hardware's number formats need not hold.
    pub fn beyond_hardware(params: HpccParams) -> Result<Self, ParamError> {
        HpccLaw::beyond_hardware(params).map(Self::of)
    }

    fn of(law: HpccLaw<F>) -> Self {
        Self {
            law,
            flows: FlowTable::default(),
            counters: HpccCounters::default(),
            last: None,
        }
    }

    /// The law and its parameters.
    pub fn law(&self) -> &HpccLaw<F> {
        &self.law
    }

    /// Counters since the start.
    pub fn counters(&self) -> HpccCounters {
        self.counters
    }

    /// State of a flow.
    pub fn state(&self, flow: u32) -> Option<&FlowState<F>> {
        self.flows.get(flow)
    }

    /// What the last event did; `None` if it was ignored.
    pub fn last(&self) -> Option<&Observation<F>> {
        self.last.as_ref()
    }

    /// [`CongestionControl::handle`] with options for one step.
    pub fn handle_with(&mut self, event: &CcEvent, options: &StepOptions) -> Option<Update> {
        self.last = None;
        if !event.kind.brings_int() {
            return None;
        }
        let Some(state) = self.flows.get_mut(event.flow, event.generation) else {
            self.counters.late += 1;
            return None;
        };
        if !event.int_valid {
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
        Some(self.update(event.flow, event.generation, seen.w))
    }

    fn update(&self, flow: u32, generation: u8, w: F) -> Update {
        let as_f64 = |value: F| value.to_f64().unwrap_or(f64::NAN);
        Update {
            flow,
            generation,
            window: as_f64(w),
            rate: as_f64(self.law.rate(w)),
        }
    }
}

impl<F: Float> CongestionControl for Hpcc<F> {
    fn name(&self) -> &'static str {
        "hpcc"
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        let state = FlowState::new(self.law.params());
        self.flows.insert(flow, generation, state);
        self.update(flow, generation, state.w)
    }

    fn remove(&mut self, flow: u32) {
        self.flows.remove(flow);
    }

    fn receiver_counts(&mut self, flow: u32, generation: u8, flows: u16, _now: u64) {
        if let Some(state) = self.flows.get_mut(flow, generation) {
            state.told_flows = flows;
        }
    }

    fn receiver_window(&mut self, flow: u32, generation: u8, window: f64) -> Option<Update> {
        let (window, _) = remote_window(window, self.law.params())?;
        let state = self.flows.get_mut(flow, generation)?;
        (state.w, state.wc) = (float(window), float(window));
        let w = state.w;
        Some(self.update(flow, generation, w))
    }

    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        self.handle_with(event, &StepOptions::default())
    }
}
