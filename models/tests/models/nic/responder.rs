//! The responder half against hand-written packets, by name of the case: order, acknowledgement, READ.

use super::bench::*;
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use Position::{First, Last, Middle, Only};

fn bytes(seed: u8, len: usize) -> Vec<u8> {
    (0..len).map(|i| seed.wrapping_add((i * 3) as u8)).collect()
}

#[test]
fn psn_wrap_in_a_message() {
    let mut bench = Bench::new(0xff_fffe, false);
    let data = bytes(1, 3 * MTU + 5);
    bench.write(First, 0xff_fffe, 0, data.len() as u32, &data[..MTU]);
    bench.write(Middle, 0xff_ffff, 0, 0, &data[MTU..2 * MTU]);
    bench.write(Middle, 0, 0, 0, &data[2 * MTU..3 * MTU]);
    bench.write(Last, 1, 0, 0, &data[3 * MTU..]);
    assert_eq!(bench.memory()[..data.len()], data);
    assert_eq!(bench.memory()[data.len()], pattern(data.len()));
    let sent = bench.run();
    assert_eq!(sent.len(), 1, "a plain flow acknowledges at the end of the message");
    assert_eq!(sent[0].aeth(), Sent::ack(1, 1));
    // Before the wrap is old, after it is a gap.
    bench.write(Only, 0xff_ffff, 0, 1, &[9]);
    assert_eq!(bench.run()[0].aeth(), Sent::ack(1, 1));
    bench.write(Only, 3, 0, 1, &[9]);
    assert_eq!(bench.run()[0].aeth(), Sent::nak(2, NakCode::PsnSequence, 1));
    assert_eq!(bench.memory()[..data.len()], data);
}

#[test]
fn int_flow_acknowledges_every_packet_and_copies_int_back() {
    let mut bench = Bench::new(0, true);
    let int = [0x1a, 0xbc, 0x51, 2, 3, 4, 5, 6, 7, 8];
    let reth = RethRepr {
        address: BASE,
        key: KEY,
        length: 2 * MTU as u32,
    };
    bench.receive_with_int(
        BthRepr::new(Opcode::Write(First), QPN, 0),
        Extension::Reth(reth),
        &[1; MTU],
        &int,
    );
    bench.receive_with_int(
        BthRepr::new(Opcode::Write(Last), QPN, 1),
        Extension::None,
        &[2; MTU],
        &[0x0f, 0xff],
    );
    let sent = bench.run();
    assert_eq!(
        sent.iter().map(Sent::aeth).collect::<Vec<_>>(),
        [Sent::ack(0, 0), Sent::ack(1, 1)]
    );
    assert_eq!(
        (sent[0].int.as_slice(), sent[1].int.as_slice()),
        (&int[..], &[0x0f, 0xff][..])
    );
    assert!(sent.iter().all(|sent| sent.port == 54792));
}

#[test]
fn ack_request_in_the_middle_of_a_message() {
    let mut bench = Bench::new(0, false);
    bench.write(First, 0, 0, 2 * MTU as u32, &[1; MTU]);
    assert!(bench.run().is_empty());
    let bth = BthRepr {
        ack_req: true,
        ..BthRepr::new(Opcode::Write(First), QPN, 0)
    };
    let mut bench = Bench::new(0, false);
    let reth = RethRepr {
        address: BASE,
        key: KEY,
        length: 2 * MTU as u32,
    };
    bench.receive(bth, Extension::Reth(reth), &[1; MTU]);
    assert_eq!(bench.run()[0].aeth(), Sent::ack(0, 0), "MSN has not advanced yet");
}

#[test]
fn write_of_zero_bytes() {
    let mut bench = Bench::new(0, false);
    let reth = RethRepr {
        address: 1,
        key: 0,
        length: 0,
    };
    bench.receive(BthRepr::new(Opcode::Write(Only), QPN, 0), Extension::Reth(reth), &[]);
    assert_eq!(bench.run()[0].aeth(), Sent::ack(0, 1));
}

#[test]
fn last_packet_with_one_to_three_pad_bytes() {
    for len in [1, 2, 3, 4, 253, 254, 255, 256] {
        let mut bench = Bench::new(0, false);
        let data = bytes(5, len);
        bench.write(Only, 0, 77, len as u32, &data);
        assert_eq!(bench.memory()[77..77 + len], data);
        assert_eq!(bench.memory()[77 + len], pattern(77 + len), "{len}");
    }
}

#[test]
fn nak_once_a_gap_and_the_flag_clears_when_the_expected_packet_comes() {
    let mut bench = Bench::new(0, true);
    for psn in [2, 3, 4] {
        bench.write(Only, psn, 0, 1, &[1]);
    }
    let sent = bench.run();
    assert_eq!(
        sent.iter().map(Sent::aeth).collect::<Vec<_>>(),
        [Sent::nak(0, NakCode::PsnSequence, 0)]
    );
    bench.write(Only, 0, 0, 1, &[1]);
    bench.write(Only, 2, 0, 1, &[1]);
    bench.write(Only, 3, 0, 1, &[1]);
    let sent = bench.run();
    let expected = [Sent::ack(0, 1), Sent::nak(1, NakCode::PsnSequence, 1)];
    assert_eq!(sent.iter().map(Sent::aeth).collect::<Vec<_>>(), expected);
    assert_eq!(
        (bench.count(Counter::OutOfSequence), bench.count(Counter::NaksSent)),
        (5, 2)
    );
}

#[test]
fn nak_carries_the_int_of_the_packet_that_caused_it() {
    let mut bench = Bench::new(0, true);
    let int = [0x1a, 0xbc, 0x51, 2, 3, 4, 5, 6, 7, 8];
    let reth = Extension::Reth(RethRepr {
        address: BASE,
        key: KEY,
        length: 1,
    });
    bench.receive_with_int(BthRepr::new(Opcode::Write(Only), QPN, 5), reth, &[1], &int);
    let sent = bench.run();
    assert_eq!(
        (sent[0].aeth(), sent[0].int.as_slice()),
        (Sent::nak(0, NakCode::PsnSequence, 0), &int[..])
    );
}

#[test]
fn duplicate_write_is_not_executed_and_acknowledged_with_the_newest_psn() {
    let mut bench = Bench::new(0, false);
    bench.write(Only, 0, 0, 4, &[1; 4]);
    bench.write(Only, 1, 0, 4, &[2; 4]);
    bench.run();
    bench.write(Only, 0, 0, 4, &[1; 4]);
    assert_eq!(bench.run()[0].aeth(), Sent::ack(1, 2));
    assert_eq!(bench.memory()[..4], [2; 4]);
}

/// WRITEs and READs in any order, then the first WRITE again while the answers wait: acknowledged is the newest WRITE, never a READ.
#[test]
fn a_write_repeated_behind_a_read_is_not_acknowledged_with_the_reads_psn() {
    for (behind, newest) in [("R", 0x100), ("RR", 0x100), ("RW", 0x102), ("RWR", 0x102), ("W", 0x101)] {
        let mut bench = Bench::new(0x100, false);
        bench.write(Only, 0x100, 0, 4, &[1; 4]);
        for (psn, kind) in (0x101..).zip(behind.chars()) {
            match kind {
                'R' => bench.read_request(psn, 100, 4),
                _ => bench.write(Only, psn, 0, 4, &[2; 4]),
            }
        }
        bench.write(Only, 0x100, 0, 4, &[1; 4]);
        let sent = bench.run();
        assert_eq!(psns(&sent).last(), Some(&newest), "{behind}");
        let last = sent.last().expect("an answer");
        assert_eq!(
            (last.opcode, sent.len()),
            (Opcode::Acknowledge, behind.len() + 2),
            "{behind}"
        );
        let reads = sent
            .iter()
            .filter(|sent| matches!(sent.opcode, Opcode::ReadResponse(_)));
        assert_eq!(reads.count(), behind.matches('R').count(), "{behind}");
    }
    // where only READs came, the PSN before the first
    let mut bench = Bench::new(0x100, false);
    bench.read_request(0x100, 100, 4);
    bench.write(Only, 0xff, 0, 4, &[1; 4]);
    assert_eq!(psns(&bench.run()), [0x100, 0xff]);
}

#[test]
fn read_takes_as_many_psns_as_its_response_has_packets() {
    let mut bench = Bench::new(0xff_fffe, false);
    bench.read_request(0xff_fffe, 100, 2 * MTU as u32 + 1);
    bench.read_request(1, 5, 0);
    bench.write(Only, 2, 0, 1, &[1]);
    let sent = bench.run();
    let opcodes: Vec<Opcode> = sent.iter().map(|s| s.opcode).collect();
    let response = Opcode::ReadResponse;
    assert_eq!(
        opcodes,
        [
            response(First),
            response(Middle),
            response(Last),
            response(Only),
            Opcode::Acknowledge
        ]
    );
    assert_eq!(psns(&sent), [0xff_fffe, 0xff_ffff, 0, 1, 2]);
    let data: Vec<u8> = sent[..3].iter().flat_map(|s| s.payload.clone()).collect();
    assert_eq!(data, (100..100 + 2 * MTU + 1).map(pattern).collect::<Vec<_>>());
    assert_eq!(sent[1].extension, Extension::None);
    let msn = |i: usize| match sent[i].extension {
        Extension::Aeth(aeth) => aeth.msn,
        _ => panic!(),
    };
    assert_eq!((msn(0), msn(2), msn(3), msn(4)), (1, 1, 2, 3));
    assert!(sent[3].payload.is_empty());
}

#[test]
fn an_ack_behind_a_read_waits_until_its_last_response_has_left() {
    // Responses at 1 Gb/s: the ACK of the WRITE could leave long before.
    let config = NicConfig {
        rate_bps: 1e9,
        ..nic_config()
    };
    let mut bench = Bench::with(config, 0, false);
    bench.read_request(0, 0, 4 * MTU as u32);
    bench.write(Only, 4, 0, 1, &[1]);
    let sent = bench.run();
    assert_eq!(psns(&sent), [0, 1, 2, 3, 4]);
    assert_eq!(sent[4].aeth(), Sent::ack(4, 2));
}

#[test]
fn duplicate_read_is_executed_again_from_its_own_address_and_psn() {
    let mut bench = Bench::new(0, false);
    bench.read_request(0, 0, 4 * MTU as u32);
    assert_eq!(psns(&bench.run()), [0, 1, 2, 3]);
    // The tail, after the memory changed: never from a cache.
    bench
        .nic
        .memory_mut()
        .write(BASE + 2 * MTU as u64, &[0xaa; 2 * MTU])
        .unwrap();
    bench.read_request(2, 2 * MTU as u64, 2 * MTU as u32);
    let sent = bench.run();
    assert_eq!(psns(&sent), [2, 3]);
    assert_eq!(
        (sent[0].opcode, sent[1].opcode),
        (Opcode::ReadResponse(First), Opcode::ReadResponse(Last))
    );
    assert!(sent.iter().all(|s| s.payload == [0xaa; MTU]));
    // Checked again, too.
    bench.nic.remove_region(KEY);
    bench.read_request(2, 2 * MTU as u64, 2 * MTU as u32);
    assert_eq!(bench.run()[0].aeth(), Sent::nak(2, NakCode::RemoteAccess, 1));
}

#[test]
fn a_new_read_request_inside_the_range_rewinds_the_responses() {
    let config = NicConfig {
        rate_bps: 1e9,
        ..nic_config()
    };
    let mut bench = Bench::with(config, 0, false);
    bench.read_request(0, 0, 8 * MTU as u32);
    let sent = bench.run_until(9_000);
    assert_eq!(psns(&sent), [0, 1, 2, 3]);
    bench.read_request(1, MTU as u64, 7 * MTU as u32);
    assert_eq!(psns(&bench.run_until(60_000)), [1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_read_ahead_of_sequence_is_a_gap() {
    let mut bench = Bench::new(0, false);
    bench.read_request(1, 0, 4);
    assert_eq!(bench.run()[0].aeth(), Sent::nak(0, NakCode::PsnSequence, 0));
}

#[test]
fn read_responses_of_an_int_flow_collect_int_and_their_window_follows_echoes() {
    let config = NicConfig {
        window: 2.0 * MTU as f64,
        ..nic_config()
    };
    let mut bench = Bench::with(config, 0, true);
    bench.read_request(0, 0, 5 * MTU as u32);
    let sent = bench.run();
    assert_eq!(psns(&sent), [0, 1]);
    assert!(sent.iter().all(|s| s.port == 54791 && s.int == [0, 0]));
    let int = [0x10, 0x01, 0x51, 2, 3, 4, 5, 6, 7, 8];
    bench.receive_with_int(BthRepr::new(Opcode::ReadEcho, QPN, 1), Extension::None, &[], &int);
    assert_eq!(psns(&bench.run()), [2, 3], "cumulative");
    let events = bench.events.borrow();
    let echo = events.iter().find(|event| event.int_valid).unwrap();
    assert_eq!(
        (echo.flow, echo.psn_next, echo.snd_nxt, echo.bytes),
        (2 * QPN + 1, 2, 2, 512)
    );
    assert_eq!((echo.n_hop, echo.path_id), (1, 1));
}

#[test]
fn the_answer_to_a_duplicate_never_names_a_read_response() {
    let config = NicConfig {
        rate_bps: 1e9,
        ..nic_config()
    };
    let mut bench = Bench::with(config, 0, false);
    bench.write(Only, 0, 0, 1, &[1]);
    bench.run();
    bench.read_request(1, 0, 4 * MTU as u32);
    bench.write(Only, 0, 0, 1, &[1]);
    bench.read_request(5, 0, 4 * MTU as u32);
    let sent = bench.run_until(bench.now + 60_000);
    let again = sent.iter().position(|sent| sent.opcode == Opcode::Acknowledge).unwrap();
    assert_eq!((again, sent[again].aeth(), sent.len()), (4, Sent::ack(0, 2), 9));
}
