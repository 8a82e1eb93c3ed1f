//! Cases that sink such designs, one by one.

use super::bench::*;
use crate::prim::uint::U;
use crate::prim::word::Word as _;
use crate::words::transport::AckSend;
use crate::words::transport::Commit;
use crate::words::transport::RxPacket;
use hpcc_models::nic::{Counter, Status};

const OK: u64 = Status::Ok as u64;
const FLUSHED: u64 = Status::Flushed as u64;
const ACK: u64 = 0x1f;

/// A queue pair of MTU 256 that starts at `psn`, with these work requests (READ?, length) queued, numbered from 0.
fn bench(psn: u64, works: &[(bool, u64)]) -> Bench<20> {
    let mut bench = Bench::new(1);
    bench.context(QP, GENERATION, psn, 0, false, true);
    for (id, (read, length)) in works.iter().enumerate() {
        bench.work(QP, id as u64, *read, *length);
    }
    bench.drain();
    bench
}

impl Bench<20> {
    /// Everything before `end` has been sent.
    fn sent_to(&mut self, end: u64) {
        self.sent.push_back((QP, GENERATION, end));
        self.drain();
    }
    fn ack(&mut self, psn: u64) {
        self.acknowledge(QP, GENERATION, psn, ACK, &[]);
        self.drain();
    }
    fn nak(&mut self, psn: u64, code: u64) {
        self.acknowledge(QP, GENERATION, psn, 0x60 | code, &[]);
        self.drain();
    }
    fn data(&mut self, opcode: u64, psn: u64, length: u64) {
        self.response(QP, GENERATION, opcode, psn, length, 0, &[]);
        self.drain();
    }
    /// Events as (NAK?, PSN).
    fn told(&self) -> Vec<(bool, u64)> {
        self.events.iter().map(|event| (event.nak, event.psn)).collect()
    }
}

const FIRST: u64 = 0x0d;
const MIDDLE: u64 = 0x0e;
const LAST: u64 = 0x0f;
const ONLY: u64 = 0x10;

#[test]
fn one_ack_completes_several_messages_across_the_psn_wrap() {
    let mut b = bench(0xff_fffe, &[(false, 256), (false, 0), (false, 600)]);
    assert_eq!(
        b.messages
            .iter()
            .map(|m| (m.address, m.start, m.end, m.length))
            .collect::<Vec<_>>(),
        [
            (QP << 4, 0xff_fffe, 0xff_ffff, 256),
            (QP << 4 | 1, 0xff_ffff, 0, 0),
            (QP << 4 | 2, 0, 3, 600)
        ]
    );
    assert_eq!(b.scheduled.last(), Some(&(2 * QP, GENERATION, 3)));
    b.sent_to(3);
    b.ack(0);
    assert_eq!(b.done, [(0, OK, 256), (1, OK, 0)]);
    b.ack(2);
    assert_eq!(b.done[2..], [(2, OK, 600)]);
    assert_eq!(b.told(), [(false, 1), (false, 3)]);
}

/// Of seven acknowledgements one comes before the lower half of the NIC's clock wraps and is looked at after it. Packets 2 and 5 are not timed; a
/// negative acknowledgement and one of nothing new say as little as their packets' times allow.
#[test]
fn an_acknowledgement_says_when_it_came_and_when_its_packet_left() {
    let mut b = bench(0, &[(false, 2560)]);
    b.sent_to(10);
    for psn in [0, 1, 2, 3, 5, 6] {
        b.time_base = (9 << 24) - 5 * b.clock - if psn == 3 { 2 } else { 5000 };
        b.ack(psn);
    }
    b.nak(7, 0);
    b.ack(3);
    let told: Vec<_> = b
        .events
        .iter()
        .map(|event| (event.nak, event.psn, event.sent_at))
        .collect();
    let at = |psn| left_at(QP, psn);
    assert_eq!(
        told,
        [
            (false, 1, at(0)),
            (false, 2, at(1)),
            (false, 3, None),
            (false, 4, at(3)),
            (false, 6, None),
            (false, 7, at(6)),
            (true, 7, None),
            (false, 4, at(3)),
        ]
    );
    let came: Vec<_> = b.events.iter().map(|event| event.now).collect();
    assert_eq!(came, b.came);
    assert!(came[3] >> 24 == 8 && (came[3] + 9) >> 24 == 9, "the wrap lies between");
}

#[test]
fn ghosts_and_strange_syndromes_are_counted_and_old_ones_still_feed() {
    let mut b = bench(0, &[(false, 2560)]);
    b.ack(0);
    assert_eq!((b.count(Counter::GhostAck), b.events.len()), (1, 0), "nothing sent yet");
    b.sent_to(4);
    b.ack(4);
    b.nak(7, 0);
    assert_eq!((b.count(Counter::GhostAck), b.count(Counter::NaksReceived)), (3, 0));
    b.acknowledge(QP, GENERATION, 1, 0x2c, &[]);
    b.acknowledge(QP, GENERATION, 1, 0x41, &[]);
    b.acknowledge(QP, GENERATION, 1, 0x9f, &[]);
    b.drain();
    assert_eq!((b.count(Counter::IgnoredSyndrome), b.events.len()), (3, 0));
    b.ack(3);
    b.ack(1);
    b.nak(2, 2);
    assert_eq!(b.told(), [(false, 4), (false, 2), (true, 2)], "old ones move nothing");
    assert_eq!(b.count(Counter::NaksReceived), 1);
    assert!(b.done.is_empty() && b.kills.is_empty());
    b.acknowledge(QP, GENERATION + 1, 3, ACK, &[]);
    b.drain();
    assert_eq!(b.events.len(), 3, "of another generation");
}

#[test]
fn nak_in_the_middle_acknowledges_what_is_before_it_and_rewinds() {
    let mut b = bench(10, &[(false, 256), (false, 2560)]);
    b.sent_to(21);
    b.nak(14, 0);
    assert_eq!(b.done, [(0, OK, 256)]);
    assert_eq!(b.told(), [(true, 14)]);
    b.ack(20);
    assert_eq!(b.done.len(), 2, "sent before the rewind");
}

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
fn an_ack_beyond_a_read_shows_its_data_lost_once_per_gap() {
    let mut b = bench(0, &[(false, 256), (true, 512), (false, 1)]);
    b.sent_to(4);
    b.ack(3);
    b.ack(3);
    assert_eq!(b.done, [(0, OK, 256)]);
    assert_eq!(b.told(), [(true, 1), (false, 1)]);
    b.data(FIRST, 1, 256);
    b.ack(3);
    assert_eq!(b.told()[2..], [(false, 2), (true, 2)], "a new gap");
    b.data(LAST, 2, 256);
    b.ack(3);
    assert_eq!(b.done[1..], [(1, OK, 512), (2, OK, 1)]);
    assert_eq!(b.count(Counter::ReadGaps), 2);
}

#[test]
fn read_data_goes_to_its_place_and_what_is_before_it_is_acknowledged() {
    let mut b = bench(0xff_fffe, &[(false, 256), (true, 700), (true, 0), (false, 1)]);
    b.sent_to(3);
    b.data(FIRST, 0xff_ffff, 256);
    b.data(MIDDLE, 0, 256);
    b.data(MIDDLE, 0, 256);
    b.data(LAST, 1, 188);
    b.data(ONLY, 2, 0);
    assert_eq!(
        b.decisions(),
        [
            (true, 0x1000, Some(1)),
            (true, 0x1100, Some(1)),
            (false, 0, None),
            (true, 0x1200, Some(1)),
            (false, 0x2000, Some(1))
        ]
        .map(|(take, address, answer)| (
            take,
            if answer.is_some() { address } else { b.decisions()[2].1 },
            answer
        ))
    );
    assert_eq!(b.done, [(0, OK, 256), (1, OK, 700), (2, OK, 0)]);
    assert_eq!(b.told(), [(false, 0), (false, 1), (false, 2), (false, 3)]);
    assert_eq!(b.count(Counter::Duplicates), 1);
    assert!(b.echoes.is_empty(), "a plain queue pair");
}

#[test]
fn responses_wrong_in_kind_or_length_or_place_are_refused() {
    let mut b = bench(0, &[(true, 600), (false, 256), (true, 100)]);
    b.sent_to(4);
    b.data(LAST, 0, 256);
    b.data(FIRST, 0, 255);
    b.data(FIRST, 0, 257);
    b.response(QP, GENERATION, FIRST, 0, 256, 0, &[]);
    // an AETH that does not acknowledge
    let mut row = b.rows[0].row.limbs();
    RxPacket::EXTENSION.put_bytes(&mut row, &[0x62]);
    b.rows[0].row = RxPacket::from_slice(&row);
    b.drain();
    assert_eq!(b.count(Counter::BadReadResponse), 4);
    b.data(MIDDLE, 3, 256);
    b.data(ONLY, 4, 100);
    b.data(ONLY, 0x40_0000, 100);
    assert_eq!(
        (b.count(Counter::Stray), b.count(Counter::ReadGaps)),
        (3, 0),
        "3 belongs to the WRITE"
    );
    assert!(b.decisions().iter().all(|(take, _, answer)| !take && answer.is_none()));
    b.sent_to(5);
    b.data(MIDDLE, 0, 256);
    b.data(FIRST, 1, 256);
    b.data(ONLY, 2, 88);
    assert_eq!(b.done, [(0, OK, 600)]);
    b.data(MIDDLE, 3, 1);
    b.data(ONLY, 4, 101);
    b.data(LAST, 4, 100);
    assert_eq!((b.count(Counter::Stray), b.count(Counter::BadReadResponse)), (4, 5));
    assert_eq!(b.done[1..], [(1, OK, 256), (2, OK, 100)]);
}

/// Of a READ's bytes the requester keeps the lowest thirteen: enough for what whole packets leave for the last one, up to 4096 bytes, and for telling it from
/// one byte less or more.
#[test]
fn the_last_response_has_what_whole_packets_leave_at_every_mtu() {
    for mtu in 0..5 {
        let full = 256 << mtu;
        for (packets, last) in [(1, full), (2, full), (2, 1), (3, full - 1), (17, full), (33, full)] {
            let mut b: Bench<20> = Bench::new(1);
            b.context(QP, GENERATION, 0, mtu, false, true);
            b.work(QP, 0, true, (packets - 1) * full + last);
            b.drain();
            b.sent_to(packets);
            for psn in 0..packets - 1 {
                b.response(
                    QP,
                    GENERATION,
                    if psn == 0 { FIRST } else { MIDDLE },
                    psn,
                    full,
                    mtu,
                    &[],
                );
            }
            let end = if packets == 1 { ONLY } else { LAST };
            let wrong: Vec<u64> = [last - 1, last + 1]
                .into_iter()
                .filter(|n| (1..=full).contains(n))
                .collect();
            for &length in wrong.iter().chain([&last]) {
                b.response(QP, GENERATION, end, packets - 1, length, mtu, &[]);
                b.drain();
            }
            let case = format!("MTU {full}, {packets} packets, the last of {last}");
            assert_eq!(b.count(Counter::BadReadResponse), wrong.len() as u64, "{case}");
            assert_eq!(b.done, [(0, OK, (packets - 1) * full + last)], "{case}");
        }
    }
}

#[test]
fn the_next_read_is_taken_before_memory_has_the_one_before_it() {
    let mut b = bench(0, &[(true, 600), (true, 400)]);
    b.sent_to(5);
    b.commits = false;
    b.data(FIRST, 0, 256);
    b.data(MIDDLE, 1, 256);
    b.data(LAST, 2, 256);
    b.data(LAST, 2, 88);
    b.data(FIRST, 3, 256);
    b.data(LAST, 4, 144);
    let taken: Vec<bool> = b.decisions().iter().map(|(take, ..)| *take).collect();
    assert_eq!(taken, [true, true, false, true, true, true]);
    assert_eq!((b.count(Counter::BadReadResponse), b.count(Counter::ReadGaps)), (1, 0));
}

#[test]
fn a_lost_response_is_asked_for_once_and_later_ones_wait() {
    let mut b = bench(0, &[(true, 1024), (false, 1), (true, 10)]);
    b.sent_to(6);
    b.data(FIRST, 0, 256);
    b.data(MIDDLE, 2, 256);
    b.data(LAST, 3, 256);
    b.data(ONLY, 5, 10);
    assert_eq!(b.told(), [(false, 1), (true, 1)]);
    assert_eq!(b.count(Counter::ReadGaps), 1);
    b.data(FIRST, 1, 256);
    b.data(LAST, 3, 256);
    assert_eq!(b.told()[2..], [(false, 2), (true, 2)]);
    b.data(FIRST, 2, 256);
    b.data(LAST, 3, 256);
    b.data(ONLY, 5, 10);
    assert_eq!(b.done, [(0, OK, 1024), (1, OK, 1), (2, OK, 10)]);
}

#[test]
fn data_that_waits_for_memory_is_not_taken_twice_and_a_bus_error_ends_the_queue_pair() {
    let mut b = bench(0, &[(false, 5), (true, 512), (true, 3)]);
    b.sent_to(4);
    b.commits = false;
    b.data(FIRST, 1, 256);
    b.data(FIRST, 1, 256);
    b.data(LAST, 2, 256);
    b.data(ONLY, 3, 3);
    assert_eq!(b.decisions().iter().filter(|d| d.0).count(), 3);
    assert_eq!(b.count(Counter::Duplicates), 1);
    assert!(b.done.is_empty() && b.events.is_empty(), "memory has not answered");
    for (psn, failed) in [(1, 0), (2, 1), (3, 0)] {
        let mut word = [0; 7];
        Commit::KIND.put(&mut word, 3);
        Commit::QP.put(&mut word, QP);
        Commit::GENERATION.put(&mut word, GENERATION);
        Commit::PSN.put(&mut word, psn);
        Commit::SYNDROME.put(&mut word, 0x1f);
        Commit::ANSWER.put(&mut word, 1);
        Commit::ENDS_OR_FAILED.put(&mut word, failed);
        b.answers.push_back(Commit::from_slice(&word));
    }
    b.drain();
    let error = Status::LocalOperationalError as u64;
    assert_eq!(b.done, [(0, OK, 5), (1, error, 0), (2, FLUSHED, 0)]);
    assert_eq!(b.kills.len(), 1);
    assert_eq!(b.count(Counter::QpEnded), 0);
}

#[test]
fn int_feeds_congestion_control_and_read_data_is_echoed() {
    let mut b: Bench<20> = Bench::new(3);
    b.context(QP, GENERATION, 0, 2, true, true);
    b.work(QP, 0, false, 1024);
    b.work(QP, 1, true, 1024);
    b.drain();
    b.sent_to(2);
    let mut int = vec![0x2a, 0xbc];
    int.extend([0x51, 2, 3, 4, 5, 6, 7, 8, 0x82, 9, 8, 7, 6, 5, 4, 3]);
    b.acknowledge(QP, GENERATION, 0, ACK, &int);
    b.drain();
    let event = b.events[0].clone();
    assert_eq!(
        (event.int_valid, event.n_hop, event.path_id, event.psn),
        (true, 2, 0xabc, 1)
    );
    assert_eq!(event.hops, [0x5102_0304_0506_0708, 0x8209_0807_0605_0403, 0, 0, 0]);
    int[2] = 0x0f;
    b.acknowledge(QP, GENERATION, 0, ACK, &int);
    int[0] = 0x0a;
    b.acknowledge(QP, GENERATION, 0, ACK, &int[..2]);
    int[0] = 0xfa;
    int.resize(42, 0x11);
    int[2] = 0x11;
    b.acknowledge(QP, GENERATION, 0, ACK, &int);
    b.drain();
    let valid: Vec<bool> = b.events.iter().map(|event| event.int_valid).collect();
    assert_eq!(valid, [true, false, true, true], "a bad speed; no hop; 15 hops");
    assert_eq!((b.count(Counter::IntBadSpeed), b.count(Counter::IntManyHops)), (1, 1));
    b.response(QP, GENERATION, ONLY, 1, 1024, 2, &int);
    b.response(QP, GENERATION, ONLY, 1, 1024, 2, &int);
    b.drain();
    assert_eq!((b.echo_psns(), b.done.len()), (vec![1, 1], 2));
    assert_eq!(AckSend::INT_STACK.bytes(&b.echoes[0].limbs()), int);
    assert!(!b.events[4].int_valid, "the echo carries the INT to whom it concerns");
}

#[test]
fn work_is_refused_for_its_own_faults() {
    let mut b = bench(0, &[]);
    let status = |b: &Bench<20>| b.done.last().map(|done| (done.0, done.1));
    b.work(QP + 1, 1, false, 5);
    b.drain();
    assert_eq!(status(&b), Some((1, Status::InvalidWork as u64)));
    b.work(QP | 0x100, 2, false, 5);
    b.drain();
    assert_eq!(status(&b), Some((2, Status::InvalidWork as u64)));
    b.work(QP, 3, false, (1 << 31) + 1);
    b.drain();
    assert_eq!(status(&b), Some((3, Status::InvalidWork as u64)));
    for (id, address, length) in [(4, (1 << 40) - 4, 5), (5, 1 << 41, 1)] {
        b.work(QP, id, true, length);
        b.works[0].local_address = U(address);
        b.drain();
        assert_eq!(status(&b), Some((id, Status::LocalAccessError as u64)));
    }
    b.work(QP, 6, true, 0);
    b.works[0].local_key = U(99);
    b.drain();
    assert_eq!((b.done.len(), b.messages.len()), (5, 1), "no byte needs no region");
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

#[test]
fn a_full_ring_makes_work_wait_and_nothing_else() {
    let mut b = bench(0, &[(false, 1); 20]);
    assert_eq!((b.messages.len(), b.works.len()), (16, 0), "four wait in the window");
    assert_eq!(b.scheduled.last(), Some(&(2 * QP, GENERATION, 16)));
    b.sent_to(16);
    b.ack(0);
    assert_eq!((b.messages.len(), b.done.len()), (17, 1));
    assert_eq!(b.messages[16].address, QP << 4);
    b.ack(15);
    assert_eq!((b.messages.len(), b.works.len(), b.done.len()), (20, 0, 16));
    assert_eq!(b.scheduled.last(), Some(&(2 * QP, GENERATION, 20)));
    b.sent_to(20);
    b.ack(19);
    let ids: Vec<u64> = b.done.iter().map(|done| done.0).collect();
    assert_eq!(ids, (0..20).collect::<Vec<_>>());
    // removed while work waits
    for id in 20..60 {
        b.work(QP, id, false, 1);
    }
    b.drain();
    assert_eq!((b.messages.len(), b.works.len()), (36, 8), "sixteen wait in the window");
    b.removes.push_back(QP | GENERATION << 8);
    b.drain();
    let last: Vec<(u64, u64)> = b.done[20..].iter().map(|done| (done.0, done.1)).collect();
    assert_eq!(last, (20..60).map(|id| (id, FLUSHED)).collect::<Vec<_>>());
}

#[test]
fn a_full_ring_holds_up_no_other_queue_pair() {
    let mut b = bench(0, &[(false, 1); 19]);
    b.context(QP + 1, GENERATION, 0, 0, false, true);
    for id in 30..40 {
        b.work(QP + 1, id, false, 1);
    }
    b.drain();
    let others = b.messages.iter().filter(|message| message.address >> 4 == QP + 1);
    assert_eq!(
        others.map(|message| message.id).collect::<Vec<_>>(),
        (30..40).collect::<Vec<_>>()
    );
    assert_eq!((b.messages.len(), b.works.len()), (26, 0));
    b.sent_to(16);
    b.ack(15);
    let ids = b.messages.iter().filter(|message| message.address >> 4 == QP);
    assert_eq!(
        ids.map(|message| message.id).collect::<Vec<_>>(),
        (0..19).collect::<Vec<_>>()
    );
}

/// Twelve queue pairs: work requests of one packet, then their acknowledgements, then both at once.
#[test]
fn a_message_every_fourth_clock_and_an_acknowledgement_a_clock() {
    const QPS: u64 = 12;
    const EACH: u64 = 16;
    let mut b: Bench<20> = Bench::new(7);
    for qp in 0..QPS {
        b.context(qp, GENERATION, 0, 0, false, true);
    }
    (0..20).for_each(|_| b.tick());
    let post = |b: &mut Bench<20>| {
        for id in 0..QPS * EACH {
            b.work(id % QPS, id, false, 64);
        }
    };
    let acknowledge = |b: &mut Bench<20>, round: u64| {
        for psn in EACH * round..EACH * (round + 1) {
            (0..QPS).for_each(|qp| b.acknowledge(qp, GENERATION, psn, ACK, &[]));
        }
    };
    let sent = |b: &mut Bench<20>, end: u64| {
        b.sent.extend((0..QPS).map(|qp| (qp, GENERATION, end)));
        b.drain();
    };
    let clocks = |b: &mut Bench<20>, messages: u64, done: u64| {
        let start = b.clock;
        while (b.scheduled.len() as u64, b.done.len() as u64) != (messages, done) {
            b.tick();
            assert!(b.clock - start < 5000, "{} {}", b.scheduled.len(), b.done.len());
        }
        b.clock - start
    };
    let all = QPS * EACH;
    post(&mut b);
    let posted = clocks(&mut b, all, 0);
    assert!((all..4 * all + 16).contains(&posted), "{posted}");
    sent(&mut b, EACH);
    acknowledge(&mut b, 0);
    let acknowledged = clocks(&mut b, all, all);
    assert!((all..all + 24).contains(&acknowledged), "{acknowledged}");
    // half of the rings full, then both streams
    post(&mut b);
    clocks(&mut b, 2 * all, all);
    sent(&mut b, 2 * EACH);
    post(&mut b);
    acknowledge(&mut b, 1);
    let both = clocks(&mut b, 3 * all, 2 * all);
    assert!((2 * all..4 * all + 64).contains(&both), "{both}");
}

#[test]
fn reads_beyond_the_register_wait_for_a_completion() {
    let mut b: Bench<20> = Bench::new(4);
    b.block.max_reads.next = crate::prim::uint::U(2);
    b.context(QP, GENERATION, 0, 0, false, true);
    for id in 0..4 {
        b.work(QP, id, true, 300);
    }
    b.work(QP, 4, false, 1);
    b.drain();
    assert_eq!(b.scheduled.last(), Some(&(2 * QP, GENERATION, 4)));
    b.sent_to(4);
    b.data(FIRST, 0, 256);
    assert_eq!(b.scheduled.last(), Some(&(2 * QP, GENERATION, 4)));
    b.data(LAST, 1, 44);
    assert_eq!(b.scheduled.last(), Some(&(2 * QP, GENERATION, 6)));
    b.sent_to(6);
    for psn in [2, 4] {
        b.data(FIRST, psn, 256);
        b.data(LAST, psn + 1, 44);
    }
    assert_eq!(
        b.scheduled.last(),
        Some(&(2 * QP, GENERATION, 9)),
        "the WRITE behind them too"
    );
}

#[test]
fn long_messages_are_several_with_one_completion() {
    let mut b: Bench<3> = Bench::new(5);
    b.context(QP, GENERATION, 0xff_fff0, 0, false, true);
    b.work(QP, 1, true, 256 * 20 + 1);
    b.work(QP, 2, false, 256 * 8);
    b.drain();
    let parts: Vec<_> = b.messages.iter().map(|m| (m.start, m.end, m.length, m.last)).collect();
    assert_eq!(
        parts,
        [
            (0xff_fff0, 0xff_fff8, 2048, false),
            (0xff_fff8, 0, 2048, false),
            (0, 5, 1025, true),
            (5, 13, 2048, true)
        ]
    );
    assert_eq!(
        (b.messages[2].local, b.messages[2].remote),
        (0x1000 + 4096, 0x1000 + 4096 + (1 << 63))
    );
    assert_eq!(b.scheduled.last(), Some(&(2 * QP, GENERATION, 13)), "29 of at most 32");
    b.work(QP, 3, false, 256 * 4);
    b.drain();
    assert_eq!(
        b.scheduled.last(),
        Some(&(2 * QP, GENERATION, 13)),
        "33 would be too many"
    );
    b.sent.push_back((QP, GENERATION, 13));
    for part in 0..3u64 {
        let psns = if part == 2 { 5 } else { 8 };
        for i in 0..psns {
            let last = i + 1 == psns;
            let length = if last && part == 2 { 1 } else { 256 };
            let opcode = if last { LAST } else { MIDDLE };
            b.response(
                QP,
                GENERATION,
                opcode,
                (0xff_fff0 + 8 * part + i) & 0xff_ffff,
                length,
                0,
                &[],
            );
        }
        b.drain();
        assert_eq!(b.done.len(), usize::from(part == 2));
    }
    assert_eq!(b.scheduled.last(), Some(&(2 * QP, GENERATION, 17)));
    assert_eq!(b.done, [(1, OK, 256 * 20 + 1)]);
    assert_eq!(b.actions.len(), 21);
    // a work request that is cut off while it waits for room ends with its own status
    b.work(QP, 4, false, 2048 * 40);
    b.drain();
    assert_eq!(
        (b.messages.len(), b.works.len()),
        (4 + 1 + 14, 0),
        "it waits in the window"
    );
    b.sent.push_back((QP, GENERATION, 18));
    b.acknowledge(QP, GENERATION, 17, 0x62, &[]);
    b.drain();
    b.drain();
    let error = Status::RemoteAccessError as u64;
    assert_eq!(b.done[1..], [(2, OK, 2048), (3, OK, 1024), (4, error, 0)]);
}

/// Fifteen messages and a work request of two: the second finds no place until the oldest message is done, which concerns nothing but the pipe.
#[test]
fn a_message_that_finds_no_place_enters_when_one_is_free() {
    let mut b: Bench<3> = Bench::new(6);
    b.context(QP, GENERATION, 0, 0, false, true);
    for id in 0..15 {
        b.work(QP, id, false, 256);
    }
    b.work(QP, 15, false, 256 * 16);
    b.drain();
    assert_eq!((b.messages.len(), b.works.len()), (16, 0));
    b.sent.push_back((QP, GENERATION, 23));
    b.drain();
    b.acknowledge(QP, GENERATION, 0, ACK, &[]);
    b.drain();
    assert_eq!((b.messages.len(), b.done.len()), (17, 1));
    assert_eq!((b.messages[16].start, b.messages[16].end), (23, 31));
    assert_eq!(b.scheduled.last(), Some(&(2 * QP, GENERATION, 31)));
}

/// A WRITE that waits for the PSNs of others, and a READ behind it: where READ data is missing goes on with what is handed over.
#[test]
fn a_read_behind_a_write_that_had_to_wait_is_answered() {
    let mut b: Bench<3> = Bench::new(7);
    b.context(QP, GENERATION, 0, 0, false, true);
    for id in 0..4 {
        b.work(QP, id, false, 256 * 8);
    }
    b.work(QP, 4, false, 256);
    b.work(QP, 5, true, 200);
    b.drain();
    assert_eq!(
        b.scheduled.last(),
        Some(&(2 * QP, GENERATION, 32)),
        "33 would be too many"
    );
    b.sent.push_back((QP, GENERATION, 32));
    b.drain();
    b.acknowledge(QP, GENERATION, 7, ACK, &[]);
    b.drain();
    assert_eq!(b.scheduled.last(), Some(&(2 * QP, GENERATION, 34)));
    b.sent.push_back((QP, GENERATION, 34));
    b.drain();
    b.acknowledge(QP, GENERATION, 32, ACK, &[]);
    b.response(QP, GENERATION, ONLY, 33, 200, 0, &[]);
    b.drain();
    let ids: Vec<u64> = b.done.iter().map(|done| done.0).collect();
    assert_eq!(ids, [0, 1, 2, 3, 4, 5]);
    assert_eq!((b.actions.len(), b.count(Counter::Stray)), (1, 0));
}

#[test]
fn few_clocks_an_acknowledgement_and_a_read_response() {
    let mut b = bench(0, &[(false, 256 * 40), (true, 256 * 40)]);
    b.sent_to(80);
    // until the scheduler has heard of everything before `psn`
    let clocks = |b: &mut Bench<20>, psn: u64| {
        let start = b.clock;
        while b.told().last() != Some(&(false, psn)) {
            b.tick();
            assert!(b.clock - start < 2000, "{:?}", b.told());
        }
        b.clock - start
    };
    for psn in 0..40 {
        b.acknowledge(QP, GENERATION, psn, ACK, &[]);
    }
    let taken = clocks(&mut b, 40);
    assert!((40 * 5..40 * 7 + 10).contains(&taken), "{taken}");
    for psn in 40..79 {
        b.response(QP, GENERATION, MIDDLE, psn, 256, 0, &[]);
    }
    // one in four clocks, and the last answers behind them
    let taken = clocks(&mut b, 79);
    assert!((39 * 4..39 * 5 + 20).contains(&taken), "{taken}");
}

/// So many queue pairs, each with so many READs of one packet that have all been sent, numbered from 0 queue pair by queue pair.
fn reads_of_one_packet(seed: u64, qps: u64, rounds: u64) -> Bench<20> {
    let mut b = Bench::new(seed);
    for qp in 0..qps {
        b.context(qp, GENERATION, 0, 2, false, true);
        for id in 0..rounds {
            b.work(qp, qp * rounds + id, true, 700);
        }
    }
    b.drain();
    for qp in 0..qps {
        b.sent.push_back((qp, GENERATION, rounds));
    }
    b.drain();
    b
}

/// READs of one packet on twelve queue pairs: each is three steps of the pipe, one of them every second clock, and none is left to the state machine, which takes
/// ten clocks and more.
#[test]
fn few_clocks_a_read_of_one_packet() {
    let (qps, rounds) = (12, 10);
    let mut b = reads_of_one_packet(9, qps, rounds);
    let start = b.clock;
    for psn in 0..rounds {
        for qp in 0..qps {
            b.response(qp, GENERATION, ONLY, psn, 700, 2, &[]);
        }
    }
    while b.done.len() < (qps * rounds) as usize {
        b.tick();
        assert!(b.clock - start < 20_000, "{} done", b.done.len());
    }
    let took = b.clock - start;
    assert!(took < 5 * qps * rounds, "{took} clocks");
}

/// READ responses back to back on twelve queue pairs, of which every fifth is of a generation that is gone and for the state machine, and now and then an
/// acknowledgement of a READ whose data has not come, which is, too. What enters the pipe while they leave it enters anew: all is decided once and in order.
#[test]
fn read_responses_behind_what_is_left_to_the_state_machine_are_decided_once_and_in_order() {
    let (qps, rounds) = (12, 10);
    let mut b = reads_of_one_packet(10, qps, rounds);
    for number in 0..qps * rounds {
        let (qp, psn) = (number % qps, number / qps);
        b.response(qp, GENERATION, ONLY, psn, 700, 2, &[]);
        if number % 5 == 3 {
            b.response(qp, GENERATION + 1, ONLY, psn, 700, 2, &[]);
        }
        b.acknowledge((qp + 5) % qps, GENERATION, rounds - 1, ACK, &[]);
    }
    let mut acknowledgements = std::mem::take(&mut b.answers);
    let expected: Vec<_> = b
        .rows
        .iter()
        .map(|row| (row.row.psn, row.row.generation.0 == GENERATION))
        .collect();
    let start = b.clock;
    while b.done.len() < (qps * rounds) as usize || b.actions.len() < expected.len() {
        if b.random.chance(0.05) {
            b.answers.extend(acknowledgements.pop_front());
        }
        b.tick();
        assert!(b.clock - start < 50_000, "{} done", b.done.len());
    }
    b.drain();
    let decided: Vec<_> = b.actions.iter().map(|action| (action.psn, action.take)).collect();
    assert_eq!(decided, expected);
    for qp in 0..qps {
        let ids: Vec<_> = b
            .done
            .iter()
            .filter(|done| done.0 / rounds == qp)
            .map(|done| (done.0, done.1))
            .collect();
        let wanted: Vec<_> = (0..rounds).map(|id| (qp * rounds + id, 0)).collect();
        assert_eq!(ids, wanted, "queue pair {qp}");
    }
}

#[test]
fn a_host_that_takes_no_completions_holds_up_its_work_requests_and_nothing_else() {
    const WORKS: u64 = 100;
    let mut b = bench(0, &[]);
    b.host = false;
    for id in 0..WORKS {
        b.work(QP, id, id % 2 == 1, 256);
    }
    b.drain();
    let answer = |b: &mut Bench<20>, done: u64| {
        let queued = b.messages.iter().filter(|message| message.address >> 4 == QP).count() as u64;
        for psn in done..queued {
            b.sent_to(psn + 1);
            // `drain` panics if an answer or a READ response is not taken
            if psn % 2 == 1 {
                b.data(ONLY, psn, 256);
            } else {
                b.ack(psn);
            }
        }
        queued
    };
    let mut done = 0;
    for _ in 0..2 * WORKS {
        done = answer(&mut b, done);
    }
    assert!((64..=64 + 20).contains(&done), "{done}");
    assert_eq!(
        (b.works.len() as u64, b.done.len()),
        (WORKS - done - 16, 0),
        "sixteen wait in the window"
    );
    assert_eq!(b.told().last(), Some(&(false, done)));
    // a removal waits for what is done, and flushes what is not
    b.context(QP + 1, GENERATION, 0, 0, false, true);
    b.removes.push_back(QP | GENERATION << 8);
    (0..200).for_each(|_| b.tick());
    assert_eq!(b.removes.len(), 1);
    b.host = true;
    b.drain();
    assert_eq!(b.removes.len(), 0);
    let expected = |id: u64| if id < done { (id, OK, 256) } else { (id, FLUSHED, 0) };
    assert_eq!(b.done, (0..WORKS).map(expected).collect::<Vec<_>>());
}

/// A few more completions than the host's queue holds: those that wait are of their own messages, in a ring that is not full.
#[test]
fn completions_that_wait_are_those_of_their_messages() {
    const WORKS: u64 = 64 + 7;
    let mut b = bench(0, &[]);
    b.host = false;
    for id in 0..WORKS {
        b.work(QP, 1000 + 3 * id, id % 3 == 1, 256);
    }
    for psn in 0..WORKS {
        b.drain();
        b.sent_to(psn + 1);
        if psn % 3 == 1 {
            b.data(ONLY, psn, 256);
        } else {
            b.ack(psn);
        }
    }
    b.drain();
    assert_eq!(b.done.len(), 0);
    b.host = true;
    b.drain();
    let expected: Vec<_> = (0..WORKS).map(|id| (1000 + 3 * id, OK, 256)).collect();
    assert_eq!(b.done, expected);
}

/// Acknowledgements come as fast as they can, and the host takes a completion now and then: those of a queue pair leave in the order of its work.
#[test]
fn completions_of_a_queue_pair_keep_their_order_however_slowly_they_are_taken() {
    const QPS: u64 = 12;
    let mut b: Bench<20> = Bench::new(8);
    for qp in 0..QPS {
        b.context(qp, GENERATION, 0, 0, false, true);
    }
    let (mut posted, mut sent, mut answered) = (0, [0; QPS as usize], [0; QPS as usize]);
    for clock in 0..30_000u64 {
        b.accept = [1.0, 0.2, 0.02][(clock / 700 % 3) as usize];
        if b.works.is_empty() {
            b.work(posted % QPS, posted, false, 64);
            posted += 1;
        }
        for message in std::mem::take(&mut b.messages) {
            let qp = message.address >> 4;
            sent[qp as usize] = message.end;
            b.sent.push_back((qp, GENERATION, message.end));
        }
        // what has been told to be sent some clocks ago
        let qp = clock % QPS;
        if b.sent.is_empty() && b.answers.is_empty() && answered[qp as usize] < sent[qp as usize] {
            b.acknowledge(qp, GENERATION, answered[qp as usize], ACK, &[]);
            answered[qp as usize] += 1;
        }
        b.tick();
    }
    assert!(b.done.len() > 2000, "{}", b.done.len());
    for qp in 0..QPS {
        let of = b.done.iter().filter(|done| done.0 % QPS == qp);
        let numbers: Vec<u64> = of.map(|done| done.0 / QPS).collect();
        assert_eq!(
            numbers,
            (0..numbers.len() as u64).collect::<Vec<_>>(),
            "queue pair {qp}"
        );
    }
}
