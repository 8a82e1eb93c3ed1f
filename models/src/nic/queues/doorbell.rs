//! Doorbells: one 32-bit write that names a queue and an index.

use super::codes::codes;

/// Bytes of a doorbell page. A queue pair and a completion queue belong to one page; a doorbell in another page is ignored.
pub const PAGE_LEN: u32 = 4096;

codes! {
    /// Meaning of a doorbell; its number is the offset in the page, bytes.
    DoorbellKind {
        /// Send queue of a queue pair: index behind the last entry that the host has written.
        SendQueue = 0, "send_queue";
        /// Receive queue of a queue pair: index behind the last entry that the host has written.
        ReceiveQueue = 4, "receive_queue";
        /// Completion queue: index behind the last entry that the host has taken.
        CompletionConsumer = 8, "completion_consumer";
        /// Completion queue: an event for the next entry at this index or beyond; what the host has seen lies before it, taken or not.
        Arm = 12, "arm";
        /// Completion queue: an event for the next solicited or failed entry at this index or beyond.
        ArmSolicited = 16, "arm_solicited";
        /// Event queue, in page 0 only: index behind the last entry that the host has taken; an interrupt for the next entry there or beyond.
        EventConsumer = 20, "event_consumer";
    }
}

/// A doorbell's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doorbell {
    /// Place of a queue pair (the low bits of its number), number of a completion queue or of an event queue.
    pub number: u16,
    /// Index, counted from the start without end, 16 bits.
    pub index: u16,
}

impl Doorbell {
    /// Reads the word.
    pub fn decode(word: u32) -> Self {
        Self {
            number: (word >> 16) as u16,
            index: word as u16,
        }
    }

    /// The word.
    pub fn encode(self) -> u32 {
        u32::from(self.number) << 16 | u32::from(self.index)
    }
}
