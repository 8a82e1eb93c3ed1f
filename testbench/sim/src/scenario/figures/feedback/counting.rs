//! The additive step by the number of flows (draft-miao-ccwg-hpcc, 5 and 6.3.2): how soon shares are equal, and what waits meanwhile.

use std::collections::BTreeMap;

use super::named;
use crate::plan::{Finding, Run};
use crate::plot::{Line, Panel};
use crate::scenario::figures::analysis::Analysis;
use crate::scenario::figures::micro::figure;
use hpcc_models::measure::{jain, percentile};

/// Shares count as equal from here on.
const EQUAL: f64 = 0.95;

/// What one run shows after its last flow has joined.
struct Seen {
    /// Until Jain's index of the pacing rates is above [`EQUAL`] for good, us; `None`: never.
    equal_us: Option<f64>,
    /// 99th percentile of the longest queue, KB.
    queue: f64,
    /// Jain's index over time.
    line: Line,
}

fn see(run: &Run) -> Seen {
    let joined = run.outcome.records.iter().map(|r| r.started_ps).max().unwrap_or(0);
    let mut rates: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for p in run.flow_points().iter().filter(|p| p.t_ps >= joined) {
        rates.entry(p.t_ps).or_default().push(p.rate_bps as f64);
    }
    let us = |ps: u64| (ps - joined) as f64 / 1e6;
    let points: Vec<(f64, f64)> = rates.iter().map(|(&t, rates)| (us(t), jain(rates))).collect();
    let below = points.iter().rposition(|p| p.1 < EQUAL);
    let equal_us = match below {
        None => points.first().map(|p| p.0),
        Some(last) => points.get(last + 1).map(|p| p.0),
    };
    // The port holds its last length until the series says another.
    let mut lengths: BTreeMap<u64, u64> = BTreeMap::new();
    for p in run.outcome.samples.queues.iter().filter(|p| p.t_ps >= joined) {
        let length = lengths.entry(p.t_ps).or_default();
        *length = (*length).max(p.bytes);
    }
    let mut lengths: Vec<f64> = lengths.into_values().map(|bytes| bytes as f64 / 1e3).collect();
    lengths.sort_by(f64::total_cmp);
    Seen {
        equal_us,
        queue: percentile(&lengths, 99.0),
        line: Line::new(run.label(), points),
    }
}

/// Runs in pairs of equal numbers of flows: without and with the count.
pub fn counting(runs: &[Run]) -> Analysis {
    let panel = |title: &str, x: &str, y: &str| Panel {
        title: title.into(),
        x: x.into(),
        y: y.into(),
        ..Panel::default()
    };
    let over_flows = |title: &str, y: &str| Panel {
        log_x: true,
        ..panel(title, "flows", y)
    };
    let mut times = over_flows("until shares are equal for good", "time after the last joined (us)");
    let mut queues = over_flows("99th percentile of the queue after the last joined", "queue (KB)");
    let mut index = panel(
        "pacing rates of the most flows",
        "time after the last joined (us)",
        "Jain's index",
    );
    let mut findings = Vec::new();
    let most = runs.iter().map(|r| r.outcome.flows.len()).max().unwrap_or(0);
    for run in runs {
        let seen = see(run);
        let flows = run.outcome.flows.len();
        let label = run.label().split(" senders").next().unwrap_or_default().to_string();
        let add = |panel: &mut Panel, value: f64| {
            let point = (flows as f64, value);
            match panel.lines.iter_mut().find(|l| l.label == label) {
                Some(line) => line.points.push(point),
                None => panel.lines.push(Line {
                    marks: true,
                    ..Line::new(label.clone(), vec![point])
                }),
            }
        };
        if let Some(us) = seen.equal_us {
            add(&mut times, us);
        }
        add(&mut queues, seen.queue);
        if flows == most {
            index.lines.push(seen.line.clone().named(&label));
        }
        let when = |us: Option<f64>| us.map_or("not within the run".into(), |us| format!("after {us:.0} us"));
        let ours = format!("shares equal {}, queue p99 {:.1} KB", when(seen.equal_us), seen.queue);
        findings.push(Finding::note(&named(run), "", ours));
        let counts = |r: &Run| r.job.config.feedback.count_flows;
        let twin = runs.iter().find(|r| {
            counts(run)
                && !counts(r)
                && r.outcome.flows.len() == flows
                && r.job.config.feedback.carrier == run.job.config.feedback.carrier
        });
        let Some(without) = twin.map(see) else { continue };
        let sooner = match (seen.equal_us, without.equal_us) {
            (Some(with), Some(without)) => with <= without + run.job.config.window_t_ns() as f64 / 1e3,
            (with, without) => with.is_some() || without.is_none(),
        };
        let ours = format!(
            "equal {} with the count, {} without; queue p99 {:.1} against {:.1} KB",
            when(seen.equal_us),
            when(without.equal_us),
            seen.queue,
            without.queue
        );
        let paper = "faster fairness convergence without introducing swings";
        let finding = Finding::new(
            &format!("faster_fairness_{flows}_flows"),
            paper,
            ours,
            sooner && seen.queue <= 1.2 * without.queue,
        );
        let step = "the step of W_init (1 - eta) / N is larger than 80 bytes for fewer than a hundred flows: shares are equal sooner, and N steps of \
                    all flows fill the 5 % of headroom within one round trip, which is the queue";
        findings.push(
            finding
                .within("not later by more than one T, and queue p99 at most 1.2 times")
                .known_difference(sooner, step),
        );
    }
    Analysis {
        figures: figure(vec![times, queues, index]),
        findings,
        ..Analysis::default()
    }
}
