//! Completions for a host that takes them slowly or not at all.

use super::*;

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

/// Acknowledgements come as fast as they can, and the host takes a completion now and then, or none for a while, so that those of several queue pairs wait: those
/// of a queue pair leave in the order of its work.
#[test]
fn completions_of_a_queue_pair_keep_their_order_however_slowly_they_are_taken() {
    const QPS: u64 = 12;
    let mut b = queue_pairs(8, QPS);
    let (mut posted, mut sent, mut answered) = (0, [0; QPS as usize], [0; QPS as usize]);
    for clock in 0..30_000u64 {
        b.accept = [1.0, 0.2, 0.02][(clock / 700 % 3) as usize];
        b.host = clock / 700 % 7 != 3;
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
    // and all of them leave, of each queue pair that waits
    (b.accept, b.host) = (1.0, true);
    b.drain();
    assert_eq!(b.done.len() as u64, answered.iter().sum::<u64>());
    b.done_in_order(QPS);
}

/// Of completions that wait, one has failed, and those behind it are of messages that were never sent: each is told with its own status.
#[test]
fn completions_that_wait_keep_their_status() {
    const DONE: u64 = 64 + 7;
    let mut b = bench(0, &[]);
    b.host = false;
    for id in 0..DONE + 3 {
        b.work(QP, id, false, 256);
    }
    for psn in 0..DONE {
        b.drain();
        b.sent_to(psn + 1);
        b.ack(psn);
    }
    // remote access error
    b.sent_to(DONE + 1);
    b.nak(DONE, 2);
    b.drain();
    assert_eq!(b.done.len(), 0);
    b.host = true;
    b.drain();
    let status = |id: u64| match id {
        _ if id < DONE => (id, OK, 256),
        DONE => (id, Status::RemoteAccessError as u64, 0),
        _ => (id, FLUSHED, 0),
    };
    assert_eq!(b.done, (0..DONE + 3).map(status).collect::<Vec<_>>());
}
