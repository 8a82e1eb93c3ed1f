//! Tables of 1/n of any size, interpolated or not; 256 entries with interpolation are the hardware's table.

use crate::fixed::reciprocal::{BASE_BITS, FRACTION_BITS, ROUNDING};

/// Bits of a mantissa below the leading one.
const BELOW_ONE: u32 = 23;

/// 1/n by table: the mantissa's bits below the leading one are the address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReciprocalTable {
    index_bits: u32,
    /// Base and slope of each entry, both in units of `2^-BASE_BITS`; a table without interpolation has slope 0.
    entries: Vec<(i64, i64)>,
    interpolated: bool,
}

impl ReciprocalTable {
    /// `None` unless `entries` is a power of two up to 4096.
    pub fn new(entries: u32, interpolated: bool) -> Option<Self> {
        let valid = entries.is_power_of_two() && entries <= 4096;
        let entry = if interpolated { interpolated_entry } else { plain_entry };
        valid.then(|| Self {
            index_bits: entries.trailing_zeros(),
            entries: (0..entries)
                .map(|i| entry(i128::from(i), i128::from(entries)))
                .collect(),
            interpolated,
        })
    }

    /// `2^24 / x - 1` as a 17-bit fraction for a normalised 24-bit mantissa `x` (top bit set).
    pub fn mantissa(&self, x: u32) -> u32 {
        let step_bits = BELOW_ONE - self.index_bits;
        let below = x & ((1 << BELOW_ONE) - 1);
        let (base, slope) = self.entries[(below >> step_bits) as usize];
        let step = i64::from(below & ((1 << step_bits) - 1));
        let y = base - ((slope * step) >> step_bits) + i64::from(ROUNDING);
        (y >> 2).clamp(0, (1 << FRACTION_BITS) - 1) as u32
    }

    /// Bits of all entries, in bytes. Without interpolation an entry is the fraction itself.
    pub fn bytes(&self) -> usize {
        let bits = if self.interpolated {
            // a base is stored with what rounding adds
            let bits = |values: &dyn Fn(&(i64, i64)) -> i64| {
                let widest = self
                    .entries
                    .iter()
                    .map(|entry| 64 - values(entry).leading_zeros())
                    .max();
                widest.unwrap_or(0)
            };
            bits(&|entry| entry.0 + i64::from(ROUNDING)) + bits(&|entry| entry.1)
        } else {
            FRACTION_BITS
        };
        (self.entries.len() * bits as usize).div_ceil(8)
    }
}

/// Value at the entry's start less half the chord's error, and the chord's slope: `reciprocal::table_entry` for `n` entries.
fn interpolated_entry(i: i128, n: i128) -> (i64, i64) {
    let one = 1i128 << BASE_BITS;
    let cube = (2 * n + 1 + 2 * i).pow(3);
    let numerator = one * (n - i) * cube - one * 2 * n * (n + i);
    let denominator = (n + i) * cube;
    let base = (2 * numerator + denominator).div_euclid(2 * denominator);
    let (top, bottom) = (2 * n * one, (n + i) * (n + i + 1));
    (base as i64, ((2 * top + bottom) / (2 * bottom)) as i64)
}

/// The value whose relative error is the same at both ends: that of the middle, a whole number of `2^-FRACTION_BITS`.
fn plain_entry(i: i128, n: i128) -> (i64, i64) {
    let denominator = 2 * n + 2 * i + 1;
    let numerator = (2 * n - 2 * i - 1) << FRACTION_BITS;
    let fraction = (2 * numerator + denominator) / (2 * denominator);
    ((fraction << (BASE_BITS - FRACTION_BITS)) as i64, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::reciprocal::{reciprocal_mantissa, table_entry, Interpolated, Reciprocal};

    #[test]
    fn the_hardwares_table_entry_for_entry_and_mantissa_for_mantissa() {
        let table = ReciprocalTable::new(256, true).unwrap();
        for i in 0..256 {
            let (base, slope) = table_entry(i);
            assert_eq!(table.entries[i as usize], (i64::from(base), i64::from(slope)));
        }
        assert!((1 << 23..1 << 24).all(|x| table.mantissa(x) == reciprocal_mantissa(x)));
        assert_eq!(table.bytes(), Interpolated.table_bytes());
    }

    /// Without interpolation the error is half a cell; with it, a quarter of the chord's, until the fraction's own 2^-18 shows.
    #[test]
    fn errors_are_those_of_their_cells() {
        for bits in 0..=12 {
            let n = 2f64.powi(bits);
            for (interpolated, bound) in [
                (false, 1.0 / (2.0 * n + 1.0) + 2f64.powi(-18)),
                (true, 0.26 / (n * n) + 2f64.powi(-17)),
            ] {
                let table = ReciprocalTable::new(1 << bits, interpolated).unwrap();
                let worst = (1u32 << 23..1 << 24)
                    .step_by(61)
                    .map(|x| {
                        let y = 1.0 + f64::from(table.mantissa(x)) / 2f64.powi(17);
                        (y * f64::from(x) / 2f64.powi(24) - 1.0).abs()
                    })
                    .fold(0.0, f64::max);
                assert!(
                    worst <= bound,
                    "{n} entries, interpolated {interpolated}: {worst} above {bound}"
                );
            }
        }
    }

    #[test]
    fn only_powers_of_two() {
        assert!(ReciprocalTable::new(0, true).is_none() && ReciprocalTable::new(8192, false).is_none());
    }
}
