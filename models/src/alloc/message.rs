//! Messages between agents and their bytes (Fig. 3 of the paper; sizes are our choice, it gives none).
//!
//! Up: type 1 byte, version 1, sender 4, entries 2; then for each entry level code 1, zero 1, change of count 2 (signed), or without
//! quantisation demand 8 and change 4. Down: type 1, version 1, zero 2, child 4, share 8, and where flows have several parents offer 8.
//! Big-endian. The figure writes "parent's ID" into the upward message; a parent must know who speaks, so it is the sender's.

use thiserror::Error;

use super::Quantiser;

/// Version of both messages.
const VERSION: u8 = 1;
const CHANGES: u8 = 1;
const FULL_MAP: u8 = 2;
const SHARE: u8 = 3;
const SHARE_AND_OFFER: u8 = 4;

/// From a child to a parent: what changed in its map of demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Up {
    /// The child.
    pub sender: u32,
    /// The entries are the whole map, not changes: repairs what lost messages left.
    pub full: bool,
    /// Demand (bit/s) and change of the number of flows with it.
    pub entries: Vec<(u64, i64)>,
}

/// From a parent to a child: its share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Down {
    /// The child.
    pub child: u32,
    /// What all its flows may send together, bit/s.
    pub share: u64,
    /// What each of its flows would get were its demand infinite, bit/s; only where flows have several parents.
    pub offer: Option<u64>,
}

/// Why bytes are no message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MessageError {
    /// The length does not belong to the type and the number of entries.
    #[error("message of {0} bytes: expected another length")]
    Length(usize),
    /// Type or version.
    #[error("message of type {0}, version {1}: not known")]
    Kind(u8, u8),
}

/// Splits a change into parts that an entry can carry.
fn parts(by: i64, most: i64) -> impl Iterator<Item = i64> {
    let whole = (by / most).unsigned_abs() as usize;
    let rest = by % most;
    std::iter::repeat_n(most * by.signum(), whole).chain((rest != 0).then_some(rest))
}

fn most_in_entry(quantised: bool) -> i64 {
    if quantised {
        i64::from(i16::MAX)
    } else {
        i64::from(i32::MAX)
    }
}

impl Up {
    /// Bytes of the message.
    pub fn bytes(&self, quantised: bool) -> u64 {
        let most = most_in_entry(quantised) as u64;
        let entries: u64 = self
            .entries
            .iter()
            .map(|(_, by)| by.unsigned_abs().div_ceil(most))
            .sum();
        8 + entries * if quantised { 4 } else { 12 }
    }

    /// The message as bytes. With a quantiser every demand is one of its levels.
    pub fn encode(&self, quantiser: Option<&Quantiser>) -> Vec<u8> {
        let mut out = vec![if self.full { FULL_MAP } else { CHANGES }, VERSION];
        out.extend(self.sender.to_be_bytes());
        out.extend([0, 0]);
        let mut entries = 0u16;
        for &(demand, by) in &self.entries {
            for part in parts(by, most_in_entry(quantiser.is_some())) {
                entries += 1;
                match quantiser {
                    Some(q) => {
                        out.extend([q.code(demand), 0]);
                        out.extend((part as i16).to_be_bytes());
                    }
                    None => {
                        out.extend(demand.to_be_bytes());
                        out.extend((part as i32).to_be_bytes());
                    }
                }
            }
        }
        out[6..8].copy_from_slice(&entries.to_be_bytes());
        out
    }

    /// The message from its bytes.
    pub fn decode(bytes: &[u8], quantiser: Option<&Quantiser>) -> Result<Self, MessageError> {
        let wrong = MessageError::Length(bytes.len());
        let (head, body) = bytes.split_at_checked(8).ok_or_else(|| wrong.clone())?;
        let full = match head[..2] {
            [CHANGES, VERSION] => false,
            [FULL_MAP, VERSION] => true,
            _ => return Err(MessageError::Kind(head[0], head[1])),
        };
        let size = if quantiser.is_some() { 4 } else { 12 };
        if body.len() != size * usize::from(u16::from_be_bytes([head[6], head[7]])) {
            return Err(wrong);
        }
        let mut entries: Vec<(u64, i64)> = Vec::new();
        for entry in body.chunks(size) {
            let (demand, by) = match quantiser {
                Some(q) => (q.value(entry[0]), i64::from(i16::from_be_bytes([entry[2], entry[3]]))),
                None => (number(&entry[..8]), i64::from(number(&entry[8..]) as u32 as i32)),
            };
            match entries.last_mut() {
                Some((last, sum)) if *last == demand => *sum += by,
                _ => entries.push((demand, by)),
            }
        }
        Ok(Self {
            sender: number(&head[2..6]) as u32,
            full,
            entries,
        })
    }
}

impl Down {
    /// Bytes of the message.
    pub fn bytes(&self) -> u64 {
        if self.offer.is_some() {
            24
        } else {
            16
        }
    }

    /// The message as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let kind = if self.offer.is_some() { SHARE_AND_OFFER } else { SHARE };
        let mut out = vec![kind, VERSION, 0, 0];
        out.extend(self.child.to_be_bytes());
        out.extend(self.share.to_be_bytes());
        out.extend(self.offer.iter().flat_map(|offer| offer.to_be_bytes()));
        out
    }

    /// The message from its bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, MessageError> {
        let offer = match (bytes.len(), bytes.get(..2)) {
            (16, Some([SHARE, VERSION])) => None,
            (24, Some([SHARE_AND_OFFER, VERSION])) => Some(number(&bytes[16..])),
            (_, Some([SHARE | SHARE_AND_OFFER, VERSION]) | None) => return Err(MessageError::Length(bytes.len())),
            (_, Some(head)) => return Err(MessageError::Kind(head[0], head[1])),
        };
        Ok(Self {
            child: number(&bytes[4..8]) as u32,
            share: number(&bytes[8..16]),
            offer,
        })
    }
}

/// A big-endian number of at most 8 bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}
