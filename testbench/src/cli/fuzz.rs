//! `hpcc-nic fuzz`: hostile frames into the NIC in RTL beside honest work.

use crate::nic::fuzz::{run, FuzzOutcome, FuzzSpec};
use hpcc_sim::cli::{progress, say, Failure};
use hpcc_sim::plan::provenance;

/// Send random and hostile frames to the NIC in RTL while an honest peer reads and writes beside them
///
/// After every batch the peer's work must have completed, memory must hold exactly what was allowed, and counters must agree
/// with the frames. Needs Verilator. Exit code 1 at the first broken rule, with seed, batch and the command that repeats it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Frames of the attacker, over all threads
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    frames: u64,
    /// Seed of the first thread; the others count up from it
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// NICs fuzzed side by side
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: u64,
    /// Frames from one check to the next
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..))]
    batch: u64,
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        let bar = progress("frames");
        bar.set_length(self.frames);
        let spec = |thread: u64| FuzzSpec {
            frames: self.frames / self.threads + u64::from(thread < self.frames % self.threads),
            batch: self.batch,
            seed: self.seed.wrapping_add(thread),
        };
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let start = |thread: u64| {
                let (spec, bar) = (spec(thread), &bar);
                scope.spawn(move || (spec, run(&spec, bar)))
            };
            let threads: Vec<_> = (0..self.threads).map(start).collect();
            // A panic of a thread goes on here.
            let join = |thread: std::thread::ScopedJoinHandle<_>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect()
        });
        bar.finish_and_clear();
        say(&format!(
            "{}\ncommand {}\n",
            provenance::program(),
            provenance::command_line()
        ))?;
        for (spec, outcome) in outcomes {
            let outcome = outcome.map_err(|failure| Failure::Check(failure.to_string()))?;
            say(&summary(&spec, &outcome))?;
        }
        Ok(())
    }
}

fn summary(spec: &FuzzSpec, outcome: &FuzzOutcome) -> String {
    let seconds = outcome.wall.as_secs_f64();
    let mut text = format!(
        "seed {}: {} frames in {seconds:.1} s, {} of a processor, {:.0} frames/s, {} clocks, {:.0} clocks/s\n\
         honest: {} work requests, {} frames received; sent {} frames; {} faulty frames lost or bad before they were counted\n",
        spec.seed,
        outcome.frames,
        outcome.cpu_s.map_or("an unknown time".into(), |cpu_s| format!("{cpu_s:.1} s")),
        outcome.frames as f64 / seconds,
        outcome.clocks,
        outcome.clocks as f64 / seconds,
        outcome.honest_work,
        outcome.honest_frames,
        outcome.sent,
        outcome.uncounted,
    );
    for (name, value) in outcome.counters.iter().filter(|(_, value)| *value > 0) {
        text += &format!("  {name} {value}\n");
    }
    text
}
