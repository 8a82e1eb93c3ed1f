//! The `hpcc-nic` command from outside: `cargo test --test command run_cli` runs one file.
//!
//! | file | subject |
//! | --- | --- |
//! | `bad_input` | Bad input to `run` and `sweep`: one line with the field and what was expected, exit code 2, nothing written |
//! | `book` | README and book: what each part may hold; measured numbers say when and how; the book builds and its links lead somewhere |
//! | `cosim_command` | `hpcc-nic cosim` as its users run it: table, `--out`, exit codes, one-line errors |
//! | `docs` | What describes the program: generated parts, `doctor`, completions, manual pages, `registers` |
//! | `examples` | `examples/integration`: lint, fit with the NIC, benches of the parts |
//! | `figures` | Verdicts of the figures, beside those of the book's table; those that take minutes nightly |
//! | `fusesoc` | The core files from copies of their folders: lint, a proof, and nightly the bench |
//! | `run_cli` | `hpcc-nic run` from outside: files and exit codes |
//! | `sweeps` | Sweeps that are killed, and sweeps as a Snakemake workflow with the local executor |

mod bad_input;
mod book;
mod cosim_command;
mod docs;
mod examples;
mod figures;
mod fusesoc;
mod goal;
mod run_cli;
mod sweeps;
mod telemetry;
