//! The folder `verilog-out`: one file per module, a file list, a FuseSoC core file, the lint waivers, the register map and the words.

use super::comment::wrapped;
use super::error::EmitError;
use super::library::{Library, HEADER};
use crate::words::print;
use hpcc_models::nic::registers;
use std::collections::BTreeMap;
use std::path::Path;

/// Design name in the file list and the core file.
const DESIGN: &str = "hpcc_nic";
/// Folder of the modules.
const RTL: &str = "rtl";
/// Folder of what they promise, as assertions.
const CONTRACTS: &str = "sva";
/// A bench in which a NIC talks to itself, for simulators that need no more.
const BENCH: &str = "tb/hpcc_nic_tb.sv";

/// Relative paths and contents of the generated folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree(pub BTreeMap<String, String>);

/// One way in which a folder differs from the [`Tree`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The file is not there.
    Missing(String),
    /// A generated file that nothing emits any more.
    Stale(String),
    /// First line that differs: number, expected, found.
    Line(String, usize, String, String),
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Difference::Missing(path) => write!(f, "{path}: missing"),
            Difference::Stale(path) => write!(f, "{path}: no block emits this file any more"),
            Difference::Line(path, line, expected, found) => {
                write!(
                    f,
                    "{path}:{line}: the source emits `{expected}`, the file has `{found}`"
                )
            }
        }
    }
}

impl Tree {
    /// Lays out all modules of a library.
    pub fn new(library: &Library) -> Self {
        let mut order = library.module_order();
        let mut files = BTreeMap::new();
        let mut contracts = String::new();
        for name in &order {
            files.insert(
                format!("{RTL}/{name}.sv"),
                wrapped(library.module_text(name).unwrap_or_default()),
            );
            if let Some(text) = library.contract(name) {
                let path = format!("{CONTRACTS}/{name}_sva.sv");
                contracts += &format!("{path}\n");
                files.insert(path, wrapped(text));
            }
        }
        files.insert(format!("{DESIGN}_sva.f"), format!("{HEADER}\n{contracts}"));
        files.insert(BENCH.into(), include_str!("bench/hpcc_nic_tb.sv").into());
        // types first: everything else names them
        if let Some((name, text)) = library.package() {
            files.insert(format!("{RTL}/{name}"), wrapped(&text));
            order.insert(0, name.trim_end_matches(".sv").into());
        }
        let list: String = order.iter().map(|name| format!("{RTL}/{name}.sv\n")).collect();
        files.insert(format!("{DESIGN}.f"), format!("{HEADER}\n{list}"));
        files.insert(format!("{DESIGN}.core"), core_file(library, &order, &contracts));
        files.insert("waivers.vlt".into(), waivers());
        files.insert(format!("{DESIGN}_regs.vh"), registers::verilog_header());
        files.insert(format!("{DESIGN}_regs.rdl"), registers::system_rdl());
        files.insert(
            format!("{DESIGN}_regs.md"),
            registers::markdown() + &print::users_markdown(),
        );
        files.insert(format!("{DESIGN}_words.md"), print::blocks_markdown());
        files.insert(format!("{DESIGN}.h"), print::c_header());
        Tree(files)
    }

    /// Writes the folder and removes generated modules that are no longer part of it.
    pub fn write(&self, dir: &Path) -> Result<(), EmitError> {
        let io = |path: &Path, cause| EmitError::Io {
            path: path.display().to_string(),
            cause,
        };
        for folder in [RTL, CONTRACTS, "tb"] {
            let folder = dir.join(folder);
            std::fs::create_dir_all(&folder).map_err(|e| io(&folder, e))?;
        }
        for name in self.stale(dir)? {
            let path = dir.join(name);
            std::fs::remove_file(&path).map_err(|e| io(&path, e))?;
        }
        for (name, text) in &self.0 {
            let path = dir.join(name);
            // an unchanged file keeps its time, so that builds do not start over
            if std::fs::read_to_string(&path).is_ok_and(|old| old == *text) {
                continue;
            }
            std::fs::write(&path, text).map_err(|e| io(&path, e))?;
        }
        Ok(())
    }

    /// Everything in which a folder differs, in order of path.
    pub fn differences(&self, dir: &Path) -> Result<Vec<Difference>, EmitError> {
        let mut found: Vec<Difference> = self.stale(dir)?.into_iter().map(Difference::Stale).collect();
        for (name, expected) in &self.0 {
            let path = dir.join(name);
            match std::fs::read_to_string(&path) {
                Ok(text) if text == *expected => {}
                Ok(text) => found.push(first_difference(name, expected, &text)),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => found.push(Difference::Missing(name.clone())),
                Err(cause) => {
                    return Err(EmitError::Io {
                        path: path.display().to_string(),
                        cause,
                    })
                }
            }
        }
        Ok(found)
    }

    /// Generated modules in the folder that this tree does not have.
    fn stale(&self, dir: &Path) -> Result<Vec<String>, EmitError> {
        let mut names = vec![];
        for folder in [RTL, CONTRACTS] {
            let path = dir.join(folder);
            let entries = match std::fs::read_dir(&path) {
                Ok(entries) => entries,
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
                Err(cause) => {
                    return Err(EmitError::Io {
                        path: path.display().to_string(),
                        cause,
                    })
                }
            };
            let entries = entries
                .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                .map(|name| format!("{folder}/{name}"))
                .filter(|name| name.ends_with(".sv") && !self.0.contains_key(name))
                .filter(|name| std::fs::read_to_string(dir.join(name)).is_ok_and(|text| text.starts_with(HEADER)));
            names.extend(entries);
        }
        names.sort();
        Ok(names)
    }
}

fn first_difference(name: &str, expected: &str, found: &str) -> Difference {
    let (mut expected, mut found) = (expected.lines(), found.lines());
    for line in 1.. {
        let (a, b) = (expected.next(), found.next());
        if a != b || a.is_none() {
            let show = |line: Option<&str>| line.unwrap_or("end of file").to_string();
            return Difference::Line(name.into(), line, show(a), show(b));
        }
    }
    unreachable!("a line number exists")
}

/// FuseSoC's description of the design (CAPI2, flow API). The proofs are a core of their own, beside them in `testbench/formal`.
fn core_file(library: &Library, order: &[String], contracts: &str) -> String {
    let files: String = order.iter().map(|name| format!("      - {RTL}/{name}.sv\n")).collect();
    let contracts: String = contracts.lines().map(|path| format!("      - {path}\n")).collect();
    let top = library.tops().first().map_or("", String::as_str);
    let tops = library.tops().join(", ");
    format!(
        "CAPI=2:
# Generated by `hpcc-nic emit`. Do not edit. Top modules: {tops}.
name: hpcc-nic:ip:{DESIGN}:{version}
description: RoCEv2-style NIC with congestion control in hardware

filesets:
  rtl:
    files:
{files}      - {DESIGN}_regs.vh: {{is_include_file: true}}
    file_type: systemVerilogSource
  # What modules promise, as assertions bound to each instance.
  sva:
    files:
{contracts}    file_type: systemVerilogSource
  tb:
    files:
      - {BENCH}
    file_type: systemVerilogSource
  waivers:
    files:
      - waivers.vlt: {{file_type: vlt}}

targets:
  default: &default
    filesets: [rtl]
    toplevel: {top}
  lint: &lint
    <<: *default
    description: Verilator reads the NIC with all laws, every warning on
    filesets: [rtl, waivers]
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wall]
  lint_hpcc:
    <<: *lint
    description: the same with HPCC alone
    toplevel: {top}_hpcc
  sim: &sim
    description: a NIC wired to itself completes a WRITE and a READ, its modules' promises checked
    filesets: [rtl, sva, tb]
    toplevel: {DESIGN}_tb
    flow: sim
    flow_options:
      tool: verilator
      mode: binary
      verilator_options: [--timing, --timescale, 1ns/1ps, --assert, -Wno-fatal, -Wno-lint, -CFLAGS, -fcoroutines]
  sim_hpcc:
    <<: *sim
    description: the same with HPCC alone
    parameters: [HPCC_NIC_TOP={top}_hpcc]
  synth: &synth
    <<: *default
    description: cells of Lattice ECP5 by Yosys
    flow: generic
    flow_options:
      tool: yosys
      arch: ecp5
    parameters: [SYNTH_ECP5=true]
  synth_hpcc:
    <<: *synth
    description: the same with HPCC alone
    toplevel: {top}_hpcc

parameters:
  SYNTH_ECP5:
    datatype: bool
    paramtype: vlogdefine
    description: use the multiplier cells and memories of Lattice ECP5
  HPCC_NIC_TOP:
    datatype: str
    paramtype: vlogdefine
    description: module of the NIC in the bench
",
        version = env!("CARGO_PKG_VERSION"),
    )
}

/// Lint waivers, each with its reason.
fn waivers() -> String {
    "`verilator_config
// Generated by `hpcc-nic emit`. Do not edit. No waiver is needed: the modules are clean under `-Wall`.
"
    .into()
}
