//! Fig. 5: four flows join and leave one by one; who has which share, and how soon.

use super::super::analysis::Analysis;
use super::super::series::{goodput, sampled};
use super::{slug, POWER};
use crate::plan::{Finding, Run};
use crate::plot::{Figure, Panel};
use hpcc_models::measure::{jain, mean};

/// A flow that joined or left this long ago still moves the shares, us: the first such span of every change is left out.
const SETTLES_US: f64 = 1_000.0;
const BIN_US: f64 = 50.0;

/// Jain's index of each whole millisecond in which the same two or more flows were there, from [`SETTLES_US`] after the last change on: time
/// of its start (us), and index.
pub(super) fn indices(run: &Run) -> Vec<(f64, f64)> {
    let lines = goodput(run, BIN_US);
    let us = |ps: u64| ps as f64 / 1e6;
    let end = us(run.outcome.now_ps);
    let spans: Vec<(f64, f64)> = run
        .outcome
        .records
        .iter()
        .map(|r| (us(r.started_ps), r.finished_ps.map_or(end, us)))
        .collect();
    let mut changes: Vec<f64> = spans.iter().flat_map(|s| [s.0, s.1]).collect();
    changes.sort_by(f64::total_cmp);
    let mut found = Vec::new();
    for pair in changes.windows(2) {
        let mut from = pair[0] + SETTLES_US;
        while from + 1_000.0 <= pair[1] {
            let there = spans.iter().zip(0..).filter(|(s, _)| s.0 <= pair[0] && s.1 >= pair[1]);
            let shares: Vec<f64> = there
                .filter_map(|(_, flow)| lines.get(&flow))
                .map(|line| mean(&sampled(line, from + BIN_US, from + 1_000.0, BIN_US / 5.0)))
                .collect();
            if shares.len() > 1 {
                found.push((from, jain(&shares)));
            }
            from += 1_000.0;
        }
    }
    found
}

/// Goodput of each flow of a run.
pub(super) fn goodput_panel(run: &Run) -> Panel {
    Panel {
        title: format!("goodput, {}", run.label()),
        x: "time (us)".into(),
        y: "goodput (Gb/s)".into(),
        lines: goodput(run, BIN_US).into_values().collect(),
        ..Panel::default()
    }
}

/// Why PowerTCP as printed needs some milliseconds.
const STEP_OF_A_HUNDREDTH: &str = "shares become equal by the additive step, here HostBw x tau / 100: that takes some milliseconds; with cc.beta_flows = 50 \
                                   the lowest index is 0.98, at twice the queue";

/// Fig. 5.
pub fn fairness(runs: &[Run]) -> Analysis {
    let mut panels = Vec::new();
    let mut findings = Vec::new();
    for run in runs {
        let found = indices(run);
        let worst = found
            .iter()
            .copied()
            .fold((0.0, 1.0), |a, b| if b.1 < a.1 { b } else { a });
        let ours = format!(
            "Jain index of {} whole milliseconds, from 1 ms after a flow joined or left: lowest {:.3} (at {:.1} ms), mean {:.3}",
            found.len(),
            worst.1,
            worst.0 / 1e3,
            mean(&found.iter().map(|f| f.1).collect::<Vec<_>>())
        );
        let name = slug(run.label());
        findings.push(if POWER.contains(&run.label()) {
            Finding::new(
                &format!("{name}_is_fair"),
                "PowerTCP stabilizes to a fair share of bandwidth quickly, both when flows arrive and leave",
                ours,
                !found.is_empty() && worst.1 >= 0.95,
            )
            .within("0.95 or more in every such millisecond")
            .known_difference(run.label() == POWER[0] && worst.1 >= 0.85, STEP_OF_A_HUNDREDTH)
        } else {
            Finding::note(&format!("{name}_shares"), "", ours)
        });
        panels.push(goodput_panel(run));
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
