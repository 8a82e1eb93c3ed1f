//! Host software of queue pairs with queues: rings in the NIC's memory, doorbells, and completions read by their phase.

use crate::config::{NicSetup, TimedReceive, RING_SPACE};
use hpcc_models::nic::queues::*;
use hpcc_models::nic::{BlockMemory, Completion, Memory, Nic, Operation, WorkRequest};
use std::collections::{BTreeMap, VecDeque};

/// Entries of a send or receive queue.
pub(super) const WORK_RING: u32 = 1024;
/// Entries of the completion queue.
const CQ_RING: u32 = 32_768;
/// Bytes between the beginnings of rings.
const STRIDE: u64 = 1 << 24;
const EQ: u8 = 0;
const CQ: u16 = 0;

/// A ring that the host fills.
#[derive(Debug)]
struct Filled<T> {
    base: u64,
    producer: u64,
    /// Slots before this one are free.
    consumer: u64,
    /// Entries for which there is no room yet.
    waiting: VecDeque<T>,
}

impl<T> Filled<T> {
    fn new(base: u64) -> Self {
        Self {
            base,
            producer: 0,
            consumer: 0,
            waiting: VecDeque::new(),
        }
    }

    /// Writes slots if all of them have room.
    fn write<const N: usize>(&mut self, memory: &mut BlockMemory, slots: &[[u8; N]]) -> bool {
        if self.producer - self.consumer + slots.len() as u64 > u64::from(WORK_RING) {
            return false;
        }
        for slot in slots {
            let at = self.base + self.producer % u64::from(WORK_RING) * N as u64;
            // the ring was made with room for every slot
            let _ = memory.write(at, slot);
            self.producer += 1;
        }
        true
    }

    /// Slots up to and with `index` are free.
    fn free(&mut self, index: u16) {
        self.consumer += u64::from(index.wrapping_sub(self.consumer as u16)) + 1;
    }
}

#[derive(Debug)]
struct Pair {
    place: u16,
    send: Filled<SendEntry>,
    receive: Filled<ReceiveEntry>,
}

/// The host's side of all queue pairs with queues.
#[derive(Debug, Default)]
pub(super) struct HostQueues {
    pairs: BTreeMap<u32, Pair>,
    work: BTreeMap<u64, SendEntry>,
    receives: VecDeque<TimedReceive>,
    /// Completions taken.
    taken: u64,
}

fn ring(number: u64) -> u64 {
    RING_SPACE + number * STRIDE
}

/// Sizes in which every queue pair has a place and every key an entry of its own.
fn sizes(setup: &NicSetup) -> Result<QueueSizes, String> {
    let sizes = |place_bits| QueueSizes {
        place_bits,
        ..QueueSizes::default()
    };
    let fit = |bits: &u32| {
        let mut places: Vec<u16> = setup.qps.iter().map(|qp| sizes(*bits).place(qp.qpn)).collect();
        places.sort_unstable();
        places.windows(2).all(|pair| pair[0] != pair[1]) && places.first().is_none_or(|least| *least >= 2)
    };
    let found = (QueueSizes::default().place_bits..=16).find(fit);
    found
        .map(sizes)
        .ok_or_else(|| "[[qp]] qpn: with queues the low 16 bits of all numbers must differ and be 2 or more".into())
}

impl HostQueues {
    /// Gives a NIC the queues of a configuration and brings its queue pairs with queues to RTS.
    pub fn create(nic: &mut Nic<BlockMemory>, setup: &NicSetup) -> Result<Self, String> {
        if setup.queues.pairs.is_empty() {
            return Ok(Self::default());
        }
        let sizes = sizes(setup)?;
        nic.set_queue_sizes(sizes);
        let mut queues = Self {
            work: setup.queues.work.clone(),
            receives: setup.queues.receives.clone().into(),
            ..Self::default()
        };
        let run = |nic: &mut Nic<BlockMemory>, command: Command| match nic.command(0, &command) {
            Ok(_) => Ok(()),
            Err(code) => Err(format!("[[qp]] queues: {command:?} is refused: {}", code.about())),
        };
        let make = |nic: &mut Nic<BlockMemory>, number: u64, entries: u32, len: usize| {
            nic.memory_mut().add(ring(number), vec![0; entries as usize * len]);
            Ring {
                address: ring(number),
                entries,
            }
        };
        for region in &setup.queues.regions {
            run(nic, Command::ReplaceRegion(*region))?;
        }
        // Nobody arms the completion queue: the host looks at it each time the NIC has moved.
        let events = QUEUE_PAIR_EVENTS * setup.queues.pairs.len() as u32 + COMPLETION_QUEUE_EVENTS;
        let entries = events.next_power_of_two().clamp(MIN_RING, MAX_RING);
        let eq = CreateEq {
            number: EQ,
            ring: make(nic, 0, entries, EVENT_ENTRY_LEN),
        };
        run(nic, Command::CreateEq(eq))?;
        let cq = CreateCq {
            number: CQ,
            page: 0,
            ring: make(nic, 1, CQ_RING, COMPLETION_ENTRY_LEN),
            events: EQ,
        };
        run(nic, Command::CreateCq(cq))?;
        for (index, pair) in (1..).zip(&setup.queues.pairs) {
            let create = CreateQp {
                number: pair.qpn,
                domain: pair.domain,
                page: 0,
                send: make(nic, 2 * index, WORK_RING, SEND_ENTRY_LEN),
                receive: make(nic, 2 * index + 1, WORK_RING, RECEIVE_ENTRY_LEN),
                send_cq: CQ,
                receive_cq: CQ,
                events: EQ,
            };
            run(nic, Command::CreateQp(create))?;
            let moves = [
                (State::Init, pair.rights),
                (State::ReadyToReceive, pair.receiving),
                (State::ReadyToSend, pair.sending),
            ];
            for (to, set) in moves {
                let number = pair.qpn;
                run(nic, Command::ModifyQp { number, to, set })?;
            }
            let pair_of = Pair {
                place: sizes.place(pair.qpn),
                send: Filled::new(create.send.address),
                receive: Filled::new(create.receive.address),
            };
            queues.pairs.insert(pair.qpn, pair_of);
        }
        // receives of the beginning are there before any frame
        queues.turn(nic, 0);
        Ok(queues)
    }

    /// Takes work of a queue pair with queues for the next turn; false if it is none.
    pub fn post(&mut self, work: &WorkRequest) -> bool {
        let Some(pair) = self.pairs.get_mut(&work.qpn) else {
            return false;
        };
        pair.send.waiting.extend(self.work.get(&work.id).cloned());
        true
    }

    /// When the host posts a receive next, ns; at once while work waits that has room.
    pub fn next_ns(&self) -> Option<u64> {
        let room = |pair: &Pair| {
            !pair.send.waiting.is_empty() && pair.send.producer - pair.send.consumer + 2 <= u64::from(WORK_RING)
        };
        match self.pairs.values().any(room) {
            true => Some(0),
            false => self.receives.front().map(|receive| receive.at_ns),
        }
    }

    /// Posts what is due and has room.
    pub fn turn(&mut self, nic: &mut Nic<BlockMemory>, now: u64) {
        while let Some(receive) = self.receives.pop_front_due(now) {
            if let Some(pair) = self.pairs.get_mut(&receive.qpn) {
                pair.receive.waiting.push_back(receive.entry);
            }
        }
        for pair in self.pairs.values_mut() {
            let before = (pair.send.producer, pair.receive.producer);
            while let Some(entry) = pair.receive.waiting.front().cloned() {
                if !pair.receive.write(nic.memory_mut(), &entry.encode()) {
                    break;
                }
                pair.receive.waiting.pop_front();
            }
            while let Some(entry) = pair.send.waiting.front().cloned() {
                if !pair.send.write(nic.memory_mut(), &entry.encode()) {
                    break;
                }
                pair.send.waiting.pop_front();
            }
            let rings = [
                (DoorbellKind::ReceiveQueue, before.1, pair.receive.producer),
                (DoorbellKind::SendQueue, before.0, pair.send.producer),
            ];
            for (kind, before, after) in rings {
                if after > before {
                    ring_bell(nic, now, kind, pair.place, after);
                }
            }
        }
    }

    /// Completions since the last call, oldest first.
    pub fn take(&mut self, nic: &mut Nic<BlockMemory>, now: u64) -> Vec<Completion> {
        let mut found = Vec::new();
        while let Some(entry) = self.next_entry(nic) {
            self.taken += 1;
            if let Some(pair) = self.pairs.get_mut(&entry.qpn) {
                match entry.opcode.is_receive() {
                    true => pair.receive.free(entry.index),
                    false => pair.send.free(entry.index),
                }
            }
            let posted = self.work.get(&entry.work).map(|posted| posted.opcode);
            found.push(Completion {
                t_ns: entry.time_ns,
                qpn: entry.qpn,
                work: entry.work,
                operation: operation(&entry, posted),
                status: entry.status,
                bytes: entry.length.into(),
            });
        }
        if !found.is_empty() {
            ring_bell(nic, now, DoorbellKind::CompletionConsumer, CQ, self.taken);
        }
        found
    }

    fn next_entry(&self, nic: &mut Nic<BlockMemory>) -> Option<CompletionEntry> {
        if self.pairs.is_empty() {
            return None;
        }
        let mut bytes = [0; COMPLETION_ENTRY_LEN];
        let at = ring(1) + self.taken % u64::from(CQ_RING) * COMPLETION_ENTRY_LEN as u64;
        nic.memory_mut().read(at, &mut bytes).ok()?;
        let (entry, phase) = CompletionEntry::decode(&bytes)?;
        (phase == (self.taken / u64::from(CQ_RING)).is_multiple_of(2)).then_some(entry)
    }
}

/// The oldest receive that is due.
trait Due {
    fn pop_front_due(&mut self, now: u64) -> Option<TimedReceive>;
}

impl Due for VecDeque<TimedReceive> {
    fn pop_front_due(&mut self, now: u64) -> Option<TimedReceive> {
        let due = self.front().is_some_and(|receive| receive.at_ns <= now);
        due.then(|| self.pop_front()).flatten()
    }
}

fn ring_bell(nic: &mut Nic<BlockMemory>, now: u64, kind: DoorbellKind, number: u16, index: u64) {
    let word = Doorbell {
        number,
        index: index as u16,
    };
    nic.doorbell(now, 0, kind.code().into(), word.encode());
}

/// What a completion says in `completions.jsonl`.
fn operation(entry: &CompletionEntry, posted: Option<SendOpcode>) -> Operation {
    match (entry.opcode, posted) {
        (CompletionOpcode::Receive, _) => Operation::Receive,
        (CompletionOpcode::ReceiveWrite, _) => Operation::ReceiveWrite,
        (_, Some(SendOpcode::WriteImmediate)) => Operation::WriteImmediate,
        (_, Some(SendOpcode::Send)) => Operation::Send,
        (_, Some(SendOpcode::SendImmediate)) => Operation::SendImmediate,
        (_, Some(SendOpcode::SendInvalidate)) => Operation::SendInvalidate,
        (_, Some(SendOpcode::CompareSwap)) => Operation::CompareSwap,
        (_, Some(SendOpcode::FetchAdd)) => Operation::FetchAdd,
        (_, Some(SendOpcode::Read)) => Operation::Read,
        (_, Some(SendOpcode::Write) | None) => Operation::Write,
    }
}

#[cfg(test)]
#[path = "host_queues_tests.rs"]
mod tests;
