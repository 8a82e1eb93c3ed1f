//! A step of the pipe of answers at random, and what it means by the transport's rules.

use super::*;
use crate::transport::requester::tests::psns::{before, PSNS};
use crate::words::work::CompletionStatus;

/// A step, and what the tables say when it asks them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Case {
    /// It is there; else everything here is noise.
    pub valid: bool,
    /// Something was left to the state machine in the clock in which it entered.
    pub passes: bool,
    pub step: FastStep,
    pub state: RequesterState,
    pub post_void: VoidBy,
    pub acked_void: VoidBy,
    pub generation: u64,
    pub context_generation: u64,
    pub alive: bool,
    pub first_psn: u64,
    pub mtu: u64,
    pub int_on: bool,
    pub sent_to: Option<u64>,
    pub message: OwnMessage,
    pub room: bool,
    /// State that the state machine writes in its turn.
    pub saved: Option<RequesterState>,
}

/// What becomes of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Meaning {
    pub moves: bool,
    pub done: bool,
    pub takes: bool,
    pub defers_answer: bool,
    pub defers_response: bool,
    pub tells: bool,
    pub echo: bool,
    pub ghost: bool,
    pub ignored: bool,
    pub ended: bool,
    /// Bytes acknowledged, where it tells.
    pub bytes: u64,
    pub state: RequesterState,
}

impl Case {
    /// Noise around one PSN, so that everything is near everything else.
    pub fn draw(random: &mut Stimulus, valid: bool, response: bool) -> Self {
        let origin = random.corner(24) + PSNS;
        let mtu = random.below(5);
        let psn = |random: &mut Stimulus, spread: u64| (origin + random.below(spread) - spread / 2) % PSNS;
        let mut case = Self {
            valid,
            first_psn: psn(random, 3),
            generation: random.uniform(8),
            alive: random.chance(0.95),
            mtu,
            int_on: random.chance(0.5),
            room: random.chance(0.7),
            ..Self::default()
        };
        let halves = |random: &mut Stimulus| VoidBy {
            lower: random.chance(0.08),
            upper: random.chance(0.08),
        };
        (case.post_void, case.acked_void) = (halves(random), halves(random));
        case.sent_to = random.chance(0.9).then(|| psn(random, 9));
        let head = if random.chance(0.4) { 0 } else { random.below(32) };
        let admit = head + random.below(3);
        let s = &mut case.state;
        (s.una, s.accepted) = (U(psn(random, 3)), U(psn(random, 5)));
        (s.assigned, s.gap_psn) = (U(random.corner(24)), U(random.corner(24)));
        (s.gap_known, s.listed) = (random.chance(0.5), random.chance(0.5));
        s.dead = random.chance(0.1);
        (s.head, s.admit) = (U(head % 32), U(admit % 32));
        s.tail = U((admit + random.below(8).saturating_sub(5)) % 32);
        s.told = U((head + 32 - random.below(6).saturating_sub(4)) % 32);
        s.read_at = U((head + random.below(2)) % 32);
        (s.posted, s.retired) = (U(random.uniform(5)), U(random.uniform(5)));
        s.carry = CompletionStatus::ALL[random.below(9) as usize];
        s.generation = U(random.uniform(8));

        let t = &mut case.step;
        t.response = response;
        (t.qp, t.place) = (U(random.uniform(8)), U(random.uniform(4)));
        t.generation = U(random.uniform(8));
        case.context_generation = if random.chance(0.95) { t.generation.0 } else { random.uniform(8) };
        t.psn = U(psn(random, 6));
        t.answer = AnswerKind::ALL[[0, 0, 0, 1, 1, 2, 3][random.below(7) as usize]];
        t.syndrome = AethSyndrome([0x1f, 0x1f, 0x00, 0x60, 0x61, 0x25, random.uniform(8)][random.below(7) as usize]);
        (t.failed, t.int_on) = (random.chance(0.1), random.chance(0.5));
        (t.ends, t.negative) = (random.chance(0.5), random.chance(0.05));

        let m = &mut case.message;
        m.first_psn = U(if random.chance(0.4) { t.psn.0 } else { psn(random, 6) });
        m.end_psn = U(if random.chance(0.5) { (t.psn.0 + 1) % PSNS } else { psn(random, 9) });
        m.read = random.chance(if response { 0.9 } else { 0.5 });
        m.last = random.chance(0.6);
        m.length = U(random.corner(13));
        let (full, rest) = case.lengths();
        let length = [full, full, rest, rest, random.corner(16)][random.below(5) as usize];
        let flipped = if random.chance(0.05) { 1 << random.below(16) } else { 0 };
        case.step.length = U(length ^ flipped);
        if random.chance(0.6) {
            case.mostly_moves(random);
        }
        case
    }

    /// Bytes of a whole packet, and of the last one of the READ.
    fn lengths(&self) -> (u64, u64) {
        let full = 256 << self.mtu;
        (full, (self.message.length.0 + full - 1) % full + 1)
    }

    /// Almost everything is as it must be for a step that moves something.
    fn mostly_moves(&mut self, random: &mut Stimulus) {
        let psn = self.step.psn.0;
        let mut mostly = || random.chance(0.95);
        if mostly() {
            (self.post_void, self.acked_void) = (VoidBy::default(), VoidBy::default());
        }
        if mostly() {
            self.state.dead = false;
            self.step.negative = false;
            self.step.failed = false;
        }
        if mostly() {
            self.sent_to = Some((psn + 1) % PSNS);
        }
        if mostly() {
            self.state.una = U(psn);
        }
        if mostly() {
            self.state.accepted = U(psn);
        }
        if mostly() {
            self.state.admit = U((self.state.head.0 + 1) % 32);
            self.state.read_at = self.state.head;
        }
        if mostly() {
            (self.state.tail, self.state.told) = (self.state.admit, self.state.head);
        }
        if mostly() {
            self.message.read = self.step.response || self.step.answer == AnswerKind::ReadData;
        }
        if mostly() && !self.message.read {
            self.step.syndrome = AethSyndrome::Ack;
        }
        if mostly() {
            self.step.ends = (psn + 1) % PSNS == self.message.end_psn.0;
            let (full, rest) = self.lengths();
            self.step.length = U(if self.step.ends { rest } else { full });
        }
    }

    /// The state as it is, a void part of it as it begins.
    pub fn now(&self) -> RequesterState {
        let mut now = self.state;
        if self.acks_are_void() {
            now = RequesterState {
                una: U(self.first_psn),
                accepted: U(self.first_psn),
                assigned: now.assigned,
                admit: now.admit,
                tail: now.tail,
                posted: now.posted,
                ..RequesterState::default()
            };
        }
        if self.posts_are_void() {
            now.assigned = U(self.first_psn);
            (now.admit, now.tail, now.posted) = (U(0), U(0), U(0));
        }
        now.generation = U(self.generation);
        now
    }

    fn acks_are_void(&self) -> bool {
        self.acked_void.lower || self.acked_void.upper
    }

    pub fn posts_are_void(&self) -> bool {
        self.post_void.lower || self.post_void.upper
    }

    /// Something is written, or might be.
    pub fn writes(&self) -> bool {
        self.valid || self.saved.is_some()
    }

    pub fn old(&self) -> bool {
        before(self.step.psn.0, self.now().una.0)
    }

    pub fn unsent(&self) -> bool {
        !self.sent_to.is_some_and(|end| before(self.step.psn.0, end))
    }

    pub fn empty(&self) -> bool {
        let now = self.now();
        self.posts_are_void() || now.head == now.tail
    }

    pub fn meaning(&self) -> Meaning {
        let mut meaning = Meaning {
            state: self.now(),
            ..Meaning::default()
        };
        if self.valid && self.step.response {
            self.response(&mut meaning);
        } else if self.valid {
            self.answer(&mut meaning);
        }
        meaning
    }

    fn response(&self, meaning: &mut Meaning) {
        let (s, m, t) = (self.now(), &self.message, &self.step);
        let (psn, next) = (t.psn.0, (t.psn.0 + 1) % PSNS);
        let (full, rest) = self.lengths();
        let asked = self.alive && self.context_generation == t.generation.0 && !s.dead && !t.negative;
        // a READ with missing data is with the scheduler, and this PSN has been sent
        let waits = !self.posts_are_void() && s.read_at != s.admit && !self.old() && !self.unsent() && m.read;
        let first = psn == m.first_psn.0;
        let follows = psn == s.accepted.0 && !before(psn, m.first_psn.0);
        let in_order = (first || follows) && !before(psn, s.accepted.0);
        let inside = before(next, m.end_psn.0) && !t.ends && t.length.0 == full;
        let at_end = next == m.end_psn.0 && t.ends && t.length.0 == rest;
        meaning.takes = asked && waits && in_order && (inside || at_end);
        meaning.defers_response = !meaning.takes;
        if meaning.takes {
            meaning.state.accepted = U(next);
            meaning.state.read_at = U((s.read_at.0 + u64::from(at_end)) % 32);
        }
    }

    fn answer(&self, meaning: &mut Meaning) {
        let (s, m, t) = (self.now(), &self.message, &self.step);
        let next = (t.psn.0 + 1) % PSNS;
        let ours = self.alive && self.context_generation == t.generation.0;
        let code = t.syndrome.0 >> 5;
        let ack = t.answer == AnswerKind::Acknowledgement;
        let positive = ack && code == 0;
        let unknown = ack && ![0, 1, 3].contains(&code);
        let data = t.answer == AnswerKind::ReadData && !t.failed;
        let duplicate = t.answer == AnswerKind::ReadDuplicate;
        let (old, unsent) = (self.old(), self.unsent());

        meaning.echo = duplicate && t.int_on;
        meaning.ended = ours && s.dead && ack;
        let about = ours && !s.dead;
        meaning.ghost = about && ack && !old && unsent;
        meaning.ignored = about && unknown && !meaning.ghost;
        let nothing = !about || unknown || duplicate || meaning.ghost || (old && (positive || data));
        // within the oldest message, which the scheduler has, or to its end, if nobody waits for that and its completion can leave
        let kind = if m.read { data } else { positive && !unsent };
        let out = !self.posts_are_void() && s.head != s.admit;
        let follows = about && !self.passes && kind && out && !old;
        let inside = before(next, m.end_psn.0);
        let leaves = s.told == s.head && s.admit == s.tail && (self.room || !m.last);
        meaning.done = follows && leaves && next == m.end_psn.0;
        meaning.moves = (follows && inside) || meaning.done;
        meaning.defers_answer = !nothing && !meaning.moves;
        meaning.tells = meaning.moves || (about && positive && old);
        meaning.echo |= meaning.moves && data && self.int_on;
        let acknowledged = (PSNS + next - s.una.0) % PSNS * (256 << self.mtu);
        meaning.bytes = if positive && !old { acknowledged % (1 << 32) } else { 0 };
        if meaning.moves {
            meaning.state.una = U(next);
            if before(s.accepted.0, next) {
                meaning.state.accepted = U(next);
            }
        }
        if meaning.done {
            let one_on = |place: U<5>| U((place.0 + 1) % 32);
            meaning.state.head = one_on(s.head);
            meaning.state.told = one_on(s.told);
            if s.read_at == s.head {
                meaning.state.read_at = one_on(s.head);
            }
            if m.read {
                meaning.state.retired = one_on(s.retired);
            }
        }
    }
}
