//! Relative error of a reciprocal over a set of n.

use super::inverse::Reciprocal;

/// Relative errors of `1/n`, `approximation x n - 1`, over a set of n.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorStatistics {
    /// Largest magnitude.
    pub worst: f64,
    /// The first n that has it.
    pub worst_at: u64,
    /// Mean magnitude, every n weighing the same.
    pub mean: f64,
    /// Smallest error with its sign: below zero where the approximation is too small.
    pub lowest: f64,
}

impl ErrorStatistics {
    /// Measures `table` on every n of a set, none of them zero.
    pub fn over(table: &(impl Reciprocal + ?Sized), set: impl IntoIterator<Item = u64>) -> Self {
        let (mut worst, mut worst_at, mut sum, mut count, mut lowest) = (0f64, 0, 0f64, 0u64, f64::INFINITY);
        for n in set {
            let error = relative_error(table, n);
            if error.abs() > worst {
                (worst, worst_at) = (error.abs(), n);
            }
            lowest = lowest.min(error);
            sum += error.abs();
            count += 1;
        }
        Self {
            worst,
            worst_at,
            mean: sum / count as f64,
            lowest,
        }
    }
}

impl std::fmt::Display for ErrorStatistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "worst {:.3e} at n = {}, mean {:.3e}",
            self.worst, self.worst_at, self.mean
        )
    }
}

/// `approximation x n - 1`; exact to one rounding, because an 18-bit mantissa times n is a double up to n = 2^35.
pub(super) fn relative_error(table: &(impl Reciprocal + ?Sized), n: u64) -> f64 {
    table.reciprocal(n).value() * n as f64 - 1.0
}
