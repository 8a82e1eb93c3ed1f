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
    normalise: Normalise24,
    small: Delay<U<8>, 5>,
    normalised: Signal<Local, NormalisedNumber>,
    cell: DFF<PaperCellNumber>,
    position_11: Delay<U<15>, 6>,
    zero_13: Delay<Bit, 8>,
    #[init(Rom::new(cells()))]
    cells: Rom<12, 13>,
    entry: Signal<Local, PaperCell>,
    even_at: DFF<U<11>>,
    odd_at: DFF<U<11>>,
    is_odd_11: Delay<Bit, 3>,
    starts_here_11: Delay<Bit, 3>,
    #[init(Rom::new(bank(0)))]
    even: Rom<11, 31>,
    #[init(Rom::new(bank(1)))]
    odd: Rom<11, 31>,
    even_entry: Signal<Local, PaperEntry>,
    odd_entry: Signal<Local, PaperEntry>,
    last: Signal<Local, PaperEntry>,
    even_12: DFF<PaperValue>,
    odd_12: DFF<PaperValue>,
    is_odd_12: DFF<Bit>,
    before_12: DFF<Bit>,
    value: DFF<PaperValue>,
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
        self.normalise.n.next = self.n.val();
        self.small.d.next = bit_cast_u::<8, 24>(self.n.val());
        self.normalised.next = bit_cast_word::<NormalisedNumber, U<24>>(self.normalise.x.val());
        self.zero_13.d.next = !self.normalised.val().top;
        // two bits more than the table resolves: they are zero up to 2^22
        self.position_11.d.next = self.normalised.val().position;

        self.cell.d.next.octave = bit_cast_u::<4, 5>(bits_u::<5>(16) - self.normalise.shift.val());
        self.cell.d.next.index = self.normalised.val().index;
        if self.normalise.shift.val() >= 16 {
            self.cell.d.next.octave = bits_u::<4>(0);
            self.cell.d.next.index = self.small.q.val();
        }
        if self.normalise.shift.val() < 2 {
            self.cell.d.next.octave = bits_u::<4>(15);
            self.cell.d.next.index = bits_u::<8>(0);
        }
        self.cells.addr.next = bit_cast_number::<12, PaperCellNumber>(self.cell.q.val());

        self.entry.next = bit_cast_word::<PaperCell, U<13>>(self.cells.data.val());
        self.even_at.d.next = self.entry.val().pair;
        self.odd_at.d.next = self.entry.val().pair - bit_cast_u::<11, 1>(bit_cast_b(!self.entry.val().odd));
        self.is_odd_11.d.next = self.entry.val().odd;
        self.starts_here_11.d.next = self.entry.val().starts_here;
        self.even.addr.next = self.even_at.q.val();
        self.odd.addr.next = self.odd_at.q.val();

        self.even_entry.next = bit_cast_word::<PaperEntry, U<31>>(self.even.data.val());
        self.odd_entry.next = bit_cast_word::<PaperEntry, U<31>>(self.odd.data.val());
        self.last.next = self.even_entry.val();
        if self.is_odd_11.q.val() {
            self.last.next = self.odd_entry.val();
        }
        assign! {
            even_12.d = even_entry.value, odd_12.d = odd_entry.value, is_odd_12.d = is_odd_11.q
        }
        self.before_12.d.next = self.starts_here_11.q.val()
            & (self.position_11.q.val() < (bit_cast_u::<15, 13>(self.last.val().position) << 2));

        self.value.d.next = self.even_12.q.val();
        if self.is_odd_12.q.val() ^ self.before_12.q.val() {
            self.value.d.next = self.odd_12.q.val();
        }
        self.result.next.top = true;
        self.result.next.fraction = self.value.q.val().fraction;
        self.result.next.zero = bits_u::<4>(0);
        if self.zero_13.q.val() {
            self.result.next.zero = bits_u::<4>(0xf);
        }
        self.mantissa.next = bit_cast_number::<18, PaperMantissa>(self.result.val());
        self.shift.next = self.value.q.val().shift;
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
