//! The law's parameters and the constants that follow from them.

use super::params::{HpccParams, ParamError, Q_UNIT, TX_UNIT, TX_WRAP};
use crate::cc::{CcEvent, MAX_HOPS};
use num_traits::Float;

/// A constant in the law's float type. Every `Float` takes any `f64`, rounded.
pub(crate) fn float<F: Float>(value: f64) -> F {
    F::from(value).unwrap_or_else(F::nan)
}

/// The law without any flow: validated parameters and the constants that follow from them.
#[derive(Clone, Debug)]
pub struct HpccLaw<F> {
    pub(super) params: HpccParams,
    /// Bits per ns, by code.
    pub(super) port_speed: [F; 16],
    /// Stale from this `dts` on, ns, by code.
    pub(super) stale_dts: [u32; 16],
    /// ns.
    pub(super) t: F,
    /// ns.
    pub(super) t_w: F,
    pub(super) eta: F,
    pub(super) w_ai: F,
    pub(super) w_min: F,
    pub(super) w_init: F,
    pub(super) tx_unit_bits: F,
    pub(super) q_unit_bits: F,
}

impl<F: Float> HpccLaw<F> {
    /// Checks the parameters and derives the constants.
    pub fn new(params: HpccParams) -> Result<Self, ParamError> {
        params.validate()?;
        Self::beyond_hardware(params)
    }

    /// The same with `T` and a window that the hardware's number formats need not hold.
    pub fn beyond_hardware(params: HpccParams) -> Result<Self, ParamError> {
        params.validate_law()?;
        Ok(Self {
            port_speed: params.port_speeds.map(|s| float(s as f64 / 1e9)),
            stale_dts: params.port_speeds.map(|s| stale_dts(&params, s)),
            t: float(f64::from(params.base_rtt_ns)),
            t_w: float(params.t_w_ns()),
            eta: float(params.eta),
            w_ai: float(params.w_ai),
            w_min: float(params.w_min()),
            w_init: float(params.w_init),
            tx_unit_bits: float((TX_UNIT * 8 * u64::from(params.int_multi)) as f64),
            q_unit_bits: float((Q_UNIT * 8 * u64::from(params.int_multi)) as f64),
            params,
        })
    }

    /// The parameters.
    pub fn params(&self) -> &HpccParams {
        &self.params
    }

    /// `R = W / T_W`, bits per second.
    pub fn rate(&self, w: F) -> F {
        w * float(self.params.line_rate as f64) / self.w_init
    }

    /// Whether a hop in use has a speed code that the table does not know.
    pub fn has_invalid_speed(&self, event: &CcEvent) -> bool {
        let hops = usize::from(event.n_hop).min(MAX_HOPS);
        event.hops[..hops]
            .iter()
            .any(|hop| self.params.port_speeds[usize::from(hop.speed & 15)] == 0)
    }
}

/// Smallest time between two stamps, ns, at which a hop of this port speed (bits per second) is stale: a full link could
/// have turned `txBytes` round once, or the limit is passed.
fn stale_dts(params: &HpccParams, speed: u64) -> u32 {
    let turn_bits = u128::from(TX_WRAP) * u128::from(TX_UNIT) * u128::from(params.int_multi) * 8;
    let limit = params.stale_limit_ns + 1;
    let turn_ns = (turn_bits * 1_000_000_000).div_ceil(u128::from(speed.max(1)));
    u32::try_from(turn_ns).map_or(limit, |turn| turn.min(limit))
}
