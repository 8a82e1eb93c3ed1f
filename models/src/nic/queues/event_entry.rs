//! Entry of an event queue, 16 bytes.

use super::bytes::{get32, put};
use super::codes::codes;
use super::completion_entry::PHASE;

mod field {
    use core::ops::Range;
    pub const KIND: usize = 0;
    pub const NUMBER: Range<usize> = 4..8;
    /// Last byte; its highest bit is the phase.
    pub const LAST: usize = 15;
}

/// Bytes of an entry of an event queue.
pub const EVENT_ENTRY_LEN: usize = 16;

codes! {
    /// Kind of an event. Each kind is for completion queues or for queue pairs; the entry's number names which one.
    EventKind {
        /// Completion queue: an entry beyond the index that the host armed it with.
        Completion = 0, "completion";
        /// Completion queue: an entry found no room and was not written.
        CompletionOverrun = 1, "completion_overrun";
        /// Queue pair: its first packet came while it was ready to receive only.
        CommunicationEstablished = 2, "communication_established";
        /// Queue pair: no entry of the send queue is under way any more after the host asked for that.
        SendQueueDrained = 3, "send_queue_drained";
        /// Queue pair: it refused a request of the peer as invalid.
        RequestError = 4, "request_error";
        /// Queue pair: it refused a request of the peer for its key, bounds or rights.
        AccessError = 5, "access_error";
        /// Queue pair: it ended, and no completion could say so.
        QueuePairFatal = 6, "queue_pair_fatal";
    }
}

impl EventKind {
    /// The event's number names a completion queue, otherwise a queue pair.
    pub fn of_completion_queue(self) -> bool {
        matches!(self, Self::Completion | Self::CompletionOverrun)
    }
}

/// Kinds of events of a completion queue: places that it needs in its event queue.
pub const COMPLETION_QUEUE_EVENTS: u32 = 2;
/// Kinds of events of a queue pair: places that it needs in its event queue.
pub const QUEUE_PAIR_EVENTS: u32 = 5;

/// An event as it stands in an event queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventEntry {
    /// Kind of the event.
    pub kind: EventKind,
    /// Number of the completion queue or of the queue pair (24 bits).
    pub number: u32,
}

impl EventEntry {
    /// Reads an entry and its phase; `None` if no event has that kind.
    pub fn decode(bytes: &[u8; EVENT_ENTRY_LEN]) -> Option<(Self, bool)> {
        let entry = Self {
            kind: EventKind::from_code(bytes[field::KIND])?,
            number: get32(bytes, field::NUMBER),
        };
        Some((entry, bytes[field::LAST] & PHASE != 0))
    }

    /// The entry's bytes with a phase.
    pub fn encode(&self, phase: bool) -> [u8; EVENT_ENTRY_LEN] {
        let mut bytes = [0; EVENT_ENTRY_LEN];
        bytes[field::KIND] = self.kind.code();
        put(&mut bytes, field::NUMBER, self.number.into());
        bytes[field::LAST] = if phase { PHASE } else { 0 };
        bytes
    }
}
