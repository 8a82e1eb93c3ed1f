//! Blocks with proofs and their tasks, and what is known of a task after a run.

use crate::tools::{cache, ToolError};
use std::fs;
use std::path::{Path, PathBuf};

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

pub(super) fn io(path: &Path) -> impl Fn(std::io::Error) -> FormalError + '_ {
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
pub(super) fn section<'a>(text: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
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

/// Folder of results.
pub(super) fn target() -> Result<PathBuf, FormalError> {
    let dir = cache::target_dir().join("formal");
    fs::create_dir_all(&dir).map_err(io(&dir))?;
    std::path::absolute(&dir).map_err(io(&dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_depth_leaves_the_covers() {
        let text = "[options]\nprove: depth 3\ncover: depth 12\n";
        assert_eq!(with_depth(text, 9), "[options]\nprove: depth 9\ncover: depth 12\n");
    }
}
