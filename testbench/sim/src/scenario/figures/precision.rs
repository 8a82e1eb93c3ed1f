//! What fixed point costs in the network: completion times and queues against fraction bits, table of 1/n and unit of windows, beside the
//! golden law. Runs whose label begins with the same word share a network; those that differ in the seed only are averaged.

use std::collections::BTreeMap;

use hpcc_models::fixed::precision::ReciprocalTable;
use hpcc_models::fixed::Precision;
use hpcc_models::measure::{mean, percentile, SizeClass};

use super::analysis::Analysis;
use super::series::{busiest_queue, sampled};
use crate::plan::Fidelity;
use crate::plan::Finding;
use crate::plan::Run;
use crate::plot::{Figure, Line, Panel};
use crate::scenario::output::slowdowns;

/// Completion time and queue of one run, in the units of [`Network::metrics`].
type Metrics = [f64; 2];

/// The sum of runs that are averaged, and the extremes.
#[derive(Clone, Copy)]
struct Spread {
    count: f64,
    sum: Metrics,
    low: Metrics,
    high: Metrics,
}

impl Spread {
    fn of(values: &[Metrics]) -> Self {
        let mut spread = Self {
            count: values.len() as f64,
            sum: [0.0; 2],
            low: [f64::MAX; 2],
            high: [f64::MIN; 2],
        };
        for value in values {
            for (i, v) in value.iter().enumerate() {
                spread.sum[i] += v;
                spread.low[i] = spread.low[i].min(*v);
                spread.high[i] = spread.high[i].max(*v);
            }
        }
        spread
    }

    fn mean(&self, metric: usize) -> f64 {
        self.sum[metric] / self.count
    }

    /// How far runs of the same law with other seeds lie from their mean, relative.
    fn noise(&self, metric: usize) -> f64 {
        (self.high[metric] - self.low[metric]) / self.mean(metric) / 2.0
    }
}

/// One network with its runs, by precision.
struct Network {
    name: &'static str,
    metrics: [(&'static str, &'static str); 2],
    golden: Spread,
    fixed: Vec<(Precision, Spread)>,
}

/// Panels over fraction bits end at this multiple of golden; what lies above is drawn at the edge.
const MOST_SHOWN: [f64; 2] = [2.5, 8.0];
/// The incast's queue counts from here: before, it is that of the first windows.
const SETTLED_US: f64 = 200.0;

fn incast(run: &Run) -> Metrics {
    let ends = run
        .outcome
        .records
        .iter()
        .map(|r| r.finished_ps.unwrap_or(run.outcome.now_ps));
    let end = ends.max().unwrap_or(0) as f64 / 1e6;
    let queue = busiest_queue(run).map_or(0.0, |q| mean(&sampled(&q, SETTLED_US, end * 0.95, 1.0)));
    [end, queue]
}

fn load(run: &Run) -> Metrics {
    let mut queues = run.outcome.samples.to_host.clone();
    queues.merge(&run.outcome.samples.fabric);
    let slowdowns = slowdowns(run, SizeClass::ALL);
    [percentile(&slowdowns, 99.0), queues.percentile(99.0) as f64 / 1e3]
}

impl Network {
    fn new(
        name: &'static str,
        metrics: [(&'static str, &'static str); 2],
        runs: &[Run],
        measure: fn(&Run) -> Metrics,
    ) -> Option<Self> {
        let mut golden = Vec::new();
        let mut fixed: BTreeMap<(u32, i32, u32, bool), Vec<Metrics>> = BTreeMap::new();
        for run in runs.iter().filter(|r| r.label().split(' ').next() == Some(name)) {
            if run.job.fidelity == Fidelity::Golden {
                golden.push(measure(run));
            } else {
                let p = run.job.law.precision.unwrap_or(Precision::HARDWARE);
                let key = (p.utilisation, p.window, p.entries, p.interpolated);
                fixed.entry(key).or_default().push(measure(run));
            }
        }
        let precision = |(utilisation, window, entries, interpolated)| Precision {
            utilisation,
            window,
            entries,
            interpolated,
        };
        (!golden.is_empty() && !fixed.is_empty()).then(|| Self {
            name,
            metrics,
            golden: Spread::of(&golden),
            fixed: fixed.iter().map(|(&k, v)| (precision(k), Spread::of(v))).collect(),
        })
    }

    fn line(&self, label: String, metric: usize, x: impl Fn(&Precision) -> Option<f64>) -> Line {
        let mut points: Vec<(f64, f64)> = self
            .fixed
            .iter()
            .filter_map(|(p, s)| Some((x(p)?, s.mean(metric))))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Line {
            marks: true,
            ..Line::new(label, points)
        }
    }

    fn panel(&self, x: &str, metric: usize, lines: Vec<Line>) -> Panel {
        let (title, y) = self.metrics[metric];
        let golden = &self.golden;
        let mut levels = vec![(golden.mean(metric), "golden".to_string())];
        if golden.count > 1.0 {
            levels.push((golden.low[metric], "golden, other seeds".into()));
            levels.push((golden.high[metric], String::new()));
        }
        Panel {
            title: format!("{}: {title}", self.name),
            x: x.into(),
            y: y.into(),
            levels,
            lines,
            ..Panel::default()
        }
    }

    fn figure(&self) -> Figure {
        const H: Precision = Precision::HARDWARE;
        let mut tables: Vec<(u32, bool)> = self.fixed.iter().map(|f| (f.0.entries, f.0.interpolated)).collect();
        tables.sort_by_key(|&(entries, interpolated)| (std::cmp::Reverse(interpolated), std::cmp::Reverse(entries)));
        tables.dedup();
        let mut panels = Vec::new();
        for (metric, most_shown) in MOST_SHOWN.into_iter().enumerate() {
            let by_bits = tables.iter().map(|&(entries, interpolated)| {
                let kind = if interpolated { "interpolated" } else { "plain" };
                self.line(format!("1/n: {entries} {kind}"), metric, |p| {
                    let own = (p.entries, p.interpolated, p.window) == (entries, interpolated, H.window);
                    own.then_some(f64::from(p.utilisation))
                })
            });
            // A line of one point says nothing that the next panel does not say.
            let by_bits = by_bits.filter(|l| l.points.len() > 1).collect();
            let top = self.golden.mean(metric) * most_shown;
            let above = self.fixed.iter().any(|f| f.1.mean(metric) > top);
            panels.push(Panel {
                y_max: above.then_some(top),
                ..self.panel("fraction bits of U/eta and tau/T", metric, by_bits)
            });
            let by_table = [true, false].map(|interpolated| {
                let label = if interpolated { "interpolated" } else { "plain" };
                self.line(label.into(), metric, |p| {
                    let own = (p.interpolated, p.window, p.utilisation) == (interpolated, H.window, H.utilisation);
                    let table = ReciprocalTable::new(p.entries, p.interpolated)?;
                    own.then(|| table.bytes() as f64)
                })
            });
            panels.push(Panel {
                log_x: true,
                ..self.panel("table of 1/n (bytes)", metric, by_table.to_vec())
            });
            let by_window = self.line("window".into(), metric, |p| {
                let own = (p.utilisation, p.entries, p.interpolated) == (H.utilisation, H.entries, H.interpolated);
                own.then_some(f64::from(p.window))
            });
            panels.push(self.panel(
                "fraction bits of windows (-8: units of 256 bytes)",
                metric,
                vec![by_window],
            ));
        }
        Figure {
            name: format!("fixed-cost-{}", self.name),
            panels,
            ..Figure::default()
        }
    }

    /// Deviation from golden in units of the noise, the worse of both metrics.
    fn off(&self, spread: &Spread) -> f64 {
        let of = |m: usize| (spread.mean(m) / self.golden.mean(m) - 1.0).abs() / self.golden.noise(m);
        of(0).max(of(1))
    }

    /// From the widest down: the last of a series that still lies within the noise.
    fn enough<K: PartialOrd + Copy>(&self, key: impl Fn(&Precision) -> Option<K>) -> Option<K> {
        let mut series: Vec<(K, f64)> = self
            .fixed
            .iter()
            .filter_map(|(p, s)| Some((key(p)?, self.off(s))))
            .collect();
        series.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(std::cmp::Ordering::Equal));
        series.iter().take_while(|s| s.1 <= 1.0).last().map(|s| s.0)
    }

    fn findings(&self) -> Vec<Finding> {
        const H: Precision = Precision::HARDWARE;
        let hardware = self.fixed.iter().find(|f| f.0 == H).map(|f| f.1);
        let text = |s: &Spread| format!("{:.3} and {:.2} KB", s.mean(0), s.mean(1));
        let shipped = Finding::new(
            &format!("{}_hardware_within_noise", self.name),
            "",
            format!(
                "{}, {}: golden {}, fixed point {}; another seed {:.1} % and {:.1} %",
                self.metrics[0].1,
                self.metrics[1].0,
                text(&self.golden),
                hardware.map_or("not run".into(), |s| text(&s)),
                self.golden.noise(0) * 100.0,
                self.golden.noise(1) * 100.0
            ),
            hardware.is_some_and(|s| self.off(&s) <= 1.0),
        );
        let bits = self.enough(|p| {
            (Precision {
                utilisation: H.utilisation,
                ..*p
            } == H)
                .then_some(p.utilisation)
        });
        let window = self.enough(|p| (Precision { window: H.window, ..*p } == H).then_some(p.window));
        let table = |interpolated: bool| {
            self.enough(move |p| {
                let own = (p.interpolated, p.window, p.utilisation) == (interpolated, H.window, H.utilisation);
                own.then_some(p.entries)
            })
        };
        let shown = |v: Option<i64>| v.map_or("none".into(), |v| v.to_string());
        let narrow = Finding::new(
            &format!("{}_narrowest_within_noise", self.name),
            "",
            format!(
                "one at a time, the others as in hardware: {} fraction bits, {} entries of 1/n with interpolation, {} without, {} fraction bits \
                 of windows",
                shown(bits.map(i64::from)),
                shown(table(true).map(i64::from)),
                shown(table(false).map(i64::from)),
                shown(window.map(i64::from))
            ),
            bits.is_some() && window.is_some() && table(true).is_some(),
        );
        vec![shipped, narrow]
    }
}

/// The figure and what it says.
pub fn fixed_cost(runs: &[Run]) -> Analysis {
    let networks = [
        Network::new(
            "incast",
            [
                ("last of 16 flows of 1 MB", "completion time (us)"),
                ("mean queue after 200 us", "queue (KB)"),
            ],
            runs,
            incast,
        ),
        Network::new(
            "load",
            [
                ("slowdown, 99th percentile", "completion time / ideal"),
                ("queue, 99th percentile", "queue (KB)"),
            ],
            runs,
            load,
        ),
    ];
    let mut analysis = Analysis::default();
    for network in networks.iter().flatten() {
        analysis.figures.push(network.figure());
        analysis.findings.extend(network.findings());
    }
    analysis
}
