//! The `hpcc-nic` command from outside: `cargo test --test command run_cli` runs one file.
//!
//! | file | subject |
//! | --- | --- |
//! | `bad_input` | Bad input to `run` and `sweep`: one line with the field and what was expected, exit code 2, nothing written |
//! | `book` | README and book: tables of measurements say when and how |
//! | `cosim_command` | `hpcc-nic cosim` as its users run it: table, `--out`, exit codes, one-line errors |
//! | `figures` | Verdicts of the figures that take seconds, beside those of the book's table |
//! | `run_cli` | `hpcc-nic run` from outside: files and exit codes |
//! | `sweeps` | Sweeps that are killed, and sweeps as a Snakemake workflow with the local executor |

mod bad_input;
mod book;
mod cosim_command;
mod figures;
mod run_cli;
mod sweeps;
mod telemetry;
