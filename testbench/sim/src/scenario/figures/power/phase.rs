//! Fig. 2 and 3: what laws of each class measure, and where they lead window and queue; beside it the laws themselves in the packet network.

use super::super::analysis::Analysis;
use crate::plan::{Finding, Run};
use crate::plot::{Figure, Line, Panel};
use hpcc_models::cc::fluid::{Feedback, Fluid, Point};
use std::collections::BTreeMap;

const CLASSES: [(Feedback, &str); 3] = [
    (Feedback::Voltage, "voltage (queue length, delay)"),
    (Feedback::Current, "current (RTT gradient)"),
    (Feedback::Power, "power"),
];
/// The paper's link: 100 Gb/s and 20 us, in KB.
const BDP_KB: f64 = 250.0;
/// Weight and additive increase of the phase plots; the paper does not print its own.
const GAMMA: f64 = 0.9;
const BETA: f64 = 0.02;
const STEP: f64 = 0.01;
/// Length of a trajectory, base round-trip times.
const SPAN: usize = 100;
/// One point in so many is drawn.
const DRAWN: usize = 10;

/// The eight starts: window and queue, bandwidth-delay products.
fn starts() -> Vec<Point> {
    let all = [
        (0.4, 0.0),
        (1.5, 0.0),
        (3.0, 0.0),
        (1.0, 0.8),
        (3.0, 1.0),
        (1.5, 2.0),
        (4.0, 2.5),
        (1.0, 3.0),
    ];
    all.map(|(window, queue)| Point { window, queue }).to_vec()
}

fn ways(feedback: Feedback) -> Vec<Vec<Point>> {
    let fluid = Fluid {
        feedback,
        gamma: GAMMA,
        beta: BETA,
    };
    let steps = (SPAN as f64 / STEP) as usize;
    starts().into_iter().map(|s| fluid.trajectory(s, STEP, steps)).collect()
}

/// Fig. 2: what the window is divided by, over the growth of the queue and over its length.
fn responses() -> Vec<Panel> {
    let panel = |title: &str, x: &str, at: &dyn Fn(f64) -> (f64, f64)| Panel {
        title: title.into(),
        x: x.into(),
        y: "window divided by".into(),
        lines: CLASSES
            .iter()
            .map(|&(feedback, name)| {
                let points = (0..=80).map(|i| f64::from(i) / 20.0);
                let value = |x: f64| {
                    let (queue, growth) = at(x);
                    (x, feedback.factor(queue, growth, 1.0))
                };
                Line::new(name, points.map(value).collect())
            })
            .collect(),
        ..Panel::default()
    };
    vec![
        panel("a queue of one half BDP that grows", "growth (link rates)", &|x| {
            (0.5, x)
        }),
        panel("a queue that grows by half the link's rate", "queue (BDP)", &|x| {
            (x, 0.5)
        }),
    ]
}

/// Fig. 2's sentences: exactly equal where a class is blind.
fn oblivious() -> Vec<Finding> {
    let factor = |feedback: Feedback, queue: f64, growth: f64| feedback.factor(queue, growth, 1.0);
    let spread = |feedback: Feedback, growing: bool| {
        let values: Vec<f64> = (0..=8)
            .map(|i| f64::from(i) / 2.0)
            .map(|x| {
                if growing {
                    factor(feedback, 0.5, x)
                } else {
                    factor(feedback, x, 0.5)
                }
            })
            .collect();
        values[8] - values[0]
    };
    let finding = |name: &str, paper: &str, feedback: Feedback, growing: bool| {
        let (blind, sighted) = (spread(feedback, growing), spread(feedback, !growing));
        let power = spread(Feedback::Power, growing);
        let ours = format!("its divisor changes by {blind:.1} along it and by {sighted:.1} along the other axis; that of power by {power:.1}");
        Finding::new(name, paper, ours, blind == 0.0 && sighted > 0.0 && power > 0.0)
    };
    vec![
        finding(
            "voltage_is_blind_to_growth",
            "voltage-based CC is oblivious to the queue build-up rate",
            Feedback::Voltage,
            true,
        ),
        finding(
            "current_is_blind_to_length",
            "current-based CC is oblivious to queue lengths",
            Feedback::Current,
            false,
        ),
    ]
}

/// Fig. 3's sentences on the trajectories of the fluid model.
fn trajectories() -> Vec<Finding> {
    let all: Vec<Vec<Vec<Point>>> = CLASSES.iter().map(|c| ways(c.0)).collect();
    let apart = |ways: &[Vec<Point>]| {
        let ends = || ways.iter().filter_map(|w| w.last()).map(|p| p.queue);
        ends().fold(0.0, f64::max) - ends().fold(f64::MAX, f64::min)
    };
    // A start below the bandwidth-delay product is not the law's doing; of the others, those that go below it lose throughput.
    let losing = |ways: &[Vec<Point>]| {
        let full = ways.iter().filter(|w| w[0].window >= 1.0);
        let below = |w: &&Vec<Point>| w.iter().any(|p| p.window < 0.999 && p.queue == 0.0);
        (full.clone().filter(below).count(), full.count())
    };
    let text = |i: usize| {
        let (lost, of) = losing(&all[i]);
        format!(
            "queues of the eight ends after {SPAN} base RTTs lie {:.3} BDP apart; {lost} of {of} starts with a full link lose throughput",
            apart(&all[i])
        )
    };
    vec![
        Finding::new(
            "voltage_has_an_equilibrium_and_loses_throughput",
            "voltage-based CC exhibits equilibrium properties but has an imprecise reaction leading to throughput loss for almost every start",
            text(0),
            apart(&all[0]) < 0.02 && losing(&all[0]).0 * 2 > losing(&all[0]).1,
        )
        .within("ends within 0.02 BDP; more than half of the starts lose throughput"),
        Finding::new(
            "current_has_no_equilibrium",
            "current-based CC has no unique equilibrium point",
            text(1),
            apart(&all[1]) > 0.5,
        )
        .within("ends more than half a BDP apart"),
        Finding::new(
            "power_has_an_equilibrium_and_loses_none",
            "PowerTCP exhibits equilibrium properties and has a precise reaction to perturbations",
            text(2),
            apart(&all[2]) < 0.02 && losing(&all[2]).0 == 0,
        )
        .within("ends within 0.02 BDP; no start with a full link loses throughput"),
    ]
}

/// One plane of queue and window.
fn plane(title: String, lines: Vec<Line>) -> Panel {
    Panel {
        title,
        x: "queue (KB)".into(),
        y: "window (KB)".into(),
        levels: vec![(BDP_KB, "BDP".into())],
        lines,
        ..Panel::default()
    }
}

/// Way of one run: the queue of the receiver's port against what the rates of all flows allow in flight in a base round-trip time.
fn way(run: &Run) -> Option<Vec<(f64, f64)>> {
    let (node, interface) = super::port::port_to(run, run.outcome.flows[0].dst)?;
    let queue = super::super::series::queue_series(run, node, interface);
    let tau_s = run.job.config.window_t_ns() as f64 / 1e9;
    let mut windows: BTreeMap<u64, f64> = BTreeMap::new();
    for p in &run.flow_points() {
        *windows.entry(p.t_ps).or_default() += p.rate_bps as f64 * tau_s / 8e3;
    }
    let at = |t: u64| super::super::series::value_at(&queue, t as f64 / 1e6);
    Some(windows.into_iter().map(|(t, w)| (at(t), w)).collect())
}

/// Fig. 2 and 3; the runs are each law with one to eight flows that start at once.
pub fn phase(runs: &[Run]) -> Analysis {
    let mut panels = responses();
    for (feedback, name) in CLASSES {
        let line = |way: Vec<Point>| {
            let drawn = way.iter().step_by(DRAWN);
            Line::new("", drawn.map(|p| (p.queue * BDP_KB, p.window * BDP_KB)).collect())
        };
        panels.push(plane(
            format!("fluid, {name}"),
            ways(feedback).into_iter().map(line).collect(),
        ));
    }
    let mut findings = oblivious();
    findings.extend(trajectories());
    let mut of_law: BTreeMap<String, Vec<&Run>> = BTreeMap::new();
    for run in runs {
        let profile = run.job.law.keys.get("profile").and_then(|v| v.as_str());
        let rules = profile.map_or(String::new(), |p| format!(" {p}"));
        of_law
            .entry(format!("{}{rules}", run.job.law.name))
            .or_default()
            .push(run);
    }
    for (law, runs) in of_law {
        let ways: Vec<Vec<(f64, f64)>> = runs.iter().filter_map(|r| way(r)).collect();
        let ends: Vec<f64> = ways.iter().filter_map(|w| w.last()).map(|p| p.0).collect();
        let range = ends.iter().fold((f64::MAX, 0.0f64), |(a, b), &q| (a.min(q), b.max(q)));
        // From the second round trip on: before it nothing is known.
        let idle = ways
            .iter()
            .filter(|w| w.iter().skip(60).any(|p| p.0 == 0.0 && p.1 < 0.9 * BDP_KB));
        findings.push(Finding::note(
            &format!("in_packets_{}", super::slug(&law)),
            "",
            format!(
                "queue after 1 ms {:.0} to {:.0} KB; {} of {} runs go below 90 % of the BDP with an empty queue",
                range.0,
                range.1,
                idle.count(),
                ways.len()
            ),
        ));
        let lines = ways.into_iter().map(|points| Line::new("", points)).collect();
        panels.push(plane(format!("packets, {law}, 1 to 8 flows"), lines));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The fluid half of the figure needs no run.
    #[test]
    fn the_papers_sentences_hold_in_the_fluid_model() {
        let analysis = phase(&[]);
        assert!(
            analysis.findings.iter().all(|f| f.verdict == crate::plan::Verdict::Ok),
            "{:?}",
            analysis.findings
        );
        assert_eq!((analysis.findings.len(), analysis.figures[0].panels.len()), (5, 5));
    }
}
