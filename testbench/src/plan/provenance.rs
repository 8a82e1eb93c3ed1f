//! Where a result comes from: program, command line, input files, and the time it took.

use std::time::Instant;

use serde_json::{json, Value};

/// Version of the package.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Commit at which the program was built; `+changes` if a source differed from it.
pub const COMMIT: &str = env!("HPCC_COMMIT");
/// Digest of the sources that the program was built from.
pub const SOURCE: &str = env!("HPCC_SOURCE");

/// The program in one line.
pub fn program() -> String {
    format!("hpcc-nic {VERSION}, commit {COMMIT}, sources {SOURCE}")
}

/// The process's command line as a shell would take it.
pub fn command_line() -> String {
    let quoted = std::env::args().enumerate().map(|(index, word)| {
        let word = match (index, word.rsplit('/').next()) {
            (0, Some(name)) => name.to_string(),
            _ => word,
        };
        let plain = |c: char| c.is_alphanumeric() || "-_=+./:,%@".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// FNV-1a, 64 bits: tells changed content from what it was.
pub fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A file that a run reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// Path as given.
    pub path: String,
    /// [`digest`] of its content.
    pub digest: u64,
}

impl InputFile {
    /// Reads a file for its digest; `None` if it is not there.
    pub fn of(path: &str) -> Option<Self> {
        let content = std::fs::read(path).ok()?;
        Some(Self {
            path: path.into(),
            digest: digest(&content),
        })
    }

    /// As an entry of `summary.json`.
    pub fn entry(&self) -> Value {
        json!({"path": self.path, "fnv1a64": format!("{:016x}", self.digest)})
    }
}

/// What made a result: the program, its command line, and `own`, what is the result's own.
pub fn entry(own: Value) -> Value {
    let mut entry = json!({
        "version": VERSION,
        "commit": COMMIT,
        "sources_fnv1a64": SOURCE,
        "command": command_line(),
    });
    if let (Value::Object(entry), Value::Object(own)) = (&mut entry, own) {
        entry.extend(own);
    }
    entry
}

/// Wall and processor time since a moment of one thread.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    wall: Instant,
    cpu: Option<f64>,
}

impl Stopwatch {
    /// Starts.
    pub fn start() -> Self {
        Self {
            wall: Instant::now(),
            cpu: thread_cpu_s(),
        }
    }

    /// Real time since the start, seconds.
    pub fn wall_s(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }

    /// Processor time of this thread since the start, seconds; `None` where the system does not say.
    pub fn cpu_s(&self) -> Option<f64> {
        Some(thread_cpu_s()? - self.cpu?)
    }
}

/// Linux: the first number of `schedstat` is the time on a processor, ns.
fn thread_cpu_s() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let ns: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(ns / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleep_costs_no_processor_time() {
        let watch = Stopwatch::start();
        std::thread::sleep(std::time::Duration::from_millis(60));
        let mut sum = 0u64;
        for i in 0..200_000u64 {
            sum = sum.wrapping_mul(31).wrapping_add(i);
        }
        assert!(std::hint::black_box(sum) > 0);
        let (wall, cpu) = (watch.wall_s(), watch.cpu_s());
        assert!(
            wall >= 0.06 && cpu.is_none_or(|cpu| cpu >= 0.0 && cpu <= wall - 0.05),
            "{wall} {cpu:?}"
        );
    }

    /// Code, build scripts and manifests of every package of the workspace change the digest.
    #[test]
    fn the_program_is_all_of_the_workspace() {
        let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let sources: Vec<_> = env!("HPCC_SOURCES").split(':').collect();
        for source in &sources {
            assert!(here.join(source).exists(), "{source}");
        }
        let manifest = std::fs::read_to_string(here.join("../Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let members = manifest["workspace"]["members"].as_array().unwrap();
        assert!(members.len() >= 4);
        for member in members.iter().filter_map(|member| member.as_str()) {
            let of_member = |file: &str| match member {
                "testbench" => file.to_string(),
                other => format!("../{other}/{file}"),
            };
            for file in ["src", "Cargo.toml", "build.rs"].map(of_member) {
                assert!(sources.contains(&file.as_str()) || !here.join(&file).exists(), "{file}");
            }
        }
    }

    #[test]
    fn the_program_is_named() {
        assert_eq!(SOURCE.len(), 16);
        assert!(program().starts_with("hpcc-nic 0.") && !COMMIT.is_empty());
        assert_ne!(digest(b"100 50\n"), digest(b"100 51\n"));
    }
}
