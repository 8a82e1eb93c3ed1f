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

    /// Lines of code in a page's fences that start this program, without what a shell does with its output.
    fn commands_of(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut fence: Option<String> = None;
        let joined = text.replace("\\\n", " ");
        for line in joined.lines().map(str::trim) {
            if let Some(kind) = line.strip_prefix("```") {
                fence = match fence {
                    None => Some(kind.to_owned()),
                    Some(_) => None,
                };
            } else if fence.as_deref() == Some("sh") {
                let rest = ["hpcc-nic ", "cargo run --release -- ", "cargo run -- "]
                    .iter()
                    .find_map(|start| line.strip_prefix(start));
                let end = |rest: &str| rest.find(" #").into_iter().chain(rest.find(['|', '>', '&'])).min();
                found.extend(rest.map(|rest| rest[..end(rest).unwrap_or(rest.len())].trim().to_owned()));
            }
        }
        found
    }

    fn pages(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            match entry.path() {
                path if path.is_dir() => pages(&path, found),
                path if path.extension().is_some_and(|end| end == "md") => found.push(path),
                _ => {}
            }
        }
    }

    /// Every command line that README, CONTRIBUTING and the book give is one that the program understands.
    #[test]
    fn commands_of_the_book_are_understood() {
        let root = crate::tools::cache::workspace_dir();
        let mut files = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
        pages(&root.join("docs/src"), &mut files);
        let (mut seen, mut wrong) = (0, Vec::new());
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a page");
            for line in commands_of(&text).iter().filter(|line| !line.contains(['…', '$', '['])) {
                seen += 1;
                let words = std::iter::once("hpcc-nic").chain(line.split_whitespace());
                let words = words.map(|word| word.trim_matches(['\'', '"']));
                if let Err(error) = super::command().try_get_matches_from(words) {
                    let asked = matches!(
                        error.kind(),
                        clap::error::ErrorKind::DisplayHelp | clap::error::ErrorKind::DisplayVersion
                    );
                    if !asked {
                        wrong.push(format!(
                            "{}: {line}: {}",
                            file.display(),
                            error.to_string().lines().next().unwrap_or("")
                        ));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(seen > 30, "{seen}");
    }
}
