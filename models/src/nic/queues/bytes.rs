//! Little-endian fields of entries.

use core::ops::Range;

/// The number in `bytes[at]`.
pub(super) fn get(bytes: &[u8], at: Range<usize>) -> u64 {
    bytes[at]
        .iter()
        .rev()
        .fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// The 32-bit number in `bytes[at]`.
pub(super) fn get32(bytes: &[u8], at: Range<usize>) -> u32 {
    get(bytes, at) as u32
}

/// Writes the low bytes of `value` to `bytes[at]`.
pub(super) fn put(bytes: &mut [u8], at: Range<usize>, value: u64) {
    let len = at.len();
    bytes[at].copy_from_slice(&value.to_le_bytes()[..len]);
}
