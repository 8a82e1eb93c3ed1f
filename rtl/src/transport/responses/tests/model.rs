//! The lists kept in software: what is to come out, and when.

use super::super::*;
use crate::words::transport::{Commit, ReadRequest};
use std::collections::VecDeque;

pub(super) type Word = [u64; 7];

pub(super) const MASK: u64 = 0xff_ffff;

/// What came out in the time of one operation.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// Queue pair, generation, PSN, syndrome, MSN, INT length, first INT word.
    pub(super) acks: Vec<(u64, u64, u64, u64, u64, u64, u64)>,
    /// Queue pair, generation, first, count, address, length, MSN, tag, epoch.
    pub(super) reads: Vec<[u64; 10]>,
    /// Flow, generation, restart, start, end; of more of the same no start.
    pub(super) works: Vec<(u64, u64, bool, u64, u64)>,
    /// Queue pair, generation, what.
    pub(super) left: Vec<(u64, u64, u64)>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    pub(super) generation: u64,
    pub(super) dead: bool,
    pub(super) int: bool,
    /// One past the last PSN, messages completed before it.
    pub(super) active: Option<(u64, u64)>,
    /// Messages completed before each of the READs before that one that have not left, the oldest first.
    pub(super) ahead: VecDeque<u64>,
    /// First PSN since the flow's restart.
    pub(super) start: u64,
    /// Tag of the READ that became active last.
    pub(super) tag: u64,
    /// Times that READs began anew.
    pub(super) epoch: u64,
    pub(super) waiting: VecDeque<Word>,
    pub(super) expected: u64,
    /// Messages completed.
    pub(super) completed: u64,
}

pub(super) fn get(field: crate::prim::word::Field, word: &Word) -> u64 {
    field.get(word)
}

pub(super) fn serial_less(a: u64, b: u64) -> bool {
    (a.wrapping_sub(b) & MASK) >> 23 == 1
}

pub(super) fn is_read(word: &Word) -> bool {
    get(Commit::KIND, word) == 2
}

pub(super) fn ack(word: &Word) -> (u64, u64, u64, u64, u64, u64, u64) {
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
    pub(super) fn follows(&self, word: &Word) -> bool {
        let (psn, count) = (get(Commit::PSN, word), Commit::INT_STACK.part(96, 24).get(word));
        let few = |psns: u64| psns < 1 << 21;
        let reach = psn.wrapping_sub(self.start) & MASK;
        is_read(word) && self.active.is_some_and(|(end, _)| end == psn) && few(reach) && few(count)
    }

    pub(super) fn activate(&mut self, word: &Word, extends: bool, seen: &mut Seen) {
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
            part(ReadRequest::GUARD.low, ReadRequest::GUARD.width),
        ]);
        seen.works.push((
            2 * qp + 1,
            self.generation,
            !extends,
            if extends { 0 } else { first },
            end,
        ));
    }

    pub(super) fn answer(&mut self, word: Word, seen: &mut Seen) {
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
    pub(super) fn extend(&mut self, seen: &mut Seen) {
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

    pub(super) fn gone(&mut self, qp: u64, generation: u64, (psn, tag): (u64, u64), failed: bool, seen: &mut Seen) {
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
