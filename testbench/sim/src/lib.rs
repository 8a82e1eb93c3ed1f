//! Scenarios, sweeps and figures of the packet-level network, with the command line that runs them.
//!
//! A program that uses this crate calls [`main`] with a [`Program`]: its name, and what it adds to the models. The command `hpcc-nic` adds the RTL
//! of the congestion-control slot and whole NICs; `examples/own-law` adds a law.
//!
//! | module | subject |
//! | --- | --- |
//! | `plan` | what a run is: law, fidelity, job, result |
//! | `scenario` | scenario files, traffic, runs, sweeps, result files, figures |
//! | `plot` | figures as SVG and PNG |
//! | `summary` | the tables on the screen and the page of a run |
//! | `toml_error` | an error of a TOML file in one line |
//! | `parallel` | independent work on all processors |
//! | `program` | what a program that uses this crate says of itself and adds |
//! | `cli` | the command line |

pub mod cli;
pub mod names;
pub mod parallel;
pub mod plan;
pub mod plot;
mod program;
pub mod scenario;
pub mod summary;
pub mod toml_error;

pub use cli::main;
pub use hpcc_models as models;
pub use program::Program;
