//! Events by time; those of one time by the order in which they were made.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Time in units of the parameters.
pub(super) type Time = u128;

/// What happens at a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// An operation may start.
    Start { rank: usize, operation: usize },
    /// An operation is done.
    End { rank: usize, operation: usize },
    /// The first byte of a message arrives.
    Arrival { source: usize, operation: usize },
}

/// A place in the order of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket {
    pub(super) time: Time,
    number: u64,
    pub(super) event: Event,
}

/// The queue of events.
#[derive(Default)]
pub(super) struct Queue {
    heap: BinaryHeap<Reverse<Ticket>>,
    made: u64,
}

impl Queue {
    /// Makes an event.
    pub(super) fn push(&mut self, time: Time, event: Event) {
        let number = self.made;
        self.made += 1;
        self.heap.push(Reverse(Ticket { time, number, event }));
    }

    /// Puts an event off; among those of its new time it keeps its age.
    pub(super) fn put_off(&mut self, ticket: Ticket, time: Time) {
        self.heap.push(Reverse(Ticket { time, ..ticket }));
    }

    /// The next event.
    pub(super) fn pop(&mut self) -> Option<Ticket> {
        self.heap.pop().map(|Reverse(ticket)| ticket)
    }
}
