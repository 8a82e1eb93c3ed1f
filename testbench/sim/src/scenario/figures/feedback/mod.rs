//! Telemetry and its way back in other ways than the paper's (HPCC++): formats, sampling, probes, carriers, the law at the receiver.

mod carriers;
mod collecting;
mod counting;
mod receiver;

pub use carriers::carriers;
pub use collecting::{formats, sampling};
pub use counting::counting;
pub use receiver::receiver;

use hpcc_models::measure::mean;

use crate::plan::Run;

/// Mean completion time of a run, us.
fn mean_fct(run: &Run) -> f64 {
    let times: Vec<f64> = run
        .outcome
        .records
        .iter()
        .filter_map(|r| r.fct_ps())
        .map(|ps| ps as f64 / 1e6)
        .collect();
    mean(&times)
}

/// Packets of all kinds that receivers sent back.
fn packets_back(run: &Run) -> u64 {
    let c = &run.outcome.counters;
    c.acks_sent + c.responses + c.notifications
}

/// A run's label as a part of a finding's name.
fn named(run: &Run) -> String {
    let mut name = run.label().replace([' ', ',', '='], "_");
    while name.contains("__") {
        name = name.replace("__", "_");
    }
    name
}
