//! The hpcc-nic command.

use std::process::ExitCode;

/// A block is built on the stack before it is boxed, and the whole NIC is large.
const STACK_BYTES: usize = 64 << 20;

fn main() -> ExitCode {
    let command = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(hpcc_testbench::cli::main);
    match command.map(|thread| thread.join()) {
        Ok(Ok(code)) => code,
        Ok(Err(_)) => ExitCode::from(101),
        Err(error) => {
            eprintln!("error: thread of the command: {error}");
            ExitCode::FAILURE
        }
    }
}
