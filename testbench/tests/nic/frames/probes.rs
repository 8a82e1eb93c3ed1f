//! Probes of the peer (HPCC++, draft-miao-ccwg-hpcc 7.1): each is answered at once with the INT that it collected, and changes nothing.

use super::peer::*;
use hpcc_models::nic::{Counter, Operation, ProbeConfig, Status};
use hpcc_models::wire::*;
use hpcc_testbench::config::NicSetup;
use std::net::Ipv4Addr;

const PLAIN: usize = 0;
const INT: usize = 1;

/// Header and stack of so many hops, no two bytes alike but for the speed codes.
fn stack(hops: u8) -> Vec<u8> {
    let mut int: Vec<u8> = (0..INT_FIXED_LEN + INT_RECORD_LEN * usize::from(hops))
        .map(|i| 0x40 + i as u8)
        .collect();
    int[0] = hops << 4 | 0xb;
    int.iter_mut()
        .skip(INT_FIXED_LEN)
        .step_by(INT_RECORD_LEN)
        .for_each(|byte| *byte = 0x50 | *byte & 15);
    int
}

fn packet_of(qp: usize, opcode: Opcode, number: u32, role: PortRole, int: &[u8], payload: &[u8]) -> Vec<u8> {
    RocePacket {
        ethernet: EthernetRepr::ipv4(PEER_MAC, OWN_MAC),
        ipv4: Ipv4Repr {
            tos: 26 << 2,
            ..Ipv4Repr::udp(PEER, OWN)
        },
        udp: UdpRepr::ports(0xc000, Ports::default().number(role)),
        int,
        bth: BthRepr::new(opcode, qpn(qp), number),
        extension: Extension::None,
        payload,
    }
    .to_frame()
}

fn probe(number: u32, int: &[u8]) -> Vec<u8> {
    packet_of(INT, Opcode::Probe, number, PortRole::IntCollect, int, &[])
}

/// Number and INT of the answers that left, and after which input.
fn answers(setup: &NicSetup, frames: &[(usize, Vec<u8>)]) -> Vec<(usize, u32, Vec<u8>)> {
    let ports = Ports::default();
    let answer = |(at, frame): &(usize, Vec<u8>)| {
        let packet = match setup.nic.echo_icrc_full {
            true => RocePacket::parse_with_int_covered(frame, &ports),
            false => RocePacket::parse(frame, &ports),
        };
        let packet = packet
            .ok()
            .filter(|packet| packet.bth.opcode == Opcode::ProbeResponse)?;
        assert_eq!(packet.udp.dst_port, ports.int_echo);
        assert_eq!((packet.ipv4.tos, packet.bth.ack_req), (26 << 2, false));
        assert_eq!((packet.extension, packet.payload.len()), (Extension::None, 0));
        Some((*at, packet.bth.psn, packet.int.to_vec()))
    };
    frames.iter().filter_map(answer).collect()
}

/// Any number, also twice and far from the PSNs, any number of hops, with and without a payload that nobody asked for, back to back.
#[test]
fn a_probe_is_answered_with_what_it_collected() {
    for covered in [false, true] {
        let mut setup = setup();
        setup.nic.echo_icrc_full = covered;
        let numbers = [1, 0, 0xff_ffff, 0x12_3456, 1, FIRST];
        let probes: Vec<Vec<u8>> = (0..)
            .zip(numbers)
            .map(|(hops, number)| probe(number, &stack(hops)))
            .collect();
        let mut script: Vec<Input> = probes.iter().cloned().map(Input::Frame).collect();
        script.push(Input::Frame(packet_of(
            INT,
            Opcode::Probe,
            9,
            PortRole::IntCollect,
            &stack(2),
            &[5; 77],
        )));
        script.push(Input::Burst(probes));
        let outcome = agreed("answers", &setup, &script);
        let wanted = |at: Option<usize>| {
            let one = move |(hops, number): (u8, u32)| (at.unwrap_or(hops.into()), number, stack(hops));
            (0..).zip(numbers).map(one)
        };
        let expected: Vec<_> = wanted(None).chain([(6, 9, stack(2))]).chain(wanted(Some(7))).collect();
        assert_eq!(answers(&setup, &outcome.sent[&(REMOTE + qpn(INT))]), expected);
        assert_eq!(outcome.sent.len(), 1);
    }
}

/// Requests and acknowledgements before and after find the queue pair as if there had been no probe; an ended responder answers, too.
#[test]
fn a_probe_changes_nothing() {
    let traffic = [
        Input::Frame(write_only(INT, 0, WRITE_KEY, WRITE_AT, &[7; 9])),
        work(1, INT, Operation::Write, 0, 10),
        work(2, INT, Operation::Read, 20, 400),
        ack(INT, 0, SYNDROME_ACK),
        response(INT, Position::First, 1, &[3; 256]),
        response(INT, Position::Last, 2, &[4; 144]),
        // out of order, then a key of nobody: the responder has ended
        Input::Frame(write_only(INT, 2, WRITE_KEY, WRITE_AT, &[8; 9])),
        Input::Frame(write_only(INT, 1, 0x99, WRITE_AT, &[9; 9])),
    ];
    let mut with = Vec::new();
    for (number, input) in (0..).zip(&traffic) {
        with.push(input.clone());
        with.push(Input::Frame(probe(number, &stack(3))));
    }
    let (quiet, outcome) = (agreed("quiet", &setup(), &traffic), agreed("probed", &setup(), &with));
    let peer = REMOTE + qpn(INT);
    let others = |frames: &[(usize, Vec<u8>)], step: usize| -> Vec<(usize, Vec<u8>)> {
        let opcode = |frame: &[u8]| RocePacket::parse(frame, &Ports::default()).unwrap().bth.opcode;
        frames
            .iter()
            .filter(|(_, frame)| opcode(frame) != Opcode::ProbeResponse)
            .map(|(at, frame)| (at / step, frame.clone()))
            .collect()
    };
    assert_eq!(others(&outcome.sent[&peer], 2), others(&quiet.sent[&peer], 1));
    assert_eq!(answers(&setup(), &outcome.sent[&peer]).len(), traffic.len());
    assert_eq!(
        (&outcome.completions, &outcome.memory),
        (&quiet.completions, &quiet.memory)
    );
    assert_eq!(outcome.statuses(INT), [(1, Status::Ok), (2, Status::Ok)]);
    let same = |name: &&&str| !["rx_frames", "tx_frames"].contains(name);
    for name in quiet.counters.keys().filter(same) {
        assert_eq!(outcome.counters[name], quiet.counters[name], "{name}");
    }
}

/// On a queue pair without INT, on another port, of nobody's queue pair: counted, not answered. So is an answer to a probe that was never sent.
#[test]
fn what_is_not_a_probe_of_the_queue_pair_is_counted() {
    let int = stack(1);
    let mut script = vec![
        Input::Frame(packet_of(PLAIN, Opcode::Probe, 1, PortRole::Roce, &[], &[])),
        Input::Frame(packet_of(PLAIN, Opcode::Probe, 1, PortRole::IntCollect, &int, &[])),
        Input::Frame(packet_of(INT, Opcode::Probe, 1, PortRole::Roce, &[], &[])),
        Input::Frame(packet_of(INT, Opcode::Probe, 1, PortRole::IntEcho, &int, &[])),
        Input::Frame(packet_of(
            INT,
            Opcode::ProbeResponse,
            1,
            PortRole::IntCollect,
            &int,
            &[],
        )),
        Input::Frame(packet_of(QPS, Opcode::Probe, 1, PortRole::IntCollect, &int, &[])),
    ];
    let mut stranger = altered(INT, Opcode::Probe, 1, Extension::None, &[], |packet| {
        packet.ipv4.src = Ipv4Addr::new(10, 0, 0, 12);
    });
    script.push(Input::Frame(stranger.clone()));
    // and one with a bit that has flipped
    let last = stranger.len() - 1;
    stranger[last] ^= 1;
    script.push(Input::Frame(stranger));
    script.push(Input::Frame(packet_of(
        INT,
        Opcode::ProbeResponse,
        1,
        PortRole::IntEcho,
        &int,
        &[],
    )));
    let outcome = agreed("refused", &setup(), &script);
    assert!(outcome.sent.is_empty());
    let counted = [
        (Counter::WrongPort, 5),
        (Counter::UnknownQp, 1),
        (Counter::WrongPeer, 1),
        (Counter::Icrc, 1),
        (Counter::ProbeStray, 1),
    ];
    for (counter, frames) in counted {
        assert_eq!(outcome.count(counter), frames, "{}", counter.name());
    }
}

/// The example of the design, made from the drafts by hand: a request of a peer with other flags, and the answer's bytes from its ports on.
#[test]
fn the_answer_is_the_worked_example() {
    let (peer, own) = (Ipv4Addr::new(10, 0, 0, 10), Ipv4Addr::new(10, 0, 0, 11));
    let mut setup = setup();
    setup.nic.ip = own;
    setup.nic.neighbours = [(peer, PEER_MAC)].into();
    setup.qps = vec![setup.qps[INT].clone()];
    (setup.qps[0].qpn, setup.qps[0].remote_qpn) = (0x11, 0x22);
    (setup.qps[0].remote_ip, setup.qps[0].udp_port) = (peer, 0xc123);
    let bytes = |hex: &str| -> Vec<u8> {
        let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
        let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        digits.chunks(2).map(pair).collect()
    };
    // as it leaves the peer; two switches add a record each, which the ICRC does not cover
    let request = bytes(
        "456a002e 00014000 40112640 0a00000a 0a00000b c123d607 001a0000 0000 d200ffff 00000011 00000100 702f0c5e",
    );
    let records = bytes("2b9f 561c4f1468ac0140 761cdedfdb970002");
    let mut frame = [OWN_MAC.0, PEER_MAC.0].concat();
    frame.extend([8, 0]);
    frame.extend(&request[..28]);
    frame.extend(&records);
    frame.extend(&request[30..]);
    let ip = 14;
    let grown = records.len() as u16 - 2;
    for at in [ip + 2, ip + 24] {
        let length = u16::from_be_bytes([frame[at], frame[at + 1]]) + grown;
        frame[at..at + 2].copy_from_slice(&length.to_be_bytes());
    }
    frame[ip + 10..ip + 12].fill(0);
    let checksum = internet_checksum(&frame[ip..ip + 20]);
    frame[ip + 10..ip + 12].copy_from_slice(&checksum.to_be_bytes());

    let outcome = agreed("example", &setup, &[Input::Frame(frame)]);
    let (_, sent) = &outcome.sent[&0x22][0];
    let response = bytes(
        "456a003e 00014000 40112630 0a00000b 0a00000a c123d608 002a0000 2b9f561c4f1468ac0140761cdedfdb970002 \
         d300ffff 00000022 00000100 0c81fbdf",
    );
    assert_eq!(sent.len(), 14 + response.len());
    assert_eq!(sent[ip + 2..ip + 4], response[2..4]);
    assert_eq!(sent[ip + 12..ip + 46], response[12..46]);
    // the migration bit is always set here; it, identification and type of service make another ICRC
    let bth = response.len() - 16;
    assert_eq!((sent[ip + bth], sent[ip + bth + 1]), (0xd3, 0x40));
    assert_eq!(sent[ip + bth + 2..ip + bth + 12], response[bth + 2..bth + 12]);
}

/// What left of the queue pair after each input: kind, PSN or number, code point.
fn leaving(outcome: &Outcome) -> Vec<(usize, Opcode, u32, u8)> {
    let packet = |(at, frame): &(usize, Vec<u8>)| {
        let packet = RocePacket::parse(frame, &Ports::default()).unwrap();
        (*at, packet.bth.opcode, packet.bth.psn, packet.ipv4.tos >> 2)
    };
    outcome.sent[&(REMOTE + qpn(INT))].iter().map(packet).collect()
}

/// A request with payload brings a probe, unless one is outstanding and not given up, `T` has not passed, or too few went before; a request without
/// payload and a READ bring none, and a plain queue pair sends none. Responses count once and in order, those that do not are counted.
#[test]
fn requests_bring_probes() {
    let mut setup = setup();
    setup.nic.probes = Some(ProbeConfig {
        interval_ns: 4000,
        timeout_ns: 60_000,
        packets: 1,
    });
    let response = |number| {
        Input::Frame(packet_of(
            INT,
            Opcode::ProbeResponse,
            number,
            PortRole::IntEcho,
            &two_hops(),
            &[],
        ))
    };
    let write = |id| work(id, INT, Operation::Write, 0, 10);
    let script = [
        response(0),
        work(0, PLAIN, Operation::Write, 0, 10),
        write(1),
        write(2),
        response(1),
        response(1),
        write(3),
        response(3),
        response(2),
        work(4, INT, Operation::Write, 0, 0),
        work(5, INT, Operation::Read, 20, 40),
        write(6),
        write(7),
        Input::Wait(60_000),
        write(8),
        response(3),
        response(4),
        response(4),
    ];
    let outcome = agreed("probing", &setup, &script);
    let probes: Vec<_> = leaving(&outcome)
        .into_iter()
        .filter(|(_, opcode, _, _)| *opcode == Opcode::Probe)
        .map(|(at, _, number, dscp)| (at, number, dscp))
        .collect();
    assert_eq!(probes, [(2, 1, 26), (6, 2, 26), (11, 3, 26), (14, 4, 26)]);
    // numbers 0, 1 again, 3 before it was sent, 4 again
    assert_eq!(outcome.count(Counter::ProbeStray), 4);
    let others: Vec<_> = leaving(&outcome)
        .into_iter()
        .filter(|(_, opcode, _, _)| *opcode != Opcode::Probe)
        .collect();
    assert!(others.iter().all(|(_, _, _, dscp)| *dscp == 10), "{others:?}");
    assert_eq!(others.len(), 8);
}

/// The count of requests, counted across a response, and the code point of READ responses, which collect INT themselves.
#[test]
fn probes_after_so_many_requests() {
    let mut setup = setup();
    setup.nic.dscp_unstamped = 12;
    setup.nic.probes = Some(ProbeConfig {
        interval_ns: 1,
        timeout_ns: 1,
        packets: 3,
    });
    let mut script: Vec<Input> = (0..10).map(|id| work(id, INT, Operation::Write, 0, 9)).collect();
    script.push(Input::Frame(read(INT, 0, READ_KEY, READ_AT, 100)));
    let outcome = agreed("every third", &setup, &script);
    let left = leaving(&outcome);
    let probes: Vec<usize> = left
        .iter()
        .filter(|(_, opcode, _, _)| *opcode == Opcode::Probe)
        .map(|(at, _, _, _)| *at)
        .collect();
    assert_eq!(probes, [0, 3, 6, 9]);
    for (_, opcode, _, dscp) in left {
        let expected = if matches!(opcode, Opcode::Write(_)) { 12 } else { 26 };
        assert_eq!(dscp, expected, "{opcode:?}");
    }
}
