//! A completion queue: room, arming, and when an event is due.

use super::command::CreateCq;
use super::completion_entry::COMPLETION_ENTRY_LEN;
use super::ring::beyond;

/// A completion queue.
#[derive(Clone, Debug)]
pub(in crate::nic) struct CompletionQueue {
    pub create: CreateCq,
    /// Entries written.
    producer: u64,
    /// Entries that the host has taken.
    consumer: u64,
    /// The host waits for an entry; `true`: only for one that is solicited or failed.
    armed: Option<bool>,
    /// Entries up to and with the newest that is solicited or failed.
    solicited: u64,
    /// An entry has found no room: nothing is written any more.
    pub overrun: bool,
}

impl CompletionQueue {
    pub fn new(create: CreateCq) -> Self {
        Self {
            create,
            producer: 0,
            consumer: 0,
            armed: None,
            solicited: 0,
            overrun: false,
        }
    }

    /// Address and phase of the next entry; `None` if there is no room.
    pub fn room(&self) -> Option<(u64, bool)> {
        let ring = &self.create.ring;
        let fits = !self.overrun && self.producer - self.consumer < ring.len();
        fits.then(|| {
            (
                ring.slot(self.producer, COMPLETION_ENTRY_LEN),
                ring.phase(self.producer),
            )
        })
    }

    /// An entry was written; true if an event is due now.
    pub fn written(&mut self, solicited: bool) -> bool {
        self.producer += 1;
        if solicited {
            self.solicited = self.producer;
        }
        let due = self.armed.is_some_and(|only| !only || solicited);
        if due {
            self.armed = None;
        }
        due
    }

    /// The host has taken the entries before `index`; false if it cannot have.
    pub fn consumed(&mut self, index: u16) -> bool {
        let index = beyond(self.consumer, index);
        let possible = index <= self.producer;
        if possible {
            self.consumer = index;
        }
        possible
    }

    /// The host waits for an entry at `index` or beyond, of which it has seen the ones before but may not have taken them; whether an event is due
    /// now, `None` if it cannot have seen them.
    pub fn arm(&mut self, index: u16, only_solicited: bool) -> Option<bool> {
        let unseen = u64::from((self.producer as u16).wrapping_sub(index));
        if unseen > self.producer.min(self.create.ring.len()) {
            return None;
        }
        let newest = if only_solicited { self.solicited } else { self.producer };
        let due = newest > self.producer - unseen;
        self.armed = match (due, self.armed) {
            (true, _) => None,
            // whoever waited for any entry goes on waiting for any
            (false, before) => Some(only_solicited && before != Some(false)),
        };
        Some(due)
    }
}
