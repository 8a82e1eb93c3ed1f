//! `hpcc-nic report`: tables and figures of the hardware.

use super::{say, Failure};
use crate::report::{hardware, reciprocal};
use crate::tools::cache::workspace_dir;
use hpcc_rtl::tops::TOPS;
use std::path::PathBuf;

/// Tables and figures of the hardware
///
/// Without options: cells of every top on Lattice ECP5 and Xilinx UltraScale+. The first run takes minutes; results are kept
/// in target/report by the content of the Verilog.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bytes and errors of the ways to compute 1/n, and the figure of the book
    #[arg(long)]
    reciprocal: bool,
    /// Folder of the figures [default: docs/src/figures of the workspace]
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// Only this top module
    #[arg(long, value_name = "NAME")]
    top: Option<String>,
    /// Also place and route on ECP5 with so many seeds and keep the best clock rate
    #[arg(long, value_name = "SEEDS", default_value_t = 0)]
    place: u32,
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
            return say(&format!("{}\n", path.display()));
        }
        let wanted = |name: &str| self.top.as_deref().is_none_or(|top| top == name);
        let tops: Vec<_> = TOPS.iter().filter(|top| wanted(top.name)).collect();
        if tops.is_empty() {
            let names: Vec<_> = TOPS.iter().map(|top| top.name).collect();
            return Err(Failure::Input(format!("--top: expected one of {}", names.join(", "))));
        }
        let mut rows = vec![];
        for top in tops {
            let row = hardware::measure(top, self.place, &|step| eprintln!("{step}"));
            rows.push(row.map_err(|error| Failure::Check(error.to_string()))?);
        }
        say(&hardware::table(&rows))
    }
}
