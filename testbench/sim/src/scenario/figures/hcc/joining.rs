//! Flows that join one by one over HPCC, without agents and with them: who gets what once all are there, and what waits.

use hpcc_models::measure::{jain, mean};

use super::super::analysis::Analysis;
use super::super::micro::figure;
use super::super::series::{busiest_queue, goodput, peak, queue_panel, sampled};
use crate::plan::{Finding, Run};
use crate::plot::Panel;

/// Bin of goodput, us: about two round trips.
const BIN_US: f64 = 20.0;
/// A flow that joins has come to its rate, or not, so long after it, us.
const SETTLED_US: f64 = 50.0;

/// Goodput of each flow over time, one panel a run, and the queue; for each run the mean goodput of the flows, Jain's index of these, and
/// the largest queue, all of them from 50 us after the last flow has joined.
pub fn joining(runs: &[Run]) -> Analysis {
    let mut panels = Vec::new();
    let mut findings = Vec::new();
    let mut queues = queue_panel("busiest queue");
    for run in runs {
        let starts = run.outcome.flows.iter().map(|f| f.start_ps as f64 / 1e6);
        let from = starts.fold(0.0, f64::max) + SETTLED_US;
        let end = run.outcome.now_ps as f64 / 1e6;
        let lines = goodput(run, BIN_US);
        let rates: Vec<f64> = (lines.values())
            .map(|line| mean(&sampled(line, from, end, BIN_US)))
            .collect();
        let queue = busiest_queue(run).map_or(0.0, |line| peak(&line, from, end));
        let listed: Vec<String> = rates.iter().map(|rate| format!("{rate:.1}")).collect();
        let ours = format!(
            "{} Gb/s from {from:.0} us on, Jain's index {:.3}; {queue:.1} KB wait at most",
            listed.join(", "),
            jain(&rates)
        );
        let name = format!(
            "flows_that_join_{}",
            run.label().to_lowercase().replace([' ', ','], "_")
        );
        findings.push(Finding::note(&name, "", ours));
        panels.push(Panel {
            title: format!("goodput, {}", run.label()),
            x: "time (us)".into(),
            y: "goodput (Gb/s)".into(),
            y_max: Some(100.0),
            lines: lines.into_values().collect(),
            ..Panel::default()
        });
        queues.lines.extend(busiest_queue(run).map(|l| l.named(run.label())));
    }
    panels.push(queues);
    Analysis {
        figures: figure(panels),
        findings,
        ..Analysis::default()
    }
}
