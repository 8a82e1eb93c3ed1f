//! `hpcc-nic emit`: the Verilog, written or compared with what is committed.

use crate::tools::cache::workspace_dir;
use hpcc_rtl::emit::Tree;
use hpcc_rtl::tops;
use hpcc_sim::cli::{say, Failure};
use std::fmt::Write;
use std::path::PathBuf;

/// Write the Verilog of every top module: one file per module, a file list and a FuseSoC core file
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder to write [default: verilog-out of the workspace]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write nothing; fail if the folder differs from what the source emits
    #[arg(long)]
    check: bool,
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        let dir = self.out.unwrap_or_else(|| workspace_dir().join("verilog-out"));
        let library = tops::library().map_err(|error| Failure::Check(error.to_string()))?;
        let tree = Tree::new(&library);
        let (files, shown) = (tree.0.len(), dir.display());
        if !self.check {
            tree.write(&dir).map_err(Failure::input)?;
            return say(&format!(
                "{shown}: {files} files, {} top modules\n",
                library.tops().len()
            ));
        }
        let differences = tree.differences(&dir).map_err(Failure::input)?;
        if differences.is_empty() {
            return say(&format!("{shown}: all {files} files are what the source emits\n"));
        }
        let mut text = String::new();
        for difference in &differences {
            let _ = writeln!(text, "{difference}");
        }
        say(&text)?;
        let count = differences.len();
        Err(Failure::Check(format!(
            "{shown}: {count} files differ from the source; run `hpcc-nic emit`"
        )))
    }
}
