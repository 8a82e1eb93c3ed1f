//! The command line: one file per subcommand, joined by `Command`.
//!
//! A subcommand is a clap `Args` struct with `fn run(self) -> Result<(), Failure>`. Exit codes: 0 done, 1 a check failed,
//! 2 bad usage or input; what went wrong is one line on standard error that starts with `error: `.

mod agent;
mod alloc;
mod cocotb;
mod completions;
mod cosim;
mod docs;
mod doctor;
mod emit;
mod exec;
mod formal;
mod fuzz;
mod goal;
mod host;
mod link;
mod mutate;
mod mutate_source;
mod registers;
mod replay;
mod report;
mod run;
mod scenarios;
mod serve;
mod telemetry;
mod waves;

use crate::program::PROGRAM;
use clap::{Parser, Subcommand};
use hpcc_sim::cli::{run_as, sweep, Failure};
use std::process::ExitCode;

/// An open RoCEv2-style NIC with HPCC congestion control: models, RTL and network.
#[derive(Debug, Parser)]
#[command(name = "hpcc-nic", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Every subcommand; its arguments and its code are in the file of its name.
#[derive(Debug, Subcommand)]
enum Command {
    Cosim(cosim::Args),
    Alloc(alloc::Args),
    Goal(goal::Args),
    Run(run::Args),
    Scenarios(scenarios::Args),
    Sweep(sweep::Args),
    Fuzz(fuzz::Args),
    Replay(replay::Args),
    Telemetry(telemetry::Args),
    Registers(registers::Args),
    Serve(serve::Args),
    Host(host::Args),
    Exec(exec::Args),
    Agent(agent::Args),
    Emit(emit::Args),
    Mutate(mutate::Args),
    Report(report::Args),
    Cocotb(cocotb::Args),
    Formal(formal::Args),
    Docs(docs::Args),
    Doctor(doctor::Args),
    Completions(completions::Args),
    Man(completions::Man),
}

impl Command {
    fn run(self) -> Result<(), Failure> {
        match self {
            Self::Cosim(args) => args.run(),
            Self::Alloc(args) => args.run(),
            Self::Goal(args) => args.run(),
            Self::Run(args) => args.run(),
            Self::Scenarios(args) => args.run(),
            Self::Sweep(args) => args.run(),
            Self::Fuzz(args) => args.run(),
            Self::Replay(args) => args.run(),
            Self::Telemetry(args) => args.run(),
            Self::Registers(args) => args.run(),
            Self::Serve(args) => args.run(),
            Self::Host(args) => args.run(),
            Self::Exec(args) => args.run(),
            Self::Agent(args) => args.run(),
            Self::Emit(args) => args.run(),
            Self::Mutate(args) => args.run(),
            Self::Report(args) => args.run(),
            Self::Cocotb(args) => args.run(),
            Self::Formal(args) => args.run(),
            Self::Docs(args) => args.run(command()),
            Self::Doctor(args) => args.run(),
            Self::Completions(args) => args.run(command()),
            Self::Man(args) => args.run(command()),
        }
    }
}

/// The program's arguments, for what describes them.
fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

/// Parses the process's arguments, runs the subcommand and says how it ended.
pub fn main() -> ExitCode {
    run_as(PROGRAM, Cli::try_parse(), |cli| cli.command.run())
}

#[cfg(test)]
mod tests {
    #[test]
    fn arguments_are_consistent() {
        super::command().debug_assert();
    }

    /// `doctor` knows every command of the program.
    #[test]
    fn every_command_says_what_it_needs() {
        let lists = super::doctor::COMMANDS.iter();
        let listed: Vec<&str> = lists.flat_map(|(commands, _)| commands.split([' ', ','])).collect();
        for sub in super::command().get_subcommands() {
            assert!(listed.contains(&sub.get_name()), "{}", sub.get_name());
        }
    }
}
