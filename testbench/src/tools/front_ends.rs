//! Front ends other than the simulator's own: what each says about the emitted text.

use super::{cache, environment, packages, provision, run, verilator, webassembly, Tool, ToolError};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian 12's package of Verilator, the oldest version that is promised.
const DEBIAN_VERILATOR: &str = "verilator=5.006-3";
const DEBIAN_REMEDY: &str =
    "Verilator 5.006 is Debian 12's package verilator=5.006-3, unpacked without root by `apt-get download` and \
                             `dpkg-deb`; on another system this front end is left out";

/// Calls slang as its command line does: parses, elaborates, analyses, prints.
const SLANG: &str = "import sys
from pyslang import driver
slang = driver.Driver()
slang.addStandardArgs()
ok = slang.parseCommandLine('slang ' + ' '.join(sys.argv[1:])) and slang.processOptions() and slang.parseAllSources()
if ok:
    design = slang.createCompilation()
    slang.reportCompilation(design, True)
    slang.runAnalysis(design)
    ok = slang.reportDiagnostics(True)
sys.exit(0 if ok else 1)";

/// What Yosys says of an array that it keeps as registers, as is meant.
const REPLACED: &str = "with list of registers. See";

/// A program that reads SystemVerilog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontEnd {
    /// The version that simulates, `--lint-only -Wall`.
    Verilator,
    /// Debian 12's version 5.006, the same.
    DebianVerilator,
    /// `read_verilog -sv`, and every module that another one uses.
    Yosys,
    /// slang's elaboration and analysis with its usual warnings.
    Slang,
    /// Verible's parser.
    Verible,
}

impl FrontEnd {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Verilator,
        Self::DebianVerilator,
        Self::Yosys,
        Self::Slang,
        Self::Verible,
    ];

    /// What it says about the files of a design, which are in order and relative to `dir`; empty if it has nothing to say. An error is
    /// a tool that is not there.
    pub fn says(self, dir: &Path, files: &[String]) -> Result<String, ToolError> {
        let lint = |mut verilator: Command| {
            verilator.args(["--lint-only", "-Wall", "-Wno-MULTITOP", "-sv"]);
            verilator.current_dir(dir).args(files).output()
        };
        let output = match self {
            Self::Verilator => {
                let mut verilator = verilator()?;
                // how long it took is not about the text
                verilator.arg("--quiet-stats");
                lint(verilator)?
            }
            Self::DebianVerilator => lint(debian_verilator()?)?,
            Self::Slang => {
                let venv = std::path::absolute(provision(Tool::Slang)?)?;
                let mut slang = Command::new(venv.join("bin/python"));
                slang.args(["-c", SLANG]).args(files).current_dir(dir).output()?
            }
            Self::Verible => {
                let venv = std::path::absolute(provision(Tool::Verible)?)?;
                let parser = packages(&venv)?.join("verible/bin/verible-verilog-syntax");
                Command::new(parser).args(files).current_dir(dir).output()?
            }
            Self::Yosys => {
                let read = format!("read_verilog -sv {}", files.join(" "));
                let script = format!("{read}; hierarchy -check");
                webassembly(Tool::Yosys, dir)?.args(["-q", "-p", &script]).output()?
            }
        };
        let [stdout, stderr] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        let failed = if output.status.success() {
            String::new()
        } else {
            format!("{}\n", output.status)
        };
        let said = format!("{stdout}{stderr}{failed}");
        let lines = said.lines().filter(|line| !line.contains(REPLACED));
        Ok(lines.map(|line| format!("{line}\n")).collect())
    }
}

/// A command line of Verilator 5.006, ready for arguments.
fn debian_verilator() -> Result<Command, ToolError> {
    let dir = environment().join(DEBIAN_VERILATOR);
    cache::folder(&dir, |dir| -> Result<(), ToolError> {
        run(
            Command::new("apt-get")
                .args(["-q", "download", DEBIAN_VERILATOR])
                .current_dir(dir),
            DEBIAN_REMEDY,
        )?;
        let package: Option<PathBuf> = std::fs::read_dir(dir)?.find_map(|entry| Some(entry.ok()?.path()));
        let package = package.ok_or_else(|| std::io::Error::other(DEBIAN_REMEDY))?;
        run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(dir), DEBIAN_REMEDY)?;
        std::fs::remove_file(package)?;
        Ok(())
    })?;
    let start = || -> std::io::Result<Command> {
        let mut command = Command::new(std::path::absolute(dir.join("usr/bin/verilator_bin"))?);
        command.env("VERILATOR_ROOT", std::path::absolute(dir.join("usr/share/verilator"))?);
        Ok(command)
    };
    // what does not start on this system is not there
    run(start()?.arg("--version"), DEBIAN_REMEDY)?;
    Ok(start()?)
}
