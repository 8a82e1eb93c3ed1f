//! One hop of a trace.

use crate::cc::HopRecord;

/// Largest queue field of a trace: 17 bits.
pub const MAX_TRACE_QUEUE: u32 = (1 << 17) - 1;

/// One hop as recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceHop {
    /// Code of the port's speed in the header's table.
    pub speed: u8,
    /// Time stamp, 24 bits, ns.
    pub ts: u32,
    /// Bytes sent, 20 bits, unit 128 bytes times the multiplier.
    pub tx: u32,
    /// Bytes queued, 17 bits, unit 80 bytes times the multiplier.
    pub q: u32,
}

impl From<TraceHop> for HopRecord {
    /// Queues saturate at the 16 bits of the wire.
    fn from(hop: TraceHop) -> Self {
        Self {
            speed: hop.speed,
            ts: hop.ts,
            tx_bytes: hop.tx,
            q_len: u16::try_from(hop.q).unwrap_or(u16::MAX),
        }
    }
}
