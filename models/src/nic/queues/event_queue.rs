//! An event queue: one event of a kind and number at a time that the host has not passed, so the ring cannot overflow.

use super::command::CreateEq;
use super::event_entry::{EventEntry, EventKind, EVENT_ENTRY_LEN};
use super::ring::beyond;
use std::collections::BTreeMap;

/// An event queue.
#[derive(Clone, Debug)]
pub(in crate::nic) struct EventQueue {
    pub create: CreateEq,
    /// Events written.
    producer: u64,
    /// Events that the host has passed.
    consumer: u64,
    /// The next event raises an interrupt.
    armed: bool,
    /// Newest place of each event that was written.
    written: BTreeMap<(EventKind, u32), u64>,
    /// Events that wait until the host has passed the one before of the same kind and number.
    pending: Vec<EventEntry>,
    /// Places that its completion queues and queue pairs need.
    pub reserved: u32,
}

impl EventQueue {
    pub fn new(create: CreateEq) -> Self {
        Self {
            create,
            producer: 0,
            consumer: 0,
            armed: false,
            written: BTreeMap::new(),
            pending: Vec::new(),
            reserved: 0,
        }
    }

    /// Something happened: address and phase of the entry that is to be written now, if one is.
    pub fn raise(&mut self, event: EventEntry) -> Option<(u64, bool)> {
        let ring = &self.create.ring;
        let passed = self
            .written
            .get(&(event.kind, event.number))
            .is_none_or(|at| *at < self.consumer);
        if !passed || self.producer - self.consumer >= ring.len() {
            if !self.pending.contains(&event) {
                self.pending.push(event);
            }
            return None;
        }
        let place = (ring.slot(self.producer, EVENT_ENTRY_LEN), ring.phase(self.producer));
        self.written.insert((event.kind, event.number), self.producer);
        self.producer += 1;
        Some(place)
    }

    /// An entry is in memory; true if the interrupt leaves.
    pub fn interrupts(&mut self) -> bool {
        std::mem::take(&mut self.armed)
    }

    /// The host has passed the events before `index` and waits for the next: whether there is one already, and the events that waited for this. `None`
    /// if it cannot have passed them.
    pub fn consumed(&mut self, index: u16) -> Option<(bool, Vec<EventEntry>)> {
        let index = beyond(self.consumer, index);
        if index > self.producer {
            return None;
        }
        self.consumer = index;
        self.written.retain(|_, at| *at >= index);
        let due = self.producer > index;
        self.armed = !due;
        Some((due, std::mem::take(&mut self.pending)))
    }

    /// Forgets what has not been written of a completion queue or queue pair that is gone.
    pub fn forget(&mut self, number: u32, of_completion_queue: bool) {
        let other =
            |event: &EventEntry| event.number != number || event.kind.of_completion_queue() != of_completion_queue;
        self.pending.retain(other);
    }
}
