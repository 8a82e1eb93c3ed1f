//! Fig. 5(a) to 5(d): on-off remote procedure calls in closed loops.

use hpcc_models::alloc::agent::WHOLE;
use hpcc_models::measure::percentile;

use super::super::analysis::Analysis;
use super::super::seeds::Group;
use super::super::series::cdf;
use super::completion::{self, Paper};
use super::measure::{self, distribution};
use super::web::latency_finding;
use super::{agrees, is_hcc, listed, reduction};
use crate::plan::{Finding, HccPlan, Run};
use crate::plot::Figure;

/// The paper's reductions.
const PAPER_FCT: [Paper; 3] = [("NewReno", 47.0, 40.0), ("Cubic", 46.0, 39.0), ("DCTCP", 9.0, 6.0)];
/// Samples before this are the start, ps.
const SETTLED_PS: u64 = 10_000_000_000;

/// Payload of a response, bytes: the largest message.
fn response(run: &Run) -> u64 {
    run.outcome.flows.iter().map(|f| f.bytes).max().unwrap_or(0)
}

/// Figures 5(a) to 5(d): numbers are medians of the seeds, distributions hold the samples of all of them, and what is drawn over time is
/// the first seed.
pub fn grpc(runs: &[Run]) -> Analysis {
    let groups = Group::all(runs);
    let ended = |r: &Run| measure::completion(r, response(r), false);
    let panels = vec![
        measure::throughput_panel(&groups),
        distribution(
            "completion time of responses",
            "time (ms)",
            true,
            groups.iter().map(|g| cdf(g.label, &g.pooled(ended))).collect(),
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
    if let Some(hcc) = groups.iter().find(|g| is_hcc(&g.first())) {
        let others: Vec<&Group> = groups.iter().filter(|g| !is_hcc(&g.first())).collect();
        findings.push(throughput(hcc, &others));
        findings.extend(groups.iter().map(interactive_law));
        findings.extend(others.iter().filter_map(|other| completions(hcc, other)));
        findings.push(queue(hcc, &others));
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

/// Percent of the capacity that is carried once everybody has started.
fn carried(run: &Run) -> f64 {
    measure::utilisation(run, SETTLED_PS, run.outcome.now_ps) * 100.0
}

fn throughput(hcc: &Group, others: &[&Group]) -> Finding {
    let part = hcc.spread(carried);
    Finding::new(
        "fig5a_throughput",
        "total throughput quickly converges to the maximum capacity and stays very stable",
        format!(
            "percent of the capacity from 10 ms on: HCC {}; {}",
            part.text(1),
            listed(others, |g| g.spread(carried).text(1))
        ),
        part.median() >= 95.0,
    )
    .within("95 % or more")
}

/// Completion times beside those of another law that the paper has a number for.
fn completions(hcc: &Group, other: &Group) -> Option<Finding> {
    let paper = PAPER_FCT.iter().find(|p| p.0 == other.label)?;
    let rate = |g: &Group| g.spread(|r| interactive(r).0);
    let times = |g: &Group| {
        let mean = g.spread(|r| interactive(r).2).text(1);
        format!("{mean} and {} ms", g.spread(tail).text(1))
    };
    let by_mean = hcc.paired(other, |own, its| reduction(interactive(own).2, interactive(its).2));
    let by_tail = hcc.paired(other, |own, its| reduction(tail(own), tail(its)));
    let here = format!(
        "mean and 99th percentile {} against {}: reduced by {} % and {} %",
        times(hcc),
        times(other),
        by_mean.text(0),
        by_tail.text(0)
    );
    let agree = agrees(by_mean.median(), paper.1) && agrees(by_tail.median(), paper.2);
    let busy = other.spread(carried).median() >= 97.0 && by_tail.median() > -5.0;
    Some(completion::finding("fig5b", paper, here, agree).known_difference(
        busy,
        format!(
            "in a closed loop only lost throughput lengthens the mean: {} gives {} responses a second here, HCC {}",
            other.label,
            rate(other).text(0),
            rate(hcc).text(0)
        ),
    ))
}

/// 99th percentile of the completion times of responses, ms; those without an end count with the time they had.
pub fn tail(run: &Run) -> f64 {
    percentile(&measure::completion(run, response(run), true), 99.0)
}

fn queue(hcc: &Group, others: &[&Group]) -> Finding {
    let packets = |p: f64| move |r: &Run| percentile(&measure::queue(r, 0, r.outcome.now_ps), p);
    let ours = hcc.spread(packets(99.0));
    let job = &hcc.first().job;
    let granted = |hcc: &HccPlan| f64::from(hcc.config.settings.headroom) / f64::from(WHOLE);
    let (flows, load) = (job.loops.len(), job.hcc.as_ref().map_or(1.0, granted));
    let periodic = periodic_tail(flows as f64, load);
    Finding::new(
        "fig5c_queue",
        "HCC maintains a near zero queue size in contrary to the other protocols",
        format!(
            "99th percentile {} packets, most {}; medians of the others: {}",
            ours.text(0),
            hcc.spread(packets(100.0)).text(0),
            listed(others, |g| g.spread(packets(50.0)).text(0))
        ),
        ours.median() <= 20.0,
    )
    .within("20 at most")
    .known_difference(
        ours.median() <= periodic,
        format!(
            "{flows} flows paced evenly at the {:.0} % of the link that the root grants, each with a phase of its own, leave a 99th percentile of \
             {periodic:.0} packets",
            load * 100.0
        ),
    )
}

/// The mean completion time of responses in a closed loop follows from the rate of responses: loops / rate, less pause and request
/// (interactive response-time law). Measured as time under way by responses ended, so that responses without an end count as well.
/// Both in ms, and the rate in responses a second; the first quarter of the run is left out.
pub fn interactive(run: &Run) -> (f64, f64, f64) {
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
fn interactive_law(group: &Group) -> Finding {
    let of = |part: fn((f64, f64, f64)) -> f64| group.spread(|r| part(interactive(r)));
    let off = group.spread(|r| {
        let (_, follows, measured) = interactive(r);
        (measured / follows - 1.0).abs()
    });
    Finding::new(
        &format!("fig5b_interactive_law_{}", group.label.to_lowercase()),
        "",
        format!(
            "{} responses a second; the mean completion time that follows is {} ms, measured {} ms",
            of(|(rate, ..)| rate).text(0),
            of(|(_, follows, _)| follows).text(1),
            of(|(.., measured)| measured).text(1)
        ),
        off.largest() <= 0.05,
    )
    .within("within 5 % for every seed")
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
