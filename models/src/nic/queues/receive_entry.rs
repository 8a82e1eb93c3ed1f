//! Entry of a receive queue: where a message of the peer goes, 32 bytes, and 32 more for each two pieces beyond the first.

use super::bytes::{get, get32, put};
use super::segment::{Segment, MAX_SEGMENTS, SEGMENT_LEN};

mod field {
    use core::ops::Range;
    pub const WORK: Range<usize> = 0..8;
    pub const ADDRESS: Range<usize> = 8..16;
    pub const LENGTH: Range<usize> = 16..20;
    pub const KEY: Range<usize> = 20..24;
    pub const COUNT: usize = 24;
}

/// Bytes of an entry of a receive queue.
pub const RECEIVE_ENTRY_LEN: usize = 32;
/// Pieces that a further slot holds.
const PER_SLOT: usize = RECEIVE_ENTRY_LEN / SEGMENT_LEN;
/// Slots of an entry at most.
pub const RECEIVE_SLOTS: usize = 1 + (MAX_SEGMENTS - 1).div_ceil(PER_SLOT);

/// A receive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiveEntry {
    /// Number that the completion carries.
    pub work: u64,
    /// Pieces of memory, [`MAX_SEGMENTS`] at most, filled in order.
    pub segments: Vec<Segment>,
}

impl ReceiveEntry {
    /// Slots that the entry whose first slot is `first` takes; a count beyond [`MAX_SEGMENTS`] takes one.
    pub fn slots(first: &[u8; RECEIVE_ENTRY_LEN]) -> usize {
        match usize::from(first[field::COUNT]) {
            count if count > MAX_SEGMENTS => 1,
            count => 1 + count.saturating_sub(1).div_ceil(PER_SLOT),
        }
    }

    /// Number of the receive, of any entry.
    pub fn head(first: &[u8; RECEIVE_ENTRY_LEN]) -> u64 {
        get(first, field::WORK)
    }

    /// Reads an entry from its slots; `None` if it has more pieces than there may be.
    pub fn decode(slots: &[[u8; RECEIVE_ENTRY_LEN]]) -> Option<Self> {
        let first = slots.first()?;
        let count = usize::from(first[field::COUNT]);
        let front = Segment {
            address: get(first, field::ADDRESS),
            length: get32(first, field::LENGTH),
            key: get32(first, field::KEY),
        };
        let rest = slots[1..].iter().flat_map(|slot| slot.chunks(SEGMENT_LEN));
        let segments = std::iter::once(front).chain(rest.map(Segment::decode));
        let segments: Vec<Segment> = segments.take(count.min(MAX_SEGMENTS)).collect();
        (segments.len() == count).then(|| Self {
            work: get(first, field::WORK),
            segments,
        })
    }

    /// The entry's slots.
    pub fn encode(&self) -> Vec<[u8; RECEIVE_ENTRY_LEN]> {
        let mut slots = vec![[0; RECEIVE_ENTRY_LEN]];
        put(&mut slots[0], field::WORK, self.work);
        slots[0][field::COUNT] = self.segments.len() as u8;
        if let Some(front) = self.segments.first() {
            put(&mut slots[0], field::ADDRESS, front.address);
            put(&mut slots[0], field::LENGTH, front.length.into());
            put(&mut slots[0], field::KEY, front.key.into());
        }
        for pair in self.segments.get(1..).unwrap_or_default().chunks(PER_SLOT) {
            let mut slot = [0; RECEIVE_ENTRY_LEN];
            for (segment, at) in pair.iter().zip(slot.chunks_mut(SEGMENT_LEN)) {
                segment.encode(at);
            }
            slots.push(slot);
        }
        slots
    }
}
