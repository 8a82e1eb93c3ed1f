//! Requester half of a queue pair: the message queue and go-back-N. No frames here, only packet numbers.
//!
//! `una <= nxt <= max <= assigned`: oldest unacknowledged, next to send, highest ever sent, next without a message.
//! A rewind moves `nxt` back to `una` and nothing else; the address of a PSN always comes from its message.

use super::completion::{Operation, Status, WorkRequest};
use super::memory::Checked;
use super::psn::{packets, payload_len, wire, Psn};
use super::send_times::{departure, is_timed, SendTimes};
use crate::cc::AckRequests;
use std::collections::VecDeque;

/// A work request with its packet numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub work: WorkRequest,
    pub start: Psn,
    pub end: Psn,
    pub kind: Kind,
    /// Its memory, of a queue pair without queues.
    pub local: Checked,
}

/// Peculiarities of a message of a queue pair with queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    /// An atomic operation: for packet numbers a READ of one packet.
    pub atomic: bool,
    /// The message begins when all READs and atomic operations before it are complete.
    pub fence: bool,
}

/// What the requester would send next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A WRITE packet: its message, its index in it, and its payload bytes.
    Write { message: Message, index: u64, len: usize },
    /// A READ request from `first` to `end`, exclusive.
    Read { message: Message, first: Psn, end: Psn },
}

/// Limits that the requester keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub window: f64,
    pub psn_span: u64,
    pub max_rd_atomic: usize,
    pub ack_req_interval: u32,
    /// Packets are timed, the last of every 2^n.
    pub send_times: Option<u8>,
    /// Those ask for acknowledgements.
    pub asks_for_times: bool,
}

/// Result of an acknowledgement.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Acked {
    pub bytes: u64,
    pub progress: bool,
    pub completed: Vec<WorkRequest>,
}

#[derive(Debug)]
pub(super) struct Requester {
    mtu: u32,
    messages: VecDeque<Message>,
    una: Psn,
    nxt: Psn,
    max: Psn,
    assigned: Psn,
    /// Payload bytes in `una..nxt`; READ ranges carry none.
    inflight: u64,
    /// READ requests sent whose data is not complete.
    reads: VecDeque<(Psn, Psn)>,
    ack_requests: AckRequests,
    rewound: bool,
    /// `una` at the last re-request for a READ gap: one per gap.
    gap_at: Option<Psn>,
    pub retries: u32,
    pub deadline: Option<u64>,
    /// Why the half has ended.
    pub ended: Option<Status>,
    /// A message that fails here, by its work request, and how: nothing of it is sent any more, and the half ends when it is the oldest.
    pub held: Option<(u64, Status)>,
    /// No message begins that has not begun.
    pub draining: bool,
    /// The peer's receiver was not ready: nothing is sent until this time.
    pub wait_until: Option<u64>,
    /// Waits for the peer's receiver since the last progress.
    pub waits: u32,
    send_times: SendTimes,
}

impl Requester {
    pub fn new(first: Psn, mtu: u32) -> Self {
        Self {
            mtu,
            messages: VecDeque::new(),
            una: first,
            nxt: first,
            max: first,
            assigned: first,
            inflight: 0,
            reads: VecDeque::new(),
            ack_requests: AckRequests::default(),
            rewound: false,
            gap_at: None,
            retries: 0,
            deadline: None,
            ended: None,
            held: None,
            draining: false,
            wait_until: None,
            waits: 0,
            send_times: SendTimes::default(),
        }
    }

    pub fn una(&self) -> Psn {
        self.una
    }

    pub fn nxt(&self) -> Psn {
        self.nxt
    }

    pub fn max(&self) -> Psn {
        self.max
    }

    pub fn queued(&self) -> usize {
        self.messages.len()
    }

    /// Packets are left to send, now or when the window opens.
    pub fn unsent(&self) -> bool {
        self.ended.is_none() && self.message(self.nxt).is_some()
    }

    /// Sent, and not acknowledged since the last rewind.
    pub fn outstanding(&self) -> bool {
        self.una < self.nxt
    }

    /// Of a queue pair without queues, with its memory.
    pub fn push(&mut self, work: WorkRequest, local: Checked) {
        self.push_message(work, Kind::default(), local);
    }

    /// Of a queue pair with queues, which keep its memory.
    pub fn push_as(&mut self, work: WorkRequest, kind: Kind) {
        self.push_message(work, kind, Checked::default());
    }

    fn push_message(&mut self, work: WorkRequest, kind: Kind, local: Checked) {
        let start = self.assigned;
        self.assigned += packets(work.length, self.mtu);
        self.messages.push_back(Message {
            work,
            start,
            end: self.assigned,
            kind,
            local,
        });
    }

    /// How the oldest message fails here, if it does.
    pub fn failing(&self) -> Option<Status> {
        let front = self.messages.front()?;
        self.held
            .and_then(|(id, status)| (front.work.id == id).then_some(status))
    }

    /// No message that has begun is left.
    pub fn drained(&self) -> bool {
        self.messages.front().is_none_or(|front| front.start >= self.max)
    }

    /// The message at `nxt` may not go on, or not begin, whatever the window is.
    fn must_wait(&self, message: &Message) -> bool {
        let begins = self.nxt == message.start;
        self.held.is_some_and(|(id, _)| id == message.work.id)
            || message.kind.fence && begins && !self.reads.is_empty()
            || self.draining && begins && self.nxt == self.max
    }

    /// The message that `psn` belongs to.
    pub fn message(&self, psn: Psn) -> Option<Message> {
        let index = self.messages.partition_point(|message| message.end <= psn);
        self.messages.get(index).copied().filter(|message| message.start <= psn)
    }

    /// End of the READ request that covers `psn`: a request spans `psn_span` packets at most, counted from its message.
    pub fn read_end(message: &Message, psn: Psn, psn_span: u64) -> Psn {
        let part = (psn - message.start) / psn_span;
        message.end.min(message.start + (part + 1) * psn_span)
    }

    /// What may be sent now, pacing aside.
    pub fn next(&self, limits: &Limits) -> Option<Next> {
        if self.ended.is_some() || self.wait_until.is_some() {
            return None;
        }
        let message = self.message(self.nxt).filter(|message| !self.must_wait(message))?;
        let room = limits.psn_span.saturating_sub(self.nxt - self.una);
        match message.work.operation {
            Operation::Read => {
                let end = Self::read_end(&message, self.nxt, limits.psn_span);
                let fits = end - self.nxt <= room && self.reads.len() < limits.max_rd_atomic;
                fits.then_some(Next::Read {
                    message,
                    first: self.nxt,
                    end,
                })
            }
            _ => {
                let index = self.nxt - message.start;
                let len = payload_len(message.work.length, self.mtu, index);
                (room >= 1 && (self.inflight as f64) < limits.window).then_some(Next::Write { message, index, len })
            }
        }
    }

    /// Records that `next` left at `now`; returns whether it asks for an acknowledgement, and whether it is a repetition.
    pub fn sent(&mut self, next: &Next, now: u64, limits: &Limits) -> (bool, bool) {
        let first = self.nxt;
        let ends_message = match *next {
            Next::Write { message, len, .. } => {
                self.nxt += 1;
                self.inflight += len as u64;
                self.nxt == message.end
            }
            Next::Read { end, .. } => {
                self.reads.push_back((first, end));
                self.nxt = end;
                true
            }
        };
        let repeated = first < self.max;
        self.max = self.max.max(self.nxt);
        let timed = is_timed(wire(first), limits.send_times);
        if let Some(spacing) = limits.send_times {
            let read = matches!(next, Next::Read { .. });
            let departure = departure(first, limits.send_times, read, repeated, self.rewound);
            self.send_times.left(departure, wire(first), spacing, now);
        }
        let fills_window = self.inflight as f64 >= limits.window || self.nxt - self.una >= limits.psn_span;
        let must = ends_message || fills_window || self.rewound || timed && limits.asks_for_times;
        let ack_req = self.ack_requests.packet(limits.ack_req_interval, must);
        self.rewound = false;
        (ack_req, repeated)
    }

    /// When the packet of this number left, if it was timed and not sent again.
    pub fn sent_at(&self, psn: u32, limits: &Limits) -> Option<u64> {
        self.send_times.at(psn, limits.send_times?)
    }

    /// Acknowledges everything before `end`, but no READ whose data is missing.
    pub fn acknowledge(&mut self, end: Psn) -> Acked {
        let mut acked = Acked::default();
        let before = self.una;
        while let Some(message) = self.messages.front().copied() {
            if !message.work.operation.is_read() && self.una < end {
                let to = message.end.min(end);
                acked.bytes += self.advance(&message, to);
            }
            if self.una < message.end {
                break;
            }
            acked.completed.push(message.work);
            self.messages.pop_front();
        }
        acked.progress = self.una > before;
        acked
    }

    /// Takes the data of the READ response packet `una`; returns the request that it completes, if any.
    pub fn take_read_packet(&mut self) -> Option<WorkRequest> {
        let message = self.messages.front().copied()?;
        self.advance(&message, self.una + 1);
        while self.reads.front().is_some_and(|(_, end)| *end <= self.una) {
            self.reads.pop_front();
        }
        if self.una < message.end {
            return None;
        }
        self.messages.pop_front();
        Some(message.work)
    }

    /// Moves `una` to `to` inside `message`; returns the payload bytes acknowledged.
    fn advance(&mut self, message: &Message, to: Psn) -> u64 {
        let bytes = match message.work.operation {
            Operation::Read => 0,
            _ => {
                let before = |psn: Psn| message.bytes_before(psn, self.mtu);
                let in_window = to.min(self.nxt).max(self.una);
                self.inflight -= before(in_window) - before(self.una);
                before(to) - before(self.una)
            }
        };
        self.una = to;
        self.nxt = self.nxt.max(to);
        self.max = self.max.max(to);
        self.retries = 0;
        self.waits = 0;
        self.wait_until = None;
        bytes
    }

    /// Goes back to the oldest unacknowledged packet; returns whether that moved anything.
    pub fn rewind(&mut self) -> bool {
        let moved = self.nxt > self.una;
        self.nxt = self.una;
        self.inflight = 0;
        self.reads.clear();
        self.ack_requests.restart();
        self.rewound = true;
        moved
    }

    /// A READ response before `una + 1` is lost: whether to rewind for it (once per gap).
    pub fn read_gap(&mut self) -> bool {
        let at_read = self
            .message(self.una)
            .is_some_and(|message| message.work.operation == Operation::Read);
        if !at_read || self.una >= self.nxt || self.gap_at == Some(self.una) {
            return false;
        }
        self.gap_at = Some(self.una);
        true
    }

    /// Ends the half; returns every request that had not completed, oldest first.
    pub fn end(&mut self, status: Status) -> Vec<WorkRequest> {
        self.ended = Some(status);
        self.deadline = None;
        self.wait_until = None;
        self.messages.drain(..).map(|message| message.work).collect()
    }
}

impl Message {
    /// Payload bytes of the packets before `psn`.
    fn bytes_before(&self, psn: Psn, mtu: u32) -> u64 {
        ((psn - self.start) * u64::from(mtu)).min(self.work.length)
    }
}

#[cfg(test)]
#[path = "requester_tests.rs"]
mod tests;
