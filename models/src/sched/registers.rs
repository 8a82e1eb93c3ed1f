//! Registers of the scheduler and where software writes them.

use super::formats::{mtu_bytes, INTERVAL_BITS, OVERHEAD_BITS, RETRY_BITS, TIMER_BITS, TIMER_SHIFT};

/// Bytes of a data packet on the wire beside its payload, with a full INT stack: Ethernet 14, IPv4 20, UDP 8, INT 42, BTH 12,
/// ICRC 4, FCS 4, preamble and gap 20.
pub const FULL_OVERHEAD: u32 = 14 + 20 + 8 + 42 + 12 + 4 + 4 + 20;

/// Addresses in the write port.
pub mod address {
    /// Wire bytes of a packet beside its payload.
    pub const OVERHEAD: u8 = 0;
    /// Visit interval of the credit cap, ns.
    pub const INTERVAL: u8 = 1;
    /// Retransmission timeout, units of 1.024 us.
    pub const TIMEOUT: u8 = 2;
    /// Timeouts without progress after which a flow ends.
    pub const RETRY_LIMIT: u8 = 3;
}

/// All registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedRegisters {
    /// Wire bytes of a packet beside its payload, 10 bits.
    pub overhead: u32,
    /// Visit interval of the credit cap, ns, 12 bits.
    pub interval_ns: u32,
    /// Retransmission timeout, units of 1.024 us, 16 bits.
    pub timeout: u32,
    /// Timeouts without progress after which a flow ends, 4 bits.
    pub retry_limit: u8,
}

impl Default for SchedRegisters {
    /// 50 flows an engine at 5 ns, twice for slots that events take; 4 ms; 7 retries.
    fn default() -> Self {
        Self {
            overhead: FULL_OVERHEAD,
            interval_ns: 512,
            timeout: 4_000_000 >> TIMER_SHIFT,
            retry_limit: 7,
        }
    }
}

impl SchedRegisters {
    /// Wire bytes of a full packet of MTU code `mtu`.
    pub const fn wire_bytes(&self, mtu: u8) -> u32 {
        mtu_bytes(mtu) + self.overhead
    }

    /// Every register as `(address, data)`, cut to its width.
    pub fn writes(&self) -> [(u8, u64); 4] {
        let cut = |value: u32, bits: u32| u64::from(value) & ((1 << bits) - 1);
        [
            (address::OVERHEAD, cut(self.overhead, OVERHEAD_BITS)),
            (address::INTERVAL, cut(self.interval_ns, INTERVAL_BITS)),
            (address::TIMEOUT, cut(self.timeout, TIMER_BITS)),
            (address::RETRY_LIMIT, cut(self.retry_limit.into(), RETRY_BITS)),
        ]
    }
}
