//! Design choices in 16-to-1 incast: Fig. 13 (reaction to ACKs) and Fig. 14 (`W_AI`).

use hpcc_models::measure::{jain, mean, percentile};

use super::analysis::Analysis;
use super::series::{busiest_queue, cdf, falls_to, goodput, peak, queue_panel, sampled, total_goodput};
use crate::plan::Finding;
use crate::plan::Run;
use crate::plot::{Figure, Line, Panel};

fn end_us(run: &Run) -> f64 {
    run.outcome.now_ps.saturating_sub(run.job.origin_ps) as f64 / 1e6
}

fn until(line: &Line, end: f64) -> Line {
    Line {
        points: line.points.iter().copied().filter(|p| p.0 <= end).collect(),
        ..line.clone()
    }
}

/// A swing of the total goodput, Gb/s: a tenth of that is noise of a few packets in 10 us.
const SWING: f64 = 30.0;

/// What Fig. 13 shows of a run.
struct Seen {
    label: String,
    drained_us: f64,
    lowest: f64,
    mean: f64,
    swings: usize,
}

/// How often values rise by `step` after a fall by `step`.
fn swings(values: &[f64], step: f64) -> usize {
    let (mut fallen, mut extreme, mut count) = (false, f64::MIN, 0);
    for &value in values {
        extreme = if fallen { value.min(extreme) } else { value.max(extreme) };
        let turned = if fallen {
            value >= extreme + step
        } else {
            value <= extreme - step
        };
        if turned {
            count += usize::from(fallen);
            (fallen, extreme) = (!fallen, value);
        }
    }
    count
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
        seen.push(Seen {
            label: run.label().to_string(),
            drained_us: drained,
            lowest,
            mean: mean(&window),
            swings: swings(&window, SWING),
        });
        queues.lines.push(until(&queue, SHOWN_US).named(run.label()));
        rates.lines.push(until(&total, SHOWN_US).named(run.label()));
    }
    let mut findings = Vec::new();
    if let [per_ack, per_rtt, hpcc] = &seen[..] {
        let text = |s: &Seen| {
            format!(
                "{}: queue under 20 KB after {:.0} us, goodput at least {:.1}, on average {:.1} Gb/s, {} times up again by {SWING:.0}",
                s.label, s.drained_us, s.lowest, s.mean, s.swings
            )
        };
        findings.push(Finding::new(
            "per_ack_overreacts",
            "per-ACK reaction incurs a significant overreaction: the aggregate throughput drops to almost 0, then oscillates",
            format!("{}; {}", text(per_ack), text(hpcc)),
            per_ack.lowest < 0.1 * per_ack.mean && per_ack.swings >= 3 && hpcc.lowest > 0.5 * hpcc.mean && hpcc.swings == 0,
        ).within("per ACK goodput falls below a tenth of its mean and comes up again by 30 Gb/s three times or more; with HPCC it stays above half of it \
                  and never does"));
        findings.push(Finding::new(
            "per_rtt_is_slow",
            "per-RTT reaction reacts slowly, the long queue persists for a long time; HPCC is fast without overreaction",
            format!("{}; {}", text(per_rtt), text(hpcc)),
            per_rtt.drained_us > 1.5 * hpcc.drained_us,
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

/// Whether Jain indices rise: the last is above the first, and none is clearly below the one before.
fn rises(indices: &[f64]) -> bool {
    let ends = indices.first().zip(indices.last());
    ends.is_some_and(|(first, last)| last > first) && indices.windows(2).all(|pair| pair[1] >= pair[0] - 0.02)
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
    let within = fairness.iter().filter(|(w, _)| *w <= 150.0).map(|(_, j)| *j);
    let rising = rises(&within.collect::<Vec<_>>());
    let listed: Vec<String> = fairness.iter().map(|(w, j)| format!("{w:.0} B {j:.3}")).collect();
    findings.push(
        Finding::new(
            "fairness_rises_with_w_ai",
            "within the 150 bytes range, a higher W_AI has better fairness",
            format!("Jain index by W_AI: {}", listed.join(", ")),
            rising,
        )
        .within("up to 150 bytes the last index is above the first, and none is more than 0.02 below the one before"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swing_is_a_rise_after_a_fall() {
        assert_eq!(swings(&[90.0, 10.0, 60.0, 20.0, 70.0], 30.0), 2);
        // down for good, and noise
        assert_eq!(swings(&[90.0, 60.0, 30.0, 0.0], 30.0), 0);
        assert_eq!(swings(&[80.0, 70.0, 85.0, 72.0, 90.0], 30.0), 0);
        assert_eq!(swings(&[], 30.0), 0);
    }

    /// Small steps downwards are noise; many of them are a fall.
    #[test]
    fn fairness_that_falls_does_not_rise() {
        assert!(rises(&[0.974, 0.998, 0.990, 1.0]));
        assert!(!rises(&[0.98, 0.97, 0.96, 0.95]));
        assert!(!rises(&[0.9, 0.9]) && !rises(&[0.9, 0.5, 1.0]) && !rises(&[]));
    }
}
