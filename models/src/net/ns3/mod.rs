//! Text formats of the authors' ns-3 HPCC simulator (behaviour, "File formats shared with the outside").
//!
//! Errors are one line: file, line, field, what was expected.

mod config;
mod flows;
mod table;
mod topology;

pub use config::{CcMode, Ns3Config};
pub use flows::{read_flows, write_flows, Ns3Flow, Ns3Flows};
pub use table::{read_flow_table, FlowTable};
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

/// A number with a unit from a list of (suffix, factor); the longest fitting suffix counts.
fn with_unit(word: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (suffix, factor) = units
        .iter()
        .filter(|(s, _)| word.ends_with(s))
        .max_by_key(|(s, _)| s.len())?;
    let value: f64 = word[..word.len() - suffix.len()].parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value * factor)
}

/// `100Gbps`, `25Gb/s`, `52287582bps`: bits per second.
pub(crate) fn data_rate(word: &str) -> Option<u64> {
    const UNITS: [(&str, f64); 12] = [
        ("bps", 1.0),
        ("b/s", 1.0),
        ("kbps", 1e3),
        ("kb/s", 1e3),
        ("Kbps", 1e3),
        ("Kb/s", 1e3),
        ("Mbps", 1e6),
        ("Mb/s", 1e6),
        ("Gbps", 1e9),
        ("Gb/s", 1e9),
        ("Tbps", 1e12),
        ("Tb/s", 1e12),
    ];
    with_unit(word, &UNITS)
        .filter(|&rate| rate <= 1e13)
        .map(|rate| rate.round() as u64)
}

/// `1us`, `1000ns`, `0.001ms`, `1s`: ps.
fn delay_ps(word: &str) -> Option<u64> {
    const UNITS: [(&str, f64); 5] = [("s", 1e12), ("ms", 1e9), ("us", 1e6), ("ns", 1e3), ("ps", 1.0)];
    with_unit(word, &UNITS).filter(|&d| d <= 1e13).map(|d| d.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        assert_eq!(
            [data_rate("100Gbps"), data_rate("100Mb/s"), data_rate("52287582bps")].map(Option::unwrap),
            [100_000_000_000, 100_000_000, 52_287_582]
        );
        assert_eq!(
            [delay_ps("1us"), delay_ps("1000ns"), delay_ps("0.001ms")].map(Option::unwrap),
            [1_000_000; 3]
        );
        assert_eq!(
            [data_rate("100"), data_rate("-1Gbps"), data_rate("xGbps"), delay_ps("")],
            [None; 4]
        );
    }
}
