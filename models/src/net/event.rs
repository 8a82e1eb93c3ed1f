//! The event queue: a calendar whose buckets hold some ten events each, a heap for what lies beyond its horizon.
//!
//! Order is total and needs no luck: first by time (ps), then by a sequence number handed out when the event is made. A
//! sequence number can be reserved ahead of the event ([`EventQueue::reserve`]), so that a transmission's end that nobody
//! waits for costs nothing and still falls into its exact place when somebody does.
//!
//! Events of all buckets lie in one pool of blocks, of which the one that was given back last is taken first: what is in use stays in a
//! cache, however many buckets there are. The width of a bucket follows the density of events.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::fetch::prefetch;

/// Widest bucket: 2^10 ps.
const WIDEST: u32 = 10;
/// Narrowest bucket: 2^5 ps.
const NARROWEST: u32 = 5;
/// Buckets in the calendar: at the greatest width the horizon is 16.8 us.
const BUCKETS: usize = 1 << 14;
/// The width is looked at each time that so many events have been taken; soon in tests, which have few.
const LOOK: u64 = if cfg!(test) { 8 } else { 1 << 15 };
/// A bucket is halved where it holds more than this many events, on average over those that hold any.
const CROWDED: u64 = 12;
/// Events of a block: with the next block's number, two lines of a cache.
const BLOCK: usize = 5;
/// So few events, and what they touch, are in a cache anyway.
const FEW: usize = 256;
/// No block.
const NONE: u32 = u32::MAX;

/// One event: when, its place among events of the same picosecond, and what (encoded by the caller).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// Time, ps.
    pub time: u64,
    /// Order among events of the same time.
    pub seq: u64,
    /// Meaning, encoded by the engine.
    pub payload: u64,
}

/// A part of a bucket.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Block {
    events: [Event; BLOCK],
    next: u32,
}

/// A bucket: the block that is being filled, and how many events that one holds. Those behind it are full.
#[derive(Clone, Copy)]
struct Bucket {
    block: u32,
    used: u32,
}

/// A bucket without events: its first event needs a block.
const EMPTY: Bucket = Bucket {
    block: NONE,
    used: BLOCK as u32,
};

/// Calendar queue with exact order.
pub struct EventQueue {
    buckets: Box<[Bucket; BUCKETS]>,
    blocks: Vec<Block>,
    /// First block that nobody uses; the others follow by `next`.
    free: u32,
    /// One bit per bucket that holds events.
    occupied: Box<[u64; BUCKETS / 64]>,
    /// Events of the bucket being drained, in descending order: the next one is last.
    current: Vec<Event>,
    /// Absolute number of the bucket being drained.
    cursor: u64,
    /// Width of a bucket: 2^shift ps.
    shift: u32,
    far: BinaryHeap<Reverse<Event>>,
    next_seq: u64,
    in_buckets: usize,
    /// Least width: with less the calendar did not reach what is usually added.
    least: u32,
    /// Since the width was last looked at: events taken from buckets, buckets that held them, events added beyond the horizon.
    taken: u64,
    drained: u64,
    distant: u64,
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
            buckets: Box::new([EMPTY; BUCKETS]),
            blocks: Vec::new(),
            free: NONE,
            occupied: Box::new([0; BUCKETS / 64]),
            current: Vec::new(),
            cursor: 0,
            shift: WIDEST,
            far: BinaryHeap::new(),
            next_seq: 1,
            in_buckets: 0,
            least: NARROWEST,
            taken: 0,
            drained: 0,
            distant: 0,
        }
    }

    /// Takes the next sequence number without making an event.
    #[inline]
    pub fn reserve(&mut self) -> u64 {
        let seq = self.next_seq;
        self.next_seq += 1;
        seq
    }

    /// Adds an event behind all others of the same time.
    #[inline]
    pub fn push(&mut self, time: u64, payload: u64) {
        let seq = self.reserve();
        self.push_reserved(time, seq, payload);
    }

    /// Adds an event at a place reserved earlier. It must not lie before the event popped last, nor before the limit up to which
    /// nothing was found.
    #[inline]
    pub fn push_reserved(&mut self, time: u64, seq: u64, payload: u64) {
        let event = Event { time, seq, payload };
        let bucket = time >> self.shift;
        debug_assert!(bucket >= self.cursor, "event in the past");
        if bucket.wrapping_sub(self.cursor).wrapping_sub(1) < BUCKETS as u64 - 1 {
            self.put(bucket, event);
        } else {
            self.push_elsewhere(bucket, event);
        }
    }

    /// Adds an event to the present bucket, or beyond the horizon.
    #[inline(never)]
    fn push_elsewhere(&mut self, bucket: u64, event: Event) {
        if bucket == self.cursor {
            let at = self.current.partition_point(|e| key(e) > key(&event));
            self.current.insert(at, event);
        } else {
            self.distant += 1;
            self.far.push(Reverse(event));
        }
    }

    /// Takes the earliest event.
    pub fn pop(&mut self) -> Option<Event> {
        self.pop_until(u64::MAX)
    }

    /// Takes the earliest event if it lies at `limit` (ps) or before. Without one, events may be added from `limit` on.
    #[inline]
    pub fn pop_until(&mut self, limit: u64) -> Option<Event> {
        if self.current.is_empty() && !self.advance(limit) {
            return None;
        }
        let next = self.current.last()?;
        if next.time > limit {
            return None;
        }
        self.current.pop()
    }

    /// True when nothing is left.
    pub fn is_empty(&self) -> bool {
        self.current.is_empty() && self.in_buckets == 0 && self.far.is_empty()
    }

    #[inline]
    fn put(&mut self, bucket: u64, event: Event) {
        let index = bucket as usize % BUCKETS;
        let mut head = self.buckets[index];
        if head.used as usize == BLOCK {
            head = Bucket {
                block: self.take_block(head.block),
                used: 0,
            };
        }
        self.blocks[head.block as usize].events[head.used as usize] = event;
        head.used += 1;
        self.buckets[index] = head;
        self.occupied[index / 64] |= 1 << (index % 64);
        self.in_buckets += 1;
    }

    /// An unused block before `next`.
    #[inline(never)]
    fn take_block(&mut self, next: u32) -> u32 {
        let block = self.free;
        if block == NONE {
            self.blocks.push(Block {
                events: [Event::default(); BLOCK],
                next,
            });
            return self.blocks.len() as u32 - 1;
        }
        self.free = std::mem::replace(&mut self.blocks[block as usize].next, next);
        block
    }

    /// Moves to the next bucket that holds anything, but not beyond the one of `limit`. The present one must be empty.
    pub fn advance(&mut self, limit: u64) -> bool {
        if self.taken >= LOOK {
            self.choose_width();
            // Events of the bucket behind the present one may now be in the present one.
            if !self.current.is_empty() {
                return true;
            }
        }
        let near = (self.in_buckets > 0).then(|| self.next_occupied(self.cursor));
        let far = self.far.peek().map(|Reverse(e)| e.time >> self.shift);
        let next = match (near, far) {
            (Some(a), Some(b)) => a.min(b),
            (Some(a), None) | (None, Some(a)) => a,
            (None, None) => return false,
        };
        if next > limit >> self.shift {
            return false;
        }
        self.cursor = next;
        self.fetch_far();
        self.drain(next as usize % BUCKETS);
        self.taken += self.current.len() as u64;
        self.drained += 1;
        self.current.sort_unstable_by_key(|e| Reverse(key(e)));
        true
    }

    /// Brings what the horizon has reached from the heap into the calendar.
    fn fetch_far(&mut self) {
        while let Some(&Reverse(event)) = self.far.peek() {
            let bucket = event.time >> self.shift;
            if bucket - self.cursor >= BUCKETS as u64 {
                break;
            }
            self.far.pop();
            self.put(bucket, event);
        }
    }

    /// Moves the events of a bucket behind the present ones and gives its blocks back.
    fn drain(&mut self, index: usize) {
        let head = std::mem::replace(&mut self.buckets[index], EMPTY);
        let before = self.current.len();
        let (mut block, mut used) = (head.block, head.used as usize);
        while block != NONE {
            let drained = &mut self.blocks[block as usize];
            self.current.extend_from_slice(&drained.events[..used]);
            let next = std::mem::replace(&mut drained.next, self.free);
            self.free = block;
            (block, used) = (next, BLOCK);
        }
        self.in_buckets -= self.current.len() - before;
        self.occupied[index / 64] &= !(1 << (index % 64));
    }

    /// Calls `soon` with what each event of the bucket behind the present one means, and starts to fetch the two buckets behind that one. Does
    /// nothing where few events wait.
    pub fn look_ahead(&self, mut soon: impl FnMut(u64)) {
        if self.in_buckets < FEW {
            return;
        }
        let next = self.next_occupied(self.cursor);
        let head = self.buckets[next as usize % BUCKETS];
        let (mut block, mut used) = (head.block, head.used as usize);
        while block != NONE {
            let of = &self.blocks[block as usize];
            of.events[..used].iter().for_each(|e| soon(e.payload));
            (block, used) = (of.next, BLOCK);
        }
        // A block tells where the one behind it lies: it is fetched one bucket earlier.
        let second = self.next_occupied(next);
        if let Some(first) = self.blocks.get(self.buckets[second as usize % BUCKETS].block as usize) {
            self.blocks.get(first.next as usize).into_iter().for_each(prefetch);
        }
        let third = self.next_occupied(second);
        let first = self.buckets[third as usize % BUCKETS].block;
        self.blocks.get(first as usize).into_iter().for_each(prefetch);
    }

    /// Events of the present bucket that have not been taken.
    pub fn present(&self) -> &[Event] {
        &self.current
    }

    /// Halves or doubles the width where buckets are crowded or nearly empty, as far as the calendar still reaches what is usually added.
    fn choose_width(&mut self) {
        if self.distant * 8 > self.taken && self.shift < WIDEST {
            self.least = self.shift + 1;
        }
        let shift = if self.shift < self.least {
            self.least
        } else if self.taken > CROWDED * self.drained && self.shift > self.least {
            self.shift - 1
        } else if self.taken * 8 < CROWDED * self.drained && self.shift < WIDEST {
            self.shift + 1
        } else {
            self.shift
        };
        (self.taken, self.drained, self.distant) = (0, 0, 0);
        if shift == self.shift {
            return;
        }
        // Events may still be added from the beginning of the present bucket on.
        let begin = self.cursor << self.shift;
        for index in 0..BUCKETS {
            if self.buckets[index].block != NONE {
                self.drain(index);
            }
        }
        self.shift = shift;
        self.cursor = begin >> shift;
        let events = std::mem::take(&mut self.current);
        for &event in &events {
            let bucket = event.time >> shift;
            if bucket == self.cursor {
                self.current.push(event);
            } else if bucket - self.cursor < BUCKETS as u64 {
                self.put(bucket, event);
            } else {
                self.far.push(Reverse(event));
            }
        }
        self.fetch_far();
        self.current.sort_unstable_by_key(|e| Reverse(key(e)));
    }

    /// Absolute number of the first occupied bucket after another; there is one.
    #[inline]
    fn next_occupied(&self, bucket: u64) -> u64 {
        let start = (bucket as usize + 1) % BUCKETS;
        let words = self.occupied.len();
        let mut word = start / 64;
        let mut bits = self.occupied[word] & (!0u64 << (start % 64));
        while bits == 0 {
            word = (word + 1) % words;
            bits = self.occupied[word];
        }
        let index = word * 64 + bits.trailing_zeros() as usize;
        bucket + 1 + ((index + BUCKETS - start) % BUCKETS) as u64
    }
}

/// Key of the order among events.
#[inline]
fn key(event: &Event) -> u128 {
    u128::from(event.time) << 64 | u128::from(event.seq)
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
