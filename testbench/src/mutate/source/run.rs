//! A run over rooms: draw, weave, compile once, run the tests once for each mutant.

use super::build::{io, read, Scratch, Verdict};
use super::error::SourceError;
use super::guard::Guard;
use super::points::points;
use super::rooms::Room;
use super::weave::Change;
use crate::mutate::{Outcome, Point};
use crate::tools::cache::workspace_dir;
use rand::seq::SliceRandom;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What became of the mutants of a room.
#[derive(Clone, Debug)]
pub struct RoomReport {
    /// Room.
    pub room: Room,
    /// Mutants that compile, in the order of the draw. `noticed` is 0 where one was.
    pub outcomes: Vec<Outcome>,
    /// All points that could have been drawn.
    pub points: usize,
    /// Seconds of the unchanged tests.
    pub seconds: f64,
}

/// Mutates rooms: of each, the first `count` mutants that compile in an order that the seed draws. `begin` is told when a room's mutants
/// start to run, `progress` how many have, `done` what became of a room.
pub fn run(
    rooms: &[Room],
    count: usize,
    seed: u64,
    begin: &dyn Fn(&str),
    progress: &(dyn Fn(usize) + Sync),
    done: &mut dyn FnMut(RoomReport),
) -> Result<(), SourceError> {
    let workspace = workspace_dir();
    let scratch = Scratch::make()?;
    // mutants are numbered from 1 through all rooms
    let mut drawn: Vec<(usize, Point)> = Vec::new();
    let mut sizes = Vec::new();
    for (index, room) in rooms.iter().enumerate() {
        let mut all = Vec::new();
        for file in rust_files(&workspace.join(room.folder.as_ref()))? {
            let name = file
                .strip_prefix(&workspace)
                .unwrap_or(&file)
                .to_string_lossy()
                .into_owned();
            all.extend(points(&name, &read(&file)?));
        }
        sizes.push(all.len());
        all.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        // some do not compile
        all.truncate(count + count / 2 + 10);
        drawn.extend(all.into_iter().map(|point| (index, point)));
    }
    let mut changes: BTreeMap<String, Vec<Change>> = BTreeMap::new();
    for (index, (_, point)) in drawn.iter().enumerate() {
        let region = in_file(&read(&workspace.join(&point.file))?, point);
        changes.entry(point.file.clone()).or_default().push(Change {
            number: index + 1,
            region,
            replacement: point.replacement.clone(),
        });
    }
    begin("compiling all mutants");
    let executables = rooms
        .iter()
        .flat_map(|room| room.also.iter().map(|(executable, _)| *executable));
    let (packages, also): (BTreeSet<&str>, BTreeSet<&str>) = executables
        .chain(rooms.iter().map(|room| room.package))
        .partition(|name| name.starts_with("hpcc-"));
    let (refused, tests) = scratch.build(&changes, &packages, &also)?;
    scratch.list(&listing(rooms, &drawn, &refused, &workspace)?)?;
    for (index, room) in rooms.iter().enumerate() {
        begin(&room.name);
        let guard = Guard::of(room.package, &[room.tests], room.also, &tests)?;
        let mine = (1..=drawn.len()).filter(|number| drawn[number - 1].0 == index && !refused.contains(number));
        let mine: Vec<usize> = mine.take(count).collect();
        let of_file: Vec<(usize, &str)> = mine.iter().map(|&n| (n, drawn[n - 1].1.file.as_str())).collect();
        let verdicts = guard.all(&of_file, progress)?;
        let outcome = |(number, verdict): (&usize, Verdict)| {
            let point = drawn[number - 1].1.clone();
            let lines = point.lines(&read(&workspace.join(&point.file))?);
            let noticed = (verdict != Verdict::Passed).then_some(0);
            Ok(Outcome { point, lines, noticed })
        };
        done(RoomReport {
            room: room.clone(),
            outcomes: mine
                .iter()
                .zip(verdicts)
                .map(outcome)
                .collect::<Result<_, SourceError>>()?,
            points: sizes[index],
            seconds: guard.seconds,
        });
    }
    Ok(())
}

/// Every mutant that compiled, a line each: its number, room, place, and the line before and after.
fn listing(
    rooms: &[Room],
    drawn: &[(usize, Point)],
    refused: &BTreeSet<usize>,
    workspace: &Path,
) -> Result<String, SourceError> {
    let mut text = "number\troom\tplace\tbefore\tafter\n".to_string();
    for (index, (room, point)) in drawn.iter().enumerate() {
        if !refused.contains(&(index + 1)) {
            let (before, after) = point.lines(&read(&workspace.join(&point.file))?);
            let (number, room) = (index + 1, &rooms[*room].name);
            text += &format!("{number}\t{room}\t{}:{}\t{before}\t{after}\n", point.file, point.line);
        }
    }
    Ok(text)
}

/// The bytes of a file that a point changes.
fn in_file(text: &str, point: &Point) -> Range<usize> {
    let start: usize = text.split_inclusive('\n').take(point.line - 1).map(str::len).sum();
    start + point.region.start..start + point.region.end
}

/// What only tests use: their own files, and those that draw what goes into them.
fn stimulus(name: &str) -> bool {
    name.ends_with("tests.rs") || name.starts_with("stimulus") || name == "synthetic.rs"
}

/// Files of a folder in order, tests apart.
fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io(folder))?.flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() && name != "tests" {
            files.extend(rust_files(&path)?);
        } else if name.ends_with(".rs") && !stimulus(&name) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::source::rooms::ROOMS;
    use crate::mutate::source::weave;
    use crate::mutate::Reasons;

    /// Every room is a folder with points, and all of its source can be woven.
    #[test]
    fn every_room_has_points_that_can_be_woven() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        for room in &ROOMS {
            let (mut all, mut refused) = (0, 0);
            for file in rust_files(&root.join(room.folder.as_ref())).expect("a folder") {
                let text = read(&file).expect("text");
                let changes: Vec<Change> = points("f", &text)
                    .iter()
                    .enumerate()
                    .map(|(number, point)| Change {
                        number,
                        region: in_file(&text, point),
                        replacement: point.replacement.clone(),
                    })
                    .collect();
                let woven = weave::weave(&text, &changes).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
                all += changes.len();
                refused += woven.refused.len();
            }
            assert!(all > 30, "{}: {all} points", room.name);
            // The values of constants cannot become choices; the scheduler's model has the most of them, 93 of 401 points.
            assert!(
                refused * 4 < all,
                "{}: {refused} of {all} points cannot be woven",
                room.name
            );
        }
    }

    /// A reason goes with its line, and with the mutants of that line.
    #[test]
    fn every_reason_belongs_to_a_mutant() {
        let root = workspace_dir();
        let reasons = Reasons::read(&root.join("testbench/data/mutants/source.toml")).expect("a list");
        let stale = reasons.stale(|file| {
            let Ok(text) = read(&root.join(file)) else {
                return vec![];
            };
            points(file, &text).iter().map(|point| point.lines(&text)).collect()
        });
        assert!(stale.is_empty(), "no mutant has these lines:\n{}", stale.join("\n"));
    }

    #[test]
    fn a_point_is_found_in_its_file() {
        let text = "fn f() {\n    a + b\n}\n";
        let point = &points("f.rs", text)[0];
        assert_eq!(&text[in_file(text, point)], " + ");
    }
}
