//! The arithmetic of the PowerTCP pipeline, one function per group of stages, on the integers the registers hold.
//!
//! Interval, reciprocal, moving average, 1/c and rate are HPCC's ([`crate::fixed::arithmetic`]). What is PowerTCP's own is the current of a
//! hop, its product with the voltage, and the window.

use crate::fixed::arithmetic::{inverse_utilisation, psn_after};
use crate::fixed::formats::{mask, ALIGNED_BITS, BASE_RTT_BITS, TS_BITS, WINDOW_BITS, WINDOW_GUARD};
use crate::fixed::reciprocal::reciprocal_mantissa;

/// Bits of power over eta: UQ20.31. Range 0 to 1 048 576, saturates; resolution 4.7e-10.
///
/// An incast of `N` flows that start together has a power of up to `N^2`; 64 of them were measured at 2131. The smallest power that
/// moves a window is 2^-5.
pub const POWER_BITS: u32 = 51;
/// Fractional bits of power.
pub const POWER_FRACTION: u32 = 31;
/// Bits of the voltage of a hop over its base: UQ18.16, rounded to nearest; 1 or more.
pub const VOLTAGE_BITS: u32 = 34;
/// Fractional bits of the voltage.
pub const VOLTAGE_FRACTION: u32 = 16;
/// Fractional bits of theta's voltage, `RTT / tau`, UQ15.19: it may be far below 1 where `tau` is that of a longer path.
pub const DELAY_VOLTAGE_FRACTION: u32 = 19;
/// Bits of the weight `gamma`: UQ1.33.
pub const GAMMA_BITS: u32 = 34;
/// Fractional bits of `gamma`.
pub const GAMMA_FRACTION: u32 = 33;
/// Bits of `8 dtx + 5 dq`, what came to a hop in units of 16 bytes times the multiplier.
pub const ARRIVED_BITS: u32 = 24;
/// Bytes that came to a hop between two stamps, in sixteenths of a kilobit: `8 dtx + 5 dq`, since a unit of `txBytes` is 128 bytes and
/// one of `qLen` 80. Below zero, where the counters are too coarse for a queue that drains, it is zero. Saturates at 24 bits.
pub fn arrived(dtx: u32, queue: u16, last_queue: u16, count_queue: bool) -> u32 {
    let growth = if count_queue {
        5 * (i64::from(queue) - i64::from(last_queue))
    } else {
        0
    };
    (8 * i64::from(dtx) + growth).clamp(0, mask(ARRIVED_BITS) as i64) as u32
}

/// Current of a hop over its speed and over eta, UQ14.37, saturated: `arrived` times the time of an eighth of a unit, over the time
/// between the stamps. `busy` is the register of the hop's speed, UQ12.22 ns for a whole unit of 128 bytes.
pub fn current(arrived: u32, busy: u64, elapsed: u32) -> u64 {
    debug_assert!(elapsed != 0 && elapsed < 1 << TS_BITS);
    let shift = elapsed.leading_zeros() - (32 - TS_BITS);
    let shifted = (u128::from(arrived) * u128::from(busy)) << shift;
    let aligned = (shifted >> 12).min(u128::from(mask(ALIGNED_BITS))) as u64;
    let fraction = reciprocal_mantissa(elapsed << shift);
    let extra = ((u128::from(aligned) * u128::from(fraction)) >> 17) as u64;
    (aligned + extra).min(mask(ALIGNED_BITS))
}

/// Voltage of a hop over its base: `1 + q / (b tau)`; `weight` is UQ2.32 for one unit of the queue.
pub fn voltage(queue: u16, weight: u64) -> u64 {
    let low = 32 - VOLTAGE_FRACTION;
    ((u64::from(queue) * weight + (1 << (low - 1))) >> low) + (1 << VOLTAGE_FRACTION)
}

/// Voltage of theta: `RTT / tau`, UQ15.19, rounded to nearest, saturated; `1 / tau` as the moving average has it.
pub fn delay_voltage(rtt: u32, shift: u32, inverse_tau: u64) -> u64 {
    let product = (u128::from(rtt) * u128::from(inverse_tau)) << shift;
    let low = 50 - DELAY_VOLTAGE_FRACTION;
    ((product + (1 << (low - 1))) >> low).min(u128::from(mask(VOLTAGE_BITS))) as u64
}

/// Power over eta, UQ20.31: the current times a voltage with so many fractional bits, truncated, saturated.
pub fn power(current: u64, voltage: u64, fraction: u32) -> u64 {
    let product = u128::from(current) * u128::from(voltage);
    (product >> (37 + fraction - POWER_FRACTION)).min(u128::from(mask(POWER_BITS))) as u64
}

/// `1 / tau` of a base round-trip time that the flow has measured itself: its left shift and 2^50 over it, as the register has it, but from
/// the table of 1/n.
pub fn inverse_base_rtt(base_rtt: u32) -> (u32, u64) {
    let shift = base_rtt.max(1).leading_zeros() - (32 - BASE_RTT_BITS);
    let normal = (base_rtt.max(1) << shift) << (TS_BITS - BASE_RTT_BITS);
    let y = (1 << 17) | u64::from(reciprocal_mantissa(normal));
    (shift, y << 16)
}

/// `gamma / power` in UQ19.32, rounded to nearest: what the old window is multiplied with. It does not depend on the window, so that
/// the hardware's loop around the windows holds one multiplication.
pub fn weighted_inverse(power: u64, gamma: u64) -> u64 {
    // 1/c of a UQ17.34 in UQ22.29 is 1/c of a UQ20.31 in UQ19.32
    let product = u128::from(inverse_utilisation(power)) * u128::from(gamma);
    ((product >> (GAMMA_FRACTION - 1)) as u64).div_ceil(2)
}

/// Line 39: the new window before the clamp. `old`, `second` and the result are UQ23.11; `additive`, which is `gamma beta`, is UQ23.14.
/// Both products are cut to three guard bits, their sum is rounded to nearest. `None` when it leaves the format: the clamp's upper bound
/// applies.
pub fn window(old: u64, power: u64, additive: u64, gamma: u64, second: u64) -> Option<u64> {
    let first = (u128::from(old) * u128::from(weighted_inverse(power, gamma))) >> (32 - WINDOW_GUARD);
    if first >> (WINDOW_BITS + WINDOW_GUARD) != 0 {
        return None;
    }
    let rest = (1 << GAMMA_FRACTION) - gamma;
    let second = ((u128::from(second) * u128::from(rest)) >> (GAMMA_FRACTION - WINDOW_GUARD)) as u64;
    let rounded = (first as u64 + second + additive + (1 << (WINDOW_GUARD - 1))) >> WINDOW_GUARD;
    (rounded >> WINDOW_BITS == 0).then_some(rounded)
}

/// An acknowledgement ends the round trip that `snap` closes; at `snap` itself where `inclusive` (Algorithm 2).
pub fn ends_round_trip(psn_next: u32, snap: u32, inclusive: bool) -> bool {
    psn_after(psn_next, snap) || (inclusive && psn_next == snap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The inverse of 2^50 has 31 bits more than the voltage: 1 ns times half a unit rounds up, anything less down, and a shift doubles.
    #[test]
    fn voltage_of_a_delay_is_rounded_to_nearest() {
        assert_eq!(delay_voltage(1, 0, 1 << 30), 1);
        assert_eq!(delay_voltage(1, 0, (1 << 30) - 1), 0);
        assert_eq!(delay_voltage(3, 0, 1 << 30), 2);
        assert_eq!(delay_voltage(1, 2, 1 << 30), 2);
        // 1.5 round-trip times of 2^16 ns: UQ15.19
        assert_eq!(delay_voltage(3 << 15, 0, 1 << 34), 3 << 18);
        // the largest of both: (2^24 - 1) (2^34 - 1) / 2^24
        assert_eq!(delay_voltage((1 << 24) - 1, 7, mask(34)), (1 << 34) - (1 << 10) - 1);
    }

    /// A time below the base weighs less than one for every base, so that the weight fits the bits below one that the hardware has.
    #[test]
    fn a_time_below_a_measured_base_weighs_less_than_one() {
        for base in 1..1u32 << BASE_RTT_BITS {
            let (shift, inverse) = inverse_base_rtt(base);
            let largest = crate::fixed::arithmetic::weight(base - 1, shift, inverse);
            assert!(largest < 1 << 34, "{base}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn current_is_within_its_bound(arrived in 0u32..1 << 24, busy in 1u64..1 << 34, elapsed in 1u32..1 << 23) {
            let got = current(arrived, busy, elapsed) as f64 / 2f64.powi(37);
            let exact = f64::from(arrived) * busy as f64 / 2f64.powi(25) / f64::from(elapsed);
            if exact < 16_000.0 {
                prop_assert!((got - exact).abs() <= exact * 2f64.powi(-16) + 2f64.powi(-36), "got {got} exact {exact}");
            } else {
                prop_assert!(got > 15_999.0);
            }
        }

        #[test]
        fn power_is_within_its_bound(current in 0u64..1 << 51, queue in any::<u16>(), weight in 0u64..1 << 34) {
            let got = power(current, voltage(queue, weight), VOLTAGE_FRACTION) as f64 / 2f64.powi(31);
            let exact = current as f64 / 2f64.powi(37) * (1.0 + f64::from(queue) * weight as f64 / 2f64.powi(32));
            if exact < 1e6 {
                prop_assert!((got - exact).abs() <= exact * 2f64.powi(-17) + 2f64.powi(-31), "got {got} exact {exact}");
            } else {
                prop_assert!(got > 999_980.0);
            }
        }

        #[test]
        fn a_measured_base_is_inverted_within_the_reciprocal(base in 1u32..1 << 17) {
            let (shift, inverse) = inverse_base_rtt(base);
            let got = inverse as f64 * 2f64.powi(shift as i32) / 2f64.powi(50);
            prop_assert!((got * f64::from(base) - 1.0).abs() < 2f64.powi(-16));
        }

        #[test]
        fn window_is_within_its_bound(old in 0u64..1 << 33, power in 1u64 << 26..1 << 51, beta in 0u64..1 << 36, gamma in 0u64..=1 << 33, second in 0u64..1 << 33) {
            let g = gamma as f64 / 2f64.powi(33);
            let exact = g * (old as f64 * 2f64.powi(31) / power as f64) + beta as f64 / 8.0 + (1.0 - g) * second as f64;
            match window(old, power, beta, gamma, second) {
                Some(w) => prop_assert!((w as f64 - exact).abs() <= 1.0 + old as f64 * 2f64.powi(-31) + exact * 2f64.powi(-16), "got {w} exact {exact}"),
                None => prop_assert!(exact > 2f64.powi(34) * (1.0 - 1e-4)),
            }
        }

        #[test]
        fn a_steady_window_stays(w in 1u64..1 << 33, gamma in 0u64..=1 << 33) {
            // power 1, no increase: the weights add to one exactly
            let got = window(w, 1 << 31, 0, gamma, w).unwrap();
            prop_assert!(got.abs_diff(w) <= 1 + (w >> 16));
        }
    }
}
