//! Queue and throughput of the port to the receiver that others join (Fig. 4, 10 and 11).

use super::super::series::{falls_to, peak, queue_panel, queue_series, sampled, value_at};
use super::port::{lowest_within, mean_within, port_to, throughput};
use crate::plan::Run;
use crate::plot::{Figure, Line, Panel};
use hpcc_models::measure::mean;

/// Shown after the incast, us.
const SHOWN_US: f64 = 1_000.0;

/// Base RTT that the laws are given, us.
pub const T_US: f64 = 29.0;
const LINE_GBPS: f64 = 25.0;
/// A quarter of what the link carries in a base RTT, KB.
pub const NEAR_ZERO_KB: f64 = 0.25 * LINE_GBPS * T_US / 8.0;

/// What one law did.
pub struct Seen {
    /// Largest queue, KB.
    pub peak: f64,
    /// From the incast to the first time that a tenth of it is left, us.
    pub drained: Option<f64>,
    /// Mean queue from 2 to 4 ms after the incast, KB.
    pub late: f64,
    /// Throughput before the incast, Gb/s.
    before: f64,
    /// Lowest throughput over 100 us within 4 ms after the incast, Gb/s.
    lowest: f64,
}

impl Seen {
    fn of(run: &Run, queue: &Line, sent: &Line, start: f64) -> Self {
        let top = peak(queue, start, start + 4_000.0);
        let peak_at = queue
            .points
            .iter()
            .find(|p| p.0 >= start && p.1 >= top)
            .map_or(start, |p| p.0);
        let end = run.outcome.now_ps as f64 / 1e6;
        let late = (start + 2_000.0, (start + 4_000.0).min(end));
        Self {
            peak: top,
            drained: falls_to(queue, top * 0.1, peak_at).map(|t| t - start),
            late: mean(&sampled(queue, late.0, late.1, 1.0)),
            before: mean_within(sent, start * 0.5, start),
            // The first 100 us are left out: the long flow's own packets fill them whatever the law does.
            lowest: lowest_within(sent, start + 100.0, start + 4_000.0, 100.0),
        }
    }

    pub fn text(&self) -> String {
        let drained = self.drained.map_or("never".into(), |t| format!("after {t:.0} us"));
        format!(
            "peak {:.0} KB, a tenth of it {drained}, mean queue {:.1} KB from 2 to 4 ms; {:.1} Gb/s before, lowest 100 us {:.1} Gb/s",
            self.peak, self.late, self.before, self.lowest
        )
    }

    /// What the link needs to send the peak, us.
    pub fn drains_in(&self) -> f64 {
        self.peak * 8.0 / LINE_GBPS
    }

    /// Throughput in the worst 100 us as a part of that before.
    pub fn kept(&self) -> f64 {
        self.lowest / self.before
    }
}

/// What each run did, and the two panels that show it: queue and throughput of the receiver's port.
pub fn measure(runs: &[Run]) -> (Vec<(&Run, Seen)>, Figure) {
    let mut seen: Vec<(&Run, Seen)> = Vec::new();
    let mut queues = queue_panel("queue of the receiver's port");
    let mut rates = Panel {
        title: "throughput of that port, per 20 us".into(),
        x: "time (us)".into(),
        y: "wire rate (Gb/s)".into(),
        ..Panel::default()
    };
    for run in runs {
        let Some((node, interface)) = port_to(run, run.outcome.flows[0].dst) else {
            continue;
        };
        let queue = queue_series(run, node, interface).named(run.label());
        let sent = throughput(run, (node, interface));
        let start = run.outcome.records[1].started_ps as f64 / 1e6;
        seen.push((run, Seen::of(run, &queue, &sent, start)));
        let shown = |line: &Line| {
            let near = line
                .points
                .iter()
                .filter(|p| p.0 >= start - 100.0 && p.0 <= start + SHOWN_US);
            let mut points: Vec<(f64, f64)> = near.map(|p| (p.0 - start, p.1)).collect();
            points.insert(0, (-100.0, value_at(line, start - 100.0)));
            Line {
                points,
                step: true,
                ..line.clone()
            }
        };
        queues.lines.push(shown(&queue));
        rates.lines.push(shown(&sent));
    }
    let figure = Figure {
        panels: vec![queues, rates],
        ..Figure::default()
    };
    (seen, figure)
}
