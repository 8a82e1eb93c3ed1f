//! Work requests: what is refused, what waits, what is cut into messages.

use super::*;

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
