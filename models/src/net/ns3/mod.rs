//! Text formats of the authors' ns-3 HPCC simulator (behaviour, "File formats shared with the outside").
//!
//! Errors are one line: file, line, field, what was expected.

mod config;
mod flows;
mod link_down;
mod table;
mod topology;
mod units;

pub use config::{CcMode, Ns3Config};
pub use flows::{read_flows, write_flows, Ns3Flow, Ns3Flows};
pub use link_down::LinkDown;
pub use table::{is_table, read_flow_table, FlowTable};
pub use topology::read_topology;

use thiserror::Error;

/// Something in a file is not as it must be.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}:{line}: {field}: expected {expected}")]
pub struct FormatError {
    /// Name of the file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Field.
    pub field: String,
    /// What should be there.
    pub expected: String,
}

/// Words of a text with the line each stands on.
struct Words<'a> {
    file: &'a str,
    words: std::vec::IntoIter<(usize, &'a str)>,
    last_line: usize,
}

impl<'a> Words<'a> {
    fn new(file: &'a str, text: &'a str) -> Self {
        let words: Vec<(usize, &str)> = text
            .lines()
            .enumerate()
            .flat_map(|(n, line)| line.split_whitespace().map(move |w| (n + 1, w)))
            .collect();
        Self {
            file,
            words: words.into_iter(),
            last_line: text.lines().count().max(1),
        }
    }

    /// What stands behind the last word that was read: its line and first word.
    fn rest(&mut self) -> Option<(usize, &'a str)> {
        self.words.next()
    }

    fn error(&self, line: usize, field: &str, expected: &str, got: &str) -> FormatError {
        FormatError {
            file: self.file.into(),
            line,
            field: field.into(),
            expected: if got.is_empty() {
                format!("{expected}, got end of file")
            } else {
                format!("{expected}, got `{got}`")
            },
        }
    }

    /// The next word as whatever `parse` makes of it.
    fn next<T>(
        &mut self,
        field: &str,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<(usize, T), FormatError> {
        match self.words.next() {
            Some((line, word)) => parse(word)
                .map(|v| (line, v))
                .ok_or_else(|| self.error(line, field, expected, word)),
            None => Err(self.error(self.last_line, field, expected, "")),
        }
    }
}
