//! MEASUREINFLIGHT (Algorithm 1, lines 1 to 10): hop records in, the hop that decides and the new moving average out.

use super::law::{float, HpccLaw};
use super::params::{RateSignal, TS_WRAP, TX_WRAP, UTILISATION_UNIT};
use super::state::{FlowState, Link};
use crate::cc::MAX_HOPS;
use num_traits::Float;

/// How far one hop's counters moved between two ACKs, and what that allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HopDelta {
    /// `dts = 0`, or not newer than the record: out of the maximum, the record stays.
    NotNewer,
    /// `txBytes` may have wrapped, or the record is too old: out of the maximum, the record is replaced.
    Stale,
    /// Both differences mean something.
    Fresh {
        /// Time between the two stamps, ns, 1 to 2^23 - 1.
        dts: u32,
        /// Bytes sent between them, units of 128 bytes times the multiplier.
        dtx: u32,
    },
}

/// Result of lines 2 to 8.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inflight<F> {
    /// `u`: the largest `u'`, 0 without winner.
    pub u: F,
    /// `tau`, at most `T`, ns.
    pub tau: F,
    /// The hop it belongs to.
    pub winner: Option<usize>,
    /// `u'` of every hop that took part.
    pub hop_u: [Option<F>; MAX_HOPS],
    /// `dts` of every hop that took part, ns.
    pub hop_dts: [u32; MAX_HOPS],
}

impl<F: Float> HpccLaw<F> {
    /// Differences of one hop, wraps taken out, with the rules for counters that cannot be told apart.
    pub fn hop_delta(&self, record: &Link, link: &Link) -> HopDelta {
        let dts = link.ts.wrapping_sub(record.ts) % TS_WRAP;
        let dtx = link.tx_bytes.wrapping_sub(record.tx_bytes) % TX_WRAP;
        if dts == 0 || dts >= TS_WRAP / 2 {
            return HopDelta::NotNewer;
        }
        if dts >= self.stale_dts[usize::from(link.speed)] {
            return HopDelta::Stale;
        }
        HopDelta::Fresh { dts, dtx }
    }

    /// Line 5: `u'` of one hop.
    pub fn hop_u(&self, record: &Link, link: &Link, dts: u32, dtx: u32) -> F {
        let b = self.port_speed[usize::from(link.speed)]; // bits per ns
        let dts: F = float(f64::from(dts));
        let queue = float::<F>(f64::from(link.q_len.min(record.q_len))) * self.q_unit_bits / (b * self.t_w);
        if self.params().rate_signal == RateSignal::Utilisation {
            return queue + float::<F>(f64::from(link.tx_bytes) * UTILISATION_UNIT);
        }
        // 4: txRate = (ack.L[i].txBytes - L[i].txBytes) / (ack.L[i].ts - L[i].ts)
        let mut rate = float::<F>(f64::from(dtx)) * self.tx_unit_bits / dts;
        if self.params().rate_signal == RateSignal::RxRate {
            let growth = float::<F>(f64::from(link.q_len)) - float(f64::from(record.q_len));
            rate = rate + growth * self.q_unit_bits / dts;
        }
        // 5: u' = min(ack.L[i].qLen, L[i].qLen) / (ack.L[i].B * T) + txRate / ack.L[i].B
        queue + rate / b
    }

    /// Lines 2 to 8. `forced` names the hop to take instead of the largest, for comparison with a model whose
    /// rounding chose another of two equal hops; a forced hop that does not take part is passed over.
    pub fn inflight(&self, state: &FlowState<F>, links: &[Link; MAX_HOPS], forced: Option<usize>) -> Inflight<F> {
        let mut found = Inflight {
            u: F::zero(), // 2: u = 0
            tau: F::zero(),
            winner: None,
            hop_u: [None; MAX_HOPS],
            hop_dts: [0; MAX_HOPS],
        };
        // 3: for each link i on the path
        for (i, (record, link)) in state.links.iter().zip(links).enumerate().take(state.recorded_hops()) {
            let HopDelta::Fresh { dts, dtx } = self.hop_delta(record, link) else {
                continue;
            };
            let u = self.hop_u(record, link, dts, dtx);
            found.hop_u[i] = Some(u);
            found.hop_dts[i] = dts;
            // 6: if u' > u    7: u = u'; tau = ack.L[i].ts - L[i].ts
            if u > found.u {
                found.u = u;
                found.winner = Some(i);
            }
        }
        if let Some((i, u)) = forced.and_then(|i| found.hop_u.get(i).copied().flatten().map(|u| (i, u))) {
            found.u = u;
            found.winner = Some(i);
        }
        if let Some(i) = found.winner {
            found.tau = self.weight_time(found.hop_dts[i]);
        }
        found
    }

    /// Line 8: `tau = min(tau, T)`.
    pub(super) fn weight_time(&self, dts: u32) -> F {
        float::<F>(f64::from(dts)).min(self.t)
    }

    /// Line 9: `U = (1 - tau/T) * U + tau/T * u`.
    pub(super) fn average(&self, average: F, tau: F, u: F) -> F {
        (F::one() - tau / self.t) * average + tau / self.t * u
    }

    /// Line 27, `L = ack.L`, except for hops whose counters did not advance.
    pub(super) fn advance_records(&self, state: &mut FlowState<F>, links: &[Link; MAX_HOPS]) {
        let hops = state.recorded_hops();
        for (record, link) in state.links.iter_mut().zip(links).take(hops) {
            if self.hop_delta(record, link) != HopDelta::NotNewer {
                *record = *link;
            }
        }
    }
}
