//! The paper's table of 1/n: thirteen clocks, one result each clock.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 1 - 5 | `normalise`, `small` | leading one of n and the bits below it; the low bits of n wait |
//! | 6 | `cell` | octave and eight bits below the leading one; n itself below 256; the last cell beyond 2^22 |
//! | 7, 8 | `cells` | the last entry that starts in this cell or before, and whether it starts here |
//! | 9 | `even_at`, `odd_at` | addresses of that entry and the one before, one in each bank |
//! | 10, 11 | `even`, `odd` | both entries |
//! | 12 | `before` | n lies below where the last entry starts: the one before holds |
//! | 13 | `value` | fraction and exponent of the entry that holds |
//!
//! Entries with an even number are in one bank, odd ones in the other, so that two neighbours come in one clock.
//! The tables are those of [`hpcc_models::fixed::reciprocal::PaperTable`], whose search this is.

use crate::prim::delay::Delay;
use crate::prim::normalise::Normalise24;
use crate::prim::rom::Rom;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word, Word};
use crate::words::numbers::{NormalisedNumber, PaperCell, PaperCellNumber, PaperEntry, PaperMantissa, PaperValue};
use crate::{block, kernel};
use hpcc_models::fixed::reciprocal::paper_table::{Cell, PaperTable};
use rust_hdl::prelude::*;

/// 1/n to 4.0e-3 for n to 2^22, thirteen clocks later; 1/2^22 for larger n.
#[block]
pub struct PaperReciprocal {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The number.
    pub n: Signal<In, U<24>>,
    /// Mantissa of 1/n, UQ1.17, top bit set; the lowest four bits are set for zero only.
    pub mantissa: Signal<Out, U<18>>,
    /// Exponent of 1/n plus 24; 31 only for n = 0.
    pub shift: Signal<Out, U<5>>,
    #[registers(U<11>: even_at, odd_at)]
    #[signals(PaperEntry: even_entry, odd_entry, last)]
    #[registers(PaperValue: even_12, odd_12, value)]
    #[registers(Bit: is_odd_12, before_12)]
    normalise: Normalise24,
    small: Delay<U<8>, 5>,
    position_11: Delay<U<15>, 6>,
    zero_13: Delay<Bit, 8>,
    #[init(Rom::new(cells()))]
    cells: Rom<12, 13>,
    is_odd_11: Delay<Bit, 3>,
    starts_here_11: Delay<Bit, 3>,
    #[init(Rom::new(bank(0)))]
    even: Rom<11, 31>,
    #[init(Rom::new(bank(1)))]
    odd: Rom<11, 31>,
    normalised: Signal<Local, NormalisedNumber>,
    cell: DFF<PaperCellNumber>,
    entry: Signal<Local, PaperCell>,
    result: Signal<Local, PaperMantissa>,
}

/// Words of a ROM of 2^`A` entries, zeros after the last.
fn padded<const A: usize>(words: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut words: Vec<u64> = words.collect();
    words.resize(1 << A, 0);
    words
}

/// The words of the ROM of cells.
fn cells() -> Vec<u64> {
    let word = |cell: &Cell| {
        let word = PaperCell {
            odd: cell.entry % 2 == 1,
            pair: U(u64::from(cell.entry) / 2),
            starts_here: cell.starts_here,
        };
        word.limbs()[0]
    };
    padded::<12>(PaperTable::default().cells.iter().map(word))
}

/// The words of the ROM of even entries, `parity` 0, or odd ones, 1.
fn bank(parity: usize) -> Vec<u64> {
    let table = PaperTable::default();
    let entries = table.entries.iter().skip(parity).step_by(2);
    padded::<11>(entries.map(|entry| {
        let word = PaperEntry {
            value: PaperValue {
                fraction: U(u64::from(entry.fraction)),
                shift: U(u64::from(entry.shift)),
            },
            position: U(u64::from(entry.position)),
        };
        word.limbs()[0]
    }))
}

#[kernel]
impl Logic for PaperReciprocal {
    fn update(&mut self) {
        normalise.n = n;
        small = bit_cast_u::<8, 24>(n);
        normalised = bit_cast_word::<NormalisedNumber, U<24>>(normalise.x);
        zero_13 = !normalised.top;
        // two bits more than the table resolves: they are zero up to 2^22
        position_11 = normalised.position;

        cell.octave = bit_cast_u::<4, 5>(bits_u::<5>(16) - normalise.shift);
        cell.index = normalised.index;
        if normalise.shift >= 16 {
            cell.octave = bits_u::<4>(0);
            cell.index = small;
        }
        if normalise.shift < 2 {
            cell.octave = bits_u::<4>(15);
            cell.index = bits_u::<8>(0);
        }
        cells.addr = bit_cast_number::<12, PaperCellNumber>(cell);

        entry = bit_cast_word::<PaperCell, U<13>>(cells.data);
        even_at = entry.pair;
        odd_at = entry.pair - bit_cast_u::<11, 1>(bit_cast_b(!entry.odd));
        is_odd_11 = entry.odd;
        starts_here_11 = entry.starts_here;
        even.addr = even_at;
        odd.addr = odd_at;

        even_entry = bit_cast_word::<PaperEntry, U<31>>(even.data);
        odd_entry = bit_cast_word::<PaperEntry, U<31>>(odd.data);
        last = if is_odd_11 { odd_entry } else { even_entry };
        assign! {
            even_12.d = even_entry.value, odd_12.d = odd_entry.value, is_odd_12.d = is_odd_11.q
        }
        before_12 = starts_here_11 & (position_11 < (bit_cast_u::<15, 13>(last.position) << 2));

        value = if is_odd_12 ^ before_12 { odd_12 } else { even_12 };
        result.top = true;
        result.fraction = value.fraction;
        result.zero = if zero_13 { bits_u::<4>(0xf) } else { bits_u::<4>(0) };
        mantissa = bit_cast_number::<18, PaperMantissa>(result);
        shift = value.shift;
    }
}

impl PaperReciprocal {
    /// Clocks from `n` to its reciprocal.
    pub const LATENCY: usize = 13;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};
    use hpcc_models::fixed::reciprocal::Reciprocal as _;
    use std::collections::VecDeque;

    /// Both sides of every breakpoint and random numbers; the Verilated block is enumerated by the test bench.
    #[test]
    fn agrees_with_the_model_thirteen_clocks_later() {
        let table = PaperTable::default();
        let mut block: Box<PaperReciprocal> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(6);
        let breakpoints = table
            .entries
            .iter()
            .skip(1)
            .flat_map(|entry| [entry.from - 1, entry.from]);
        let mut inputs: Vec<u64> = breakpoints.map(u64::from).collect();
        inputs.extend([1 << 22, (1 << 22) + 1, (1 << 24) - 1]);
        inputs.extend((0..10_000).map(|_| stimulus.corner(24)));
        let mut past = VecDeque::new();
        for n in inputs.into_iter().chain([0; PaperReciprocal::LATENCY]) {
            block.n.next = U(n);
            past.push_back(n);
            let got = step(block.as_mut(), |b| (b.mantissa.val().0, b.shift.val().0));
            if past.len() > PaperReciprocal::LATENCY {
                let n = past.pop_front().expect("in flight");
                let inverse = table.reciprocal(n);
                assert_eq!(
                    got,
                    (u64::from(inverse.mantissa), u64::from(inverse.shift())),
                    "n = {n}"
                );
            }
        }
    }
}
