//! Behavioural model of the NIC: what it does, without clocks.
//!
//! Frames and work requests in, frames and completions out, at times in nanoseconds; the same input gives the same output. It is
//! the reference for the RTL, the far end in tests of the RTL, and the host of the network's `golden` and `fixed` runs.
//!
//! | file | subject |
//! | --- | --- |
//! | `nic`, `qp` | the NIC and its queue pairs, host side |
//! | `acceptance` | which frames are looked at; one counter per reason |
//! | `receive` | from an accepted frame to the half of the queue pair that it concerns |
//! | `respond` | requests of the peer: execution, acknowledgement, duplicates |
//! | `acknowledge` | answers of the peer: acknowledgements, READ data, echoes |
//! | `requester`, `responder` | packet numbers of the two halves, without frames |
//! | `send_times` | when requests left, for laws of delay |
//! | `transmit`, `answers`, `frame` | which packet leaves next, and its bytes |
//! | `timers` | retransmission, ticks, and when to look again |
//! | `caps` | caps of flows, levels of groups, what an agent is told |
//! | `feedback` | events to congestion control, its updates |
//! | `notify` | marks of switches, congestion notification packets |
//! | `probe` | probes of the path and their responses |
//! | `reporting`, `notification` | INT that comes back in packets of its own, the law at the receiver: what a receiver sends, what a sender makes of it |
//! | `format` | INT in other formats than Fig. 7's |
//! | `control` | control packets |
//! | `link` | a lossy wire between two NICs |
//! | `queues` | queues in the host's memory |
//! | `registers` | the register map |

mod acceptance;
mod access;
mod acknowledge;
mod answers;
mod caps;
mod compare;
mod completion;
mod config;
mod control;
mod counters;
mod feedback;
mod feedback_config;
mod feedback_counters;
mod format;
mod frame;
mod keyed;
#[cfg(test)]
mod law_tests;
mod link;
mod memory;
// The NIC itself has the name of the module that it is the heart of.
#[allow(clippy::module_inception)]
mod nic;
mod notification;
mod notify;
mod pacing;
mod probe;
mod psn;
mod qp;
mod qp_config;
pub mod queues;
mod receive;
mod receiver_law;
pub mod registers;
mod reporting;
mod requester;
mod respond;
mod responder;
mod send_times;
mod timers;
mod transmit;

pub use acceptance::frame_fault;
pub use access::Access;
pub use compare::{describe, first_difference, Difference};
pub use completion::{Completion, HostError, Operation, Status, WorkRequest, MAX_MESSAGE};
pub use config::{CnpConfig, ControlConfig, NicConfig, ProbeConfig, CNP_UNIT_BITS};
pub use counters::{Counter, Counters};
pub use feedback_config::{FeedbackConfig, FormatConfig, SamplingConfig};
pub use feedback_counters::FeedbackCounters;
pub use keyed::{echo_tag, ECHO_TAG_LEN};
pub use link::{Link, LinkConfig, Pair};
pub use memory::{BlockMemory, BusError, Memory, Region, Regions};
pub use nic::Nic;
pub use pacing::GROUPS;
pub use qp_config::{PeerPort, QpConfig};
pub use receiver_law::ReceiverLaw;
pub use send_times::{is_timed, Departure, SendTimes, SEND_TIME_PLACES};

/// Flow number of the requests of queue pair `qpn`.
pub fn request_flow(qpn: u32) -> u32 {
    2 * qpn
}

/// Flow number of the READ responses of queue pair `qpn`.
pub fn response_flow(qpn: u32) -> u32 {
    2 * qpn + 1
}
