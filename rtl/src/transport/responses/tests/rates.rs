//! How many clocks acknowledgements, READs and their ends take one behind the other.

use super::*;

/// Clocks in which the block takes this answer once for each queue pair and PSN, offered one behind the other; what is on its way comes out afterwards.
fn back_to_back(bench: &mut Bench, seen: &mut Seen, mut word: Word, each: impl Iterator<Item = (u64, u64)>) -> u64 {
    let mut clocks = 0;
    for (qp, psn) in each {
        Commit::QP.put(&mut word, qp);
        Commit::PSN.put(&mut word, psn);
        Commit::GENERATION.put(&mut word, bench.queues[&qp].generation);
        bench.block.up.valid.next = true;
        bench.block.up.data.next = Commit::from_slice(&word);
        clocks += 1;
        while !bench.clock(1.0, seen) {
            clocks += 1;
        }
    }
    bench.block.up.valid.next = false;
    for _ in 0..40 {
        bench.clock(1.0, seen);
    }
    clocks
}

/// One a clock of four queue pairs in turn, one in four of a single one.
#[test]
fn an_acknowledgement_a_clock() {
    acknowledgements(4, 202);
    acknowledgements(1, 4 * 200 + 2);
}

fn acknowledgements(qps: u64, most: u64) {
    let mut bench = Bench::new(5);
    let mut seen = Seen::default();
    let mut word: Word = [0; 7];
    Commit::KIND.put(&mut word, 1);
    Commit::SYNDROME.put(&mut word, 0x1f);
    let each = (0..200).map(|count| (QPS[(count % qps) as usize], count));
    let clocks = back_to_back(&mut bench, &mut seen, word, each);
    assert!(clocks <= most, "{clocks} clocks for 200 of {qps} queue pairs");
    let psns: Vec<u64> = seen.acks.iter().map(|ack| ack.2).collect();
    assert_eq!(psns, (0..200).collect::<Vec<_>>());
}

/// READs of several queue pairs that become active, one a clock, and then the ends of all but the last of each, one in two.
#[test]
fn a_read_a_clock_and_an_end_in_two() {
    let mut bench = Bench::new(6);
    let mut seen = Seen::default();
    let mut word: Word = [0; 7];
    Commit::KIND.put(&mut word, 2);
    Commit::SYNDROME.put(&mut word, 0x1f);
    Commit::INT_STACK.part(96, 24).put(&mut word, 1);
    let reads = (QPS.len() * ACTIVE_READS) as u64;
    let each = (0..reads).map(|count| (QPS[(count % 4) as usize], count / 4));
    let clocks = back_to_back(&mut bench, &mut seen, word, each);
    assert!(clocks <= reads + 2, "{clocks}");
    assert_eq!((seen.reads.len() as u64, seen.works.len() as u64), (reads, reads));
    let tags: Vec<_> = seen
        .reads
        .iter()
        .map(|read| (read[0], read[1], read[2], read[7]))
        .collect();
    let ends = tags.len() - QPS.len();
    for (qp, generation, psn, tag) in tags.into_iter().take(ends) {
        bench.end(qp, generation, (psn, tag), false);
        bench.clock(1.0, &mut seen);
    }
    let mut clocks = ends;
    while seen.left.len() < ends {
        bench.clock(1.0, &mut seen);
        clocks += 1;
    }
    // the first has five clocks through the FIFO of ends, and three to the decision
    assert!(clocks <= 2 * ends + 10, "{clocks}");
}

/// READs of sixteen queue pairs while those before them end, both in an order of their own: one of each in less than two and a half clocks.
#[test]
fn an_end_and_a_read_in_two_clocks() {
    let mut bench = Bench::new(8);
    let mut seen = Seen::default();
    let qps: Vec<u64> = (100..116).collect();
    for qp in &qps {
        bench.queues.insert(*qp, Queue::default());
        bench.context(*qp, true);
        bench.settle(20);
    }
    let mut word: Word = [0; 7];
    Commit::KIND.put(&mut word, 2);
    Commit::SYNDROME.put(&mut word, 0x1f);
    Commit::INT_STACK.part(96, 24).put(&mut word, 1);
    // READs that are active at first, and those that come behind them, of each queue pair
    let (first, more) = (6, 40);
    let (mut came, mut ended, mut clocks) = (0, 0, 0u64);
    let all = qps.len() * (first + more);
    let started = qps.len() * first;
    while seen.reads.len() < all {
        bench.block.up.valid.next = came < all && (came < started || ended > 0 || seen.reads.len() == started);
        if came < all {
            let qp = qps[came % qps.len()];
            Commit::QP.put(&mut word, qp);
            Commit::PSN.put(&mut word, (came / qps.len()) as u64);
            Commit::GENERATION.put(&mut word, bench.queues[&qp].generation);
            bench.block.up.data.next = Commit::from_slice(&word);
        }
        // ends go through the queue pairs in another order than READs, and no faster than READs come
        if seen.reads.len() >= started && ended < all - started && ended <= came - started && clocks % 2 == 0 {
            let read = seen.reads[ended / qps.len() * qps.len() + (ended * 5) % qps.len()];
            bench.end(read[0], read[1], (read[2], read[7]), false);
            ended += 1;
        }
        came += usize::from(bench.clock(1.0, &mut seen));
        clocks += u64::from(came > started);
        assert!(clocks < 10_000, "{came} came, {} are active", seen.reads.len());
    }
    let pairs = (qps.len() * more) as u64;
    assert!(clocks * 2 < 5 * pairs, "{clocks} clocks for {pairs} READs");
}
