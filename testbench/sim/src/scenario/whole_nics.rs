//! Whole NICs on the hosts. The crate has none: the program that has some says how a job of theirs is run.

use crate::plan::{Job, Run};
use indicatif::ProgressBar;
use std::sync::OnceLock;

/// How jobs at fidelities `nic-model` and `nic-rtl` are judged and run.
#[derive(Clone, Copy, Debug)]
pub struct WholeNics {
    /// Whether NICs can be the hosts of a job; asked before anything is written.
    pub check: fn(&Job) -> Result<(), String>,
    /// Runs a job.
    pub run: fn(&Job, &ProgressBar) -> Result<Run, String>,
}

static NICS: OnceLock<WholeNics> = OnceLock::new();

/// Runs the whole NICs of this process with `nics`.
pub(crate) fn install(nics: WholeNics) {
    NICS.get_or_init(|| nics);
}

fn of(job: &Job) -> Result<&'static WholeNics, String> {
    NICS.get().ok_or_else(|| {
        format!(
            "fidelity: expected golden or fixed, got {}: this program has no whole NICs",
            job.fidelity.name()
        )
    })
}

/// Whether the hosts of a job can be what its fidelity asks for.
pub fn check(job: &Job) -> Result<(), String> {
    match job.fidelity.whole_nic() {
        true => (of(job)?.check)(job),
        false => Ok(()),
    }
}

/// Runs a job whose hosts are whole NICs.
pub(super) fn run(job: &Job, bar: &ProgressBar) -> Result<Run, String> {
    (of(job)?.run)(job, bar)
}
