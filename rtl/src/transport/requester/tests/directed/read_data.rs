//! READ responses: which are taken, where their data goes, what is asked for again.

use super::*;

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

/// Data whose region has been removed or written again since the READ was posted goes nowhere, and ends the queue pair: of a READ that the fast path knows,
/// and of one that the state machine finds behind other messages.
#[test]
fn data_without_its_region_is_refused() {
    for valid in [false, true] {
        for before in [0, 3] {
            let mut works = vec![(false, 5); before];
            works.extend([(true, 512), (false, 1)]);
            let mut b = bench(0, &works);
            let first = before as u64;
            b.sent_to(first + 3);
            b.data(FIRST, first, 256);
            b.rewrite_region(valid);
            b.data(LAST, first + 1, 256);
            let error = Status::LocalAccessError as u64;
            let mut done: Vec<(u64, u64, u64)> = (0..first).map(|id| (id, OK, 5)).collect();
            done.extend([(first, error, 0), (first + 1, FLUSHED, 0)]);
            assert_eq!(b.done, done);
            let taken: Vec<bool> = b.decisions().iter().map(|decision| decision.0).collect();
            assert_eq!(taken, [true, false]);
            assert_eq!(b.kills.len(), 1);
            // what was posted since has the region as it is now
            assert_eq!(b.count(Counter::QpEnded), 0);
        }
    }
}
