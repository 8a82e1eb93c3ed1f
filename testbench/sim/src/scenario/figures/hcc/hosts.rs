//! What of the compared TCP hosts matters to Figures 4(c) and 5(b): their smallest timeout, the window after a pause; and HCC without the
//! random wait of first packets.

use hpcc_models::measure::{mean, percentile};

use super::super::analysis::Analysis;
use super::grpc::{interactive, tail};
use super::{is_hcc, measure, reduction};
use crate::plan::{Finding, Run};
use crate::plot::{Figure, Line, Panel};

/// Smallest timeouts at which HCC is expected to be ahead in a closed loop: those of stock systems, ms.
const STOCK_RTO_MS: f64 = 200.0;

/// What a run is compared by.
struct Measured {
    /// Mean completion time, ms.
    mean: f64,
    /// Its 99th percentile, ms.
    tail: f64,
    /// Percent of the bottleneck's capacity that was carried.
    carried: f64,
    /// The rest in words.
    also: String,
}

/// Mean of the thirds of a run whose capacity changes, each third's capacity counting as one.
fn carried(run: &Run) -> f64 {
    let parts: Vec<f64> = measure::spans(run)
        .iter()
        .map(|&(from, to)| measure::utilisation(run, from, to) * 100.0)
        .collect();
    mean(&parts)
}

fn measured(run: &Run) -> Measured {
    if !run.job.loops.is_empty() {
        let (rate, _, mean) = interactive(run);
        let queue = measure::queue(run, 0, run.outcome.now_ps);
        let [median, high, most] = [50.0, 99.0, 100.0].map(|p| percentile(&queue, p));
        return Measured {
            mean,
            tail: tail(run),
            carried: carried(run),
            also: format!("{rate:.0} responses a second, queue {median:.0}, {high:.0}, {most:.0} packets (median, 99th percentile, most)"),
        };
    }
    let ended = measure::completion(run, 1, false);
    Measured {
        mean: mean(&ended),
        tail: percentile(&ended, 99.0),
        carried: carried(run),
        also: format!("{} of {} flows ended", ended.len(), run.outcome.records.len()),
    }
}

/// Smallest timeout of a run's TCP hosts, ms.
fn rto_ms(run: &Run) -> f64 {
    let stack = run.job.config.tcp.as_ref().and_then(|tcp| tcp.stack(usize::MAX));
    stack.map_or(0.0, |stack| stack.min_rto_ps as f64 / 1e9)
}

/// Label without the smallest timeout.
fn law(run: &Run) -> &str {
    run.label().split(" min_rto_ms ").next().unwrap_or_default()
}

/// One note for each run; for each law with stock timeouts whether HCC is ahead.
pub fn hosts(runs: &[Run]) -> Analysis {
    let all: Vec<(&Run, Measured)> = runs.iter().map(|run| (run, measured(run))).collect();
    let hcc = all.iter().find(|(run, _)| is_hcc(run));
    let mut findings: Vec<Finding> = all
        .iter()
        .map(|(run, m)| {
            let against = hcc.map_or(String::new(), |(_, ours)| {
                let (mean, tail) = (reduction(ours.mean, m.mean), reduction(ours.tail, m.tail));
                format!("; HCC is {mean:.0} and {tail:.0} % below")
            });
            let counters = &run.outcome.counters;
            Finding::note(
                &format!("hosts_{}", run.label()),
                "",
                format!(
                    "{:.1} % of the capacity, mean {:.2} ms, 99th percentile {:.1} ms, {}, {} timeouts, {} drops{against}",
                    m.carried, m.mean, m.tail, m.also, counters.timeouts, counters.drops
                ),
            )
        })
        .collect();
    let mut laws: Vec<&str> = Vec::new();
    for (run, _) in all.iter().filter(|(run, _)| run.label().contains(" min_rto_ms ")) {
        if !laws.contains(&law(run)) {
            laws.push(law(run));
        }
    }
    let of = |name: &str| {
        all.iter()
            .filter(move |(run, _)| run.label().contains(" min_rto_ms ") && law(run) == name)
            .collect::<Vec<_>>()
    };
    if let Some((_, ours)) = hcc.filter(|(run, _)| !run.job.loops.is_empty()) {
        findings.extend(laws.iter().map(|name| sign(name, ours, &of(name))));
    }
    let line = |name: &&str, value: &dyn Fn(&Measured) -> f64| Line {
        marks: true,
        ..Line::new(*name, of(name).iter().map(|(run, m)| (rto_ms(run), value(m))).collect())
    };
    let panel = |title: &str, y: &str, value: &dyn Fn(&Measured) -> f64| {
        let mut lines: Vec<Line> = laws.iter().map(|name| line(name, value)).collect();
        // HCC's hosts have no timeout that matters: a level from one end to the other
        let ends = [f64::min, f64::max].map(|pick| {
            all.iter()
                .map(|(run, _)| rto_ms(run))
                .filter(|&ms| ms > 0.0)
                .reduce(pick)
        });
        if let (Some((_, ours)), [Some(low), Some(high)]) = (hcc, ends) {
            lines.push(Line::new("HCC", vec![(low, value(ours)), (high, value(ours))]));
        }
        Panel {
            title: title.into(),
            x: "smallest timeout (ms)".into(),
            y: y.into(),
            log_x: true,
            lines,
            ..Panel::default()
        }
    };
    let panels = vec![
        panel("mean completion time", "time (ms)", &|m| m.mean),
        panel("99th percentile of completion times", "time (ms)", &|m| m.tail),
        panel("carried by the bottleneck", "percent of its capacity", &|m| m.carried),
    ];
    Analysis {
        figures: vec![Figure {
            panels,
            ..Figure::default()
        }],
        findings,
        ..Analysis::default()
    }
}

/// HCC's mean completion time is below that of a law whose smallest timeout is that of a stock system.
fn sign(name: &str, ours: &Measured, runs: &[&(&Run, Measured)]) -> Finding {
    let stock: Vec<_> = runs.iter().filter(|(run, _)| rto_ms(run) >= STOCK_RTO_MS).collect();
    let by = |m: &Measured| reduction(ours.mean, m.mean);
    let listed: Vec<String> = stock
        .iter()
        .map(|(run, m)| format!("{:.0} % at {:.0} ms", by(m), rto_ms(run)))
        .collect();
    let ahead = stock.iter().all(|(_, m)| by(m) > 0.0);
    let carried: Vec<String> = stock.iter().map(|(_, m)| format!("{:.1}", m.carried)).collect();
    Finding::new(
        &format!("fig5b_stock_timeouts_{}", name.to_lowercase()),
        "HCC reduces the mean completion time",
        format!("mean reduced by {}", listed.join(", ")),
        ahead,
    )
    .within("reduced with smallest timeouts of 200 ms and more")
    .known_difference(
        stock.iter().all(|(_, m)| m.carried >= 0.97 * ours.carried),
        format!(
            "in a closed loop only lost throughput lengthens the mean, and {name} carries {} % of the capacity with these timeouts, HCC {:.1} %",
            carried.join(" and "),
            ours.carried
        ),
    )
}
