//! The number formats of the hardware, each declared once: range, resolution, why so wide.
//!
//! `UQi.f` is unsigned with `i` integer and `f` fractional bits. The utilisation is kept as `c = U / eta`, because the
//! law uses nothing else: the comparison with eta becomes "an integer bit is set", and no multiplication by eta is left.

use fixed::types::extra::{U11, U14, U22, U27, U29, U32, U34, U43, U50};
use fixed::FixedU64;

/// Normalised utilisation `c = U / eta`: UQ17.34. Range 0 to 131 072, saturates; resolution 5.8e-11.
///
/// The deepest queue the field can tell on the slowest hop is 65 535 x 80 bytes over 1 250, and 16 times that with the
/// largest multiplier in use; the smallest reading that means anything is one 128-byte unit in a whole wrap, 2^-20, and
/// keeps 14 significant bits. 51 bits are three multiplier tiles.
pub type Utilisation = FixedU64<U34>;
/// Bits of [`Utilisation`].
pub const UTILISATION_BITS: u32 = 51;

/// Window, reference window: UQ23.11, bytes. Range 0 to 8 MiB, resolution 1/2048 byte.
///
/// 4 MiB itself must fit, hence 23 integer bits; a window of one byte must be right to 2^-11, hence 11 fractional ones.
pub type Window = FixedU64<U11>;
/// Bits of [`Window`]: two 17-bit multiplier tiles.
pub const WINDOW_BITS: u32 = 34;

/// Register: additive increase `W_AI`: UQ23.14, bytes. Three bits finer than the window, as the product it is added to.
pub type AdditiveIncrease = FixedU64<U14>;
/// Bits of [`AdditiveIncrease`].
pub const ADDITIVE_INCREASE_BITS: u32 = 37;

/// Pacing rate: UQ7.27, bytes per ns. Range 0 to 1024 Gb/s, resolution 60 b/s.
pub type Rate = FixedU64<U27>;
/// Bits of [`Rate`].
pub const RATE_BITS: u32 = 34;

/// `1 / c`, the factor of the multiplicative branch: UQ22.29. Saturates at 4 Mi, where any window of a byte or more
/// meets the upper clamp.
pub type InverseUtilisation = FixedU64<U29>;
/// Bits of [`InverseUtilisation`]: three multiplier tiles.
pub const INVERSE_UTILISATION_BITS: u32 = 51;

/// Register per port speed: time one unit of `txBytes` takes on the port, over eta: UQ12.22, ns.
///
/// 128 bytes take 102.4 ns at 10 Gb/s and 1.28 ns at 800 Gb/s; multipliers up to 37 fit at 10 Gb/s (the utilisation sets the limit: 30).
pub type BusyTime = FixedU64<U22>;
/// Bits of [`BusyTime`]: two multiplier tiles.
pub const BUSY_TIME_BITS: u32 = 34;

/// Register per port speed: utilisation that one unit of `qLen` stands for, over eta: UQ2.32.
///
/// 80 bytes over `B x T_W` from 1 250 bytes to 10 MB; at the far end 15 significant bits are left.
pub type QueueWeight = FixedU64<U32>;
/// Bits of [`QueueWeight`]: two multiplier tiles.
pub const QUEUE_WEIGHT_BITS: u32 = 34;

/// Register: `1 / T` of the EWMA with `T` shifted up to 17 bits: 2^50 / T, a 34-bit integer with its top bit set.
pub type InverseBaseRtt = FixedU64<U50>;
/// Bits of [`InverseBaseRtt`]: two multiplier tiles.
pub const INVERSE_BASE_RTT_BITS: u32 = 34;

/// Bits of `T` and of `tau`, ns: 131 us.
pub const BASE_RTT_BITS: u32 = 17;

/// EWMA weight `tau / T` below one: UQ0.34. Resolution 5.8e-11: 1 ns of 100 us keeps 17 significant bits.
pub type Weight = FixedU64<U34>;
/// Bits of [`Weight`]; one itself is handled apart.
pub const WEIGHT_BITS: u32 = 34;

/// Register: `1 / T_W`, turns a window into a rate: UQ0.43 below 2^-9, per ns.
pub type RatePerWindow = FixedU64<U43>;
/// Bits of [`RatePerWindow`].
pub const RATE_PER_WINDOW_BITS: u32 = 34;

/// INT time stamp: 24 bits, ns, wraps after 16.8 ms.
pub const TS_BITS: u32 = 24;
/// INT transmitted bytes: 20 bits in units of 128 bytes times the multiplier.
pub const TX_BITS: u32 = 20;
/// INT queue length: 16 bits in units of 80 bytes times the multiplier.
pub const QUEUE_BITS: u32 = 16;
/// Packet sequence numbers: 24 bits, serial arithmetic.
pub const PSN_BITS: u32 = 24;
/// The NIC's clock as the flow state keeps it: 48 bits, ns, wraps after 78 hours.
pub const CLOCK_BITS: u32 = 48;
/// Time limits in registers: 32 bits, ns.
pub const LIMIT_BITS: u32 = 32;
/// `incStage` and `maxStage`.
pub const STAGE_BITS: u32 = 8;
/// Generation of a flow.
pub const GENERATION_BITS: u32 = 8;
/// Flow numbers on events.
pub const FLOW_BITS: u32 = 16;

/// Bits of the aligned busy time before the division: UQ14.37 (three multiplier tiles), shifted up by 9 while it moves.
/// A legal hop stays below 1.05 + the busy time of one unit, 4 096 at most.
pub const ALIGNED_BITS: u32 = 51;
/// Fractional bits of the aligned busy time: three guard bits below [`Utilisation`].
pub const ALIGNED_FRACTION: u32 = 37;

/// The lowest bits that a product keeps: the low end of what leaves the multiplier.
pub const EWMA_PRODUCT_LOW: u32 = 21;
/// As [`EWMA_PRODUCT_LOW`], of window times inverse utilisation; leaves [`WINDOW_GUARD`] bits below [`Window`].
pub const WINDOW_PRODUCT_LOW: u32 = 26;
/// Guard bits of a window until it is rounded.
pub const WINDOW_GUARD: u32 = 3;
/// As [`EWMA_PRODUCT_LOW`], of window times rate per window.
pub const RATE_PRODUCT_LOW: u32 = 11 + 43 - 27;

/// One row of the table of formats in the book.
pub struct Format {
    /// What it is.
    pub name: &'static str,
    /// Notation.
    pub notation: &'static str,
    /// Width in hardware.
    pub bits: u32,
    /// Fractional bits.
    pub fraction: u32,
    /// Unit.
    pub unit: &'static str,
}

/// All formats, for the book and for tests of range and resolution.
pub const TABLE: &[Format] = &[
    Format {
        name: "utilisation c = U/eta",
        notation: "UQ17.34",
        bits: UTILISATION_BITS,
        fraction: 34,
        unit: "1",
    },
    Format {
        name: "window, reference",
        notation: "UQ23.11",
        bits: WINDOW_BITS,
        fraction: 11,
        unit: "byte",
    },
    Format {
        name: "W_AI",
        notation: "UQ23.14",
        bits: ADDITIVE_INCREASE_BITS,
        fraction: 14,
        unit: "byte",
    },
    Format {
        name: "rate",
        notation: "UQ7.27",
        bits: RATE_BITS,
        fraction: 27,
        unit: "byte/ns",
    },
    Format {
        name: "1/c",
        notation: "UQ22.29",
        bits: INVERSE_UTILISATION_BITS,
        fraction: 29,
        unit: "1",
    },
    Format {
        name: "busy time of a txBytes unit",
        notation: "UQ12.22",
        bits: BUSY_TIME_BITS,
        fraction: 22,
        unit: "ns",
    },
    Format {
        name: "weight of a qLen unit",
        notation: "UQ2.32",
        bits: QUEUE_WEIGHT_BITS,
        fraction: 32,
        unit: "1",
    },
    Format {
        name: "1/T, T normalised",
        notation: "UQ-16.50",
        bits: INVERSE_BASE_RTT_BITS,
        fraction: 50,
        unit: "1/ns",
    },
    Format {
        name: "tau/T",
        notation: "UQ0.34",
        bits: WEIGHT_BITS,
        fraction: 34,
        unit: "1",
    },
    Format {
        name: "1/T_W",
        notation: "UQ-9.43",
        bits: RATE_PER_WINDOW_BITS,
        fraction: 43,
        unit: "1/ns",
    },
    Format {
        name: "aligned busy time",
        notation: "UQ14.37",
        bits: ALIGNED_BITS,
        fraction: 37,
        unit: "1",
    },
];

/// A mask of `bits` ones.
pub const fn mask(bits: u32) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_shows_this_table() {
        let page = include_str!("../../../docs/src/reference/number-formats.md");
        for f in TABLE {
            let row = format!("| {} | {} | {} | {} |", f.name, f.notation, f.bits, f.unit);
            assert!(page.contains(&row), "number-formats.md lacks the row {row}");
        }
    }

    #[test]
    fn widths_agree_with_the_notation() {
        for f in TABLE {
            let (i, frac) = f.notation[2..].split_once('.').expect("UQi.f");
            let i: i32 = i.parse().expect("integer bits");
            assert_eq!(frac.parse::<u32>().expect("fraction"), f.fraction, "{}", f.name);
            assert_eq!(i + f.fraction as i32, f.bits as i32, "{}", f.name);
        }
    }
}
