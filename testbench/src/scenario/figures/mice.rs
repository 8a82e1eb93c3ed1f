//! Short flows in a class of their own beside long ones (draft-miao-ccwg-hpcc, 9.3): completion times of the mice, goodput of the others.

use hpcc_models::measure::{mean, percentile};

use super::analysis::Analysis;
use super::micro::figure;
use super::series::{cdf, goodput, sampled};
use crate::plan::{Finding, Run};
use crate::report::plot::Panel;

/// Flows up to this size are mice, bytes.
const MICE: u64 = 100_000;
/// Bin of goodput, us.
const BIN_US: f64 = 20.0;

/// Completion times of the mice, us, ascending.
fn times(run: &Run) -> Vec<f64> {
    let pairs = run.outcome.flows.iter().zip(&run.outcome.records);
    let mice = pairs.filter(|(flow, _)| flow.bytes <= MICE);
    let mut times: Vec<f64> = mice.filter_map(|(_, r)| r.fct_ps()).map(|ps| ps as f64 / 1e6).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Goodput of the long flows together while mice come, Gb/s.
fn long_flows(run: &Run) -> f64 {
    let mice = run.outcome.flows.iter().filter(|flow| flow.bytes <= MICE);
    let from = mice.map(|flow| flow.start_ps).min().unwrap_or(0) as f64 / 1e6;
    let end = run.outcome.now_ps as f64 / 1e6;
    let lines = goodput(run, BIN_US);
    lines
        .values()
        .map(|line| mean(&sampled(line, from, end - BIN_US, BIN_US)))
        .sum()
}

/// The first run has one class.
pub fn mice(runs: &[Run]) -> Analysis {
    let mut panel = Panel {
        title: "completion times of the mice".into(),
        x: "completion time (us)".into(),
        y: "flows (%)".into(),
        distribution: true,
        ..Panel::default()
    };
    let mut findings = Vec::new();
    let Some(shared) = runs.first().map(times) else {
        return Analysis::default();
    };
    for run in runs {
        let own = times(run);
        let [p50, p99] = [50.0, 99.0].map(|p| percentile(&own, p));
        let ours = format!(
            "median {p50:.1}, 99th percentile {p99:.1} us of {} mice; long flows {:.1} Gb/s",
            own.len(),
            long_flows(run)
        );
        let label = run.label().replace([' ', ','], "_").replace("__", "_");
        if run.job.config.classes.is_some() {
            let faster = p50 <= percentile(&shared, 50.0) && p99 <= percentile(&shared, 99.0);
            let finding = Finding::new(&format!("mice_{label}"), "", ours, faster);
            findings.push(finding.within("no later than in one class, at the median and at the 99th percentile"));
        } else {
            findings.push(Finding::note(&format!("mice_{label}"), "", ours));
        }
        panel.lines.push(cdf(run.label(), &own));
    }
    Analysis {
        figures: figure(vec![panel]),
        findings,
        ..Analysis::default()
    }
}
