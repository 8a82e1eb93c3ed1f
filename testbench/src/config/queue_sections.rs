//! Tables of queue pairs with queues in one NIC's configuration file, as they stand there.

use serde::Deserialize;

/// Settings of a queue pair with queues; what is absent has the value of an ordinary verbs program.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct QueueSection {
    pub(super) timeout: u8,
    pub(super) retry_limit: u8,
    pub(super) rnr_retry: u8,
    pub(super) rnr_timer: u8,
    pub(super) max_rd_atomic: u8,
    pub(super) responder_reads: u8,
}

impl Default for QueueSection {
    fn default() -> Self {
        Self {
            timeout: 14,
            retry_limit: 7,
            rnr_retry: 7,
            rnr_timer: 12,
            max_rd_atomic: 16,
            responder_reads: 16,
        }
    }
}

/// Receives: `count` of them, one behind the other in memory.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReceiveSection {
    pub(super) qp: u32,
    pub(super) local_address: u64,
    pub(super) local_key: u32,
    pub(super) length: u32,
    #[serde(default = "one")]
    pub(super) count: u32,
    #[serde(default)]
    pub(super) at_ns: u64,
}

fn one() -> u32 {
    1
}
