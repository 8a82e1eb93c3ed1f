//! Every number of one run.

use hpcc_models::measure::{jain, mean, percentile};

use super::bucket::buckets;
use crate::plan::Run;

/// A number of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// What it is.
    pub name: &'static str,
    /// Bucket of message sizes; `all` where it is of the whole run.
    pub size: String,
    /// Unit; empty: none.
    pub unit: &'static str,
    /// Its value.
    pub value: f64,
    /// Flows that it is of; `None` where it is no number of flows.
    pub flows: Option<usize>,
    /// A percentile `p` (a part of 1) of fewer than 3 / (1 - p) flows: the true one has no upper bound at 95 %.
    pub no_upper_bound: bool,
}

/// Percentiles of slowdowns and completion times: percent and both names.
const PERCENTILES: [(f64, &str, &str); 4] = [
    (50.0, "slowdown_p50", "fct_p50"),
    (95.0, "slowdown_p95", "fct_p95"),
    (99.0, "slowdown_p99", "fct_p99"),
    (99.9, "slowdown_p99.9", "fct_p99.9"),
];

/// Is the upper end of a percentile unknown: the chance that none of `flows` lies above it, p^n, is more than about 5 %.
pub(super) fn no_upper_bound(flows: usize, percent: f64) -> bool {
    (flows as f64) * (100.0 - percent) < 300.0 - 1e-9
}

/// All numbers of a run, of flows that started after the warm-up. A bucket without such flows has none.
pub fn numbers(run: &Run) -> Vec<Number> {
    let mut all = Vec::new();
    for bucket in buckets(&run.job.numbers.size_edges) {
        let pairs = run.outcome.flows.iter().zip(&run.outcome.records);
        let own: Vec<_> = pairs
            .filter(|(flow, record)| bucket.contains(flow.bytes) && run.counts(flow, record))
            .collect();
        if own.is_empty() {
            continue;
        }
        let mut number = |name, unit, value: f64, flows, no_upper_bound| {
            all.push(Number {
                name,
                size: bucket.name.clone(),
                unit,
                value,
                flows,
                no_upper_bound,
            });
        };
        let done = own.iter().filter(|(_, r)| r.finished_ps.is_some()).count();
        number("flows", "", own.len() as f64, None, false);
        number("unfinished", "", (own.len() - done) as f64, None, false);
        let sorted = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values
        };
        let slowdowns = sorted(own.iter().filter_map(|(_, r)| run.slowdown(r)).collect());
        let times = sorted(own.iter().filter_map(|(_, r)| Some(r.fct_ps()? as f64 / 1e3)).collect());
        for (name, unit, values) in [("slowdown_mean", "", &slowdowns), ("fct_mean", "ns", &times)] {
            if !values.is_empty() {
                number(name, unit, mean(values), Some(values.len()), false);
            }
        }
        for (p, slowdown, fct) in PERCENTILES {
            for (name, unit, values) in [(slowdown, "", &slowdowns), (fct, "ns", &times)] {
                if !values.is_empty() {
                    let few = no_upper_bound(values.len(), p);
                    number(name, unit, percentile(values, p), Some(values.len()), few);
                }
            }
        }
        let rates = own
            .iter()
            .filter_map(|(f, r)| Some(f.bytes as f64 / r.fct_ps()?.max(1) as f64));
        let rates: Vec<f64> = rates.collect();
        if !rates.is_empty() {
            number("jain_of_throughputs", "", jain(&rates), Some(rates.len()), false);
        }
    }
    all.extend(of_the_whole(run));
    all
}

/// Queues and counters, of the whole run.
fn of_the_whole(run: &Run) -> impl Iterator<Item = Number> {
    let (counters, busy) = (&run.outcome.counters, &run.outcome.samples.busy);
    let resent: u64 = run.outcome.records.iter().map(|r| r.retransmitted_bytes).sum();
    let all = [
        ("queue_busy_p50", "bytes", busy.percentile(50.0) as f64),
        ("queue_busy_p99", "bytes", busy.percentile(99.0) as f64),
        ("queue_busy_max", "bytes", busy.max() as f64),
        ("pauses", "", counters.pauses as f64),
        ("paused", "ns", counters.paused_ps as f64 / 1e3),
        ("drops", "", counters.drops as f64),
        ("marked", "", counters.marked as f64),
        ("retransmitted", "bytes", resent as f64),
    ];
    all.into_iter().map(|(name, unit, value)| Number {
        name,
        size: "all".into(),
        unit,
        value,
        flows: None,
        no_upper_bound: false,
    })
}

#[cfg(test)]
mod tests {
    use super::no_upper_bound;

    #[test]
    fn flows_that_a_percentile_needs() {
        for (percent, least) in [(50.0, 6), (95.0, 60), (99.0, 300), (99.9, 3000)] {
            let seen = [least - 1, least].map(|flows| no_upper_bound(flows, percent));
            assert_eq!(seen, [true, false], "{percent}");
        }
    }
}
