//! Additive step that depends on the number of flows (draft-miao-ccwg-hpcc, 5: `W_AI = W_init (1 - eta) / N`, "N expected or reported by the
//! receiver").
//!
//! The receiver knows its own link only, so its count is used where the last hop of the path has the largest `u'`, and held for eight `T`;
//! otherwise the step is the parameter. Where the count applies and how long it is held are decided here.

use super::law::{float, HpccLaw};
use super::state::FlowState;
use num_traits::Float;

/// A count is used this many `T` after it was last confirmed.
const HELD_ROUND_TRIPS: u64 = 8;

impl<F: Float> HpccLaw<F> {
    /// `W_AI` of this step, bytes. `winner`: the hop with the largest `u'`; `now`: ns.
    pub(super) fn additive_step(&self, state: &mut FlowState<F>, winner: Option<usize>, now: u64) -> F {
        if !self.params.n_aware {
            return self.w_ai;
        }
        let last = state.recorded_hops().checked_sub(1);
        if state.told_flows > 0 && winner.is_some() && winner == last {
            state.flows = (state.told_flows, now);
        }
        let (flows, at) = state.flows;
        let held = HELD_ROUND_TRIPS * u64::from(self.params.base_rtt_ns);
        if flows == 0 || now.saturating_sub(at) > held {
            return self.w_ai;
        }
        self.w_init * (F::one() - self.eta) / float(f64::from(flows))
    }
}
