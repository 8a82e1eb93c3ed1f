//! The event queue: a calendar of about one nanosecond per bucket, a heap for what lies beyond its horizon.
//!
//! Order is total and needs no luck: first by time (ps), then by a sequence number handed out when the event is made. A
//! sequence number can be reserved ahead of the event ([`EventQueue::reserve`]), so that a transmission's end that nobody
//! waits for costs nothing and still falls into its exact place when somebody does.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Width of a bucket: 2^10 ps.
const BUCKET_SHIFT: u32 = 10;
/// Buckets in the calendar; with 2^10 ps each the horizon is 8.4 us, beyond one hop's delay in every built-in topology.
const BUCKETS: usize = 1 << 13;

/// One event: when, its place among events of the same picosecond, and what (encoded by the caller).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// Time, ps.
    pub time: u64,
    /// Order among events of the same time.
    pub seq: u64,
    /// Meaning, encoded by the engine.
    pub payload: u64,
}

/// Calendar queue with exact order.
pub struct EventQueue {
    buckets: Vec<Vec<Event>>,
    /// One bit per bucket that holds events.
    occupied: Vec<u64>,
    /// Events of the bucket being drained, in descending order: the next one is last.
    current: Vec<Event>,
    /// Absolute number of the bucket being drained.
    cursor: u64,
    far: BinaryHeap<Reverse<Event>>,
    next_seq: u64,
    in_buckets: usize,
}

impl Default for EventQueue {
    fn default() -> Self {
        Self::new()
    }
}

impl EventQueue {
    /// An empty queue at time 0.
    pub fn new() -> Self {
        Self {
            buckets: vec![Vec::new(); BUCKETS],
            occupied: vec![0; BUCKETS / 64],
            current: Vec::new(),
            cursor: 0,
            far: BinaryHeap::new(),
            next_seq: 1,
            in_buckets: 0,
        }
    }

    /// Takes the next sequence number without making an event.
    pub fn reserve(&mut self) -> u64 {
        let seq = self.next_seq;
        self.next_seq += 1;
        seq
    }

    /// Adds an event behind all others of the same time.
    pub fn push(&mut self, time: u64, payload: u64) {
        let seq = self.reserve();
        self.push_reserved(time, seq, payload);
    }

    /// Adds an event at a place reserved earlier. It must not lie before the event popped last, nor before the limit up to which
    /// nothing was found.
    pub fn push_reserved(&mut self, time: u64, seq: u64, payload: u64) {
        let event = Event { time, seq, payload };
        let bucket = time >> BUCKET_SHIFT;
        debug_assert!(bucket >= self.cursor, "event in the past");
        if bucket == self.cursor {
            let at = self.current.partition_point(|e| *e > event);
            self.current.insert(at, event);
        } else if bucket - self.cursor < BUCKETS as u64 {
            self.put(bucket, event);
        } else {
            self.far.push(Reverse(event));
        }
    }

    /// Takes the earliest event.
    pub fn pop(&mut self) -> Option<Event> {
        self.pop_until(u64::MAX)
    }

    /// Takes the earliest event if it lies at `limit` (ps) or before. Without one, events may be added from `limit` on.
    pub fn pop_until(&mut self, limit: u64) -> Option<Event> {
        if self.current.is_empty() && !self.advance(limit) {
            return None;
        }
        if self.current.last()?.time > limit {
            return None;
        }
        self.current.pop()
    }

    /// What the event `places` behind the next one means, if it is that near.
    pub fn ahead(&self, places: usize) -> Option<u64> {
        let index = self.current.len().checked_sub(places + 1)?;
        self.current.get(index).map(|e| e.payload)
    }

    /// True when nothing is left.
    pub fn is_empty(&self) -> bool {
        self.current.is_empty() && self.in_buckets == 0 && self.far.is_empty()
    }

    fn put(&mut self, bucket: u64, event: Event) {
        let index = bucket as usize % BUCKETS;
        self.buckets[index].push(event);
        self.occupied[index / 64] |= 1 << (index % 64);
        self.in_buckets += 1;
    }

    /// Moves to the next bucket that holds anything, but not beyond the one of `limit`.
    fn advance(&mut self, limit: u64) -> bool {
        let near = if self.in_buckets > 0 {
            Some(self.next_occupied())
        } else {
            None
        };
        let far = self.far.peek().map(|Reverse(e)| e.time >> BUCKET_SHIFT);
        let next = match (near, far) {
            (Some(a), Some(b)) => a.min(b),
            (Some(a), None) | (None, Some(a)) => a,
            (None, None) => return false,
        };
        if next > limit >> BUCKET_SHIFT {
            return false;
        }
        self.cursor = next;
        while let Some(&Reverse(event)) = self.far.peek() {
            let bucket = event.time >> BUCKET_SHIFT;
            if bucket - self.cursor >= BUCKETS as u64 {
                break;
            }
            self.far.pop();
            self.put(bucket, event);
        }
        let index = self.cursor as usize % BUCKETS;
        std::mem::swap(&mut self.current, &mut self.buckets[index]);
        self.occupied[index / 64] &= !(1 << (index % 64));
        self.in_buckets -= self.current.len();
        self.current.sort_unstable_by(|a, b| b.cmp(a));
        true
    }

    /// Absolute number of the first occupied bucket after the cursor.
    fn next_occupied(&self) -> u64 {
        let start = (self.cursor as usize + 1) % BUCKETS;
        let words = self.occupied.len();
        let mut word = start / 64;
        let mut bits = self.occupied[word] & (!0u64 << (start % 64));
        loop {
            if bits != 0 {
                let index = word * 64 + bits.trailing_zeros() as usize;
                let ahead = (index + BUCKETS - start) % BUCKETS;
                return self.cursor + 1 + ahead as u64;
            }
            word = (word + 1) % words;
            bits = self.occupied[word];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The queue agrees with a plain heap on any interleaving of pushes and pops, near and far, with ties.
        #[test]
        fn same_order_as_a_heap(steps in prop::collection::vec(
            (prop_oneof![Just(0u64), 0u64..3000, 0u64..9_000_000, 0u64..400_000_000], 0u8..5), 1..400)) {
            let mut queue = EventQueue::new();
            let mut heap = BinaryHeap::new();
            let mut now = 0;
            let mut reserved: Option<(u64, u64)> = None;
            for (i, (ahead, action)) in steps.into_iter().enumerate() {
                match action {
                    0 | 1 => {
                        heap.push(Reverse(Event { time: now + ahead, seq: queue.next_seq, payload: i as u64 }));
                        queue.push(now + ahead, i as u64);
                    }
                    2 => match reserved.take() {
                        Some((time, seq)) if time > now => {
                            queue.push_reserved(time, seq, i as u64);
                            heap.push(Reverse(Event { time, seq, payload: i as u64 }));
                        }
                        _ => reserved = Some((now + ahead, queue.reserve())),
                    },
                    3 => {
                        let expected = heap.pop().map(|Reverse(e)| e);
                        prop_assert_eq!(queue.pop(), expected);
                        now = expected.map_or(now, |e| e.time);
                    }
                    _ => {
                        let limit = now + ahead;
                        let due = heap.peek().is_some_and(|Reverse(e)| e.time <= limit);
                        let expected = if due { heap.pop().map(|Reverse(e)| e) } else { None };
                        prop_assert_eq!(queue.pop_until(limit), expected);
                        now = expected.map_or(limit, |e| e.time);
                    }
                }
            }
            while let Some(Reverse(expected)) = heap.pop() {
                prop_assert_eq!(queue.pop(), Some(expected));
            }
            prop_assert!(queue.is_empty());
        }
    }
}
