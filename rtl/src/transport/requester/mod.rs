//! Requester: from work requests to messages, from answers of the peer to completions.
//!
//! Per queue pair there is a ring of 16 messages, and how far they are acknowledged. What concerns the end of the ring or its oldest message
//! alone goes through a pipe ([`fast`]): a work request of one message, an acknowledgement or READ data that moves within the oldest
//! message or to its end, and READ responses in order. Everything else is for a state machine, which takes one input at a time. Both have the same tables and take turns.
//!
//! States and clocks: [`top`], [`fast::stages`].
//!
//! In the state machine work requests go from `look` to `post`. What has queued or finished a message then passes `look`, `fetch` and `decide` once
//! more to hand messages to the scheduler (`emit`); what ends the queue pair passes them over all its messages (`bury`).
//! An answer takes eight clocks there, a response of a READ nine; one clock more if the next input is on the
//! same stream. [`gather`] makes one answer of many about READ data.
//!
//! Reference: `hpcc_models::nic`. Deviations: a work request longer than 2^`SEGMENT` PSNs is several messages on the wire also
//! when it writes, the next PSN to send is not known here, so a READ gap is reported even when the flow has just gone back.
//!
//! | file | subject |
//! | --- | --- |
//! | `top` | the state machine |
//! | `fast` | the pipe beside it |
//! | `choice` | which input of the state machine is next |
//! | `store`, `queue` | state of all queue pairs, and of the one in hand |
//! | `ring` | messages |
//! | `intake` | work requests: check and division |
//! | `walk` | one step over the ring |
//! | `gather` | answers about READ data that become one |
//! | `answers` | what an answer is; INT |
//! | `reads` | READ responses |
//! | `completions`, `outlet` | what leaves |

pub mod answers;
pub mod choice;
pub mod completions;
pub mod fast;
pub mod gather;
pub mod intake;
pub mod outlet;
pub mod pointers;
pub mod queue;
pub mod reads;
pub mod ring;
pub mod store;
pub mod top;
pub mod walk;

#[cfg(test)]
mod tests;

pub use top::Requester;

use hpcc_models::nic::Counter;
use hpcc_models::wire::MASK_24;

/// PSNs of a message at most, as a power of two, in the NIC.
pub const SEGMENT: usize = 20;

/// PSNs of the longest message, `segment` being their number as a power of two.
pub const fn longest_message(segment: usize) -> u64 {
    1 << segment
}

/// Ones above the number of PSNs that may be outstanding, which is four of the longest messages.
pub const fn above_outstanding(segment: usize) -> u64 {
    MASK_24 as u64 + 1 - 4 * longest_message(segment)
}

/// Messages in a queue pair's ring.
pub const RING: usize = 16;

/// What each bit of the requester's `counts` counts.
pub const COUNTERS: [Counter; 12] = [
    Counter::GhostAck,
    Counter::IgnoredSyndrome,
    Counter::Duplicates,
    Counter::NaksReceived,
    Counter::ReadGaps,
    Counter::Stray,
    Counter::BadReadResponse,
    Counter::QpEnded,
    Counter::ErrorCompletions,
    Counter::IntManyHops,
    Counter::IntBadSpeed,
    Counter::RnrNaks,
];
