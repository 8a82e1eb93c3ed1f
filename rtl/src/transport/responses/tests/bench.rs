//! The block beside the lists, an operation at a time or a clock at a time.

use super::super::*;
use super::model::*;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use crate::words::context::QpContext;
use crate::words::transport::AckKind;
use crate::words::transport::{AckSend, Commit, ReadState};
use std::collections::BTreeMap;

pub(super) struct Bench {
    pub(super) block: Box<ResponseQueue>,
    pub(super) stimulus: Stimulus,
    pub(super) queues: BTreeMap<u64, Queue>,
    pub(super) told: bool,
    /// Something was taken up in the last clock.
    pub(super) taken: bool,
    /// What.
    pub(super) subject: ResponseInput,
}

pub(super) const QPS: [u64; 4] = [2, 3, 149, 77];

impl Bench {
    pub(super) fn new(seed: u64) -> Self {
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
    pub(super) fn clock(&mut self, accept: f64, seen: &mut Seen) -> bool {
        self.block.ack.ready.next = self.stimulus.chance(accept);
        self.block.work.ready.next = self.stimulus.chance(accept);
        let (taken, ack, read, work, left, taken_up) = step(self.block.as_mut(), |b| {
            let data = b.ack.data.val().array::<7>();
            let ack = (b.ack.valid.val() & b.ack.ready.val()).then_some(data);
            let read = b
                .read_valid
                .val()
                .then(|| (b.read_qp.val().0, b.read_data.val().array::<4>()));
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
                field(ReadState::GUARD),
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

    pub(super) fn settle(&mut self, clocks: usize) -> Seen {
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
    pub(super) fn context(&mut self, qp: u64, alive: bool) {
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
    pub(super) fn answer(&mut self, qp: u64) -> Word {
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
            let guard = s.uniform(21);
            Commit::INT_STACK.part(96, 24).put(&mut word, count);
            Commit::INT_STACK
                .part(ReadRequest::GUARD.low, ReadRequest::GUARD.width)
                .put(&mut word, guard);
            Commit::INT_STACK.part(120, 1).put(&mut word, repeats);
            Commit::ENDS_OR_FAILED.put(&mut word, 1 - repeats);
        }
        let late = s.chance(0.03);
        Commit::GENERATION.put(&mut word, queue.generation.wrapping_sub(u64::from(late)) & 255);
        word
    }

    pub(super) fn end(&mut self, qp: u64, generation: u64, (psn, tag): (u64, u64), failed: bool) {
        self.block.gone_valid.next = true;
        self.block.gone_qp.next = U(qp);
        self.block.gone_generation.next = U(generation);
        self.block.gone_psn.next = U(psn & MASK);
        self.block.gone_tag.next = U(tag & 31);
        self.block.gone_failed.next = failed;
    }
}
