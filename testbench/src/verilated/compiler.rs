//! The C++ compilers of models: the system's where building takes longer than running, Clang for long runs.
//!
//! A clock of the whole NIC is some fifty thousand instructions of straight code. Clang's do a quarter more clocks a second than GCC's; it comes as a
//! wheel, Zig's, and builds its own C++ library once, which takes a minute. For the many small models of tests GCC with a precompiled header is quicker to
//! build with.

use crate::tools::{cache, run, verilator_root, zig_cxx, Tool, ToolError};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A compiler and how hard it tries.
#[derive(Debug, Clone, Copy)]
pub struct Compiler {
    which: Which,
    /// Its option, such as `-O2`.
    effort: &'static str,
}

#[derive(Debug, Clone, Copy)]
enum Which {
    /// `g++`.
    Gcc,
    /// `zig c++`.
    Clang,
}

const REMEDY: &str = "install a C++ compiler (g++)";
const ZIG_REMEDY: &str = "Zig comes from its wheel";
const FLAGS: &[&str] = &["-std=gnu++20", "-fPIC", "-pthread", "-DVL_TIME_CONTEXT", "-w"];
/// Passes that search the thousands of stores of a Verilated function for each of its loads: two thirds of the time of GCC, and the
/// model is no faster for it.
const QUICKLY: &[&str] = &[
    "-fno-tree-pre",
    "-fno-gcse",
    "--param=sccvn-max-alias-queries-per-access=20",
    "--param=dse-max-alias-queries-per-store=8",
];
/// `zig c++` would look for undefined behaviour while the model runs.
const UNCHECKED: &[&str] = &["-fno-sanitize=all"];
/// Verilator's run-time library, and what waveforms need beside it.
const UNITS: &[&str] = &["verilated", "verilated_threads"];
const TRACE_UNITS: &[&str] = &["verilated_vcd_c"];

impl Compiler {
    /// Of an effort: 2 for long runs, 0 or 1 where building takes longer than running.
    pub fn of(optimise: u8) -> Self {
        let (which, effort) = match optimise {
            0 => (Which::Gcc, "-O0"),
            1 => (Which::Gcc, "-O1"),
            _ => (Which::Clang, "-O2"),
        };
        Self { which, effort }
    }

    /// The same compiler, without effort: for what runs once.
    pub fn unoptimised(self) -> Self {
        Self { effort: "-O0", ..self }
    }

    /// Instructions of this processor that make a model quicker. What it computes does not depend on them.
    fn machine(self) -> &'static [&'static str] {
        #[cfg(target_arch = "x86_64")]
        let quick = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("movbe");
        #[cfg(not(target_arch = "x86_64"))]
        let quick = false;
        match (self.which, quick) {
            (Which::Gcc, true) => &["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"],
            (Which::Gcc, false) => &[],
            (Which::Clang, true) => &["-mcpu=x86_64_v3"],
            (Which::Clang, false) => &["-mcpu=baseline"],
        }
    }

    /// Its arguments, whatever it compiles or links.
    fn arguments(self) -> impl Iterator<Item = &'static str> {
        let own = match self.which {
            Which::Gcc => QUICKLY,
            Which::Clang => UNCHECKED,
        };
        let lists = [FLAGS, own, self.machine()];
        lists.into_iter().flatten().copied().chain([self.effort])
    }

    /// All that an object depends on beside its source and Verilator.
    pub fn options<'a>(self) -> Vec<&'a str> {
        let name = match self.which {
            Which::Gcc => "g++",
            Which::Clang => Tool::Zig.requirement(),
        };
        self.arguments().chain([name]).collect()
    }

    /// The command line, ready for what is compiled or linked.
    fn command(self) -> Result<Command, ToolError> {
        let include = verilator_root()?.join("include");
        let mut command = match self.which {
            Which::Gcc => Command::new("g++"),
            Which::Clang => zig_cxx()?,
        };
        command
            .args(self.arguments())
            .arg("-I")
            .arg(&include)
            .arg("-I")
            .arg(include.join("vltstd"));
        Ok(command)
    }

    fn run(self, command: &mut Command) -> Result<(), ToolError> {
        let remedy = match self.which {
            Which::Gcc => REMEDY,
            Which::Clang => ZIG_REMEDY,
        };
        run(command, remedy).map(|_| ())
    }

    /// Compiles a unit of a model, whose headers lie in `dir`.
    pub fn compile(self, source: &Path, dir: &Path, object: &Path) -> Result<(), ToolError> {
        let mut command = self.command()?;
        if let Which::Gcc = self.which {
            command.arg("-include").arg(self.headers()?);
        }
        command.arg("-I").arg(dir).arg("-c").arg(source).arg("-o").arg(object);
        self.run(&mut command)
    }

    /// Makes a shared object of a model's objects.
    pub fn link(self, objects: &[PathBuf], trace: bool, shared: &Path) -> Result<(), ToolError> {
        let mut command = self.command()?;
        command.args(["-shared", "-s"]).args(objects).args(self.runtime(UNITS)?);
        if trace {
            command.args(self.runtime(TRACE_UNITS)?);
        }
        command.arg("-o").arg(shared);
        self.run(&mut command)
    }

    /// Header with which every unit of a model begins, compiled once for each effort of GCC: most of the time of a small model would go into it.
    fn headers(self) -> Result<PathBuf, ToolError> {
        const NAME: &str = "begin.h";
        self.folder("headers", &[], |compiler, dir| {
            let header = dir.join(NAME);
            std::fs::write(&header, "#include \"verilated.h\"\n")?;
            let mut command = compiler.command()?;
            command.args(["-x", "c++-header"]).arg(&header);
            command.arg("-o").arg(dir.join(format!("{NAME}.gch")));
            compiler.run(&mut command)
        })
        .map(|dir| dir.join(NAME))
    }

    /// Parts of Verilator's run-time library, compiled once, with effort, and shared by all models of this compiler.
    fn runtime(self, units: &[&str]) -> Result<Vec<PathBuf>, ToolError> {
        let optimised = Self { effort: "-O2", ..self };
        let dir = optimised.folder("runtime", units, |compiler, dir| {
            let include = verilator_root()?.join("include");
            for unit in units {
                let mut command = compiler.command()?;
                command.arg("-c").arg(include.join(format!("{unit}.cpp")));
                command.arg("-o").arg(dir.join(format!("{unit}.o")));
                compiler.run(&mut command)?;
            }
            Ok(())
        })?;
        Ok(units.iter().map(|unit| dir.join(format!("{unit}.o"))).collect())
    }

    /// A folder that is filled once, and again when this compiler, its options or Verilator change.
    fn folder(
        self,
        name: &str,
        parts: &[&str],
        fill: impl FnOnce(Self, &Path) -> Result<(), ToolError>,
    ) -> Result<PathBuf, ToolError> {
        let key = [Tool::Verilator.requirement()].into_iter().chain(self.options());
        let digest = cache::digest(key.chain(parts.iter().copied()));
        let dir = cache::target_dir().join("verilated").join(format!("{name}-{digest}"));
        cache::folder(&dir, |dir| fill(self, dir))?;
        Ok(dir)
    }
}
