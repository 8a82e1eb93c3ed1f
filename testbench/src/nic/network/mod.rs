//! Whole NICs on the hosts of a simulated network (`--fidelity nic-model`, `nic-rtl`).
//!
//! The network carries numbered packets and knows their sizes; the NICs exchange frames. In between, a frame is held under its number
//! and gets the INT that its packet collected written into it when it arrives. Every flow of the scenario is one WRITE on a queue pair
//! of its own; its completion time is that of the completion.
//!
//! Time goes in steps a little shorter than the shortest host link: what a NIC sends within a step reaches a switch after it, so the network
//! runs a step first, and then every NIC runs the same step alone, on as many threads as there are cores.
//!
//! | file | subject |
//! | --- | --- |
//! | `needs` | what a scenario may ask for |
//! | `hosts` | configuration, memory and work of each NIC |
//! | `formats` | frames to packets and back, with INT in other forms than Fig. 7's, which is `hpcc_models::net::frames`'s |
//! | `telemetry` | how the NICs collect INT and bring it back |
//! | `worker` | a thread with its NICs |
//! | `cosim` | the steps |
//! | `observe` | what each flow sent and received |

mod cosim;
mod formats;
mod hosts;
mod needs;
mod observe;
mod telemetry;
mod worker;

use super::{ModelNic, RtlNic};
use crate::verilated::Model;
use hpcc_sim::plan::Fidelity;
use hpcc_sim::plan::{Job, Run};
use indicatif::ProgressBar;

pub use needs::check;

/// Runs a job whose hosts are whole NICs.
pub fn run(job: &Job, bar: &ProgressBar) -> Result<Run, String> {
    check(job)?;
    match job.fidelity {
        Fidelity::NicModel => cosim::run::<ModelNic>(job, bar),
        Fidelity::NicRtl => cosim::run::<RtlNic<Model>>(job, bar),
        other => Err(format!("fidelity: expected nic-model or nic-rtl, got {}", other.name())),
    }
}
