//! Packet numbers in 24-bit serial arithmetic.

use super::formats::PSN_MASK;

/// How far `a` is ahead of `b`, modulo 2^24; half of the space and more means behind.
pub const fn ahead(a: u32, b: u32) -> u32 {
    a.wrapping_sub(b) & PSN_MASK
}

/// `psn + n`.
pub const fn add(psn: u32, n: u32) -> u32 {
    psn.wrapping_add(n) & PSN_MASK
}

/// Whether `a` comes after `b`, strictly.
pub const fn is_after(a: u32, b: u32) -> bool {
    ahead(a, b) != 0 && ahead(a, b) < 1 << 23
}
