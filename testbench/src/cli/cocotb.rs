//! `hpcc-nic cocotb`: the emitted Verilog as an outside user would drive it.

use crate::tools::{cache, python, verilator_root, Tool};
use hpcc_sim::cli::Failure;
use std::path::PathBuf;

/// Cocotb benches of the emitted Verilog
///
/// Builds each top of verilog-out that has a test in examples/cocotb with Verilator and drives it with cocotbext-axi and scapy.
/// Needs make, perl and a C++ compiler; Python packages and Verilator are installed under target/ when first needed.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this top module
    #[arg(long, value_name = "NAME")]
    top: Option<String>,
}

/// Tops with a test, smallest first.
fn benches() -> Result<Vec<String>, Failure> {
    let folder = folder();
    let entries =
        std::fs::read_dir(&folder).map_err(|error| Failure::Input(format!("{}: {error}", folder.display())))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_prefix("test_")?.strip_suffix(".py")?.to_string()))
        .collect();
    names.sort();
    Ok(names)
}

fn folder() -> PathBuf {
    cache::workspace_dir().join("examples/cocotb")
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        let names = benches()?;
        let wanted: Vec<_> = names
            .iter()
            .filter(|name| self.top.as_ref().is_none_or(|top| top == *name))
            .collect();
        if wanted.is_empty() {
            return Err(Failure::Input(format!("--top: expected one of {}", names.join(", "))));
        }
        let check = |error: crate::tools::ToolError| Failure::Check(error.to_string());
        let root = verilator_root().map_err(check)?;
        for name in wanted {
            let status = python(Tool::Cocotb)
                .map_err(check)?
                .arg(folder().join("bench.py"))
                .arg(name)
                .arg(&root)
                .arg(cache::target_dir().join("cocotb").join(name))
                .status()
                .map_err(|error| Failure::Check(format!("python: {error}")))?;
            if !status.success() {
                let command = format!("cargo run --release -- cocotb --top {name}");
                return Err(Failure::Check(format!("cocotb bench of {name}; again with: {command}")));
            }
        }
        Ok(())
    }
}
