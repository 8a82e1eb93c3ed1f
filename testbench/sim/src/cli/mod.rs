//! The command line of a program that uses this crate: `run`, `scenarios`, `sweep`.
//!
//! A subcommand is a clap `Args` struct with `fn run(self) -> Result<(), Failure>`. Exit codes: 0 done, 1 a check failed,
//! 2 bad usage or input; what went wrong is one line on standard error that starts with `error: `.

mod failure;
mod output;
pub mod run;
pub mod scenarios;
pub mod sweep;

pub use failure::Failure;
pub use output::{create_file, progress, say};

use crate::plan::provenance::identity;
use crate::Program;
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;

/// A packet-level network with congestion control: scenarios, sweeps and figures.
#[derive(Debug, Parser)]
#[command(max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Every subcommand; its arguments and its code are in the file of its name.
#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Args),
    Scenarios(scenarios::Args),
    Sweep(sweep::Args),
}

/// The whole command line of `program`: parses the process's arguments, runs the subcommand and says how it ended.
pub fn main(program: Program) -> ExitCode {
    let command = Cli::command()
        .name(program.identity.name)
        .version(program.identity.version);
    let matches = command.try_get_matches();
    let parsed = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    run_as(program, parsed, |cli| match cli.command {
        Command::Run(args) => args.run(),
        Command::Scenarios(args) => args.run(),
        Command::Sweep(args) => args.run(),
    })
}

/// Runs what was parsed as `program` and says how it ended, with the exit code of the process.
pub fn run_as<C>(
    program: Program,
    parsed: Result<C, clap::Error>,
    run: impl FnOnce(C) -> Result<(), Failure>,
) -> ExitCode {
    let installed = program.install().map_err(Failure::Input);
    let failure = match parsed.map(|command| installed.and_then(|()| run(command))) {
        Ok(Ok(())) => return ExitCode::SUCCESS,
        Ok(Err(failure)) => failure,
        Err(error) => return usage(&error),
    };
    eprintln!("error: {failure}");
    failure.exit_code()
}

/// Help and version as clap prints them; what is wrong with the command line in one line, exit code 2.
fn usage(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            eprintln!("error: expected a subcommand; `{} --help` lists them", identity().name);
            ExitCode::from(2)
        }
        _ => {
            eprintln!("{}", one_line(&error.to_string()));
            ExitCode::from(2)
        }
    }
}

/// The first paragraph of clap's message, its lines joined.
fn one_line(message: &str) -> String {
    let paragraph = message.lines().take_while(|line| !line.trim().is_empty());
    paragraph.map(str::trim).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
