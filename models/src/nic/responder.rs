//! Responder half of a queue pair: expected PSN, message in progress, and what waits to be answered, in PSN order.

use super::memory::Guard;
use super::psn::{near, Psn};
use crate::cc::AckDelay;
use crate::wire::{NakCode, Position, INT_EMPTY, INT_FIXED_LEN, MASK_24};
use std::collections::VecDeque;

/// INT header and stack have records of switches.
pub(super) fn has_records(int: &[u8]) -> bool {
    int.len() > INT_FIXED_LEN
}

/// What stands in the place of INT where a queue pair with or without it has none to tell.
pub(super) fn no_int(int: bool) -> &'static [u8] {
    if int {
        &INT_EMPTY
    } else {
        &[]
    }
}

/// A WRITE message of which packets are still to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Incoming {
    /// Where the next packet goes.
    pub address: u64,
    /// Bytes still to come.
    pub remaining: u64,
    /// Bytes of the whole message.
    pub length: u64,
    /// Region of a queue pair with queues, which must still stand when a packet is written.
    pub guard: Option<Guard>,
    /// A SEND: it goes where its receive says, and says nothing of its length.
    pub send: bool,
}

/// Something to be sent back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Response {
    /// Positive (`nak` is `None`) or negative acknowledgement, with the INT it echoes.
    Ack {
        psn: Psn,
        nak: Option<NakCode>,
        msn: u32,
        int: Vec<u8>,
    },
    /// READ responses `next..end` of a request that began at `first` and asked for `length` bytes at `address`.
    Read {
        first: Psn,
        next: Psn,
        end: Psn,
        address: u64,
        length: u64,
        msn: u32,
        /// Asked for again: `msn` counted it before.
        repeated: bool,
        /// Region of a queue pair with queues, which must still stand when a packet is read.
        guard: Option<Guard>,
    },
    /// The receiver is not ready for the request of this packet number; code of the time to wait.
    NotReady {
        psn: Psn,
        timer: u8,
        msn: u32,
        int: Vec<u8>,
    },
    /// Answer to an atomic operation: the eight bytes that stood in memory.
    Atomic {
        psn: Psn,
        original: u64,
        msn: u32,
        int: Vec<u8>,
    },
}

impl Response {
    fn psn(&self) -> Psn {
        match self {
            Self::Ack { psn, .. } => *psn,
            Self::Read { next, .. } => *next,
            Self::NotReady { psn, .. } | Self::Atomic { psn, .. } => *psn,
        }
    }

    /// The response goes where acknowledgements go: before data.
    pub fn is_acknowledgement(&self) -> bool {
        !matches!(self, Self::Read { .. })
    }
}

/// Where a request's PSN stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Executed before.
    Duplicate(Psn),
    /// The one expected.
    Expected,
    /// Something before it is missing.
    Gap,
}

/// A READ response packet whose echo has not come.
#[derive(Clone, Copy, Debug)]
struct Unechoed {
    psn: Psn,
    bytes: u64,
}

#[derive(Debug)]
pub(super) struct Responder {
    pub expected: Psn,
    /// The newest packet that was carried out and is not a READ, or the one before the first: what a repeated WRITE is acknowledged with.
    pub newest_write: Psn,
    /// Messages completed, 24 bits on the wire.
    pub msn: u32,
    /// The gap before the expected packet has been reported.
    pub nak_sent: bool,
    pub ended: bool,
    pub message: Option<Incoming>,
    /// Data packets that wait for an acknowledgement of several.
    pub delay: AckDelay<Psn, Vec<u8>>,
    queue: VecDeque<Response>,
    /// Results of the newest atomic operations, for repeats.
    pub atomics: VecDeque<(Psn, u64)>,
    unechoed: VecDeque<Unechoed>,
    /// Payload bytes of `unechoed`.
    pub inflight: u64,
}

impl Responder {
    pub fn new(expected: Psn) -> Self {
        Self {
            expected,
            newest_write: expected - 1,
            msn: 0,
            nak_sent: false,
            ended: false,
            message: None,
            delay: AckDelay::default(),
            queue: VecDeque::new(),
            atomics: VecDeque::new(),
            unechoed: VecDeque::new(),
            inflight: 0,
        }
    }

    /// Where `psn` from the wire stands.
    pub fn order(&self, psn: u32) -> Order {
        let psn = near(self.expected, psn);
        match psn.cmp(&self.expected) {
            std::cmp::Ordering::Less => Order::Duplicate(psn),
            std::cmp::Ordering::Equal => Order::Expected,
            std::cmp::Ordering::Greater => Order::Gap,
        }
    }

    /// A WRITE packet at `position` with `payload` bytes continues the message in progress (or starts one, if `total` is
    /// what its header says) without breaking order or lengths.
    pub fn write_fits(&self, position: Position, payload: u64, total: Option<u64>, mtu: u64) -> bool {
        if position.is_start() != self.message.is_none() || self.message.is_some_and(|message| message.send) {
            return false;
        }
        let remaining = total.or(self.message.map(|message| message.remaining)).unwrap_or(0);
        if position.is_end() {
            payload == remaining && payload <= mtu
        } else {
            payload == mtu && payload <= remaining
        }
    }

    /// READ requests waiting.
    pub fn reads(&self) -> usize {
        self.queue
            .iter()
            .filter(|response| matches!(response, Response::Read { .. }))
            .count()
    }

    /// Acknowledgements waiting.
    pub fn acks(&self) -> usize {
        self.queue.len() - self.reads()
    }

    pub fn front(&self) -> Option<&Response> {
        self.queue.front()
    }

    pub fn push(&mut self, response: Response) {
        self.queue.push_back(response);
    }

    /// Acknowledges (`nak` is `None`) or refuses, with INT `int` or, if that has no records, the newest of a packet that waited.
    pub fn acknowledge(&mut self, psn: Psn, nak: Option<NakCode>, int: &[u8]) {
        let newest = self.delay.acknowledged().filter(|_| !has_records(int));
        self.push(Response::Ack {
            psn,
            nak,
            msn: self.msn,
            int: newest.unwrap_or_else(|| int.to_vec()),
        });
    }

    /// Acknowledges what waits, if anything does; true if so. `int`: what a packet without INT has.
    pub fn acknowledge_waiting(&mut self, int: &[u8]) -> bool {
        let waiting = self.delay.take_waiting();
        if let Some(psn) = waiting {
            self.acknowledge(psn, None, int);
        }
        waiting.is_some()
    }

    /// Nothing waits to be answered.
    pub fn idle(&self) -> bool {
        self.queue.is_empty() && self.delay.since().is_none()
    }

    pub fn pop(&mut self) -> Option<Response> {
        self.queue.pop_front()
    }

    /// The newest PSN whose response has left, or an older one while the answer to a repeated WRITE is the next to leave.
    pub fn newest_left(&self) -> Psn {
        self.queue.front().map_or(self.expected, Response::psn) - 1
    }

    /// Messages completed whose response has left, 24 bits on the wire.
    pub fn msn_left(&self) -> u32 {
        let waits = |response: &&Response| matches!(response, Response::Read { repeated: false, .. });
        let reads = self.queue.iter().filter(waits).count() as u32;
        self.msn.wrapping_sub(reads) & MASK_24
    }

    /// A READ asked again from `psn` on: responses from there on are replaced, those already sent count as received.
    ///
    /// What was cut off is asked again by a requester that went back; after a mere copy of an old request its timer helps.
    pub fn rewind(&mut self, psn: Psn) {
        // whoever goes back asks for an acknowledgement anew
        self.delay.take_waiting();
        let mut nak_cut = false;
        self.queue.retain(|response| {
            let keep = response.psn() < psn;
            let negative = matches!(response, Response::Ack { nak: Some(_), .. } | Response::NotReady { .. });
            nak_cut |= !keep && negative;
            keep
        });
        self.nak_sent &= !nak_cut;
        for response in &mut self.queue {
            if let Response::Read { end, .. } = response {
                *end = (*end).min(psn);
            }
        }
        self.unechoed.clear();
        self.inflight = 0;
    }

    /// Moves the READ at the front on by one packet of `bytes`; it leaves the queue after its last.
    pub fn read_packet_sent(&mut self, bytes: u64, int: bool) {
        let Some(Response::Read { next, end, .. }) = self.queue.front_mut() else {
            return;
        };
        if int {
            self.unechoed.push_back(Unechoed { psn: *next, bytes });
            self.inflight += bytes;
        }
        *next += 1;
        if next == end {
            self.queue.pop_front();
        }
    }

    /// Takes the cumulative echo of `psn`; bytes newly echoed.
    pub fn echoed(&mut self, psn: u32) -> u64 {
        let psn = near(self.expected, psn);
        let mut bytes = 0;
        while let Some(front) = self.unechoed.front().filter(|front| front.psn <= psn) {
            bytes += front.bytes;
            self.unechoed.pop_front();
        }
        self.inflight -= bytes;
        bytes
    }

    /// PSN of the READ response that would be sent next, for congestion control; the last sent plus one if none waits.
    pub fn read_nxt(&self) -> Psn {
        let waiting = self.queue.iter().find_map(|response| match response {
            Response::Read { next, .. } => Some(*next),
            _ => None,
        });
        waiting
            .or(self.unechoed.back().map(|last| last.psn + 1))
            .unwrap_or(self.expected)
    }

    /// Ends the half; nothing more is taken, what waits still leaves.
    pub fn end(&mut self) {
        self.ended = true;
        self.message = None;
        self.delay = AckDelay::default();
    }
}

#[cfg(test)]
#[path = "responder_tests.rs"]
mod tests;
