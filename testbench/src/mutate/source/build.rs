//! The copy of the crates that have rooms: woven, compiled, and run with one mutant at a time.

use super::error::SourceError;
use super::weave::{weave, Change, Woven, MODULE, VARIABLE};
use crate::tools::cache::{target_dir, workspace_dir};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Memory of one run of tests, in KiB: a mutant may ask for all there is.
const MEMORY_KIB: u64 = 16 << 20;

/// In front of the name of an integration test of `testbench`.
const TESTBENCH: &str = "testbench/";

/// Seconds by the clock for each second of processor time that tests may take.
const WAITING: u32 = 20;

/// How the tests of a mutant ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// All of them passed.
    Passed,
    /// These failed, usually the first alone; none is named where the process ended before it could say.
    Failed(Vec<String>),
    /// They ran longer than they may.
    Hung,
}

/// Tests of one executable.
#[derive(Clone, Debug)]
pub(super) struct Tests {
    executable: PathBuf,
    folder: PathBuf,
    names: Vec<String>,
}

impl Tests {
    /// The tests whose path begins with one of these.
    pub fn beginning(&self, with: &[&str]) -> Vec<&str> {
        let names = self.names.iter().map(String::as_str);
        names
            .filter(|name| with.iter().any(|start| name.starts_with(start)))
            .collect()
    }

    /// Runs tests by their full names under a mutant, until one fails; 0 is no mutant. The limit is processor time: on a busy machine a mutant must not count as
    /// noticed because it had to wait. Tests that sleep for ever are ended after [`WAITING`] times as long.
    pub fn run(&self, names: &[&str], mutant: usize, limit: Duration) -> Result<Verdict, SourceError> {
        let shell = Path::new("sh");
        let output = tempfile::tempfile().map_err(io(shell))?;
        let started = Instant::now();
        let mut child = Command::new(shell)
            .args([
                "-c",
                &format!(
                    "ulimit -v {MEMORY_KIB}; ulimit -t {}; exec \"$0\" \"$@\"",
                    limit.as_secs().max(1)
                ),
            ])
            .arg(&self.executable)
            .arg("--exact")
            .args(names)
            .env(VARIABLE, mutant.to_string())
            .env("RUST_TEST_THREADS", "1")
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(output.try_clone().map_err(io(shell))?)
            .stderr(Stdio::null())
            .spawn()
            .map_err(io(shell))?;
        let mut text = Vec::new();
        loop {
            let ended = child.try_wait().map_err(io(shell))?;
            // What came since the last look, at its own place: the child writes on behind it.
            let mut piece = [0; 1 << 14];
            loop {
                let length = output.read_at(&mut piece, text.len() as u64).map_err(io(shell))?;
                if length == 0 {
                    break;
                }
                text.extend_from_slice(&piece[..length]);
            }
            if let Some(status) = ended {
                return Ok(match status.success() {
                    true => Verdict::Passed,
                    false => Verdict::Failed(failed(&text)),
                });
            }
            // The first test that fails decides.
            if !failed(&text).is_empty() {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(Verdict::Failed(failed(&text)));
            }
            if started.elapsed() > limit * WAITING {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(Verdict::Hung);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The tests of an output that have failed.
fn failed(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    let names = text
        .lines()
        .filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
    names.map(str::to_string).collect()
}

/// A copy of the workspace's crates.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// The copy. There is one: cargo takes the artifacts of another place in its target folder for those of this one.
    pub fn make() -> Result<Self, SourceError> {
        let (workspace, root) = (workspace_dir(), target_dir().join("mutants"));
        std::fs::create_dir_all(&root).map_err(io(&root))?;
        let manifest = read(&workspace.join("Cargo.toml"))?;
        let members = manifest.lines().map(|line| match line.split(" = ").next() {
            Some("default-members") => String::new(),
            _ => format!("{line}\n"),
        });
        let scratch = Self(root);
        scratch.write("Cargo.toml", &members.collect::<String>())?;
        scratch.write("Cargo.lock", &read(&workspace.join("Cargo.lock"))?)?;
        for folder in [
            "models",
            "rtl",
            "testbench",
            "driver",
            "examples",
            "docs/src",
            "verilog-out",
        ] {
            copy(&workspace.join(folder), &scratch.0.join(folder))?;
        }
        Ok(scratch)
    }

    /// Writes a file if it differs, so that its time says when it changed.
    fn write(&self, name: &str, text: &str) -> Result<(), SourceError> {
        let path = self.0.join(name);
        if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        std::fs::write(&path, text).map_err(io(&path))
    }

    /// Writes the list of mutants beside the executables: `HPCC_MUTANT=NUMBER` runs one of them by hand.
    pub fn list(&self, text: &str) -> Result<(), SourceError> {
        self.write("mutants.tsv", text)
    }

    /// Weaves the changes of every file, compiles the unit tests of the packages and these integration tests, and leaves out what does not
    /// compile, until the rest does. The numbers left out, and the tests: unit tests by package, integration tests by their own name, those
    /// of `testbench` by [`TESTBENCH`] and their own.
    pub fn build(
        &self,
        changes: &BTreeMap<String, Vec<Change>>,
        packages: &BTreeSet<&'static str>,
        also: &BTreeSet<&'static str>,
    ) -> Result<(BTreeSet<usize>, BTreeMap<String, Tests>), SourceError> {
        let workspace = workspace_dir();
        for krate in ["models", "rtl"] {
            self.write(&format!("{krate}/src/mutant.rs"), MODULE)?;
            let root = format!("{krate}/src/lib.rs");
            let text = read(&workspace.join(&root))?;
            self.write(&root, &format!("{text}\n#[doc(hidden)]\npub mod mutant;\n"))?;
        }
        let mut refused = BTreeSet::new();
        loop {
            let mut woven: BTreeMap<&str, Woven> = BTreeMap::new();
            for (file, changes) in changes {
                let wanted: Vec<Change> = changes
                    .iter()
                    .filter(|c| !refused.contains(&c.number))
                    .cloned()
                    .collect();
                let result = weave(&read(&workspace.join(file))?, &wanted);
                let result = result.map_err(|error| SourceError::Syntax(file.clone(), error))?;
                self.write(file, &result.text)?;
                woven.insert(file, result);
            }
            refused.extend(woven.values().flat_map(|woven| woven.refused.iter().copied()));
            let messages = self.compile(packages, also)?;
            let errors: Vec<&Value> = messages.iter().filter(|m| is_error(m)).collect();
            if errors.is_empty() {
                return Ok((refused, self.tests(&messages)?));
            }
            let before = refused.len();
            for error in &errors {
                let places = places(&error["message"]);
                let blamed = places.iter().find_map(|(file, at)| {
                    let numbers = woven.get(file.as_str())?.blamed(at);
                    (!numbers.is_empty()).then(|| numbers.to_vec())
                });
                refused.extend(blamed.into_iter().flatten());
            }
            if refused.len() == before {
                let first = errors[0]["message"]["rendered"].as_str().unwrap_or_default();
                return Err(SourceError::Compile(first.to_string()));
            }
        }
    }

    /// The messages of the compiler. The tests of `testbench` come second and without its unit tests: they are many, and guard no room.
    fn compile(
        &self,
        packages: &BTreeSet<&'static str>,
        also: &BTreeSet<&'static str>,
    ) -> Result<Vec<Value>, SourceError> {
        let (above, own): (Vec<&str>, Vec<&str>) = also.iter().partition(|name| name.starts_with(TESTBENCH));
        let mut arguments = vec!["--lib"];
        arguments.extend(packages.iter().flat_map(|package| ["-p", package]));
        arguments.extend(own.iter().flat_map(|test| ["--test", test]));
        let mut messages = self.cargo(&arguments)?;
        if !above.is_empty() && !messages.iter().any(is_error) {
            let mut arguments = vec!["-p", "hpcc-testbench"];
            let names = above.iter().filter_map(|name| name.strip_prefix(TESTBENCH));
            arguments.extend(names.flat_map(|test| ["--test", test]));
            messages.extend(self.cargo(&arguments)?);
        }
        Ok(messages)
    }

    /// The messages of one call of `cargo test --no-run`.
    fn cargo(&self, arguments: &[&str]) -> Result<Vec<Value>, SourceError> {
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(&program)
            .args(["test", "--offline", "--no-run", "--message-format=json"])
            .args(arguments)
            // of its own: cargo takes the copy's crates for the workspace's, and would go on with mutated ones
            .env("CARGO_TARGET_DIR", target_dir().join("mutants-build"))
            .current_dir(&self.0)
            .output()
            .map_err(io(Path::new(&program)))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let messages: Vec<Value> = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        if !output.status.success() && !messages.iter().any(is_error) {
            let text = String::from_utf8_lossy(&output.stderr).trim().to_string();
            return Err(SourceError::Compile(text));
        }
        Ok(messages)
    }

    fn tests(&self, messages: &[Value]) -> Result<BTreeMap<String, Tests>, SourceError> {
        let mut found = BTreeMap::new();
        for message in messages {
            let Some(executable) = message["executable"].as_str() else {
                continue;
            };
            let manifest = PathBuf::from(message["manifest_path"].as_str().unwrap_or_default());
            let folder = manifest.parent().unwrap_or(&self.0).to_path_buf();
            let target = &message["target"];
            let name = target["name"].as_str().unwrap_or_default();
            let name = match (target["kind"][0].as_str(), folder.file_name()) {
                (Some("bin"), _) => continue,
                (Some("test"), Some(folder)) if folder == "testbench" => format!("{TESTBENCH}{name}"),
                (Some("test"), _) => name.to_string(),
                _ => name.replace('_', "-"),
            };
            let list = Command::new(executable)
                .args(["--list", "--format", "terse"])
                .current_dir(&folder)
                .output()
                .map_err(io(Path::new(executable)))?;
            let list = String::from_utf8_lossy(&list.stdout).into_owned();
            let names = list
                .lines()
                .filter_map(|line| line.strip_suffix(": test"))
                .map(str::to_string)
                .collect();
            // Another run may compile others under the same names while these are used.
            let own = self.0.join(format!("{}-tests", name.replace('/', "-")));
            std::fs::copy(executable, &own).map_err(io(&own))?;
            let executable = own;
            found.insert(
                name,
                Tests {
                    executable,
                    folder,
                    names,
                },
            );
        }
        Ok(found)
    }
}

/// Whether the compiler refuses something.
fn is_error(message: &Value) -> bool {
    message["message"]["level"] == "error"
}

/// Where an error points, the likeliest first: file and byte, of the message and of the macros around it, then of its notes.
fn places(message: &Value) -> Vec<(String, Range<usize>)> {
    let mut found = vec![];
    let spans = message["spans"].as_array().into_iter().flatten();
    let (primary, others): (Vec<&Value>, Vec<&Value>) = spans.partition(|span| span["is_primary"] == true);
    for span in primary.into_iter().chain(others) {
        let mut span = span;
        while span.is_object() {
            let byte = |name: &str| span[name].as_u64().unwrap_or(0) as usize;
            let file = span["file_name"].as_str().unwrap_or_default().to_string();
            found.push((file, byte("byte_start")..byte("byte_end")));
            span = &span["expansion"]["span"];
        }
    }
    let children = message["children"].as_array().into_iter().flatten();
    found.extend(children.flat_map(places));
    found
}

pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> SourceError + '_ {
    move |error| SourceError::Io(path.display().to_string(), error)
}

pub(super) fn read(path: &Path) -> Result<String, SourceError> {
    std::fs::read_to_string(path).map_err(io(path))
}

/// Makes a folder the copy of another: writes files that differ, removes what the other does not have.
fn copy(from: &Path, to: &Path) -> Result<(), SourceError> {
    std::fs::create_dir_all(to).map_err(io(to))?;
    for entry in std::fs::read_dir(to).map_err(io(to))?.flatten() {
        let path = entry.path();
        if !from.join(entry.file_name()).exists() {
            let removed = if path.is_dir() {
                std::fs::remove_dir_all(&path)
            } else {
                std::fs::remove_file(&path)
            };
            removed.map_err(io(&path))?;
        }
    }
    for entry in std::fs::read_dir(from).map_err(io(from))?.flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target)?;
            continue;
        }
        let bytes = std::fs::read(&path).map_err(io(&path))?;
        if std::fs::read(&target).is_ok_and(|old| old == bytes) {
            continue;
        }
        std::fs::write(&target, bytes).map_err(io(&target))?;
    }
    Ok(())
}
