//! The manager beside the model of the NIC: the same commands and control packets to both, and the traces of what follows.

use crate::host::manager::Manager;
use crate::prim::uint::U;
use crate::prim::wide::W;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use crate::words::context::{HostCommand, QpContext, Region};
use crate::words::requester::QpOfGeneration;
use crate::words::rx::ControlPacket;
use crate::words::work::WorkRequest;
use hpcc_models::cc::dctcp::{Dctcp, DctcpParams};
use hpcc_models::nic::registers::QP_COUNT;
use hpcc_models::nic::{BlockMemory, ControlConfig, Counter, HostError, Nic, NicConfig, QpConfig};
use hpcc_models::wire::*;
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

const OUR_IP: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const OUR_MAC: MacAddr = MacAddr([2, 0, 0, 0, 0, 1]);
const SOURCE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 9);
/// Law of queue pairs that control packets create: PowerTCP.
const DEFAULT_LAW: u64 = 3;
const KEY: u64 = 0x0123_4567_89ab_cdef;
const WINDOW: u64 = 0x1_2345_6789;
const LINE_RATE: u64 = 0x6400_0000;

fn peer(i: u64) -> (Ipv4Addr, MacAddr) {
    (Ipv4Addr::new(10, 0, 1, i as u8), MacAddr([2, 0, 0, 1, 0x80, i as u8]))
}

/// What the manager sends out.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Trace {
    /// Queue pair, and the fields in the order of the word without `RESERVED`.
    Context(u64, Vec<u64>),
    Dead(u64, u64),
    Remove(u64, u64),
    /// Create, flow, generation; of a creation PSN, MTU code, priority, windowless, timerless.
    Flow(bool, u64, u64, Option<(u64, u64, u64, bool, bool)>),
    /// Cap of a flow: flow, generation, rate, group.
    Cap(u64, u64, u64, u64),
    /// Create, law, flow, generation.
    Cc(bool, u64, u64, u64),
    First(u64, u64, u64, u64),
    Region(u64, Vec<u64>),
    Work(Vec<u64>),
    Done(u64),
    Accepted,
    Refused,
}

struct Bench {
    block: Box<Manager>,
    stimulus: Stimulus,
    traces: Vec<Trace>,
    /// Clocks until frames find the queue pair of the last context.
    unfound: u64,
    /// They have found every one since the clock before.
    found: bool,
}

fn context_fields(limbs: &[u64]) -> Vec<u64> {
    let fields = QpContext::FIELDS.iter().filter(|field| field.name != "RESERVED");
    fields.map(|field| field.get(limbs)).collect()
}

impl Bench {
    fn new() -> Self {
        let mut block: Box<Manager> = Box::default();
        init(block.as_mut()).expect("complete block");
        block.reset.next = true;
        for _ in 0..260 {
            step(block.as_mut(), |_| ());
        }
        block.reset.next = false;
        // every queue pair is voided once, then the manager is ready
        let mut voided = vec![];
        for clock in 0.. {
            let swept = step(block.as_mut(), |b| {
                if b.context_valid.val() {
                    assert_eq!(b.context_data.val(), QpContext::default());
                    voided.push(b.context_qp.val().0);
                }
                b.swept.val()
            });
            if swept && clock > 0 {
                assert!(clock <= 1281, "{clock}");
                break;
            }
        }
        assert!(voided.into_iter().eq(0..256));
        block.cfg_mtu.next = U(2);
        block.cfg_default_law.next = U(DEFAULT_LAW);
        // HPCC, DCQCN and PowerTCP
        block.laws.next = U(0b1111);
        block.cfg_window.next = U(WINDOW);
        block.cfg_line_rate.next = U(LINE_RATE);
        block.cfg_control_enable.next = true;
        block.cfg_control_interval.next = U(1000);
        block.cfg_control_key.next = U(KEY);
        block.cfg_control_sources.next = W([0, u64::from(u32::from(SOURCE)) << 32, 0, 0]);
        Self {
            block,
            stimulus: Stimulus::new(1),
            traces: vec![],
            unfound: 0,
            found: false,
        }
    }

    /// A clock; returns whether the command or packet offered was taken. Nothing is posted or reported before frames find the queue pair.
    fn tick(&mut self) -> bool {
        let mut ready = || self.stimulus.chance(0.6);
        let block = &mut self.block;
        block.remove.ready.next = ready();
        block.flow.ready.next = ready();
        block.cc.ready.next = ready();
        block.first.ready.next = ready();
        block.work.ready.next = ready();
        block.contexts_found.next = self.unfound == 0;
        let mut seen = vec![];
        let (was_found, mut written) = (self.found, false);
        let taken = step(block.as_mut(), |b| {
            written = b.context_valid.val();
            let found = b.contexts_found.val() & !written;
            assert!(found | !b.work.valid.val(), "posted before it is found");
            let reports = b.command_done.val() | b.control_accepted.val();
            assert!(was_found | !reports, "reported before it is found");
            if written {
                let (qp, limbs) = (b.context_qp.val().0, b.context_data.val().array::<4>());
                seen.push(match QpContext::ALIVE.get(&limbs) {
                    1 => Trace::Context(qp, context_fields(&limbs)),
                    _ => Trace::Dead(qp, QpContext::GENERATION.get(&limbs)),
                });
            }
            if b.region_valid.val() {
                seen.push(Trace::Region(b.region_slot.val().0, b.region_data.val().limbs()));
            }
            if b.remove.valid.val() && b.remove.ready.val() {
                let [data] = b.remove.data.val().array();
                seen.push(Trace::Remove(data & 0xff, data >> 8));
            }
            if b.flow.valid.val() && b.flow.ready.val() {
                let f = &b.flow;
                let first = (
                    f.psn.val().0,
                    f.mtu.val().0,
                    f.priority.val().0,
                    f.windowless.val(),
                    f.timerless.val(),
                );
                let create = f.create.val();
                seen.push(if f.limit.val() {
                    Trace::Cap(f.flow.val().0, f.generation.val().0, f.rate.val().0, f.group.val().0)
                } else {
                    Trace::Flow(create, f.flow.val().0, f.generation.val().0, create.then_some(first))
                });
            }
            if b.cc.valid.val() && b.cc.ready.val() {
                let c = b.cc.data.val();
                seen.push(Trace::Cc(c.create, b.cc_law.val().0, c.flow.0, c.generation.0));
            }
            if b.first.valid.val() && b.first.ready.val() {
                let f = b.first.data.val();
                seen.push(Trace::First(f.flow.0, f.generation.0, f.window.0, f.rate.0));
            }
            if b.work.valid.val() && b.work.ready.val() {
                seen.push(Trace::Work(b.work.data.val().limbs()));
            }
            if b.command_done.val() {
                seen.push(Trace::Done(b.command_code.val() as u64));
            }
            if b.control_accepted.val() {
                seen.push(Trace::Accepted);
            }
            if b.control_refused.val() {
                seen.push(Trace::Refused);
            }
            b.command.valid.val() && b.command.ready.val() || b.packet.valid.val() && b.packet.ready.val()
        });
        self.found = self.unfound == 0 && !written;
        self.unfound = if written { 1 + self.stimulus.below(80) } else { self.unfound.saturating_sub(1) };
        self.traces.extend(seen);
        taken
    }

    /// Until the offer is taken and answered.
    fn finish(&mut self) -> Vec<Trace> {
        for _ in 0..600 {
            if self.tick() {
                self.block.command.valid.next = false;
                self.block.packet.valid.next = false;
            }
            let ends = |trace: &Trace| matches!(trace, Trace::Done(_) | Trace::Accepted | Trace::Refused);
            if self.traces.last().is_some_and(ends) {
                self.tick();
                self.tick();
                return std::mem::take(&mut self.traces);
            }
        }
        panic!("no answer");
    }

    fn command(&mut self, operation: u64, index: u64, body: &[u64]) -> Vec<Trace> {
        let mut limbs = [0; 7];
        HostCommand::OPERATION.put(&mut limbs, operation);
        HostCommand::INDEX.put(&mut limbs, index);
        for (i, limb) in body.iter().enumerate() {
            HostCommand::BODY.part(64 * i, 64).put(&mut limbs, *limb);
        }
        self.block.command.data.next = HostCommand::from_slice(&limbs);
        self.block.command.valid.next = true;
        self.finish()
    }

    fn create(&mut self, qp: &QpConfig, mac: MacAddr) -> Vec<Trace> {
        let mut limbs = [0u64; 6];
        // what the manager must not believe
        QpContext::GENERATION.put(&mut limbs, 0x5a);
        QpContext::REMOTE_IP.put(&mut limbs, u32::from(qp.remote_ip).into());
        QpContext::REMOTE_MAC.put(&mut limbs, mac.number());
        QpContext::REMOTE_QPN.put(&mut limbs, qp.remote_qpn.into());
        QpContext::SOURCE_PORT.put(&mut limbs, qp.udp_port.into());
        QpContext::MTU.put(&mut limbs, mtu_code(qp.mtu));
        QpContext::INT_ON.put(&mut limbs, qp.int.into());
        QpContext::PAUSE_CLASS.put(&mut limbs, qp.priority.into());
        QpContext::SEND_PSN.put(&mut limbs, qp.send_psn.into());
        QpContext::EXPECTED_PSN.put(&mut limbs, qp.expected_psn.into());
        QpContext::LAW.put(&mut limbs, qp.law.unwrap_or_default().into());
        self.command(1, qp.qpn.into(), &limbs)
    }

    /// Bytes after UDP, at a time.
    fn packet(&mut self, now: u64, source: Ipv4Addr, bytes: &[u8]) -> Vec<Trace> {
        self.block.now.next = U(now);
        self.tick();
        self.tick();
        let mut limbs = [0u64; 10];
        for (i, byte) in bytes.iter().take(70).enumerate() {
            let low = 8 * (69 - i);
            limbs[low / 64] |= u64::from(*byte) << (low % 64);
        }
        limbs[8] |= u64::from(u32::from(source)) << 48;
        limbs[9] |= u64::from(u32::from(source)) >> 16 | u64::from(bytes.len() == CONTROL_LEN) << 16;
        self.block.packet.data.next = ControlPacket::from_slice(&limbs);
        self.block.packet.valid.next = true;
        self.finish()
    }
}

fn mtu_code(mtu: u32) -> u64 {
    (mtu / 256).trailing_zeros().into()
}

fn expect_removal(qp: u64, generation: u64, law: u64) -> Vec<Trace> {
    let flows = [2 * qp, 2 * qp + 1];
    let mut list = vec![Trace::Dead(qp, generation), Trace::Remove(qp, generation)];
    list.extend(flows.map(|flow| Trace::Flow(false, flow, generation, None)));
    if law != 0 {
        list.extend(flows.map(|flow| Trace::Cc(false, law, flow, generation)));
    }
    list
}

fn expect_creation(config: &QpConfig, mac: MacAddr, generation: u64) -> Vec<Trace> {
    let law = u64::from(config.law.unwrap_or_default());
    let (qp, mtu, priority) = (u64::from(config.qpn), mtu_code(config.mtu), u64::from(config.priority));
    let flows = [2 * qp, 2 * qp + 1];
    let flow = |flow, psn: u32, windowless, timerless| {
        Trace::Flow(
            true,
            flow,
            generation,
            Some((psn.into(), mtu, priority, windowless, timerless)),
        )
    };
    let mut list = vec![
        flow(2 * qp, config.send_psn, false, false),
        flow(2 * qp + 1, config.expected_psn, !config.int, true),
    ];
    match law {
        1.. => list.extend(flows.map(|flow| Trace::Cc(true, law, flow, generation))),
        0 => list.extend(flows.map(|flow| Trace::First(flow, generation, WINDOW, LINE_RATE))),
    }
    list.push(Trace::Context(
        qp,
        vec![
            1,
            generation,
            u32::from(config.remote_ip).into(),
            mac.number(),
            config.remote_qpn.into(),
            config.source_port().into(),
            mtu,
            config.int.into(),
            priority,
            config.send_psn.into(),
            config.expected_psn.into(),
            // the number of its place
            0,
            law,
        ],
    ));
    list
}

fn frame(source: Ipv4Addr, body: &[u8]) -> Vec<u8> {
    let route = Route {
        dst_mac: OUR_MAC,
        src_mac: OUR_MAC,
        dst: OUR_IP,
        src: source,
    };
    udp_frame(route, 54793, body)
}

/// The model, and what the test knows of its queue pairs.
struct Reference {
    nic: Nic<BlockMemory>,
    /// Generation and law of those that exist.
    alive: BTreeMap<u32, (u64, u64)>,
    works: u64,
}

impl Reference {
    fn new() -> Self {
        let config = NicConfig {
            mac: OUR_MAC,
            ip: OUR_IP,
            qp_count: QP_COUNT,
            neighbours: (0..3).map(peer).collect(),
            control: ControlConfig {
                enabled: true,
                key: KEY,
                sources: vec![SOURCE],
                interval_ns: 1000,
            },
            default_law: DEFAULT_LAW as u8,
            ..NicConfig::default()
        };
        let law = || Box::new(Dctcp::new(DctcpParams::new(100_000_000_000, 162_500.0, 1024)));
        let mut nic = Nic::new(config, BlockMemory::default(), Some(law()));
        nic.add_law(1, law());
        nic.add_law(2, law());
        Self {
            nic,
            alive: BTreeMap::new(),
            works: 0,
        }
    }

    fn created(&mut self, config: &QpConfig, mac: MacAddr) -> Vec<Trace> {
        let generation = self.nic.generation(config.qpn).map_or(0, u64::from);
        self.alive
            .insert(config.qpn, (generation, config.law.unwrap_or_default().into()));
        expect_creation(config, mac, generation)
    }

    fn removed(&mut self, qpn: u32) -> Vec<Trace> {
        let (generation, law) = self.alive.remove(&qpn).unwrap_or_default();
        expect_removal(qpn.into(), generation, law)
    }

    fn create(&mut self, config: &QpConfig, mac: MacAddr) -> Vec<Trace> {
        if config.qpn >= QP_COUNT {
            return vec![Trace::Done(2)];
        }
        match self.nic.create_qp(config.clone()) {
            Ok(()) => [self.created(config, mac), vec![Trace::Done(0)]].concat(),
            Err(HostError::Field { field: "qpn", .. }) => vec![Trace::Done(2)],
            Err(HostError::Field { field: "law", .. }) => vec![Trace::Done(6)],
            Err(HostError::Field { .. }) => vec![Trace::Done(3)],
            Err(_) => vec![Trace::Done(4)],
        }
    }

    fn remove(&mut self, qpn: u32) -> Vec<Trace> {
        match self.nic.remove_qp(0, qpn) {
            true => [self.removed(qpn), vec![Trace::Done(0)]].concat(),
            false => vec![Trace::Done(5)],
        }
    }

    fn packet(&mut self, now: u64, source: Ipv4Addr, repr: &ControlRepr, bytes: &[u8]) -> Vec<Trace> {
        let before = self.nic.counters().get(Counter::ControlAccepted);
        let refused = self.nic.counters().get(Counter::ControlRefused);
        self.nic.receive(now, &frame(source, bytes));
        if self.nic.counters().get(Counter::ControlAccepted) == before {
            assert_eq!(self.nic.counters().get(Counter::ControlRefused), refused + 1);
            return vec![Trace::Refused];
        }
        if repr.operation == ControlOp::Remove {
            return [self.removed(repr.qpn), vec![Trace::Accepted]].concat();
        }
        let mac = self.nic.config().neighbours[&repr.remote_ip];
        let config = QpConfig {
            send_psn: repr.first_psn,
            expected_psn: repr.first_psn,
            int: true,
            law: Some(DEFAULT_LAW as u8),
            ..QpConfig::new(repr.qpn, repr.remote_qpn, repr.remote_ip)
        };
        let mut list = self.created(&config, mac);
        let mut limbs = [0u64; 5];
        WorkRequest::ID.put(&mut limbs, 1 << 63 | self.works);
        WorkRequest::QPN.put(&mut limbs, repr.qpn.into());
        WorkRequest::OPERATION.put(&mut limbs, (repr.operation == ControlOp::CreateRead).into());
        WorkRequest::LOCAL_ADDRESS.put(&mut limbs, repr.local_address);
        WorkRequest::LOCAL_KEY.put(&mut limbs, repr.local_key.into());
        WorkRequest::REMOTE_ADDRESS.put(&mut limbs, repr.remote_address);
        WorkRequest::REMOTE_KEY.put(&mut limbs, repr.remote_key.into());
        WorkRequest::LENGTH.put(&mut limbs, repr.length.into());
        self.works += 1;
        list.extend([Trace::Work(limbs.to_vec()), Trace::Accepted]);
        list
    }
}

fn any_qpn(stimulus: &mut Stimulus) -> u32 {
    [0, 1, 2, 3, 4, 5, 149, 150, 258, 1 << 23 | 2][stimulus.below(10) as usize]
}

#[test]
fn the_same_commands_and_packets_as_the_model() {
    let (mut bench, mut reference, mut stimulus) = (Bench::new(), Reference::new(), Stimulus::new(2));
    for i in 0..3 {
        let (ip, mac) = peer(i);
        let body = [u64::from(u32::from(ip)) | mac.number() << 32, mac.number() >> 32];
        assert_eq!(bench.command(4, [0, 7, 15][i as usize], &body), [Trace::Done(0)]);
    }
    let (mut now, mut sequence, mut accepted) = (5000, 0, 0);
    for round in 0..3000 {
        now += stimulus.below(1500);
        let qpn = any_qpn(&mut stimulus);
        let (got, expected) = match stimulus.below(8) {
            0..=1 => {
                let (ip, mac) = peer(stimulus.below(3));
                let mut config = QpConfig::new(qpn, stimulus.uniform(24) as u32, ip);
                config.send_psn = stimulus.corner(24) as u32;
                config.expected_psn = stimulus.corner(24) as u32;
                config.int = stimulus.chance(0.5);
                // none, or one of those that there are, with and without the INT it needs, or one that is not
                config.law = Some(stimulus.below(8).saturating_sub(2) as u8);
                config.mtu = 256 << stimulus.below(6);
                config.priority = stimulus.uniform(3) as u8;
                config.udp_port = if stimulus.chance(0.5) { 0 } else { stimulus.uniform(16) as u16 };
                (bench.create(&config, mac), reference.create(&config, mac))
            }
            2 => (bench.command(2, qpn.into(), &[]), reference.remove(qpn)),
            _ => {
                sequence += stimulus.below(3);
                let operations = [ControlOp::CreateWrite, ControlOp::CreateRead, ControlOp::Remove];
                // rarely a number that does not fit, or a peer that nobody knows
                let bits = [0, 1].map(|_| if stimulus.chance(0.05) { 32 } else { 24 });
                let peers = if stimulus.chance(0.1) { 4 } else { 3 };
                let repr = ControlRepr {
                    operation: operations[stimulus.below(3) as usize],
                    key: KEY ^ u64::from(stimulus.chance(0.05)) << stimulus.below(64),
                    sequence,
                    qpn,
                    remote_qpn: stimulus.uniform(bits[0]) as u32,
                    remote_ip: peer(stimulus.below(peers)).0,
                    first_psn: stimulus.uniform(bits[1]) as u32,
                    local_address: stimulus.uniform(64),
                    local_key: stimulus.uniform(32) as u32,
                    remote_key: stimulus.uniform(32) as u32,
                    remote_address: stimulus.uniform(64),
                    length: stimulus.uniform(32) as u32,
                };
                let mut bytes = vec![0; CONTROL_LEN];
                repr.emit(&mut bytes);
                match stimulus.below(30) {
                    0 => bytes.push(0),
                    1 => drop(bytes.pop()),
                    2..=3 => bytes[stimulus.below(6) as usize] ^= 1 << stimulus.below(8),
                    _ => {}
                }
                // the operation may have become another legal one
                let repr = match bytes[5] {
                    1 => ControlRepr {
                        operation: ControlOp::CreateWrite,
                        ..repr
                    },
                    2 => ControlRepr {
                        operation: ControlOp::CreateRead,
                        ..repr
                    },
                    _ => ControlRepr {
                        operation: ControlOp::Remove,
                        ..repr
                    },
                };
                let source = if stimulus.chance(0.05) { OUR_IP } else { SOURCE };
                (
                    bench.packet(now, source, &bytes),
                    reference.packet(now, source, &repr, &bytes),
                )
            }
        };
        assert_eq!(got, expected, "round {round}");
        accepted += u64::from(expected.contains(&Trace::Accepted));
    }
    assert!(accepted > 100, "{accepted}");
}

#[test]
fn an_ended_queue_pair_is_removed_by_the_next_creation() {
    let mut bench = Bench::new();
    let (ip, mac) = peer(0);
    let config = QpConfig::new(9, 5, ip);
    let created = |generation| expect_creation(&config, mac, generation);
    assert_eq!(bench.create(&config, mac), [created(1), vec![Trace::Done(0)]].concat());
    assert_eq!(bench.create(&config, mac), [Trace::Done(4)]);
    // late word about another generation
    bench.block.responder_ended.next = QpOfGeneration {
        qp: U(9),
        generation: U(7),
    };
    bench.block.responder_ended_valid.next = true;
    bench.tick();
    bench.block.responder_ended_valid.next = false;
    assert_eq!(bench.create(&config, mac), [Trace::Done(4)]);
    for (requester, generation) in [(true, 1), (false, 2)] {
        let half = QpOfGeneration {
            qp: U(9),
            generation: U(generation),
        };
        (bench.block.requester_ended.next, bench.block.responder_ended.next) = (half, half);
        bench.block.requester_ended_valid.next = requester;
        bench.block.responder_ended_valid.next = !requester;
        bench.tick();
        bench.block.requester_ended_valid.next = false;
        bench.block.responder_ended_valid.next = false;
        // its mark is set four clocks after the word, and a command that is taken in the next clock looks at it after three
        bench.tick();
        let expected = [
            expect_removal(9, generation, 0),
            created(generation + 1),
            vec![Trace::Done(0)],
        ];
        assert_eq!(bench.create(&config, mac), expected.concat());
        assert_eq!(bench.create(&config, mac), [Trace::Done(4)]);
    }
}

/// A plain queue pair starts at the rate of its register, and at the line rate where that is zero.
#[test]
fn the_first_rate_is_the_registers() {
    let (ip, mac) = peer(1);
    for rate in [0, 1, 25_000, 40_000] {
        let mut bench = Bench::new();
        bench.block.cfg_rate.next = U(rate);
        let config = QpConfig::new(7, 9, ip);
        let expected = if rate == 0 { LINE_RATE } else { rate };
        let traces = bench.create(&config, mac);
        let first: Vec<(u64, u64, u64)> = traces
            .into_iter()
            .filter_map(|trace| match trace {
                Trace::First(flow, _, window, rate) => Some((flow, window, rate)),
                _ => None,
            })
            .collect();
        assert_eq!(first, [(14, WINDOW, expected), (15, WINDOW, expected)]);
    }
}

#[test]
fn regions_and_what_does_not_exist() {
    let mut bench = Bench::new();
    let mut limbs = [0u64; 4];
    Region::VALID.put(&mut limbs, 1);
    Region::KEY.put(&mut limbs, 0x1234_5678);
    Region::BASE.put(&mut limbs, 0x7f00_1122_3344);
    Region::LENGTH.put(&mut limbs, u64::MAX);
    Region::REMOTE_READ.put(&mut limbs, 1);
    assert_eq!(
        bench.command(3, 31, &limbs),
        [Trace::Region(31, limbs.to_vec()), Trace::Done(0)]
    );
    assert_eq!(bench.command(3, 32, &limbs), [Trace::Done(2)]);
    assert_eq!(bench.command(4, 16, &limbs), [Trace::Done(2)]);
    for operation in [0, 6, 7] {
        assert_eq!(bench.command(operation, 2, &limbs), [Trace::Done(1)]);
    }
}

/// Caps reach flows of queue pairs that exist, with their generation, and no others.
#[test]
fn caps_go_to_flows_that_exist() {
    let mut bench = Bench::new();
    let config = QpConfig::new(5, 9, peer(0).0);
    let mut generation = 0;
    for trace in bench.create(&config, peer(0).1) {
        if let Trace::Flow(true, _, new, _) = trace {
            generation = new;
        }
    }
    let none = (1 << 34) - 1;
    for (index, body, want) in [
        (10, 1 << 63 | 7 << 36 | 0x1234_5678, Ok((0x1234_5678, 7))),
        (11, 1 << 63 | 15 << 36 | (none - 1), Ok((none - 1, 15))),
        (11, 3 << 36 | 0x99, Ok((none, 3))),
        (10, 1 << 63, Ok((0, 0))),
        (12, 1 << 63, Err(5)),
        (3, 1 << 63, Err(2)),
        (300, 1 << 63, Err(2)),
        (0x10_000a, 1 << 63, Err(2)),
    ] {
        let expected = match want {
            Ok((rate, group)) => vec![Trace::Cap(index, generation, rate, group), Trace::Done(0)],
            Err(code) => vec![Trace::Done(code)],
        };
        assert_eq!(bench.command(5, index, &[body]), expected, "flow {index}");
    }
    bench.command(2, 5, &[]);
    assert_eq!(bench.command(5, 10, &[1 << 63]), [Trace::Done(5)]);
}
