//! Sizes of what a NIC with queues keeps for its host.

/// Event queues, and interrupt vectors.
pub const EVENT_QUEUES: usize = 16;

/// Sizes of the tables of a NIC with queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSizes {
    /// Low bits of a queue pair's number that are its place. Places 0 and 1 are not used.
    pub place_bits: u32,
    /// Bits of a key, from bit 8 on, that are its entry in the table of regions.
    pub region_bits: u32,
    /// Completion queues.
    pub completion_queues: u16,
}

impl Default for QueueSizes {
    fn default() -> Self {
        Self {
            place_bits: 11,
            region_bits: 14,
            completion_queues: 4096,
        }
    }
}

impl QueueSizes {
    /// Place of a queue pair: the number in its doorbells.
    pub fn place(&self, qpn: u32) -> u16 {
        (qpn & ((1 << self.place_bits) - 1)) as u16
    }

    /// Entry of a key.
    pub fn entry(&self, key: u32) -> u32 {
        key >> 8 & ((1 << self.region_bits) - 1)
    }
}
