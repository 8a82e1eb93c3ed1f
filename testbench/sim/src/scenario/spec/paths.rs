//! Files that a scenario names: looked for in the folder of the file that names them, then in the working directory.

use std::path::{Path, PathBuf};

use super::{Scenario, TrafficSpec};

/// Where a file that `by` names is: `name` in the folder of `by`, else in the working directory; the error says both.
pub fn find(by: &str, name: &str) -> Result<String, String> {
    let folder = Path::new(by).parent().filter(|_| Path::new(by).exists());
    let beside: PathBuf = folder.unwrap_or(Path::new("")).join(name);
    if beside.exists() || !Path::new(name).exists() && beside == Path::new(name) {
        return Ok(beside.display().to_string());
    }
    if Path::new(name).exists() {
        return Ok(name.into());
    }
    Err(format!(
        "expected a file, found neither {} nor {name} in the working directory",
        beside.display()
    ))
}

/// A word that names a file and nothing built in.
pub fn is_path(word: &str) -> bool {
    word.contains('/') || Path::new(word).extension().is_some()
}

impl Scenario {
    /// Replaces the names of files by where they are; `file` is the scenario's own, if it has one.
    pub(super) fn find_files(&mut self, file: &str) -> Result<(), String> {
        let look = |field: String, name: &mut String| -> Result<(), String> {
            if is_path(name) {
                *name = find(file, name).map_err(|error| format!("{field}: {error}"))?;
            }
            Ok(())
        };
        look("network.topology".into(), &mut self.network.topology)?;
        for (index, traffic) in self.traffic.iter_mut().enumerate() {
            match traffic {
                TrafficSpec::Poisson { sizes, .. } | TrafficSpec::PoissonBetween { sizes, .. } => {
                    look(format!("traffic.{index}.sizes"), sizes)?;
                }
                TrafficSpec::File { path } => {
                    let field = format!("traffic.{index}.path");
                    *path = find(file, path).map_err(|error| format!("{field}: {error}"))?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beside the file that names it, before the working directory (this crate's folder in tests); neither: both are said.
    #[test]
    fn beside_its_file_then_in_the_working_directory() {
        let dir = tempfile::tempdir().unwrap();
        let by = dir.path().join("s.toml");
        std::fs::write(&by, "").unwrap();
        let by = by.to_str().unwrap();
        assert_eq!(find(by, "Cargo.toml").unwrap(), "Cargo.toml", "there is none beside it");
        let beside = dir.path().join("Cargo.toml");
        std::fs::write(&beside, "").unwrap();
        assert_eq!(find(by, "Cargo.toml").unwrap(), beside.to_str().unwrap());
        assert_eq!(
            find("scenario fig11-50", "Cargo.toml").unwrap(),
            "Cargo.toml",
            "a built-in one has no folder"
        );
        let error = find(by, "none.txt").unwrap_err();
        let both = format!(
            "expected a file, found neither {} nor none.txt in the working directory",
            dir.path().join("none.txt").display()
        );
        assert_eq!(error, both);
    }
}
