//! Receivers that are not ready, in both roles, and requests that came before.

use super::bench::*;
use hpcc_models::nic::queues::*;
use hpcc_models::nic::Status;
use hpcc_models::wire::*;

/// A packet to side 1 as side 0's queue pair would send it.
fn request(opcode: u8, psn: u32, body: &[u8]) -> Vec<u8> {
    let packet = RocePacket {
        ethernet: EthernetRepr::ipv4(MACS[0], MACS[1]),
        ipv4: Ipv4Repr::udp(IPS[0], IPS[1]),
        udp: UdpRepr::ports(0xc000, 4791),
        int: &[],
        bth: BthRepr {
            ack_req: true,
            ..BthRepr::new(Opcode::parse(opcode).unwrap(), QPNS[1], psn)
        },
        extension: Extension::None,
        payload: body,
    };
    packet.to_frame()
}

/// An answer to side 0.
fn answer(syndrome: u8, psn: u32) -> Vec<u8> {
    let aeth = AethRepr {
        syndrome: Syndrome::parse(syndrome),
        msn: 0,
    };
    let packet = RocePacket {
        ethernet: EthernetRepr::ipv4(MACS[1], MACS[0]),
        ipv4: Ipv4Repr::udp(IPS[1], IPS[0]),
        udp: UdpRepr::ports(0xc000, 4791),
        int: &[],
        bth: BthRepr::new(Opcode::Acknowledge, QPNS[0], psn),
        extension: Extension::Aeth(aeth),
        payload: &[],
    };
    packet.to_frame()
}

/// Syndrome and PSN of acknowledgements that leave now.
fn answers(host: &mut Host, now: u64) -> Vec<(u8, u32)> {
    let frames = host.nic.poll(now);
    let read = |frame: &Vec<u8>| {
        let packet = RocePacket::parse(frame, &Ports::default()).unwrap();
        match packet.extension {
            Extension::Aeth(aeth) => (aeth.syndrome.emit(), packet.bth.psn),
            other => panic!("{other:?}"),
        }
    };
    frames.iter().map(read).collect()
}

const SEND_ONLY: u8 = 0x04;

#[test]
fn without_a_receive_the_peer_is_told_to_wait_once() {
    let mut host = Host::ready(1);
    let at = |i: u64| 1000 * i;
    host.nic.receive(at(1), &request(SEND_ONLY, 0x100, b"abcd"));
    // code 1, PSN of the packet, not a negative acknowledgement
    assert_eq!(answers(&mut host, at(1)), [(0x21, 0x100)]);
    for psn in [0x101, 0x102] {
        host.nic.receive(at(2), &request(SEND_ONLY, psn, b"efgh"));
    }
    assert_eq!(answers(&mut host, at(2)), [], "those behind are dropped without a word");
    host.nic.receive(at(3), &request(SEND_ONLY, 0x100, b"abcd"));
    assert_eq!(
        answers(&mut host, at(3)),
        [(0x21, 0x100)],
        "the same one again is answered again"
    );
    host.receive_at(at(4), 5, 0, 16);
    host.nic.receive(at(4), &request(SEND_ONLY, 0x101, b"efgh"));
    assert_eq!(answers(&mut host, at(4)), []);
    assert!(host.look(1).is_empty());
    host.nic.receive(at(5), &request(SEND_ONLY, 0x100, b"abcd"));
    assert_eq!(answers(&mut host, at(5)), [(0x1f, 0x100)]);
    assert_eq!(host.statuses(0, 1), [(5, Status::Ok)]);
    assert_eq!(host.data(0, 4), b"abcd");
    // repeated: acknowledged, nothing executed
    host.nic.receive(at(6), &request(SEND_ONLY, 0x100, b"abcd"));
    assert_eq!(answers(&mut host, at(6)), [(0x1f, 0x100)]);
    assert_eq!(
        (host.query().receive_consumer, host.nic.queue_counters().receives_taken),
        (1, 1)
    );
}

/// A WRITE with immediate data needs its receive at its last packet, and none of that packet's bytes is written without.
#[test]
fn a_write_with_immediate_waits_at_its_last_packet() {
    let mut host = Host::ready(1);
    let reth = |length: u32| {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&WIRE.to_be_bytes());
        bytes[8..12].copy_from_slice(&KEY.to_be_bytes());
        bytes[12..].copy_from_slice(&length.to_be_bytes());
        bytes
    };
    let bare = request(SEND_ONLY, 0x100, &[]);
    let first = RocePacket {
        extension: Extension::Reth(RethRepr {
            address: WIRE,
            key: KEY,
            length: 1028,
        }),
        ..RocePacket::parse(&bare, &Ports::default()).unwrap()
    };
    let first = RocePacket {
        bth: BthRepr::new(Opcode::Write(Position::First), QPNS[1], 0x100),
        payload: &[7; 1024],
        ..first
    };
    host.nic.receive(0, &first.to_frame());
    let last = request(0x09, 0x101, &[&[1, 2, 3, 4][..], b"last"].concat());
    host.nic.receive(1000, &last);
    assert_eq!(answers(&mut host, 1000), [(0x21, 0x101)]);
    assert_eq!(host.data(1024, 1)[0], data_byte(1, 1024));
    host.receive_at(2000, 8, 4096, 0);
    host.nic.receive(2000, &last);
    assert_eq!(answers(&mut host, 2000), [(0x1f, 0x101)]);
    assert_eq!((host.data(1023, 1), host.data(1024, 4)), (&[7][..], &b"last"[..]));
    let received = host.poll(0, 1);
    assert_eq!(
        (received[0].work, received[0].length, received[0].immediate),
        (8, 1028, [1, 2, 3, 4])
    );
    // the only packet carries both headers
    host.receive_at(3000, 9, 4096, 0);
    host.nic.receive(
        3000,
        &request(0x0b, 0x102, &[&reth(4)[..], &[5, 6, 7, 8], b"only"].concat()),
    );
    assert_eq!(host.data(0, 4), b"only");
    assert_eq!(host.poll(0, 1)[0].immediate, [5, 6, 7, 8]);
}

/// The requester goes back to the packet, waits the coded time (code 10: 0.32 ms), ignores what comes meanwhile, and gives up after the count.
#[test]
fn the_requester_waits_and_gives_up() {
    let mut set = to_rts(0);
    set.rnr_retry = Some(2);
    let mut host = Host::new(0).moved_to(State::ReadyToSend, to_rtr(0), set);
    let entries = [1, 2, 3].map(|id| work(id, SendOpcode::Send, 0, 4));
    host.post(0, &entries);
    let psns = |host: &mut Host, now| -> Vec<u32> {
        let frames = host.nic.poll(now);
        let psn = |frame: &Vec<u8>| RocePacket::parse(frame, &Ports::default()).unwrap().bth.psn;
        frames.iter().map(psn).collect()
    };
    let all = |host: &mut Host, from: u64| -> Vec<u32> { (from..from + 100).flat_map(|now| psns(host, now)).collect() };
    assert_eq!(all(&mut host, 0), [0x100, 0x101, 0x102]);
    host.nic.receive(1000, &answer(0x2a, 0x101));
    assert_eq!(
        host.statuses(0, 0),
        [(1, Status::Ok)],
        "what is before it is acknowledged"
    );
    // within the time neither another one nor the sequence NAK that Linux sends behind it changes anything
    host.nic.receive(2000, &answer(0x2a, 0x101));
    host.nic.receive(2000, &answer(0x60, 0x101));
    assert!(psns(&mut host, 320_999).is_empty());
    assert_eq!(
        host.nic.next_deadline(),
        Some(321_000),
        "no retransmission timer meanwhile"
    );
    assert_eq!(all(&mut host, 321_000), [0x101, 0x102]);
    host.nic.receive(400_000, &answer(0x2a, 0x101));
    assert_eq!(all(&mut host, 720_000), [0x101, 0x102]);
    assert!(host.look(0).is_empty());
    host.nic.receive(800_000, &answer(0x2a, 0x101));
    assert_eq!(
        host.statuses(0, 0),
        [(2, Status::RnrRetryExceeded), (3, Status::Flushed)]
    );
    assert_eq!(host.query().ended, Status::RnrRetryExceeded);
}

/// Progress clears the count: waits at different packets never add up.
#[test]
fn progress_clears_the_waits() {
    let mut set = to_rts(0);
    set.rnr_retry = Some(1);
    let mut host = Host::new(0).moved_to(State::ReadyToSend, to_rtr(0), set);
    for i in 0..4 {
        let now = u64::from(i) * 1_000_000;
        host.post(now, &[work(u64::from(i), SendOpcode::Send, 0, 4)]);
        assert_eq!(host.nic.poll(now).len(), 1);
        host.nic.receive(now + 1000, &answer(0x21, 0x100 + i));
        assert_eq!(host.nic.poll(now + 11_000).len(), 1, "0.01 ms later");
        host.nic.receive(now + 12_000, &answer(0x1f, 0x100 + i));
        assert_eq!(host.statuses(0, 0), [(u64::from(i), Status::Ok)]);
    }
}

/// An atomic operation that is repeated is answered from its saved result; the oldest of five is forgotten, for four are kept.
#[test]
fn repeated_atomic_operations() {
    let mut host = Host::ready(1);
    host.set_data(0, &[0; 8]);
    let add = |psn: u32| {
        let body = [
            &WIRE.to_be_bytes()[..],
            &KEY.to_be_bytes(),
            &1u64.to_be_bytes(),
            &[0; 8],
        ]
        .concat();
        request(0x14, psn, &body)
    };
    let results = |host: &mut Host, now: u64, psn: u32| -> Vec<(u32, u64)> {
        host.nic.receive(now, &add(psn));
        let frames = host.nic.poll(now);
        let result = |frame: &Vec<u8>| {
            let packet = RocePacket::parse(frame, &Ports::default()).unwrap();
            (packet.bth.psn, parse_atomic_answer(packet.payload).unwrap().1)
        };
        frames.iter().map(result).collect()
    };
    for i in 0..5 {
        assert_eq!(
            results(&mut host, 1000 * u64::from(i), 0x100 + i),
            [(0x100 + i, i.into())]
        );
    }
    assert_eq!(results(&mut host, 10_000, 0x104), [(0x104, 4)]);
    assert_eq!(results(&mut host, 11_000, 0x101), [(0x101, 1)]);
    assert_eq!(results(&mut host, 12_000, 0x100), []);
    assert_eq!(host.data(0, 8), 5u64.to_le_bytes(), "none was carried out twice");
}

/// Receives may be posted in INIT (IBTA 10.3.1): they stay through the moves to RTR and RTS, before those posted later. What was rung in RESET is gone.
#[test]
fn receives_posted_in_init_are_taken_first() {
    let mut host = Host::new(1);
    host.receive_at(0, 1, 0, 64);
    let mut host = host.moved_to(State::Init, to_rtr(1), to_rts(1));
    host.receive_at(0, 2, 0, 64);
    host.receive_at(0, 3, 64, 64);
    assert_eq!(host.query().receive_producer, 2);
    // A frame in INIT takes none of them.
    host.nic.receive(0, &request(SEND_ONLY, 0x100, &[1; 64]));
    host.done(host.modify(State::ReadyToReceive, to_rtr(1)));
    host.receive_at(0, 4, 128, 64);
    assert_eq!((host.query().receive_consumer, host.query().receive_producer), (0, 3));
    let mut taken = Vec::new();
    for (i, psn) in (0..3).zip(0x100..) {
        if i == 1 {
            host.done(host.modify(State::ReadyToSend, to_rts(1)));
        }
        host.nic.receive(0, &request(SEND_ONLY, psn, &[i + 1; 64]));
        host.nic.poll(0);
        taken.extend(host.statuses(0, 1));
    }
    assert_eq!(taken, [(2, Status::Ok), (3, Status::Ok), (4, Status::Ok)]);
    assert_eq!([0, 64, 128].map(|at| host.data(at, 1)[0]), [1, 2, 3]);
}
