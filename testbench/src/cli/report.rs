//! `hpcc-nic report`: tables and figures of the hardware.

use super::{say, Failure};
use crate::report::reciprocal;
use crate::tools::cache::workspace_dir;
use std::path::PathBuf;

/// Tables and figures of the hardware
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bytes and errors of the ways to compute 1/n, and the figure of the book
    #[arg(long)]
    reciprocal: bool,
    /// Folder of the figures [default: docs/src/figures of the workspace]
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        let figures = self.figures.unwrap_or_else(|| workspace_dir().join("docs/src/figures"));
        if self.reciprocal {
            let path = figures.join("reciprocal.svg");
            say(&reciprocal::table())?;
            let svg = reciprocal::figure().map_err(Failure::Check)?;
            std::fs::write(&path, svg).map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
            say(&format!("{}\n", path.display()))?;
        }
        Ok(())
    }
}
