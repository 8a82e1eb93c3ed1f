//! Completion times beside those of another law, and the paper's reductions of their mean and 99th percentile.

use hpcc_models::measure::{mean, percentile};

use super::super::seeds::{Group, Spread};
use super::{agrees, reduction};
use crate::plan::{Finding, Run};

/// What the paper says of one law: label, reduction of the mean and of the 99th percentile, percent.
pub type Paper = (&'static str, f64, f64);

/// Reductions of mean and 99th percentile, percent.
pub struct Reductions {
    /// Of the mean.
    pub mean: Spread,
    /// Of the 99th percentile.
    pub tail: Spread,
}

impl Reductions {
    /// Of `times` of the flows of two runs with the same seed, for each seed.
    pub fn of(ours: &Group, theirs: &Group, times: impl Fn(&Run, &Run) -> (Vec<f64>, Vec<f64>)) -> Self {
        let by = |value: &dyn Fn(&[f64]) -> f64| {
            ours.paired(theirs, |own, other| {
                let (own, other) = times(own, other);
                reduction(value(&own), value(&other))
            })
        };
        Self {
            mean: by(&|times| mean(times)),
            tail: by(&|times| percentile(times, 99.0)),
        }
    }

    /// Both with their ranges.
    pub fn text(&self) -> String {
        format!("{} % and {} %", self.mean.text(0), self.tail.text(0))
    }

    /// Both medians agree with the paper's.
    pub fn agree(&self, paper: &Paper) -> bool {
        agrees(self.mean.median(), paper.1) && agrees(self.tail.median(), paper.2)
    }
}

/// The finding `NAME_completion_against_LAW`.
pub fn finding(name: &str, paper: &Paper, here: String, agree: bool) -> Finding {
    Finding::new(
        &format!("{name}_completion_against_{}", paper.0.to_lowercase()),
        &format!(
            "HCC reduces the mean by {:.0} % and the 99th percentile by {:.0} %",
            paper.1, paper.2
        ),
        here,
        agree,
    )
    .within("both reductions within a factor of two")
}
