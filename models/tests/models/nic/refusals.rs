//! What the responder refuses or drops, by name of the case.

use super::bench::*;
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use Position::{First, Last, Middle, Only};

#[test]
fn wrong_lengths_and_orders_are_invalid_requests() {
    type Step = (Position, u32, usize);
    let cases: &[&[Step]] = &[
        &[(Middle, 0, MTU)],
        &[(Last, 0, 5)],
        &[(Only, 5, 4)],
        &[(Only, 5, 6)],
        &[(First, 600, MTU - 4)],
        &[(First, 100, MTU)],
        &[(First, 600, MTU), (First, 600, MTU)],
        &[(First, 600, MTU), (Only, 4, 4)],
        &[(First, 600, MTU), (Middle, 0, MTU - 4)],
        &[(First, 600, MTU), (Middle, 0, MTU), (Middle, 0, MTU)],
        &[(First, 600, MTU), (Last, 0, 88)],
        &[(Only, (MTU + 4) as u32, MTU + 4)],
    ];
    for case in cases {
        let mut bench = Bench::new(0, false);
        for (psn, (position, total, len)) in case.iter().enumerate() {
            bench.write(*position, psn as u32, 0, *total, &vec![0xee; *len]);
        }
        let sent = bench.run();
        let at = case.len() as u32 - 1;
        assert_eq!(
            sent.last().unwrap().aeth(),
            Sent::nak(at, NakCode::InvalidRequest, 0),
            "{case:?}"
        );
        // The half has ended: nothing more is taken or answered.
        bench.write(Only, at, 0, 1, &[1]);
        assert!(bench.run().is_empty());
        assert_eq!(bench.count(Counter::QpEnded), 1);
    }
}

#[test]
fn first_of_exactly_one_mtu_and_an_empty_last_are_accepted() {
    let mut bench = Bench::new(0, false);
    bench.write(First, 0, 0, MTU as u32, &[7; MTU]);
    bench.write(Last, 1, 0, 0, &[]);
    assert_eq!(bench.run()[0].aeth(), Sent::ack(1, 1));
}

#[test]
fn other_legal_requests_are_invalid_and_undefined_opcodes_are_dropped() {
    for opcode in [0x00, 0x04, 0x05, 0x09, 0x0b, 0x13, 0x14] {
        let mut bench = Bench::new(0, false);
        bench.receive(
            BthRepr::new(Opcode::OtherRequest(opcode), QPN, 0),
            Extension::None,
            &[0; 28],
        );
        assert_eq!(
            bench.run()[0].aeth(),
            Sent::nak(0, NakCode::InvalidRequest, 0),
            "{opcode:02x}"
        );
    }
    for (opcode, counter) in [(0x64, Counter::Opcode), (0x2a, Counter::Opcode), (0x12, Counter::Stray)] {
        let mut bench = Bench::new(0, false);
        bench.receive(
            BthRepr::new(Opcode::OtherRequest(opcode), QPN, 0),
            Extension::None,
            &[0; 28],
        );
        assert!(bench.run().is_empty());
        assert_eq!(bench.count(counter), 1, "{opcode:02x}");
        bench.write(Only, 0, 0, 1, &[1]);
        assert_eq!(bench.run()[0].aeth(), Sent::ack(0, 1), "nothing else changed");
    }
}

#[test]
fn remote_access_error_at_the_right_psn_and_no_byte_written() {
    let whole = LEN as u32;
    for (key, offset, length, write_ok) in [
        (KEY + 1, 0, 4, true),
        (KEY, LEN as u64 - 3, 4, true),
        (KEY, 0, whole + 1, true),
        (KEY, 0, 4, false),
    ] {
        for read in [false, true] {
            let mut bench = Bench::new(0x10, false);
            let region = Region {
                key: KEY,
                address: BASE,
                length: LEN as u64,
                remote_write: write_ok,
                remote_read: write_ok,
            };
            bench.nic.add_region(region);
            let reth = Extension::Reth(RethRepr {
                address: BASE + offset,
                key,
                length,
            });
            if read {
                bench.receive(BthRepr::new(Opcode::ReadRequest, QPN, 0x10), reth, &[]);
            } else if length == 4 {
                bench.receive(BthRepr::new(Opcode::Write(Only), QPN, 0x10), reth, &[0xee; 4]);
            } else {
                bench.receive(BthRepr::new(Opcode::Write(First), QPN, 0x10), reth, &[0xee; MTU]);
            }
            assert_eq!(bench.run()[0].aeth(), Sent::nak(0x10, NakCode::RemoteAccess, 0));
            assert!((0..LEN).all(|i| bench.memory()[i] == pattern(i)));
        }
    }
}

#[test]
fn bus_error_is_remote_operational() {
    let mut bench = Bench::new(0, false);
    let hole = Region {
        key: 9,
        address: 0x5000,
        length: 64,
        remote_write: true,
        remote_read: true,
    };
    bench.nic.add_region(hole);
    let reth = Extension::Reth(RethRepr {
        address: 0x5000,
        key: 9,
        length: 4,
    });
    bench.receive(BthRepr::new(Opcode::Write(Only), QPN, 0), reth, &[1; 4]);
    assert_eq!(bench.run()[0].aeth(), Sent::nak(0, NakCode::RemoteOperational, 0));

    let mut bench = Bench::new(0, false);
    bench.nic.add_region(hole);
    bench.receive(BthRepr::new(Opcode::ReadRequest, QPN, 0), reth, &[]);
    bench.write(Only, 1, 0, 1, &[1]);
    let sent = bench.run();
    assert_eq!(sent.len(), 1, "nothing behind a failed READ is answered");
    assert_eq!(sent[0].aeth(), Sent::nak(0, NakCode::RemoteOperational, 0));
}

#[test]
fn one_read_too_many_is_dropped_without_moving_the_expected_psn() {
    let mut bench = Bench::new(0, false);
    for psn in 0..17 {
        bench.read_request(psn, 0, 4);
    }
    assert_eq!(bench.count(Counter::ReadDepth), 1);
    assert_eq!(psns(&bench.run()), (0..16).collect::<Vec<_>>());
    bench.read_request(16, 0, 4);
    assert_eq!(psns(&bench.run()), [16]);
}

#[test]
fn acknowledgement_queue_full_drops_the_data_packet() {
    let config = NicConfig {
        ack_queue: 2,
        ..nic_config()
    };
    let mut bench = Bench::with(config, 0, true);
    for psn in 0..3 {
        bench.write(Only, psn, u64::from(psn), 1, &[0xee]);
    }
    assert_eq!(bench.count(Counter::AckQueueFull), 1);
    assert_eq!(bench.memory()[2], pattern(2), "as if the network had lost it");
    assert_eq!(psns(&bench.run()), [0, 1]);
    bench.write(Only, 2, 2, 1, &[0xee]);
    assert_eq!(bench.run()[0].aeth(), Sent::ack(2, 3));
}

#[test]
fn unknown_qp_and_wrong_source_are_counted_and_never_answered() {
    let mut bench = Bench::new(0, false);
    let reth = Extension::Reth(RethRepr {
        address: BASE,
        key: KEY,
        length: 1,
    });
    bench.receive(BthRepr::new(Opcode::Write(Only), QPN + 1, 0), reth, &[0xee]);
    let mut frame = bench.peer_frame(BthRepr::new(Opcode::Write(Only), QPN, 0), reth, &[0xee], &[]);
    frame[29] = 12;
    frame[24..26].fill(0);
    let checksum = internet_checksum(&frame[14..34]);
    frame[24..26].copy_from_slice(&checksum.to_be_bytes());
    let at = frame.len() - 4;
    let value = icrc(&frame[14..at], 0).unwrap();
    frame[at..].copy_from_slice(&value.to_le_bytes());
    bench.nic.receive(0, &frame);
    assert_eq!(
        (bench.count(Counter::UnknownQp), bench.count(Counter::WrongPeer)),
        (1, 1)
    );
    assert!(bench.run().is_empty());
    assert_eq!(bench.memory()[0], pattern(0));
}

#[test]
fn udp_source_port_and_source_mac_may_change_at_any_time() {
    let mut bench = Bench::new(0, false);
    for (psn, (port, mac)) in [(0u16, 1), (1, 2), (4791, 3), (49151, 4), (65535, 5)]
        .into_iter()
        .enumerate()
    {
        let bth = BthRepr::new(Opcode::Write(Only), QPN, psn as u32);
        let reth = Extension::Reth(RethRepr {
            address: BASE,
            key: KEY,
            length: 1,
        });
        let frame = bench.peer_frame(bth, reth, &[1], &[]);
        let mut packet = RocePacket::parse(&frame, &Ports::default()).unwrap();
        packet.udp.src_port = port;
        packet.ethernet.src = MacAddr([mac; 6]);
        let frame = packet.to_frame();
        bench.nic.receive(0, &frame);
    }
    assert_eq!(psns(&bench.run()), [0, 1, 2, 3, 4]);
}

#[test]
fn int_ports_and_plain_ports_do_not_mix() {
    let reth = Extension::Reth(RethRepr {
        address: BASE,
        key: KEY,
        length: 1,
    });
    for int in [false, true] {
        let mut bench = Bench::new(0, int);
        bench.int = !int;
        bench.receive(BthRepr::new(Opcode::Write(Only), QPN, 0), reth, &[1]);
        assert_eq!(bench.count(Counter::WrongPort), 1);
        assert!(bench.run().is_empty());
    }
}
