//! The laws of the NIC side by side: what each does to an incast and to a load, and what fixed point and the NIC's own hardware change of it.
//! No paper has this; the findings are numbers that nothing is held against, but for what every run must do.

use hpcc_models::measure::{jain, mean, percentile, SizeClass};

use super::analysis::Analysis;
use super::load::queue_panel;
use super::series::{busiest_queue, queue_cdf, sampled, slowdown_panel_of};
use super::series::{by_size, queue_panel as series_panel};
use crate::plan::{Fidelity, Finding, Run};
use crate::plot::{Figure, Panel};
use crate::scenario::output::slowdowns;

/// First word of the label: which of the two networks a run is of.
const NETWORKS: [&str; 2] = ["incast", "load"];
/// What a run is measured by: number and unit.
type Measures = Vec<(&'static str, f64, &'static str)>;

/// Network and law of a run, from its label.
fn parts(run: &Run) -> (&str, &str) {
    let label = run.label().split(" fidelity").next().unwrap_or_default();
    label.split_once(' ').unwrap_or((label, ""))
}

/// Completion times, us, ascending; a flow that has not ended counts to the end of the run.
fn completions(run: &Run) -> Vec<f64> {
    let end = |r: &hpcc_models::net::FlowRecord| r.finished_ps.unwrap_or(run.outcome.now_ps);
    let mut times: Vec<f64> = run
        .outcome
        .records
        .iter()
        .map(|r| (end(r) - r.started_ps) as f64 / 1e6)
        .collect();
    times.sort_by(f64::total_cmp);
    times
}

fn incast(run: &Run) -> Measures {
    let times = completions(run);
    let last = times.last().copied().unwrap_or(0.0);
    let queue = busiest_queue(run).map_or(vec![], |line| sampled(&line, 0.0, last, 0.2));
    let rates: Vec<f64> = times.iter().map(|t| 1.0 / t).collect();
    vec![
        ("completion mean", mean(&times), "us"),
        ("last", last, "us"),
        ("queue mean", mean(&queue), "KB"),
        ("largest", queue.last().copied().unwrap_or(0.0), "KB"),
        ("Jain index of the rates", jain(&rates), ""),
    ]
}

fn load(run: &Run) -> Measures {
    let slowdowns = slowdowns(run, SizeClass::ALL);
    let queue = |p| run.outcome.samples.busy.percentile(p) as f64 / 1e3;
    vec![
        ("slowdown median", percentile(&slowdowns, 50.0), ""),
        ("99th percentile", percentile(&slowdowns, 99.0), ""),
        ("queue of busy ports, 95th percentile", queue(95.0), "KB"),
        ("99th", queue(99.0), "KB"),
    ]
}

/// A number with the digits that matter, and its unit.
fn number(value: f64, unit: &str) -> String {
    let digits = if value < 10.0 { 2 } else { 0 };
    let space = if unit.is_empty() { "" } else { " " };
    format!("{value:.digits$}{space}{unit}")
}

/// The measures of one run in words.
fn words(measures: &Measures) -> String {
    let each = measures
        .iter()
        .map(|(what, value, unit)| format!("{what} {}", number(*value, unit)));
    each.collect::<Vec<_>>().join(", ")
}

/// How far a run is from another, measure by measure.
fn change(from: &Measures, to: &Measures) -> String {
    let each = from.iter().zip(to).map(|((what, before, _), (_, after, _))| {
        let percent = if *before == 0.0 {
            0.0
        } else {
            (after / before - 1.0) * 100.0
        };
        format!("{what} {percent:+.1} %")
    });
    each.collect::<Vec<_>>().join(", ")
}

/// The laws of one network: their findings and panels.
fn network(name: &str, runs: &[Run], measure: fn(&Run) -> Measures) -> (Vec<Finding>, Vec<Panel>) {
    let own: Vec<&Run> = runs.iter().filter(|run| parts(run).0 == name).collect();
    let at = |law: &str, fidelity| {
        let mut those = own
            .iter()
            .filter(|run| parts(run).1 == law && run.job.fidelity == fidelity);
        those.next().copied()
    };
    let mut laws: Vec<&str> = Vec::new();
    for run in &own {
        if !laws.contains(&parts(run).1) {
            laws.push(parts(run).1);
        }
    }
    let mut findings = Vec::new();
    let mut shown = Vec::new();
    for law in laws {
        let slug = format!("{name}_{}", law.to_lowercase().replace('-', "_"));
        let [golden, fixed, nic] =
            [Fidelity::Golden, Fidelity::Fixed, Fidelity::NicRtl].map(|fidelity| at(law, fidelity));
        let most = nic.or(fixed).or(golden);
        let Some(most) = most else { continue };
        shown.push((law, most));
        let text = format!("{}: {}", most.job.fidelity.name(), words(&measure(most)));
        findings.push(Finding::note(&slug, "", text));
        if let (Some(golden), Some(fixed)) = (golden, fixed) {
            let text = change(&measure(golden), &measure(fixed));
            findings.push(Finding::note(&format!("{slug}_fixed_against_golden"), "", text));
        }
        if let (Some(fixed), Some(nic)) = (fixed, nic) {
            let text = change(&measure(fixed), &measure(nic));
            findings.push(Finding::note(&format!("{slug}_nic_against_fixed"), "", text));
        }
    }
    let panels = if name == NETWORKS[0] {
        let lines = shown
            .iter()
            .filter_map(|(law, run)| Some(busiest_queue(run)?.named(*law)));
        vec![Panel {
            lines: lines.collect(),
            ..series_panel("incast: queue of the receiver's port")
        }]
    } else {
        let queues = shown.iter().map(|(law, run)| queue_cdf(law, &run.outcome.samples.busy));
        let slow = shown.iter().map(|(law, run)| by_size(run, 99.0, 10).named(*law));
        vec![
            slowdown_panel_of(slow.collect(), 99.0),
            queue_panel("load: queue of busy ports", queues.collect()),
        ]
    };
    (findings, panels)
}

/// Both networks.
pub fn four_laws(runs: &[Run]) -> Analysis {
    let (mut findings, mut panels) = network(NETWORKS[0], runs, incast);
    let (others, more) = network(NETWORKS[1], runs, load);
    findings.extend(others);
    panels.extend(more);
    // more runs than are listed one by one, so that what the NICs' hosts find in memory is said here
    let checks: Vec<_> = runs.iter().flat_map(|run| &run.checks).collect();
    if !checks.is_empty() {
        let failed = checks.iter().filter(|check| !check.passed()).count();
        let text = format!("{failed} of {} checks of whole NICs failed", checks.len());
        findings.push(Finding::new("memory_and_completions", "", text, failed == 0));
    }
    Analysis {
        figures: vec![Figure {
            panels,
            ..Figure::default()
        }],
        findings,
        ..Analysis::default()
    }
}
