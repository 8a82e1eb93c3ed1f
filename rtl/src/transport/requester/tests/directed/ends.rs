//! What ends a queue pair, and what becomes of its messages.

use super::*;

#[test]
fn other_naks_end_the_queue_pair_at_their_message() {
    let codes = [
        (1, Status::RemoteInvalidRequest),
        (2, Status::RemoteAccessError),
        (3, Status::RemoteOperationalError),
        (9, Status::RemoteOperationalError),
    ];
    for (code, status) in codes {
        let mut b = bench(0, &[(false, 300), (false, 300), (false, 1), (true, 5)]);
        b.sent_to(6);
        b.nak(3, code);
        assert_eq!(
            b.done,
            [(0, OK, 300), (1, status as u64, 0), (2, FLUSHED, 0), (3, FLUSHED, 0)]
        );
        assert_eq!(b.kills, [(2 * QP) | (GENERATION << 16)]);
        assert!(b.events.is_empty());
        b.work(QP, 9, false, 1);
        b.ack(4);
        b.data(ONLY, 5, 5);
        assert_eq!(b.done.last(), Some(&(9, FLUSHED, 0)));
        assert_eq!((b.count(Counter::QpEnded), b.count(Counter::ErrorCompletions)), (2, 4));
        assert!(matches!(b.decisions()[..], [(false, _, None)]));
    }
}

#[test]
fn the_retry_limit_flushes_the_ring_in_order() {
    let mut b = bench(0, &[(false, 256), (false, 600), (true, 1), (false, 0)]);
    b.sent_to(6);
    b.ack(0);
    b.ended.push_back((2 * QP + 1, GENERATION));
    b.ended.push_back((2 * QP, GENERATION + 1));
    b.drain();
    assert_eq!(b.done.len(), 1, "not its flow, not its generation");
    b.ended.push_back((2 * QP, GENERATION));
    b.drain();
    let retries = Status::RetryExceeded as u64;
    assert_eq!(b.done[1..], [(1, retries, 0), (2, FLUSHED, 0), (3, FLUSHED, 0)]);
    assert!(b.kills.is_empty(), "the scheduler has ended it itself");
}

#[test]
fn memory_errors_end_the_queue_pair_at_their_packet() {
    let mut b = bench(0, &[(false, 256), (false, 600), (false, 1)]);
    b.errors.push_back((2 * QP) | (GENERATION << 16) | (2 << 24));
    b.drain();
    let error = Status::LocalOperationalError as u64;
    assert_eq!(b.done, [(0, FLUSHED, 0), (1, error, 0), (2, FLUSHED, 0)]);
    assert_eq!(b.kills, [(2 * QP) | (GENERATION << 16)]);
}

/// A packet that was spoiled because its region had gone, and not by memory.
#[test]
fn a_refused_payload_is_a_local_access_error() {
    let mut b = bench(0, &[(false, 256), (false, 600), (false, 1)]);
    b.errors.push_back((2 * QP) | (GENERATION << 16) | (2 << 24) | 1 << 48);
    b.drain();
    let error = Status::LocalAccessError as u64;
    assert_eq!(b.done, [(0, FLUSHED, 0), (1, error, 0), (2, FLUSHED, 0)]);
}

#[test]
fn work_of_a_foreign_domain_is_refused() {
    let mut b = bench(0, &[]);
    let foreign = QpContext {
        alive: true,
        generation: U(GENERATION),
        domain: U(0x102),
        ..QpContext::default()
    };
    b.contexts.push_back((QP + 1, foreign));
    b.drain();
    for (id, qp) in [QP, QP + 1, QP, QP + 1].into_iter().enumerate() {
        b.work(qp, id as u64, id > 1, 10);
    }
    b.drain();
    let error = Status::LocalAccessError as u64;
    assert_eq!(b.done, [(1, error, 0), (3, error, 0)]);
    assert_eq!(b.messages.len(), 2);
}

#[test]
fn removal_flushes_and_the_next_generation_starts_clean() {
    let mut b = bench(7, &[(false, 256), (true, 600), (false, 1)]);
    b.sent_to(12);
    b.ack(7);
    b.context(QP, GENERATION, 7, 0, false, false);
    b.removes.push_back(QP | GENERATION << 8);
    b.drain();
    assert_eq!(b.done[1..], [(1, FLUSHED, 0), (2, FLUSHED, 0)]);
    b.context(QP, GENERATION + 1, 100, 0, false, true);
    b.ack(8);
    b.data(FIRST, 8, 256);
    b.ended.push_back((2 * QP, GENERATION));
    b.work(QP, 10, false, 500);
    b.drain();
    assert_eq!(
        b.messages.last().map(|m| (m.address, m.start, m.end)),
        Some((QP << 4, 100, 102))
    );
    assert_eq!(b.scheduled.last(), Some(&(2 * QP, GENERATION + 1, 102)));
    b.acknowledge(QP, GENERATION + 1, 100, ACK, &[]);
    b.drain();
    assert_eq!(b.count(Counter::GhostAck), 1, "what the old one sent does not count");
    b.sent.push_back((QP, GENERATION + 1, 102));
    b.acknowledge(QP, GENERATION + 1, 101, ACK, &[]);
    b.drain();
    assert_eq!(b.done[3..], [(10, OK, 500)]);
    // a queue pair that never had work
    b.context(9, 3, 0, 0, false, true);
    b.removes.push_back(9 | 3 << 8);
    b.work(9, 11, false, 1);
    b.drain();
    assert_eq!(b.done[4..], [(11, FLUSHED, 0)]);
}
