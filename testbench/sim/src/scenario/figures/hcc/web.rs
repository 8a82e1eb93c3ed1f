//! Fig. 4(a) to 4(f): web search while the core link changes its capacity.

use hpcc_models::measure::{mean, percentile};

use super::super::analysis::Analysis;
use super::super::seeds::{Group, Spread};
use super::super::series::cdf;
use super::completion::{self, Paper, Reductions};
use super::measure::{self, distribution};
use super::{is_hcc, listed};
use crate::plan::{Finding, Run};
use crate::plot::{Figure, Line, Panel};

/// Percent of its capacity at which a link counts as full.
const FULL: f64 = 95.0;
/// Time in which the cycles of HCC-2 and the links' delays bring a share, us.
const FIRST_SHARE_US: f64 = 150.0;
/// Two round trips, us.
const TWO_RTT_US: f64 = 888.0;
/// The paper's reductions.
const PAPER_FCT: [Paper; 3] = [("NewReno", 62.0, 68.0), ("Cubic", 54.0, 39.0), ("DCTCP", 42.0, 49.0)];

fn ascending(points: &[(f64, f64)]) -> Vec<f64> {
    let mut values: Vec<f64> = points.iter().map(|p| p.1).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Figures 4(a) to 4(f): numbers are medians of the seeds, distributions hold the samples of all of them, and what is drawn over time is
/// the first seed.
pub fn web(runs: &[Run]) -> Analysis {
    let groups = Group::all(runs);
    let first: Vec<Line> = groups
        .iter()
        .map(|g| Line::new(g.label, measure::fairness(g.first())))
        .collect();
    let pooled = |values: &dyn Fn(&Run) -> Vec<f64>| -> Vec<Line> {
        groups.iter().map(|g| cdf(g.label, &g.pooled(values))).collect()
    };
    let panels = vec![
        measure::throughput_panel(&groups),
        distribution(
            "throughput, 1 ms samples",
            "throughput (Gb/s)",
            false,
            pooled(&|r| ascending(&measure::throughput(r, 1_000_000_000))),
        ),
        distribution(
            "completion time of flows that ended",
            "time (ms)",
            true,
            pooled(&|r| measure::completion(r, 1, false)),
        ),
        measure::queue_panel(&groups),
        Panel {
            title: "Jain's fairness index, 1 ms".into(),
            x: "time (ms)".into(),
            y: "index".into(),
            y_max: Some(1.05),
            lines: first,
            ..Panel::default()
        },
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
        convergence(hcc, &others, &mut findings);
        findings.push(first_shares(hcc));
        utilisation(hcc, &others, &mut findings);
        completions(hcc, &others, &mut findings);
        queues(hcc, &others, &mut findings);
        fairness_and_latency(hcc, &others, &mut findings);
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

fn convergence(hcc: &Group, others: &[&Group], findings: &mut Vec<Finding>) {
    for (at, _) in measure::rises(hcc.first()) {
        let gbps = measure::capacity(hcc.first(), at) / 1e9;
        // Nothing can fill a link before the first flow has begun; what is never full counts to the end of the run.
        let us = |run: &Run| {
            let at = at.max(measure::first_start(run));
            let full = measure::time_to_full(run, at).unwrap_or(run.outcome.now_ps - at);
            full as f64 / 1e6
        };
        let ours = hcc.spread(us);
        let best = others
            .iter()
            .map(|g| g.spread(us).median())
            .fold(f64::INFINITY, f64::min);
        findings.push(
            Finding::new(
                &format!("fig4a_full_at_{gbps:.0}_gbps"),
                "in all three regions, HCC converges to the full utilization faster than others (up to 4x faster)",
                format!(
                    "95 % of {gbps:.0} Gb/s so many us after the rise or the first flow: HCC {}; {}",
                    ours.text(0),
                    listed(others, |g| g.spread(us).text(0))
                ),
                ours.median() <= TWO_RTT_US && 2.0 * ours.median() <= best,
            )
            .within("half of the best other, two round trips at most")
            .known_difference(ours.median() <= best && !fills(hcc, at), idle(hcc)),
        );
    }
}

/// A flow on a host without a share waits for all of the hierarchy: its demand goes up to the root and a share comes down.
fn first_shares(hcc: &Group) -> Finding {
    let high = hcc.spread(|run| {
        let waits = run.outcome.hcc.as_ref().map(|hcc| hcc.first_share_ns.clone());
        let mut waits: Vec<f64> = waits.unwrap_or_default().iter().map(|&ns| ns as f64 / 1e3).collect();
        waits.sort_by(f64::total_cmp);
        percentile(&waits, 99.0)
    });
    Finding::new(
        "first_shares",
        "HCC can update flows about changes in sub-RTT time scales",
        format!(
            "99th percentile of the time to a host's first share: {} us, a round trip is 444 us",
            high.text(0)
        ),
        high.median() <= FIRST_SHARE_US,
    )
    .within("150 us at most")
}

/// A number for each third of the run, with the ranges over the seeds.
fn by_third(group: &Group, value: impl Fn(&Run, u64, u64) -> f64) -> Vec<Spread> {
    let spans = measure::spans(group.first());
    let third = |&(from, to): &(u64, u64)| group.spread(|run| value(run, from, to));
    spans.iter().map(third).collect()
}

/// Percent of the capacity of each third that the flows offer.
fn offered(group: &Group) -> Vec<Spread> {
    by_third(group, |run, from, to| {
        measure::utilisation_of(&measure::offered(run), run, from, to) * 100.0
    })
}

/// The flows offer enough to fill the third that begins at `at`, in half of the seeds at least.
fn fills(group: &Group, at: u64) -> bool {
    let spans = measure::spans(group.first());
    let third = spans.iter().position(|span| span.0 == at);
    third.and_then(|third| offered(group).get(third).map(Spread::median)) >= Some(FULL)
}

/// Why no law can fill a link that is not offered enough.
fn idle(group: &Group) -> String {
    format!(
        "a link that never rests while a flow has bytes left would carry {} % of its capacity by third: the flows offer no more",
        thirds(&offered(group), 0)
    )
}

fn thirds(spreads: &[Spread], decimals: usize) -> String {
    let texts = spreads.iter().map(|s| s.text(decimals));
    texts.collect::<Vec<_>>().join(", ")
}

fn utilisation(hcc: &Group, others: &[&Group], findings: &mut Vec<Finding>) {
    let parts = |group: &Group| by_third(group, |run, from, to| measure::utilisation(run, from, to) * 100.0);
    let ours = parts(hcc);
    let busy = ours.iter().all(|p| p.median() >= 95.0);
    let fast = |parts: &[Spread]| parts.get(1).map_or(0.0, Spread::median);
    let lower = others.iter().all(|g| fast(&parts(g)) < fast(&ours));
    let most = offered(hcc);
    let all_offered = ours
        .iter()
        .zip(&most)
        .all(|(part, most)| part.median() >= FULL || most.median() < FULL && part.median() >= 0.95 * most.median());
    findings.push(
        Finding::new(
            "fig4b_utilisation",
            "HCC acquires almost all the capacity all the time; in the 50 Gb/s region the gap of the others is up to 20 %",
            format!(
                "percent of the capacity by third: HCC {}; {}",
                thirds(&ours, 1),
                listed(others, |g| thirds(&parts(g), 1))
            ),
            busy && lower,
        )
        .within("HCC 95 % in each third, the others below it at 50 Gb/s")
        .known_difference(
            busy,
            "a queue of hundreds of packets keeps the link busy for NewReno and Cubic, and HCC pays for its small queue with 1 % of headroom and \
             pruning at 5 %: without pruning it has 99 % too (scenario hcc-ablation)",
        )
        .known_difference(all_offered, idle(hcc)),
    );
}

fn completions(hcc: &Group, others: &[&Group], findings: &mut Vec<Finding>) {
    for other in others {
        let Some(paper) = PAPER_FCT.iter().find(|p| p.0 == other.label) else {
            continue;
        };
        let both = |times: &dyn Fn(&Run) -> Vec<f64>| Reductions::of(hcc, other, |own, its| (times(own), times(its)));
        let ended = both(&|r| measure::completion(r, 1, false));
        let early = both(&measure::early_completion);
        let open = both(&|r| measure::completion(r, 1, true));
        let paired = Reductions::of(hcc, other, measure::completion_of_both);
        let unfinished = |g: &Group| g.spread(|r| part_open(r) * 100.0).text(0);
        let here = format!(
            "of flows that ended {}; started in the first half {}; ended under both laws {}; with the unfinished ones at the time they had {}",
            ended.text(),
            early.text(),
            paired.text(),
            open.text()
        );
        let signs = [&ended, &paired, &open]
            .iter()
            .all(|r| r.mean.median() > 0.0 && r.tail.median() > -5.0);
        findings.push(
            completion::finding("fig4c", paper, here, ended.agree(paper)).known_difference(
                signs,
                format!(
                    "at 60 Gb/s offered {} % of the flows of HCC and {} % of {}'s are unfinished at the end, other flows under each law, \
                     so the reduction depends on which flows count",
                    unfinished(hcc),
                    unfinished(other),
                    other.label
                ),
            ),
        );
    }
}

/// Part of the flows that had not finished at the end.
fn part_open(run: &Run) -> f64 {
    let open = run.outcome.records.iter().filter(|r| r.finished_ps.is_none()).count();
    open as f64 / run.outcome.records.len().max(1) as f64
}

fn queues(hcc: &Group, others: &[&Group], findings: &mut Vec<Finding>) {
    let medians = |group: &Group| by_third(group, |run, from, to| percentile(&measure::queue(run, from, to), 50.0));
    let median = |thirds: &[Spread], index: usize| thirds.get(index).map_or(0.0, Spread::median);
    let ours = medians(hcc);
    findings.push(
        Finding::new(
            "fig4d_queue_hcc",
            "HCC maintains a steady queue size very close to zero",
            format!("median packets by third: {}", thirds(&ours, 0)),
            ours.iter().all(|q| q.median() <= 5.0),
        )
        .within("5 at most")
        .known_difference(
            ours.iter().all(|q| q.median() <= 40.0),
            "flows start 4 times a millisecond with ten packets each, and 1 % of headroom drains 8 packets a millisecond at 10 Gb/s; with 5 % \
             the median of the whole run is 3 packets (scenario hcc-ablation)",
        ),
    );
    let most = offered(hcc);
    let idles = |index: usize| median(&most, index) < FULL;
    for group in others {
        let theirs = medians(group);
        let name = format!("fig4d_queue_{}", group.label.to_lowercase());
        let here = format!("median packets by third: {}", thirds(&theirs, 0));
        let finding = if group.label == "DCTCP" {
            let slow = median(&theirs, 0);
            Finding::new(&name, "DCTCP stays around 65 packets", here, (40.0..=100.0).contains(&slow))
                .within("40 to 100 in the first third")
                .known_difference(
                    (20.0..40.0).contains(&slow),
                    "a queue that is cut back whenever it reaches the mark at 65 packets spends half of the time well below it",
                )
                .known_difference(slow < 20.0 && idles(0), idle(hcc))
        } else {
            let full = |index| median(&theirs, index) >= 500.0;
            let paper = "reaches the full queue of 1000 packets most of the time";
            Finding::new(&name, paper, here, (0..3).all(full))
                .within("500 or more in each third")
                .known_difference(
                    full(0) && full(2) && median(&theirs, 1) >= 250.0,
                    "at 50 Gb/s a round trip holds 1850 packets, more than the queue of 1000: windows that are cut by half empty it",
                )
                .known_difference((0..3).all(|index| full(index) || idles(index)), idle(hcc))
        };
        findings.push(finding);
    }
}

fn fairness_and_latency(hcc: &Group, others: &[&Group], findings: &mut Vec<Finding>) {
    let index = |run: &Run| ascending(&measure::fairness(run));
    let above = |level: f64| {
        hcc.spread(|run| {
            let values = index(run);
            let count = values.iter().filter(|&&v| v > level).count();
            count as f64 / values.len().max(1) as f64 * 100.0
        })
    };
    let means = |g: &Group| g.spread(|r| mean(&index(r)));
    findings.push(
        Finding::new(
            "fig4e_fairness",
            "Jain's index above 0.8 in 95 % and above 0.9 in 89 % of the time; the others' average below 0.5",
            format!(
                "above 0.8 in {} %, above 0.9 in {} % of the samples; means: HCC {}; {}",
                above(0.8).text(0),
                above(0.9).text(0),
                means(hcc).text(2),
                listed(others, |g| means(g).text(2))
            ),
            above(0.8).median() >= 90.0 && others.iter().all(|g| means(g).median() < 0.7),
        )
        .within("above 0.8 in 90 %, the others' mean below 0.7"),
    );
    findings.push(latency_finding("fig4f_latency", hcc, others));
}

/// Median latency beside that of the empty network.
pub fn latency_finding(name: &str, hcc: &Group, others: &[&Group]) -> Finding {
    let physical = measure::physical_latency(hcc.first());
    let median = |g: &Group| g.spread(measure::median_latency);
    let ours = median(hcc);
    Finding::new(
        name,
        "packet latency extremely close to the physical path latency",
        format!(
            "median us: HCC {}, empty network {physical:.1}; {}",
            ours.text(1),
            listed(others, |g| median(g).text(0))
        ),
        (ours.median() / physical - 1.0).abs() <= 0.05,
    )
    .within("within 5 %")
}
