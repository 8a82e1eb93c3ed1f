//! What a run is: how deep it goes, which law decides, what it simulates, what came out.
//!
//! | file | subject |
//! | --- | --- |
//! | `fidelity` | how deep the sender is simulated |
//! | `laws` | laws by name, and the slots that carry them |
//! | `job` | everything that one simulation needs, and its result |
//! | `collective` | collectives among its flows, and how long they took |
//! | `provenance` | program, command line, input files and time of a result |
//! | `finding` | one statement checked |

mod collective;
mod fidelity;
mod finding;
mod job;
pub mod laws;
pub mod provenance;

pub use collective::{CollectivePlan, Span};
pub use fidelity::Fidelity;
pub use finding::{failures, Finding, Verdict};
pub use job::{HccPlan, Job, NumbersPlan, Run};
