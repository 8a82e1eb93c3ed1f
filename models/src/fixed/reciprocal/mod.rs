//! 1/n without a divider: one interface, three tables.
//!
//! Section 4.3 of the paper replaces the divisions of Eqn (4) by a multiplication with 1/n from a table of about 10 KB.
//! [`paper_table`] is that table; [`interpolated`] is the one the congestion-control module uses, ten times smaller
//! and some five hundred times more accurate; [`regular_table`] is the paper's idea with breakpoints that need no search.
//! In: n. Out: [`Inverse`], a floating-point number of 18 significant bits, the format of all the blocks in
//! `hpcc_rtl::prim`.

pub mod interpolated;
mod measure;
pub mod paper_table;
pub mod regular_table;

pub use interpolated::{
    reciprocal_mantissa, table_entry, Interpolated, BASE_BITS, FRACTION_BITS, INDEX_BITS, SLOPE_BITS, STEP_BITS, TABLE,
};
pub use measure::ErrorStatistics;
pub use paper_table::PaperTable;
pub use regular_table::RegularTable;

/// An approximation of 1/n: `mantissa / 2^17 x 2^exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inverse {
    /// UQ1.17 from one up to, not including, two: 18 bits, the top one set.
    pub mantissa: u32,
    /// Power of two: 0 for n = 1 and otherwise negative, [`Inverse::OF_ZERO`] excepted.
    pub exponent: i32,
}

impl Inverse {
    /// What 1/0 is defined as: above every other result, every bit of both ports of the hardware set.
    pub const OF_ZERO: Self = Self {
        mantissa: (1 << (FRACTION_BITS + 1)) - 1,
        exponent: 31 - EXPONENT_BIAS,
    };

    /// `(1 + fraction / 2^17) x 2^exponent`.
    pub fn new(fraction: u32, exponent: i32) -> Self {
        Self {
            mantissa: 1 << FRACTION_BITS | fraction,
            exponent,
        }
    }

    /// The number itself, exact.
    pub fn value(self) -> f64 {
        f64::from(self.mantissa) * 2f64.powi(self.exponent - FRACTION_BITS as i32)
    }

    /// The exponent as the hardware's 5-bit port `shift` carries it: plus 24, so that the leading zeros of a 24-bit n
    /// are the shift of an n that is no power of two.
    pub fn shift(self) -> u32 {
        (self.exponent + EXPONENT_BIAS) as u32
    }
}

/// What [`Inverse::shift`] adds to the exponent: the width of the hardware's n.
pub const EXPONENT_BIAS: i32 = 24;

/// A way to compute 1/n.
pub trait Reciprocal {
    /// 1/n; [`Inverse::OF_ZERO`] for zero, 1/[`largest`](Self::largest) for larger n.
    fn reciprocal(&self, n: u64) -> Inverse;
    /// Largest n for which [`bound`](Self::bound) holds.
    fn largest(&self) -> u64;
    /// Bytes of all the tables it reads, bits rounded up once.
    fn table_bytes(&self) -> usize;
    /// Bound on the relative error for every n from 1 to [`largest`](Self::largest).
    fn bound(&self) -> f64;
}

/// Position of the leading one of `n`: `floor(log2 n)`. `n` is not zero.
const fn leading_one(n: u64) -> u32 {
    63 - n.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends every table shares: zero, one, and what lies beyond the largest n.
    #[test]
    fn zero_one_and_the_end_are_the_same_for_all() {
        let all: [&dyn Reciprocal; 4] = [
            &Interpolated,
            &PaperTable::default(),
            &RegularTable::first_of_cell(),
            &RegularTable::centred(),
        ];
        for table in all {
            assert_eq!(table.reciprocal(0), Inverse::OF_ZERO);
            assert!((table.reciprocal(1).value() - 1.0).abs() <= table.bound());
            assert_eq!(
                table.reciprocal(table.largest().saturating_add(1)),
                table.reciprocal(table.largest())
            );
        }
        assert_eq!((Inverse::OF_ZERO.mantissa, Inverse::OF_ZERO.shift()), (0x3ffff, 31));
        assert_eq!(Inverse::new(0, 0).shift(), 24);
    }
}
