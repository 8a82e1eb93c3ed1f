//! Faults that somebody once made on purpose and that every test let pass, each with the tests that notice it now.

use super::build::{read, Scratch, Verdict};
use super::error::SourceError;
use super::guard::Guard;
use super::weave::Change;
use crate::tools::cache::workspace_dir;
use serde::Deserialize;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

/// One fault.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// What is wrong then.
    pub name: String,
    /// File, from the workspace.
    pub file: String,
    /// A piece of the file that stands there once.
    pub before: String,
    /// What stands in its place.
    pub after: String,
    /// Unit tests of the file's crate, one of which must fail: those whose path begins so.
    pub tests: Vec<String>,
}

/// What became of one.
#[derive(Clone, Debug)]
pub struct NamedOutcome {
    /// The fault.
    pub named: Named,
    /// The tests that failed; none if all passed.
    pub noticed: Option<Vec<String>>,
}

/// Why a list of faults cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum NamedError {
    /// Not in the expected form.
    #[error("{0}: {1}")]
    Form(String, String),
    /// What a fault changes is not there, or more than once.
    #[error("{name}: {file} has `{before}` {times} times, expected once")]
    Place {
        /// Fault.
        name: String,
        /// File.
        file: String,
        /// What was looked for.
        before: String,
        /// How often it is there.
        times: usize,
    },
    /// A change stands where no choice can be made, or does not compile.
    #[error("{0}: does not compile")]
    Refused(String),
    /// The run failed.
    #[error(transparent)]
    Source(#[from] SourceError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    mutant: Vec<Named>,
}

impl Named {
    /// Reads a file of `[[mutant]]` tables.
    pub fn list(path: &Path) -> Result<Vec<Self>, NamedError> {
        let list: List = toml::from_str(&read(path)?)
            .map_err(|error| NamedError::Form(path.display().to_string(), error.message().to_string()))?;
        Ok(list.mutant)
    }

    /// Where the fault is in the text of its file.
    fn region(&self, text: &str) -> Result<Range<usize>, NamedError> {
        let mut found = text.match_indices(&self.before);
        match (found.next(), found.count()) {
            (Some((at, _)), 0) => Ok(at..at + self.before.len()),
            (first, more) => Err(NamedError::Place {
                name: self.name.clone(),
                file: self.file.clone(),
                before: self.before.clone(),
                times: usize::from(first.is_some()) + more,
            }),
        }
    }

    /// The change without what both texts begin and end with: the less it covers, the smaller the piece that becomes a choice.
    fn shortest(&self, region: Range<usize>) -> (Range<usize>, String) {
        let same = |(a, b): &(char, char)| a == b;
        let length = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
            pairs.take_while(same).map(|(c, _)| c.len_utf8()).sum()
        };
        let (before, after) = (&self.before, &self.after);
        let start = length(&mut before.chars().zip(after.chars()));
        let end = length(&mut before[start..].chars().rev().zip(after[start..].chars().rev()));
        let replacement = after[start..after.len() - end].to_string();
        (region.start + start..region.end - end, replacement)
    }

    fn package(&self) -> &'static str {
        if self.file.starts_with("rtl/") {
            "hpcc-rtl"
        } else {
            "hpcc-models"
        }
    }

    /// Runs all of them: one build, then each with its own tests.
    pub fn run(list: &[Self], begin: &dyn Fn(&str), done: &mut dyn FnMut(NamedOutcome)) -> Result<(), NamedError> {
        let workspace = workspace_dir();
        let mut changes: BTreeMap<String, Vec<Change>> = BTreeMap::new();
        for (index, named) in list.iter().enumerate() {
            let region = named.region(&read(&workspace.join(&named.file))?)?;
            let (region, replacement) = named.shortest(region);
            changes.entry(named.file.clone()).or_default().push(Change {
                number: index + 1,
                region,
                replacement,
            });
        }
        begin("compiling all mutants");
        let packages: BTreeSet<&str> = list.iter().map(Self::package).collect();
        let (refused, tests) = Scratch::make()?.build(&changes, &packages, &BTreeSet::new())?;
        if let Some(number) = refused.first() {
            return Err(NamedError::Refused(list[number - 1].name.clone()));
        }
        // faults with the same tests share the run of the unchanged source
        let mut guards: BTreeMap<(&str, Vec<&str>), Guard> = BTreeMap::new();
        for (index, named) in list.iter().enumerate() {
            begin(&named.name);
            let begins: Vec<&str> = named.tests.iter().map(String::as_str).collect();
            let guard = match guards.entry((named.package(), begins.clone())) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(Guard::of(named.package(), &begins, &[], &tests)?),
            };
            let verdict = guard.all(&[(index + 1, named.file.as_str())], &|_| {})?.remove(0);
            done(NamedOutcome {
                named: named.clone(),
                noticed: match verdict {
                    Verdict::Passed => None,
                    Verdict::Failed(tests) => Some(tests),
                    Verdict::Hung => Some(vec!["the tests never end".into()]),
                },
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What every fault of the list changes is there once, and its tests are in the source.
    #[test]
    fn every_named_mutant_has_its_place() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        let list = Named::list(&root.join("testbench/data/mutants/named.toml")).expect("a list");
        assert!(list.len() >= 20, "{}", list.len());
        let names: BTreeSet<&str> = list.iter().map(|named| named.name.as_str()).collect();
        assert_eq!(names.len(), list.len(), "two of the same name");
        for named in &list {
            let text = read(&root.join(&named.file)).expect("a file");
            named.region(&text).unwrap_or_else(|error| panic!("{error}"));
            assert_ne!(named.before, named.after, "{}", named.name);
        }
    }

    #[test]
    fn a_place_must_be_one() {
        let named = Named {
            name: "n".into(),
            file: "f".into(),
            before: "a".into(),
            after: "b".into(),
            tests: vec![],
        };
        assert_eq!(named.region("xax").expect("once"), 1..2);
        let longer = Named {
            before: "let a = b + c;".into(),
            after: "let a = b - c;".into(),
            ..named.clone()
        };
        assert_eq!(longer.shortest(100..114), (110..111, "-".into()));
        assert!(named.region("aa").is_err() && named.region("x").is_err());
    }
}
