//! How a queue pair ends: what failed gets its status, everything behind it is flushed, send queue first, each queue in order.

use super::command::Ring;
use super::end::End;
use super::event_entry::EventKind;
use super::host::Posted;
use super::receive_entry::{ReceiveEntry, RECEIVE_ENTRY_LEN};
use super::report::receive_entry;
use super::send_entry::{SendEntry, SEND_ENTRY_LEN};
use super::state::State;
use super::CompletionOpcode;
use crate::nic::memory::Memory;
use crate::nic::nic::Nic;
use crate::nic::Status;
use crate::wire::NakCode;

impl<M: Memory> Nic<M> {
    /// A queue pair goes to ERR. Acknowledgements that wait still leave.
    pub(in crate::nic) fn end_queue_pair(&mut self, now: u64, qpn: u32, end: End) {
        let Some(pair) = self.host.pairs.get_mut(&qpn) else {
            return;
        };
        if matches!(pair.state, State::Error | State::Reset) {
            return;
        }
        pair.state = State::Error;
        pair.ended = match end.status {
            Status::Flushed => pair
                .receive
                .current
                .as_ref()
                .and_then(|current| current.failed)
                .unwrap_or(Status::Ok),
            status => status,
        };
        let mut works = Vec::new();
        let mut guilty = None;
        if let Some(qp) = self.qps.get_mut(&qpn) {
            let at = end.at.unwrap_or(qp.requester.una());
            guilty = qp.requester.message(at).map(|message| message.work.id);
            works = qp.requester.end(end.status);
            qp.responder.end();
        }
        for work in works {
            let status = if guilty == Some(work.id) {
                end.status
            } else {
                Status::Flushed
            };
            self.complete_send(now, &work, status);
        }
        self.flush(now, qpn);
        if let Some(event) = end.event {
            self.pair_event(qpn, event);
        }
    }

    /// A request of the peer was refused; the negative acknowledgement waits to leave.
    pub(in crate::nic) fn request_refused(&mut self, now: u64, qpn: u32, code: NakCode) {
        let Some(pair) = self.host.pairs.get(&qpn) else {
            return;
        };
        let told = pair
            .receive
            .current
            .as_ref()
            .is_some_and(|current| current.failed.is_some());
        let event = match code {
            NakCode::InvalidRequest => Some(EventKind::RequestError),
            NakCode::RemoteAccess => Some(EventKind::AccessError),
            _ if told => None,
            _ => Some(EventKind::QueuePairFatal),
        };
        self.end_queue_pair(now, qpn, End::without_request(event));
    }

    /// A completion could not be written: the queue pair ends, and an event says so once.
    pub(super) fn lost_completion(&mut self, now: u64, qpn: u32) {
        let Some(pair) = self.host.pairs.get_mut(&qpn) else {
            return;
        };
        if !std::mem::replace(&mut pair.fatal, true) {
            self.pair_event(qpn, EventKind::QueuePairFatal);
        }
        self.end_queue_pair(now, qpn, End::without_request(None));
    }

    /// Flushes what is posted to a queue pair in ERR.
    pub(super) fn flush(&mut self, now: u64, qpn: u32) {
        while let Some(posted) = self.next_posted(qpn) {
            if let Some(pair) = self.host.pairs.get_mut(&qpn) {
                pair.send.fetched = posted.last + 1;
                pair.send.consumer = posted.last + 1;
            }
            self.report_send(now, qpn, &posted, Status::Flushed, 0);
        }
        let current = self
            .host
            .pairs
            .get_mut(&qpn)
            .and_then(|pair| pair.receive.current.take());
        if let Some(current) = current {
            let status = current.failed.unwrap_or(Status::Flushed);
            self.report_receive(
                now,
                receive_entry(now, qpn, current.entry.work, current.last, status),
                false,
            );
        }
        while let Some((slots, last)) = self.next_receive(qpn) {
            if let Some(pair) = self.host.pairs.get_mut(&qpn) {
                pair.receive.consumer = last + 1;
            }
            match slots.first() {
                Some(first) => {
                    let entry = receive_entry(now, qpn, ReceiveEntry::head(first), last, Status::Flushed);
                    self.report_receive(now, entry, false);
                }
                None => self.lost_completion(now, qpn),
            }
        }
    }

    /// The next entry of the send queue that the host has announced, read from its memory.
    pub(super) fn next_posted(&mut self, qpn: u32) -> Option<Posted> {
        let pair = self.host.pairs.get(&qpn)?;
        let (ring, id) = (pair.create.send, pair.send.fetched);
        let announced = pair.send.producer - id;
        if announced == 0 {
            return None;
        }
        let mut slots = [[0; SEND_ENTRY_LEN]; 2];
        let mut readable = self.memory.read(ring.slot(id, SEND_ENTRY_LEN), &mut slots[0]).is_ok();
        let wanted = SendEntry::slots(&slots[0]) as u64;
        let taken = wanted.min(announced);
        if readable && taken == 2 {
            readable = self
                .memory
                .read(ring.slot(id + 1, SEND_ENTRY_LEN), &mut slots[1])
                .is_ok();
        }
        let (work, signaled) = SendEntry::head(&slots[0]);
        let decoded = SendEntry::decode(&slots[0], &slots[1]).ok();
        let opcode = SendEntry::opcode(&slots[0]).map_or(CompletionOpcode::Send, CompletionOpcode::of);
        Some(Posted {
            id,
            last: id + taken - 1,
            work,
            opcode,
            signaled,
            readable,
            valid: decoded
                .filter(|_| readable && taken == wanted)
                .map(|entry| (entry, Vec::new())),
        })
    }

    /// Slots of the next receive that the host has announced and the last one's index; no slots if they cannot be read.
    pub(super) fn next_receive(&mut self, qpn: u32) -> Option<(Vec<[u8; RECEIVE_ENTRY_LEN]>, u64)> {
        let pair = self.host.pairs.get(&qpn)?;
        let (ring, at) = (pair.create.receive, pair.receive.consumer);
        let announced = pair.receive.producer - at;
        if announced == 0 {
            return None;
        }
        let Some(first) = self.receive_slot(&ring, at) else {
            return Some((Vec::new(), at));
        };
        let taken = (ReceiveEntry::slots(&first) as u64).min(announced);
        let rest: Option<Vec<_>> = (at + 1..at + taken)
            .map(|index| self.receive_slot(&ring, index))
            .collect();
        let slots = rest.map_or(Vec::new(), |rest| [vec![first], rest].concat());
        Some((slots, at + taken - 1))
    }

    fn receive_slot(&mut self, ring: &Ring, index: u64) -> Option<[u8; RECEIVE_ENTRY_LEN]> {
        let mut slot = [0; RECEIVE_ENTRY_LEN];
        let read = self.memory.read(ring.slot(index, RECEIVE_ENTRY_LEN), &mut slot);
        read.is_ok().then_some(slot)
    }
}
