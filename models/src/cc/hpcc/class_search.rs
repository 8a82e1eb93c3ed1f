//! Search for the bandwidth that idle classes leave (draft-miao-ccwg-hpcc, 9.3), where a record tells of the packet's class alone:
//! `B` is the bandwidth that the class is guaranteed, `txBytes` and `qLen` are the class's own.
//!
//! Above the guarantee with an empty queue other classes are idle: the window goes half way to its largest value. Above the guarantee
//! with a queue they are not: it goes half way back to what the guarantee allows. At or below the guarantee the law is as always.
//! The draft gives the idea; which rate is compared (the class's, averaged as `U` is) and both half ways are decided here.

use super::inflight::Inflight;
use super::law::{float, HpccLaw};
use super::state::{Branch, FlowState, Link};
use crate::cc::MAX_HOPS;
use num_traits::Float;

impl<F: Float> HpccLaw<F> {
    /// Lines 11 to 20, or a step of the search, at the hop with the largest `u'`. Call before the records advance.
    pub(super) fn search_class(
        &self,
        state: &mut FlowState<F>,
        inflight: &Inflight<F>,
        links: &[Link; MAX_HOPS],
        update_wc: bool,
    ) -> Branch {
        let Some(hop) = inflight.winner else {
            return self.compute_window(state, update_wc, self.w_ai);
        };
        let queue = links[hop].q_len.min(state.links[hop].q_len);
        let guarantee = self.port_speed[usize::from(links[hop].speed)]; // bits per ns
        let waiting = float::<F>(f64::from(queue)) * self.q_unit_bits / (guarantee * self.t_w);
        state.class_rate = self.average(state.class_rate, inflight.tau, inflight.u - waiting);
        if state.class_rate <= F::one() {
            return self.compute_window(state, update_wc, self.w_ai);
        }
        let two = float::<F>(2.0);
        let goal = if queue == 0 {
            self.w_init
        } else {
            guarantee * self.t_w / float(8.0)
        };
        let target = (state.wc + goal) / two;
        // The U of which line 13 makes this window.
        state.u = self.eta * state.wc / (target - self.w_ai).max(F::one());
        let stage = self.params().max_stage;
        let (w, branch) = self.window(state.u, state.wc, stage, self.w_min, self.w_init);
        state.w = w;
        if update_wc {
            state.inc_stage = Self::next_stage(stage, branch);
            state.wc = w;
        }
        branch
    }
}
