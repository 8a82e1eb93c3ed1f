//! Entry of a send queue: a work request, 64 bytes, of a list of pieces 128.

use super::bytes::{get, get32, put};
use super::codes::codes;
use super::segment::{Segment, MAX_SEGMENTS, SEGMENT_LEN};

mod field {
    use core::ops::Range;
    pub const WORK: Range<usize> = 0..8;
    pub const REMOTE_ADDRESS: Range<usize> = 8..16;
    pub const REMOTE_KEY: Range<usize> = 16..20;
    pub const IMMEDIATE: Range<usize> = 20..24;
    pub const OPCODE: usize = 24;
    pub const FLAGS: usize = 25;
    pub const COUNT: usize = 26;
    pub const SEGMENT: Range<usize> = 32..48;
    pub const OPERANDS: [Range<usize>; 2] = [48..56, 56..64];
    pub const INLINE: Range<usize> = 32..64;
}

/// Bytes of an entry of a send queue.
pub const SEND_ENTRY_LEN: usize = 64;
/// Bytes that an entry itself can carry.
pub const MAX_INLINE: usize = field::INLINE.end - field::INLINE.start;

/// The entry asks for a completion even if nothing goes wrong.
pub const SEND_SIGNALED: u8 = 1 << 0;
/// The peer's completion counts as solicited.
pub const SEND_SOLICITED: u8 = 1 << 1;
/// The entry begins when all READs and atomic operations before it are complete.
pub const SEND_FENCE: u8 = 1 << 2;
/// The data stands in the entry; its count is the number of bytes.
pub const SEND_INLINE: u8 = 1 << 3;

codes! {
    /// Operation of an entry of a send queue. Numbers are those of `ibv_wr_opcode`.
    SendOpcode {
        /// RDMA WRITE.
        Write = 0, "write";
        /// RDMA WRITE that takes a receive of the peer and gives its completion four bytes.
        WriteImmediate = 1, "write_immediate";
        /// SEND.
        Send = 2, "send";
        /// SEND that gives the peer's completion four bytes.
        SendImmediate = 3, "send_immediate";
        /// RDMA READ.
        Read = 4, "read";
        /// Atomic compare and swap of eight bytes: what stands there becomes the second operand if it equals the first; the entry's memory gets what stood there.
        CompareSwap = 5, "compare_swap";
        /// Atomic addition of the first operand to eight bytes; the entry's memory gets what stood there.
        FetchAdd = 6, "fetch_add";
        /// SEND that invalidates a region of the peer.
        SendInvalidate = 9, "send_invalidate";
    }
}

impl SendOpcode {
    /// Atomic operations.
    pub fn is_atomic(self) -> bool {
        matches!(self, Self::CompareSwap | Self::FetchAdd)
    }

    /// Takes a receive of the peer.
    pub fn takes_receive(self) -> bool {
        matches!(
            self,
            Self::WriteImmediate | Self::Send | Self::SendImmediate | Self::SendInvalidate
        )
    }
}

/// Data that a work request sends, or the place for data that it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// Pieces of the host's memory, [`MAX_SEGMENTS`] at most.
    Segments(Vec<Segment>),
    /// Bytes that stand in the entry, [`MAX_INLINE`] at most.
    Inline(Vec<u8>),
}

impl Data {
    /// Bytes of all pieces.
    pub fn length(&self) -> u64 {
        match self {
            Self::Segments(segments) => super::segment::total_length(segments),
            Self::Inline(bytes) => bytes.len() as u64,
        }
    }
}

/// A work request as it stands in a send queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendEntry {
    /// Number that the completion carries.
    pub work: u64,
    /// Operation.
    pub opcode: SendOpcode,
    /// [`SEND_SIGNALED`], [`SEND_SOLICITED`], [`SEND_FENCE`]; [`SEND_INLINE`] follows from the data.
    pub flags: u8,
    /// Address in the peer's memory.
    pub remote_address: u64,
    /// Key of the peer's region.
    pub remote_key: u32,
    /// Immediate data, or the key to invalidate, as on the wire (most significant byte of a number first).
    pub immediate: [u8; 4],
    /// Data.
    pub data: Data,
    /// Operands of an atomic operation: what is compared or added, and what is stored if equal.
    pub operands: [u64; 2],
}

/// An entry that says something impossible: it ends as invalid work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// No operation has this number.
    #[error("opcode {0}")]
    Opcode(u8),
    /// More pieces than [`MAX_SEGMENTS`], or more inline bytes than [`MAX_INLINE`].
    #[error("count {0}")]
    Count(u8),
    /// An atomic operation or READ with inline data.
    #[error("inline data of an operation that sends none")]
    Inline,
}

impl SendEntry {
    /// Slots that the entry whose first slot is `first` takes: two if it has a list of pieces.
    pub fn slots(first: &[u8; SEND_ENTRY_LEN]) -> usize {
        let list = first[field::FLAGS] & SEND_INLINE == 0 && first[field::COUNT] > 1;
        1 + usize::from(list)
    }

    /// Operation of any entry, if its number is one.
    pub fn opcode(first: &[u8; SEND_ENTRY_LEN]) -> Option<SendOpcode> {
        SendOpcode::from_code(first[field::OPCODE])
    }

    /// Number of the work request, and whether it is signalled, of any entry.
    pub fn head(first: &[u8; SEND_ENTRY_LEN]) -> (u64, bool) {
        (get(first, field::WORK), first[field::FLAGS] & SEND_SIGNALED != 0)
    }

    /// Reads an entry from its first slot and, if it has a list of pieces, its second.
    pub fn decode(first: &[u8; SEND_ENTRY_LEN], second: &[u8; SEND_ENTRY_LEN]) -> Result<Self, EntryError> {
        let opcode = SendOpcode::from_code(first[field::OPCODE]).ok_or(EntryError::Opcode(first[field::OPCODE]))?;
        let (flags, count) = (first[field::FLAGS], first[field::COUNT]);
        let (number, too_many) = (usize::from(count), EntryError::Count(count));
        let data = if flags & SEND_INLINE != 0 {
            if opcode.is_atomic() || opcode == SendOpcode::Read {
                return Err(EntryError::Inline);
            }
            let bytes = first[field::INLINE].get(..number).ok_or(too_many)?;
            Data::Inline(bytes.to_vec())
        } else {
            let pieces = first[field::SEGMENT].chunks(SEGMENT_LEN);
            let all = pieces.chain(second.chunks(SEGMENT_LEN)).take(MAX_SEGMENTS);
            let segments: Vec<Segment> = all.take(number).map(Segment::decode).collect();
            if segments.len() < number {
                return Err(too_many);
            }
            Data::Segments(segments)
        };
        Ok(Self {
            work: get(first, field::WORK),
            opcode,
            flags: flags & !SEND_INLINE,
            remote_address: get(first, field::REMOTE_ADDRESS),
            remote_key: get32(first, field::REMOTE_KEY),
            immediate: [0, 1, 2, 3].map(|i| first[field::IMMEDIATE.start + i]),
            data,
            operands: match opcode.is_atomic() {
                true => field::OPERANDS.map(|at| get(first, at)),
                false => [0; 2],
            },
        })
    }

    /// The entry's slots: one, or two if it has a list of pieces.
    pub fn encode(&self) -> Vec<[u8; SEND_ENTRY_LEN]> {
        let mut first = [0; SEND_ENTRY_LEN];
        put(&mut first, field::WORK, self.work);
        put(&mut first, field::REMOTE_ADDRESS, self.remote_address);
        put(&mut first, field::REMOTE_KEY, self.remote_key.into());
        first[field::IMMEDIATE].copy_from_slice(&self.immediate);
        first[field::OPCODE] = self.opcode.code();
        first[field::FLAGS] = self.flags & !SEND_INLINE;
        if self.opcode.is_atomic() {
            for (at, operand) in field::OPERANDS.into_iter().zip(self.operands) {
                put(&mut first, at, operand);
            }
        }
        let mut slots = vec![first];
        match &self.data {
            Data::Inline(bytes) => {
                slots[0][field::FLAGS] |= SEND_INLINE;
                slots[0][field::COUNT] = bytes.len() as u8;
                slots[0][field::INLINE][..bytes.len()].copy_from_slice(bytes);
            }
            Data::Segments(segments) => {
                slots[0][field::COUNT] = segments.len() as u8;
                if segments.len() > 1 {
                    slots.push([0; SEND_ENTRY_LEN]);
                }
                for (i, segment) in segments.iter().enumerate() {
                    match i {
                        0 => segment.encode(&mut slots[0][field::SEGMENT]),
                        _ => segment.encode(&mut slots[1][(i - 1) * SEGMENT_LEN..]),
                    }
                }
            }
        }
        slots
    }
}
