//! Fields in and out of the limbs of a word.

use crate::prim::uint::mask;

/// Lowest bit of the field at `index`.
pub const fn low(widths: &[usize], index: usize) -> usize {
    let (mut at, mut i) = (0, 0);
    while i < index {
        at += widths[i];
        i += 1;
    }
    at
}

/// Width of a kind of so many values.
pub const fn bits_of_kind(values: usize) -> usize {
    if values < 2 {
        1
    } else {
        (usize::BITS - (values - 1).leading_zeros()) as usize
    }
}

/// The number has no more than so many bits.
pub const fn fits(number: u64, bits: usize) -> bool {
    number <= mask(bits)
}

/// Puts a field of `width` bits into a word whose bits there are zero.
#[inline(always)]
pub fn deposit(out: &mut [u64], low: usize, width: usize, value: &[u64]) {
    let shift = low % 64;
    for (i, limb) in value.iter().enumerate() {
        let at = low / 64 + i;
        out[at] |= limb << shift;
        if shift > 0 && shift + (width - 64 * i).min(64) > 64 {
            out[at + 1] |= limb >> (64 - shift);
        }
    }
}

/// Takes a field of `width` bits out of a word.
#[inline(always)]
pub fn extract(word: &[u64], low: usize, width: usize, out: &mut [u64]) {
    let shift = low % 64;
    for (i, limb) in out.iter_mut().enumerate() {
        let (at, rest) = (low / 64 + i, (width - 64 * i).min(64));
        *limb = word[at] >> shift;
        if shift > 0 && shift + rest > 64 {
            *limb |= word[at + 1] << (64 - shift);
        }
        *limb &= mask(rest);
    }
}
