//! Student's t.

use std::f64::consts::FRAC_2_PI;

/// Probability that |T| is below `t` with `degrees` of freedom: the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4.
fn within(t: f64, degrees: usize) -> f64 {
    let (sin, cos) = {
        let root = (degrees as f64 + t * t).sqrt();
        (t / root, (degrees as f64).sqrt() / root)
    };
    let odd = degrees % 2 == 1;
    // Each term is the one before it times cos^2 and k/(k+1): k = 2, 4, ... for odd degrees, 1, 3, ... for even ones.
    let (mut term, mut k) = if odd { (cos, 2) } else { (1.0, 1) };
    let mut sum = 0.0;
    while k <= degrees {
        sum += term;
        term *= cos * cos * k as f64 / (k + 1) as f64;
        k += 2;
    }
    match (odd, degrees) {
        (true, 1) => FRAC_2_PI * (sin / cos).atan(),
        (true, _) => FRAC_2_PI * ((sin / cos).atan() + sin * sum),
        (false, _) => sin * sum,
    }
}

/// How many standard errors lie between a mean and either end of its 95 % interval; `None` below one degree of freedom.
pub fn quantile_95(degrees: usize) -> Option<f64> {
    if degrees == 0 {
        return None;
    }
    let (mut low, mut high) = (0.0, 16.0);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if within(middle, degrees) < 0.95 {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::quantile_95;

    /// Against the printed table (two-sided 5 %), NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
    #[test]
    fn the_printed_table() {
        let table = [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (5, 2.571),
            (6, 2.447),
            (7, 2.365),
            (8, 2.306),
            (9, 2.262),
            (10, 2.228),
            (19, 2.093),
            (20, 2.086),
            (29, 2.045),
            (30, 2.042),
            (60, 2.000),
            (100, 1.984),
        ];
        for (degrees, printed) in table {
            let ours = quantile_95(degrees).unwrap();
            assert!((ours - printed).abs() <= 0.0005001, "{degrees}: {ours} for {printed}");
        }
        assert_eq!(quantile_95(0), None);
    }
}
