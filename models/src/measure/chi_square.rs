//! Whether counts are those of a distribution.

/// Pearson's chi-square of counts against what is expected of each class; both lists of one length, no expectation of 0.
pub fn chi_square(counts: &[u64], expected: &[f64]) -> f64 {
    let square = |(n, e): (&u64, &f64)| (*n as f64 - e).powi(2) / e;
    counts.iter().zip(expected).map(square).sum()
}

/// A bound on chi-square that counts of the expected distribution pass once in some hundred thousand tests: 4.3 standard deviations (Wilson and
/// Hilferty's approximation: the cube root of chi-square over its degrees of freedom is normal).
pub fn chi_square_bound(degrees: usize) -> f64 {
    let k = degrees as f64;
    let spread = 2.0 / (9.0 * k);
    k * (1.0 - spread + 4.3 * spread.sqrt()).powi(3)
}

/// Counts of equally likely classes lie within [`chi_square_bound`].
pub fn evenly_spread(counts: &[u64]) -> bool {
    let each = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    chi_square(counts, &vec![each; counts.len()]) < chi_square_bound(counts.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A die of 60 throws, worked out by hand: (25 + 4 + 1 + 0 + 4 + 4) / 10; bounds against a table of the distribution at 1 in 100 000.
    #[test]
    fn by_hand() {
        assert_eq!(chi_square(&[5, 8, 9, 10, 12, 8], &[10.0; 6]), 3.8);
        for (degrees, bound) in [(3, 25.9), (15, 51.4), (100, 173.0)] {
            assert!((chi_square_bound(degrees) / bound - 1.0).abs() < 0.08, "{degrees}");
        }
        assert!(evenly_spread(&[1000, 1040, 980]) && !evenly_spread(&[1000, 2000, 1000]));
    }
}
