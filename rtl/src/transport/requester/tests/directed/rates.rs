//! How many clocks work requests, answers and READ responses take one behind the other.

use super::*;
use std::collections::VecDeque;

/// Twelve queue pairs: work requests of one packet, then their acknowledgements, then both at once.
#[test]
fn a_message_every_fourth_clock_and_an_acknowledgement_a_clock() {
    const QPS: u64 = 12;
    const EACH: u64 = 16;
    let mut b = queue_pairs(7, QPS);
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

/// Work requests and acknowledgements of many queue pairs one behind the other, and now and then a negative acknowledgement, which is for the state machine:
/// that comes while both pipes are full, and waits until both have run out.
#[test]
fn the_state_machine_comes_between_two_full_pipes() {
    const QPS: u64 = 24;
    const CLOCKS: u64 = 12_000;
    let mut b = queue_pairs(11, QPS);
    let (mut posted, mut naks, mut end) = (0, 0, [0; QPS as usize]);
    // by queue pair: what has been sent and not answered
    let mut open: Vec<VecDeque<u64>> = vec![VecDeque::new(); QPS as usize];
    for clock in 0..CLOCKS + 2000 {
        while b.works.len() < 2 && clock < CLOCKS {
            b.work(posted % QPS, posted, false, 64);
            posted += 1;
        }
        for message in std::mem::take(&mut b.messages) {
            let qp = (message.address >> 4) as usize;
            assert_eq!((message.start, message.end), (end[qp], end[qp] + 1), "queue pair {qp}");
            end[qp] = message.end;
            b.sent.push_back((qp as u64, GENERATION, message.end));
            open[qp].push_back(message.start);
        }
        let qp = b.random.below(QPS);
        if b.sent.is_empty() && b.answers.len() < 2 {
            if let Some(psn) = open[qp as usize].pop_front() {
                if b.random.chance(0.03) {
                    b.acknowledge(qp, GENERATION, psn, 0x60, &[]);
                    naks += 1;
                }
                b.acknowledge(qp, GENERATION, psn, ACK, &[]);
            }
        }
        b.tick();
    }
    b.drain();
    assert!(posted > CLOCKS / 5 && naks > 50, "{posted} {naks}");
    assert_eq!((b.done.len() as u64, b.count(Counter::NaksReceived)), (posted, naks));
    assert!(b.done.iter().all(|done| (done.1, done.2) == (OK, 64)));
    b.done_in_order(QPS);
}
