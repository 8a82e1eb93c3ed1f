//! Scatter entry: a piece of the host's memory.

use super::bytes::{get, get32, put};

mod field {
    use core::ops::Range;
    pub const ADDRESS: Range<usize> = 0..8;
    pub const LENGTH: Range<usize> = 8..12;
    pub const KEY: Range<usize> = 12..16;
}

/// Bytes of a scatter entry.
pub const SEGMENT_LEN: usize = field::KEY.end;
/// Pieces of a work request or of a receive at most.
pub const MAX_SEGMENTS: usize = 4;

/// A piece of memory that a work request or a receive names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// First address, as the region's owner counts it.
    pub address: u64,
    /// Bytes.
    pub length: u32,
    /// Local key of the region.
    pub key: u32,
}

impl Segment {
    /// Reads the 16 bytes in front of `bytes`, which holds at least [`SEGMENT_LEN`] bytes.
    pub fn decode(bytes: &[u8]) -> Self {
        Self {
            address: get(bytes, field::ADDRESS),
            length: get32(bytes, field::LENGTH),
            key: get32(bytes, field::KEY),
        }
    }

    /// Writes the entry to the front of `bytes`, which holds at least [`SEGMENT_LEN`] bytes.
    pub fn encode(&self, bytes: &mut [u8]) {
        put(bytes, field::ADDRESS, self.address);
        put(bytes, field::LENGTH, self.length.into());
        put(bytes, field::KEY, self.key.into());
    }
}

/// Bytes of a list of pieces.
pub fn total_length(segments: &[Segment]) -> u64 {
    segments.iter().map(|segment| u64::from(segment.length)).sum()
}
