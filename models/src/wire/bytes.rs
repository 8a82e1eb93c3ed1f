//! Big-endian fields at fixed byte ranges.

use super::WireError;
use core::ops::Range;

/// Unsigned integer in the bytes of `range`, most significant first. The range is at most 8 bytes and inside `data`.
pub(super) fn get(data: &[u8], range: Range<usize>) -> u64 {
    data[range].iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// As [`get`], for fields of at most 32 bits.
pub(super) fn get32(data: &[u8], range: Range<usize>) -> u32 {
    get(data, range) as u32
}

/// As [`get`], for fields of at most 16 bits.
pub(super) fn get16(data: &[u8], range: Range<usize>) -> u16 {
    get(data, range) as u16
}

/// Writes the low bytes of `value` into `range`, most significant first.
pub(super) fn put(data: &mut [u8], range: Range<usize>, value: u64) {
    let len = range.len();
    data[range].copy_from_slice(&value.to_be_bytes()[8 - len..]);
}

/// Fails unless `data` has at least `need` bytes.
pub(super) fn check_len(header: &'static str, data: &[u8], need: usize) -> Result<(), WireError> {
    if data.len() < need {
        return Err(WireError::Truncated {
            header,
            need,
            have: data.len(),
        });
    }
    Ok(())
}
