//! Synthesis by Yosys and placement by nextpnr, kept under `target/report` by the content of the emitted files.
//!
//! Cells are counted on the block alone. For placement that netlist, as counted, is put between shift registers (see
//! `harness`), since it has more ports than any part has pins; the harness adds flip-flops, not logic on the block's paths.
//! What it would be in 45 nm standard cells is measured by `standard_cells`.

mod harness;
mod output_registers;
mod part;
mod placement;
mod standard_cells;

pub use placement::{place, Placement};
pub use standard_cells::{standard_cells, StandardCells};

use crate::tools::{cache, run, webassembly, Tool, ToolError};
use crate::verilated::Sources;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What to map onto.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// Lattice ECP5, the part that free tools place and route.
    Ecp5,
    /// Xilinx UltraScale+; cell counts only.
    Xcup,
    /// No mapping: word-level cells as Yosys sees them, to look for latches, memories and products.
    Generic,
}

impl Target {
    fn script(self) -> &'static str {
        match self {
            Target::Ecp5 => "synth_ecp5 -top TOP -json netlist.json",
            Target::Xcup => "synth_xilinx -family xcup -flatten -top TOP",
            Target::Generic => "hierarchy -check -top TOP; proc; opt_clean; memory -nomap; opt_clean",
        }
    }
    fn defines(self) -> &'static str {
        match self {
            Target::Ecp5 => "-D SYNTH_ECP5",
            Target::Xcup | Target::Generic => "",
        }
    }
}

/// Cell counts of one synthesis.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cells(pub BTreeMap<String, u64>);

impl Cells {
    fn sum(&self, names: &[&str]) -> u64 {
        let matches = |cell: &str| {
            names
                .iter()
                .any(|name| cell == *name || name.ends_with('*') && cell.starts_with(name.trim_end_matches('*')))
        };
        self.0
            .iter()
            .filter(|(cell, _)| matches(cell))
            .map(|(_, count)| count)
            .sum()
    }
    /// Counts another netlist's cells too.
    pub fn add(&mut self, other: &Cells) {
        for (cell, count) in &other.0 {
            *self.0.entry(cell.clone()).or_default() += count;
        }
    }
    /// Lookup tables; ECP5 carry cells hold two each.
    pub fn luts(&self) -> u64 {
        self.sum(&["LUT*"]) + 2 * self.sum(&["CCU2C"])
    }
    /// Flip-flops.
    pub fn flip_flops(&self) -> u64 {
        self.sum(&["TRELLIS_FF", "FDRE", "FDSE", "FDCE", "FDPE"])
    }
    /// Shift registers in lookup tables (Xilinx).
    pub fn shift_registers(&self) -> u64 {
        self.sum(&["SRL16E", "SRLC32E"])
    }
    /// Multiplier cells.
    pub fn multipliers(&self) -> u64 {
        self.sum(&["MULT18X18D", "DSP48E2", "DSP48E1", "$mul"])
    }
    /// Block RAMs: DP16KD of 18 kbit on ECP5; on Xilinx halves of 18 kbit, a RAMB36 counting two.
    pub fn block_rams(&self) -> u64 {
        self.sum(&["DP16KD", "RAMB18E2", "$mem_v2"]) + 2 * self.sum(&["RAMB36E2"])
    }
    /// RAM in lookup tables.
    pub fn lut_rams(&self) -> u64 {
        self.sum(&["TRELLIS_DPR16X4", "RAM32*", "RAM64*", "RAM128*", "RAM256*", "RAM512*"])
    }
    /// Latches, of any kind that Yosys knows; there must be none.
    pub fn latches(&self) -> u64 {
        self.sum(&["$dlatch*", "$adlatch*", "$sr", "$_DLATCH*", "$_SR_*", "LDCE", "LDPE"])
    }
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum SynthError {
    /// A tool failed or is missing.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// A tool's result is not what this program reads.
    #[error("{file}: {reason}")]
    Result {
        /// File read.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl From<std::io::Error> for SynthError {
    fn from(error: std::io::Error) -> Self {
        Self::Tool(error.into())
    }
}

/// Folder of a run, named by everything that determines its result.
fn folder(kind: &str, sources: &Sources, settings: &[&str]) -> PathBuf {
    let texts = sources
        .files
        .iter()
        .flat_map(|(name, text)| [name.as_str(), text.as_str()]);
    let key = cache::digest(
        [Tool::Yosys.requirement(), sources.top.as_str()]
            .into_iter()
            .chain(settings.iter().copied())
            .chain(texts),
    );
    cache::target_dir()
        .join("report")
        .join(format!("{}-{kind}-{key}", sources.top))
}

fn write_files(dir: &Path, files: &[(String, String)]) -> Result<String, SynthError> {
    for (name, text) in files {
        std::fs::write(dir.join(name), text)?;
    }
    Ok(files
        .iter()
        .map(|(name, _)| name.as_str())
        .collect::<Vec<_>>()
        .join(" "))
}

fn yosys(dir: &Path, script: &str) -> Result<(), SynthError> {
    std::fs::write(dir.join("run.ys"), script)?;
    run(
        webassembly(Tool::Yosys, dir)?.args(["-q", "-l", "yosys.log", "run.ys"]),
        "Yosys comes from its wheel",
    )?;
    Ok(())
}

fn read_json(path: PathBuf) -> Result<(PathBuf, serde_json::Value), SynthError> {
    let text = std::fs::read_to_string(&path)?;
    match serde_json::from_str(&text) {
        Ok(value) => Ok((path, value)),
        Err(error) => Err(SynthError::Result {
            file: path,
            reason: error.to_string(),
        }),
    }
}

/// Folder with the results of synthesising a top.
fn synthesised(sources: &Sources, target: Target) -> Result<PathBuf, SynthError> {
    let dir = folder(
        &format!("{target:?}").to_lowercase(),
        sources,
        &[target.script(), target.defines()],
    );
    cache::folder(&dir, |dir| -> Result<(), SynthError> {
        let names = write_files(dir, &sources.files)?;
        let script = format!(
            "read_verilog -sv {} {names}\n{}\ntee -q -o cells.json stat -json\n",
            target.defines(),
            target.script().replace("TOP", &sources.top).replace("; ", "\n")
        );
        yosys(dir, &script)
    })?;
    Ok(dir)
}

/// Cells of a top on a target.
pub fn synthesise(sources: &Sources, target: Target) -> Result<Cells, SynthError> {
    let (file, value) = read_json(synthesised(sources, target)?.join("cells.json"))?;
    let counts = value["design"]["num_cells_by_type"].as_object();
    let counts = counts.ok_or_else(|| SynthError::Result {
        file,
        reason: "no cell counts".into(),
    })?;
    Ok(Cells(
        counts
            .iter()
            .filter_map(|(cell, count)| Some((cell.clone(), count.as_u64()?)))
            .collect(),
    ))
}
