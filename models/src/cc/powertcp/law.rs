//! The law without any flow: its parameters and what follows from them.

use super::params::{Arithmetic, PowerParams};
use super::state::PowerState;
use super::unit::LawUnit;
use crate::cc::hpcc::{ParamError, TX_UNIT, TX_WRAP};

/// The law without any flow: validated parameters and the constants that follow from them.
#[derive(Clone, Debug)]
pub struct PowerLaw {
    pub(super) params: PowerParams,
    pub(super) unit: LawUnit,
    /// `tau`, ns.
    pub(super) tau: f64,
    /// A hop's record is stale from this age on, ns, by speed code; `None`: never.
    pub(super) stale_dt: [Option<u32>; 16],
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
}
