//! `hpcc-nic mutate`: does the lockstep stimulus of a top notice small faults in its Verilog?

use super::mutate_source::{named, source, style, Draw};
use crate::mutate::{self, Kind, Outcome, Reasons, SUBJECTS};
use crate::tools::cache::workspace_dir;
use hpcc_sim::cli::{say, Failure};
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// Share of the mutants that must be noticed, in percent, where none is asked for.
const MIN_NOTICED: f64 = 95.0;
/// The same of the mutants of the source, in every room.
const MIN_SOURCE: f64 = 90.0;

/// A share from 0 to 100.
fn percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=100.0).contains(&share) => Ok(share),
        _ => Err("expected a number from 0 to 100".into()),
    }
}

/// Change operators, constants and conditions in the emitted Verilog and see whether the lockstep vectors notice
///
/// Vectors are recorded from RustHDL; all mutants are built into one Verilated model and selected one by one. Exit code 1 if fewer than
/// --min-noticed percent are noticed of those that do not compute the same, or if one that is not has no written reason.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Top module to mutate
    #[arg(long, value_name = "NAME", default_value = SUBJECTS[0].name)]
    top: String,
    /// Mutate the Rust source instead: rooms such as models/net,rtl/sched, folders of rooms such as rtl/tx/select, a crate, or `all`; each mutant
    /// has to fail one of the tests that guard its room
    #[arg(long, value_name = "ROOM[,ROOM…]", conflicts_with_all = ["top", "clocks"])]
    source: Option<String>,
    /// Make the faults of testbench/data/mutants/named.toml instead, each of which must fail the tests named there
    #[arg(long, conflicts_with_all = ["top", "source", "count", "seed", "clocks", "min_noticed", "reasons"])]
    named: bool,
    /// Number of mutants, drawn at random from all possible ones
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u16).range(1..))]
    count: u16,
    /// Seed of the draw and of the stimulus
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Clocks of stimulus
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    clocks: usize,
    /// Share of mutants that must be noticed, in percent of those whose written reason does not say that they compute the same
    /// [default: 95, and every other mutant needs a written reason; with --source 90]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    min_noticed: Option<f64>,
    /// With --source: share that must be noticed in each room alone, in percent [default: that of --min-noticed]
    #[arg(long, value_name = "PERCENT", value_parser = percent, requires = "source", conflicts_with_all = ["top", "named"])]
    min_room: Option<f64>,
    /// Reasons for mutants that cannot be noticed [default: testbench/data/mutants/TOP.toml]
    #[arg(long, value_name = "FILE")]
    reasons: Option<PathBuf>,
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        if let Some(rooms) = &self.source {
            let min_noticed = self.min_noticed.unwrap_or(MIN_SOURCE);
            let draw = Draw {
                count: self.count,
                seed: self.seed,
                min_noticed,
                min_room: self.min_room.unwrap_or(min_noticed),
                reasons: self.reasons.clone(),
            };
            return source(rooms, &draw);
        }
        if self.named {
            return named();
        }
        let names = || {
            SUBJECTS
                .iter()
                .map(|subject| subject.name)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let subject = mutate::subject(&self.top)
            .ok_or_else(|| Failure::Input(format!("--top {}: expected one of {}", self.top, names())))?;
        let default = workspace_dir().join(format!("testbench/data/mutants/{}.toml", self.top));
        let reasons = match &self.reasons {
            Some(path) => Reasons::read(path).map_err(Failure::input)?,
            None if default.is_file() => Reasons::read(&default).map_err(Failure::input)?,
            None => Reasons::default(),
        };
        let sources = (subject.sources)().map_err(|error| Failure::Check(error.to_string()))?;
        let mutants = mutate::draw(&sources, self.count.into(), self.seed);
        let bar = ProgressBar::new(mutants.len() as u64).with_style(style());
        bar.set_message("recording vectors");
        let vectors = (subject.record)(self.clocks, self.seed).map_err(|error| Failure::Check(error.to_string()))?;
        bar.set_message("building the model, then mutants");
        let progress = |done: usize| bar.set_position(done as u64);
        let outcomes = mutate::run(&sources, &mutants, &vectors, &progress);
        bar.finish_and_clear();
        let outcomes = outcomes.map_err(|error| Failure::Check(error.to_string()))?;
        say(&report(&self.top, self.clocks, &outcomes, &reasons))?;
        self.judge(&outcomes, &reasons)
    }

    fn judge(&self, outcomes: &[Outcome], reasons: &Reasons) -> Result<(), Failure> {
        let unnoticed = outcomes.iter().filter(|outcome| outcome.noticed.is_none());
        let unexplained = unnoticed.filter(|outcome| reasons.of(outcome).is_none()).count();
        let share = reasons.share(outcomes);
        let least = self.min_noticed.unwrap_or(MIN_NOTICED);
        if share < least {
            return Err(Failure::Check(format!(
                "{share:.1} % noticed of the mutants that compute something else, {least} % expected"
            )));
        }
        match unexplained {
            0 => Ok(()),
            // another seed draws mutants that nobody has looked at yet: whoever names a share asks for no more
            _ if self.min_noticed.is_some() => Ok(()),
            n => Err(Failure::Check(format!(
                "{n} mutants went unnoticed without a written reason"
            ))),
        }
    }
}

fn report(top: &str, clocks: usize, outcomes: &[Outcome], reasons: &Reasons) -> String {
    let mut kinds: BTreeMap<Kind, (usize, usize)> = BTreeMap::new();
    for outcome in outcomes {
        let (noticed, all) = kinds.entry(outcome.point.kind).or_default();
        *noticed += usize::from(outcome.noticed.is_some());
        *all += 1;
    }
    let mut text = String::new();
    let _ = writeln!(text, "{:<12} {:>8} {:>8}", "change", "mutants", "noticed");
    for (kind, (noticed, all)) in kinds {
        let _ = writeln!(text, "{:<12} {all:>8} {noticed:>8}", format!("{kind:?}").to_lowercase());
    }
    let total = outcomes.iter().filter(|outcome| outcome.noticed.is_some()).count();
    let (share, same) = (reasons.share(outcomes), |outcome: &&Outcome| {
        outcome.noticed.is_none() && reasons.same(outcome)
    });
    let same = outcomes.iter().filter(same).count();
    let _ = writeln!(
        text,
        "{:<12} {:>8} {total:>8}  {share:.1} % without the {same} that compute the same",
        "all",
        outcomes.len()
    );
    let mut first: Vec<usize> = outcomes.iter().filter_map(|outcome| outcome.noticed).collect();
    first.sort_unstable();
    let median = first.get(first.len() / 2).map_or("-".into(), |clock| clock.to_string());
    let latest = first.last().map_or("-".into(), |clock| clock.to_string());
    let _ = writeln!(
        text,
        "{top}: noticed at clock {median} in the median, {latest} at the latest, of {clocks}"
    );
    for outcome in outcomes.iter().filter(|outcome| outcome.noticed.is_none()) {
        let (before, after) = &outcome.lines;
        let reason = reasons.of(outcome).unwrap_or("no reason written down");
        let _ = writeln!(text, "unnoticed: {}:{}", outcome.point.file, outcome.point.line);
        let _ = writeln!(text, "  - {before}\n  + {after}\n  {reason}");
    }
    text
}
