//! Short flows in a class of their own beside long ones (draft-miao-ccwg-hpcc, 9.3): completion times of the mice, goodput of the others.

use hpcc_models::measure::{mean, percentile};
use hpcc_models::net::ClassSchedule;

use super::analysis::Analysis;
use super::micro::figure;
use super::series::{cdf, goodput, sampled};
use crate::plan::{Finding, Run};
use crate::plot::Panel;

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

/// Completion time of a whole burst at half of the link, us: the ideal time of one of its flows, and the burst's bytes.
fn guaranteed(run: &Run) -> f64 {
    let pairs = run.outcome.flows.iter().zip(&run.outcome.records);
    let mice: Vec<_> = pairs.filter(|(flow, _)| flow.bytes <= MICE).collect();
    let first = mice.iter().map(|(flow, _)| flow.start_ps).min();
    let burst: u64 = mice
        .iter()
        .filter(|(flow, _)| Some(flow.start_ps) == first)
        .map(|(flow, _)| flow.bytes)
        .sum();
    let (config, framing) = (&run.job.config, &run.job.config.framing);
    let header = framing.data_header + framing.int_base + framing.int_per_hop;
    let wire = burst as f64 * f64::from(config.mtu + header) / f64::from(config.mtu);
    let half = run.job.port().line_rate_bps as f64 / 2.0;
    let ideal = mice
        .first()
        .map_or(0.0, |(_, record)| record.ideal_ps.unwrap_or(0) as f64 / 1e6);
    ideal + wire * 8e6 / half
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
        let name = format!("mice_{label}");
        findings.push(match &run.job.config.classes {
            None => Finding::note(&name, "", ours),
            Some(rules) if rules.schedule == ClassSchedule::Strict => {
                let faster = p50 < percentile(&shared, 50.0) && p99 < percentile(&shared, 99.0);
                Finding::new(&name, "", ours, faster)
                    .within("sooner than in one class, at the median and at the 99th percentile")
            }
            Some(_) => {
                let bound = guaranteed(run);
                let within =
                    format!("at most {bound:.1} us, a burst at half of the link: what a class of its own guarantees");
                Finding::new(&name, "", ours, p99 <= bound).within(within)
            }
        });
        panel.lines.push(cdf(run.label(), &own));
    }
    Analysis {
        figures: figure(vec![panel]),
        findings,
        ..Analysis::default()
    }
}
