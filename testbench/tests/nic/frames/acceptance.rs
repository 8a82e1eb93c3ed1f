//! Which packets of a peer are taken, which are as if they had never come.

use super::peer::*;
use hpcc_models::nic::{ControlConfig, Counter, Operation, Status};
use hpcc_models::wire::*;
use std::net::Ipv4Addr;

const QP: usize = 0;
const INT: usize = 1;

/// A WRITE at `psn`, changed.
fn with(psn: u32, alter: impl FnOnce(&mut RocePacket)) -> Vec<u8> {
    let header = reth(WRITE_KEY, WRITE_AT + u64::from(psn), 5);
    altered(
        QP,
        Opcode::Write(Position::Only),
        psn,
        header,
        &[0xe0 + psn as u8; 5],
        |packet| {
            packet.bth.ack_req = true;
            alter(packet);
        },
    )
}

/// Puts the ICRC of an untagged plain frame right again.
fn seal(frame: &mut [u8]) {
    let at = frame.len() - ICRC_LEN;
    let value = icrc(&frame[14..at], 0).unwrap();
    frame[at..].copy_from_slice(&value.to_le_bytes());
}

/// A byte of the frame changed, ICRC right. BTH begins at 42, RETH at 54, payload at 70.
fn byte(psn: u32, at: usize, value: u8) -> Vec<u8> {
    let mut frame = with(psn, |_| {});
    frame[at] = value;
    seal(&mut frame);
    frame
}

fn checksum(psn: u32, error: u16) -> Vec<u8> {
    let mut frame = with(psn, |_| {});
    let value = udp_checksum(PEER, OWN, &frame[34..]) ^ error;
    frame[40..42].copy_from_slice(&value.to_be_bytes());
    frame
}

#[test]
fn what_a_peer_and_a_router_may_choose_is_taken() {
    let mut taken: Vec<Vec<u8>> = Vec::new();
    let mut psn = 0;
    let mut take = |make: &dyn Fn(u32) -> Vec<u8>| {
        taken.push(make(psn));
        psn += 1;
    };
    // UDP source port, changing from packet to packet.
    for port in [0, 1, 4791, 49151, 49152, 65535] {
        take(&|psn| with(psn, |packet| packet.udp.src_port = port));
    }
    take(&|psn| checksum(psn, 0));
    take(&|psn| with(psn, |packet| packet.ethernet.src = MacAddr([0xff; 6])));
    take(&|psn| with(psn, |packet| packet.ethernet.vlan = Some(0x6123)));
    take(&|psn| with(psn, |packet| packet.bth.pkey = 0x7fff));
    take(&|psn| with(psn, |packet| packet.ipv4.tos = 0xff));
    take(&|psn| with(psn, |packet| packet.ipv4.ttl = 1));
    take(&|psn| with(psn, |packet| packet.ipv4.ident = 0xbeef));
    take(&|psn| with(psn, |packet| packet.ipv4.dont_fragment = false));
    take(&|psn| with(psn, |packet| packet.bth.migrated = true));
    take(&|psn| with(psn, |packet| packet.bth.solicited = true));
    take(&|psn| with(psn, |packet| packet.bth.becn = true));
    // FECN and the reserved bits beside it, those beside AckReq, pad bytes.
    take(&|psn| byte(psn, 46, 0xff));
    take(&|psn| byte(psn, 50, 0xff));
    take(&|psn| byte(psn, 75, 0x5a));
    // Bytes behind the IP packet.
    for more in [1, 46, 200] {
        take(&|psn| {
            let mut frame = with(psn, |_| {});
            frame.extend(vec![0xa5; more]);
            frame
        });
    }
    let count = taken.len();
    let script: Vec<Input> = taken.into_iter().map(Input::Frame).collect();
    let outcome = agreed("taken", &setup(), &script);
    let mut expected: Vec<String> = (0..count).map(|i| format!("ack +{i} msn {}", i + 1)).collect();
    // the type of service of this one says that a switch has marked it
    expected.insert(10, "Cnp +4 16".into());
    assert_eq!(outcome.brief(QP), expected);
    for i in 0..count {
        assert_eq!(outcome.memory[1][i], 0xe0 + i as u8);
    }
}

#[test]
fn what_is_not_right_leaves_nothing_but_its_counter() {
    let other = Ipv4Addr::new(10, 0, 0, 12);
    let mut flipped = with(0, |_| {});
    let last = flipped.len() - 1;
    flipped[last] ^= 0x80;
    let mut payload = with(0, |_| {});
    payload[72] ^= 1;
    let aeth = Extension::Aeth(AethRepr {
        syndrome: Syndrome::parse(SYNDROME_ACK),
        msn: 1,
    });
    let stray = |opcode| packet(QP, opcode, 0, false, aeth, &[]);
    let int_port = |packet: &mut RocePacket| packet.udp.dst_port = 54791;
    let cut = |frame: Vec<u8>, len: usize| frame[..len].to_vec();
    let cases = [
        (flipped, Counter::Icrc),
        (payload, Counter::Icrc),
        (checksum(0, 1), Counter::UdpChecksum),
        (with(0, |packet| packet.ipv4.src = other), Counter::WrongPeer),
        (with(0, |packet| packet.ipv4.dst = other), Counter::WrongIp),
        (with(0, |packet| packet.ethernet.dst = PEER_MAC), Counter::WrongMac),
        (with(0, |packet| packet.ethernet.ethertype = 0x86dd), Counter::NotIpv4),
        (with(0, |packet| packet.udp.dst_port = 4790), Counter::UdpPort),
        (with(0, |packet| packet.ipv4.protocol = 6), Counter::NotUdp),
        (with(0, |packet| packet.bth.pkey = 0x8001), Counter::PartitionKey),
        (with(0, |packet| packet.bth.pkey = 0), Counter::PartitionKey),
        (with(0, |packet| packet.bth.version = 1), Counter::TransportVersion),
        (with(0, |packet| packet.bth.dest_qp = 140), Counter::UnknownQp),
        (with(0, |packet| packet.bth.dest_qp = 0x80_0002), Counter::UnknownQp),
        // Undefined, and of the unreliable connection service.
        (byte(0, 42, 0x1f), Counter::Opcode),
        (byte(0, 42, 0x2a), Counter::Opcode),
        (with(0, |packet| packet.bth.opcode = Opcode::Cnp), Counter::Cnps),
        (stray(Opcode::ReadResponse(Position::Only)), Counter::Stray),
        (stray(Opcode::Acknowledge), Counter::GhostAck),
        (stray(Opcode::OtherResponse(0x12)), Counter::Stray),
        (cut(with(0, |_| {}), 41), Counter::ShortFrame),
        (cut(with(0, |_| {}), 70), Counter::IpLength),
    ];
    let script: Vec<Input> = cases
        .iter()
        .map(|(frame, _)| Input::Frame(frame.clone()))
        // INT on a plain queue pair; plain on one with INT.
        .chain([
            Input::Frame(altered(
                QP,
                Opcode::Write(Position::Only),
                0,
                reth(WRITE_KEY, WRITE_AT, 0),
                &[],
                |packet| {
                    packet.int = &[0, 0];
                    int_port(packet);
                },
            )),
            Input::Frame(altered(
                INT,
                Opcode::Write(Position::Only),
                0,
                reth(WRITE_KEY, WRITE_AT, 0),
                &[],
                |packet| {
                    packet.int = &[];
                    packet.udp.dst_port = 4791;
                },
            )),
            // Everything is as it was.
            Input::Frame(with(0, |_| {})),
        ])
        .collect();
    let outcome = agreed("dropped", &setup(), &script);
    assert_eq!(outcome.brief(QP), ["ack +0 msn 1"]);
    assert_eq!(outcome.sent.len(), 1, "an unknown queue pair or peer is never answered");
    let mut expected = std::collections::BTreeMap::from([(Counter::WrongPort.name(), 2)]);
    for (_, counter) in &cases {
        *expected.entry(counter.name()).or_insert(0) += 1;
    }
    for (name, value) in &outcome.counters {
        let frames = name.ends_with("x_frames");
        assert!(
            frames || *value == expected.get(name).copied().unwrap_or(0),
            "{name}: {value}"
        );
    }
}

const SECRET: u64 = 0x0123_4567_89ab_cdef;

fn control(operation: ControlOp, sequence: u64, key: u64, src: Ipv4Addr) -> Input {
    let packet = ControlRepr {
        operation,
        key,
        sequence,
        qpn: 40,
        remote_qpn: REMOTE + 40,
        remote_ip: PEER,
        first_psn: FIRST,
        local_address: READ_AT + 3,
        local_key: READ_KEY,
        remote_key: 1,
        remote_address: 0x1000,
        length: 300,
    };
    let route = Route {
        dst_mac: OWN_MAC,
        src_mac: PEER_MAC,
        dst: OWN,
        src,
    };
    let mut body = [0; CONTROL_LEN];
    packet.emit(&mut body);
    Input::Frame(udp_frame(route, Ports::default().control, &body))
}

#[test]
fn control_packets_do_nothing_unless_switched_on() {
    // Registers as they are after reset, then everything but the switch.
    let mut off = setup();
    off.nic.control = ControlConfig {
        enabled: false,
        key: SECRET,
        sources: vec![PEER],
        interval_ns: 0,
    };
    let script = [
        control(ControlOp::CreateWrite, 1, SECRET, PEER),
        control(ControlOp::CreateWrite, 2, 0, PEER),
    ];
    for setup in [setup(), off] {
        let outcome = agreed("control off", &setup, &script);
        assert!(outcome.sent.is_empty());
        assert_eq!(outcome.count(Counter::ControlRefused), 2);
    }
}

#[test]
fn control_packets_make_and_remove_flows_for_those_who_may() {
    let mut setup = setup();
    setup.nic.mtu = 256;
    setup.nic.control = ControlConfig {
        enabled: true,
        key: SECRET,
        sources: vec![PEER],
        interval_ns: 5_000,
    };
    let flow = 38;
    assert_eq!(qpn(flow), 40);
    let script = [
        // One bit of the key, the source, then right, then an old sequence number, then too soon.
        control(ControlOp::CreateWrite, 5, SECRET ^ 1 << 63, PEER),
        control(ControlOp::CreateWrite, 5, SECRET, Ipv4Addr::new(10, 0, 0, 12)),
        control(ControlOp::CreateWrite, 5, SECRET, PEER),
        control(ControlOp::Remove, 6, SECRET, PEER),
        Input::Wait(5_000),
        control(ControlOp::Remove, 5, SECRET, PEER),
        control(ControlOp::Remove, 6, SECRET, PEER),
        // Gone: late acknowledgements are of nobody.
        Input::Frame(altered(
            flow,
            Opcode::Acknowledge,
            1,
            Extension::Aeth(AethRepr {
                syndrome: Syndrome::parse(SYNDROME_ACK),
                msn: 1,
            }),
            &[],
            |packet| {
                packet.int = &[0, 0];
                packet.udp.dst_port = 54792;
            },
        )),
    ];
    let outcome = agreed("control on", &setup, &script);
    assert_eq!(outcome.brief(flow), ["write First +0 256", "write Last +1 44 req"]);
    let flushed: Vec<(Operation, Status)> = outcome.completions[&qpn(flow)]
        .iter()
        .map(|(_, operation, status, _)| (*operation, *status))
        .collect();
    assert_eq!(flushed, [(Operation::Write, Status::Flushed)]);
    assert_eq!(outcome.count(Counter::ControlAccepted), 2);
    assert_eq!(outcome.count(Counter::ControlRefused), 4);
    assert_eq!(outcome.count(Counter::UnknownQp), 1);
}
