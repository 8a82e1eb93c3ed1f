//! The tests that guard a room or a named fault.

use super::build::{Tests, Verdict};
use super::error::SourceError;
use hpcc_sim::parallel;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A mutant whose tests take this much more processor time than those of the unchanged source took by the clock hangs, and that is noticed.
const PATIENCE: f64 = 5.0;
/// Longest processor time of the tests of the unchanged source.
const LONGEST: Duration = Duration::from_secs(1200);

/// Tests that take less than this together, in seconds, share a process.
const SHORT: f64 = 1.0;

/// A test by its full name, and the seconds that it takes without a mutant.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Timed<'a> {
    name: &'a str,
    seconds: f64,
}

/// Tests that pass without a mutant, and how long they may run with one.
pub(super) struct Guard<'a> {
    /// Executables with their tests.
    parts: Vec<(&'a Tests, Vec<Timed<'a>>)>,
    /// Seconds of all of them together.
    pub seconds: f64,
}

impl<'a> Guard<'a> {
    /// Unit tests of a package whose path begins with one of these, then those of other executables.
    pub fn of(
        package: &str,
        begin: &[&str],
        also: &[(&str, &str)],
        tests: &'a BTreeMap<String, Tests>,
    ) -> Result<Self, SourceError> {
        let mut guard = Self {
            parts: Vec::new(),
            seconds: 0.0,
        };
        let own = std::iter::once((package, begin));
        for (name, begin) in own.chain(also.iter().map(|(name, begin)| (*name, std::slice::from_ref(begin)))) {
            let of = || format!("{name} {}", begin.join(", "));
            let executable = tests.get(name).ok_or_else(|| SourceError::NoTest(of()))?;
            let names = executable.beginning(begin);
            if names.is_empty() {
                return Err(SourceError::NoTest(of()));
            }
            let mut timed = vec![];
            for name in names {
                let started = Instant::now();
                match executable.run(&[name], 0, LONGEST)? {
                    Verdict::Passed => {}
                    Verdict::Failed(failed) => return Err(SourceError::Baseline(of(), failed.join(", "))),
                    Verdict::Hung => return Err(SourceError::Baseline(of(), format!("{name} never ends"))),
                }
                let seconds = started.elapsed().as_secs_f64();
                timed.push(Timed { name, seconds });
                guard.seconds += seconds;
            }
            guard.parts.push((executable, timed));
        }
        Ok(guard)
    }

    /// Runs the tests under a mutant until one fails, first those of the changed file's own module, then of its folder: they notice most. Of those the
    /// short ones first.
    fn one(&self, mutant: usize, file: &str) -> Result<Verdict, SourceError> {
        let near = modules(file);
        for (index, (executable, timed)) in self.parts.iter().enumerate() {
            let mut groups = vec![vec![]; near.len() + 1];
            for test in timed {
                let group = near
                    .iter()
                    .position(|module| index == 0 && test.name.starts_with(module));
                groups[group.unwrap_or(near.len())].push(*test);
            }
            for process in groups.into_iter().flat_map(processes) {
                let seconds: f64 = process.iter().map(|test| test.seconds).sum();
                let limit = Duration::from_secs_f64(seconds * PATIENCE + 5.0);
                let names: Vec<&str> = process.iter().map(|test| test.name).collect();
                let verdict = executable.run(&names, mutant, limit)?;
                if verdict != Verdict::Passed {
                    return Ok(verdict);
                }
            }
        }
        Ok(Verdict::Passed)
    }

    /// Runs the tests once for each of these mutants, given as number and changed file.
    pub fn all(
        &self,
        mutants: &[(usize, &str)],
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Verdict>, SourceError> {
        let done = std::sync::atomic::AtomicUsize::new(0);
        let verdicts = parallel::map(mutants.len(), |index| {
            let (number, file) = mutants[index];
            let verdict = self.one(number, file);
            progress(done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1);
            verdict
        });
        verdicts.into_iter().collect()
    }
}

/// How the paths of a file's own tests begin, and of those of its folder, from the file's path in the workspace.
fn modules(file: &str) -> [String; 2] {
    let inside = file.split_once("/src/").map_or(file, |(_, inside)| inside);
    let own = inside.trim_end_matches(".rs").trim_end_matches("/mod");
    let folder = own.rsplit_once('/').map_or("", |(folder, _)| folder);
    [own, folder].map(|path| path.replace('/', "::") + "::")
}

/// Tests in the order in which they are run, the shortest first; those of a process together.
fn processes(mut tests: Vec<Timed>) -> Vec<Vec<Timed>> {
    tests.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let mut found: Vec<Vec<Timed>> = vec![];
    let mut seconds = 0.0;
    for test in tests {
        match found.last_mut().filter(|_| seconds + test.seconds <= SHORT) {
            Some(process) => process.push(test),
            None => {
                found.push(vec![test]);
                seconds = 0.0;
            }
        }
        seconds += test.seconds;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{modules, processes, Timed};

    #[test]
    fn short_tests_come_first_and_share_a_process() {
        let timed = |(name, seconds)| Timed { name, seconds };
        let tests = [("a", 60.0), ("b", 0.3), ("c", 0.6), ("d", 2.0), ("e", 0.2)].map(timed);
        let found = processes(tests.to_vec());
        let names: Vec<Vec<&str>> = found.iter().map(|p| p.iter().map(|test| test.name).collect()).collect();
        assert_eq!(names, [vec!["e", "b"], vec!["c"], vec!["d"], vec!["a"]]);
        assert_eq!(processes(vec![]), Vec::<Vec<Timed>>::new());
    }

    #[test]
    fn a_file_has_the_tests_of_its_module_and_folder() {
        assert_eq!(modules("rtl/src/tx/data/pads.rs"), ["tx::data::pads::", "tx::data::"]);
        assert_eq!(modules("models/src/alloc/mod.rs"), ["alloc::", "::"]);
    }
}
