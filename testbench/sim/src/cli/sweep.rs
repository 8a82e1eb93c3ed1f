//! `sweep`: every combination of some values on one scenario, on all cores, resumable.

use std::path::PathBuf;

use super::{say, Failure};
use crate::scenario::output::OutDir;
use crate::scenario::sweep::Sweep;

/// Run every combination of some values on one scenario; finished runs are kept, so it can be resumed
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Sweep file (TOML): the scenario, and a list of values for each axis
    file: String,
    /// Folder for results
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Runs at a time (default: the machine's cores)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Only this combination, from 0 (for clusters: one job each)
    #[arg(long, value_name = "N")]
    only: Option<usize>,
    /// Print the number of combinations and stop
    #[arg(long, conflicts_with_all = ["out", "threads", "only"])]
    count: bool,
}

impl Args {
    /// Runs what is missing and writes the table.
    pub fn run(self) -> Result<(), Failure> {
        let sweep = Sweep::read(&self.file).map_err(Failure::Input)?;
        if self.count {
            return say(&format!("{}\n", sweep.points.len()));
        }
        if let Some(only) = self.only.filter(|&o| o >= sweep.points.len()) {
            return Err(Failure::Input(format!(
                "--only: expected below {}, got {only}",
                sweep.points.len()
            )));
        }
        let stem = std::path::Path::new(&self.file)
            .file_stem()
            .map_or("sweep".into(), |s| s.to_owned());
        let path = self
            .out
            .clone()
            .unwrap_or_else(|| PathBuf::from("out/sweeps").join(stem));
        let dir = OutDir::create(&path).map_err(Failure::Input)?;
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let ran = sweep
            .run(&dir, self.threads.map_or(cores, usize::from), self.only)
            .map_err(Failure::Input)?;
        let table = sweep.table(&dir).map_err(Failure::Input)?;
        // One of many jobs leaves the table to the last.
        if self.only.is_none() {
            dir.write("sweep.csv", table.as_bytes()).map_err(Failure::Input)?;
        }
        say(&format!(
            "{table}\n{ran} runs, {} kept; results in {}\n",
            table.lines().count() - 1 - ran.min(table.lines().count() - 1),
            path.display()
        ))
    }
}
