//! Alpha-fair variant (appendix A.3, Eq. 7): every hop has its own average, reference window and stage, moved by
//! Algorithm 1's own rules; the flow's window is `W = (sum W_i^-alpha)^(-1/alpha)`.
//!
//! The equation lets a register of an idle hop grow without end. Here it stops at `W_init * n^(1/alpha)` for `n` hops:
//! then an idle path still gives `W_init`, and a hop that congests later need not come down from infinity.

use super::inflight::Inflight;
use super::law::{float, HpccLaw};
use super::state::{Branch, FlowState};
use num_traits::Float;

impl<F: Float> HpccLaw<F> {
    /// `n^(1/alpha)`: what a register is larger than the window when all `n` are equal.
    fn spread(hops: usize, alpha: F) -> F {
        float::<F>(hops.max(1) as f64).powf(alpha.recip())
    }

    /// Registers of a path just seen: equal, and together worth the flow's reference window.
    pub(super) fn reset_registers(&self, state: &mut FlowState<F>, alpha: F) {
        let wc = state.wc * Self::spread(state.recorded_hops(), alpha);
        for register in &mut state.registers {
            register.u = state.u;
            register.wc = wc;
            register.inc_stage = state.inc_stage;
        }
    }

    /// Lines 9 to 20 once per hop, then Eq. 7. Reports the branch of the hop with the largest average.
    pub(super) fn alpha_fair(
        &self,
        state: &mut FlowState<F>,
        found: &Inflight<F>,
        alpha: F,
        update_wc: bool,
    ) -> Branch {
        let hops = state.recorded_hops();
        let high = self.w_init * Self::spread(hops, alpha);
        let mut sum = F::zero();
        let mut worst = (F::neg_infinity(), Branch::Additive, state.inc_stage);
        for (i, register) in state.registers.iter_mut().enumerate().take(hops) {
            if let Some(u) = found.hop_u[i].filter(|&u| u > F::zero()) {
                register.u = self.average(register.u, self.weight_time(found.hop_dts[i]), u);
            }
            let (w, branch) = self.window(register.u, register.wc, register.inc_stage, self.w_min, high);
            if update_wc {
                register.inc_stage = Self::next_stage(register.inc_stage, branch);
                register.wc = w;
            }
            sum = sum + w.powf(-alpha);
            if register.u > worst.0 {
                worst = (register.u, branch, register.inc_stage);
            }
        }
        if hops > 0 {
            state.u = worst.0;
            state.w = sum.powf(-alpha.recip()).min(self.w_init).max(self.w_min);
            if update_wc {
                state.wc = state.w;
                state.inc_stage = worst.2;
            }
        }
        worst.1
    }
}
