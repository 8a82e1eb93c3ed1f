//! Written reasons for mutants that no vector can notice.

use super::Outcome;
use serde::Deserialize;
use std::path::Path;

/// How a reason begins that says: equivalent. Every other reason says what a test would have to do.
const SAME: &str = "computes the same";

/// Reasons of one top, from a file of `[[unnoticed]]` tables.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reasons {
    #[serde(default)]
    unnoticed: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    /// The line before the change, without indentation.
    before: String,
    /// The line after it; every change of the line if absent.
    after: Option<String>,
    reason: String,
}

/// Why a file of reasons cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReasonsError {
    /// Not readable.
    #[error("{0}: {1}")]
    Io(String, std::io::Error),
    /// Not in the expected form.
    #[error("{0}: {1}")]
    Form(String, String),
}

impl Reasons {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, ReasonsError> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| ReasonsError::Io(shown.clone(), error))?;
        Self::parse(&text).map_err(|error| ReasonsError::Form(shown, error))
    }

    fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.message().to_string())
    }

    /// The written reason says that the mutant computes the same: no test can notice it, and it does not count in a share.
    pub fn same(&self, outcome: &Outcome) -> bool {
        self.of(outcome).is_some_and(|reason| reason.starts_with(SAME))
    }

    /// Percent of the mutants that are noticed, of those that compute something else.
    pub fn share(&self, outcomes: &[Outcome]) -> f64 {
        let noticed = outcomes.iter().filter(|outcome| outcome.noticed.is_some()).count();
        let same = |outcome: &&Outcome| outcome.noticed.is_none() && self.same(outcome);
        let others = outcomes.len() - outcomes.iter().filter(same).count();
        100.0 * noticed as f64 / others.max(1) as f64
    }

    /// Entries for which no mutant is left, as file and line; `mutants` gives those of a file as the line before and after.
    #[cfg(test)]
    pub(super) fn stale(&self, mutants: impl Fn(&str) -> Vec<(String, String)>) -> Vec<String> {
        let is_left = |entry: &&Entry| {
            let fits = |(before, after): &(String, String)| {
                *before == entry.before && entry.after.as_ref().is_none_or(|wanted| wanted == after)
            };
            mutants(&entry.file).iter().any(fits)
        };
        let stale = self.unnoticed.iter().filter(|entry| !is_left(entry));
        stale.map(|entry| format!("{}: {}", entry.file, entry.before)).collect()
    }

    /// The reason why a mutant cannot be noticed, if one is written down.
    pub fn of(&self, outcome: &Outcome) -> Option<&str> {
        let matches = |entry: &&Entry| {
            entry.file == outcome.point.file
                && entry.before == outcome.lines.0
                && entry.after.as_ref().is_none_or(|after| *after == outcome.lines.1)
        };
        self.unnoticed.iter().find(matches).map(|entry| entry.reason.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{points, Outcome};
    use super::*;

    #[test]
    fn reasons_belong_to_lines() {
        let text = "  assign a = b + c;\n";
        let point = points("m.sv", text).remove(0);
        let outcome = Outcome {
            lines: point.lines(text),
            point,
            noticed: None,
        };
        let reasons = |after: &str| {
            let file =
                format!("[[unnoticed]]\nfile = \"m.sv\"\nbefore = \"assign a = b + c;\"\n{after}reason = \"c is 0\"\n");
            Reasons::parse(&file).expect("well formed")
        };
        assert_eq!(reasons("").of(&outcome), Some("c is 0"));
        assert_eq!(reasons("after = \"assign a = b - c;\"\n").of(&outcome), Some("c is 0"));
        assert_eq!(reasons("after = \"assign a = b;\"\n").of(&outcome), None);
        assert!(Reasons::parse("[[unnoticed]]\nfile = 3\n").is_err());
    }

    /// Four mutants: one noticed, one that computes the same, one that some test would notice, one without a word.
    #[test]
    fn only_what_computes_the_same_is_left_out_of_the_share() {
        let lines = [
            "  assign a = b + c;\n",
            "  assign d = b + c;\n",
            "  assign e = b + c;\n",
        ];
        let unnoticed = lines.map(|text| {
            let point = points("m.sv", text).remove(0);
            let lines = point.lines(text);
            Outcome {
                lines,
                point,
                noticed: None,
            }
        });
        let mut outcomes = unnoticed.to_vec();
        outcomes.push(Outcome {
            noticed: Some(3),
            ..unnoticed[0].clone()
        });
        let entry = |line: &str, reason: &str| {
            format!("[[unnoticed]]\nfile = \"m.sv\"\nbefore = \"{line}\"\nreason = \"{reason}\"\n")
        };
        let text = entry("assign a = b + c;", "computes the same: c is 0") + &entry("assign d = b + c;", "needs c");
        let reasons = Reasons::parse(&text).expect("well formed");
        assert!(reasons.same(&outcomes[0]) && !reasons.same(&outcomes[1]) && !reasons.same(&outcomes[2]));
        assert_eq!(reasons.share(&outcomes), 100.0 / 3.0);
        assert_eq!(reasons.share(&[]), 0.0);
    }
}
