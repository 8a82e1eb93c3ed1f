//! Golden HPCC that keeps its rates as whole bits per second, as the authors' ns-3 simulator does.
//!
//! A packet-level network is chaotic: a last bit in one window moves one packet by a nanosecond, and after a millisecond other packets
//! meet in other queues. With this rounding, and nothing else changed, our network and that simulator agree to the nanosecond.

use hpcc_models::cc::hpcc::{Branch, FlowState, HpccLaw, HpccParams, ParamError, StepOptions};
use hpcc_models::cc::{CcEvent, CongestionControl, FlowTable, Update};

/// HPCC for all flows of a NIC, rates cut to whole bits per second after every step.
pub struct WholeRateHpcc {
    law: HpccLaw<f64>,
    flows: FlowTable<FlowState<f64>>,
}

impl WholeRateHpcc {
    /// No flows yet.
    pub fn new(params: HpccParams) -> Result<Self, ParamError> {
        Ok(Self {
            law: HpccLaw::beyond_hardware(params)?,
            flows: FlowTable::default(),
        })
    }

    /// The window whose rate is the whole number of bits per second at or below that of `w`.
    fn whole(&self, w: f64) -> (f64, f64) {
        let params = self.law.params();
        // A rate that is whole but for rounding errors stays what it is.
        let rate = (self.law.rate(w) + 1e-4).floor();
        (rate * params.w_init / params.line_rate as f64, rate)
    }
}

impl CongestionControl for WholeRateHpcc {
    fn name(&self) -> &'static str {
        "hpcc"
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        let state = FlowState::new(self.law.params());
        self.flows.insert(flow, generation, state);
        Update {
            flow,
            generation,
            window: state.w,
            rate: self.law.rate(state.w),
        }
    }

    fn remove(&mut self, flow: u32) {
        self.flows.remove(flow);
    }

    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        if !event.kind.acknowledges() || !event.int_valid || self.law.has_invalid_speed(event) {
            return None;
        }
        let state = self.flows.get_mut(event.flow, event.generation)?;
        let options = StepOptions {
            forced_hop: ns3_winner(self.law.params(), state, event),
            ..StepOptions::default()
        };
        let seen = self.law.step(state, event, &options);
        let mut next = *state;
        let (w, rate) = self.whole(next.w);
        next.w = w;
        if seen.full {
            next.wc = w;
        }
        *self.flows.get_mut(event.flow, event.generation)? = next;
        // Algorithm 1 has not run on these: that simulator leaves the rate alone.
        let ran = matches!(seen.branch, Branch::Multiplicative | Branch::Additive);
        ran.then_some(Update {
            flow: event.flow,
            generation: event.generation,
            window: w,
            rate,
        })
    }
}

/// The most congested hop in the order of operations of that simulator. Two hops whose `u'` is equal on paper differ in the last bit there,
/// which decides whose `tau` counts.
fn ns3_winner(params: &HpccParams, state: &FlowState<f64>, event: &CcEvent) -> Option<usize> {
    let line = params.line_rate as f64;
    let multi = f64::from(params.int_multi);
    let mut found = (0.0, None);
    for (i, (hop, last)) in event
        .hops
        .iter()
        .zip(&state.links)
        .enumerate()
        .take(usize::from(event.n_hop))
    {
        let speed = params.port_speeds[usize::from(hop.speed & 15)] as f64;
        let seconds = f64::from(hop.ts.wrapping_sub(last.ts) & 0xff_ffff) * 1e-9;
        let bytes = f64::from(hop.tx_bytes.wrapping_sub(last.tx_bytes) & 0xf_ffff) * 128.0 * multi;
        let queue = f64::from(u32::from(hop.q_len).min(last.q_len)) * 80.0 * multi;
        let u = bytes * 8.0 / seconds / speed + queue * line / speed / params.w_init;
        if u > found.0 {
            found = (u, Some(i));
        }
    }
    found.1
}
