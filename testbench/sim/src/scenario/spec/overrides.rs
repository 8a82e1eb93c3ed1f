//! What the command line changes of a scenario, and a run that comes of it.

use toml::Value;

use super::Scenario;
use crate::plan::Fidelity;

/// What the command line changes.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `--cc`.
    pub law: Option<String>,
    /// `--fidelity`: of the variants whose law is in hardware; others stay at `golden`.
    pub fidelity: Option<Fidelity>,
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--set key=value`.
    pub set: Vec<(String, Value)>,
    /// `--full`.
    pub full: bool,
    /// One run without the scenario's variants.
    pub no_variants: bool,
    /// `set` is the axes of a sweep, and errors say so.
    pub axes: bool,
}

impl Overrides {
    /// Where `set` comes from, as errors call it.
    pub(super) fn set_from(&self) -> &'static str {
        if self.axes {
            "axes"
        } else {
            "--set"
        }
    }
}

/// One run to do: its label (none if it is the only one) and its scenario.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Label.
    pub label: Option<String>,
    /// Scenario with all changes made.
    pub scenario: Scenario,
}
