//! Why mutants of the source cannot be run.

/// Why a run could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A file or a process failed.
    #[error("{0}: {1}")]
    Io(String, std::io::Error),
    /// A file is no Rust that can be read.
    #[error("{0}: {1}")]
    Syntax(String, String),
    /// The copy does not compile, whatever is left out.
    #[error("the woven source does not compile: {0}")]
    Compile(String),
    /// The unchanged tests fail.
    #[error("{0}: the tests of the unchanged source do not pass: {1}")]
    Baseline(String, String),
    /// A name of tests fits none.
    #[error("{0}: no test begins so")]
    NoTest(String),
}
