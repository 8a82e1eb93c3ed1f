//! Figures of the PowerTCP paper (NSDI 2022): 2 and 3 (fluid model), 4 (incast), 5 (fairness), 6 (completion times by size),
//! 7 (loads, requests, buffers), 8 (circuits), 9 to 11 (HOMA).

mod circuits;
mod compared;
mod fairness;
mod homa;
mod incast;
mod load;
mod phase;
mod port;
mod seen;
mod sweeps;

pub use circuits::circuits;
pub use fairness::fairness;
pub use homa::{fairness_of as homa_fairness, incast_of as homa_incast};
pub use incast::incast;
pub use load::load;
pub use phase::phase;
pub use sweeps::{loads, rates, sizes};

use crate::plan::Run;

/// Labels of the runs of the law as printed and as its authors' simulator has it: PowerTCP's, theta-PowerTCP's.
const POWER: [&str; 2] = ["PowerTCP", "PowerTCP, authors"];
const THETA: [&str; 2] = ["theta-PowerTCP", "theta-PowerTCP, authors"];

/// Why the algorithms as printed do less than the paper says of them.
const AS_PRINTED: &str = "the old window of the algorithm as printed is the one before the last round trip (one snapshot each), so it acts a round trip \
                          later than its authors' simulator, whose old window is that of the last full update and whose run stands beside it";

/// The run of that label.
fn labelled<'a>(runs: &'a [Run], label: &str) -> Option<&'a Run> {
    runs.iter().find(|r| r.label() == label)
}

/// A label as part of the name of a finding.
fn slug(label: &str) -> String {
    let words = label.to_lowercase().replace(", ", "_");
    words.replace([' ', '-'], "_")
}

/// A value of every run, with its label.
fn each(runs: &[Run], value: impl Fn(&Run) -> String) -> String {
    let all: Vec<String> = runs.iter().map(|r| format!("{} {}", r.label(), value(r))).collect();
    all.join(", ")
}
