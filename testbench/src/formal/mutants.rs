//! Proofs can fail: changes to the emitted modules, each of which some property must refute.

use super::task::{folder, io, section, target, tasks, FormalError, Task};
use crate::tools::cache;
use serde::Deserialize;
use std::fs;
use std::path::Path;

/// All mutants, from `testbench/formal/mutants.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutants {
    /// In order.
    pub mutant: Vec<Mutant>,
}

/// One change.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    /// Block whose proof must fail.
    pub block: String,
    /// Its task.
    #[serde(default = "prove")]
    pub task: String,
    /// File of the module, as in the block's `.sby` file.
    pub file: String,
    /// Text before.
    pub from: String,
    /// Text after.
    pub to: String,
    /// What is wrong with it.
    pub about: String,
    /// Clocks within which it must be refuted.
    #[serde(default = "depth")]
    pub depth: u32,
}

fn prove() -> String {
    "prove".into()
}

fn depth() -> u32 {
    14
}

impl Mutants {
    /// Reads the file.
    pub fn read() -> Result<Self, FormalError> {
        let path = folder().join("mutants.toml");
        let text = fs::read_to_string(&path).map_err(io(&path))?;
        toml::from_str(&text).map_err(|error| FormalError::Form(format!("{}: {}", path.display(), error.message())))
    }

    /// Mutants of a block.
    pub fn of<'a>(&'a self, block: &'a str) -> impl Iterator<Item = &'a Mutant> {
        self.mutant.iter().filter(move |mutant| mutant.block == block)
    }
}

impl Mutant {
    /// The task that must fail: bounded model checking of the changed module, which can only refute, never prove. Writes the changed
    /// module if `write`.
    pub fn task(&self, write: bool) -> Result<Task, FormalError> {
        let all = tasks(&self.block, Some(self.depth))?;
        let found = all.into_iter().find(|task| task.name == self.task);
        let mut task = found.ok_or_else(|| FormalError::Form(format!("mutants.toml: no task {}", self.task)))?;
        let listed = section(&task.text, "files").find(|line| line.rsplit('/').next() == Some(self.file.as_str()));
        let listed = listed
            .ok_or_else(|| FormalError::Form(format!("mutants.toml: {} is not used by {}", self.file, self.block)))?
            .to_string();
        let path = folder().join(&listed);
        let text = fs::read_to_string(&path).map_err(io(&path))?;
        let count = text.matches(&self.from).count();
        if count != 1 {
            return Err(FormalError::Stale {
                text: self.from.clone(),
                count,
                file: self.file.clone(),
            });
        }
        let number = cache::digest([&self.block, &self.file, &self.from, &self.to].map(String::as_str));
        let name = format!("mutant_{}", &number[..8]);
        let changed = target()?.join(&name).join(&self.file);
        if write {
            let dir = changed.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(dir).map_err(io(dir))?;
            fs::write(&changed, text.replacen(&self.from, &self.to, 1)).map_err(io(&changed))?;
        }
        task.text = task
            .text
            .replace(&format!("\n{listed}\n"), &format!("\n{}\n", changed.display()));
        task.text = task.text.replace("mode prove", "mode bmc");
        task.block = format!("{}_{name}", self.block);
        Ok(task)
    }
}
