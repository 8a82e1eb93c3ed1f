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

use super::reduction::{agrees, reduction};
use super::seeds::Group;
use crate::plan::Run;

/// Runs of the agents.
fn is_hcc(run: &&Run) -> bool {
    run.outcome.hcc.is_some()
}

/// A number by law, as text.
fn listed<'a>(groups: &[&'a Group], text: impl Fn(&'a Group) -> String) -> String {
    let one = groups.iter().map(|g| format!("{} {}", g.label, text(g)));
    one.collect::<Vec<_>>().join("; ")
}
