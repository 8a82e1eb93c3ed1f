//! Fig. 5(a) to 5(d): on-off remote procedure calls in closed loops.

use hpcc_models::measure::{mean, percentile};

use super::super::analysis::Analysis;
use super::super::series::cdf;
use super::measure::{self, distribution};
use super::web::latency_finding;
use super::{agrees, is_hcc, reduction};
use crate::plan::{Finding, Run};
use crate::report::plot::Figure;

/// The paper's reductions of mean and 99th percentile, percent, by label.
const PAPER_FCT: [(&str, f64, f64); 3] = [("NewReno", 47.0, 40.0), ("Cubic", 46.0, 39.0), ("DCTCP", 9.0, 6.0)];
/// Samples before this are the start, ps.
const SETTLED_PS: u64 = 10_000_000_000;

/// Payload of a response, bytes: the largest message.
fn response(run: &Run) -> u64 {
    run.outcome.flows.iter().map(|f| f.bytes).max().unwrap_or(0)
}

/// Figures 5(a) to 5(d).
pub fn grpc(runs: &[Run]) -> Analysis {
    let times = |r: &Run| measure::completion(r, response(r), false);
    let panels = vec![
        measure::throughput_panel(runs),
        distribution(
            "completion time of responses",
            "time (ms)",
            true,
            runs.iter().map(|r| cdf(r.label(), &times(r))).collect(),
        ),
        measure::queue_panel(runs),
        distribution(
            "packet latency, one way",
            "latency (us)",
            true,
            runs.iter().map(|r| measure::latency(r).1).collect(),
        ),
    ];
    let mut findings = Vec::new();
    if let Some(hcc) = runs.iter().find(is_hcc) {
        let others: Vec<&Run> = runs.iter().filter(|r| !is_hcc(r)).collect();
        let part = |run: &Run| measure::utilisation(run, SETTLED_PS, run.outcome.now_ps) * 100.0;
        let listed: Vec<String> = others
            .iter()
            .map(|r| format!("{} {:.1} %", r.label(), part(r)))
            .collect();
        findings.push(Finding::new(
            "fig5a_throughput",
            "total throughput quickly converges to the maximum capacity and stays very stable",
            format!(
                "mean from 10 ms on {:.1} % of the capacity; {}; wanted: 95 % or more",
                part(hcc),
                listed.join(", ")
            ),
            part(hcc) >= 95.0,
        ));
        findings.extend(runs.iter().map(interactive_law));
        let ours = times(hcc);
        for run in &others {
            let Some((_, paper_mean, paper_tail)) = PAPER_FCT.iter().find(|p| p.0 == run.label()) else {
                continue;
            };
            let theirs = times(run);
            let by_mean = reduction(mean(&ours), mean(&theirs));
            let by_tail = reduction(percentile(&ours, 99.0), percentile(&theirs, 99.0));
            findings.push(Finding::new(
                &format!("fig5b_completion_against_{}", run.label().to_lowercase()),
                &format!("HCC reduces the mean by {paper_mean:.0} % and the 99th percentile by {paper_tail:.0} %"),
                format!(
                    "mean {:.1} ms against {:.1} ms ({by_mean:.0} %), 99th percentile {:.1} ms against {:.1} ms ({by_tail:.0} %)",
                    mean(&ours),
                    mean(&theirs),
                    percentile(&ours, 99.0),
                    percentile(&theirs, 99.0)
                ),
                agrees(by_mean, *paper_mean) && agrees(by_tail, *paper_tail),
            ));
        }
        let queue = measure::queue(hcc, 0, hcc.outcome.now_ps);
        let tail = percentile(&queue, 99.0);
        let theirs: Vec<String> = others
            .iter()
            .map(|r| {
                format!(
                    "{} {:.0}",
                    r.label(),
                    percentile(&measure::queue(r, 0, r.outcome.now_ps), 50.0)
                )
            })
            .collect();
        findings.push(Finding::new(
            "fig5c_queue",
            "HCC maintains a near zero queue size in contrary to the other protocols",
            format!(
                "99th percentile {tail:.0} packets, most {:.0}; medians of the others: {}; wanted: 20 at most",
                queue.last().copied().unwrap_or(0.0),
                theirs.join(", ")
            ),
            tail <= 20.0,
        ));
        findings.push(latency_finding("fig5d_latency", hcc, &others));
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

/// In a closed loop the mean completion time follows from the throughput: (loops / rate of responses) less pause and request. So
/// protocols can differ by lost throughput only.
fn interactive_law(run: &Run) -> Finding {
    let wanted = response(run);
    let end = run.outcome.now_ps;
    let finished = |from: u64, to: u64| {
        let flows = run
            .outcome
            .flows
            .iter()
            .zip(&run.outcome.records)
            .filter(|(f, _)| f.bytes == wanted);
        flows.filter(move |(_, r)| r.finished_ps.is_some_and(|t| (from..to).contains(&t)))
    };
    let half = end / 4;
    let count = finished(half, end).count() as f64;
    let seconds = (end - half) as f64 / 1e12;
    let times: Vec<f64> = finished(half, end)
        .filter_map(|(_, r)| r.fct_ps())
        .map(|t| t as f64 / 1e9)
        .collect();
    let spec = run.job.loops.first();
    let pause_ms = spec.map_or(0.0, |l| l.pause_ps / 1e9);
    let request_ms = measure::ONE_WAY_PS as f64 / 1e9;
    let expected = run.job.loops.len() as f64 / (count / seconds) * 1e3 - pause_ms - request_ms;
    let measured = mean(&times);
    Finding::new(
        &format!("fig5b_interactive_law_{}", run.label().to_lowercase()),
        "",
        format!(
            "{:.0} responses a second; the mean completion time that follows is {expected:.1} ms, measured {measured:.1} ms; wanted: \
             within 10 %",
            count / seconds
        ),
        (measured / expected - 1.0).abs() <= 0.1,
    )
}
