//! The `hpcc-nic` command from outside: `cargo test --test command run_cli` runs one file.
//!
//! | file | subject |
//! | --- | --- |
//! | `bad_input` | Bad input to `run` and `sweep`: one line with the field and what was expected, exit code 2, nothing written |
//! | `book` | README and book: tables and sentences of measurements say when and how, and files that are named are there |
//! | `cosim_command` | `hpcc-nic cosim` as its users run it: table, `--out`, exit codes, one-line errors |
//! | `figures` | Verdicts of the figures, beside those of the book's table; those that take minutes nightly |
//! | `run_cli` | `hpcc-nic run` from outside: files and exit codes |
//! | `sweeps` | Sweeps that are killed, and sweeps as a Snakemake workflow with the local executor |

mod bad_input;
mod book;
mod cosim_command;
mod figures;
mod goal;
mod run_cli;
mod sweeps;
mod telemetry;
