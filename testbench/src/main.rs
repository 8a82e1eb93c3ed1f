//! The hpcc-nic command.

fn main() -> std::process::ExitCode {
    hpcc_testbench::cli::main()
}
