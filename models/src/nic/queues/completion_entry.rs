//! Entry of a completion queue, 32 bytes.

use super::bytes::{get, get32, put};
use super::codes::codes;
use super::send_entry::SendOpcode;
use crate::nic::Status;

mod field {
    use core::ops::Range;
    pub const WORK: Range<usize> = 0..8;
    pub const QPN: Range<usize> = 8..11;
    pub const OPCODE: usize = 11;
    pub const STATUS: usize = 12;
    pub const FLAGS: usize = 13;
    pub const INDEX: Range<usize> = 14..16;
    pub const LENGTH: Range<usize> = 16..20;
    pub const IMMEDIATE: Range<usize> = 20..24;
    pub const TIME: Range<usize> = 24..30;
    /// Last byte; its highest bit is the phase.
    pub const LAST: usize = 31;
}

/// Bytes of an entry of a completion queue.
pub const COMPLETION_ENTRY_LEN: usize = 32;
/// The last bit of an entry of a completion or event queue, in its last byte: 1 in the first pass over the ring, then 0, and so on in turn.
pub const PHASE: u8 = 0x80;
/// Bits of the time stamp, ns; it wraps after 78 hours.
pub const TIME_BITS: u32 = 48;

/// The entry has immediate data.
pub const COMPLETION_IMMEDIATE: u8 = 1 << 0;
/// The message invalidated a region; its key stands in the place of immediate data.
pub const COMPLETION_INVALIDATED: u8 = 1 << 1;
/// The peer asked for an event (solicited).
pub const COMPLETION_SOLICITED: u8 = 1 << 2;

codes! {
    /// Operation that completed. Numbers are those of `ibv_wc_opcode`.
    CompletionOpcode {
        /// SEND of any kind.
        Send = 0, "send";
        /// WRITE, with immediate data or without.
        Write = 1, "write";
        /// READ.
        Read = 2, "read";
        /// Compare and swap.
        CompareSwap = 3, "compare_swap";
        /// Fetch and add.
        FetchAdd = 4, "fetch_add";
        /// Receive that a SEND took.
        Receive = 128, "receive";
        /// Receive that a WRITE with immediate data took.
        ReceiveWrite = 129, "receive_write";
    }
}

impl CompletionOpcode {
    /// Opcode in the completion of a work request.
    pub fn of(opcode: SendOpcode) -> Self {
        match opcode {
            SendOpcode::Write | SendOpcode::WriteImmediate => Self::Write,
            SendOpcode::Send | SendOpcode::SendImmediate | SendOpcode::SendInvalidate => Self::Send,
            SendOpcode::Read => Self::Read,
            SendOpcode::CompareSwap => Self::CompareSwap,
            SendOpcode::FetchAdd => Self::FetchAdd,
        }
    }

    /// The completion belongs to a receive queue.
    pub fn is_receive(self) -> bool {
        matches!(self, Self::Receive | Self::ReceiveWrite)
    }
}

/// A completion as it stands in a completion queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletionEntry {
    /// Number of the work request or receive.
    pub work: u64,
    /// Queue pair, 24 bits.
    pub qpn: u32,
    /// Operation that completed. In an entry with an error it only tells send queue from receive queue.
    pub opcode: CompletionOpcode,
    /// How it ended.
    pub status: Status,
    /// [`COMPLETION_IMMEDIATE`], [`COMPLETION_INVALIDATED`], [`COMPLETION_SOLICITED`].
    pub flags: u8,
    /// Slot of the send or receive queue, counted from the start without end: this one (of an entry of two or three slots the last) and all before it are free.
    pub index: u16,
    /// Bytes of the message; 0 after an error.
    pub length: u32,
    /// Immediate data, or the key that was invalidated, as on the wire.
    pub immediate: [u8; 4],
    /// When, ns of the NIC's clock, 48 bits.
    pub time_ns: u64,
}

impl CompletionEntry {
    /// Reads an entry and its phase; `None` if it says something that no NIC writes.
    pub fn decode(bytes: &[u8; COMPLETION_ENTRY_LEN]) -> Option<(Self, bool)> {
        let entry = Self {
            work: get(bytes, field::WORK),
            qpn: get32(bytes, field::QPN),
            opcode: CompletionOpcode::from_code(bytes[field::OPCODE])?,
            status: Status::from_code(bytes[field::STATUS])?,
            flags: bytes[field::FLAGS],
            index: get(bytes, field::INDEX) as u16,
            length: get32(bytes, field::LENGTH),
            immediate: [0, 1, 2, 3].map(|i| bytes[field::IMMEDIATE.start + i]),
            time_ns: get(bytes, field::TIME),
        };
        Some((entry, bytes[field::LAST] & PHASE != 0))
    }

    /// The entry's bytes with a phase.
    pub fn encode(&self, phase: bool) -> [u8; COMPLETION_ENTRY_LEN] {
        let mut bytes = [0; COMPLETION_ENTRY_LEN];
        put(&mut bytes, field::WORK, self.work);
        put(&mut bytes, field::QPN, self.qpn.into());
        bytes[field::OPCODE] = self.opcode.code();
        bytes[field::STATUS] = self.status.code();
        bytes[field::FLAGS] = self.flags;
        put(&mut bytes, field::INDEX, self.index.into());
        put(&mut bytes, field::LENGTH, self.length.into());
        bytes[field::IMMEDIATE].copy_from_slice(&self.immediate);
        put(&mut bytes, field::TIME, self.time_ns);
        bytes[field::LAST] = if phase { PHASE } else { 0 };
        bytes
    }
}
