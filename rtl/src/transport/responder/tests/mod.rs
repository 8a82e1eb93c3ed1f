//! Random requests, right and wrong, to the hardware and to the model of the whole NIC: same memory, same answers, same counts.

mod directed;
mod peer;
mod stream;

use super::*;
use crate::prim::word::Word as _;
use crate::sim::{init, set_clock, step, Stimulus};
use crate::words::context::{QpContext, Region};
use crate::words::transport::{Action, RxPacket};
use hpcc_models::nic::queues::{MemoryRegion, Rights};
use hpcc_models::nic::{BlockMemory, Nic, NicConfig, QpConfig};
use hpcc_models::wire::Opcode;
use hpcc_models::wire::*;
use peer::{Peer, Request, BASE, DOMAIN, KEYS, NEXT_DOMAIN, OFFSET, ROOM};
use std::collections::VecDeque;
use std::net::Ipv4Addr;

/// What was decided about it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Outcome {
    /// PSN, syndrome, MSN, INT.
    ack: Option<(u32, u8, u32, Vec<u8>)>,
    /// First PSN, number of PSNs, MSN, data.
    read: Option<(u32, u32, u32, Vec<u8>)>,
    counts: Vec<Counter>,
}

/// Clocks from a row that is offered to an idle responder to its action.
const LATENCY: u64 = 7;

struct Bench {
    block: Box<Responder>,
    nic: Nic<BlockMemory>,
    memory: Vec<u8>,
    peers: Vec<Peer>,
    stimulus: Stimulus,
    now: u64,
    left: VecDeque<(u32, u8)>,
    /// What left was told in the last clock.
    told: bool,
    /// Chance that it is told in the next one.
    tells: f64,
}

fn config() -> NicConfig {
    NicConfig {
        mac: MacAddr([2, 0, 0, 0, 0, 1]),
        ip: Ipv4Addr::new(10, 0, 0, 1),
        window: 1e18,
        neighbours: [(Ipv4Addr::new(10, 0, 0, 2), MacAddr([2, 0, 0, 0, 0, 2]))].into(),
        ..NicConfig::default()
    }
}

fn context(generation: u8, expected_psn: u32) -> [u64; 4] {
    let mut word = [0; 4];
    QpContext::ALIVE.put(&mut word, 1);
    QpContext::GENERATION.put(&mut word, generation.into());
    QpContext::EXPECTED_PSN.put(&mut word, expected_psn.into());
    word
}

fn mtu_code(mtu: u32) -> u64 {
    (mtu / 256).trailing_zeros().into()
}

impl Bench {
    fn new(seed: u64) -> Self {
        Self::with(seed, &[(2, 256), (3, 512), (77, 1024), (149, 4096), (5, 256)])
    }

    /// Queue pairs of any MTU.
    fn of(seed: u64, numbers: &[u32]) -> Self {
        let mtu = |number: u32| [256, 512, 1024, 4096][number as usize % 4];
        let pairs: Vec<_> = numbers.iter().map(|number| (*number, mtu(*number))).collect();
        Self::with(seed, &pairs)
    }

    fn with(seed: u64, pairs: &[(u32, u32)]) -> Self {
        let mut stimulus = Stimulus::new(seed);
        let mut memory = BlockMemory::default();
        let bytes: Vec<u8> = (0..ROOM).map(|_| stimulus.uniform(8) as u8).collect();
        memory.add(BASE.wrapping_add(OFFSET), bytes.clone());
        let mut block: Box<Responder> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut bench = Self {
            block,
            nic: Nic::new(config(), memory, None),
            memory: bytes,
            peers: Vec::new(),
            stimulus,
            now: 0,
            left: VecDeque::new(),
            told: false,
            tells: 0.3,
        };
        bench.block.reset.next = true;
        bench.clock();
        bench.block.reset.next = false;
        bench.block.cfg_reads.next = U(16);
        for region in 0..6 {
            bench.write_region(region, true);
        }
        for &(qpn, mtu) in pairs {
            let config = QpConfig {
                mtu,
                int: qpn % 2 == 1,
                domain: if qpn % 4 == 1 { DOMAIN } else { 0 },
                ..QpConfig::new(qpn, 9, Ipv4Addr::new(10, 0, 0, 2))
            };
            bench.peers.push(Peer {
                config,
                generation: 0,
                psn: 0,
                message: None,
                ended: false,
            });
            bench.create(bench.peers.len() - 1);
        }
        bench
    }

    /// Writes or removes one of the six regions, in both.
    fn write_region(&mut self, region: usize, valid: bool) {
        let slot = region % 3;
        let (key, domain) = match region / 3 {
            0 => (KEYS[slot], 0),
            _ => (KEYS[slot] + NEXT_DOMAIN, DOMAIN),
        };
        let (remote_write, remote_read) = (slot != 2, slot != 1);
        self.nic.remove_region(key);
        if valid {
            self.nic.add_memory_region(MemoryRegion {
                key,
                domain,
                address: BASE,
                length: ROOM,
                offset: OFFSET,
                rights: Rights {
                    remote_write,
                    remote_read,
                    ..Rights::default()
                },
            });
        }
        self.block.region_valid.next = true;
        self.block.region_data.next = Region {
            valid,
            key: U(key.into()),
            base: U(BASE),
            length: U(ROOM),
            remote_write,
            remote_read,
            read_only: true,
            domain: U(domain.into()),
            offset: U(OFFSET),
        };
        self.clock();
        self.block.region_valid.next = false;
        self.clock();
        self.clock();
    }

    fn clock(&mut self) -> (bool, Option<[u64; 4]>, u64) {
        let left = if !self.told && self.stimulus.chance(self.tells) { self.left.pop_front() } else { None };
        self.told = left.is_some();
        self.block.left_valid.next = self.told;
        if let Some((qpn, generation)) = left {
            self.block.left_qp.next = U(qpn.into());
            self.block.left_generation.next = U(generation.into());
            self.block.left_what.next = U(1);
        }
        let seen = step(self.block.as_mut(), |b| {
            let action = b.action.valid.val() & b.action.ready.val();
            (
                b.row.valid.val() & b.row.ready.val(),
                action.then(|| b.action.data.val().array::<4>()),
                b.count.val().0,
            )
        });
        self.block.context_valid.next = false;
        self.block.fail_valid.next = false;
        seen
    }

    /// Creates the queue pair, anew if it is there, in both; the hardware may be busy with one of its old packets.
    fn create(&mut self, index: usize) {
        self.peers[index].config.expected_psn = self.any_psn();
        self.peers[index].config.refuse_write = self.stimulus.chance(0.03);
        self.peers[index].config.refuse_read = self.stimulus.chance(0.03);
        let old = self.create_in_model(index);
        let peer = &self.peers[index];
        let word = context(peer.generation, peer.config.expected_psn);
        let qpn = peer.config.qpn;
        if self.stimulus.chance(0.5) {
            let request = self.peers[index].request(&mut self.stimulus);
            let row = self.row(&request, old);
            self.block.row.data.next = RxPacket::from_slice(&row);
            self.block.row.valid.next = true;
            self.block.action.ready.next = true;
            let mut taken = false;
            for at in 0..16 {
                if at == 1 + self.stimulus.below(10) && !self.block.context_valid.next {
                    self.write_context(qpn, word);
                }
                taken |= self.clock().0;
                self.block.row.valid.next = !taken;
            }
            self.block.row.valid.next = false;
        }
        self.write_context(qpn, word);
        for _ in 0..4 {
            self.clock();
        }
    }

    /// Close to the wrap, or anywhere.
    fn any_psn(&mut self) -> u32 {
        match self.stimulus.below(3) {
            0 => 0xff_fff0 + self.stimulus.below(16) as u32,
            1 => self.stimulus.below(3) as u32,
            _ => self.stimulus.uniform(24) as u32,
        }
    }

    /// Creates it in the model, and has its peer begin; returns the generation before.
    fn create_in_model(&mut self, index: usize) -> u8 {
        let peer = &mut self.peers[index];
        self.nic.remove_qp(self.now, peer.config.qpn);
        self.nic.create_qp(peer.config.clone()).expect("good configuration");
        let old = peer.generation;
        peer.generation = self.nic.generation(peer.config.qpn).expect("created");
        peer.psn = peer.config.expected_psn;
        peer.message = None;
        peer.ended = false;
        old
    }

    fn write_context(&mut self, qpn: u32, word: [u64; 4]) {
        self.block.context_valid.next = true;
        self.block.context_qp.next = U(qpn.into());
        self.block.context_data.next = QpContext::from_slice(&word);
    }

    fn row(&self, request: &Request, generation: u8) -> [u64; 4] {
        let peer = self.peers.iter().find(|peer| peer.config.qpn == request.qpn);
        let config = &peer.expect("a queue pair").config;
        let mut extension = request.reth.address.to_be_bytes().to_vec();
        extension.extend(request.reth.key.to_be_bytes());
        extension.extend(request.reth.length.to_be_bytes());
        let mut row = [0; 4];
        RxPacket::OPCODE.put(&mut row, request.opcode.into());
        RxPacket::ACK_REQ.put(&mut row, request.ack_req.into());
        RxPacket::QP.put(&mut row, request.qpn.into());
        RxPacket::PSN.put(&mut row, request.psn.into());
        RxPacket::EXTENSION.put_bytes(&mut row, &extension);
        RxPacket::PAYLOAD_LENGTH.put(&mut row, request.payload.len() as u64);
        RxPacket::GENERATION.put(&mut row, generation.into());
        RxPacket::MTU.put(&mut row, mtu_code(config.mtu));
        RxPacket::INT_ON.put(&mut row, config.int.into());
        RxPacket::DOMAIN.put(&mut row, config.domain.into());
        RxPacket::REFUSE_WRITE.put(&mut row, config.refuse_write.into());
        RxPacket::REFUSE_READ.put(&mut row, config.refuse_read.into());
        row
    }

    fn model(&mut self, request: &Request) -> Outcome {
        let config = config();
        let int = !request.int.is_empty();
        let opcode = Opcode::parse(request.opcode).expect("known");
        let frame = RocePacket {
            ethernet: EthernetRepr::ipv4(MacAddr::default(), config.mac),
            ipv4: Ipv4Repr::udp(Ipv4Addr::new(10, 0, 0, 2), config.ip),
            udp: UdpRepr::ports(
                0xc000,
                config
                    .ports
                    .number(if int { PortRole::IntCollect } else { PortRole::Roce }),
            ),
            int: &request.int,
            bth: BthRepr {
                ack_req: request.ack_req,
                ..BthRepr::new(opcode, request.qpn, request.psn)
            },
            extension: if opcode.has_reth() { Extension::Reth(request.reth) } else { Extension::None },
            payload: &request.payload,
        }
        .to_frame();
        let before = self.nic.counters().clone();
        self.nic.receive(self.now, &frame);
        let mut outcome = Outcome::default();
        loop {
            for frame in self.nic.poll(self.now) {
                let packet = RocePacket::parse(&frame, &config.ports).expect("a good frame");
                match (packet.bth.opcode, packet.extension) {
                    (Opcode::Acknowledge, Extension::Aeth(aeth)) => {
                        let syndrome = aeth.syndrome.emit();
                        outcome.ack = Some((packet.bth.psn, syndrome, aeth.msn, packet.int.to_vec()));
                    }
                    (Opcode::ReadResponse(_), extension) => {
                        let (_, count, msn, data) =
                            outcome.read.get_or_insert_with(|| (packet.bth.psn, 0, 0, Vec::new()));
                        *count += 1;
                        if let Extension::Aeth(aeth) = extension {
                            *msn = aeth.msn;
                        }
                        data.extend(packet.payload);
                    }
                    other => panic!("{other:?}"),
                }
            }
            let Some(next) = self.nic.next_deadline() else { break };
            self.now = next;
        }
        for counter in RESPONDER_COUNTERS {
            for _ in before.get(counter)..self.nic.counters().get(counter) {
                outcome.counts.push(counter);
            }
        }
        outcome
    }

    /// Hands a row to the hardware and reads its decision; carries out the write.
    fn hardware(&mut self, request: &Request, generation: u8) -> Outcome {
        let row = self.row(request, generation);
        self.block.row.data.next = RxPacket::from_slice(&row);
        self.block.row.valid.next = true;
        let (mut outcome, mut clocks) = (Outcome::default(), 0u64);
        let mut waiting = true;
        let slow = self.stimulus.chance(0.3);
        while waiting {
            self.block.action.ready.next = !slow || self.stimulus.chance(0.2);
            let (taken, done, counts) = self.clock();
            if taken {
                self.block.row.valid.next = false;
            }
            for (bit, counter) in RESPONDER_COUNTERS.into_iter().enumerate() {
                if counts >> bit & 1 == 1 {
                    outcome.counts.push(counter);
                }
            }
            clocks += 1;
            assert!(slow || clocks <= LATENCY + 1, "slower than promised");
            let Some(word) = done else { continue };
            waiting = false;
            self.carry_out(request, generation, word, &mut outcome);
        }
        outcome
    }

    /// Does what the action says, and notes it.
    fn carry_out(&mut self, request: &Request, generation: u8, word: [u64; 4], outcome: &mut Outcome) {
        if Action::TAKE.get(&word) == 1 {
            assert!(!request.payload.is_empty());
            let at = Action::ADDRESS.get(&word).wrapping_sub(BASE.wrapping_add(OFFSET)) as usize;
            self.memory[at..at + request.payload.len()].copy_from_slice(&request.payload);
        }
        if Action::COMMITS.get(&word) == 0 {
            assert_eq!(Action::TAKE.get(&word), 0, "every write is committed");
            return;
        }
        let psn = Action::PSN.get(&word) as u32;
        let msn = Action::MSN.get(&word) as u32;
        match Action::KIND.get(&word) {
            0 => assert_eq!(Action::TAKE.get(&word), 1),
            1 => {
                // dispatch adds the request's INT
                let syndrome = Action::SYNDROME.get(&word) as u8;
                outcome.ack = Some((psn, syndrome, msn, request.int.clone()));
            }
            2 => {
                let (address, length) = (Action::ADDRESS.get(&word), Action::LENGTH.get(&word) as usize);
                let at = if length == 0 { 0 } else { address.wrapping_sub(BASE.wrapping_add(OFFSET)) as usize };
                let data = self.memory[at..at + length].to_vec();
                outcome.read = Some((psn, Action::COUNT.get(&word) as u32, msn, data));
                self.left.push_back((request.qpn, generation));
            }
            kind => panic!("kind {kind}"),
        }
    }
}

#[test]
fn decides_as_the_model_does() {
    let mut seen: std::collections::BTreeMap<String, u32> = Default::default();
    for seed in 0..4 {
        let mut bench = Bench::new(seed);
        let mut gone = None;
        for step in 0..6000 {
            let index = bench.stimulus.below(bench.peers.len() as u64) as usize;
            let recreate = if bench.peers[index].ended { 0.3 } else { 0.01 };
            if bench.stimulus.chance(recreate) {
                bench.create(index);
            }
            // a region comes anew: what goes on with the old one is refused; now and then one is away for some requests
            if bench.stimulus.chance(0.02) {
                let region = bench.stimulus.below(6) as usize;
                let away = bench.stimulus.chance(0.2);
                bench.write_region(region, !away);
                gone = away.then_some(region).or(gone);
            } else if let Some(region) = gone.take_if(|_| bench.stimulus.chance(0.3)) {
                bench.write_region(region, true);
            }
            let request = bench.peers[index].request(&mut bench.stimulus);
            let generation = bench.peers[index].generation;
            match bench.stimulus.below(50) {
                0 => {
                    let late = bench.hardware(&request, generation.wrapping_sub(1));
                    assert_eq!((late.ack, late.read), (None, None));
                    assert_eq!(late.counts, [Counter::UnknownQp]);
                    continue;
                }
                1 => {
                    bench.block.full.next = true;
                    let lost = bench.hardware(&request, generation);
                    bench.block.full.next = false;
                    assert_eq!((lost.ack, lost.read), (None, None));
                    assert_eq!(lost.counts, [Counter::AckQueueFull]);
                    continue;
                }
                _ => {}
            }
            let hardware = bench.hardware(&request, generation);
            let model = bench.model(&request);
            assert_eq!(hardware, model, "seed {seed}, step {step}: {request:?}");
            if let Some((_, syndrome, ..)) = model.ack {
                *seen.entry(format!("syndrome {syndrome:x}")).or_default() += 1;
                if syndrome == 0x62 && matches!(request.opcode, 0x07 | 0x08) {
                    *seen.entry("stopped".into()).or_default() += 1;
                }
                if syndrome > 0x60 {
                    bench.peers[index].ended = true;
                }
            }
            *seen.entry("reads".into()).or_default() += u32::from(model.read.is_some());
            for counter in model.counts {
                *seen.entry(counter.name().into()).or_default() += 1;
            }
            bench.peers[index].sent(&request);
            let block = bench.nic.memory().block(BASE.wrapping_add(OFFSET)).expect("the block");
            assert!(block == bench.memory, "seed {seed}, step {step}: memory differs");
        }
    }
    for what in [
        "syndrome 1f",
        "syndrome 60",
        "syndrome 61",
        "syndrome 62",
        "stopped",
        "reads",
        "duplicates",
        "drop_stray",
    ] {
        assert!(seen.get(what).copied().unwrap_or(0) > 20, "{what}: {seen:?}");
    }
}
