//! Design choices in 16-to-1 incast: Fig. 13 (reaction to ACKs) and Fig. 14 (`W_AI`).

use hpcc_models::measure::{jain, mean, percentile};

use super::analysis::Analysis;
use super::series::{busiest_queue, cdf, falls_to, goodput, peak, queue_panel, sampled, total_goodput};
use crate::plan::Finding;
use crate::plan::Run;
use crate::report::plot::{Figure, Line, Panel};

fn end_us(run: &Run) -> f64 {
    run.outcome.now_ps.saturating_sub(run.job.origin_ps) as f64 / 1e6
}

fn until(line: &Line, end: f64) -> Line {
    Line {
        points: line.points.iter().copied().filter(|p| p.0 <= end).collect(),
        ..line.clone()
    }
}

/// Fig. 13: per-ACK only, per-RTT only, HPCC.
pub fn fig13(runs: &[Run]) -> Analysis {
    const SHOWN_US: f64 = 600.0;
    let mut queues = queue_panel("queue");
    let mut rates = Panel {
        title: "total goodput".into(),
        x: "time (us)".into(),
        y: "goodput (Gb/s)".into(),
        ..Panel::default()
    };
    let mut seen = Vec::new();
    for run in runs {
        let Some(queue) = busiest_queue(run) else { continue };
        let total = total_goodput(run, 10.0);
        let drained = falls_to(&queue, 20.0, 20.0).unwrap_or(end_us(run));
        let window: Vec<f64> = total
            .points
            .iter()
            .filter(|p| (30.0..SHOWN_US).contains(&p.0))
            .map(|p| p.1)
            .collect();
        let lowest = window.iter().copied().fold(f64::MAX, f64::min);
        seen.push((run.label().to_string(), drained, lowest, mean(&window)));
        queues.lines.push(until(&queue, SHOWN_US).named(run.label()));
        rates.lines.push(until(&total, SHOWN_US).named(run.label()));
    }
    let mut findings = Vec::new();
    if let [per_ack, per_rtt, hpcc] = &seen[..] {
        let text = |s: &(String, f64, f64, f64)| {
            format!(
                "{}: queue under 20 KB after {:.0} us, goodput at least {:.1}, on average {:.1} Gb/s",
                s.0, s.1, s.2, s.3
            )
        };
        findings.push(Finding::new(
            "per_ack_overreacts",
            "per-ACK reaction incurs a significant overreaction: the aggregate throughput drops to almost 0, then oscillates",
            format!("{}; {}", text(per_ack), text(hpcc)),
            per_ack.2 < 0.1 * per_ack.3 && hpcc.2 > 0.5 * hpcc.3,
        ).within("goodput falls below a tenth of its mean per ACK, and stays above half of it with HPCC"));
        findings.push(Finding::new(
            "per_rtt_is_slow",
            "per-RTT reaction reacts slowly, the long queue persists for a long time; HPCC is fast without overreaction",
            format!("{}; {}", text(per_rtt), text(hpcc)),
            per_rtt.1 > 1.5 * hpcc.1,
        ).within("the queue takes 1.5 times as long as HPCC's to fall under 20 KB"));
    }
    Analysis {
        figures: vec![Figure {
            panels: vec![rates, queues],
            ..Figure::default()
        }],
        findings,
        ..Analysis::default()
    }
}

/// Fig. 14: queue distribution and fairness by `W_AI`.
pub fn fig14(runs: &[Run]) -> Analysis {
    let mut queues = Panel {
        title: "queue length, sampled each us".into(),
        x: "queue (KB)".into(),
        y: "samples (%)".into(),
        distribution: true,
        ..Panel::default()
    };
    let mut panels = Vec::new();
    let mut findings = Vec::new();
    let mut fairness = Vec::new();
    for run in runs {
        let Some(queue) = busiest_queue(run) else { continue };
        // The first millisecond is the incast itself; the paper shows what follows.
        let settled = sampled(&queue, 1000.0, end_us(run), 1.0);
        let p95 = percentile(&settled, 95.0);
        let w_ai = run.job.law.w_ai;
        let shares: Vec<f64> = goodput(run, 500.0)
            .values()
            .map(|l| mean(&sampled(l, 2000.0, end_us(run), 500.0)))
            .collect();
        fairness.push((w_ai, jain(&shares)));
        let paper = match w_ai {
            w if w <= 150.0 => Some(("within 4 KB at 95th percentile", p95 <= 4.0, "at most 4 KB")),
            300.0 => Some((
                "13 KB at 95th percentile",
                (10.4..=15.6).contains(&p95),
                "13 KB within 20 %",
            )),
            _ => None,
        };
        if let Some((paper, holds, tolerance)) = paper {
            let top = peak(&queue, 1000.0, end_us(run));
            let ours = format!("{p95:.1} KB (median {:.1}, most {top:.1})", percentile(&settled, 50.0));
            let frames = "a queue holds whole frames: four of 1,108 bytes here are 4.4 KB, and so are four of the 1,090 bytes of the authors' \
                          simulator";
            findings.push(
                Finding::new(&format!("queue_w_ai_{w_ai:.0}"), paper, ours, holds)
                    .within(tolerance)
                    .known_difference(w_ai <= 150.0 && p95 <= 4.5, frames),
            );
        }
        queues.lines.push(cdf(run.label(), &settled));
        if w_ai == 25.0 || w_ai == 150.0 {
            panels.push(Panel {
                title: format!("goodput of each flow, {}", run.label()),
                x: "time (us)".into(),
                y: "goodput (Gb/s)".into(),
                y_max: Some(20.0),
                lines: goodput(run, 100.0).into_values().map(|l| l.named("")).collect(),
                ..Panel::default()
            });
        }
    }
    let rising = fairness.windows(2).all(|w| w[1].0 > 150.0 || w[1].1 >= w[0].1 - 0.02);
    let listed: Vec<String> = fairness.iter().map(|(w, j)| format!("{w:.0} B {j:.3}")).collect();
    findings.push(
        Finding::new(
            "fairness_rises_with_w_ai",
            "within the 150 bytes range, a higher W_AI has better fairness",
            format!("Jain index by W_AI: {}", listed.join(", ")),
            rising,
        )
        .within("no index up to 150 bytes is more than 0.02 below the one before"),
    );
    panels.push(queues);
    Analysis {
        figures: vec![Figure {
            panels,
            ..Figure::default()
        }],
        findings,
        ..Analysis::default()
    }
}
