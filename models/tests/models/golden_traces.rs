//! Golden HPCC against the authors' simulator: every row of every recorded trace, `u`, `w`, `wc` and the stage.
//!
//! The committed traces are prefixes; `HPCC_TRACES=FOLDER` with `--ignored` replays every `.csv` of a folder.

use hpcc_models::cc::hpcc::{Hpcc, StepOptions};
use hpcc_models::cc::trace::Trace;
use hpcc_models::cc::CongestionControl;
use std::path::{Path, PathBuf};

/// Bound of the promise; the simulator's whole bits per second cost about 1e-8.
const BOUND: f64 = 1e-6;

fn traces_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "csv"))
        .collect();
    files.sort();
    files
}

fn relative(got: f64, want: f64) -> f64 {
    (got - want).abs() / want.abs().max(f64::MIN_POSITIVE)
}

/// Replays one file and returns its rows and its largest relative error.
fn replay(file: &Path) -> (usize, f64) {
    let trace = Trace::read(file).unwrap_or_else(|error| panic!("{error}"));
    let mut law: Hpcc = Hpcc::new(trace.header.params.clone()).unwrap();
    for flow in trace.flows() {
        law.create(flow, 0);
    }
    let mut worst: f64 = 0.0;
    for row in &trace.rows {
        let options = StepOptions {
            queues: Some(trace.queues(row)),
            ..StepOptions::default()
        };
        let update = law.handle_with(&trace.event(row), &options).expect("every row has INT");
        let seen = *law.last().unwrap();
        let errors = [
            relative(seen.u, row.u),
            relative(seen.w, row.w_bytes),
            relative(seen.wc, row.wc_bytes),
            relative(update.rate, row.rate_bps),
        ];
        let error = errors.into_iter().fold(0.0, f64::max);
        assert!(
            error <= BOUND && seen.inc_stage == row.inc_stage,
            "{}:{}: first divergence, error {error:e}\n  row    {row:?}\n  golden {seen:?}",
            file.display(),
            row.line
        );
        worst = worst.max(error);
    }
    (trace.rows.len(), worst)
}

fn replay_folder(folder: &Path) {
    let files = traces_in(folder);
    assert!(!files.is_empty(), "{}: no traces", folder.display());
    for file in files {
        let (rows, worst) = replay(&file);
        // a row for each line that is no comment, behind the heading
        let text = std::fs::read_to_string(&file).unwrap();
        let lines = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .count();
        assert!(
            rows > 100 && rows + 1 == lines,
            "{}: {rows} rows of {lines} lines",
            file.display()
        );
        println!("{}: {rows} rows, largest relative error {worst:.2e}", file.display());
    }
}

#[test]
fn golden_meets_every_row_of_the_committed_traces() {
    replay_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../testbench/data/ack-traces"));
}

#[test]
#[ignore = "HPCC_TRACES names a folder of other traces"]
fn golden_meets_every_row_of_the_folder_named_by_hpcc_traces() {
    let folder = std::env::var_os("HPCC_TRACES").expect("HPCC_TRACES names a folder");
    replay_folder(Path::new(&folder));
}
