//! The command `own-law`: every scenario, sweep and figure of `hpcc-sim`, and one more law for `law = ...`.

mod delay_target;

use hpcc_sim::plan::provenance::Identity;
use hpcc_sim::Program;
use std::process::ExitCode;

fn main() -> ExitCode {
    hpcc_sim::main(Program {
        identity: Identity {
            name: "own-law",
            version: env!("CARGO_PKG_VERSION"),
            ..Identity::default()
        },
        laws: &[delay_target::LAW],
        ..Program::default()
    })
}
