//! What a queue pair remembers of what it sends back beside acknowledgements and echoes, and where the law at the receiver comes from.

use super::qp_config::QpConfig;
use crate::cc::hpcc::ReceiverClock;
use crate::cc::{CongestionControl, FlowSeen};

/// Makes the law that runs here for the peer of one queue pair: its window, line rate and least window are the peer's. `None` refuses the queue pair.
pub type ReceiverLaw = Box<dyn FnMut(&QpConfig) -> Option<Box<dyn CongestionControl>>>;

/// A queue pair's part in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reporting {
    /// When the law acts.
    pub clock: ReceiverClock,
    /// Number of the last notification of a window or of a number of flows.
    pub sequence: u32,
    /// Whether its peer's flow has been counted.
    pub seen: FlowSeen,
}
