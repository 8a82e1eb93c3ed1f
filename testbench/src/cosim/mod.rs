//! Golden, fixed point and RTL side by side on one ACK trace.
//!
//! Every model is a [`Replay`]: all events in, one observation per event out. What is compared with what is in
//! [`compare`], how it is shown in [`report`], the row-by-row file in [`output`].

pub mod compare;
pub mod laws;
pub mod output;
mod replay;
pub mod report;
pub mod rtl;
mod source;
#[cfg(test)]
mod tests;

use compare::{Comparison, Expected};
use indicatif::ProgressBar;
pub use replay::{Replay, Seen};
use rtl::{Rtl, RtlLaw, Simulator};
pub use source::{Row, Source};
use std::fs::File;
use std::io::BufWriter;

/// Golden meets every row of a recorded trace to this.
const TRACE_BOUND: Expected = Expected::Within(1e-6);
/// PowerTCP's is met to the last bit of a double.
const POWER_TRACE_BOUND: Expected = Expected::Within(1e-12);
/// What one step of the fixed-point law may differ from golden; over a whole trace it stays a guide.
const FIXED_BOUND: Expected = Expected::Within(1.0 / 2048.0);

/// What may be chosen about a run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Seed of the stalls at the RTL's ports.
    pub seed: u64,
    /// What runs the RTL.
    pub simulator: Simulator,
    /// Moves on with every event that the RTL takes.
    pub progress: Option<ProgressBar>,
}

impl Options {
    fn rtl(&self, law: RtlLaw) -> Rtl {
        Rtl {
            law,
            seed: self.seed,
            simulator: self.simulator,
            progress: self.progress.clone().unwrap_or_else(ProgressBar::hidden),
        }
    }
}

/// One model's run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Name of the model.
    pub name: &'static str,
    /// State after each row.
    pub seen: Vec<Option<Seen>>,
}

/// A trace and what every model made of it.
#[derive(Clone, Debug)]
pub struct Cosim {
    /// The trace.
    pub source: Source,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Golden, then the others.
    pub runs: Vec<Run>,
    /// Rows with a queue above the 16 bits of the wire, which saturates for all but golden against the trace.
    pub saturated: usize,
    /// Golden against the trace, then each model against the one before it.
    pub comparisons: Vec<Comparison>,
}

impl Cosim {
    /// Replays the trace through every model there is.
    pub fn run(source: impl Into<Source>, options: &Options) -> Result<Self, String> {
        let source: Source = source.into();
        let (flows, events) = source.events();
        let mut runs = Vec::new();
        for mut model in laws::all(&source, |law| options.rtl(law))? {
            let seen = model.replay(flows, &events)?;
            runs.push(Run {
                name: model.name(),
                seen,
            });
        }
        let rows = source.rows();
        let recorded: Vec<Option<Seen>> = rows.iter().map(|row| Some(row.recorded)).collect();
        let full = laws::golden_at_full_width(&source, flows, &events)?;
        let bound = match source {
            Source::Hpcc(_) => TRACE_BOUND,
            Source::Power(_) => POWER_TRACE_BOUND,
        };
        let mut comparisons = vec![Comparison::new("golden", "trace", bound, &full, &recorded)];
        for pair in runs.windows(2) {
            let [reference, model] = pair else { continue };
            let expected = if reference.name == "golden" {
                FIXED_BOUND
            } else {
                Expected::Exact
            };
            comparisons.push(Comparison::new(
                model.name,
                reference.name,
                expected,
                &model.seen,
                &reference.seen,
            ));
        }
        // The hardware was compared with golden on the queues it sees; what is kept is golden on the trace's own.
        runs[0].seen = full;
        let saturated = rows.iter().filter(|row| row.wide).count();
        Ok(Self {
            source,
            rows,
            runs,
            comparisons,
            saturated,
        })
    }

    /// Writes the RTL's clocks around the first row on which it is wrong, or around the first row.
    pub fn waveform(&self, options: &Options, out: BufWriter<File>) -> Result<(), String> {
        let law = RtlLaw::of(&self.source)?;
        let (flows, events) = self.source.events();
        let wrong = self
            .comparisons
            .iter()
            .find(|c| c.expected == Expected::Exact)
            .and_then(|c| c.first_divergence);
        options.rtl(law).waveform(flows, &events, wrong.unwrap_or(0), out)
    }

    /// The run of a model.
    pub fn model(&self, name: &str) -> Option<&Run> {
        self.runs.iter().find(|run| run.name == name)
    }
}
