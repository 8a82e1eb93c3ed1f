//! The fixed-point law at other precisions: fewer fraction bits, other tables of 1/n. What they cost in the network is the figure
//! "what fixed point costs" of the book; nothing here is built in hardware.
//!
//! Values keep the hardware's formats with their low bits zero: a utilisation of 12 fraction bits is one of 34 whose lowest 22 are zero. So
//! the decisions of the law, registers and tables of flows are the shipped ones, and [`Precision::HARDWARE`] is the shipped law bit for bit.

mod table;

use super::arithmetic::{inverse_with, queue_term, rate_term_with, weight, Arithmetic};
use super::formats::{
    mask, EWMA_PRODUCT_LOW, UTILISATION_BITS, WEIGHT_BITS, WINDOW_BITS, WINDOW_GUARD, WINDOW_PRODUCT_LOW,
};
use super::registers::HpccRegisters;
use crate::cc::hpcc::ParamError;

pub use table::ReciprocalTable;

/// Fraction bits of the hardware's utilisation and EWMA weight.
const UTILISATION_FRACTION: u32 = 34;
/// Fraction bits of the hardware's windows.
const WINDOW_FRACTION: i32 = 11;
/// The coarsest window: units of 4096 bytes.
const COARSEST_WINDOW: i32 = -12;

/// What differs from the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precision {
    /// Fraction bits of `c = U / eta` and of `tau / T`, 1 to 34.
    pub utilisation: u32,
    /// Fraction bits of windows, -12 (units of 4096 bytes) to 11.
    pub window: i32,
    /// Entries of the table of 1/n: a power of two up to 4096.
    pub entries: u32,
    /// The table is interpolated.
    pub interpolated: bool,
}

impl Precision {
    /// What the hardware has.
    pub const HARDWARE: Self = Self {
        utilisation: UTILISATION_FRACTION,
        window: WINDOW_FRACTION,
        entries: 256,
        interpolated: true,
    };
}

/// Arithmetic of a [`Precision`], with its table.
#[derive(Clone, Debug)]
pub struct Reduced {
    table: ReciprocalTable,
    /// Low bits of utilisations and weights that stay zero.
    drop_c: u32,
    /// Low bits of windows that stay zero.
    drop_w: u32,
}

/// To a multiple of `2^drop`, to nearest, ties up.
fn round(value: u64, drop: u32) -> u64 {
    ((value + ((1 << drop) >> 1)) >> drop) << drop
}

impl Reduced {
    /// Makes the table. Errors name the field.
    pub fn new(precision: &Precision) -> Result<Self, ParamError> {
        let wrong = |field, expected: &str, got: String| ParamError {
            field,
            expected: expected.into(),
            got,
        };
        if !(1..=UTILISATION_FRACTION).contains(&precision.utilisation) {
            let got = precision.utilisation.to_string();
            return Err(wrong("fraction_bits", "1 to 34", got));
        }
        if !(COARSEST_WINDOW..=WINDOW_FRACTION).contains(&precision.window) {
            return Err(wrong("window_bits", "-12 to 11", precision.window.to_string()));
        }
        let table = ReciprocalTable::new(precision.entries, precision.interpolated).ok_or_else(|| {
            wrong(
                "table_entries",
                "a power of two up to 4096",
                precision.entries.to_string(),
            )
        })?;
        Ok(Self {
            table,
            drop_c: UTILISATION_FRACTION - precision.utilisation,
            drop_w: (WINDOW_FRACTION - precision.window) as u32,
        })
    }

    /// The table of 1/n.
    pub fn table(&self) -> &ReciprocalTable {
        &self.table
    }

    /// Rounds the registers that hold values of the formats concerned; a smallest window below one unit becomes one unit.
    pub fn round_registers(&self, registers: &mut HpccRegisters) {
        registers.c_init = round(registers.c_init, self.drop_c);
        registers.w_init = round(registers.w_init, self.drop_w).max(1 << self.drop_w);
        registers.w_min = round(registers.w_min, self.drop_w).max(1 << self.drop_w);
        // as in hardware, three bits finer than the window
        registers.w_ai = round(registers.w_ai, self.drop_w);
    }
}

impl Arithmetic for Reduced {
    fn hop_utilisation(&self, tx: u32, busy: u64, elapsed: u32, queue: u16, queue_weight: u64) -> u64 {
        let (aligned, extra) = rate_term_with(tx, busy, elapsed, |x| self.table.mantissa(x));
        let guard = 3 + self.drop_c;
        let sum = aligned + extra + queue_term(queue, queue_weight);
        let largest = (mask(UTILISATION_BITS) >> self.drop_c) << self.drop_c;
        (((sum + (1 << (guard - 1))) >> guard) << self.drop_c).min(largest)
    }

    fn weight(&self, tau: u32, shift: u32, inverse_t: u64) -> u64 {
        (weight(tau, shift, inverse_t) >> self.drop_c) << self.drop_c
    }

    fn ewma(&self, c: u64, u: u64, w: u64) -> u64 {
        let rest = (1 << WEIGHT_BITS) - w;
        let low = EWMA_PRODUCT_LOW + self.drop_c;
        let guard = WEIGHT_BITS - EWMA_PRODUCT_LOW;
        let old = ((u128::from(c) * u128::from(rest)) >> low) as u64;
        let new = ((u128::from(u) * u128::from(w)) >> low) as u64;
        ((old + new + (1 << (guard - 1))) >> guard) << self.drop_c
    }

    fn inverse_utilisation(&self, c: u64) -> u64 {
        inverse_with(c, |x| self.table.mantissa(x))
    }

    fn window(&self, reference: u64, inverse: Option<u64>, additive: u64) -> Option<u64> {
        let base = match inverse {
            None => (reference << WINDOW_GUARD) >> self.drop_w,
            Some(k) => {
                let product = (u128::from(reference) * u128::from(k)) >> (WINDOW_PRODUCT_LOW + self.drop_w);
                if product >> (WINDOW_BITS + WINDOW_GUARD - self.drop_w) != 0 {
                    return None;
                }
                product as u64
            }
        };
        let sum = base + (additive >> self.drop_w) + (1 << (WINDOW_GUARD - 1));
        Some((sum >> WINDOW_GUARD) << self.drop_w)
    }
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::Shipped;
    use super::*;
    use proptest::prelude::*;

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
        fn at_the_hardwares_precision_it_is_the_hardwares_arithmetic(tx in any_bits(20), busy in any_bits(34), elapsed in any_bits(23),
            q in any_bits(16), kq in any_bits(34), c in any_bits(51), u in any_bits(51), w in any_bits(34), k in any_bits(51), ai in any_bits(37)) {
            let ours = Reduced::new(&Precision::HARDWARE).unwrap();
            let elapsed = elapsed.max(1) as u32;
            let hop = (tx as u32, busy, elapsed, q as u16, kq);
            prop_assert_eq!(ours.hop_utilisation(hop.0, hop.1, hop.2, hop.3, hop.4), Shipped.hop_utilisation(hop.0, hop.1, hop.2, hop.3, hop.4));
            prop_assert_eq!(ours.ewma(c, u, w), Shipped.ewma(c, u, w));
            prop_assert_eq!(ours.inverse_utilisation(c), Shipped.inverse_utilisation(c));
            prop_assert_eq!(ours.window(w, Some(k), ai), Shipped.window(w, Some(k), ai));
            prop_assert_eq!(ours.window(w, None, ai), Shipped.window(w, None, ai));
            let tau = tx as u32 & 0x1ffff;
            prop_assert_eq!(ours.weight(tau, 0, busy), Shipped.weight(tau, 0, busy));
        }

        #[test]
        fn fewer_bits_round_to_their_own_grid(bits in 1u32..=34, tx in any_bits(20), busy in any_bits(34), elapsed in any_bits(20), q in any_bits(16), kq in any_bits(34)) {
            let ours = Reduced::new(&Precision { utilisation: bits, ..Precision::HARDWARE }).unwrap();
            let elapsed = elapsed.max(1) as u32;
            let fine = Shipped.hop_utilisation(tx as u32, busy, elapsed, q as u16, kq);
            let coarse = ours.hop_utilisation(tx as u32, busy, elapsed, q as u16, kq);
            prop_assert_eq!(coarse & ((1 << (34 - bits)) - 1), 0);
            // half a unit of the coarse grid, and half a unit of the fine one, which rounded before
            prop_assert!(coarse.abs_diff(fine) <= (1 << (34 - bits)) / 2 + 1 || fine >= mask(UTILISATION_BITS) - (1 << (34 - bits)), "{fine} {coarse}");
        }
    }

    #[test]
    fn a_window_of_one_byte_units_is_whole() {
        let ours = Reduced::new(&Precision {
            window: 0,
            ..Precision::HARDWARE
        })
        .unwrap();
        // 1000 bytes over 1.5, and 80.25 bytes on top: 746.9 bytes
        let w = ours.window(1000 << 11, Some((1 << 29) * 2 / 3), 321 << 12).unwrap();
        assert_eq!((w >> 11, w & 0x7ff), (747, 0));
    }

    #[test]
    fn refuses_what_it_cannot_be() {
        let error = |p: Precision| Reduced::new(&p).unwrap_err().field;
        let hardware = Precision::HARDWARE;
        assert_eq!(
            error(Precision {
                utilisation: 0,
                ..hardware
            }),
            "fraction_bits"
        );
        assert_eq!(
            error(Precision {
                utilisation: 35,
                ..hardware
            }),
            "fraction_bits"
        );
        assert_eq!(error(Precision { window: 12, ..hardware }), "window_bits");
        assert_eq!(
            error(Precision {
                entries: 100,
                ..hardware
            }),
            "table_entries"
        );
    }
}
