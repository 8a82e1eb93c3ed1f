//! Percentiles, size classes and Jain's fairness index.

/// Percentile of an ascending slice, linear between neighbours; 0 of an empty one.
pub fn percentile(ascending: &[f64], p: f64) -> f64 {
    let Some(last) = ascending.len().checked_sub(1) else {
        return 0.0;
    };
    let position = (p / 100.0).clamp(0.0, 1.0) * last as f64;
    let low = position.floor() as usize;
    let fraction = position - low as f64;
    let high = (low + 1).min(last);
    ascending[low] + (ascending[high] - ascending[low]) * fraction
}

/// Mean; 0 of nothing.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.iter().sum::<f64>() / values.len() as f64
}

/// Jain's index: 1 when all are equal, 1/n when one has everything.
pub fn jain(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|v| v * v).sum();
    if squares == 0.0 {
        return 1.0;
    }
    sum * sum / (values.len() as f64 * squares)
}

/// Flows of a range of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeClass {
    /// Name in tables.
    pub name: &'static str,
    /// More than this, bytes.
    pub above: u64,
    /// At most this, bytes.
    pub up_to: u64,
}

impl SizeClass {
    /// Every flow.
    pub const ALL: SizeClass = SizeClass {
        name: "all",
        above: 0,
        up_to: u64::MAX,
    };

    /// Does a flow of that many bytes belong.
    pub fn contains(&self, bytes: u64) -> bool {
        bytes > self.above && bytes <= self.up_to
    }
}

/// Classes of the recorded ns-3 tables.
pub const NS3_SIZE_CLASSES: [SizeClass; 5] = [
    SizeClass {
        name: "<=1KB",
        above: 0,
        up_to: 1_000,
    },
    SizeClass {
        name: "1-10KB",
        above: 1_000,
        up_to: 10_000,
    },
    SizeClass {
        name: "10-100KB",
        above: 10_000,
        up_to: 100_000,
    },
    SizeClass {
        name: "100KB-1MB",
        above: 100_000,
        up_to: 1_000_000,
    },
    SizeClass {
        name: ">1MB",
        above: 1_000_000,
        up_to: u64::MAX,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_by_hand() {
        let v = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(
            [percentile(&v, 0.0), percentile(&v, 50.0), percentile(&v, 100.0)],
            [1.0, 3.0, 5.0]
        );
        assert!((percentile(&v, 95.0) - 4.8).abs() < 1e-12);
        assert_eq!(percentile(&[], 50.0), 0.0);
    }

    #[test]
    fn fairness_by_hand() {
        assert_eq!((jain(&[2.0, 2.0]), jain(&[1.0, 0.0, 0.0, 0.0])), (1.0, 0.25));
    }
}
