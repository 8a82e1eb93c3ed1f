//! Logarithmic axes whose marks can be read: at every power of ten, and at 1, 2 and 5 times it where there are few of them.

use std::ops::Range;

use plotters::coord::combinators::{IntoLogRange, LogCoord};
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

/// A logarithmic axis.
pub struct LogAxis(LogCoord<f64>);

impl LogAxis {
    /// Over values above 0.
    pub fn new(range: Range<f64>) -> Self {
        Self(range.log_scale().into())
    }
}

/// Values to be marked between `low` and `high`.
fn marks(low: f64, high: f64) -> Vec<f64> {
    let decades = (high / low).log10();
    let steps: &[f64] = if decades <= 3.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
    powers
        .flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)))
        .filter(|value| (low..=high).contains(value))
        .collect()
}

impl Ranged for LogAxis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.0.map(value, limit)
    }

    fn key_points<H: KeyPointHint>(&self, _: H) -> Vec<f64> {
        let range = self.range();
        marks(range.start, range.end)
    }

    fn range(&self) -> Range<f64> {
        self.0.range()
    }
}

#[cfg(test)]
mod tests {
    use super::marks;

    #[test]
    fn short_axes_have_marks_between_powers_of_ten() {
        assert_eq!(marks(1.5, 12.0), [2.0, 5.0, 10.0]);
        assert_eq!(marks(0.5, 30.0), [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]);
        assert_eq!(marks(0.1, 10_000.0), [0.1, 1.0, 10.0, 100.0, 1000.0, 10_000.0]);
    }
}
