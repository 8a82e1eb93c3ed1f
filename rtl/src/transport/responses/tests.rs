//! Random answers, ends, repetitions, creations and failures against lists kept in software.

use super::*;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use crate::words::context::QpContext;
use crate::words::transport::AckKind;
use crate::words::transport::{AckSend, Commit, ReadState};
use std::collections::{BTreeMap, VecDeque};

type Word = [u64; 7];

const MASK: u64 = 0xff_ffff;

/// What came out in the time of one operation.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    /// Queue pair, generation, PSN, syndrome, MSN, INT length, first INT word.
    acks: Vec<(u64, u64, u64, u64, u64, u64, u64)>,
    /// Queue pair, generation, first, count, address, length, MSN, tag, epoch.
    reads: Vec<[u64; 9]>,
    /// Flow, generation, restart, start, end; of more of the same no start.
    works: Vec<(u64, u64, bool, u64, u64)>,
    /// Queue pair, generation, what.
    left: Vec<(u64, u64, u64)>,
}

#[derive(Clone, Debug, Default)]
struct Queue {
    generation: u64,
    dead: bool,
    int: bool,
    /// One past the last PSN, messages completed before it.
    active: Option<(u64, u64)>,
    /// Messages completed before each of the READs before that one that have not left, the oldest first.
    ahead: VecDeque<u64>,
    /// First PSN since the flow's restart.
    start: u64,
    /// Tag of the READ that became active last.
    tag: u64,
    /// Times that READs began anew.
    epoch: u64,
    waiting: VecDeque<Word>,
    expected: u64,
    /// Messages completed.
    completed: u64,
}

fn get(field: crate::prim::word::Field, word: &Word) -> u64 {
    field.get(word)
}

fn serial_less(a: u64, b: u64) -> bool {
    (a.wrapping_sub(b) & MASK) >> 23 == 1
}

fn is_read(word: &Word) -> bool {
    get(Commit::KIND, word) == 2
}

fn ack(word: &Word) -> (u64, u64, u64, u64, u64, u64, u64) {
    (
        get(Commit::QP, word),
        get(Commit::GENERATION, word),
        get(Commit::PSN, word),
        get(Commit::SYNDROME, word),
        get(Commit::MSN, word),
        get(Commit::INT_LENGTH, word),
        get(Commit::INT_STACK, word),
    )
}

impl Queue {
    /// The READ goes on where the active one ends.
    fn follows(&self, word: &Word) -> bool {
        let (psn, count) = (get(Commit::PSN, word), Commit::INT_STACK.part(96, 24).get(word));
        let few = |psns: u64| psns < 1 << 21;
        let reach = psn.wrapping_sub(self.start) & MASK;
        is_read(word) && self.active.is_some_and(|(end, _)| end == psn) && few(reach) && few(count)
    }

    fn activate(&mut self, word: &Word, extends: bool, seen: &mut Seen) {
        let part = |low, width| Commit::INT_STACK.part(low, width).get(word);
        let (qp, first, count) = (get(Commit::QP, word), get(Commit::PSN, word), part(96, 24));
        let end = (first + count) & MASK;
        let msn = get(Commit::MSN, word);
        let completed = msn.wrapping_sub(get(Commit::ENDS_OR_FAILED, word)) & MASK;
        let before = self.active.replace((end, completed));
        if extends {
            self.ahead.extend(before.map(|(_, completed)| completed));
        } else {
            self.ahead.clear();
            self.start = first;
            self.epoch = (self.epoch + 1) & 15;
        }
        assert!(self.ahead.len() < ACTIVE_READS);
        self.tag = (self.tag + 1) & 31;
        let (address, length) = (part(0, 64), part(64, 32));
        seen.reads.push([
            qp,
            self.generation,
            first,
            count,
            address,
            length,
            msn,
            self.tag,
            self.epoch,
        ]);
        seen.works.push((
            2 * qp + 1,
            self.generation,
            !extends,
            if extends { 0 } else { first },
            end,
        ));
    }

    fn answer(&mut self, word: Word, seen: &mut Seen) {
        let (qp, psn) = (get(Commit::QP, &word), get(Commit::PSN, &word));
        if self.dead || get(Commit::GENERATION, &word) != self.generation {
            return;
        }
        let Some((end, _)) = self.active else {
            if is_read(&word) {
                self.activate(&word, false, seen);
            } else {
                seen.acks.push(ack(&word));
            }
            return;
        };
        if is_read(&word) && Commit::INT_STACK.part(120, 1).get(&word) == 1 {
            let replaces = serial_less(psn, end);
            if replaces {
                seen.left.extend(self.ahead.drain(..).map(|_| (qp, self.generation, 1)));
            }
            let stays = |word: &Word| serial_less(get(Commit::PSN, word), psn);
            let keep = if replaces { 0 } else { self.waiting.iter().take_while(|word| stays(word)).count() };
            for gone in self.waiting.drain(keep..) {
                if is_read(&gone) {
                    seen.left.push((qp, self.generation, 1));
                } else if get(Commit::SYNDROME, &gone) != 0x1f {
                    seen.left.push((qp, self.generation, 2));
                }
            }
            if replaces {
                seen.left.push((qp, self.generation, 1));
                self.activate(&word, false, seen);
                return;
            }
        }
        self.waiting.push_back(word);
        if self.waiting.len() == 1 {
            self.extend(seen);
        }
    }

    /// READs at the head of the list that follow the active one become active.
    fn extend(&mut self, seen: &mut Seen) {
        while let Some(word) = self.waiting.front().copied().filter(|word| self.follows(word)) {
            let most = match Commit::INT_STACK.part(96, 24).get(&word) {
                0..=16 => ACTIVE_READS,
                17..=31 => 3,
                _ => 2,
            };
            if self.ahead.len() + 1 >= most {
                return;
            }
            self.waiting.pop_front();
            self.activate(&word, true, seen);
        }
    }

    fn gone(&mut self, qp: u64, generation: u64, (psn, tag): (u64, u64), failed: bool, seen: &mut Seen) {
        // active READs behind it
        let behind = (self.tag.wrapping_sub(tag) & 31) as usize;
        if behind > self.ahead.len() {
            return;
        }
        let Some((end, msn)) = self.active.filter(|_| !self.dead && generation == self.generation) else {
            return;
        };
        if failed {
            let int = if self.int { 2 } else { 0 };
            let msn = if behind == 0 { msn } else { self.ahead[self.ahead.len() - behind] };
            seen.acks.push((qp, generation, psn, 0x63, msn, int, 0));
            seen.left.push((qp, generation, 5));
            (self.dead, self.active) = (true, None);
            self.ahead.clear();
            self.waiting.clear();
            return;
        }
        if behind == 0 && (psn + 1) & MASK != end {
            return;
        }
        let left = if behind == 0 { self.ahead.len() } else { self.ahead.len() + 1 - behind };
        seen.left.extend(self.ahead.drain(..left).map(|_| (qp, generation, 1)));
        if behind > 0 {
            self.extend(seen);
            return;
        }
        seen.left.push((qp, generation, 1));
        self.active = None;
        while let Some(word) = self.waiting.pop_front() {
            if is_read(&word) {
                self.activate(&word, false, seen);
                self.extend(seen);
                return;
            }
            seen.acks.push(ack(&word));
        }
    }
}

struct Bench {
    block: Box<ResponseQueue>,
    stimulus: Stimulus,
    queues: BTreeMap<u64, Queue>,
    told: bool,
    /// Something was taken up in the last clock.
    taken: bool,
    /// What.
    subject: ResponseInput,
}

const QPS: [u64; 4] = [2, 3, 149, 77];

impl Bench {
    fn new(seed: u64) -> Self {
        let mut block: Box<ResponseQueue> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut bench = Self {
            block,
            stimulus: Stimulus::new(seed),
            queues: QPS.into_iter().map(|qp| (qp, Queue::default())).collect(),
            told: false,
            taken: false,
            subject: ResponseInput::Answer,
        };
        bench.block.reset.next = true;
        bench.clock(1.0, &mut Seen::default());
        bench.block.reset.next = false;
        for _ in 0..1030 {
            bench.clock(1.0, &mut Seen::default());
        }
        for qp in QPS {
            bench.context(qp, true);
            bench.settle(20);
        }
        bench
    }

    /// One clock; true if an answer was taken.
    fn clock(&mut self, accept: f64, seen: &mut Seen) -> bool {
        self.block.ack.ready.next = self.stimulus.chance(accept);
        self.block.work.ready.next = self.stimulus.chance(accept);
        let (taken, ack, read, work, left, taken_up) = step(self.block.as_mut(), |b| {
            let data = b.ack.data.val().array::<7>();
            let ack = (b.ack.valid.val() & b.ack.ready.val()).then_some(data);
            let read = b
                .read_valid
                .val()
                .then(|| (b.read_qp.val().0, b.read_data.val().array::<3>()));
            let work = (b.work.valid.val() & b.work.ready.val()).then(|| {
                let (flow, generation, restart) =
                    (b.work.flow.val().0, b.work.generation.val().0, b.work.restart.val());
                let start = if restart { b.work.start.val().0 } else { 0 };
                (flow, generation, restart, start, b.work.end.val().0)
            });
            let left = b.left_valid.val().then(|| {
                let (qp, generation) = (b.left_qp.val().0, b.left_generation.val().0);
                (qp, generation, b.left_what.val().0)
            });
            let taken_up = (b.intake.take.val(), b.intake.subject.val());
            (b.up.valid.val() & b.up.ready.val(), ack, read, work, left, taken_up)
        });
        (self.taken, self.subject) = taken_up;
        assert!(!(self.told && left.is_some()), "two clocks in a row");
        self.told = left.is_some();
        seen.left.extend(left);
        seen.works.extend(work);
        if let Some((qp, word)) = read {
            let field = |field: crate::prim::word::Field| field.get(&word);
            seen.reads.push([
                qp,
                field(ReadState::GENERATION),
                field(ReadState::FIRST_PSN),
                field(ReadState::COUNT),
                field(ReadState::ADDRESS),
                field(ReadState::LENGTH),
                field(ReadState::MSN),
                field(ReadState::TAG),
                field(ReadState::EPOCH),
            ]);
        }
        if let Some(word) = ack {
            let field = |field: crate::prim::word::Field| field.get(&word);
            assert_eq!(field(AckSend::KIND), AckKind::Acknowledgement as u64);
            seen.acks.push((
                field(AckSend::QP),
                field(AckSend::GENERATION),
                field(AckSend::PSN),
                field(AckSend::SYNDROME),
                field(AckSend::MSN),
                field(AckSend::INT_LENGTH),
                field(AckSend::INT_STACK),
            ));
        }
        self.block.context_valid.next = false;
        self.block.gone_valid.next = false;
        taken
    }

    fn settle(&mut self, clocks: usize) -> Seen {
        let mut seen = Seen::default();
        for _ in 0..clocks {
            if self.clock(0.8, &mut seen) {
                self.block.up.valid.next = false;
            }
        }
        assert!(!self.block.up.valid.next, "the answer was not taken");
        seen
    }

    /// Creates (with the next generation) or removes a queue pair.
    fn context(&mut self, qp: u64, alive: bool) {
        let queue = self.queues.get_mut(&qp).expect("one of them");
        let expected = [0, 0xff_fff8, self.stimulus.uniform(24)][self.stimulus.below(3) as usize];
        *queue = Queue {
            generation: (queue.generation + u64::from(alive)) & 255,
            dead: !alive,
            int: self.stimulus.chance(0.5),
            expected,
            // no READ is mistaken for one of the generation before
            tag: queue.tag,
            epoch: queue.epoch,
            completed: self.stimulus.uniform(24),
            ..Queue::default()
        };
        let mut word = [0; 4];
        QpContext::ALIVE.put(&mut word, alive.into());
        QpContext::GENERATION.put(&mut word, queue.generation);
        QpContext::INT_ON.put(&mut word, queue.int.into());
        self.block.context_valid.next = true;
        self.block.context_qp.next = U(qp);
        self.block.context_data.next = QpContext::from_slice(&word);
    }

    /// An answer as the responder gives them.
    fn answer(&mut self, qp: u64) -> Word {
        let s = &mut self.stimulus;
        let queue = self.queues.get_mut(&qp).expect("one of them");
        let mut word: Word = [s.uniform(64); 7];
        word[6] = 0;
        let kind = s.below(20);
        let count = [1, 1, 1, 4, 13, 28][s.below(6) as usize] + s.below(4);
        let completed = queue.completed;
        let (mut psn, mut repeats, mut syndrome, mut read) = (queue.expected, 0, 0x1f, true);
        match kind {
            0..=6 => {
                (read, queue.expected) = (false, queue.expected + 1);
                queue.completed += 1;
            }
            7 => (read, psn) = (false, psn.wrapping_sub(1)),
            8 => (read, syndrome) = (false, 0x60),
            9..=14 => {
                queue.expected += count;
                queue.completed += 1;
            }
            _ => {
                psn = psn.wrapping_sub(count + s.below(9));
                repeats = 1;
            }
        }
        let msn = if kind < 7 { completed } else { queue.completed };
        queue.expected &= MASK;
        Commit::KIND.put(&mut word, 1 + u64::from(read));
        Commit::QP.put(&mut word, qp);
        Commit::PSN.put(&mut word, psn & MASK);
        Commit::SYNDROME.put(&mut word, syndrome);
        Commit::MSN.put(&mut word, msn & MASK);
        Commit::INT_LENGTH.put(&mut word, s.below(43));
        if read {
            Commit::INT_STACK.part(96, 24).put(&mut word, count);
            Commit::INT_STACK.part(120, 1).put(&mut word, repeats);
            Commit::ENDS_OR_FAILED.put(&mut word, 1 - repeats);
        }
        let late = s.chance(0.03);
        Commit::GENERATION.put(&mut word, queue.generation.wrapping_sub(u64::from(late)) & 255);
        word
    }

    fn end(&mut self, qp: u64, generation: u64, (psn, tag): (u64, u64), failed: bool) {
        self.block.gone_valid.next = true;
        self.block.gone_qp.next = U(qp);
        self.block.gone_generation.next = U(generation);
        self.block.gone_psn.next = U(psn & MASK);
        self.block.gone_tag.next = U(tag & 31);
        self.block.gone_failed.next = failed;
    }
}

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
    let mut clocks = 0u64;
    for count in 0..200u64 {
        let qp = QPS[(count % qps) as usize];
        Commit::QP.put(&mut word, qp);
        Commit::PSN.put(&mut word, count);
        Commit::GENERATION.put(&mut word, bench.queues[&qp].generation);
        bench.block.up.valid.next = true;
        bench.block.up.data.next = Commit::from_slice(&word);
        clocks += 1;
        while !bench.clock(1.0, &mut seen) {
            clocks += 1;
        }
    }
    bench.block.up.valid.next = false;
    for _ in 0..40 {
        bench.clock(1.0, &mut seen);
    }
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
    let (mut clocks, mut tags) = (0, vec![]);
    for count in 0..reads {
        let qp = QPS[(count % 4) as usize];
        Commit::QP.put(&mut word, qp);
        Commit::PSN.put(&mut word, count / 4);
        Commit::GENERATION.put(&mut word, bench.queues[&qp].generation);
        bench.block.up.valid.next = true;
        bench.block.up.data.next = Commit::from_slice(&word);
        clocks += 1;
        while !bench.clock(1.0, &mut seen) {
            clocks += 1;
        }
    }
    bench.block.up.valid.next = false;
    for _ in 0..40 {
        bench.clock(1.0, &mut seen);
    }
    assert!(clocks <= reads + 2, "{clocks}");
    assert_eq!((seen.reads.len() as u64, seen.works.len() as u64), (reads, reads));
    tags.extend(seen.reads.iter().map(|read| (read[0], read[1], read[2], read[7])));
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
