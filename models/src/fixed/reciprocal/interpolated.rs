//! 1/n by normalising, looking up and interpolating: 1024 bytes of table, one multiplication.
//!
//! An n finds its entry by its leading one: shifted up until that is the top bit of 24, the eight bits below it are the
//! address and the fifteen below those the distance to interpolate over. `hpcc_rtl::prim::reciprocal` computes the same.

use super::inverse::{leading_one, Inverse, Reciprocal, FRACTION_BITS};

/// Index bits of the table: 256 entries.
pub const INDEX_BITS: u32 = 8;
/// Bits below the index: what the interpolation multiplies.
pub const STEP_BITS: u32 = 15;
/// Bits of a table entry's base value, two of them guard bits.
pub const BASE_BITS: u32 = 19;
/// What rounding adds to every base: half a unit of the result. It is stored with the base.
pub const ROUNDING: u32 = 1 << (BASE_BITS - FRACTION_BITS - 1);
/// Bits of a base as it is stored: with [`ROUNDING`] the first entry's is `2^BASE_BITS`, one bit more.
pub const STORED_BASE_BITS: u32 = BASE_BITS + 1;
/// Bits of a table entry's slope.
pub const SLOPE_BITS: u32 = 12;

/// Entry `i` of the table: `(base, slope)` for mantissas from `(256 + i) / 512` up to the next entry's.
///
/// `y(t) = 2 / (1 + t) - 1` at `t = i / 256` in units of 2^-19, less half the chord's error so that the error of the
/// interpolation is centred; computed in integers, so that every machine makes the same table.
pub const fn table_entry(i: u32) -> (u32, u32) {
    let (i, one) = (i as i128, 1i128 << BASE_BITS);
    let cube = (513 + 2 * i) * (513 + 2 * i) * (513 + 2 * i);
    let numerator = one * (256 - i) * cube - 2 * 512 * 512 * 512 * (256 + i);
    let denominator = (256 + i) * cube;
    let base = (2 * numerator + denominator).div_euclid(2 * denominator);
    // 512/(256+i) - 512/(257+i), in units of 2^-19
    let (n, d) = (512 * one, (256 + i) * (257 + i));
    let slope = (2 * n + d) / (2 * d);
    (base as u32, slope as u32)
}

const fn table() -> [(u32, u32); 256] {
    let mut t = [(0, 0); 256];
    let mut i = 0;
    while i < 256 {
        t[i] = table_entry(i as u32);
        i += 1;
    }
    t
}

/// The whole table.
pub static TABLE: [(u32, u32); 256] = table();

/// `2^24 / x - 1` as a 17-bit fraction for a normalised 24-bit mantissa `x` (top bit set).
///
/// With `x = n << s`, `1/n = (1 + f / 2^17) x 2^(s - 24)`; relative error at most 2^-16, proven over all mantissas.
pub fn reciprocal_mantissa(x: u32) -> u32 {
    let (base, slope) = TABLE[((x >> STEP_BITS) & 0xff) as usize];
    let step = x & ((1 << STEP_BITS) - 1);
    let y = base - ((slope * step) >> STEP_BITS) + ROUNDING;
    let f = y >> 2;
    // exactly 2 at x = 2^23 has no place in the fraction
    if f >> FRACTION_BITS != 0 {
        (1 << FRACTION_BITS) - 1
    } else {
        f
    }
}

/// Bits of the normalised mantissa.
const MANTISSA_BITS: u32 = 24;

/// The interpolated reciprocal of any n: the congestion-control module's way.
#[derive(Debug, Clone, Copy, Default)]
pub struct Interpolated;

impl Reciprocal for Interpolated {
    /// Bits of n below the 24 from its leading one on are dropped, as the pipeline does for its 48-bit divisor.
    fn reciprocal(&self, n: u64) -> Inverse {
        if n == 0 {
            return Inverse::OF_ZERO;
        }
        let mantissa = (n << n.leading_zeros()) >> (64 - MANTISSA_BITS);
        Inverse::new(reciprocal_mantissa(mantissa as u32), -(leading_one(n) as i32) - 1)
    }
    fn largest(&self) -> u64 {
        u64::MAX
    }
    fn table_bytes(&self) -> usize {
        (TABLE.len() * (STORED_BASE_BITS + SLOPE_BITS) as usize).div_ceil(8)
    }
    fn bound(&self) -> f64 {
        2f64.powi(-16)
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure::ErrorStatistics;
    use super::*;

    #[test]
    fn error_over_every_mantissa_is_within_the_bound() {
        let errors = ErrorStatistics::over(&Interpolated, 1u64 << 23..1 << 24);
        println!("interpolated, every mantissa: {errors}");
        assert!(errors.worst <= Interpolated.bound());
        // the figure of the book
        assert!((7.2e-6..7.4e-6).contains(&errors.worst));
    }

    #[test]
    fn error_over_every_n_of_the_papers_range_is_within_the_bound() {
        let errors = ErrorStatistics::over(&Interpolated, 1..=1 << 22);
        println!("interpolated, n to 2^22: {errors}");
        assert!(errors.worst <= Interpolated.bound());
    }

    /// Beyond 24 bits the dropped part adds at most 2^-23: the ends of every table entry, followed by zeros and by ones.
    #[test]
    fn longer_numbers_lose_nothing_that_matters() {
        let ends = (256..512u64).flat_map(|i| [i << 15, (i << 15) + 1, (i << 15) | 0x7fff]);
        let long = ends.flat_map(|x| (1..=40).flat_map(move |s| [x << s, x << s | ((1 << s) - 1)]));
        let errors = ErrorStatistics::over(&Interpolated, long);
        assert!(errors.worst <= 7.3e-6 + 2f64.powi(-23), "{errors}");
    }

    #[test]
    fn the_scale_follows_the_leading_one() {
        for n in 1..5000u64 {
            let (one, eight) = (Interpolated.reciprocal(n), Interpolated.reciprocal(8 * n));
            assert_eq!((one.mantissa, one.exponent - 3), (eight.mantissa, eight.exponent));
        }
        assert_eq!(Interpolated.reciprocal(1).shift(), 23);
    }

    #[test]
    fn entries_fit_their_fields() {
        for (base, slope) in TABLE {
            assert!(base < 1 << BASE_BITS && slope < 1 << SLOPE_BITS);
        }
        // no bit less would do
        let widest = TABLE
            .iter()
            .map(|(base, _)| 32 - (base + ROUNDING).leading_zeros())
            .max();
        assert_eq!(widest, Some(STORED_BASE_BITS));
        assert_eq!(Interpolated.table_bytes(), 1024);
    }
}
