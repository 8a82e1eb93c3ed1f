//! Figures of the PowerTCP paper (NSDI 2022): 4 (incast), 5 (fairness), 6 (completion times by size).

mod fairness;
mod incast;
mod load;
mod port;

pub use fairness::fairness;
pub use incast::incast;
pub use load::load;

use crate::plan::Run;

/// The run under a law.
fn under<'a>(runs: &'a [Run], law: &str) -> Option<&'a Run> {
    runs.iter().find(|r| r.job.law.name == law)
}

/// A value of every run, with its label.
fn each(runs: &[Run], value: impl Fn(&Run) -> String) -> String {
    let all: Vec<String> = runs.iter().map(|r| format!("{} {}", r.label(), value(r))).collect();
    all.join(", ")
}
