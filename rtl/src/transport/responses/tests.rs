//! Random answers, ends, repetitions, creations and failures against lists kept in software.

mod bench;
mod model;
mod rates;

use self::bench::{Bench, QPS};
use self::model::*;
use super::*;
use crate::prim::word::Word as _;
use crate::words::transport::Commit;
use std::collections::VecDeque;

#[test]
fn answers_leave_in_order() {
    let mut bench = Bench::new(1);
    let mut totals = [0; 5];
    for step in 0..6000 {
        let qp = QPS[bench.stimulus.below(4) as usize];
        let mut expected = Seen::default();
        let waiting = bench.queues[&qp].waiting.len();
        if bench.queues[&qp].dead && bench.stimulus.chance(0.3) {
            bench.context(qp, true);
            bench.settle(20);
        }
        match bench.stimulus.below(100) {
            0 => bench.context(qp, true),
            1 => bench.context(qp, false),
            2..=29 => {
                let queue = &bench.queues[&qp];
                let wrong = bench.stimulus.below(30);
                let generation = (queue.generation + u64::from(wrong == 0)) & 255;
                let end = queue.active.map_or(5, |(end, _)| end);
                let psn = end.wrapping_sub(1 + u64::from(wrong == 1)) & MASK;
                let failed = wrong == 2;
                // mostly the oldest, sometimes any, also one that is not active
                let behind = match wrong {
                    26 | 27 => queue.ahead.len() as u64 + 1,
                    28.. => bench.stimulus.below(18),
                    20..26 => 0,
                    _ => queue.ahead.len() as u64,
                };
                let of = (psn, queue.tag.wrapping_sub(behind) & 31);
                bench.end(qp, generation, of, failed);
                let queue = bench.queues.get_mut(&qp).expect("one of them");
                queue.gone(qp, generation, of, failed, &mut expected);
            }
            _ => {
                let word = bench.answer(qp);
                bench.block.up.valid.next = true;
                bench.block.up.data.next = Commit::from_slice(&word);
                let queue = bench.queues.get_mut(&qp).expect("one of them");
                queue.answer(word, &mut expected);
            }
        }
        let seen = bench.settle(60 + 8 * waiting);
        assert_eq!(seen, expected, "step {step}");
        let waiting: usize = bench.queues.values().map(|queue| queue.waiting.len()).sum();
        assert_eq!(bench.block.free.val().0, 1024 - waiting as u64, "step {step}");
        totals[0] += seen.acks.len();
        totals[1] += seen.reads.len();
        totals[2] += seen.left.iter().filter(|left| left.2 == 2).count();
        totals[3] += seen.left.iter().filter(|left| left.2 == 5).count();
        totals[4] += seen.works.iter().filter(|work| !work.2).count();
    }
    assert!(
        totals[0] > 500 && totals[1] > 500 && totals[2] > 10 && totals[3] > 10 && totals[4] > 100,
        "{totals:?}"
    );
}

/// Bursts in which the next answer is always there, of all queue pairs and kinds; READs end between bursts. What leaves is what leaves one by one.
#[test]
fn answers_back_to_back_leave_in_order() {
    let mut bench = Bench::new(4);
    let mut acks = 0;
    for burst in 0..400 {
        let (mut seen, mut expected) = (Seen::default(), Seen::default());
        for _ in 0..1 + bench.stimulus.below(12) {
            let qp = QPS[bench.stimulus.below(4) as usize];
            let word = bench.answer(qp);
            let queue = bench.queues.get_mut(&qp).expect("one of them");
            queue.answer(word, &mut expected);
            bench.block.up.valid.next = true;
            bench.block.up.data.next = Commit::from_slice(&word);
            while !bench.clock(0.9, &mut seen) {}
        }
        bench.block.up.valid.next = false;
        for _ in 0..400 {
            bench.clock(1.0, &mut seen);
        }
        assert_eq!(seen, expected, "burst {burst}");
        acks += seen.acks.len();
        for qp in QPS {
            let queue = &bench.queues[&qp];
            let (generation, tag) = (queue.generation, queue.tag);
            let Some((end, _)) = queue.active else { continue };
            if bench.stimulus.chance(0.7) {
                let of = (end.wrapping_sub(1) & MASK, tag);
                let mut expected = Seen::default();
                bench.end(qp, generation, of, false);
                let queue = bench.queues.get_mut(&qp).expect("one of them");
                queue.gone(qp, generation, of, false, &mut expected);
                assert_eq!(bench.settle(400), expected, "burst {burst}");
            }
        }
    }
    assert!(acks > 300, "{acks}");
}

/// Answers, ends and creations with no clock between them, in the order in which they are taken up.
#[test]
fn everything_at_once_is_decided_in_the_order_in_which_it_is_taken_up() {
    let mut bench = Bench::new(7);
    // given, and not taken up yet
    let (mut answers, mut ends, mut contexts) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
    let mut totals = [0; 4];
    for burst in 0..600 {
        let (mut seen, mut expected) = (Seen::default(), Seen::default());
        let busy = [0.9, 0.3][burst % 2];
        let mut given: Option<(u64, Word)> = None;
        for clock in 0..700 {
            if clock < 300 {
                let qp = QPS[bench.stimulus.below(4) as usize];
                let queue = &bench.queues[&qp];
                if given.is_none() && bench.stimulus.chance(busy) {
                    let word = bench.answer(qp);
                    given = Some((qp, word));
                } else if queue.active.is_some() && bench.stimulus.chance(0.4) {
                    let wrong = bench.stimulus.below(40);
                    let psn = queue
                        .active
                        .map_or(0, |(end, _)| end.wrapping_sub(1 + u64::from(wrong == 1)) & MASK);
                    let behind = if wrong < 8 { wrong } else { queue.ahead.len() as u64 };
                    let of = (psn, queue.tag.wrapping_sub(behind) & 31);
                    let (generation, failed) = (queue.generation, wrong == 2);
                    bench.end(qp, generation, of, failed);
                    ends.push_back((qp, generation, of, failed));
                }
                if bench.stimulus.chance(0.004) {
                    // the model hears of it when it is taken up
                    let before = bench.queues[&qp].clone();
                    let alive = bench.stimulus.chance(0.9);
                    bench.context(qp, alive);
                    let (queue, expected_psn) = (bench.queues[&qp].clone(), before.expected);
                    contexts.push_back((qp, queue));
                    bench.queues.insert(
                        qp,
                        Queue {
                            expected: expected_psn,
                            ..before
                        },
                    );
                }
            }
            bench.block.up.valid.next = given.is_some();
            if let Some((_, word)) = &given {
                bench.block.up.data.next = Commit::from_slice(word);
            }
            if bench.clock(0.9, &mut seen) {
                answers.extend(given.take());
            }
            if !bench.taken {
                continue;
            }
            match bench.subject {
                ResponseInput::Creation => {
                    let (qp, queue) = contexts.pop_front().expect("a creation");
                    let (tag, epoch) = (bench.queues[&qp].tag, bench.queues[&qp].epoch);
                    bench.queues.insert(qp, Queue { tag, epoch, ..queue });
                }
                ResponseInput::ReadEnd => {
                    let (qp, generation, of, failed) = ends.pop_front().expect("an end");
                    let queue = bench.queues.get_mut(&qp).expect("one of them");
                    queue.gone(qp, generation, of, failed, &mut expected);
                }
                ResponseInput::Answer => {
                    let (qp, word) = answers.pop_front().expect("an answer");
                    let queue = bench.queues.get_mut(&qp).expect("one of them");
                    queue.answer(word, &mut expected);
                }
            }
        }
        // what an answer does is told a clock later than what an end does
        seen.left.sort_unstable();
        expected.left.sort_unstable();
        assert_eq!(seen, expected, "burst {burst}");
        for (total, count) in
            totals
                .iter_mut()
                .zip([seen.acks.len(), seen.reads.len(), seen.left.len(), seen.works.len()])
        {
            *total += count;
        }
        for qp in QPS {
            if bench.queues[&qp].dead {
                bench.context(qp, true);
                bench.settle(20);
            }
        }
    }
    assert!(totals.iter().all(|total| *total > 5000), "{totals:?}");
}

/// Everything at once, slow receivers: no place is lost, and `full` comes in time.
#[test]
fn no_place_is_lost() {
    let mut bench = Bench::new(2);
    let mut seen = Seen::default();
    for round in 0..6 {
        let accept = [1.0, 0.5, 0.05][round % 3];
        let mut was_full = false;
        for _ in 0..6000 {
            let qp = QPS[bench.stimulus.below(4) as usize];
            if round % 3 != 1 && bench.stimulus.chance(0.05) {
                let (end, generation) = (bench.block.work.end.val().0, bench.queues[&qp].generation);
                let tag = bench.queues[&qp].tag.wrapping_sub(bench.stimulus.below(4));
                bench.end(qp, generation, (end.wrapping_sub(1), tag), false);
            }
            if bench.stimulus.chance(0.0005) {
                let alive = bench.stimulus.chance(0.7);
                bench.context(qp, alive);
            }
            let full = bench.block.full.val();
            was_full |= full;
            if !bench.block.up.valid.next && !full {
                let word = bench.answer(qp);
                // nothing is taken back in the round in which nothing leaves
                let repeats = Commit::INT_STACK.part(120, 1).get(&word) == 1;
                bench.block.up.data.next = Commit::from_slice(&word);
                bench.block.up.valid.next = !(round % 3 == 1 && repeats && is_read(&word));
            }
            if bench.clock(accept, &mut seen) {
                bench.block.up.valid.next = false;
            }
            // one answer on its way when it comes, one behind it
            let free = bench.block.free.val().0;
            assert!(free >= 189, "full came too late: {free}");
        }
        assert!(was_full || round % 3 != 1, "round {round}");
        for qp in QPS {
            bench.context(qp, false);
            bench.clock(1.0, &mut seen);
        }
        bench.settle(3000);
        assert_eq!(bench.block.free.val().0, 1024);
        for qp in QPS {
            bench.context(qp, true);
            bench.settle(20);
        }
    }
}

/// The last response of a READ is on its way when the same READ is asked for again: its end is not the end of the new one, and
/// what waits behind goes on waiting.
#[test]
fn the_end_of_a_replaced_read_ends_nothing() {
    let mut bench = Bench::new(3);
    let (qp, generation) = (QPS[0], bench.queues[&QPS[0]].generation);
    let offer = |bench: &mut Bench, read: bool, repeats: u64, psn: u64| {
        let mut word: Word = [0; 7];
        Commit::KIND.put(&mut word, 1 + u64::from(read));
        Commit::QP.put(&mut word, qp);
        Commit::GENERATION.put(&mut word, generation);
        Commit::PSN.put(&mut word, psn);
        Commit::SYNDROME.put(&mut word, 0x1f);
        if read {
            Commit::INT_STACK.part(96, 24).put(&mut word, 8);
            Commit::INT_STACK.part(120, 1).put(&mut word, repeats);
        }
        bench.block.up.valid.next = true;
        bench.block.up.data.next = Commit::from_slice(&word);
        bench.settle(40)
    };
    let first = offer(&mut bench, true, 0, 100).reads[0][7];
    let second = offer(&mut bench, true, 1, 100).reads[0][7];
    assert_ne!(first, second);
    assert_eq!(
        offer(&mut bench, false, 0, 108),
        Seen::default(),
        "waits behind the READ"
    );
    bench.end(qp, generation, (107, first), false);
    assert_eq!(bench.settle(40), Seen::default(), "not the READ that is active");
    bench.end(qp, generation, (107, second), false);
    let seen = bench.settle(40);
    assert_eq!((seen.acks.len(), seen.left.len()), (1, 1));
}
