//! The block beside a model of the whole NIC: a peer behind a bad wire, the same packets and the same work for both.

use super::super::COUNTERS;
use super::bench::{Arrived, Bench, Done, Packet, KEY};
use crate::prim::word::Word as _;
use crate::sim::Stimulus;
use crate::words::transport::{Commit, RxPacket};
use crate::words::work::WorkRequest as WorkWord;
use hpcc_models::cc::{CcEvent, CongestionControl, EventKind, Update};
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::net::Ipv4Addr;
use std::rc::Rc;

const PEER_KEY: u32 = 7;
const MEMORY: u64 = 0x10_0000;
const MEMORY_LEN: usize = 1 << 16;

/// Remembers the events of the model.
struct Recorder(Rc<RefCell<Vec<CcEvent>>>);

impl CongestionControl for Recorder {
    fn name(&self) -> &'static str {
        "recorder"
    }
    fn create(&mut self, flow: u32, generation: u8) -> Update {
        Update {
            flow,
            generation,
            window: 20_000.0,
            rate: 100e9,
        }
    }
    fn remove(&mut self, _: u32) {}
    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        self.0.borrow_mut().push(*event);
        None
    }
}

/// What a run is made of.
#[derive(Clone, Copy)]
pub struct Plan {
    pub link: LinkConfig,
    /// Chance that a packet to the requester is replaced by a wrong one.
    pub wrong: f64,
    /// Packets handed over before the two are compared.
    pub batch: usize,
    pub accept: f64,
    pub memory: f64,
    pub max_reads: u32,
    pub seed: u64,
    pub rounds: usize,
}

struct Side {
    qpn: u32,
    mtu: u32,
    int: bool,
    sent_to: u32,
    /// Messages queued that have not completed.
    room: BTreeMap<u64, usize>,
    dead: bool,
}

pub struct World<const S: usize> {
    plan: Plan,
    model: Nic<BlockMemory>,
    peer: Nic<BlockMemory>,
    links: [Link; 2],
    pub bench: Bench<S>,
    random: Stimulus,
    pairs: Vec<Side>,
    events: Rc<RefCell<Vec<CcEvent>>>,
    memory: Vec<u8>,
    /// Payloads of the READ responses handed over, oldest first.
    payloads: VecDeque<Vec<u8>>,
    /// READ echoes of the model by queue pair, and of the block.
    echoes: [BTreeMap<u64, Vec<u64>>; 2],
    /// Events that acknowledged less than the model's.
    pub short: u64,
    now: u64,
    next_id: u64,
    /// Completions: number, status, bytes.
    pub completed: Vec<Done>,
}

fn config(own: u8, other: u8, span: u32, max_reads: u32) -> NicConfig {
    let ip = |last| Ipv4Addr::new(10, 0, 0, last);
    NicConfig {
        mac: MacAddr([2, 0, 0, 0, 0, own]),
        ip: ip(own),
        neighbours: BTreeMap::from([(ip(other), MacAddr([2, 0, 0, 0, 0, other]))]),
        retry_timeout_ns: 20_000,
        retry_limit: 3,
        psn_span: span,
        message_queue: 16,
        max_rd_atomic: max_reads,
        ..NicConfig::default()
    }
}

impl<const S: usize> World<S> {
    pub fn new(plan: Plan) -> Self {
        let events = Rc::default();
        let span = 1 << S.min(20);
        let mut random = Stimulus::new(plan.seed);
        let mut memories = [0, 1].map(|_| (0..MEMORY_LEN).map(|_| random.uniform(8) as u8).collect::<Vec<_>>());
        let memory = memories[0].clone();
        let [mut near, mut far] = [BlockMemory::default(), BlockMemory::default()];
        near.add(MEMORY, std::mem::take(&mut memories[0]));
        far.add(MEMORY, std::mem::take(&mut memories[1]));
        let recorder = Recorder(Rc::clone(&events));
        let mut model = Nic::new(config(1, 2, span, plan.max_reads), near, Some(Box::new(recorder)));
        let mut peer = Nic::new(config(2, 1, span, 16), far, None);
        let region = |key, address, length| Region {
            key,
            address,
            length,
            remote_write: true,
            remote_read: true,
        };
        model.add_region(region(KEY as u32, 0, 1 << 40));
        peer.add_region(region(PEER_KEY, MEMORY, MEMORY_LEN as u64));
        let mut bench = Bench::new(plan.seed);
        bench.accept = plan.accept;
        bench.memory = plan.memory;
        bench.block.max_reads.next = crate::prim::uint::U(plan.max_reads.into());
        let pair = |(i, (mtu, int))| Side {
            qpn: 2 + 3 * i as u32,
            mtu,
            int,
            sent_to: 0,
            room: BTreeMap::new(),
            dead: true,
        };
        let kinds = [(256, false), (256, true), (1024, true), (512, false)];
        let mut world = Self {
            plan,
            model,
            peer,
            links: [0, 1].map(|side| Link::new(plan.link, plan.seed + side)),
            bench,
            random,
            pairs: kinds.into_iter().enumerate().map(pair).collect(),
            events,
            memory,
            payloads: VecDeque::new(),
            echoes: Default::default(),
            short: 0,
            now: 0,
            next_id: 0,
            completed: Vec::new(),
        };
        (0..kinds.len()).for_each(|i| world.create(i));
        world
    }

    fn generation(&self, qpn: u32) -> u64 {
        self.model.generation(qpn).map_or(0, u64::from)
    }

    /// Creates queue pair `i` on both sides, removing what was there.
    fn create(&mut self, i: usize) {
        let (qpn, mtu, int) = (self.pairs[i].qpn, self.pairs[i].mtu, self.pairs[i].int);
        let old = self.generation(qpn);
        self.compare_echoes(qpn.into());
        if old != 0 {
            self.bench.removes.push_back(u64::from(qpn) | old << 8);
            self.bench.drain();
        }
        let psn = (0x100_0000 - self.random.below(200) as u32) & 0xff_ffff;
        let config = |other: u8| QpConfig {
            int,
            mtu,
            send_psn: psn,
            expected_psn: psn,
            ..QpConfig::new(qpn, qpn, Ipv4Addr::new(10, 0, 0, other))
        };
        self.model.remove_qp(self.now, qpn);
        self.peer.remove_qp(self.now, qpn);
        self.model.create_qp(config(2)).expect("free");
        self.peer.create_qp(config(1)).expect("free");
        let generation = self.generation(qpn);
        self.bench.context(
            qpn.into(),
            generation,
            psn.into(),
            u64::from(mtu.trailing_zeros() - 8),
            int,
            true,
        );
        let pair = &mut self.pairs[i];
        (pair.sent_to, pair.dead) = (psn, false);
        self.compare();
    }

    /// Posts a work request of random content on queue pair `i`, if the block's ring has room for it.
    fn post(&mut self, i: usize) {
        let r = &mut self.random;
        let mtu = u64::from(self.pairs[i].mtu);
        let length = match r.below(8) {
            0 => 0,
            1 => r.below(4),
            2 => mtu + r.below(3) - 1,
            3 | 4 => r.below(3 * mtu),
            _ => r.below(20 * mtu),
        };
        let parts = length.div_ceil(mtu).max(1).div_ceil(1 << S) as usize;
        if self.pairs[i].room.values().sum::<usize>() + parts > 16 {
            return;
        }
        let place = |r: &mut Stimulus| MEMORY + r.below(MEMORY_LEN as u64 - length);
        let mut work = WorkRequest {
            id: self.next_id,
            qpn: self.pairs[i].qpn,
            operation: if r.chance(0.5) { Operation::Read } else { Operation::Write },
            local_address: place(r),
            local_key: KEY as u32,
            remote_address: place(r),
            remote_key: PEER_KEY,
            length,
        };
        match r.below(100) {
            0 => work.remote_key = 8,
            1 => work.local_key = 8,
            2 => work.local_address = (1 << 40) - length / 2,
            3 => work.length = (1 << 31) + 1 + r.below(5),
            4 => work.qpn = 100,
            _ => {}
        }
        self.next_id += 1;
        self.model.post(self.now, work).expect("room");
        let mut word = [0; 5];
        WorkWord::ID.put(&mut word, work.id);
        WorkWord::QPN.put(&mut word, work.qpn.into());
        WorkWord::OPERATION.put(&mut word, u64::from(work.operation == Operation::Read));
        WorkWord::LOCAL_ADDRESS.put(&mut word, work.local_address);
        WorkWord::LOCAL_KEY.put(&mut word, work.local_key.into());
        WorkWord::REMOTE_ADDRESS.put(&mut word, work.remote_address);
        WorkWord::REMOTE_KEY.put(&mut word, work.remote_key.into());
        WorkWord::LENGTH.put(&mut word, work.length);
        self.bench.works.push_back(WorkWord::from_slice(&word));
        self.pairs[i].room.insert(work.id, parts);
        self.compare();
    }

    /// A packet to the requester, as the wire brought it or made wrong.
    fn spoil(&mut self, frame: Vec<u8>) -> Vec<u8> {
        if !self.random.chance(self.plan.wrong) {
            return frame;
        }
        let ports = Ports::default();
        let Ok(mut packet) = RocePacket::parse(&frame, &ports) else {
            return frame;
        };
        let r = &mut self.random;
        match (r.below(4), packet.bth.opcode) {
            (0, _) => packet.bth.psn = (packet.bth.psn + r.below(12) as u32).wrapping_sub(6) & 0xff_ffff,
            (1, Opcode::ReadResponse(_)) => {
                let positions = [Position::First, Position::Middle, Position::Last, Position::Only];
                let position = positions[r.below(4) as usize];
                packet.bth.opcode = Opcode::ReadResponse(position);
                packet.extension = if position == Position::Middle {
                    Extension::None
                } else {
                    let syndrome = Syndrome::parse(if r.chance(0.2) { r.uniform(8) as u8 } else { 0x1f });
                    Extension::Aeth(AethRepr { syndrome, msn: 1 })
                };
            }
            (2, Opcode::ReadResponse(_)) => {
                packet.payload = &packet.payload[..packet.payload.len() - packet.payload.len().min(1)];
            }
            (_, Opcode::Acknowledge) => {
                let syndrome = Syndrome::parse([0x60, 0x2c, 0x40, 0x9f, 0x60][r.below(5) as usize]);
                packet.extension = Extension::Aeth(AethRepr { syndrome, msn: 1 });
            }
            _ => packet.bth.psn = r.uniform(24) as u32,
        }
        packet.to_frame()
    }

    /// Hands a frame to the model and, as the words of dispatch, to the block.
    fn deliver(&mut self, frame: &[u8]) {
        self.model.receive(self.now, frame);
        let Ok(packet) = RocePacket::parse(frame, &Ports::default()) else {
            return;
        };
        let qpn = packet.bth.dest_qp;
        let Some(pair) = self.pairs.iter().find(|pair| pair.qpn == qpn) else {
            return;
        };
        let generation = self.generation(qpn);
        match (packet.bth.opcode, packet.extension) {
            (Opcode::Acknowledge, Extension::Aeth(aeth)) => {
                let mut word = [0; 7];
                Commit::KIND.put(&mut word, 3);
                Commit::QP.put(&mut word, qpn.into());
                Commit::GENERATION.put(&mut word, generation);
                Commit::PSN.put(&mut word, packet.bth.psn.into());
                Commit::SYNDROME.put(&mut word, aeth.syndrome.emit().into());
                Commit::INT_LENGTH.put(&mut word, packet.int.len() as u64);
                Commit::INT_STACK.put_bytes(&mut word, packet.int);
                Commit::INT_ON.put(&mut word, pair.int.into());
                self.bench.packets.push_back(Packet::Answer(Commit::from_slice(&word)));
            }
            (Opcode::ReadResponse(_), extension) => {
                let mut word = [0; 4];
                RxPacket::OPCODE.put(&mut word, packet.bth.opcode.emit().into());
                RxPacket::QP.put(&mut word, qpn.into());
                RxPacket::PSN.put(&mut word, packet.bth.psn.into());
                let first = match extension {
                    Extension::Aeth(aeth) => aeth.syndrome.emit(),
                    _ => packet.payload.first().copied().unwrap_or(0),
                };
                RxPacket::EXTENSION.put_bytes(&mut word, &[first]);
                RxPacket::PAYLOAD_LENGTH.put(&mut word, packet.payload.len() as u64);
                RxPacket::GENERATION.put(&mut word, generation);
                RxPacket::MTU.put(&mut word, u64::from(pair.mtu.trailing_zeros() - 8));
                RxPacket::INT_ON.put(&mut word, pair.int.into());
                let arrived = Arrived::new(RxPacket::from_slice(&word), packet.int);
                self.bench.packets.push_back(Packet::Response(arrived));
                self.payloads.push_back(packet.payload.to_vec());
            }
            _ => {}
        }
    }

    /// Notes what the model sends, puts random INT into it, and sends it.
    fn leave(&mut self, frame: Vec<u8>) {
        let ports = Ports::default();
        let mut packet = RocePacket::parse(&frame, &ports).expect("own frame");
        let qpn = packet.bth.dest_qp;
        let generation = self.generation(qpn);
        let pair = self.pairs.iter_mut().find(|pair| pair.qpn == qpn).expect("known");
        let psns = match (packet.bth.opcode, packet.extension) {
            (Opcode::Write(_), _) => 1,
            (Opcode::ReadRequest, Extension::Reth(reth)) => reth.length.div_ceil(pair.mtu).max(1),
            (Opcode::ReadEcho, _) => {
                self.echoes[0]
                    .entry(qpn.into())
                    .or_default()
                    .push(packet.bth.psn.into());
                0
            }
            _ => 0,
        };
        let end = (packet.bth.psn + psns) & 0xff_ffff;
        let ahead = end.wrapping_sub(pair.sent_to) & 0xff_ffff;
        if psns > 0 && ahead > 0 && ahead < 1 << 23 {
            pair.sent_to = end;
            self.bench.sent.push_back((qpn.into(), generation, end.into()));
            let scheduled = self
                .bench
                .scheduled
                .iter()
                .rev()
                .find(|work| work.0 == u64::from(2 * qpn));
            let to = scheduled.map_or(0, |work| work.2 as u32);
            assert!(
                to.wrapping_sub(end) & 0x80_0000 == 0,
                "sent {end:#x} but scheduled {to:#x}"
            );
        }
        let mut int = packet.int.to_vec();
        if !int.is_empty() {
            let n_hop = self.random.below(8) as u8;
            int = vec![n_hop << 4 | 1, self.random.uniform(8) as u8];
            for _ in 0..n_hop.min(5) {
                let speed = if self.random.chance(0.01) { 0 } else { 5 };
                int.push(speed << 4 | 3);
                int.extend((0..7).map(|_| self.random.uniform(8) as u8));
            }
        }
        packet.int = &int;
        self.links[0].send(self.now, packet.to_frame());
    }

    /// One event; `false` when nothing will happen any more.
    fn step(&mut self) -> bool {
        let deadlines = [self.model.next_deadline(), self.peer.next_deadline()];
        let arrivals = self.links.iter().map(Link::next_arrival);
        let Some(next) = deadlines.into_iter().chain(arrivals).flatten().min() else {
            return false;
        };
        self.now = self.now.max(next);
        let mut batch = 0;
        while let Some(frame) = self.links[1].receive(self.now + 20 * self.plan.batch as u64) {
            let frame = self.spoil(frame);
            self.deliver(&frame);
            batch += 1;
            if batch == self.plan.batch {
                batch = 0;
                self.compare();
            }
        }
        self.compare();
        while let Some(frame) = self.links[0].receive(self.now) {
            self.peer.receive(self.now, &frame);
        }
        for frame in self.model.poll(self.now) {
            self.leave(frame);
        }
        self.compare();
        for frame in self.peer.poll(self.now) {
            self.links[1].send(self.now, frame);
        }
        true
    }

    /// Lets the block finish and compares everything that shows.
    fn compare(&mut self) {
        let expected = self.model.take_completions();
        let bench = &mut self.bench;
        if bench.packets.is_empty() && bench.works.is_empty() && bench.removes.is_empty() && expected.is_empty() {
            // nothing new but what was sent
            while !bench.sent.is_empty() {
                bench.tick();
            }
            return;
        }
        for done in &expected {
            if done.status == Status::RetryExceeded {
                self.bench
                    .ended
                    .push_back((2 * u64::from(done.qpn), self.generation(done.qpn)));
            }
            let bad = matches!(done.status, Status::Ok | Status::LocalAccessError | Status::InvalidWork);
            for pair in &mut self.pairs {
                pair.room.remove(&done.work);
                pair.dead |= pair.qpn == done.qpn && !bad;
            }
        }
        self.bench.drain();
        let expected: Vec<_> = expected.iter().map(|d| (d.work, d.status as u64, d.bytes)).collect();
        let got = std::mem::take(&mut self.bench.done);
        assert_eq!(
            got, expected,
            "completions at {} ns, clock {}",
            self.now, self.bench.clock
        );
        self.completed.extend(expected);
        self.compare_events();
        for action in std::mem::take(&mut self.bench.actions) {
            let payload = self.payloads.pop_front().expect("one action a response");
            if action.take {
                let at = (action.address.0 - MEMORY) as usize;
                self.memory[at..at + payload.len()].copy_from_slice(&payload);
            }
        }
        let memory = self.model.memory().block(MEMORY).expect("block");
        assert!(
            self.memory == memory,
            "memory at {} ns, clock {}",
            self.now,
            self.bench.clock
        );
        for echo in std::mem::take(&mut self.bench.echoes) {
            let (qp, psn) = (echo.qp.0, echo.psn.0);
            self.echoes[1].entry(qp).or_default().push(psn);
        }
        if self.plan.batch == 1 {
            for (counter, got) in COUNTERS.iter().zip(self.bench.counts) {
                let expected = self.model.counters().get(*counter);
                let at = format!("{counter:?} at {} ns, clock {}", self.now, self.bench.clock);
                if *counter == Counter::ReadGaps {
                    // a gap that shows when the flow has just gone back is none for the model
                    assert!(got.abs_diff(expected) <= 2 + expected / 4, "{at}: {got}, {expected}");
                } else {
                    assert_eq!(got, expected, "{at}");
                }
            }
        }
    }

    /// Events with INT, which all acknowledgements of queue pairs with INT carry.
    fn compare_events(&mut self) {
        let expected = self.events.take();
        let mut expected: Vec<_> = expected
            .iter()
            .filter(|e| matches!(e.kind, EventKind::Ack | EventKind::Nak) && e.flow % 2 == 0 && e.path_id != 0)
            .collect();
        expected.sort_by_key(|e| e.flow);
        let got: Vec<_> = std::mem::take(&mut self.bench.events);
        let mut got: Vec<_> = got.iter().filter(|e| e.path_id != 0).collect();
        // the order between queue pairs is nobody's
        got.sort_by_key(|e| e.flow);
        assert_eq!(
            got.len(),
            expected.len(),
            "events at {} ns: {got:?}, {expected:?}; counted {:?}, the model {:?}",
            self.now,
            self.bench.counts,
            COUNTERS.map(|counter| self.model.counters().get(counter))
        );
        for (got, expected) in got.iter().zip(expected) {
            let hops = expected.hops.map(|hop| pack_record(&hop));
            let seen = (
                got.flow,
                got.generation,
                got.int_valid,
                got.n_hop,
                got.path_id,
                got.hops,
            );
            let model = (
                u64::from(expected.flow),
                u64::from(expected.generation),
                expected.int_valid,
                u64::from(expected.n_hop),
                u64::from(expected.path_id),
                hops,
            );
            assert_eq!(seen, model, "event at {} ns", self.now);
            // an acknowledgement beyond a READ whose data is missing counts up to the READ only
            let short = u64::from(expected.psn_next).wrapping_sub(got.psn) & 0xff_ffff;
            assert!(short < 1 << 22, "{got:?} {expected:?}");
            self.short += u64::from(short > 0);
        }
    }

    /// The model's echoes that have left are the block's first ones.
    fn compare_echoes(&mut self, qp: u64) {
        let [model, block] = self.echoes.each_mut().map(|map| map.remove(&qp).unwrap_or_default());
        assert!(block.starts_with(&model), "echoes of {qp}: {block:?}, model {model:?}");
    }

    /// Work, removal and creation at random, then rest.
    pub fn run(&mut self) {
        for _ in 0..self.plan.rounds {
            let i = self.random.below(self.pairs.len() as u64) as usize;
            self.post(i);
            let chance = if self.pairs[i].dead { 0.2 } else { 0.002 };
            if self.random.chance(chance) {
                self.create(i);
            }
            for _ in 0..self.random.below(6) {
                self.step();
            }
        }
        for _ in 0..200_000 {
            if !self.step() {
                let left: usize = self.pairs.iter().map(|pair| pair.room.len()).sum();
                assert_eq!(left, 0, "work without completion");
                return;
            }
        }
        panic!("no rest");
    }
}
