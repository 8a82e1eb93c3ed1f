//! Runs of one law with several seeds: a number for each, their median and their range.

use hpcc_models::measure::percentile;

use crate::plan::Run;

/// The runs of one law; there may be only one.
pub struct Group<'a> {
    /// Label without the seed.
    pub label: &'a str,
    /// In the order of the scenario.
    pub runs: Vec<&'a Run>,
}

/// Several numbers of one kind, one for each seed, ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread(Vec<f64>);

impl Spread {
    /// Of numbers in any order.
    pub fn new(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self(values)
    }

    /// The median; between two numbers their mean.
    pub fn median(&self) -> f64 {
        percentile(&self.0, 50.0)
    }

    /// The largest.
    pub fn largest(&self) -> f64 {
        self.0.last().copied().unwrap_or(f64::NAN)
    }

    /// Median, and lowest to highest if they differ in the decimals shown.
    pub fn text(&self, decimals: usize) -> String {
        let shown = |value: &f64| format!("{value:.decimals$}");
        let ends = (self.0.first().map(shown), self.0.last().map(shown));
        let median = shown(&self.median());
        match ends {
            (Some(low), Some(high)) if low != high => format!("{median} ({low} to {high})"),
            _ => median,
        }
    }
}

impl<'a> Group<'a> {
    /// Runs whose labels differ in what stands behind ` seed ` only.
    pub fn all(runs: &'a [Run]) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for run in runs {
            let label = run.label().split(" seed ").next().unwrap_or_default();
            match groups.iter_mut().find(|g| g.label == label) {
                Some(group) => group.runs.push(run),
                None => groups.push(Self { label, runs: vec![run] }),
            }
        }
        groups
    }

    /// A number of each run.
    pub fn spread(&self, value: impl Fn(&Run) -> f64) -> Spread {
        Spread::new(self.runs.iter().map(|r| value(r)).collect())
    }

    /// A number of each pair of runs with the same seed.
    pub fn paired(&self, other: &Self, value: impl Fn(&Run, &Run) -> f64) -> Spread {
        let pair = |own: &&Run| {
            let same = other.runs.iter().find(|r| r.job.seed == own.job.seed);
            same.map(|other| value(own, other))
        };
        Spread::new(self.runs.iter().filter_map(pair).collect())
    }

    /// All numbers of all runs, ascending.
    pub fn pooled(&self, values: impl Fn(&Run) -> Vec<f64>) -> Vec<f64> {
        let mut all: Vec<f64> = self.runs.iter().flat_map(|r| values(r)).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    /// The first run: what is drawn over time.
    pub fn first(&self) -> &'a Run {
        self.runs[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_its_median_and_its_ends() {
        let spread = Spread::new(vec![34.0, 31.0, 29.0, 55.2, 43.0]);
        assert_eq!(spread.text(2), "34.00 (29.00 to 55.20)");
        assert_eq!(Spread::new(vec![2.25, 1.0]).text(1), "1.6 (1.0 to 2.2)");
        assert_eq!(Spread::new(vec![6.9, 7.0]).text(0), "7");
        assert_eq!(Spread::new(vec![7.25]).text(2), "7.25");
    }
}
