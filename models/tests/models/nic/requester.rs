//! The requester half and its timers against hand-written packets, by name of the case.

use super::bench::*;
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use Operation::{Read, Write};
use Position::{First, Last, Middle};

fn ok(ids: &[u64]) -> Vec<(u64, Status)> {
    ids.iter().map(|id| (*id, Status::Ok)).collect()
}

#[test]
fn write_in_packets_across_the_psn_wrap() {
    let mut bench = Bench::new(0xff_fffe, false);
    bench.post(1, Write, 3, 3 * MTU as u64 + 5);
    let sent = bench.run();
    assert_eq!(psns(&sent), [0xff_fffe, 0xff_ffff, 0, 1]);
    let opcodes: Vec<Opcode> = sent.iter().map(|s| s.opcode).collect();
    assert_eq!(opcodes, [First, Middle, Middle, Last].map(Opcode::Write));
    let data: Vec<u8> = sent.iter().flat_map(|s| s.payload.clone()).collect();
    assert_eq!(data, (3..3 + 3 * MTU + 5).map(pattern).collect::<Vec<_>>());
    assert_eq!(
        sent[0].reth(),
        RethRepr {
            address: 0x1000_0000,
            key: 0x1234,
            length: 3 * MTU as u32 + 5
        }
    );
    assert_eq!(
        sent.iter().map(|s| s.ack_req).collect::<Vec<_>>(),
        [false, false, false, true]
    );
    bench.ack(1);
    assert_eq!(bench.done(), ok(&[1]));
    assert_eq!(bench.nic.next_deadline(), None, "no timer without data outstanding");
}

#[test]
fn one_ack_completes_several_messages_and_a_ghost_ack_none() {
    let mut bench = Bench::new(0, false);
    for id in 0..3 {
        bench.post(id, Write, 0, 10);
    }
    assert_eq!(psns(&bench.run()), [0, 1, 2]);
    bench.ack(3);
    bench.ack(0x7f_ffff);
    assert_eq!((bench.done(), bench.count(Counter::GhostAck)), (vec![], 2));
    bench.ack(1);
    assert_eq!(bench.done(), ok(&[0, 1]));
    bench.ack(2);
    bench.ack(2);
    assert_eq!(bench.done(), ok(&[2]));
}

#[test]
fn nak_in_the_middle_of_a_long_message_goes_on_there() {
    let mut bench = Bench::new(0, false);
    bench.post(1, Write, 0, 10 * MTU as u64);
    bench.run();
    bench.nak(4, NakCode::PsnSequence);
    let sent = bench.run();
    assert_eq!(psns(&sent), [4, 5, 6, 7, 8, 9]);
    assert_eq!(
        sent[0].opcode,
        Opcode::Write(Middle),
        "the message goes on, it does not start again"
    );
    assert_eq!(sent[0].payload, (4 * MTU..5 * MTU).map(pattern).collect::<Vec<_>>());
    assert!(sent[0].ack_req, "the first after a rewind asks for an acknowledgement");
    bench.nak(3, NakCode::PsnSequence);
    assert!(bench.run().is_empty(), "an old NAK changes nothing");
    bench.ack(9);
    assert_eq!(bench.done(), ok(&[1]));
}

#[test]
fn lost_nak_is_covered_by_the_timer() {
    let mut bench = Bench::new(0, false);
    bench.post(1, Write, 0, 4 * MTU as u64);
    bench.run();
    bench.ack(1);
    let sent = bench.run_until(bench.now + 200_000);
    assert_eq!(psns(&sent)[..2], [2, 3]);
    assert!(bench.count(Counter::Timeouts) >= 1);
}

#[test]
fn timer_is_not_restarted_by_duplicate_acks() {
    let mut bench = Bench::new(0, false);
    bench.post(1, Write, 0, 4 * MTU as u64);
    bench.run_until(1_000);
    bench.ack(1);
    let deadline = bench.nic.next_deadline().unwrap();
    assert_eq!(deadline, 101_000);
    bench.now = 50_000;
    bench.ack(1);
    bench.ack(0);
    assert_eq!(bench.nic.next_deadline(), Some(deadline));
    bench.ack(2);
    assert_eq!(bench.nic.next_deadline(), Some(150_000), "progress restarts it");
}

#[test]
fn retry_limit_ends_the_flow_until_it_is_created_again() {
    let config = NicConfig {
        retry_limit: 3,
        ..nic_config()
    };
    let mut bench = Bench::with(config, 0, false);
    bench.post(1, Write, 0, 1);
    bench.post(2, Read, 0, 1);
    bench.post(3, Write, 0, 1);
    let sent = bench.run_until(10_000_000);
    assert_eq!(psns(&sent), [0, 1, 2].repeat(4), "four transmissions");
    let flushed = [(1, Status::RetryExceeded), (2, Status::Flushed), (3, Status::Flushed)];
    assert_eq!(bench.done(), flushed);
    assert_eq!(bench.nic.next_deadline(), None);
    bench.post(4, Write, 0, 1);
    assert_eq!(bench.done(), [(4, Status::Flushed)]);
    bench.ack(0);
    assert_eq!(bench.count(Counter::QpEnded), 1);
    bench.nic.create_qp(qp_config(0x500, false)).unwrap();
    bench.post(5, Write, 0, 1);
    assert_eq!(psns(&bench.run()), [0x500]);
    bench.ack(0x500);
    assert_eq!(bench.done(), ok(&[5]));
}

#[test]
fn progress_resets_the_retry_count() {
    let config = NicConfig {
        retry_limit: 2,
        ..nic_config()
    };
    let mut bench = Bench::with(config, 0, false);
    bench.post(1, Write, 0, 8 * MTU as u64);
    for psn in 0..8 {
        bench.run_until(bench.now + 210_000);
        bench.ack(psn);
    }
    assert_eq!(bench.done(), ok(&[1]));
    assert!(bench.count(Counter::Timeouts) >= 14);
}

#[test]
fn negative_acknowledgements_that_end_a_flow() {
    let cases = [
        (NakCode::InvalidRequest, Status::RemoteInvalidRequest),
        (NakCode::RemoteAccess, Status::RemoteAccessError),
        (NakCode::RemoteOperational, Status::RemoteOperationalError),
        (NakCode::Other(4), Status::RemoteOperationalError),
        (NakCode::Other(31), Status::RemoteOperationalError),
    ];
    for (code, status) in cases {
        let mut bench = Bench::new(0, false);
        for id in 0..3 {
            bench.post(id, Write, 0, 1);
        }
        bench.run();
        bench.nak(1, code);
        assert_eq!(bench.done(), [(0, Status::Ok), (1, status), (2, Status::Flushed)]);
    }
}

#[test]
fn removed_flow_with_packets_in_flight_and_its_number_used_again() {
    let mut bench = Bench::new(0, true);
    bench.post(1, Write, 0, 4 * MTU as u64);
    bench.run();
    let generation = bench.nic.generation(QPN).unwrap();
    assert!(bench.nic.create_qp(qp_config(0, true)).is_err(), "it exists");
    assert!(bench.nic.remove_qp(bench.now, QPN));
    assert_eq!(bench.done(), [(1, Status::Flushed)]);
    bench.ack(3);
    assert_eq!(bench.count(Counter::UnknownQp), 1);
    bench.nic.create_qp(qp_config(0x40_0000, true)).unwrap();
    assert_ne!(bench.nic.generation(QPN), Some(generation));
    bench.post(2, Write, 0, 4 * MTU as u64);
    bench.run();
    bench.ack(3);
    assert_eq!(bench.done(), [], "an acknowledgement of the old flow completes nothing");
    assert_eq!(
        bench.events.borrow().last().unwrap().generation,
        bench.nic.generation(QPN).unwrap()
    );
}
