//! `hpcc-nic mutate --source` and `--named`: do unit tests notice small faults in the Rust source?

use crate::mutate::source::{self, Named, NamedError, RoomReport, ROOMS};
use crate::mutate::Reasons;
use crate::tools::cache::workspace_dir;
use hpcc_sim::cli::{say, Failure};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;

/// How many mutants are drawn, and what is asked of them.
pub struct Draw {
    /// Mutants of each room.
    pub count: u16,
    /// Seed of the draw.
    pub seed: u64,
    /// Percent of all rooms together that must be noticed.
    pub min_noticed: f64,
    /// Percent of each room.
    pub min_room: f64,
    /// Reasons for those that are not; none is the file that comes with the source.
    pub reasons: Option<PathBuf>,
}

/// How far a run is, and with what.
pub fn style() -> ProgressStyle {
    ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}").unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Rooms of the Rust source, a table row for each; what survives is listed below it.
pub fn source(wanted: &str, args: &Draw) -> Result<(), Failure> {
    let rooms = source::rooms(wanted);
    if rooms.is_empty() {
        let names: Vec<&str> = ROOMS.iter().map(|room| room.name.as_ref()).collect();
        let error = format!(
            "--source {wanted}: expected all, models, rtl or some of {} or of their folders, with commas between them",
            names.join(", ")
        );
        return Err(Failure::Input(error));
    }
    let path = args.reasons.clone();
    let path = path.unwrap_or_else(|| workspace_dir().join("testbench/data/mutants/source.toml"));
    let reasons = Reasons::read(&path).map_err(Failure::input)?;
    say(&format!(
        "{} mutants of each room, drawn with seed {}; `percent` is of those that do not compute the same\n\
         {:<24} {:>8} {:>8} {:>8} {:>10} {:>8} {:>15}\n",
        args.count, args.seed, "room", "points", "mutants", "noticed", "same", "percent", "seconds of tests"
    ))?;
    let bar = ProgressBar::new(u64::from(args.count)).with_style(style());
    let begin = |name: &str| bar.set_message(name.to_string());
    let progress = |done: usize| bar.set_position(done as u64);
    let (mut weak, mut failed, mut outcomes) = (Vec::new(), None, Vec::new());
    let mut done = |report: RoomReport| {
        let (share, text) = row(&report, &reasons);
        failed = failed.take().or(bar.suspend(|| say(&text)).err());
        if share < args.min_room {
            weak.push(format!("{} {share:.1} %", report.room.name));
        }
        outcomes.extend(report.outcomes);
    };
    let result = source::run(&rooms, args.count.into(), args.seed, &begin, &progress, &mut done);
    bar.finish_and_clear();
    result.map_err(|error| Failure::Check(error.to_string()))?;
    if let Some(failure) = failed {
        return Err(failure);
    }
    let share = reasons.share(&outcomes);
    say(&format!("all of them together: {share:.1} %\n"))?;
    if share < args.min_noticed {
        return Err(Failure::Check(format!(
            "{share:.1} % noticed, {} % expected",
            args.min_noticed
        )));
    }
    match weak.is_empty() {
        true => Ok(()),
        false => Err(Failure::Check(format!(
            "{} % expected of every room; below it: {}",
            args.min_room,
            weak.join(", ")
        ))),
    }
}

/// Percent of a room's mutants that are noticed, and its lines.
fn row(report: &RoomReport, reasons: &Reasons) -> (f64, String) {
    let survivors: Vec<_> = report
        .outcomes
        .iter()
        .filter(|outcome| outcome.noticed.is_none())
        .collect();
    let same = survivors.iter().filter(|outcome| reasons.same(outcome)).count();
    let (all, noticed) = (report.outcomes.len(), report.outcomes.len() - survivors.len());
    let share = reasons.share(&report.outcomes);
    let mut text = format!(
        "{:<24} {:>8} {all:>8} {noticed:>8} {same:>10} {share:>8.1} {:>15.1}\n",
        report.room.name, report.points, report.seconds
    );
    for outcome in survivors {
        let (before, after) = &outcome.lines;
        let reason = reasons.of(outcome).unwrap_or("no reason written down");
        let (file, line) = (&outcome.point.file, outcome.point.line);
        text += &format!("  unnoticed: {file}:{line}\n    - {before}\n    + {after}\n    {reason}\n");
    }
    (share, text)
}

/// The faults of the list, a line for each: what it is and which test notices it first.
pub fn named() -> Result<(), Failure> {
    let path = workspace_dir().join("testbench/data/mutants/named.toml");
    let list = Named::list(&path).map_err(Failure::input)?;
    let bar = ProgressBar::new(list.len() as u64).with_style(style());
    let begin = |name: &str| bar.set_message(name.to_string());
    let (mut missed, mut failed) = (Vec::new(), None);
    let result = Named::run(&list, &begin, &mut |outcome| {
        bar.inc(1);
        let by = match &outcome.noticed {
            Some(tests) => tests.first().map_or("the tests end early", String::as_str),
            None => {
                missed.push(outcome.named.name.clone());
                "NOT NOTICED"
            }
        };
        let text = format!("{:<50} {by}\n", outcome.named.name);
        failed = failed.take().or(bar.suspend(|| say(&text)).err());
    });
    bar.finish_and_clear();
    result.map_err(|error| match error {
        NamedError::Place { .. } | NamedError::Refused(_) => Failure::Input(error.to_string()),
        error => Failure::Check(error.to_string()),
    })?;
    match failed {
        Some(failure) => Err(failure),
        None if missed.is_empty() => say(&format!("{} of {} noticed\n", list.len(), list.len())),
        None => Err(Failure::Check(format!("not noticed: {}", missed.join(", ")))),
    }
}
