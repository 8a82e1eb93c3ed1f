//! Flow-size distributions: lines `bytes cumulative_percent`, linear between points.

use rand::Rng;
use thiserror::Error;

/// A cumulative distribution of flow sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeDistribution {
    /// Bytes and cumulative percent, both ascending, from 0 to 100.
    points: Vec<(f64, f64)>,
}

/// What is wrong with a distribution file.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}:{line}: {field}: expected {expected}")]
pub struct SizeError {
    /// File.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Field.
    pub field: &'static str,
    /// What should be there.
    pub expected: &'static str,
}

impl SizeDistribution {
    /// Reads a distribution; `file` is used in errors.
    pub fn read(file: &str, text: &str) -> Result<Self, SizeError> {
        let mut points: Vec<(f64, f64)> = Vec::new();
        let error = |line, field, expected| SizeError {
            file: file.into(),
            line,
            field,
            expected,
        };
        let mut last = 0;
        for (index, row) in text.lines().enumerate() {
            let words: Vec<&str> = row.split_whitespace().collect();
            if words.is_empty() {
                continue;
            }
            last = index + 1;
            let [bytes, percent] = words[..] else {
                return Err(error(last, "line", "two numbers: bytes and cumulative percent"));
            };
            let number = |w: &str| w.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0);
            let bytes = number(bytes).ok_or_else(|| error(last, "bytes", "a size of at least 0"))?;
            let percent = number(percent)
                .filter(|p| *p <= 100.0)
                .ok_or_else(|| error(last, "cumulative_percent", "0 to 100"))?;
            if let Some(&(b, p)) = points.last() {
                if bytes <= b {
                    return Err(error(last, "bytes", "more than on the line before"));
                }
                if percent <= p {
                    return Err(error(last, "cumulative_percent", "more than on the line before"));
                }
            } else if percent != 0.0 {
                return Err(error(last, "cumulative_percent", "0 on the first line"));
            }
            points.push((bytes, percent));
        }
        match points.last() {
            Some(&(_, 100.0)) if points.len() > 1 => Ok(Self { points }),
            _ => Err(error(
                last.max(1),
                "cumulative_percent",
                "100 on the last of at least two lines",
            )),
        }
    }

    /// Mean size, bytes.
    pub fn mean(&self) -> f64 {
        self.points
            .windows(2)
            .map(|w| (w[0].0 + w[1].0) / 2.0 * (w[1].1 - w[0].1) / 100.0)
            .sum()
    }

    /// Size at a cumulative percentage, bytes, at least 1.
    pub fn quantile(&self, percent: f64) -> u64 {
        let at = self
            .points
            .partition_point(|&(_, p)| p <= percent)
            .clamp(1, self.points.len() - 1);
        let ((b0, p0), (b1, p1)) = (self.points[at - 1], self.points[at]);
        (b0 + (b1 - b0) * (percent - p0) / (p1 - p0)).floor().max(1.0) as u64
    }

    /// Draws a size, bytes.
    pub fn sample(&self, rng: &mut impl Rng) -> u64 {
        self.quantile(rng.random::<f64>() * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn by_hand() {
        let d = SizeDistribution::read("d", "0 0\n1000 50\n3000 100\n").unwrap();
        assert_eq!(d.mean(), 0.5 * 500.0 + 0.5 * 2000.0);
        assert_eq!(
            [d.quantile(0.0), d.quantile(25.0), d.quantile(50.0), d.quantile(75.0)],
            [1, 500, 1000, 2000]
        );
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let drawn: f64 = (0..200_000).map(|_| d.sample(&mut rng) as f64).sum::<f64>() / 200_000.0;
        assert!((drawn / d.mean() - 1.0).abs() < 0.01, "{drawn}");
    }

    #[test]
    fn one_line_errors() {
        let error = |text: &str| SizeDistribution::read("d.txt", text).unwrap_err().to_string();
        assert_eq!(error("0 0\n5 x\n"), "d.txt:2: cumulative_percent: expected 0 to 100");
        assert_eq!(
            error("0 0\n5 50\n4 100\n"),
            "d.txt:3: bytes: expected more than on the line before"
        );
        assert_eq!(
            error("0 0\n5 50\n6 50\n7 100\n"),
            "d.txt:3: cumulative_percent: expected more than on the line before"
        );
        for bytes in ["-5", "inf", "NaN"] {
            let text = format!("{bytes} 0\n5 100\n");
            assert_eq!(error(&text), "d.txt:1: bytes: expected a size of at least 0");
        }
        assert!(error("0 0\n5 50\n").contains("100 on the last"));
        assert!(error("").contains("d.txt:1"));
    }
}
