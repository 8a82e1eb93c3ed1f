//! COMPUTEWIND (Algorithm 1, lines 11 to 20): moving average and reference window in, window out.

use super::law::HpccLaw;
use super::state::{Branch, FlowState};
use num_traits::Float;

impl<F: Float> HpccLaw<F> {
    /// Lines 12, 13 and 17 with the clamp to `[low, high]` bytes; the caller keeps the state.
    pub(super) fn window(&self, u: F, wc: F, inc_stage: u8, low: F, high: F) -> (F, Branch) {
        self.window_with(self.w_ai, u, wc, inc_stage, low, high)
    }

    /// The same with an additive step of `w_ai` bytes.
    fn window_with(&self, w_ai: F, u: F, wc: F, inc_stage: u8, low: F, high: F) -> (F, Branch) {
        // 12: if U >= eta or incStage >= maxStage. U/eta >= 1, the form whose rounding the reference simulator has.
        let k = u / self.eta;
        let (w, branch) = if k >= F::one() || inc_stage >= self.params().max_stage {
            (wc / k + w_ai, Branch::Multiplicative) // 13; U = 0 gives infinity, which the clamp takes
        } else {
            (wc + w_ai, Branch::Additive) // 17
        };
        (w.min(high).max(low), branch)
    }

    /// `incStage` after a round in which the reference window moved (lines 15 and 19).
    pub(super) fn next_stage(inc_stage: u8, branch: Branch) -> u8 {
        if branch == Branch::Multiplicative {
            0
        } else {
            inc_stage.saturating_add(1)
        }
    }

    /// Lines 11 to 20 on a flow with an additive step of `w_ai` bytes: sets `W` and, if `update_wc`, `Wc` and `incStage`.
    pub(super) fn compute_window(&self, state: &mut FlowState<F>, update_wc: bool, w_ai: F) -> Branch {
        let (w, branch) = self.window_with(w_ai, state.u, state.wc, state.inc_stage, self.w_min, self.w_init);
        state.w = w;
        if update_wc {
            // 14, 18
            state.inc_stage = Self::next_stage(state.inc_stage, branch);
            state.wc = w;
        }
        branch
    }
}
