//! Micro-benchmarks: Fig. 6 (txRate against rxRate) and Fig. 9 (long-short, incast, mice, fairness).

use hpcc_models::measure::{jain, mean, percentile};

use super::analysis::Analysis;
use super::series::{busiest_queue, cdf, falls_to, goodput, peak, queue_panel, sampled, value_at};
use crate::plan::laws::LawKind;
use crate::plan::Finding;
use crate::plan::Run;
use crate::plot::{Figure, Line, Panel};

pub(super) fn figure(panels: Vec<Panel>) -> Vec<Figure> {
    vec![Figure {
        panels,
        ..Figure::default()
    }]
}

fn start_us(run: &Run, flow: usize) -> f64 {
    run.outcome.records[flow].started_ps.saturating_sub(run.job.origin_ps) as f64 / 1e6
}

fn end_us(run: &Run) -> f64 {
    run.outcome.now_ps.saturating_sub(run.job.origin_ps) as f64 / 1e6
}

/// How often a queue builds up: rises of at least `step` after a fall of at least `step`.
fn rises(line: &Line, step: f64) -> usize {
    let (mut rising, mut extreme, mut count) = (false, 0.0, 0);
    for &(_, v) in &line.points {
        if rising {
            extreme = v.max(extreme);
            if v <= extreme - step {
                (rising, extreme) = (false, v);
            }
        } else {
            extreme = v.min(extreme);
            if v >= extreme + step {
                (rising, extreme) = (true, v);
                count += 1;
            }
        }
    }
    count
}

/// Fig. 6: queue of 2-to-1 with txRate and with rxRate.
pub fn fig6(runs: &[Run]) -> Analysis {
    let mut panel = queue_panel("queue of the shared port");
    let mut found = Vec::new();
    for run in runs {
        let Some(queue) = busiest_queue(run) else { continue };
        // Both have settled by then.
        let end = end_us(run).min(100.0);
        found.push((run.label().to_string(), rises(&queue, 3.0)));
        let shown = queue.points.iter().copied().filter(|p| p.0 <= end).collect();
        panel.lines.push(Line {
            step: true,
            ..Line::new(run.label(), shown)
        });
    }
    let mut findings = Vec::new();
    if let [tx, rx] = &found[..] {
        findings.push(
            Finding::new(
                "rxrate_oscillates_and_txrate_does_not",
                "using rxRate has oscillation before it finally converges, using txRate gracefully converges",
                format!(
                    "the queue builds up by 3 KB or more {} time(s) with {}, {} times with {}",
                    tx.1, tx.0, rx.1, rx.0
                ),
                rx.1 > tx.1 && tx.1 <= 1,
            )
            .within("once at most with txRate, more often with rxRate"),
        );
    }
    Analysis {
        figures: figure(vec![panel]),
        findings,
        ..Analysis::default()
    }
}

/// Fig. 9a, 9b: a long flow (0) and a short one (1) on one link.
pub fn long_short(runs: &[Run]) -> Analysis {
    let mut panels = Vec::new();
    let mut findings = Vec::new();
    for run in runs {
        let lines = goodput(run, 20.0);
        let (Some(long), Some(short_end)) = (lines.get(&0), run.outcome.records[1].finished_ps) else {
            continue;
        };
        let short_start = start_us(run, 1);
        let short_end = short_end.saturating_sub(run.job.origin_ps) as f64 / 1e6;
        let before = mean(&sampled(long, short_start * 0.5, short_start, 10.0));
        // Back for good, not for the packets that were queued: on average over the next half millisecond.
        let steady = |from: f64| mean(&sampled(long, from, from + 500.0, 5.0)) >= 0.95 * before;
        let back = long
            .points
            .iter()
            .find(|p| p.0 > short_end && p.1 >= 0.95 * before && steady(p.0));
        let after = back.map(|p| p.0 - short_end);
        let late = value_at(long, short_end + 2000.0) / before * 100.0;
        let hpcc = run.job.law.kind == LawKind::Hpcc;
        let came_back = after.map_or("not within the run".into(), |t| format!("after {t:.0} us"));
        findings.push(if hpcc {
            Finding::new(
                "long_flow_recovers",
                "HPCC recovers the rate of the long flow right after the short flow ends",
                format!("{before:.1} Gb/s before, 95 % of it again {came_back}"),
                after.is_some_and(|t| t <= 100.0),
            )
            .within("95 % again within 100 us")
        } else {
            Finding::new(
                "long_flow_does_not_recover",
                "DCQCN cannot recover to line rate even after 2 ms (> 350 RTTs)",
                format!("{late:.0} % of the rate before at 2 ms; 95 % {came_back}"),
                after.is_none_or(|t| t > 2000.0),
            )
            .within("below 95 % for more than 2 ms")
        });
        let named = [(0, "long flow"), (1, "short flow, 1 MB")];
        panels.push(Panel {
            title: format!("goodput, {}", run.label()),
            x: "time (us)".into(),
            y: "goodput (Gb/s)".into(),
            lines: named
                .iter()
                .filter_map(|(f, n)| lines.get(f).map(|l| l.clone().named(*n)))
                .collect(),
            ..Panel::default()
        });
    }
    Analysis {
        figures: figure(panels),
        findings,
        ..Analysis::default()
    }
}

/// Fig. 9c, 9d: seven senders join a long flow at once.
pub fn incast(runs: &[Run]) -> Analysis {
    let mut panels = Vec::new();
    let mut findings = Vec::new();
    for run in runs {
        let Some(queue) = busiest_queue(run) else { continue };
        let start = start_us(run, 1);
        let top = peak(&queue, start, end_us(run));
        let peak_at = queue.points.iter().find(|p| p.1 >= top).map_or(start, |p| p.0);
        let drained = falls_to(&queue, top * 0.1, peak_at).map(|t| t - start);
        let rtt = run.job.config.window_t_ns() as f64 / 1e3;
        findings.push(if run.job.law.kind == LawKind::Hpcc {
            let ours = drained.map_or("never".into(), |t| {
                format!(
                    "peak {top:.0} KB, under a tenth of it {t:.0} us after the incast began ({:.1} round trips of T)",
                    t / rtt
                )
            });
            // Eight windows of one T each reach the link in the first round trip; draining them takes that many T at line rate.
            let fair = 8.0 * rtt;
            Finding::new(
                "queue_drains",
                "HPCC quickly reacts after just one round trip, so the queue drains quickly",
                ours,
                drained.is_some_and(|t| t <= fair * 1.5),
            )
            .within("a tenth of the peak within 12 round trips: eight windows drain in eight")
        } else {
            Finding::new(
                "queue_builds_up",
                "with DCQCN the queue builds up to 550 KB",
                format!("peak {top:.0} KB"),
                (440.0..=660.0).contains(&top),
            )
            .within("550 KB within 20 %")
            .known_difference(
                (275.0..=1100.0).contains(&top),
                "the vendor's NIC has its own DCQCN, whose parameters the paper does not print; within a factor of two",
            )
        });
        let lines = goodput(run, 20.0);
        panels.push(Panel {
            lines: vec![queue.named("")],
            ..queue_panel(&format!("queue, {}", run.label()))
        });
        panels.push(Panel {
            title: format!("goodput, {}", run.label()),
            x: "time (us)".into(),
            y: "goodput (Gb/s)".into(),
            lines: lines.into_values().collect(),
            ..Panel::default()
        });
    }
    Analysis {
        figures: figure(panels),
        findings,
        ..Analysis::default()
    }
}

/// Why the vendor's DCQCN and the one here differ in Fig. 9e and 9f.
const OTHER_DCQCN: &str =
    "DCQCN here swings around the marking threshold, and its queue empties now and then; the vendor's NIC, whose \
                           parameters the paper does not print, stood there";

/// Fig. 9e: latency of 1 KB flows through a link that two long flows fill.
pub fn mice_latency(runs: &[Run]) -> Analysis {
    let mut panel = Panel {
        title: "latency of 1 KB flows".into(),
        x: "completion time (us)".into(),
        y: "flows (%)".into(),
        distribution: true,
        ..Panel::default()
    };
    let mut findings = Vec::new();
    for run in runs {
        let pairs = run.outcome.flows.iter().zip(&run.outcome.records);
        let mice = pairs.filter(|(f, _)| f.bytes <= 1100);
        let mut times: Vec<f64> = mice.filter_map(|(_, r)| r.fct_ps()).map(|t| t as f64 / 1e6).collect();
        times.sort_by(f64::total_cmp);
        let base = run
            .outcome
            .records
            .iter()
            .zip(&run.outcome.flows)
            .find(|(_, f)| f.bytes <= 1100);
        let base = base.map_or(0.0, |(r, _)| r.ideal_ps.unwrap_or(0) as f64 / 1e6);
        let [p5, p50, p95] = [5.0, 50.0, 95.0].map(|p| percentile(&times, p));
        let ours = format!(
            "5th percentile {p5:.1}, median {p50:.1}, 95th percentile {p95:.1} us of {} flows (alone {base:.1} us)",
            times.len()
        );
        findings.push(if run.job.law.kind == LawKind::Hpcc {
            let paper = "the latency of mice flows is close to 5.4 us, the base RTT";
            Finding::new(
                "mice_latency_near_base",
                paper,
                ours,
                !times.is_empty() && [p50, p95].iter().all(|p| (p / 5.4 - 1.0).abs() <= 0.2),
            )
            .within("median and 95th percentile within 20 % of 5.4 us")
        } else {
            let paper = "the latency is consistently higher than 35 us";
            Finding::new(
                "mice_latency_standing_queue",
                paper,
                ours,
                !times.is_empty() && p5 > 35.0,
            )
            .within("5th percentile above 35 us")
            .known_difference(p50 > 3.0 * base && p95 > 35.0, OTHER_DCQCN)
        });
        panel.lines.push(cdf(run.label(), &times));
    }
    Analysis {
        figures: figure(vec![panel]),
        findings,
        ..Analysis::default()
    }
}

/// Fig. 9f: the queue of that link.
pub fn mice_queue(runs: &[Run]) -> Analysis {
    let mut panel = Panel {
        y: "samples (%)".into(),
        distribution: true,
        x: "queue (KB)".into(),
        ..queue_panel("queue")
    };
    let mut findings = Vec::new();
    for run in runs {
        let Some(queue) = busiest_queue(run) else { continue };
        let settled = sampled(&queue, 1000.0f64.min(end_us(run) / 2.0), end_us(run), 1.0);
        let [p5, p50, p95] = [5.0, 50.0, 95.0].map(|p| percentile(&settled, p));
        let ours = format!("5th percentile {p5:.1}, median {p50:.1}, 95th percentile {p95:.1} KB");
        findings.push(if run.job.law.kind == LawKind::Hpcc {
            Finding::new("queue_near_zero", "HPCC keeps a near-zero queue", ours, p95 <= 5.0)
                .within("95th percentile at most 5 KB, four to five packets")
        } else {
            // At 25 Gb/s marking begins at 100 KB.
            let paper = "DCQCN keeps a standing queue around the ECN marking threshold";
            Finding::new(
                "standing_queue",
                paper,
                ours,
                p5 >= 50.0 && (50.0..=200.0).contains(&p50),
            )
            .within("5th percentile and median from half to twice the 100 KB at which marking begins")
            .known_difference(p50 > 25.0 && p95 > 100.0, OTHER_DCQCN)
        });
        panel.lines.push(cdf(run.label(), &settled));
    }
    Analysis {
        figures: figure(vec![panel]),
        findings,
        ..Analysis::default()
    }
}

/// Fig. 9g, 9h: four flows join one by one and leave one by one.
pub fn fairness(runs: &[Run]) -> Analysis {
    let mut panels = Vec::new();
    let mut findings = Vec::new();
    for run in runs {
        let last = start_us(run, run.outcome.flows.len() - 1);
        let join = last / (run.outcome.flows.len() - 1).max(1) as f64;
        let lines = goodput(run, join / 20.0);
        // Within the interval in which all are there: before it ends the first one leaves.
        let shares: Vec<f64> = lines
            .values()
            .map(|l| mean(&sampled(l, last + join * 0.4, last + join * 0.8, join / 20.0)))
            .collect();
        let index = jain(&shares);
        let ours = format!(
            "Jain index {index:.3} of {} flows from {:.0} us after the last joined; shares {} Gb/s",
            shares.len(),
            join * 0.4,
            shares.iter().map(|s| format!("{s:.1}")).collect::<Vec<_>>().join(", ")
        );
        findings.push(if run.job.law.kind == LawKind::Hpcc {
            let paper = "HPCC provides good fairness even in a short time scale";
            Finding::new("fair_shares", paper, ours, index > 0.95).within("Jain index above 0.95")
        } else {
            // The paper has the figure and no sentence about it.
            Finding::note("shares", "", ours)
        });
        panels.push(Panel {
            title: format!("goodput, {}", run.label()),
            x: "time (us)".into(),
            y: "goodput (Gb/s)".into(),
            lines: lines.into_values().collect(),
            ..Panel::default()
        });
    }
    Analysis {
        figures: figure(panels),
        findings,
        ..Analysis::default()
    }
}
