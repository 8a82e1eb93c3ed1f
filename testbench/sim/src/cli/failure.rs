//! How a subcommand fails: the message and the exit code that goes with it.

use std::fmt::Display;
use std::process::ExitCode;
use thiserror::Error;

/// Why a subcommand did not succeed.
#[derive(Debug, Error)]
pub enum Failure {
    /// Bad usage or bad input: file, line, field and what was expected. Exit code 2.
    #[error("{0}")]
    Input(String),
    /// The run went through and a check did not hold. Exit code 1.
    #[error("{0}")]
    Check(String),
}

impl Failure {
    /// Bad input, from any error that describes itself in one line.
    pub fn input(error: impl Display) -> Self {
        Self::Input(error.to_string())
    }

    /// The process's exit code.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Input(_) => ExitCode::from(2),
            Self::Check(_) => ExitCode::from(1),
        }
    }
}
