//! Some NICs around one switch with a queue at each port, which stamps what leaves it and loses or delays some of it: a network small enough for
//! the models' tests. Each NIC but the last writes one message to the last.

use super::bench::{pattern, Watched};
use hpcc_models::cc::hpcc::{Hpcc, HpccParams};
use hpcc_models::cc::{CcEvent, CongestionControl, HopRecord, Update};
use hpcc_models::nic::*;
use hpcc_models::wire::telemetry::{ifa, int_md, ioam, Encapsulation, TelemetryPorts};
use hpcc_models::wire::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::net::Ipv4Addr;
use std::rc::Rc;

pub const T_NS: u32 = 9_000;
pub const MTU: u32 = 1024;
const KEY: u32 = 0x77;
const BASE: u64 = 0x10_0000;
const GBPS: u64 = 100;
/// Speed code of 100 Gb/s.
const SPEED: u8 = 5;

/// Time, flow, INT was valid, window after it.
pub type Heard = Rc<RefCell<Vec<(u64, u32, bool, Option<f64>)>>>;

/// HPCC that writes down what it hears.
fn watched(n_aware: bool, heard: &Heard) -> Box<dyn CongestionControl> {
    let heard = heard.clone();
    Box::new(Watched {
        law: Hpcc::new(params(n_aware)).unwrap(),
        hear: move |event: &CcEvent, update: Option<Update>| {
            let window = update.map(|update| update.window);
            heard
                .borrow_mut()
                .push((event.now, event.flow, event.int_valid, window));
        },
    })
}

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

fn ip(node: usize) -> Ipv4Addr {
    Ipv4Addr::new(10, 0, 0, node as u8 + 1)
}

fn mac(node: usize) -> MacAddr {
    MacAddr([2, 0, 0, 0, 0, node as u8 + 1])
}

fn time_ns(len: usize) -> u64 {
    (wire_occupancy(len) * 8).div_ceil(GBPS)
}

pub fn params(n_aware: bool) -> HpccParams {
    HpccParams {
        n_aware,
        ..HpccParams::new(GBPS * 1_000_000_000, T_NS)
    }
}

impl Star {
    /// So many senders of `bytes` each, links of `delay_ns`, all NICs with registers `config`.
    pub fn new(senders: usize, bytes: u64, delay_ns: u64, config: &NicConfig, faults: Faults) -> Self {
        let heard = Heard::default();
        let receiver = senders;
        let qpn = |sender: usize| sender as u32 + 2;
        let nics = (0..=senders).map(|node| {
            let config = NicConfig {
                mac: mac(node),
                ip: ip(node),
                neighbours: (0..=senders).map(|other| (ip(other), mac(other))).collect(),
                window: params(false).w_init,
                ..config.clone()
            };
            let mut memory = BlockMemory::default();
            let size = bytes * if node == receiver { senders as u64 } else { 1 };
            let byte = |i: usize| if node == receiver { 0 } else { pattern(i + node) };
            memory.add(BASE, (0..size as usize).map(byte).collect());
            let n_aware = config.feedback.count_flows;
            let mut nic = Nic::new(config, memory, Some(watched(n_aware, &heard)));
            let at_receiver = heard.clone();
            nic.set_receiver_law(Box::new(move |_: &QpConfig| Some(watched(n_aware, &at_receiver))));
            nic.add_region(Region {
                key: KEY,
                address: BASE,
                length: size,
                remote_write: true,
                remote_read: true,
            });
            let peers: Vec<usize> = if node == receiver {
                (0..senders).collect()
            } else {
                vec![receiver]
            };
            for peer in peers {
                let qpn = qpn(node.min(peer));
                nic.create_qp(QpConfig {
                    send_psn: 0xff_ff00,
                    expected_psn: 0xff_ff00,
                    int: true,
                    mtu: MTU,
                    ..QpConfig::new(qpn, qpn, ip(peer))
                })
                .unwrap();
            }
            nic
        });
        let mut star = Self {
            nics: nics.collect(),
            heard,
            sent: BTreeMap::new(),
            lost: 0,
            deepest: 0,
            ports: (0..=senders).map(|_| Port::default()).collect(),
            events: BTreeMap::new(),
            sequence: 0,
            faults,
            rng: ChaCha8Rng::seed_from_u64(faults.seed),
            delay_ns,
            format: config.format.encapsulation,
            bytes,
            now: 0,
        };
        for sender in 0..senders {
            let work = WorkRequest {
                id: 1,
                qpn: qpn(sender),
                operation: Operation::Write,
                local_address: BASE,
                local_key: KEY,
                remote_address: BASE + bytes * sender as u64,
                remote_key: KEY,
                length: bytes,
            };
            star.nics[sender].post(0, work).unwrap();
        }
        star
    }

    fn schedule(&mut self, at: u64, event: Event) {
        self.events.insert((at, self.sequence), event);
        self.sequence += 1;
    }

    /// Writes the record of a packet that leaves a port, in the format of the network.
    fn stamp(&mut self, port: usize, frame: &mut Vec<u8>) {
        let (now, sent, queue) = (self.now, self.ports[port].sent, self.ports[port].bytes);
        let numbers = TelemetryPorts::default();
        let stamper = StampConfig {
            switch_id: 0x123,
            speed: SPEED,
            ..StampConfig::default()
        };
        let record: HopRecord = stamper.record(now, sent, queue);
        if self.format == Encapsulation::Fig7 {
            stamper.stamp(frame, record);
            return;
        }
        if frame[15] >> 2 != stamper.dscp {
            return;
        }
        let mut packet = frame.split_off(14);
        let (tx_bytes, cells) = (sent as u32, record.q_len);
        let egress = port as u16;
        match self.format {
            Encapsulation::Fig7 => {}
            Encapsulation::Ifa => {
                let hop = ifa::IfaHop {
                    device: 0x123,
                    speed: SPEED - 1,
                    rx_ns: now as u32,
                    egress,
                    tx_bytes,
                    queue: cells,
                    ..ifa::IfaHop::default()
                };
                ifa::stamp(&mut packet, &hop, 9000);
            }
            Encapsulation::Ioam(_) => {
                let node = ioam::IoamNode {
                    node: 0x123,
                    egress,
                    speed: SPEED,
                    fraction: (now % 1_000_000_000) as u32,
                    queue: cells.into(),
                    tx_bytes,
                    ..ioam::IoamNode::default()
                };
                ioam::stamp(&mut packet, &node, numbers.ioam, numbers.namespace, 9000);
            }
            Encapsulation::IntMd => {
                let hop = int_md::IntMdHop {
                    node: 0x123,
                    egress,
                    speed: SPEED,
                    queue: cells.into(),
                    egress_ns: now,
                    tx_bytes,
                    ..int_md::IntMdHop::default()
                };
                int_md::stamp(&mut packet, &hop, numbers.int_md, numbers.domain, 9000);
            }
        }
        frame.extend(packet);
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
        let senders = self.nics.len() - 1;
        let mut times = Vec::new();
        for sender in 0..senders {
            let done = self.nics[sender].take_completions();
            assert_eq!(
                done.iter().map(|done| done.status).collect::<Vec<_>>(),
                [Status::Ok],
                "sender {sender}"
            );
            times.push(done[0].t_ns);
            let target = self.nics[senders].memory().block(BASE).unwrap();
            let own = &target[sender * self.bytes as usize..][..self.bytes as usize];
            let wrong = (0..).zip(own).find(|(i, byte)| **byte != pattern(i + sender));
            assert_eq!(wrong, None, "sender {sender}");
        }
        times
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

/// Registers with this feedback.
pub fn registers(feedback: FeedbackConfig) -> NicConfig {
    NicConfig {
        mtu: MTU,
        retry_timeout_ns: 400_000,
        retry_limit: 200,
        feedback: FeedbackConfig {
            round_trip_ns: T_NS,
            ..feedback
        },
        ..NicConfig::default()
    }
}

pub fn mean(times: &[u64]) -> f64 {
    times.iter().sum::<u64>() as f64 / times.len() as f64
}
