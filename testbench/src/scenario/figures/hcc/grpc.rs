//! Fig. 5(a) to 5(d): on-off remote procedure calls in closed loops.

use hpcc_models::measure::percentile;

use super::super::analysis::Analysis;
use super::super::seeds::Group;
use super::super::series::cdf;
use super::completion::{self, Paper};
use super::measure::{self, distribution};
use super::web::latency_finding;
use super::{agrees, is_hcc, reduction};
use crate::plan::{Finding, Run};
use crate::report::plot::Figure;

/// The paper's reductions.
const PAPER_FCT: [Paper; 3] = [("NewReno", 47.0, 40.0), ("Cubic", 46.0, 39.0), ("DCTCP", 9.0, 6.0)];
/// Samples before this are the start, ps.
const SETTLED_PS: u64 = 10_000_000_000;

/// Payload of a response, bytes: the largest message.
fn response(run: &Run) -> u64 {
    run.outcome.flows.iter().map(|f| f.bytes).max().unwrap_or(0)
}

/// Figures 5(a) to 5(d).
pub fn grpc(runs: &[Run]) -> Analysis {
    let times = |r: &Run, open: bool| measure::completion(r, response(r), open);
    let groups = Group::all(runs);
    let panels = vec![
        measure::throughput_panel(&groups),
        distribution(
            "completion time of responses",
            "time (ms)",
            true,
            runs.iter().map(|r| cdf(r.label(), &times(r, false))).collect(),
        ),
        measure::queue_panel(&groups),
        distribution(
            "packet latency, one way",
            "latency (us)",
            true,
            groups.iter().map(measure::latency_line).collect(),
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
        let ours = times(hcc, true);
        let (our_rate, _, our_mean) = interactive(hcc);
        for run in &others {
            let Some(paper) = PAPER_FCT.iter().find(|p| p.0 == run.label()) else {
                continue;
            };
            let theirs = times(run, true);
            let (their_rate, _, their_mean) = interactive(run);
            let by_mean = reduction(our_mean, their_mean);
            let (our_tail, their_tail) = (percentile(&ours, 99.0), percentile(&theirs, 99.0));
            let by_tail = reduction(our_tail, their_tail);
            let here = format!(
                "mean {our_mean:.1} ms against {their_mean:.1} ms ({by_mean:.0} %), 99th percentile {our_tail:.1} ms against \
                 {their_tail:.1} ms ({by_tail:.0} %)"
            );
            let agree = agrees(by_mean, paper.1) && agrees(by_tail, paper.2);
            findings.push(completion::finding("fig5b", paper, here, agree).known_difference(
                part(run) >= 97.0 && by_tail > 0.0,
                format!(
                    "in a closed loop only lost throughput lengthens the mean: {} gives {their_rate:.0} responses a second here, HCC {our_rate:.0}",
                    run.label()
                ),
            ));
        }
        let queue = measure::queue(hcc, 0, hcc.outcome.now_ps);
        let tail = percentile(&queue, 99.0);
        let periodic = periodic_tail(hcc.job.loops.len() as f64, part(hcc) / 100.0);
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
        )
        .known_difference(
            tail <= periodic,
            format!(
                "{} flows paced evenly at {:.1} % of the link, each with a phase of its own, leave a 99th percentile of {periodic:.0} packets",
                hcc.job.loops.len(),
                part(hcc)
            ),
        ));
        if let Some(hcc) = groups.iter().find(|g| is_hcc(&g.first())) {
            let others: Vec<&Group> = groups.iter().filter(|g| !is_hcc(&g.first())).collect();
            findings.push(latency_finding("fig5d_latency", hcc, &others));
        }
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

/// The mean completion time of responses in a closed loop follows from the rate of responses: loops / rate, less pause and request
/// (interactive response-time law). Measured as time under way by responses ended, so that responses without an end count as well.
/// Both in ms, and the rate in responses a second; the first quarter of the run is left out.
fn interactive(run: &Run) -> (f64, f64, f64) {
    let end = run.outcome.now_ps;
    let from = end / 4;
    let (time, ended) = measure::under_way(run, response(run), from, end);
    let rate = ended as f64 / ((end - from) as f64 / 1e12);
    let pause_ms = run.job.loops.first().map_or(0.0, |l| l.pause_ps / 1e9);
    let request_ms = measure::ONE_WAY_PS as f64 / 1e9;
    let follows = run.job.loops.len() as f64 / rate * 1e3 - pause_ms - request_ms;
    (rate, follows, time / ended.max(1) as f64)
}

/// The law holds, so protocols can differ by lost throughput only.
fn interactive_law(run: &Run) -> Finding {
    let (rate, follows, measured) = interactive(run);
    Finding::new(
        &format!("fig5b_interactive_law_{}", run.label().to_lowercase()),
        "",
        format!("{rate:.0} responses a second; the mean completion time that follows is {follows:.1} ms, measured {measured:.1} ms"),
        (measured / follows - 1.0).abs() <= 0.05,
    )
    .within("within 5 %")
}

/// Packets that wait with a probability of a hundredth before a link that `flows` evenly paced flows of independent phase load to `load`:
/// x of exp(-2 x (x / flows + 1 - load)) = 0.01 (Brownian bridge approximation of the queue of periodic sources).
fn periodic_tail(flows: f64, load: f64) -> f64 {
    let half = flows * (1.0 - load) / 2.0;
    (half * half + flows * 100f64.ln() / 2.0).sqrt() - half
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At full load the tail is sqrt(N ln(100) / 2); idle capacity shortens it.
    #[test]
    fn tail_of_periodic_sources() {
        assert!((periodic_tail(500.0, 1.0) - (250.0 * 100f64.ln()).sqrt()).abs() < 1e-9);
        let x = periodic_tail(500.0, 0.97);
        assert!(((-2.0 * x * (x / 500.0 + 0.03)).exp() - 0.01).abs() < 1e-9);
    }
}
