//! Numbers of the queue pairs of a NIC under test.

/// The first one with work.
pub const FIRST_QPN: u32 = 2;
/// So many a NIC has at most: numbers 2 to 149.
pub const MAX_QPS: u32 = 148;
/// The first one of a flood, at both ends.
pub const FIRST_FLOOD_QPN: u32 = 132;
