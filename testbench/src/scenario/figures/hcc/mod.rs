//! Figures 4 and 5 of the HCC paper, what its agents cost, and HCC over HPCC.

mod completion;
mod grpc;
mod hosts;
mod joining;
mod measure;
mod overhead;
#[cfg(test)]
mod tests;
mod web;

pub use grpc::grpc;
pub use hosts::hosts;
pub use joining::joining;
pub use overhead::{ablation, overhead};
pub use web::web;

use super::seeds::Group;
use crate::plan::Run;

/// Runs of the agents.
fn is_hcc(run: &&Run) -> bool {
    run.outcome.hcc.is_some()
}

/// Part by which `ours` is below `theirs`, percent; negative: above.
fn reduction(ours: f64, theirs: f64) -> f64 {
    (1.0 - ours / theirs) * 100.0
}

/// A reduction agrees with the paper's if it has its sign and is within a factor of two.
fn agrees(ours: f64, paper: f64) -> bool {
    ours > 0.0 && ours >= paper / 2.0 && ours <= 2.0 * paper
}

/// A number by law, as text.
fn listed<'a>(groups: &[&'a Group], text: impl Fn(&'a Group) -> String) -> String {
    let one = groups.iter().map(|g| format!("{} {}", g.label, text(g)));
    one.collect::<Vec<_>>().join("; ")
}
