//! Emitted Verilog must be clean: nothing said by Verilator's `-Wall`, no name with a dollar.

use super::Sources;
use crate::tools::{self, ToolError};

/// Why Verilog is not clean.
#[derive(Debug, thiserror::Error)]
pub enum LintError {
    /// Verilator did not run, or its input could not be written.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// Warnings.
    #[error("lint of {top}:\n{warnings}")]
    Warnings {
        /// Module.
        top: String,
        /// What Verilator said.
        warnings: String,
    },
    /// A dollar that is not one of the two conversions.
    #[error("{file} contains a dollar")]
    Dollar {
        /// File name.
        file: String,
    },
}

/// Lints a block and everything below it.
pub fn lint(sources: &Sources) -> Result<(), LintError> {
    let scratch = tempfile::tempdir().map_err(ToolError::from)?;
    let mut files = vec![];
    for (name, text) in &sources.files {
        if has_dollar(text) {
            return Err(LintError::Dollar { file: name.clone() });
        }
        let path = scratch.path().join(name);
        std::fs::write(&path, text).map_err(ToolError::from)?;
        files.push(path);
    }
    let warnings = tools::lint(&sources.top, &files, &sources.defines)?;
    match warnings.is_empty() {
        true => Ok(()),
        false => Err(LintError::Warnings {
            top: sources.top.clone(),
            warnings,
        }),
    }
}

/// Whether a text has a dollar beside `$signed` and `$unsigned`.
pub fn has_dollar(text: &str) -> bool {
    text.replace("$signed", "")
        .replace("$clog2", "")
        .replace("$unsigned", "")
        .contains('$')
}
