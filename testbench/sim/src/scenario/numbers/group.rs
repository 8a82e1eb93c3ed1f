//! Runs that differ in the seed alone.

use super::of_run::{numbers, Number};
use super::student::quantile_95;
use crate::plan::Run;

/// Runs of one variant with several seeds.
#[derive(Clone, Debug)]
pub struct Group {
    /// Label without the seed.
    pub label: String,
    /// Seed and numbers of each run, in the order of the runs.
    pub runs: Vec<(u64, Vec<Number>)>,
}

/// The mean of some values, and how far its 95 % interval reaches to either side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Values.
    pub runs: usize,
    /// Their mean.
    pub mean: f64,
    /// Half of the interval by Student's t; `None` of fewer than three values.
    pub half: Option<f64>,
}

impl Interval {
    /// Of one value or more.
    pub fn of(values: &[f64]) -> Option<Self> {
        let n = values.len();
        if n == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n as f64;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        let half = (n >= 3).then(|| quantile_95(n - 1)).flatten();
        let half = half.map(|t| t * (squares / (n - 1) as f64 / n as f64).sqrt());
        Some(Self { runs: n, mean, half })
    }

    /// Both ends.
    pub fn ends(&self) -> Option<(f64, f64)> {
        self.half.map(|half| (self.mean - half, self.mean + half))
    }
}

/// A number over the runs of a group: the first run's with the name and the unit, and the interval.
pub struct Row<'a> {
    /// Name, bucket and unit.
    pub number: &'a Number,
    /// Mean and interval.
    pub interval: Interval,
    /// Fewest flows of a run.
    pub flows: Option<usize>,
    /// It has no upper bound in some run.
    pub no_upper_bound: bool,
}

impl Group {
    /// The groups of some runs, in the order of their first runs.
    pub fn all(runs: &[Run]) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for run in runs {
            let label = run.label_without_seed();
            let own = (run.job.seed, numbers(run));
            match groups.iter_mut().find(|g| g.label == label) {
                Some(group) => group.runs.push(own),
                None => groups.push(Self {
                    label: label.into(),
                    runs: vec![own],
                }),
            }
        }
        groups
    }

    /// Each number that some run has: mean and interval over the runs that have it.
    pub fn rows(&self) -> Vec<Row<'_>> {
        let mut rows: Vec<Row<'_>> = Vec::new();
        for (_, own) in &self.runs {
            for number in own {
                if rows.iter().any(|r| same(r.number, number)) {
                    continue;
                }
                let found: Vec<&Number> = self.runs.iter().filter_map(|(_, n)| find(n, number)).collect();
                let values: Vec<f64> = found.iter().map(|n| n.value).collect();
                if let Some(interval) = Interval::of(&values) {
                    rows.push(Row {
                        number,
                        interval,
                        flows: found.iter().filter_map(|n| n.flows).min(),
                        no_upper_bound: found.iter().any(|n| n.no_upper_bound),
                    });
                }
            }
        }
        rows
    }

    /// Differences to another group, run by run with the same seed.
    pub fn minus<'a>(&'a self, other: &Self) -> Vec<(&'a Number, Interval)> {
        let difference = |row: Row<'a>| {
            let pairs = self.runs.iter().filter_map(|(seed, own)| {
                let (_, others) = other.runs.iter().find(|(s, _)| s == seed)?;
                Some(find(own, row.number)?.value - find(others, row.number)?.value)
            });
            Some((row.number, Interval::of(&pairs.collect::<Vec<_>>())?))
        };
        self.rows().into_iter().filter_map(difference).collect()
    }
}

fn same(a: &Number, b: &Number) -> bool {
    a.name == b.name && a.size == b.size
}

fn find<'a>(list: &'a [Number], wanted: &Number) -> Option<&'a Number> {
    list.iter().find(|n| same(n, wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(label: &str, values: &[(u64, f64)]) -> Group {
        let number = |value| Number {
            name: "slowdown_p99",
            size: "all".into(),
            unit: "",
            value,
            flows: Some(300),
            no_upper_bound: false,
        };
        let runs = values.iter().map(|&(seed, value)| (seed, vec![number(value)]));
        Group {
            label: label.into(),
            runs: runs.collect(),
        }
    }

    /// 1 to 5: mean 3, variance 2.5, standard error sqrt(0.5) = 0.7071, times 2.776 by the table is 1.963.
    #[test]
    fn five_values_by_hand() {
        let interval = Interval::of(&[4.0, 1.0, 5.0, 2.0, 3.0]).unwrap();
        assert_eq!((interval.runs, interval.mean), (5, 3.0));
        assert!((interval.half.unwrap() - 1.963).abs() < 0.0005, "{interval:?}");
        let (low, high) = interval.ends().unwrap();
        assert!((low - 1.037).abs() < 0.0005 && (high - 4.963).abs() < 0.0005);
    }

    #[test]
    fn fewer_than_three_have_no_interval() {
        assert_eq!(Interval::of(&[]), None);
        let two = Interval::of(&[1.0, 3.0]).unwrap();
        assert_eq!((two.mean, two.half, two.ends()), (2.0, None, None));
    }

    /// Seeds in another order, one of them missing: pairs (1: 1), (2: 2), (3: 3), mean 2, standard error 1/sqrt(3), times 4.303.
    #[test]
    fn differences_are_paired_by_seed() {
        let base = group("a", &[(3, 30.0), (1, 10.0), (2, 20.0)]);
        let other = group("b", &[(1, 11.0), (2, 22.0), (3, 33.0), (9, 500.0)]);
        let differences = other.minus(&base);
        assert_eq!(differences.len(), 1);
        let interval = differences[0].1;
        assert_eq!((interval.runs, interval.mean), (3, 2.0));
        assert!((interval.half.unwrap() - 4.303 / 3f64.sqrt()).abs() < 0.0005);
    }
}
