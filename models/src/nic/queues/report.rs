//! Completions, events and interrupts on their way to the host.

use super::event_entry::{EventEntry, EventKind};
use super::host::Posted;
use super::{CompletionEntry, CompletionOpcode, TIME_BITS};
use crate::nic::counters::Counter;
use crate::nic::memory::Memory;
use crate::nic::nic::Nic;
use crate::nic::{Status, WorkRequest};

impl<M: Memory> Nic<M> {
    /// Writes a completion; false if it found no room or its queue's memory failed.
    pub(super) fn write_completion(&mut self, number: u16, entry: CompletionEntry, solicited: bool) -> bool {
        let Some(queue) = self.host.completions.get_mut(&number) else {
            return false;
        };
        let events = queue.create.events;
        let Some((address, phase)) = queue.room() else {
            if !std::mem::replace(&mut queue.overrun, true) {
                self.event(events, EventKind::CompletionOverrun, number.into());
            }
            return false;
        };
        if self.memory.write(address, &entry.encode(phase)).is_err() {
            return false;
        }
        let due = queue.written(solicited || entry.status != Status::Ok);
        if due {
            self.event(events, EventKind::Completion, number.into());
        }
        true
    }

    /// Raises an event.
    pub(super) fn event(&mut self, queue: u8, kind: EventKind, number: u32) {
        let Some(events) = self.host.events.get_mut(&queue) else {
            return;
        };
        let event = EventEntry { kind, number };
        let Some((address, phase)) = events.raise(event) else {
            return;
        };
        // A failure of the host's own event ring has nobody to be told.
        let _ = self.memory.write(address, &event.encode(phase));
        if events.interrupts() {
            self.interrupt(queue);
        }
    }

    pub(super) fn interrupt(&mut self, vector: u8) {
        if !self.host.interrupts.contains(&vector) {
            self.host.interrupts.push(vector);
        }
    }

    /// Raises an event of a queue pair.
    pub(super) fn pair_event(&mut self, qpn: u32, kind: EventKind) {
        if let Some(events) = self.host.pairs.get(&qpn).map(|pair| pair.create.events) {
            self.event(events, kind, qpn);
        }
    }

    /// Ends the oldest work request of a queue pair with queues. One that was flushed already, for want of room in the completion queue, is gone.
    pub(in crate::nic) fn complete_send(&mut self, now: u64, work: &WorkRequest, status: Status) {
        let Some(pair) = self.host.pairs.get_mut(&work.qpn) else {
            return;
        };
        let oldest = pair.send.posted.front().is_some_and(|posted| posted.id == work.id);
        let Some(posted) = pair.send.posted.pop_front().filter(|_| oldest) else {
            return;
        };
        pair.send.consumer = posted.last + 1;
        self.report_send(now, work.qpn, &posted, status, work.length);
    }

    /// Writes the completion of a work request that has ended, if there is one to write.
    pub(super) fn report_send(&mut self, now: u64, qpn: u32, posted: &Posted, status: Status, length: u64) {
        if status != Status::Ok {
            self.counters.count(Counter::ErrorCompletions);
        } else if !posted.signaled {
            return;
        }
        let entry = CompletionEntry {
            work: posted.work,
            qpn,
            opcode: posted.opcode,
            status,
            flags: 0,
            index: posted.last as u16,
            length: if status == Status::Ok { length as u32 } else { 0 },
            immediate: [0; 4],
            time_ns: stamp(now),
        };
        let Some(number) = self.host.pairs.get(&qpn).map(|pair| pair.create.send_cq) else {
            return;
        };
        if !posted.readable || !self.write_completion(number, entry, false) {
            self.lost_completion(now, qpn);
        }
    }

    /// Writes the completion of a receive.
    pub(super) fn report_receive(&mut self, now: u64, entry: CompletionEntry, solicited: bool) {
        if entry.status != Status::Ok {
            self.counters.count(Counter::ErrorCompletions);
        }
        let Some(number) = self.host.pairs.get(&entry.qpn).map(|pair| pair.create.receive_cq) else {
            return;
        };
        if !self.write_completion(number, entry, solicited) {
            self.lost_completion(now, entry.qpn);
        }
    }
}

/// A completion of a receive without message.
pub(super) fn receive_entry(now: u64, qpn: u32, work: u64, last: u64, status: Status) -> CompletionEntry {
    CompletionEntry {
        work,
        qpn,
        opcode: CompletionOpcode::Receive,
        status,
        flags: 0,
        index: last as u16,
        length: 0,
        immediate: [0; 4],
        time_ns: stamp(now),
    }
}

/// Time as a completion carries it.
pub(super) fn stamp(now: u64) -> u64 {
    now & ((1 << TIME_BITS) - 1)
}
