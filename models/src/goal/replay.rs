//! The LogGOPS model: what a schedule takes on ranks with overheads and gaps, and a network with nothing but latency.
//!
//! Rules as LogGOPSim has them, ties included. A message of `s` bytes costs `(s - 1) * G`; of 0 bytes it costs nothing here, where
//! LogGOPSim's `s - 1` wraps around.

use super::queue::{Event, Queue, Ticket, Time};
use super::ready::Progress;
use super::{Kind, Schedule};
use std::collections::HashMap;

/// Parameters of the model, in units of which `units_per_ns` are a nanosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogGops {
    /// Latency of the network.
    pub l: u64,
    /// Time of the processor for each message, at both ends.
    pub o: u64,
    /// Gap between messages at a network port.
    pub g: u64,
    /// Gap for each byte but the first.
    pub gap_per_byte: u64,
    /// Time of the processor for each byte but the first.
    pub overhead_per_byte: u64,
    /// Longest message, in bytes, whose send is done at once; a longer one is done when its receive is there.
    pub eager_bytes: u64,
    /// Units of all times above in a nanosecond.
    pub units_per_ns: u64,
}

/// What a message that comes in holds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reception {
    /// Port and processor, as in LogGOPSim; a receive that finds its message there takes no time.
    HoldsProcessor,
    /// The port alone, as in a NIC that writes to memory by itself; a receive is done when its last byte is there.
    FullDuplex,
}

/// Why a schedule has no finish times.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// Something is waited for that never comes.
    #[error("{operation}: never {missing}")]
    Stuck {
        /// The first operation that is not done, with rank and line.
        operation: String,
        /// What does not happen to it.
        missing: &'static str,
    },
    /// A message that no receive takes.
    #[error("{operation}: no receive takes the message")]
    NotReceived {
        /// The send, with rank and line.
        operation: String,
    },
}

/// Ports and processors of a rank: when each is free again.
#[derive(Default)]
struct Rank {
    cpu: HashMap<u8, Time>,
    tx: HashMap<u8, Time>,
    rx: HashMap<u8, Time>,
    /// Receives that wait for a message, oldest first.
    posted: Vec<usize>,
    /// Messages that wait for a receive, oldest first.
    unexpected: Vec<Message>,
    /// The latest end of anything.
    finish: Time,
}

/// A message at its receiver.
#[derive(Clone, Copy)]
struct Message {
    source: usize,
    operation: usize,
    /// When its last byte is there.
    complete: Time,
}

fn free(at: &HashMap<u8, Time>, number: u8) -> Time {
    at.get(&number).copied().unwrap_or(0)
}

fn raise(at: &mut HashMap<u8, Time>, number: u8, to: Time) {
    let free = at.entry(number).or_default();
    *free = to.max(*free);
}

/// The finish time of every rank, in units of the parameters.
///
/// # Errors
/// Operations that never start or end, messages that nobody receives.
pub fn replay(schedule: &Schedule, params: &LogGops, reception: Reception) -> Result<Vec<u128>, ReplayError> {
    let mut run = Run {
        schedule,
        params,
        reception,
        ranks: schedule.ranks.iter().map(|_| Rank::default()).collect(),
        progress: schedule.ranks.iter().map(|ops| Progress::new(ops)).collect(),
        queue: Queue::default(),
    };
    (0..run.ranks.len()).for_each(|rank| run.enter_ready(0, rank));
    while let Some(ticket) = run.queue.pop() {
        match ticket.event {
            Event::Start { rank, operation } => run.start(ticket, rank, operation),
            Event::End { rank, operation } => {
                run.progress[rank].end(operation);
                run.enter_ready(ticket.time, rank);
            }
            Event::Arrival { source, operation } => run.arrive(ticket, source, operation),
        }
    }
    run.end()
}

struct Run<'a> {
    schedule: &'a Schedule,
    params: &'a LogGops,
    reception: Reception,
    ranks: Vec<Rank>,
    progress: Vec<Progress>,
    queue: Queue,
}

impl Run<'_> {
    fn per_byte(&self, bytes: u64, unit: u64) -> Time {
        Time::from(bytes.saturating_sub(1)) * Time::from(unit)
    }

    fn is_full_duplex(&self) -> bool {
        self.reception == Reception::FullDuplex
    }

    /// Makes the events of what became ready at a rank. LogGOPSim puts them where the processor and the port are free, which may be in the past.
    fn enter_ready(&mut self, now: Time, rank: usize) {
        let operations = &self.schedule.ranks[rank];
        for operation in self.progress[rank].take_ready(operations) {
            let op = &operations[operation];
            let at = &self.ranks[rank];
            let time = match (self.reception, op.kind) {
                (Reception::FullDuplex, _) => now,
                (_, Kind::Send { .. }) => free(&at.cpu, op.cpu).max(free(&at.tx, op.nic)),
                _ => free(&at.cpu, op.cpu),
            };
            self.queue.push(time, Event::Start { rank, operation });
        }
    }

    fn start(&mut self, ticket: Ticket, rank: usize, operation: usize) {
        let op = &self.schedule.ranks[rank][operation];
        let now = ticket.time;
        let cpu = free(&self.ranks[rank].cpu, op.cpu);
        let mut partner = None;
        match op.kind {
            Kind::Compute { ns } => {
                if cpu > now {
                    return self.queue.put_off(ticket, cpu);
                }
                let end = now + Time::from(ns) * Time::from(self.params.units_per_ns);
                raise(&mut self.ranks[rank].cpu, op.cpu, end);
                self.progress[rank].start(operation);
                self.end_operation(rank, operation, end);
            }
            Kind::Send { bytes, .. } => {
                let port = cpu.max(free(&self.ranks[rank].tx, op.nic));
                if port > now {
                    return self.queue.put_off(ticket, port);
                }
                self.send(now, rank, operation, bytes);
            }
            Kind::Receive { bytes, .. } => partner = self.receive(now, rank, operation, bytes),
        }
        self.enter_ready_of(now, rank, partner);
    }

    fn send(&mut self, now: Time, rank: usize, operation: usize, bytes: u64) {
        let (op, params) = (&self.schedule.ranks[rank][operation], self.params);
        let end = now + Time::from(params.o) + self.per_byte(bytes, params.overhead_per_byte);
        let next = now + Time::from(params.g) + self.per_byte(bytes, params.gap_per_byte);
        raise(&mut self.ranks[rank].cpu, op.cpu, end);
        raise(&mut self.ranks[rank].tx, op.nic, next);
        self.progress[rank].start(operation);
        let first_byte = now + Time::from(params.o) + Time::from(params.l);
        self.queue.push(
            first_byte,
            Event::Arrival {
                source: rank,
                operation,
            },
        );
        if bytes <= params.eager_bytes {
            self.end_operation(rank, operation, end);
        }
    }

    /// A receive is posted; the rank whose send ends with it, if one does.
    fn receive(&mut self, now: Time, rank: usize, operation: usize, bytes: u64) -> Option<usize> {
        let kind = self.schedule.ranks[rank][operation].kind;
        self.progress[rank].start(operation);
        let waiting = &self.ranks[rank].unexpected;
        let Some(at) = waiting.iter().position(|message| self.fits(kind, message)) else {
            self.ranks[rank].posted.push(operation);
            return None;
        };
        let message = self.ranks[rank].unexpected.remove(at);
        let end = if self.is_full_duplex() {
            message.complete.max(now)
        } else {
            now
        };
        self.end_operation(rank, operation, end);
        (bytes > self.params.eager_bytes).then(|| self.end_rendezvous(now, message))
    }

    fn fits(&self, receive: Kind, message: &Message) -> bool {
        match self.schedule.ranks[message.source][message.operation].kind {
            Kind::Send { tag, .. } => receive.takes(message.source as u32, tag),
            _ => false,
        }
    }

    fn arrive(&mut self, ticket: Ticket, source: usize, operation: usize) {
        let op = &self.schedule.ranks[source][operation];
        let Kind::Send { to, bytes, .. } = op.kind else {
            return;
        };
        let (rank, now, params) = (to as usize, ticket.time, self.params);
        let mut port = free(&self.ranks[rank].rx, op.nic);
        if !self.is_full_duplex() {
            port = port.max(free(&self.ranks[rank].cpu, op.cpu));
        }
        if port > now {
            return self.queue.put_off(ticket, port);
        }
        let by_port = self.per_byte(bytes, params.gap_per_byte);
        let complete = now + Time::from(params.o) + by_port.max(self.per_byte(bytes, params.overhead_per_byte));
        raise(&mut self.ranks[rank].rx, op.nic, now + Time::from(params.g) + by_port);
        if !self.is_full_duplex() {
            raise(&mut self.ranks[rank].cpu, op.cpu, complete);
        }
        let message = Message {
            source,
            operation,
            complete,
        };
        let operations = &self.schedule.ranks[rank];
        let posted = self.ranks[rank]
            .posted
            .iter()
            .position(|&at| self.fits(operations[at].kind, &message));
        let mut partner = None;
        match posted {
            Some(at) => {
                let receive = self.ranks[rank].posted.remove(at);
                self.end_operation(rank, receive, complete);
                partner = (bytes > params.eager_bytes).then(|| self.end_rendezvous(now, message));
            }
            None => self.ranks[rank].unexpected.push(message),
        }
        self.enter_ready_of(now, rank, partner);
    }

    /// An operation ends at a time, which LogGOPSim's rules take for done at once.
    fn end_operation(&mut self, rank: usize, operation: usize, at: Time) {
        self.ranks[rank].finish = self.ranks[rank].finish.max(at);
        match self.reception {
            Reception::HoldsProcessor => self.progress[rank].end(operation),
            Reception::FullDuplex => self.queue.push(at, Event::End { rank, operation }),
        }
    }

    /// The match ends a send that waited for it; its rank.
    fn end_rendezvous(&mut self, now: Time, message: Message) -> usize {
        let Message { source, operation, .. } = message;
        let op = &self.schedule.ranks[source][operation];
        raise(&mut self.ranks[source].cpu, op.cpu, now);
        raise(&mut self.ranks[source].tx, op.nic, now);
        self.end_operation(source, operation, now);
        source
    }

    /// What became ready at one rank or two, the lower number first.
    fn enter_ready_of(&mut self, now: Time, rank: usize, partner: Option<usize>) {
        let partner = partner.unwrap_or(rank);
        self.enter_ready(now, rank.min(partner));
        self.enter_ready(now, rank.max(partner));
    }

    fn end(self) -> Result<Vec<u128>, ReplayError> {
        for rank in &self.ranks {
            if let Some(message) = rank.unexpected.first() {
                let operation = self.schedule.describe(message.source, message.operation);
                return Err(ReplayError::NotReceived { operation });
            }
        }
        for (rank, at) in self.ranks.iter().enumerate() {
            let waiting = at.posted.first().copied();
            if let Some(stuck) = waiting.or(self.progress[rank].unfinished()) {
                let missing = match (waiting, self.schedule.ranks[rank][stuck].kind) {
                    (Some(_), _) => "gets a message",
                    (None, Kind::Send { .. }) => "ends",
                    (None, _) => "starts",
                };
                let operation = self.schedule.describe(rank, stuck);
                return Err(ReplayError::Stuck { operation, missing });
            }
        }
        let processors = |rank: &Rank| rank.cpu.values().copied().max().unwrap_or(0);
        let finish = |rank: &Rank| match self.reception {
            Reception::HoldsProcessor => processors(rank),
            Reception::FullDuplex => rank.finish,
        };
        Ok(self.ranks.iter().map(finish).collect())
    }
}
