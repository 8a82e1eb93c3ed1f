//! What the figures show, out of a run: the bottleneck's throughput and queue, completion times, fairness, latency.

use hpcc_models::measure::jain;
use hpcc_models::net::QueueHistogram;

use super::super::seeds::Group;
use crate::plan::Run;
use crate::plot::{Line, Panel};

/// The left aggregation switch of the three-tier tree and its interface to the core: "the bottleneck link".
const BOTTLENECK: (u32, u32) = (72, 5);
/// Its link in the topology.
const LINK: usize = 72;
/// One-way delay of every path between the halves, ps.
pub const ONE_WAY_PS: u64 = 222_000_000;
/// A full packet on the wire, bytes.
const PACKET: f64 = 1538.0;
/// Payload of a full packet, bytes.
const PAYLOAD: f64 = 1448.0;
/// Picoseconds in a millisecond.
const MS: u64 = 1_000_000_000;

/// Capacity of the bottleneck at a time, bit/s.
pub fn capacity(run: &Run, t_ps: u64) -> f64 {
    let changes = run
        .job
        .link_changes
        .iter()
        .filter(|c| c.link == LINK && c.at_ps <= t_ps);
    let latest = changes.max_by_key(|c| c.at_ps).and_then(|c| c.rate_bps);
    latest.unwrap_or(run.job.topology.links[LINK].rate_bps) as f64
}

/// Times at which the bottleneck's capacity is set, with the capacity before (0 at the start), ps and bit/s.
pub fn rises(run: &Run) -> Vec<(u64, f64)> {
    let mut times: Vec<u64> = run
        .job
        .link_changes
        .iter()
        .filter(|c| c.link == LINK)
        .map(|c| c.at_ps)
        .collect();
    times.insert(0, 0);
    let mut before = 0.0;
    let mut rises = Vec::new();
    for t in times {
        let now = capacity(run, t);
        if now > before {
            rises.push((t, before));
        }
        before = now;
    }
    rises
}

/// Start of the first flow, ps.
pub fn first_start(run: &Run) -> u64 {
    run.outcome.flows.iter().map(|f| f.start_ps).min().unwrap_or(0)
}

/// Time that flows of `bytes` payload were under way within a span, ms, all together; and how many of them ended in it.
pub fn under_way(run: &Run, bytes: u64, from: u64, to: u64) -> (f64, usize) {
    let flows = run.outcome.flows.iter().zip(&run.outcome.records);
    let wanted = flows.filter(|(f, _)| f.bytes == bytes);
    wanted.fold((0.0, 0), |(time, ended), (f, r)| {
        let end = r.finished_ps.unwrap_or(to);
        let inside = end.min(to).saturating_sub(f.start_ps.max(from)) as f64 / 1e9;
        (time + inside, ended + usize::from((from..to).contains(&end)))
    })
}

/// Spans between changes of capacity, ps.
pub fn spans(run: &Run) -> Vec<(u64, u64)> {
    let mut edges: Vec<u64> = run
        .job
        .link_changes
        .iter()
        .filter(|c| c.link == LINK)
        .map(|c| c.at_ps)
        .collect();
    edges.insert(0, 0);
    edges.push(run.outcome.now_ps);
    edges.windows(2).map(|w| (w[0], w[1])).collect()
}

/// Wire bytes at the bottleneck by interval of the meters, with the packets that waited at its end; intervals without a reading are 0.
pub fn meters(run: &Run) -> Vec<(f64, u32)> {
    let every = run.job.plan.meter_ps.max(1);
    let mut rows = vec![(0.0, 0); (run.outcome.now_ps / every) as usize];
    for m in &run.outcome.samples.port_meters {
        let index = (m.t_ps / every) as usize;
        if (m.node, m.interface) == BOTTLENECK
            && (m.t_ps - run.job.plan.start_ps).is_multiple_of(every)
            && (1..=rows.len()).contains(&index)
        {
            rows[index - 1] = (m.wire_bytes as f64, m.queue_packets);
        }
    }
    rows
}

/// Throughput of the bottleneck in Gb/s of wire bytes, in bins of `bin_ps`: end of the bin (ms) and value.
pub fn throughput(run: &Run, bin_ps: u64) -> Vec<(f64, f64)> {
    let per_bin = (bin_ps / run.job.plan.meter_ps.max(1)).max(1) as usize;
    let rate = |rows: &[(f64, u32)]| rows.iter().map(|r| r.0).sum::<f64>() * 8.0 / (bin_ps as f64 / 1e12) / 1e9;
    let rows = meters(run);
    let bins = rows.chunks_exact(per_bin).enumerate();
    bins.map(|(i, rows)| ((i + 1) as f64 * bin_ps as f64 / 1e9, rate(rows)))
        .collect()
}

/// Mean throughput of a span as a part of the capacity at its start.
pub fn utilisation(run: &Run, from: u64, to: u64) -> f64 {
    utilisation_of(&meters(run), run, from, to)
}

/// [`utilisation`] of other readings of the bottleneck.
pub fn utilisation_of(rows: &[(f64, u32)], run: &Run, from: u64, to: u64) -> f64 {
    let every = run.job.plan.meter_ps.max(1);
    let (first, last) = (from.div_ceil(every) as usize, ((to / every) as usize).min(rows.len()));
    if first >= last {
        return 0.0;
    }
    let bytes: f64 = rows[first..last].iter().map(|r| r.0).sum();
    bytes * 8.0 / ((last - first) as f64 * every as f64 / 1e12) / capacity(run, from)
}

/// Time from a rise of capacity to the first of five consecutive intervals at 95 % of it, ps.
pub fn time_to_full(run: &Run, from: u64) -> Option<u64> {
    let every = run.job.plan.meter_ps.max(1);
    let needed = 0.95 * capacity(run, from) * every as f64 / 1e12 / 8.0;
    let rows = meters(run);
    let first = (from / every) as usize;
    let full = |start: usize| rows[start..start + 5].iter().all(|r| r.0 >= needed);
    let start = (first..rows.len().saturating_sub(5)).find(|&start| full(start))?;
    Some(((start as u64 + 1) * every).saturating_sub(from))
}

/// The most that any law could put through the bottleneck, as [`meters`]: it rests only when every flow that has begun has been carried
/// whole. What begins within an interval may be carried in it.
pub fn offered(run: &Run) -> Vec<(f64, u32)> {
    let every = run.job.plan.meter_ps.max(1);
    let mut arrivals = vec![0.0; (run.outcome.now_ps / every) as usize];
    for flow in run.outcome.flows.iter().filter(|f| f.src < f.dst) {
        let packets = (flow.bytes as f64 / PAYLOAD).ceil();
        if let Some(bytes) = arrivals.get_mut((flow.start_ps / every) as usize) {
            *bytes += flow.bytes as f64 + packets * (PACKET - PAYLOAD);
        }
    }
    let mut waiting = 0.0;
    let carry = |(interval, bytes): (usize, f64)| {
        waiting += bytes;
        let most = capacity(run, interval as u64 * every) * every as f64 / 1e12 / 8.0;
        let carried = f64::min(waiting, most);
        waiting -= carried;
        (carried, 0)
    };
    arrivals.into_iter().enumerate().map(carry).collect()
}

/// Packets waiting before the bottleneck at every full millisecond of a span, ascending.
pub fn queue(run: &Run, from: u64, to: u64) -> Vec<f64> {
    let every = run.job.plan.meter_ps.max(1);
    let per_ms = (MS / every).max(1);
    let rows = meters(run);
    let inside = |i: &usize| (*i as u64 + 1).is_multiple_of(per_ms) && (from..=to).contains(&((*i as u64 + 1) * every));
    let mut values: Vec<f64> = (0..rows.len()).filter(inside).map(|i| f64::from(rows[i].1)).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Completion times in ms, ascending; flows of at least `least` bytes. Unfinished ones count from their start to the end if `open`.
pub fn completion(run: &Run, least: u64, open: bool) -> Vec<f64> {
    let end = run.outcome.now_ps;
    let flows = run.outcome.flows.iter().zip(&run.outcome.records);
    let time = |r: &hpcc_models::net::FlowRecord, start: u64| match r.fct_ps() {
        Some(fct) => Some(fct),
        None => open.then(|| end.saturating_sub(start)),
    };
    let wanted = flows.filter(|(f, _)| f.bytes >= least && f.start_ps < end);
    let mut times: Vec<f64> = wanted
        .filter_map(|(f, r)| time(r, f.start_ps))
        .map(|t| t as f64 / 1e9)
        .collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Completion times in ms, ascending, of flows that ended and had started in the first half of the run.
pub fn early_completion(run: &Run) -> Vec<f64> {
    let half = run.outcome.now_ps / 2;
    let flows = run.outcome.flows.iter().zip(&run.outcome.records);
    let early = flows.filter(|(f, _)| f.start_ps < half);
    let mut times: Vec<f64> = early.filter_map(|(_, r)| r.fct_ps()).map(|t| t as f64 / 1e9).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Completion times in ms, ascending, of the flows that ended in both of two runs with the same traffic.
pub fn completion_of_both(own: &Run, other: &Run) -> (Vec<f64>, Vec<f64>) {
    let pairs = own.outcome.records.iter().zip(&other.outcome.records);
    let ended = pairs.filter_map(|(own, other)| own.fct_ps().zip(other.fct_ps()));
    let (mut own, mut other): (Vec<f64>, Vec<f64>) = ended.map(|(a, b)| (a as f64 / 1e9, b as f64 / 1e9)).unzip();
    own.sort_by(f64::total_cmp);
    other.sort_by(f64::total_cmp);
    (own, other)
}

/// Jain's index of each millisecond over the flows that had work throughout it, seen at the receivers; milliseconds with fewer than three
/// packets a flow are left out, where packets are too coarse to be fair.
pub fn fairness(run: &Run) -> Vec<(f64, f64)> {
    let end = run.outcome.now_ps;
    let bins = (end / MS) as usize;
    let mut delivered = vec![std::collections::BTreeMap::<u32, f64>::new(); bins + 1];
    for m in &run.outcome.samples.flow_meters {
        let bin = ((m.t_ps - 1) / MS) as usize;
        if bin < bins {
            *delivered[bin].entry(m.flow).or_default() += m.delivered_bytes as f64;
        }
    }
    let mut points = Vec::new();
    for (bin, sums) in delivered.iter().take(bins).enumerate() {
        let (from, to) = (bin as u64 * MS, (bin as u64 + 1) * MS);
        let flows = run.outcome.flows.iter().zip(&run.outcome.records).enumerate();
        let busy = flows.filter(|(_, (f, r))| {
            let over = r.finished_ps.unwrap_or(u64::MAX);
            f.start_ps + ONE_WAY_PS <= from && over >= to && f.src < f.dst
        });
        let values: Vec<f64> = busy
            .map(|(f, _)| sums.get(&(f as u32)).copied().unwrap_or(0.0))
            .collect();
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        if values.len() >= 2 && mean >= 3.0 * PAYLOAD {
            points.push(((bin + 1) as f64, jain(&values)));
        }
    }
    points
}

/// Median of the one-way latency of packets, us.
pub fn median_latency(run: &Run) -> f64 {
    run.outcome.samples.latency.percentile(50.0) as f64 / 1e3
}

/// Distribution of the one-way latency of packets, us.
pub fn latency_line(group: &Group) -> Line {
    let mut histogram = QueueHistogram::default();
    group
        .runs
        .iter()
        .for_each(|r| histogram.merge(&r.outcome.samples.latency));
    let total = histogram.samples().max(1) as f64;
    let mut sum = 0;
    let points = histogram.classes().map(|(ns, count)| {
        sum += count;
        (ns as f64 / 1e3, sum as f64 / total * 100.0)
    });
    Line {
        step: true,
        ..Line::new(group.label, points.collect())
    }
}

/// Latency of a full packet through the empty network, us: delays, and six serialisations, two of them at the bottleneck's speed.
pub fn physical_latency(run: &Run) -> f64 {
    let edge = run.job.topology.links[0].rate_bps as f64;
    let core = capacity(run, 0);
    ONE_WAY_PS as f64 / 1e6 + PACKET * 8.0 * (4.0 / edge + 2.0 / core) * 1e6
}

/// Panel of throughput by millisecond.
pub fn throughput_panel(groups: &[Group]) -> Panel {
    let line = |group: &Group| Line {
        step: true,
        ..Line::new(group.label, throughput(group.first(), MS))
    };
    Panel {
        title: "throughput of the bottleneck, 1 ms".into(),
        x: "time (ms)".into(),
        y: "throughput (Gb/s)".into(),
        lines: groups.iter().map(line).collect(),
        ..Panel::default()
    }
}

/// Panel of the bottleneck's queue by millisecond.
pub fn queue_panel(groups: &[Group]) -> Panel {
    let line = |group: &Group| {
        let run = group.first();
        let every = run.job.plan.meter_ps.max(1);
        let per_ms = (MS / every).max(1) as usize;
        let rows = meters(run);
        let points = (per_ms..=rows.len()).step_by(per_ms);
        let points = points.map(|i| (i as f64 * every as f64 / 1e9, f64::from(rows[i - 1].1)));
        Line {
            step: true,
            ..Line::new(group.label, points.collect())
        }
    };
    Panel {
        title: "queue before the bottleneck".into(),
        x: "time (ms)".into(),
        y: "packets".into(),
        lines: groups.iter().map(line).collect(),
        ..Panel::default()
    }
}

/// Panel of a distribution.
pub fn distribution(title: &str, x: &str, log_x: bool, lines: Vec<Line>) -> Panel {
    Panel {
        title: title.into(),
        x: x.into(),
        y: "percent".into(),
        log_x,
        distribution: true,
        lines,
        ..Panel::default()
    }
}
