//! The hpcc-nic command.

use std::process::ExitCode;

fn main() -> ExitCode {
    hpcc_testbench::cli::main()
}
