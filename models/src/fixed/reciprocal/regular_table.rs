//! The paper's table with breakpoints that need no search: one value per [`cell`], addressed by n's leading one and the
//! eight bits below it.
//!
//! What it costs to deviate from the paper's rule: 3,841 values instead of 2,627. What it saves: the address table, the
//! position of each breakpoint and the stored exponent (it follows from n), so that 6.2 KB do what takes 16.4 KB with exact breakpoints,
//! at the same error. Kept as a model only: it shows where the paper's table stands; [`super::Interpolated`] is better than both.

use super::inverse::{leading_one, Inverse, Reciprocal, FRACTION_BITS};
use super::paper_table::{cell, CELLS, CELL_BITS, LARGEST, VALUE_FRACTION_BITS};

/// One fraction per cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegularTable {
    fractions: Vec<u32>,
    centred: bool,
}

impl RegularTable {
    /// Stores 1/n of the first n of each cell, as the paper's rule does.
    pub fn first_of_cell() -> Self {
        Self::with(false)
    }

    /// Stores the value in the middle between the cell's largest and smallest 1/n: half the error.
    pub fn centred() -> Self {
        Self::with(true)
    }

    fn with(centred: bool) -> Self {
        let mut fractions = vec![0; CELLS];
        let mut first = 1u64;
        while first <= LARGEST {
            let octave = leading_one(first);
            let width = 1u64 << octave.saturating_sub(CELL_BITS);
            let last = (first + width - 1).min(LARGEST);
            let scale = 2f64.powi(octave as i32 + 1);
            let value = if centred {
                scale * (1.0 / first as f64 + 1.0 / last as f64) / 2.0
            } else {
                scale / first as f64
            };
            let one = 1u32 << VALUE_FRACTION_BITS;
            let fraction = ((value - 1.0) * f64::from(one)).round() as u32;
            // exactly two, at a power of two, has no place in the fraction
            fractions[cell(first)] = fraction.min(one - 1);
            first += width;
        }
        Self { fractions, centred }
    }
}

impl Reciprocal for RegularTable {
    fn reciprocal(&self, n: u64) -> Inverse {
        if n == 0 {
            return Inverse::OF_ZERO;
        }
        let n = n.min(LARGEST);
        let fraction = self.fractions[cell(n)] << (FRACTION_BITS - VALUE_FRACTION_BITS);
        Inverse::new(fraction, -(leading_one(n) as i32) - 1)
    }
    fn largest(&self) -> u64 {
        LARGEST
    }
    fn table_bytes(&self) -> usize {
        (self.fractions.len() * VALUE_FRACTION_BITS as usize).div_ceil(8)
    }
    /// A cell's width over its first n, halved where values are centred, and a unit of the fraction over two.
    fn bound(&self) -> f64 {
        let width = 2f64.powi(-(CELL_BITS as i32) - i32::from(self.centred));
        width + 2f64.powi(-(VALUE_FRACTION_BITS as i32) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure::ErrorStatistics;
    use super::*;

    #[test]
    fn error_over_every_n_is_within_the_bound() {
        for table in [RegularTable::first_of_cell(), RegularTable::centred()] {
            let errors = ErrorStatistics::over(&table, 1..=LARGEST);
            println!("{} bytes: {errors}, bound {:.3e}", table.table_bytes(), table.bound());
            assert!(errors.worst <= table.bound());
            assert_eq!(table.table_bytes(), 6_242);
        }
    }
}
