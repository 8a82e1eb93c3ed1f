//! Frames through the whole receive pipe beside the model's receive path: the same counter, or the same destination.

mod crowd;
mod lost;
mod order;

use crate::prim::word::Word as _;
use crate::rx::pipe::RxPipe;
use crate::rx::stimulus::{aim, any_frame, good_frame, registers, set_opcode, udp_carries};
use crate::rx::RX_PARSER_LATENCY;
use crate::sim::{init, step, Stimulus};
use crate::words::congestion::CcEventKind;
use crate::words::context::QpContext;
use crate::words::transport::AckKind;
use crate::words::transport::{AckSend, Commit, RxPacket};
use hpcc_models::nic::{frame_fault, Counter, NicConfig};
use hpcc_models::wire::*;
use std::net::Ipv4Addr;

/// The NIC's clock when a run begins, ns: its lower half wraps soon.
const TIME_BASE: u64 = (5 << 24) - 2000;
/// Clocks that an engine takes for a row.
const ENGINE: u64 = 5;
const PEER: Ipv4Addr = Ipv4Addr::new(10, 0, 3, 12);

/// What must happen to a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate {
    Counted(Counter),
    Request(Row),
    Response(Row),
    Acknowledgement(Answer),
    Notice(Heard),
    Probe(Reply),
    Control(Told),
}

/// What an engine is told of a packet, all of its row.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    opcode: u64,
    ack_req: bool,
    qp: u64,
    psn: u64,
    /// RETH or AETH, as far as there is one.
    extension: Vec<u8>,
    payload_length: u64,
    generation: u64,
    mtu: u64,
    int_on: bool,
}

/// What every kind of packet has in common.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Carried {
    generation: u64,
    ecn: u64,
    int_length: u64,
    /// INT, zero behind its length.
    int: Vec<u8>,
}

/// What the commit stage is told of an acknowledgement.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answer {
    qp: u64,
    psn: u64,
    syndrome: u64,
    int_on: bool,
    carried: Carried,
}

/// What the congestion control hears of a frame that needs no engine.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Heard {
    kind: u64,
    response: bool,
    qp: u64,
    psn: u64,
    carried: Carried,
}

/// What leaves of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reply {
    kind: u64,
    qp: u64,
    number: u64,
    carried: Carried,
}

/// What the admission of control packets is told.
#[derive(Clone, Debug)]
struct Told {
    source_ip: u64,
    right_length: bool,
    /// What follows UDP, 70 bytes at most.
    body: Vec<u8>,
}

/// Behind the end of a short packet anything may stand.
impl PartialEq for Told {
    fn eq(&self, other: &Self) -> bool {
        let bytes = self.body.len().min(other.body.len());
        (self.source_ip, self.right_length) == (other.source_ip, other.right_length)
            && self.body[..bytes] == other.body[..bytes]
    }
}

impl Eq for Told {}

impl Told {
    fn of(frame: &[u8]) -> Self {
        let data = start_of_data(frame);
        let length = udp_carries(frame).expect("a frame with UDP");
        Self {
            source_ip: frame[data - 16..data - 12]
                .iter()
                .fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
            right_length: length == CONTROL_LEN,
            body: frame[data..data + length.min(70)].to_vec(),
        }
    }
}

impl Row {
    fn of(frame: &[u8], packet: &RocePacket, int_on: bool) -> Self {
        let bth_at = start_of_data(frame) + packet.int.len();
        let behind = bth_at + 12;
        let extension = extension_of(frame[bth_at].into());
        Self {
            opcode: frame[bth_at].into(),
            ack_req: frame[bth_at + 8] >> 7 == 1,
            qp: packet.bth.dest_qp.into(),
            psn: packet.bth.psn.into(),
            extension: frame[behind..behind + extension].to_vec(),
            payload_length: packet.payload.len() as u64,
            generation: 7,
            mtu: 2,
            int_on,
        }
    }

    fn seen(limbs: &[u64], extension: usize) -> Self {
        Self {
            opcode: RxPacket::OPCODE.get(limbs),
            ack_req: RxPacket::ACK_REQ.get(limbs) == 1,
            qp: RxPacket::QP.get(limbs),
            psn: RxPacket::PSN.get(limbs),
            extension: RxPacket::EXTENSION.bytes(limbs)[..extension].to_vec(),
            payload_length: RxPacket::PAYLOAD_LENGTH.get(limbs),
            generation: RxPacket::GENERATION.get(limbs),
            mtu: RxPacket::MTU.get(limbs),
            int_on: RxPacket::INT_ON.get(limbs) == 1,
        }
    }
}

impl Carried {
    fn of(packet: &RocePacket) -> Self {
        let mut int = packet.int.to_vec();
        int.resize(42, 0);
        Self {
            generation: 7,
            ecn: u64::from(packet.ipv4.tos & 3),
            int_length: packet.int.len() as u64,
            int,
        }
    }

    /// The same where only "congestion experienced" is told, as a bit.
    fn marked(packet: &RocePacket) -> Self {
        Self {
            ecn: u64::from(packet.ipv4.tos & 3 == 3),
            ..Self::of(packet)
        }
    }
}

/// First byte behind the UDP header.
fn start_of_data(frame: &[u8]) -> usize {
    let ip = if frame[12..14] == [0x81, 0] { 18 } else { 14 };
    ip + 20 + 8
}

/// The lowest `count` bytes of a wide word, the highest of them first.
fn wide_bytes(limbs: &[u64], count: usize) -> Vec<u8> {
    (0..count)
        .rev()
        .map(|i| (limbs[i / 8] >> (8 * (i % 8))) as u8)
        .collect()
}

/// Bytes of RETH or AETH behind a BTH with this opcode (IB 9.2, table of opcodes).
fn extension_of(opcode: u64) -> usize {
    match opcode {
        0x06 | 0x0a | 0x0b | 0x0c => 16,
        0x0d | 0x0f | 0x10 | 0x11 => 4,
        _ => 0,
    }
}

/// Queue pair 2 is plain, 3 collects INT, 4 has another peer, the others do not exist.
fn fate(config: &NicConfig, frame: &[u8]) -> Fate {
    match frame_fault(config, frame) {
        // what a control packet says is the manager's business
        Some(Counter::ControlRefused) => return Fate::Control(Told::of(frame)),
        Some(fault) => return Fate::Counted(fault),
        None => {}
    }
    let at = if frame[12..14] == [0x81, 0] { 18 } else { 14 };
    let port = u16::from_be_bytes([frame[at + 22], frame[at + 23]]);
    if config.ports.role(port) == Some(PortRole::Control) {
        return Fate::Control(Told::of(frame));
    }
    let role = config.ports.role(port).expect("a port of ours");
    let packet = RocePacket::parse(frame, &config.ports).expect("no fault");
    let int_on = match packet.bth.dest_qp {
        2 => false,
        3 | 4 => true,
        _ => return Fate::Counted(Counter::UnknownQp),
    };
    let peer = if packet.bth.dest_qp == 4 { Ipv4Addr::new(10, 9, 9, 9) } else { PEER };
    if packet.ipv4.src != peer {
        return Fate::Counted(Counter::WrongPeer);
    }
    let opcode = packet.bth.opcode;
    if opcode != Opcode::Cnp && opcode.port_role(int_on) != Some(role) {
        return Fate::Counted(Counter::WrongPort);
    }
    match opcode {
        Opcode::ReadResponse(_) => Fate::Response(Row::of(frame, &packet, int_on)),
        Opcode::Acknowledge => {
            let aeth = start_of_data(frame) + packet.int.len() + 12;
            Fate::Acknowledgement(Answer {
                qp: packet.bth.dest_qp.into(),
                psn: packet.bth.psn.into(),
                syndrome: frame[aeth].into(),
                int_on,
                carried: Carried::marked(&packet),
            })
        }
        Opcode::ReadEcho | Opcode::ProbeResponse | Opcode::Cnp => Fate::Notice(Heard {
            kind: match opcode {
                Opcode::Cnp => CcEventKind::Cnp,
                Opcode::ProbeResponse => CcEventKind::Probe,
                _ => CcEventKind::Ack,
            } as u64,
            response: opcode == Opcode::ReadEcho,
            qp: packet.bth.dest_qp.into(),
            psn: packet.bth.psn.into(),
            carried: Carried::marked(&packet),
        }),
        Opcode::Probe => Fate::Probe(Reply {
            kind: AckKind::ProbeResponse as u64,
            qp: packet.bth.dest_qp.into(),
            number: packet.bth.psn.into(),
            // marks of a path with INT mean nothing
            carried: Carried {
                ecn: 0,
                ..Carried::of(&packet)
            },
        }),
        Opcode::OtherResponse(_) => Fate::Counted(Counter::Stray),
        _ => Fate::Request(Row::of(frame, &packet, int_on)),
    }
}

/// Data, bytes that count, and whether it is the frame's last.
type Beat = ([u64; 8], u64, bool);

fn beats(frame: &[u8]) -> Vec<Beat> {
    let count = frame.len().div_ceil(64);
    (0..count)
        .map(|i| {
            let part = &frame[64 * i..frame.len().min(64 * i + 64)];
            let mut data = [0; 8];
            for (at, byte) in part.iter().enumerate() {
                data[at / 8] |= u64::from(*byte) << (8 * (at % 8));
            }
            let keep = if part.len() == 64 { u64::MAX } else { (1 << part.len()) - 1 };
            (data, keep, i + 1 == count)
        })
        .collect()
}

fn feed(pipe: &mut RxPipe, beat: Option<Beat>) {
    pipe.s_axis.tvalid.next = beat.is_some();
    if let Some((data, keep, last)) = beat {
        pipe.s_axis.tdata.next = crate::prim::wide::W(data);
        pipe.s_axis.tkeep.next = crate::prim::uint::U(keep);
        pipe.s_axis.tlast.next = last;
    }
}

/// A packet of the peer, without INT.
fn plain(config: &NicConfig, bth: BthRepr, extension: Extension, payload: &[u8]) -> Vec<u8> {
    RocePacket {
        ethernet: EthernetRepr::ipv4(MacAddr([2, 0, 0, 0, 0, 9]), config.mac),
        ipv4: Ipv4Repr::udp(PEER, config.ip),
        udp: UdpRepr::ports(0xc000, config.ports.roce),
        int: &[],
        bth,
        extension,
        payload,
    }
    .to_frame()
}

/// A WRITE of one packet.
fn write(config: &NicConfig, qpn: u32, psn: u32, payload: usize) -> Vec<u8> {
    let bth = BthRepr::new(Opcode::Write(Position::Only), qpn, psn);
    let reth = RethRepr {
        address: 0x1000,
        key: 7,
        length: payload as u32,
    };
    plain(config, bth, Extension::Reth(reth), &vec![0x5a; payload])
}

/// The row that the engine of requests takes, if any, and whether one of its decisions is taken.
fn at_requests(pipe: &RxPipe) -> (Option<RxPacket>, bool) {
    let asked = pipe.request.valid.val() & pipe.request.ready.val();
    let decided = pipe.request_action.valid.val() & pipe.request_action.ready.val();
    (asked.then(|| pipe.request.data.val()), decided)
}

/// Clocks until an engine decides, 1 while its decision waits to be taken, 0 when it is free.
fn count_down(at: &mut u64, asked: bool, answered: bool) {
    if answered {
        *at = 0;
    } else if asked {
        *at = ENGINE - 1;
    } else if *at > 1 {
        *at -= 1;
    }
}

fn write_context(pipe: &mut RxPipe, qp: u64, int: u64, peer: Ipv4Addr) {
    let mut limbs = [0u64; 4];
    QpContext::ALIVE.put(&mut limbs, 1);
    QpContext::GENERATION.put(&mut limbs, 7);
    QpContext::REMOTE_IP.put(&mut limbs, u32::from(peer).into());
    QpContext::MTU.put(&mut limbs, 2);
    QpContext::INT_ON.put(&mut limbs, int);
    pipe.context_valid.next = true;
    pipe.context_qp.next = crate::prim::uint::U(qp);
    pipe.context_data.next = QpContext::from_slice(&limbs);
    step(pipe, |_| ());
    pipe.context_valid.next = false;
}

/// The pipe after its reset, its registers written.
fn powered(config: &NicConfig) -> Box<RxPipe> {
    let mut powered: Box<RxPipe> = Box::default();
    let pipe = powered.as_mut();
    init(pipe).expect("complete block");
    let mac = config.mac.number();
    pipe.cfg_mac.next = crate::prim::uint::U(mac);
    pipe.cfg_ip.next = crate::prim::uint::U(u32::from(config.ip).into());
    pipe.cfg_port_roce.next = crate::prim::uint::U(config.ports.roce.into());
    pipe.cfg_port_int.next = crate::prim::uint::U(config.ports.int_collect.into());
    pipe.cfg_port_echo.next = crate::prim::uint::U(config.ports.int_echo.into());
    pipe.cfg_port_control.next = crate::prim::uint::U(config.ports.control.into());
    pipe.cfg_pkey.next = crate::prim::uint::U(config.pkey.into());
    pipe.reset.next = true;
    for _ in 0..20 {
        step(pipe, |_| ());
    }
    // the lookup clears its entries, and hears of contexts afterwards
    pipe.reset.next = false;
    for _ in 0..256 {
        step(pipe, |_| ());
    }
    powered
}

fn run(seed: u64, stall: f64) {
    let config = registers();
    let mut stimulus = Stimulus::new(seed);
    let mut pipe = powered(&config);
    let pipe = pipe.as_mut();
    write_context(pipe, 2, 0, PEER);
    write_context(pipe, 3, 1, PEER);
    write_context(pipe, 4, 1, Ipv4Addr::new(10, 9, 9, 9));

    let mut frames = Vec::new();
    // clocks of last beats, frame by frame, and acknowledgements' times of arrival
    let (mut ended, mut arrived) = (Vec::new(), Vec::new());
    let mut queue = std::collections::VecDeque::new();
    for _ in 0..1000 {
        let mut frame =
            if stimulus.chance(0.6) { good_frame(&mut stimulus, &config) } else { any_frame(&mut stimulus, &config) };
        if stimulus.chance(0.8) {
            let mut qp = [2, 3, 4, 5, 0x1_0002][stimulus.below(5) as usize];
            if stimulus.chance(0.7) {
                // the one whose port it came to
                let plain = frame.len() > 41 && [&frame[36..38], &frame[40..42]].contains(&&[0x12, 0xb7][..]);
                qp = if plain { 2 } else { 3 };
            }
            aim(
                &mut frame,
                &config,
                qp,
                if stimulus.chance(0.9) { PEER } else { Ipv4Addr::new(10, 9, 9, 9) },
            );
        }
        if stimulus.chance(0.03) {
            // an answer to what this NIC never asks for
            set_opcode(&mut frame, &config, 0x12);
        }
        queue.extend(beats(&frame));
        frames.push(fate(&config, &frame));
    }
    let (mut seen, mut jobs, mut commands) = (Vec::new(), 0, 0);
    let (mut request_at, mut response_at) = (0, 0);
    let mut clocks = 0;
    while seen.len() < frames.len() {
        clocks += 1;
        assert!(clocks < 100_000, "after {} frames of {}", seen.len(), frames.len());
        let beat = if stimulus.chance(0.7) { queue.pop_front() } else { None };
        pipe.now.next = crate::prim::uint::U(TIME_BASE + 5 * clocks);
        ended.extend(beat.filter(|beat| beat.2).map(|_| clocks));
        feed(pipe, beat);
        pipe.payload.ready.next = true;
        pipe.job.ready.next = !stimulus.chance(stall);
        pipe.commit.ready.next = !stimulus.chance(stall);
        // an engine takes the next row when its last decision has been taken
        pipe.request.ready.next = request_at == 0 && !stimulus.chance(stall);
        pipe.response.ready.next = response_at == 0 && !stimulus.chance(stall);
        pipe.notice.ready.next = !stimulus.chance(stall);
        pipe.control.ready.next = !stimulus.chance(stall);
        pipe.answer.ready.next = !stimulus.chance(stall);
        // the engines skip everything, a while after they were asked
        pipe.request_action.valid.next = request_at == 1;
        pipe.response_action.valid.next = response_at == 1;
        let got = step(pipe, |p| {
            let mut got = Vec::new();
            assert!(!p.lost.val() & !p.unfair.val(), "there is room for all");
            let counts = p.counts.val().0;
            if counts & !(1 << 40) != 0 {
                assert_eq!(counts.count_ones(), 1);
                got.push(Fate::Counted(Counter::ALL[counts.trailing_zeros() as usize]));
            }
            if p.request.valid.val() & p.request.ready.val() {
                let row = p.request.data.val().array::<4>();
                got.push(Fate::Request(Row::seen(&row, extension_of(RxPacket::OPCODE.get(&row)))));
            }
            if p.response.valid.val() & p.response.ready.val() {
                let row = p.response.data.val().array::<4>();
                got.push(Fate::Response(Row::seen(
                    &row,
                    extension_of(RxPacket::OPCODE.get(&row)),
                )));
            }
            if p.commit.valid.val() & p.commit.ready.val() {
                let word = p.commit.data.val().array::<7>();
                let fixed = (
                    Commit::KIND.get(&word),
                    Commit::ANSWER.get(&word),
                    Commit::ENDS_OR_FAILED.get(&word),
                );
                assert_eq!(fixed, (3, 0, 0), "an answer, an acknowledgement, nothing failed");
                arrived.push(Commit::MSN.get(&word));
                got.push(Fate::Acknowledgement(Answer {
                    qp: Commit::QP.get(&word),
                    psn: Commit::PSN.get(&word),
                    syndrome: Commit::SYNDROME.get(&word),
                    int_on: Commit::INT_ON.get(&word) == 1,
                    carried: Carried {
                        generation: Commit::GENERATION.get(&word),
                        ecn: Commit::ECN.get(&word),
                        int_length: Commit::INT_LENGTH.get(&word),
                        int: Commit::INT_STACK.bytes(&word),
                    },
                }));
            }
            if p.notice.valid.val() & p.notice.ready.val() {
                let word = p.notice.data.val();
                got.push(Fate::Notice(Heard {
                    kind: word.event_kind.0,
                    response: word.response,
                    qp: word.qp.0,
                    psn: word.psn.0,
                    carried: Carried {
                        generation: word.generation.0,
                        ecn: word.ecn.into(),
                        int_length: word.int_length.0,
                        int: wide_bytes(&word.int_stack.0, 42),
                    },
                }));
            }
            if p.answer.valid.val() & p.answer.ready.val() {
                let word = p.answer.data.val().array::<7>();
                got.push(Fate::Probe(Reply {
                    kind: AckSend::KIND.get(&word),
                    qp: AckSend::QP.get(&word),
                    number: AckSend::PSN.get(&word),
                    carried: Carried {
                        generation: AckSend::GENERATION.get(&word),
                        ecn: 0,
                        int_length: AckSend::INT_LENGTH.get(&word),
                        int: AckSend::INT_STACK.bytes(&word),
                    },
                }));
            }
            if p.control.valid.val() & p.control.ready.val() {
                let word = p.control.data.val();
                got.push(Fate::Control(Told {
                    source_ip: word.source_ip.0,
                    right_length: word.right_length,
                    body: wide_bytes(&word.body.0, 70),
                }));
            }
            jobs += u64::from(p.job.valid.val());
            let answered = (
                p.request_action.valid.val() & p.request_action.ready.val(),
                p.response_action.valid.val() & p.response_action.ready.val(),
            );
            commands += 1;
            (got, answered)
        });
        let asked = |kind: fn(&Fate) -> bool| got.0.iter().any(kind);
        count_down(&mut request_at, asked(|f| matches!(f, Fate::Request(_))), got.1 .0);
        count_down(&mut response_at, asked(|f| matches!(f, Fate::Response(_))), got.1 .1);
        seen.extend(got.0);
    }
    // however long the row waits, its time is that of the parser's word
    let answers = (0..)
        .zip(&frames)
        .filter(|(_, fate)| matches!(fate, Fate::Acknowledgement(_)));
    let judged = answers.map(|(i, _): (usize, _)| {
        let clocks: u64 = ended[i] + RX_PARSER_LATENCY as u64;
        (TIME_BASE + 5 * clocks) & 0xff_ffff
    });
    assert_eq!(arrived, judged.collect::<Vec<_>>());
    // counters and streams have registers of their own, so neighbours may change places by a clock: compare by kind
    let of = |list: &[Fate], kind: fn(&Fate) -> bool| list.iter().filter(|f| kind(f)).cloned().collect::<Vec<_>>();
    let kinds: [fn(&Fate) -> bool; 7] = [
        |f| matches!(f, Fate::Counted(_)),
        |f| matches!(f, Fate::Request(_)),
        |f| matches!(f, Fate::Response(_)),
        |f| matches!(f, Fate::Acknowledgement(_)),
        |f| matches!(f, Fate::Notice(_)),
        |f| matches!(f, Fate::Probe(_)),
        |f| matches!(f, Fate::Control(_)),
    ];
    for kind in kinds {
        let (expected, found) = (of(&frames, kind), of(&seen, kind));
        let first = (0..expected.len().max(found.len())).find(|i| expected.get(*i) != found.get(*i));
        if let Some(i) = first {
            panic!(
                "seed {seed}, item {i}: expected {:?}, got {:?}",
                expected.get(i),
                found.get(i)
            );
        }
        assert!(found.len() > 3, "the stimulus has every kind");
    }
    assert_eq!(jobs, 0, "skipped frames need no memory");
}

#[test]
fn every_frame_goes_where_the_model_sends_it() {
    run(1, 0.0);
    run(2, 0.4);
}
