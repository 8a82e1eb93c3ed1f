//! READ at the requester against hand-written packets, by name of the case.

use super::bench::*;
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use Operation::{Read, Write};
use Position::{First, Last, Middle, Only};

fn ok(ids: &[u64]) -> Vec<(u64, Status)> {
    ids.iter().map(|id| (*id, Status::Ok)).collect()
}

/// WRITEs at PSN 0x100 to 0x104, and a peer that was not ready for 0x103: the three before it are done.
#[test]
fn what_is_before_a_receiver_not_ready_nak_is_acknowledged() {
    let mut bench = Bench::new(0x100, false);
    for id in 1..=5 {
        bench.post(id, Write, 0, 1);
    }
    bench.run();
    bench.aeth(0x103, 0x2c);
    assert_eq!(bench.done(), ok(&[1, 2, 3]));
    assert_eq!(
        (bench.count(Counter::RnrNaks), bench.count(Counter::IgnoredSyndrome)),
        (1, 0)
    );
    bench.ack(0x104);
    assert_eq!(bench.done(), ok(&[4, 5]));
}

/// The packet for which the peer was not ready is sent again when the time of the timer code is over and not before, and so is all behind it; what is said
/// again meanwhile, and the gap that Linux reports behind it, change nothing.
#[test]
fn a_receiver_that_is_not_ready_is_waited_for() {
    let mut bench = Bench::new(0x100, false);
    for id in 1..=3 {
        bench.post(id, Write, 0, 1);
    }
    assert_eq!(psns(&bench.run()), [0x100, 0x101, 0x102]);
    let start = bench.now;
    // code 12: 0.64 ms
    bench.aeth(0x101, 0x2c);
    assert_eq!(bench.done(), ok(&[1]));
    bench.aeth(0x101, 0x20);
    bench.nak(0x101, NakCode::PsnSequence);
    assert!(bench.run_until(start + 639_000).is_empty());
    assert_eq!(psns(&bench.run_until(start + 645_000)), [0x101, 0x102]);
    bench.ack(0x102);
    assert_eq!(bench.done(), ok(&[2, 3]));
    assert_eq!(bench.count(Counter::Timeouts), 0);
}

/// With a limit of two waits the third NAK without progress between them ends the flow; progress counts anew; 7 is no limit.
#[test]
fn the_limit_of_waits_for_a_receiver_that_is_not_ready() {
    for (limit, ends) in [(2, true), (7, false)] {
        let mut bench = Bench::with(
            NicConfig {
                rnr_retry: limit,
                ..nic_config()
            },
            0,
            false,
        );
        for id in 1..=2 {
            bench.post(id, Write, 0, 1);
        }
        bench.run();
        let not_ready = |bench: &mut Bench, psn| {
            // code 1: 10 us
            bench.aeth(psn, 0x21);
            let until = bench.now + 20_000;
            bench.run_until(until).len()
        };
        assert_eq!(not_ready(&mut bench, 0), 2);
        assert_eq!(not_ready(&mut bench, 0), 2);
        // progress: the second packet is waited for as often
        assert_eq!(not_ready(&mut bench, 1), 1);
        assert_eq!(not_ready(&mut bench, 1), 1);
        assert_eq!(bench.done(), ok(&[1]));
        bench.post(3, Write, 0, 1);
        for _ in 0..6 {
            not_ready(&mut bench, 1);
        }
        match ends {
            true => assert_eq!(bench.done(), [(2, Status::RnrRetryExceeded), (3, Status::Flushed)]),
            false => assert_eq!(bench.done(), []),
        }
    }
}

#[test]
fn reserved_syndromes_are_ignored_and_counted() {
    let mut bench = Bench::new(0, false);
    bench.post(1, Write, 0, 1);
    bench.run();
    bench.aeth(0, 0x80);
    bench.aeth(0, 0x40);
    assert_eq!((bench.done(), bench.count(Counter::IgnoredSyndrome)), (vec![], 2));
    bench.ack(0);
    assert_eq!(bench.done(), ok(&[1]));
}

#[test]
fn read_by_position_and_a_replayed_tail_may_start_with_first_or_middle() {
    for start in [First, Middle] {
        let mut bench = Bench::new(0xff_fffe, false);
        bench.post(1, Read, 100, 4 * MTU as u64 + 3);
        let sent = bench.run();
        assert_eq!((sent[0].opcode, psns(&sent)), (Opcode::ReadRequest, vec![0xff_fffe]));
        assert!(sent[0].ack_req);
        bench.read_response(First, 0xff_fffe, &[1; MTU]);
        bench.read_response(Middle, 0xff_ffff, &[2; MTU]);
        // PSN 0 is lost: PSN 1 shows it, and the rest is asked for at once, once.
        bench.read_response(Middle, 1, &[4; MTU]);
        bench.read_response(Last, 2, &[5; 3]);
        let sent = bench.run();
        assert_eq!(psns(&sent), [0]);
        let rest = RethRepr {
            address: 0x1000_0000 + 2 * MTU as u64,
            key: 0x1234,
            length: 2 * MTU as u32 + 3,
        };
        assert_eq!(sent[0].reth(), rest);
        assert_eq!(bench.count(Counter::ReadGaps), 1);
        bench.read_response(start, 0, &[3; MTU]);
        bench.read_response(Middle, 1, &[4; MTU]);
        assert_eq!(bench.done(), []);
        bench.read_response(Last, 2, &[5; 3]);
        assert_eq!(bench.done(), ok(&[1]));
        let memory = bench.memory();
        let expected: Vec<u8> = (0..4 * MTU + 3).map(|i| 1 + (i / MTU) as u8).collect();
        assert_eq!(memory[100..100 + 4 * MTU + 3], expected);
        assert_eq!(
            (memory[99], memory[100 + 4 * MTU + 3]),
            (pattern(99), pattern(100 + 4 * MTU + 3))
        );
    }
}

#[test]
fn a_response_to_what_was_not_asked_for_yet_is_stray() {
    let mut bench = Bench::new(0, false);
    bench.post(1, Read, 0, 3);
    bench.read_response(Only, 0, &[9; 3]);
    assert_eq!((bench.count(Counter::Stray), bench.done()), (1, vec![]));
    assert_eq!(bench.memory()[0], pattern(0));
    bench.run();
    bench.read_response(Only, 0, &[1; 3]);
    assert_eq!((bench.count(Counter::Stray), bench.done()), (1, ok(&[1])));
    assert_eq!(bench.memory()[..4], [1, 1, 1, pattern(3)]);
}

#[test]
fn read_responses_of_the_wrong_kind_or_length_are_dropped() {
    let mut bench = Bench::new(0, false);
    bench.post(1, Read, 0, 2 * MTU as u64 + 3);
    bench.run();
    bench.read_response(Last, 0, &[9; MTU]);
    bench.read_response(Only, 0, &[9; MTU]);
    bench.read_response(First, 0, &[9; MTU - 4]);
    bench.read_response(Middle, 0, &[9; 4]);
    bench.read_response(First, 0, &[1; MTU]);
    bench.read_response(Middle, 1, &[2; MTU]);
    bench.read_response(Middle, 2, &[9; 3]);
    bench.read_response(Last, 2, &[9; 4]);
    assert_eq!((bench.count(Counter::BadReadResponse), bench.done()), (6, vec![]));
    bench.read_response(Last, 2, &[3; 3]);
    assert_eq!(bench.done(), ok(&[1]));
    assert_eq!(bench.memory()[2 * MTU..2 * MTU + 4], [3, 3, 3, pattern(2 * MTU + 3)]);
    bench.read_response(Last, 3, &[3; 3]);
    assert_eq!(bench.count(Counter::Stray), 1, "nothing asked for it");
}

#[test]
fn a_read_response_acknowledges_everything_before_it() {
    let mut bench = Bench::new(0, false);
    bench.post(1, Write, 0, 1);
    bench.post(2, Read, 0, 5);
    bench.run();
    bench.read_response(Only, 1, &[7; 5]);
    assert_eq!(bench.done(), ok(&[1, 2]));
}

#[test]
fn an_ack_inside_or_behind_a_read_never_completes_it() {
    let mut bench = Bench::new(0, false);
    bench.post(1, Write, 0, 1);
    bench.post(2, Read, 0, 3 * MTU as u64);
    bench.post(3, Write, 0, 1);
    bench.run();
    bench.ack(2);
    assert_eq!(bench.done(), ok(&[1]));
    assert_eq!(psns(&bench.run()), [1, 4], "the READ's data counts as lost");
    bench.ack(4);
    assert!(bench.run().is_empty(), "once a gap");
    for (position, psn) in [(First, 1), (Middle, 2), (Last, 3)] {
        bench.read_response(position, psn, &[1; MTU]);
    }
    assert_eq!(bench.done(), ok(&[2]));
    bench.ack(4);
    assert_eq!(bench.done(), ok(&[3]));
}

#[test]
fn nak_for_a_psn_inside_a_read() {
    let mut bench = Bench::new(0, false);
    bench.post(1, Write, 0, 1);
    bench.post(2, Read, 0, 3 * MTU as u64);
    bench.run();
    bench.nak(2, NakCode::PsnSequence);
    assert_eq!(bench.done(), ok(&[1]));
    let sent = bench.run();
    assert_eq!((psns(&sent), sent[0].reth().length), (vec![1], 3 * MTU as u32));
}

#[test]
fn reads_outstanding_are_limited_and_long_ones_are_split() {
    let config = NicConfig {
        max_rd_atomic: 2,
        psn_span: 4,
        ..nic_config()
    };
    let mut bench = Bench::with(config, 0, false);
    bench.post(1, Read, 0, 6 * MTU as u64);
    let sent = bench.run();
    assert_eq!((psns(&sent), sent[0].reth().length), (vec![0], 4 * MTU as u32));
    for (psn, position) in [(0, First), (1, Middle), (2, Middle), (3, Last)] {
        bench.read_response(position, psn, &[psn as u8; MTU]);
    }
    let sent = bench.run();
    let rest = RethRepr {
        address: 0x1000_0000 + 4 * MTU as u64,
        key: 0x1234,
        length: 2 * MTU as u32,
    };
    assert_eq!((psns(&sent), sent[0].reth()), (vec![4], rest));
    bench.read_response(First, 4, &[4; MTU]);
    bench.read_response(Last, 5, &[5; MTU]);
    assert_eq!(bench.done(), ok(&[1]), "one completion");
}

#[test]
fn read_echo_answers_every_response_of_an_int_flow() {
    let mut bench = Bench::new(0, true);
    bench.post(1, Read, 0, 2 * MTU as u64);
    let request = bench.run();
    assert_eq!((request[0].port, request[0].int.as_slice()), (54791, &[0, 0][..]));
    let int = [0x10, 0x01, 0x51, 2, 3, 4, 5, 6, 7, 8];
    let aeth = Extension::Aeth(AethRepr {
        syndrome: Syndrome::Ack(31),
        msn: 1,
    });
    bench.receive_with_int(BthRepr::new(Opcode::ReadResponse(First), QPN, 0), aeth, &[1; MTU], &int);
    bench.receive_with_int(BthRepr::new(Opcode::ReadResponse(First), QPN, 0), aeth, &[1; MTU], &int);
    let sent = bench.run();
    assert_eq!(psns(&sent), [0, 0]);
    for echo in sent {
        assert_eq!(
            (echo.opcode, echo.port, echo.int.as_slice()),
            (Opcode::ReadEcho, 54792, &int[..])
        );
        assert!(echo.payload.is_empty() && echo.extension == Extension::None);
    }
}
