//! Memory that a program shares with the daemon, one file per open device. The daemon makes and seals it.
//!
//! The first page holds words of both sides, behind it stand the words of doorbells, and from [`HEAP`] on the program places its rings. Nothing
//! in it is believed: where a ring lies and how large it is, the daemon keeps in its own memory.

/// Bytes of the file; only pages that are used exist.
pub const SIZE: u64 = 1 << 30;
/// Where rings begin.
pub const HEAP: u64 = 1 << 20;

/// Word of the daemon, 32 bits: it sleeps, and a doorbell has to wake it.
pub const SLEEPING: u64 = 0;
/// Number of the daemon, 64 bits: clock of the NIC, ns.
pub const CLOCK: u64 = 8;
/// Where the program's words begin.
pub const PROGRAM: u64 = 64;
/// Word of the program, 32 bits: verb calls so far, polls that found nothing not counted.
pub const CALLS: u64 = 64;
/// Word of the program, 32 bits: polls that found nothing.
pub const EMPTY_POLLS: u64 = 68;
/// Word of the program, 32 bits: `CALLS` as it was at the last poll that found nothing.
pub const CALLS_AT_POLL: u64 = 72;
/// Word of the program, 32 bits: threads in a call that waits for an event.
pub const BLOCKED: u64 = 76;

/// Where doorbell words begin.
pub const DOORBELLS: u64 = 128;
/// Bytes of doorbell words of one queue pair or completion queue.
pub const DOORBELL_STRIDE: u64 = 16;
/// Queue pairs and completion queues of a program at most.
pub const SLOTS: u32 = 4096;

/// A doorbell's word: how often it was rung in the upper half, the index in the lower.
pub fn doorbell_word(previous: u32, index: u16) -> u32 {
    (previous & 0xffff_0000).wrapping_add(0x1_0000) | u32::from(index)
}

/// Byte of a doorbell word within the record of its queue, from the doorbell's offset in the NIC's page.
pub fn doorbell_at(offset: u32) -> u64 {
    match offset {
        crate::abi::DOORBELL_SEND | crate::abi::DOORBELL_CONSUMED => 0,
        crate::abi::DOORBELL_RECEIVE | crate::abi::DOORBELL_ARM => 4,
        _ => 8,
    }
}
