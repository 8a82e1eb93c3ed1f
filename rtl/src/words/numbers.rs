//! Numbers whose bits have parts with a meaning of their own.

use crate::prim::uint::U;
use rust_hdl::prelude::Bit;

crate::word! {
    /// A dividend that leaves bit by bit at the top, while the quotient comes in below.
    pub struct DividendBits {
        /// What follows, and the quotient so far.
        rest: U<23>,
        /// The next bit to divide.
        top: Bit,
    }

    /// The same by two bits a clock.
    pub struct DividendPairs {
        /// What follows, and the quotient so far.
        rest: U<22>,
        /// The next two bits to divide.
        top: U<2>,
    }

    /// A remainder with the next bit of the dividend.
    pub struct LongerRemainder {
        /// The next bit.
        lowest: Bit,
        /// The remainder so far.
        remainder: U<24>,
        /// Room for a borrow.
        zero: Bit,
    }

    /// The same with two bits.
    pub struct LongerRemainder4 {
        /// The next two bits.
        lowest: U<2>,
        /// The remainder so far.
        remainder: U<24>,
        /// Room for a borrow.
        zero: Bit,
    }

    /// A remainder less the divisor.
    pub struct DividerDifference {
        /// The new remainder, if there was no borrow.
        remainder: U<24>,
        /// Zero without a borrow.
        carry: Bit,
        /// The divisor is larger.
        borrow: Bit,
    }

    /// A remainder less one, two or three times the divisor.
    pub struct DividerDifference4 {
        /// The new remainder, if there was no borrow.
        remainder: U<24>,
        /// Zero without a borrow, if this multiple is the largest that fits.
        carry: U<2>,
        /// That much of the divisor is larger.
        borrow: Bit,
    }

    /// The lower bits of a shift.
    pub struct FineShift {
        /// One bit.
        one: Bit,
        /// Multiples of two bits.
        twos: U<2>,
    }

    /// How far a quotient is shifted.
    pub struct QuotientShift {
        /// 0 to 7 bits.
        fine: FineShift,
        /// Multiples of eight bits.
        eights: U<2>,
    }

    /// A quotient's aligned time, as multipliers of 17 bits take it.
    pub struct AlignedTiles {
        /// From 2^-37.
        low: U<17>,
        /// From 2^-20.
        middle: U<17>,
        /// From 2^-3.
        high: U<17>,
    }

    /// Product of two tiles.
    pub struct TileProduct {
        /// In the place of the lower tile.
        low: U<17>,
        /// In that of the tile above it.
        high: U<17>,
    }

    /// Products of the lowest and of the highest of three tiles, without what is cut, side by side.
    pub struct OuterTiles {
        /// Of the lowest.
        low: U<17>,
        /// Of the highest.
        high: TileProduct,
    }

    /// The lower bits of another shift.
    pub struct InverseFineShift {
        /// 0 to 3 bits.
        ones: U<2>,
        /// Multiples of four bits.
        fours: U<2>,
    }

    /// How far an inverse is shifted.
    pub struct InverseShift {
        /// 0 to 15 bits.
        fine: InverseFineShift,
        /// 16 bits.
        sixteen: Bit,
        /// 32 bits.
        thirty_two: Bit,
    }

    /// A normalised number where it is looked up in the paper's table of reciprocals.
    pub struct NormalisedNumber {
        /// Place in the cell.
        position: U<15>,
        /// Cell of its octave.
        index: U<8>,
        /// Set, unless the number is zero.
        top: Bit,
    }

    /// Number of a cell of the paper's table of reciprocals.
    pub struct PaperCellNumber {
        /// Cell of the octave.
        index: U<8>,
        /// Octave; 0 has the numbers below 256, one in each cell.
        octave: U<4>,
    }

    /// A cell of the paper's table of reciprocals: the last entry that begins in it or before it.
    pub struct PaperCell {
        /// It is the second entry of its pair.
        odd: Bit,
        /// Which pair of entries.
        pair: U<11>,
        /// It begins in this cell.
        starts_here: Bit,
    }

    /// Value of an entry of the paper's table of reciprocals.
    pub struct PaperValue {
        /// Mantissa behind its leading one.
        fraction: U<13>,
        /// Exponent plus 24.
        shift: U<5>,
    }

    /// Entry of the paper's table of reciprocals.
    pub struct PaperEntry {
        /// Value.
        value: PaperValue,
        /// Where in its cell it begins.
        position: U<13>,
    }

    /// Mantissa of a reciprocal out of the paper's table.
    pub struct PaperMantissa {
        /// All ones for the reciprocal of zero, else zero.
        zero: U<4>,
        /// Fraction.
        fraction: U<13>,
        /// Set.
        top: Bit,
    }

    /// An address of 64 bits, or a length, whose halves are added one clock after the other.
    pub struct MemoryHalves {
        /// Lower half.
        lower: U<32>,
        /// Upper half.
        upper: U<32>,
    }

    /// Sum of two such halves.
    pub struct HalfSum {
        /// The sum modulo 2^32.
        half: U<32>,
        /// What goes on into the upper half; of the upper half, beyond 2^64.
        carry: Bit,
    }
}
