//! The paper's table (section 4.3): 1/n is stored only for those n where it differs from the one stored before by at
//! least epsilon of it, for 1 <= n <= 2^22.
//!
//! The paper gives neither epsilon nor the width of an entry, only "about 10 KB". With [`EPSILON_INVERSE`] and
//! [`ENTRY_BITS`] as chosen here the greedy rule keeps 2,627 values in 10,180 bytes. The estimate for n is the
//! value stored for the largest `n_k <= n`, so it is never too small by more than its rounding and too large by up to epsilon.
//!
//! The breakpoints `n_k` are irregular: below about 256 every n is one, above they are rounded up to integers. An n finds its
//! entry through a second table addressed by [`cell`], that is by the position of its leading one and the eight bits below. A cell is
//! at most 2^-8 of its n wide, so at most one breakpoint lies in it: the cell tells the last entry that starts in it or
//! before it, and comparing n's lower bits with that entry's tells whether it or the one before holds. The breakpoints are kept exactly.

use super::inverse::{leading_one, Inverse, Reciprocal, FRACTION_BITS};

/// Largest n of the table.
pub const LARGEST: u64 = 1 << 22;
/// 1/epsilon.
pub const EPSILON_INVERSE: u64 = 256;
/// Bits of a stored value's fraction.
pub const VALUE_FRACTION_BITS: u32 = 13;
/// Bits of a stored value's exponent ([`Inverse::shift`]).
pub const SHIFT_BITS: u32 = 5;
/// Bits of n below those that address its cell, in the highest octave that has any: where in its cell an `n_k` lies.
pub const POSITION_BITS: u32 = 13;
/// Bits of an entry: 1/n_k as fraction and shift, and the position of n_k.
pub const ENTRY_BITS: u32 = VALUE_FRACTION_BITS + SHIFT_BITS + POSITION_BITS;
/// Bits of n that address its cell, below the leading one.
pub const CELL_BITS: u32 = 8;
/// Cells: n itself below 2^8, then 256 per octave, and 2^22.
pub const CELLS: usize = ((22 - CELL_BITS as usize + 1) << CELL_BITS) + 1;
/// Bits of a cell: the number of an entry and whether that entry starts in the cell.
pub const CELL_ENTRY_BITS: u32 = 13;

/// A stored value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// First n it holds for.
    pub from: u32,
    /// Fraction of 1/from, [`VALUE_FRACTION_BITS`] wide, rounded to nearest.
    pub fraction: u32,
    /// Its exponent plus 24.
    pub shift: u32,
    /// Distance of `from` from the start of its cell, in units of the highest octave's n (2^-21 of the leading one).
    pub position: u32,
}

/// What the address table knows of the n of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The last entry that starts in this cell or before it.
    pub entry: u16,
    /// It starts in this cell: n below it belong to the entry before.
    pub starts_here: bool,
}

/// The cell of an n from 1 to 2^22.
pub const fn cell(n: u64) -> usize {
    let octave = leading_one(n);
    if octave < CELL_BITS {
        return n as usize;
    }
    let below = (n >> (octave - CELL_BITS)) & ((1 << CELL_BITS) - 1);
    ((octave - CELL_BITS + 1) as usize) << CELL_BITS | below as usize
}

/// Where in its cell an n lies, aligned so that all octaves compare alike.
pub const fn position(n: u64) -> u32 {
    let octave = leading_one(n);
    let aligned = if octave > 21 {
        n >> (octave - 21)
    } else {
        n << (21 - octave)
    };
    (aligned & ((1 << POSITION_BITS) - 1)) as u32
}

/// The n whose 1/n is stored: 1, then each time the smallest n with `1/n_k - 1/n >= epsilon / n_k`.
///
/// (The paper writes the difference with the other sign, which holds when the values are gone through from the largest n down; that
/// keeps 2,637 of them.)
pub fn breakpoints(epsilon_inverse: u64) -> Vec<u64> {
    // 1/n_k - 1/n >= 1/(E n_k)  <=>  n (E - 1) >= n_k E
    let next = |n: u64| (n * epsilon_inverse).div_ceil(epsilon_inverse - 1);
    std::iter::successors(Some(1), |n| Some(next(*n)))
        .take_while(|n| *n <= LARGEST)
        .collect()
}

impl Entry {
    fn starting_at(n: u64) -> Self {
        // 1/n = (1 + f) 2^-e with e = ceil(log2 n)
        let mut exponent = u64::BITS - (n - 1).leading_zeros();
        let one = 1u64 << VALUE_FRACTION_BITS;
        let mut rounded = (2 * (one << exponent) + n) / (2 * n);
        if rounded == 2 * one {
            (rounded, exponent) = (one, exponent - 1);
        }
        Self {
            from: n as u32,
            fraction: (rounded - one) as u32,
            shift: Inverse::new(0, -(exponent as i32)).shift(),
            position: position(n),
        }
    }

    /// The stored value.
    pub fn inverse(self) -> Inverse {
        Inverse::new(
            self.fraction << (FRACTION_BITS - VALUE_FRACTION_BITS),
            self.shift as i32 - super::inverse::EXPONENT_BIAS,
        )
    }
}

/// The table and the table that finds its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaperTable {
    /// Stored values, ascending in n. Entry 0 is 1/0 and stands for nothing else.
    pub entries: Vec<Entry>,
    /// Address table, one per [`cell`].
    pub cells: Vec<Cell>,
}

impl Default for PaperTable {
    fn default() -> Self {
        let zero = Entry {
            from: 0,
            fraction: (1 << VALUE_FRACTION_BITS) - 1,
            shift: Inverse::OF_ZERO.shift(),
            position: 0,
        };
        let stored = breakpoints(EPSILON_INVERSE).into_iter().map(Entry::starting_at);
        let entries: Vec<Entry> = std::iter::once(zero).chain(stored).collect();
        let mut cells = vec![
            Cell {
                entry: 0,
                starts_here: false
            };
            CELLS
        ];
        let mut last = 0;
        for (number, at) in cells.iter_mut().enumerate() {
            at.starts_here = entries
                .get(last + 1)
                .is_some_and(|next| cell(next.from.into()) == number);
            last += usize::from(at.starts_here);
            at.entry = last as u16;
        }
        Self { entries, cells }
    }
}

impl PaperTable {
    /// The number of the entry of n, found as the hardware finds it.
    pub fn find(&self, n: u64) -> usize {
        if n == 0 {
            return 0;
        }
        let n = n.min(LARGEST);
        let at = self.cells[cell(n)];
        let last = usize::from(at.entry);
        last - usize::from(at.starts_here && position(n) < self.entries[last].position)
    }

    /// Bytes of the stored values: the paper's "about 10 KB". The entry of zero is a matter of wiring.
    pub fn value_bytes(&self) -> usize {
        ((self.entries.len() - 1) * ENTRY_BITS as usize).div_ceil(8)
    }

    /// Bytes of the address table.
    pub fn address_bytes(&self) -> usize {
        (self.cells.len() * CELL_ENTRY_BITS as usize).div_ceil(8)
    }
}

impl Reciprocal for PaperTable {
    fn reciprocal(&self, n: u64) -> Inverse {
        match self.find(n) {
            0 => Inverse::OF_ZERO,
            found => self.entries[found].inverse(),
        }
    }
    fn largest(&self) -> u64 {
        LARGEST
    }
    fn table_bytes(&self) -> usize {
        self.value_bytes() + self.address_bytes()
    }
    /// Epsilon, as a part of the exact 1/n rather than of the stored one, and half a unit of the stored fraction.
    fn bound(&self) -> f64 {
        let rounding = 2f64.powi(-1 - VALUE_FRACTION_BITS as i32);
        (1.0 + 1.0 / (EPSILON_INVERSE - 1) as f64) * (1.0 + rounding) - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure::ErrorStatistics;
    use super::*;

    #[test]
    fn the_size_is_the_papers() {
        let table = PaperTable::default();
        println!(
            "{} values x {ENTRY_BITS} bits = {} bytes; {} cells x {CELL_ENTRY_BITS} bits = {} bytes",
            table.entries.len() - 1,
            table.value_bytes(),
            table.cells.len(),
            table.address_bytes()
        );
        assert_eq!((table.entries.len() - 1, table.value_bytes()), (2627, 10_180));
        assert_eq!((table.cells.len(), table.address_bytes()), (3841, 6_242));
        // as printed in the paper, from the largest n down: 1/n_{k+1} >= (1 + epsilon) / n_k
        let smaller = |n: &u64| Some(n * EPSILON_INVERSE / (EPSILON_INVERSE + 1)).filter(|n| *n > 0);
        assert_eq!(std::iter::successors(Some(LARGEST), smaller).count(), 2637);
    }

    /// The definition itself, one n after the other, against the entry that the two tables lead to.
    #[test]
    fn every_n_finds_the_entry_of_the_greedy_rule() {
        let table = PaperTable::default();
        let mut stored = 1;
        let mut number = 1;
        for n in 1..=LARGEST {
            // 1/stored - 1/n >= epsilon / stored
            if (n - stored) * EPSILON_INVERSE >= n {
                (stored, number) = (n, number + 1);
            }
            assert_eq!(table.find(n), number, "n = {n}");
            assert_eq!(u64::from(table.entries[number].from), stored, "n = {n}");
        }
        assert_eq!(number, table.entries.len() - 1);
    }

    #[test]
    fn error_over_every_n_is_within_the_bound() {
        let table = PaperTable::default();
        let errors = ErrorStatistics::over(&table, 1..=LARGEST);
        println!("paper's table: {errors}, bound {:.3e}", table.bound());
        assert!(errors.worst <= table.bound());
        // too small only by the rounding of what is stored
        assert!(errors.lowest >= -(2f64.powi(-14)));
        // the figures of the book
        assert!(
            (3.9e-3..4.0e-3).contains(&errors.worst) && (1.8e-3..2.1e-3).contains(&errors.mean),
            "{errors}"
        );
    }

    #[test]
    fn entries_fit_their_fields() {
        let table = PaperTable::default();
        for entry in &table.entries {
            assert!(entry.fraction < 1 << VALUE_FRACTION_BITS && entry.shift < 1 << SHIFT_BITS);
            assert!(entry.position < 1 << POSITION_BITS);
        }
        assert!(table.entries.len() < 1 << (CELL_ENTRY_BITS - 1));
        for n in [1, 2, 4, 1 << 20] {
            let exact = table.reciprocal(n).value() * n as f64;
            assert!((1.0..=1.004).contains(&exact), "n = {n}");
        }
    }
}
