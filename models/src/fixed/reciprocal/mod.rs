//! 1/n without a divider: one interface, three tables.
//!
//! Section 4.3 of the paper replaces the divisions of Eqn (4) by a multiplication with 1/n from a table of about 10 KB.
//! [`paper_table`] is that table; [`interpolated`] is the one the congestion-control module uses, ten times smaller
//! and some five hundred times more accurate; [`regular_table`] is the paper's idea with breakpoints that need no search.
//! In: n. Out: [`Inverse`], a floating-point number of 18 significant bits, the format of all the blocks in
//! `hpcc_rtl::prim`.

pub mod interpolated;
mod inverse;
mod measure;
pub mod paper_table;
pub mod regular_table;

pub use interpolated::{
    reciprocal_mantissa, table_entry, Interpolated, BASE_BITS, INDEX_BITS, ROUNDING, SLOPE_BITS, STEP_BITS,
    STORED_BASE_BITS, TABLE,
};
pub use inverse::{Inverse, Reciprocal, EXPONENT_BIAS, FRACTION_BITS};
pub use measure::ErrorStatistics;
pub use paper_table::PaperTable;
pub use regular_table::RegularTable;

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
