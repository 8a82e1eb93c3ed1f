//! Some NICs around one switch with a queue at each port, which stamps what leaves it and loses or delays some of it: a network small enough for
//! the models' tests. Each NIC but the last writes one message to the last.

mod setup;

pub use setup::{ip, mac, params, registers, Heard, T_NS};

use super::bench::pattern;
use super::hop::Hop;
use hpcc_models::nic::*;
use hpcc_models::wire::telemetry::Encapsulation;
use hpcc_models::wire::*;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, VecDeque};

const GBPS: u64 = 100;
const KEY: u32 = 0x77;
const BASE: u64 = 0x10_0000;
/// Speed code of 100 Gb/s.
const SPEED: u8 = 5;

/// What the switch does beside stamping. Probabilities are per frame.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    pub loss: f64,
    /// Late by up to 3 us.
    pub late: f64,
    pub seed: u64,
}

pub const NONE: Faults = Faults {
    loss: 0.0,
    late: 0.0,
    seed: 1,
};

#[derive(Default)]
struct Port {
    queue: VecDeque<Vec<u8>>,
    bytes: u64,
    sent: u64,
    busy: bool,
}

enum Event {
    /// A frame is whole at the switch.
    Switch(Vec<u8>),
    /// A port has sent.
    Free(usize),
    /// A frame is whole at a NIC.
    Nic(usize, Vec<u8>),
}

pub struct Star {
    pub nics: Vec<Nic<BlockMemory>>,
    pub heard: Heard,
    /// Frames that NICs sent, by opcode.
    pub sent: BTreeMap<Opcode, u64>,
    pub lost: u64,
    /// Most bytes at the last port.
    pub deepest: u64,
    ports: Vec<Port>,
    events: BTreeMap<(u64, u64), Event>,
    sequence: u64,
    faults: Faults,
    rng: ChaCha8Rng,
    delay_ns: u64,
    format: Encapsulation,
    bytes: u64,
    pub now: u64,
}

fn time_ns(len: usize) -> u64 {
    (wire_occupancy(len) * 8).div_ceil(GBPS)
}

impl Star {
    fn schedule(&mut self, at: u64, event: Event) {
        self.events.insert((at, self.sequence), event);
        self.sequence += 1;
    }

    /// Writes the record of a packet that leaves a port, in the format of the network.
    fn stamp(&self, port: usize, frame: &mut Vec<u8>) {
        let hop = Hop {
            device: 0x123,
            egress: port as u16,
            speed: SPEED,
            now_ns: self.now,
            sent: self.ports[port].sent,
            queue: self.ports[port].bytes,
        };
        hop.add_to(frame, self.format);
    }

    fn serve(&mut self, port: usize) {
        if self.ports[port].busy {
            return;
        }
        let Some(mut frame) = self.ports[port].queue.pop_front() else {
            return;
        };
        self.ports[port].bytes -= wire_occupancy(frame.len());
        self.stamp(port, &mut frame);
        self.ports[port].sent += wire_occupancy(frame.len());
        self.ports[port].busy = true;
        let end = self.now + time_ns(frame.len());
        self.schedule(end, Event::Free(port));
        self.schedule(end + self.delay_ns, Event::Nic(port, frame));
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Switch(frame) => {
                let port = usize::from(frame[33]) - 1;
                self.ports[port].bytes += wire_occupancy(frame.len());
                if port + 1 == self.nics.len() {
                    self.deepest = self.deepest.max(self.ports[port].bytes);
                }
                self.ports[port].queue.push_back(frame);
                self.serve(port);
            }
            Event::Free(port) => {
                self.ports[port].busy = false;
                self.serve(port);
            }
            Event::Nic(node, frame) => self.nics[node].receive(self.now, &frame),
        }
    }

    /// Runs until nothing happens any more; false if that takes longer than `limit_ns`.
    pub fn run(&mut self, limit_ns: u64) -> bool {
        loop {
            let deadlines = self.nics.iter().filter_map(Nic::next_deadline);
            let events = self.events.keys().next().map(|(at, _)| *at);
            let Some(next) = deadlines.chain(events).min() else {
                return true;
            };
            self.now = self.now.max(next);
            if self.now > limit_ns {
                return false;
            }
            while let Some(first) = self.events.first_entry().filter(|entry| entry.key().0 <= self.now) {
                let event = first.remove();
                self.handle(event);
            }
            for node in 0..self.nics.len() {
                for frame in self.nics[node].poll(self.now) {
                    self.leaves(frame);
                }
            }
        }
    }

    fn leaves(&mut self, frame: Vec<u8>) {
        // behind INT, whose first four bits count the hops on an echo; 54792
        let int_len = match frame[36..38] {
            [0xd6, 0x08] if frame[23] == PROTOCOL_UDP => int_header_len(&frame[42..]).unwrap(),
            _ => self.format.base_len(),
        };
        let opcode_at = 42 + int_len;
        if let Some(opcode) = Opcode::parse(frame[opcode_at]) {
            *self.sent.entry(opcode).or_default() += 1;
        }
        // every frame draws its numbers, so that one fate does not shift another's
        let [loss, late] = [(); 2].map(|()| self.rng.random::<f64>());
        let extra = self.rng.random_range(1..3000);
        if loss < self.faults.loss {
            self.lost += 1;
            return;
        }
        let wait = if late < self.faults.late { extra } else { 0 };
        let at = self.now + time_ns(frame.len()) + self.delay_ns + wait;
        self.schedule(at, Event::Switch(frame));
    }

    /// Every message arrived, byte for byte; completion times of the senders, ns.
    pub fn completed(&mut self) -> Vec<u64> {
        (0..self.nics.len() - 1)
            .map(|sender| self.completed_of(sender))
            .collect()
    }

    /// The message of one sender arrived, byte for byte; its completion time, ns.
    pub fn completed_of(&mut self, sender: usize) -> u64 {
        let receiver = self.nics.len() - 1;
        let done = self.nics[sender].take_completions();
        assert_eq!(
            done.iter().map(|done| done.status).collect::<Vec<_>>(),
            [Status::Ok],
            "sender {sender}"
        );
        let target = self.nics[receiver].memory().block(BASE).unwrap();
        let own = &target[sender * self.bytes as usize..][..self.bytes as usize];
        let wrong = (0..).zip(own).find(|(i, byte)| **byte != pattern(i + sender));
        assert_eq!(wrong, None, "sender {sender}");
        done[0].t_ns
    }

    /// A frame that no NIC sent is whole at a NIC at this time.
    pub fn inject(&mut self, at: u64, node: usize, frame: Vec<u8>) {
        self.schedule(at, Event::Nic(node, frame));
    }

    /// Packets of these opcodes that NICs sent.
    pub fn count(&self, of: impl Fn(Opcode) -> bool) -> u64 {
        self.sent
            .iter()
            .filter(|(opcode, _)| of(**opcode))
            .map(|(_, count)| count)
            .sum()
    }

    /// Data packets.
    pub fn data_packets(&self) -> u64 {
        self.count(|opcode| matches!(opcode, Opcode::Write(_)))
    }

    /// Packets of the receiver.
    pub fn packets_back(&self) -> u64 {
        self.count(Opcode::is_feedback)
    }
}

pub fn mean(times: &[u64]) -> f64 {
    times.iter().sum::<u64>() as f64 / times.len() as f64
}
