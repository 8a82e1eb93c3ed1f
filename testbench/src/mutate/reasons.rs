//! Written reasons for mutants that no vector can notice.

use super::Outcome;
use serde::Deserialize;
use std::path::Path;

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
}
