//! Where a result comes from: program, command line, input files, and the time it took.

use std::sync::OnceLock;
use std::time::Instant;

use serde_json::{json, Value};

/// What a result says of the program that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Name of the command.
    pub name: &'static str,
    /// Version of its package.
    pub version: &'static str,
    /// Commit at which the program was built; `+changes` if a source differed from it.
    pub commit: &'static str,
    /// Digest of the sources that the program was built from.
    pub sources: &'static str,
}

impl Default for Identity {
    fn default() -> Self {
        Self {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            commit: "unknown",
            sources: "unknown",
        }
    }
}

static IDENTITY: OnceLock<Identity> = OnceLock::new();

/// Results of this process are `identity`'s.
pub(crate) fn install(identity: Identity) {
    IDENTITY.get_or_init(|| identity);
}

/// The program that makes results; this crate where no program has said so.
pub fn identity() -> Identity {
    IDENTITY.get().copied().unwrap_or_default()
}

/// The program in one line.
pub fn program() -> String {
    let Identity {
        name,
        version,
        commit,
        sources,
    } = identity();
    format!("{name} {version}, commit {commit}, sources {sources}")
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
    let program = identity();
    let mut entry = json!({
        "version": program.version,
        "commit": program.commit,
        "sources_fnv1a64": program.sources,
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

    #[test]
    fn the_program_is_named() {
        assert!(program().starts_with("hpcc-sim 0."), "{}", program());
        assert_ne!(digest(b"100 50\n"), digest(b"100 51\n"));
    }
}
