//! Series and distributions out of a run, as lines of a figure. Time in us from the run's origin, sizes in KB of 1000 bytes.

use std::collections::BTreeMap;

use hpcc_models::measure::percentile;
use hpcc_models::net::QueueHistogram;

use crate::plan::Run;
use crate::plot::{Line, Panel};

impl Line {
    pub(super) fn named(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
}

fn us(run: &Run, ps: u64) -> f64 {
    ps.saturating_sub(run.job.origin_ps) as f64 / 1e6
}

/// An empty panel for queues over time.
pub fn queue_panel(title: &str) -> Panel {
    Panel {
        title: title.into(),
        x: "time (us)".into(),
        y: "queue (KB)".into(),
        ..Panel::default()
    }
}

/// An empty panel for the distribution of busy ports' queues.
pub fn busy_queues_panel() -> Panel {
    Panel {
        title: "queues of busy ports".into(),
        x: "queue (KB)".into(),
        y: "samples (%)".into(),
        distribution: true,
        ..Panel::default()
    }
}

/// 99th percentile of the queues of busy ports, KB.
pub fn queue_p99(run: &Run) -> f64 {
    run.outcome.samples.busy.percentile(99.0) as f64 / 1e3
}

/// Queue of one port.
pub fn queue_series(run: &Run, node: u32, interface: u32) -> Line {
    let mut points = vec![(us(run, run.job.plan.start_ps), 0.0)];
    let own = run
        .outcome
        .samples
        .queues
        .iter()
        .filter(|p| (p.node, p.interface) == (node, interface));
    points.extend(own.map(|p| (us(run, p.t_ps), p.bytes as f64 / 1e3)));
    let last = points[points.len() - 1];
    points.push((us(run, run.outcome.now_ps), last.1));
    Line {
        step: true,
        ..Line::new(format!("node {node} port {interface}"), points)
    }
}

/// Queue of the port that held most over the run, by its peak.
pub fn busiest_queue(run: &Run) -> Option<Line> {
    let peak = run
        .outcome
        .samples
        .queues
        .iter()
        .max_by_key(|p| (p.bytes, std::cmp::Reverse((p.node, p.interface))))?;
    Some(queue_series(run, peak.node, peak.interface))
}

/// Value of a step series at a time.
pub fn value_at(line: &Line, at: f64) -> f64 {
    let next = line.points.partition_point(|p| p.0 <= at);
    next.checked_sub(1).map_or(0.0, |i| line.points[i].1)
}

/// Peak of a series within a span.
pub fn peak(line: &Line, from: f64, to: f64) -> f64 {
    let inside = line.points.iter().filter(|p| p.0 >= from && p.0 <= to);
    inside.map(|p| p.1).fold(value_at(line, from), f64::max)
}

/// When a series is at most `level` for the first time from `from` on, if ever.
pub fn falls_to(line: &Line, level: f64, from: f64) -> Option<f64> {
    line.points.iter().find(|p| p.0 >= from && p.1 <= level).map(|p| p.0)
}

/// Values of a step series at regular times, ascending.
pub fn sampled(line: &Line, from: f64, to: f64, every: f64) -> Vec<f64> {
    let count = ((to - from) / every).max(0.0) as usize;
    let mut values: Vec<f64> = (0..count).map(|i| value_at(line, from + i as f64 * every)).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Goodput of flows (Gb/s of payload delivered in order) in bins of `bin_us`; one line for each flow.
pub fn goodput(run: &Run, bin_us: f64) -> BTreeMap<u32, Line> {
    let mut lines: BTreeMap<u32, Line> = BTreeMap::new();
    let mut last: BTreeMap<u32, (f64, u64)> = BTreeMap::new();
    for p in &run.flow_points() {
        let t = us(run, p.t_ps);
        let (since, bytes) = *last
            .entry(p.flow)
            .or_insert((us(run, run.outcome.records[p.flow as usize].started_ps), 0));
        if t - since >= bin_us {
            let gbps = (p.delivered_bytes - bytes) as f64 * 8.0 / (t - since) / 1e3;
            let line = lines
                .entry(p.flow)
                .or_insert_with(|| Line::new(format!("flow {}", p.flow), vec![(since, 0.0)]));
            line.points.push((t, gbps));
            last.insert(p.flow, (t, p.delivered_bytes));
        }
    }
    for (flow, line) in &mut lines {
        if let Some(end) = run.outcome.records[*flow as usize].finished_ps {
            line.points.push((us(run, end), 0.0));
        }
    }
    lines
}

/// Goodput of all flows together.
pub fn total_goodput(run: &Run, bin_us: f64) -> Line {
    let mut bins: BTreeMap<u64, f64> = BTreeMap::new();
    let mut last: BTreeMap<u32, u64> = BTreeMap::new();
    for p in &run.flow_points() {
        let before = last.insert(p.flow, p.delivered_bytes).unwrap_or(0);
        let bin = (us(run, p.t_ps) / bin_us) as u64;
        *bins.entry(bin).or_default() += (p.delivered_bytes - before) as f64;
    }
    // The last bin is cut off by the end of the run.
    bins.pop_last();
    let points = bins
        .into_iter()
        .map(|(bin, bytes)| (bin as f64 * bin_us, bytes * 8.0 / bin_us / 1e3))
        .collect();
    Line {
        step: true,
        ..Line::new("total", points)
    }
}

/// Pacing rate of every flow that has a series, Gb/s.
pub fn rate_series(run: &Run) -> Vec<Line> {
    per_flow(run, |p| Some(p.rate_bps as f64 / 1e9))
}

/// Window of every flow that has a series, KB.
pub fn window_series(run: &Run) -> Vec<Line> {
    per_flow(run, |p| {
        (p.window_bytes != u64::MAX).then_some(p.window_bytes as f64 / 1e3)
    })
}

fn per_flow(run: &Run, value: impl Fn(&hpcc_models::net::FlowPoint) -> Option<f64>) -> Vec<Line> {
    let mut lines: BTreeMap<u32, Line> = BTreeMap::new();
    for p in &run.flow_points() {
        if let Some(v) = value(p) {
            let line = lines.entry(p.flow).or_insert_with(|| Line {
                step: true,
                ..Line::new(format!("flow {}", p.flow), Vec::new())
            });
            line.points.push((us(run, p.t_ps), v));
        }
    }
    lines.into_values().collect()
}

/// Slowdown percentile over flow size: flows sorted by size in groups of equal number.
pub fn by_size(run: &Run, p: f64, groups: usize) -> Line {
    by_size_of(&[run], p, groups).named(run.label())
}

/// The same for the flows of several runs together.
pub fn by_size_of(runs: &[&Run], p: f64, groups: usize) -> Line {
    let of_run = |run: &&Run| -> Vec<(u64, f64)> {
        let pairs = run.outcome.flows.iter().zip(&run.outcome.records);
        pairs.filter_map(|(f, r)| Some((f.bytes, run.slowdown(r)?))).collect()
    };
    let mut flows: Vec<(u64, f64)> = runs.iter().flat_map(of_run).collect();
    flows.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let size = flows.len().div_ceil(groups.max(1)).max(1);
    let points = flows
        .chunks(size)
        .map(|group| {
            let mut slowdowns: Vec<f64> = group.iter().map(|g| g.1).collect();
            slowdowns.sort_by(f64::total_cmp);
            (group[group.len() - 1].0 as f64 / 1e3, percentile(&slowdowns, p))
        })
        .collect();
    Line {
        marks: true,
        ..Line::new("", points)
    }
}

/// Slowdown of all runs over flow size.
pub fn slowdown_panel(runs: &[Run], p: f64) -> Panel {
    slowdown_panel_of(runs.iter().map(|r| by_size(r, p, 20)).collect(), p)
}

/// A panel of slowdowns over flow size.
pub fn slowdown_panel_of(lines: Vec<Line>, p: f64) -> Panel {
    Panel {
        title: format!("slowdown, {p:.0}th percentile"),
        x: "flow size (KB)".into(),
        y: "completion time / ideal".into(),
        log_x: true,
        log_y: true,
        lines,
        ..Panel::default()
    }
}

/// Distribution of queue lengths.
pub fn queue_cdf(label: &str, queues: &QueueHistogram) -> Line {
    let total = queues.samples().max(1) as f64;
    let mut sum = 0;
    let points = queues
        .classes()
        .map(|(bytes, count)| {
            sum += count;
            (bytes as f64 / 1e3, sum as f64 / total * 100.0)
        })
        .collect();
    Line {
        step: true,
        ..Line::new(label, points)
    }
}

/// Distribution of values, percent.
pub fn cdf(label: &str, ascending: &[f64]) -> Line {
    let n = ascending.len().max(1) as f64;
    let points = ascending
        .iter()
        .enumerate()
        .map(|(i, &v)| (v, (i + 1) as f64 / n * 100.0))
        .collect();
    Line {
        step: true,
        ..Line::new(label, points)
    }
}
