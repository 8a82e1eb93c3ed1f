//! Says on standard error that a model is being built, and how long that will take: the largest one takes minutes.

use std::path::PathBuf;
use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use crate::tools::cache::target_dir;

/// Nothing is said of what is done within this time.
const SILENT: Duration = Duration::from_secs(3);
/// Between two lines.
const EVERY: Duration = Duration::from_secs(20);
/// First guess of the time: bytes of Verilog that one second takes.
const BYTES_A_SECOND: u64 = 6_000;

/// While it exists, lines are printed; its end records how long the build took, which is the next one's estimate.
pub struct Announcement {
    top: String,
    started: Instant,
    end: Option<Sender<()>>,
}

fn record(top: &str) -> PathBuf {
    target_dir().join("verilated").join(format!("{top}.seconds"))
}

/// Seconds that a build takes: as long as the last one of this top, or by the size of the Verilog.
fn estimate(top: &str, bytes: u64) -> u64 {
    let last = std::fs::read_to_string(record(top)).ok();
    last.and_then(|text| text.trim().parse().ok())
        .unwrap_or(bytes / BYTES_A_SECOND)
}

fn line(top: &str, taken: u64, estimate: u64) -> String {
    let left = match estimate.checked_sub(taken) {
        Some(left) if left > 0 => format!("about {left} s left"),
        _ => format!("longer than the {estimate} s expected"),
    };
    format!("building the Verilated model of {top}, once for this Verilog: {taken} s so far, {left}")
}

impl Announcement {
    /// Begins with the build of a top from so many bytes of Verilog.
    pub fn start(top: &str, bytes: u64) -> Self {
        Self::telling(top, bytes, SILENT, |line| eprintln!("{line}"))
    }

    /// The same with the first line after `silent`, and lines to whom it may concern.
    fn telling(top: &str, bytes: u64, silent: Duration, tell: impl Fn(String) + Send + 'static) -> Self {
        let (end, ended) = channel::<()>();
        let (name, started, estimate) = (top.to_string(), Instant::now(), estimate(top, bytes));
        std::thread::spawn(move || {
            let mut wait = silent;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                tell(line(&name, started.elapsed().as_secs(), estimate));
                wait = EVERY;
            }
        });
        Self {
            top: top.into(),
            started,
            end: Some(end),
        }
    }

    /// The build has succeeded.
    pub fn done(mut self) {
        self.end = None;
        // Only an estimate: where it cannot be kept the next one is by size again.
        let _ = std::fs::write(record(&self.top), self.started.elapsed().as_secs().max(1).to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A build that goes on is told of; its end ends the telling.
    #[test]
    fn a_build_is_told_of_until_it_ends() {
        let (tell, told) = channel();
        let announcement = Announcement::telling("no such top", 60_000, Duration::ZERO, move |line| {
            let _ = tell.send(line);
        });
        let line = told.recv().unwrap();
        assert!(
            line.starts_with("building the Verilated model of no such top, once for this Verilog: "),
            "{line}"
        );
        drop(announcement);
        // The thread has ended when its end of the channel is gone.
        told.iter().for_each(drop);
    }

    #[test]
    fn says_what_is_left() {
        assert!(line("nic", 20, 240).ends_with("20 s so far, about 220 s left"));
        assert!(line("nic", 241, 240).ends_with("241 s so far, longer than the 240 s expected"));
        assert_eq!(estimate("no such top", 60_000), 10);
    }
}
