//! 1/n by normalising, looking up and interpolating: 992 bytes of table, one multiplication.

/// Index bits of the table: 256 entries.
pub const INDEX_BITS: u32 = 8;
/// Bits below the index: what the interpolation multiplies.
pub const STEP_BITS: u32 = 15;
/// Bits of a table entry's base value, two of them guard bits.
pub const BASE_BITS: u32 = 19;
/// Bits of a table entry's slope.
pub const SLOPE_BITS: u32 = 12;
/// Bits of the result's fraction.
pub const FRACTION_BITS: u32 = 17;

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
    let y = base - ((slope * step) >> STEP_BITS) + 2;
    let f = y >> 2;
    // exactly 2 at x = 2^23 has no place in the fraction
    if f >> FRACTION_BITS != 0 {
        (1 << FRACTION_BITS) - 1
    } else {
        f
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_over_every_mantissa_is_within_the_bound() {
        let mut worst = 0f64;
        for x in 1u32 << 23..1 << 24 {
            let y = 1.0 + f64::from(reciprocal_mantissa(x)) / f64::from(1 << FRACTION_BITS);
            worst = worst.max((y * f64::from(x) / f64::from(1 << 24) - 1.0).abs());
        }
        println!("worst relative error {worst:e}");
        assert!(worst <= 2f64.powi(-16), "worst {worst:e}");
    }

    #[test]
    fn entries_fit_their_fields() {
        for (base, slope) in TABLE {
            assert!(base < 1 << BASE_BITS && slope < 1 << SLOPE_BITS);
        }
        assert!(256 * (BASE_BITS + SLOPE_BITS) / 8 <= 1024);
    }
}
