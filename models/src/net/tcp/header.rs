//! What a TCP packet carries beyond addresses: sequence number, acknowledgement, selective blocks, timestamps, ECN flags.

/// Blocks of a selective acknowledgement (RFC 2018): first byte, byte after the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    list: [(u64, u64); 4],
    len: u8,
}

impl Blocks {
    /// The first `most` blocks of a list.
    pub fn from_list(list: &[(u64, u64)], most: usize) -> Self {
        let mut blocks = Self::default();
        for &block in list.iter().take(most.min(4)) {
            blocks.list[usize::from(blocks.len)] = block;
            blocks.len += 1;
        }
        blocks
    }

    /// As a slice.
    pub fn as_slice(&self) -> &[(u64, u64)] {
        &self.list[..usize::from(self.len)]
    }
}

/// A segment with payload, from sender to receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// First byte.
    pub seq: u64,
    /// Payload, bytes.
    pub len: u32,
    /// Sent before.
    pub again: bool,
    /// CWR: the sender has reduced its window (RFC 3168, 6.1.2).
    pub cwr: bool,
    /// Timestamp, in units of the stack's clock.
    pub stamp: u64,
}

/// A segment without payload, from receiver to sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acknowledgement {
    /// Next byte expected.
    pub number: u64,
    /// ECE: congestion experienced (RFC 3168, 6.1.3; RFC 8257, 3.2).
    pub ece: bool,
    /// What arrived beyond it.
    pub blocks: Blocks,
    /// Echo of a timestamp (RFC 7323, 4.3).
    pub echo: u64,
}
