//! The unit in which a flow's windows are counted.

use super::params::{Arithmetic, PowerParams};

/// What windows are counted in: bytes, or whole bits per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawUnit {
    /// Largest value and that of a new flow.
    pub most: f64,
    /// Smallest value.
    pub least: f64,
    /// Additive increase.
    pub beta: f64,
    /// Products are cut to whole numbers.
    pub whole: bool,
}

impl LawUnit {
    pub(super) fn of(params: &PowerParams) -> Self {
        match params.arithmetic {
            Arithmetic::Windows => Self {
                most: params.w_init,
                least: params.w_min(),
                beta: params.beta_bytes(),
                whole: false,
            },
            Arithmetic::WholeRates => Self {
                most: params.line_rate as f64,
                least: params.min_rate as f64,
                beta: params.beta_rate(),
                whole: true,
            },
        }
    }

    pub(super) fn cut(&self, value: f64) -> f64 {
        if self.whole {
            value.trunc()
        } else {
            value
        }
    }
}
