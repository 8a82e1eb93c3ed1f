//! Mutation of the Rust source: how many small faults do a room's own unit tests notice?
//!
//! The workspace's crates are copied to `target/mutants`; there one line at a time is changed, the room's tests are built and run, and the
//! line is put back. A mutant that does not compile is no mutant. One that no test notices needs a written reason.

mod points;
mod rooms;

pub use points::points;
pub use rooms::{room, Room, ROOMS};

use super::{Outcome, Point};
use crate::tools::cache::{target_dir, workspace_dir};
use rand::seq::SliceRandom;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A mutant whose tests run this much longer than those of the unchanged source hangs, and that is noticed.
const PATIENCE: f64 = 5.0;
/// Longest time of one run of tests, whatever the machine does.
const LONGEST: Duration = Duration::from_secs(600);

/// Why a run could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A file or a process failed.
    #[error("{0}: {1}")]
    Io(String, std::io::Error),
    /// The unchanged tests fail or do not compile.
    #[error("{0}: the tests of the unchanged source do not pass")]
    Baseline(&'static str),
}

/// What became of the mutants of a room.
#[derive(Clone, Debug)]
pub struct RoomReport {
    /// Room.
    pub room: Room,
    /// Mutants that compile, in the order of the draw. `noticed` is 0 where one was.
    pub outcomes: Vec<Outcome>,
    /// Changes drawn that do not compile.
    pub refused: usize,
    /// All points that could have been drawn.
    pub points: usize,
}

/// How the tests of a mutant ended.
enum Verdict {
    Passed,
    Failed,
    DoesNotCompile,
}

/// Mutates a room until `count` mutants have compiled, in an order that the seed draws.
pub fn run(room: &Room, count: usize, seed: u64, progress: &dyn Fn(usize)) -> Result<RoomReport, SourceError> {
    let workspace = workspace_dir();
    let scratch = Scratch::make(&workspace)?;
    let mut all = Vec::new();
    for file in rust_files(&workspace.join(room.folder))? {
        let name = file
            .strip_prefix(&workspace)
            .unwrap_or(&file)
            .to_string_lossy()
            .into_owned();
        all.extend(points(&name, &read(&file)?));
    }
    all.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let started = Instant::now();
    if !matches!(scratch.test(room, LONGEST)?, Verdict::Passed) {
        return Err(SourceError::Baseline(room.name));
    }
    // Once more without the build of everything else, for the limit.
    let built = started.elapsed();
    let again = Instant::now();
    scratch.test(room, LONGEST)?;
    let limit = LONGEST.min(built.min(again.elapsed()).mul_f64(PATIENCE) + Duration::from_secs(120));
    let mut report = RoomReport {
        room: *room,
        outcomes: Vec::new(),
        refused: 0,
        points: all.len(),
    };
    for point in all {
        if report.outcomes.len() == count {
            break;
        }
        let text = read(&workspace.join(&point.file))?;
        let lines = point.lines(&text);
        scratch.write(&point.file, &changed(&text, &point))?;
        let verdict = scratch.test(room, limit);
        scratch.write(&point.file, &text)?;
        match verdict? {
            Verdict::DoesNotCompile => report.refused += 1,
            verdict => report.outcomes.push(Outcome {
                point,
                lines,
                noticed: matches!(verdict, Verdict::Failed).then_some(0),
            }),
        }
        progress(report.outcomes.len());
    }
    Ok(report)
}

/// The text with a point's line changed.
fn changed(text: &str, point: &Point) -> String {
    let lines = text.lines().enumerate().map(|(index, line)| {
        if index + 1 == point.line {
            format!(
                "{}{}{}\n",
                &line[..point.region.start],
                point.replacement,
                &line[point.region.end..]
            )
        } else {
            format!("{line}\n")
        }
    });
    lines.collect()
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> SourceError + '_ {
    move |error| SourceError::Io(path.display().to_string(), error)
}

fn read(path: &Path) -> Result<String, SourceError> {
    std::fs::read_to_string(path).map_err(io(path))
}

/// Files of a folder in order, tests apart.
fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io(folder))?.flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() && name != "tests" {
            files.extend(rust_files(&path)?);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") && !name.starts_with("stimulus") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// A copy of the two crates that have rooms.
struct Scratch(PathBuf);

impl Scratch {
    fn make(workspace: &Path) -> Result<Self, SourceError> {
        let root = target_dir().join("mutants");
        std::fs::create_dir_all(&root).map_err(io(&root))?;
        let manifest = read(&workspace.join("Cargo.toml"))?;
        let members = manifest.lines().map(|line| match line.split(" = ").next() {
            Some("members") => "members = [\"models\", \"rtl\"]\n".to_string(),
            Some("default-members") => String::new(),
            _ => format!("{line}\n"),
        });
        let scratch = Self(root);
        scratch.write("Cargo.toml", &members.collect::<String>())?;
        scratch.write("Cargo.lock", &read(&workspace.join("Cargo.lock"))?)?;
        for folder in ["models", "rtl", "testbench/data", "docs/src", "verilog-out"] {
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

    /// Builds and runs the tests of a room.
    fn test(&self, room: &Room, limit: Duration) -> Result<Verdict, SourceError> {
        let cargo = |arguments: &[&str]| {
            let mut command = Command::new("cargo");
            command
                .args(["test", "--offline", "-p", room.package, "--lib"])
                .args(arguments)
                .env("CARGO_TARGET_DIR", target_dir())
                .current_dir(&self.0)
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            command
        };
        let builds = cargo(&["--no-run"]).status().map_err(io(Path::new("cargo")))?;
        if !builds.success() {
            return Ok(Verdict::DoesNotCompile);
        }
        let started = Instant::now();
        let mut child = cargo(&["--", room.tests]).spawn().map_err(io(Path::new("cargo")))?;
        loop {
            if let Some(status) = child.try_wait().map_err(io(Path::new("cargo")))? {
                return Ok(if status.success() {
                    Verdict::Passed
                } else {
                    Verdict::Failed
                });
            }
            if started.elapsed() > limit {
                // The tests hang: a process of cargo's has them, and both end with it.
                let _ = child.kill();
                let _ = child.wait();
                return Ok(Verdict::Failed);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Copies a folder, files that differ only.
fn copy(from: &Path, to: &Path) -> Result<(), SourceError> {
    std::fs::create_dir_all(to).map_err(io(to))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every room is a folder with points, and drawing is the seed's alone.
    #[test]
    fn every_room_has_points() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        for room in ROOMS {
            let files = rust_files(&root.join(room.folder)).expect("a folder");
            let count: usize = files
                .iter()
                .map(|file| points("f", &read(file).expect("text")).len())
                .sum();
            assert!(count > 30, "{}: {count} points", room.name);
        }
    }

    #[test]
    fn one_line_is_changed() {
        let text = "fn f() {\n    a + b\n}\n";
        let point = &points("f.rs", text)[0];
        assert_eq!(changed(text, point), "fn f() {\n    a - b\n}\n");
    }
}
