//! Why a trace is refused.

use std::path::PathBuf;
use thiserror::Error;

/// Why a trace was refused: one line that says where and what was expected.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The file could not be opened or read.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line is not what the format says.
    #[error("{}:{line}: {field}: expected {expected}", file.display())]
    Format {
        /// The file.
        file: PathBuf,
        /// Line, from 1.
        line: u64,
        /// Column or key.
        field: String,
        /// What should have been there, and what was.
        expected: String,
    },
}
