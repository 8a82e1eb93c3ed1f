//! Queues of a host, as the NIC keeps them.

use super::command::{Attributes, CreateQp};
use super::command_word::CommandRegisters;
use super::completion_queue::CompletionQueue;
use super::event_queue::EventQueue;
use super::receive_entry::ReceiveEntry;
use super::send_entry::SendEntry;
use super::sizes::QueueSizes;
use super::state::State;
use super::{CompletionOpcode, Segment};
use crate::nic::memory::Guard;
use crate::nic::{Access, Status};
use std::collections::{BTreeMap, VecDeque};

/// Counters of what only a NIC with queues does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounters {
    /// Doorbells ignored: from another page, of a queue that is not there or may not be used, or with an index beyond the ring.
    pub doorbells_ignored: u64,
    /// Requests answered with "receiver not ready".
    pub not_ready_sent: u64,
    /// Receives taken by messages.
    pub receives_taken: u64,
    /// Atomic operations carried out.
    pub atomics: u64,
}

impl QueueCounters {
    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        [
            ("doorbells_ignored", self.doorbells_ignored),
            ("not_ready_sent", self.not_ready_sent),
            ("receives_taken", self.receives_taken),
            ("atomics", self.atomics),
        ]
        .into_iter()
    }
}

/// Memory of a scatter entry that was checked.
#[derive(Clone, Copy, Debug)]
pub(in crate::nic) struct Piece {
    /// First address in memory.
    pub address: u64,
    /// Bytes.
    pub length: u64,
    /// Region that must still stand.
    pub guard: Option<Guard>,
}

/// Parts of `pieces` that hold bytes `offset` to `offset + length`, in order.
pub(in crate::nic) fn parts(pieces: &[Piece], offset: u64, length: u64) -> Vec<Piece> {
    let mut begin = 0;
    let mut found = Vec::new();
    for piece in pieces {
        let from = offset.max(begin) - begin;
        let to = (offset + length).min(begin + piece.length).saturating_sub(begin);
        if from < to {
            found.push(Piece {
                address: piece.address.wrapping_add(from),
                length: to - from,
                guard: piece.guard,
            });
        }
        begin += piece.length;
    }
    found
}

/// A work request that the NIC has read and that has not ended.
#[derive(Clone, Debug)]
pub(in crate::nic) struct Posted {
    /// Its first slot.
    pub id: u64,
    /// Its last slot.
    pub last: u64,
    /// Number that the completion carries.
    pub work: u64,
    /// What the completion says.
    pub opcode: CompletionOpcode,
    /// A success is reported.
    pub signaled: bool,
    /// `None` if its slot could not be read: then nothing can be reported of it.
    pub readable: bool,
    /// The entry and its memory, if both are valid.
    pub valid: Option<(SendEntry, Vec<Piece>)>,
}

/// Send queue of a queue pair. Indices count without end.
#[derive(Clone, Debug, Default)]
pub(in crate::nic) struct SendQueue {
    /// Slots before this one are free.
    pub consumer: u64,
    /// Next slot to read.
    pub fetched: u64,
    /// Slots before this one are announced.
    pub producer: u64,
    /// Entries read that have not ended, oldest first.
    pub posted: VecDeque<Posted>,
}

/// A receive that a message has taken.
#[derive(Clone, Debug)]
pub(in crate::nic) struct Receiving {
    /// The receive.
    pub entry: ReceiveEntry,
    /// Its last slot.
    pub last: u64,
    /// Its memory, once a byte has come.
    pub pieces: Option<Vec<Piece>>,
    /// Bytes that have come.
    pub received: u64,
    /// Packets that have come.
    pub packets: u64,
    /// How it failed, if it did.
    pub failed: Option<Status>,
}

/// Receive queue of a queue pair. Indices count without end.
#[derive(Clone, Debug, Default)]
pub(in crate::nic) struct ReceiveQueue {
    /// Next slot to take.
    pub consumer: u64,
    /// Slots before this one are announced.
    pub producer: u64,
    /// Receive of the message that is coming in.
    pub current: Option<Receiving>,
}

/// A queue pair with queues.
#[derive(Clone, Debug)]
pub(in crate::nic) struct QueuePair {
    pub create: CreateQp,
    pub state: State,
    pub attributes: Attributes,
    /// Why it is in ERR.
    pub ended: Status,
    pub send: SendQueue,
    pub receive: ReceiveQueue,
    /// The event of its first packet was raised since it became ready to receive.
    pub established: bool,
    /// The event of the drained send queue was raised since the host asked.
    pub drained: bool,
    /// The event that it ended without completion was raised.
    pub fatal: bool,
}

impl QueuePair {
    pub fn new(create: CreateQp) -> Self {
        Self {
            create,
            state: State::Reset,
            attributes: Attributes::default(),
            ended: Status::Ok,
            send: SendQueue::default(),
            receive: ReceiveQueue::default(),
            established: false,
            drained: false,
            fatal: false,
        }
    }
}

/// All queues of the host.
#[derive(Clone, Debug, Default)]
pub(in crate::nic) struct Host {
    pub sizes: QueueSizes,
    pub events: BTreeMap<u8, EventQueue>,
    pub completions: BTreeMap<u16, CompletionQueue>,
    pub pairs: BTreeMap<u32, QueuePair>,
    /// Queue pairs by their places.
    pub places: BTreeMap<u16, u32>,
    pub interrupts: Vec<u8>,
    pub registers: CommandRegisters,
    pub counters: QueueCounters,
}

impl Host {
    /// The queue pair has queues.
    pub fn has(&self, qpn: u32) -> bool {
        !self.pairs.is_empty() && self.pairs.contains_key(&qpn)
    }

    /// Protection domain of a queue pair, 0 without queues.
    pub fn domain(&self, qpn: u32) -> u16 {
        self.pairs.get(&qpn).map_or(0, |pair| pair.create.domain)
    }

    /// The queue pair's own rights allow this use of memory by the peer; a queue pair without queues has none to miss.
    pub fn permits(&self, qpn: u32, access: Access) -> bool {
        let Some(pair) = self.pairs.get(&qpn) else {
            return true;
        };
        let rights = pair.attributes.rights.unwrap_or_default();
        match access {
            Access::RemoteWrite => rights.remote_write,
            Access::RemoteRead => rights.remote_read,
            Access::RemoteAtomic => rights.remote_atomic,
            Access::Local | Access::LocalWrite | Access::Invalidate => true,
        }
    }
}

impl Piece {
    /// Memory of `segment`, of which the first byte lies at `address`.
    pub fn of(segment: &Segment, address: u64, guard: Option<Guard>) -> Self {
        Self {
            address,
            length: segment.length.into(),
            guard,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cross_pieces() {
        let piece = |address, length| Piece {
            address,
            length,
            guard: None,
        };
        let list = [piece(100, 10), piece(0, 0), piece(200, 5), piece(300, 20)];
        let found = |offset, length| -> Vec<(u64, u64)> {
            let all = parts(&list, offset, length);
            all.iter().map(|part| (part.address, part.length)).collect()
        };
        assert_eq!(found(0, 35), [(100, 10), (200, 5), (300, 20)]);
        assert_eq!(found(9, 7), [(109, 1), (200, 5), (300, 1)]);
        assert_eq!(found(10, 5), [(200, 5)]);
        assert_eq!(found(34, 1), [(319, 1)]);
        assert_eq!(found(3, 0), []);
    }
}
