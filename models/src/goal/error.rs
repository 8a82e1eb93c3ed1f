//! What is wrong with the text of a GOAL schedule, and where.

/// Why a text is not a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ParseError {
    /// Line, from 1 on.
    pub line: usize,
    /// What was expected, and what stands there.
    pub what: String,
}

impl ParseError {
    pub(super) fn new(line: usize, what: String) -> Self {
        ParseError { line, what }
    }
}
