//! The arithmetic of the HPCC pipeline, one function per group of stages, on the integers the registers hold.
//!
//! Rounding and saturation are written where they happen. `hpcc_rtl::cc` computes the same, clock by clock.

use super::formats::{
    mask, ALIGNED_BITS, EWMA_PRODUCT_LOW, INVERSE_UTILISATION_BITS, QUEUE_BITS, RATE_PRODUCT_LOW, TS_BITS, TX_BITS,
    UTILISATION_BITS, WEIGHT_BITS, WINDOW_BITS, WINDOW_GUARD, WINDOW_PRODUCT_LOW,
};
use super::reciprocal::reciprocal_mantissa;
use num_traits::PrimInt;

/// `now - before` of a counter that wraps at `bits`.
pub fn wrapping_difference<T: PrimInt + num_traits::WrappingSub>(now: T, before: T, bits: u32) -> T {
    now.wrapping_sub(&before) & ((T::one() << bits as usize) - T::one())
}

/// `a` comes after `b` in 24-bit serial arithmetic: strictly, and at most half the space ahead.
pub fn psn_after(a: u32, b: u32) -> bool {
    let ahead = wrapping_difference(a, b, TS_BITS);
    ahead != 0 && ahead < 1 << 23
}

/// Rate term of a hop: busy time over elapsed time, in UQ14.37 (up to one bit more), lines 4 and 5 of Algorithm 1.
///
/// `tx` units of 20 bits, `busy` the register of the hop's speed (UQ12.22 ns), `elapsed` 1 to 2^23 - 1 ns.
/// The busy time is aligned to the normalised divisor first (saturating), then multiplied with `1/x`, truncated.
/// Returns the aligned busy time and the fraction of it that the reciprocal adds: their sum is the term.
pub fn rate_term(tx: u32, busy: u64, elapsed: u32) -> (u64, u64) {
    rate_term_with(tx, busy, elapsed, reciprocal_mantissa)
}

/// [`rate_term`] with another table of 1/n.
pub(super) fn rate_term_with(tx: u32, busy: u64, elapsed: u32, mantissa: impl Fn(u32) -> u32) -> (u64, u64) {
    debug_assert!(tx < 1 << TX_BITS && elapsed != 0 && elapsed < 1 << TS_BITS);
    let shift = elapsed.leading_zeros() - (32 - TS_BITS);
    let product = u128::from(tx) * u128::from(busy);
    let shifted = product << shift;
    let aligned = if shifted >> 60 != 0 {
        mask(ALIGNED_BITS)
    } else {
        (shifted >> 9) as u64
    };
    let fraction = mantissa(elapsed << shift);
    (aligned, ((u128::from(aligned) * u128::from(fraction)) >> 17) as u64)
}

/// Queue term of a hop in UQ18.37: `min(qLen, last qLen)` times the weight of its speed, exact.
pub fn queue_term(queue: u16, weight: u64) -> u64 {
    debug_assert!(u32::from(queue) < 1 << QUEUE_BITS);
    (u64::from(queue) * weight) << 5
}

/// Normalised utilisation of one hop, `u' / eta`: both terms added with their guard bits, rounded to nearest, saturated.
pub fn hop_utilisation(tx: u32, busy: u64, elapsed: u32, queue: u16, weight: u64) -> u64 {
    let (aligned, extra) = rate_term(tx, busy, elapsed);
    // the low five bits of the queue term are zero: half a unit of the result goes in there without an adder
    let sum = aligned + extra + (queue_term(queue, weight) | 4);
    (sum >> 3).min(mask(UTILISATION_BITS))
}

/// EWMA weight `tau / T` for `tau < T`: `tau` shifted up like the register, times `1/T`, truncated to UQ0.34.
pub fn weight(tau: u32, shift: u32, inverse_t: u64) -> u64 {
    ((u128::from(tau << shift) * u128::from(inverse_t)) >> 16) as u64
}

/// EWMA of line 9: `(1 - w) x c + w x u`, each product truncated 13 bits below the result, the sum rounded to nearest.
///
/// The two weights add to one exactly, so a steady input is a fixed point; a difference times `w` would need a sign, and
/// a product by a rounded `1/T` at the end would be off by its error over `w`.
pub fn ewma(c: u64, u: u64, w: u64) -> u64 {
    let rest = (1 << WEIGHT_BITS) - w;
    let low = EWMA_PRODUCT_LOW;
    let old = ((u128::from(c) * u128::from(rest)) >> low) as u64;
    let new = ((u128::from(u) * u128::from(w)) >> low) as u64;
    (old + new + (1 << (WEIGHT_BITS - low - 1))) >> (WEIGHT_BITS - low)
}

/// `1 / c` in UQ22.29, truncated, saturated (also for `c = 0`); relative error that of the reciprocal for `c` below 2^12.
pub fn inverse_utilisation(c: u64) -> u64 {
    inverse_with(c, reciprocal_mantissa)
}

/// [`inverse_utilisation`] with another table of 1/n.
pub(super) fn inverse_with(c: u64, reciprocal: impl Fn(u32) -> u32) -> u64 {
    let shift = (c | 1).leading_zeros() - (64 - UTILISATION_BITS);
    if c == 0 || shift >= 39 {
        return mask(INVERSE_UTILISATION_BITS);
    }
    let mantissa = ((c << shift) >> (UTILISATION_BITS - 24)) as u32;
    let y = (1 << 17) | u64::from(reciprocal(mantissa));
    (y << shift) >> 5
}

/// Lines 12 to 17: the new window before the clamp, `reference x 1/c + W_AI` or `reference + W_AI`: three guard bits, then
/// rounded to nearest. `None` when the product leaves the format: the clamp's upper bound applies.
pub fn window(reference: u64, inverse: Option<u64>, additive: u64) -> Option<u64> {
    let base = match inverse {
        None => reference << WINDOW_GUARD,
        Some(k) => {
            let product = (u128::from(reference) * u128::from(k)) >> WINDOW_PRODUCT_LOW;
            if product >> (WINDOW_BITS + WINDOW_GUARD) != 0 {
                return None;
            }
            product as u64
        }
    };
    Some((base + additive + (1 << (WINDOW_GUARD - 1))) >> WINDOW_GUARD)
}

/// `W / T_W` in UQ7.27, truncated.
pub fn rate(window: u64, per_window: u64) -> u64 {
    ((u128::from(window) * u128::from(per_window)) >> RATE_PRODUCT_LOW) as u64
}

/// What the law computes with: the hardware's arithmetic ([`Shipped`]), or that of another precision
/// ([`super::precision::Reduced`]).
pub trait Arithmetic {
    /// See [`hop_utilisation`].
    fn hop_utilisation(&self, tx: u32, busy: u64, elapsed: u32, queue: u16, weight: u64) -> u64;
    /// See [`weight`].
    fn weight(&self, tau: u32, shift: u32, inverse_t: u64) -> u64;
    /// See [`ewma`].
    fn ewma(&self, c: u64, u: u64, w: u64) -> u64;
    /// See [`inverse_utilisation`].
    fn inverse_utilisation(&self, c: u64) -> u64;
    /// See [`window`].
    fn window(&self, reference: u64, inverse: Option<u64>, additive: u64) -> Option<u64>;
}

/// The hardware's arithmetic: the functions of this module.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shipped;

impl Arithmetic for Shipped {
    fn hop_utilisation(&self, tx: u32, busy: u64, elapsed: u32, queue: u16, weight: u64) -> u64 {
        hop_utilisation(tx, busy, elapsed, queue, weight)
    }
    fn weight(&self, tau: u32, shift: u32, inverse_t: u64) -> u64 {
        weight(tau, shift, inverse_t)
    }
    fn ewma(&self, c: u64, u: u64, w: u64) -> u64 {
        ewma(c, u, w)
    }
    fn inverse_utilisation(&self, c: u64) -> u64 {
        inverse_utilisation(c)
    }
    fn window(&self, reference: u64, inverse: Option<u64>, additive: u64) -> Option<u64> {
        window(reference, inverse, additive)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn serial_comparison_is_strict_and_wraps() {
        assert!(psn_after(1, 0));
        assert!(!psn_after(0, 0));
        assert!(psn_after(3, 0xff_fffe));
        assert!(!psn_after(0xff_fffe, 3));
        assert!(psn_after(0x7f_ffff, 0));
        assert!(!psn_after(0x80_0000, 0));
    }

    /// The inverse of 2^-22, which is 2^12 units of 2^-34, is 2^22: the first that 22 integer bits do not hold. All bits are ones from below it to zero, and
    /// at it the value is within the table's error.
    #[test]
    fn the_inverse_saturates_where_its_format_ends() {
        for c in [0, 1, 1 << 11, (1 << 12) - 1] {
            assert_eq!(inverse_utilisation(c), mask(INVERSE_UTILISATION_BITS), "{c}");
        }
        for c in [1 << 12, 1 << 13] {
            let exact = 2f64.powi(63) / c as f64;
            let got = inverse_utilisation(c);
            assert!((got as f64 / exact - 1.0).abs() <= 2f64.powi(-16), "{c}: {got}");
            assert!(got <= mask(INVERSE_UTILISATION_BITS));
        }
    }

    fn any_bits(bits: u32) -> impl Strategy<Value = u64> {
        prop_oneof![
            2 => (0..bits, any::<u64>()).prop_map(move |(s, v)| (v & mask(bits)) >> s),
            1 => Just(0u64),
            1 => Just(mask(bits)),
            1 => (0..bits).prop_map(|s| 1u64 << s),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn hop_utilisation_is_within_its_bound(tx in any_bits(20), busy in any_bits(34), elapsed in any_bits(23), q in any_bits(16), kq in any_bits(34)) {
            let elapsed = elapsed.max(1) as u32;
            let got = hop_utilisation(tx as u32, busy, elapsed, q as u16, kq) as f64 / 2f64.powi(34);
            let exact = tx as f64 * busy as f64 / 2f64.powi(22) / f64::from(elapsed) + q as f64 * kq as f64 / 2f64.powi(32);
            if exact < 8192.0 {
                prop_assert!((got - exact).abs() <= exact * 2f64.powi(-16) + 2f64.powi(-34), "got {got} exact {exact}");
            } else {
                prop_assert!(got > 8191.0);
            }
        }

        #[test]
        fn ewma_stays_between_its_inputs_and_close(c in any_bits(51), u in any_bits(51), w in any_bits(34)) {
            let w = w.max(1);
            let got = ewma(c, u, w);
            prop_assert!(got >= c.min(u).saturating_sub(1) && got <= c.max(u));
            let x = w as f64 / 2f64.powi(34);
            let exact = c as f64 * (1.0 - x) + u as f64 * x;
            prop_assert!((got as f64 - exact).abs() <= 0.6 + exact * 1e-12, "got {got} exact {exact}");
            prop_assert_eq!(ewma(c, c, w), c);
        }

        #[test]
        fn inverse_is_within_its_bound(c in any_bits(51)) {
            let got = inverse_utilisation(c) as f64 / 2f64.powi(29);
            let value = c as f64 / 2f64.powi(34);
            let exact = 1.0 / value;
            if exact >= 2f64.powi(22) {
                prop_assert!(got >= 2f64.powi(22) * (1.0 - 2f64.powi(-16)));
            } else {
                prop_assert!((got / exact - 1.0).abs() <= 2f64.powi(-16) + 2f64.powi(-29) * value, "c {value} got {got} exact {exact}");
            }
        }

        #[test]
        fn window_is_within_its_bound(wc in any_bits(34), k in any_bits(51), ai in any_bits(33)) {
            let exact = wc as f64 * k as f64 / 2f64.powi(29) + ai as f64 / 8.0;
            match window(wc, Some(k), ai) {
                Some(w) => prop_assert!((w as f64 - exact).abs() <= 0.625 + exact * 1e-12),
                None => prop_assert!(exact - ai as f64 / 8.0 >= 2f64.powi(34) * (1.0 - 1e-12)),
            }
            prop_assert_eq!(window(wc, None, ai << 3), Some(wc + ai));
        }
    }
}
