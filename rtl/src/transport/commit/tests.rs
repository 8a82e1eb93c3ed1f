//! Random entries, tokens and receivers against lists of what must come out, and after which token.

use super::*;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use crate::words::transport::Commit;
use std::collections::{BTreeMap, VecDeque};

/// What must come out, and how many tokens must have been taken by then.
struct Expected {
    limbs: [u64; 7],
    tokens: u64,
}

struct Bench {
    stage: Box<CommitStage>,
    stimulus: Stimulus,
    up: Option<[u64; 7]>,
    tokens: VecDeque<u64>,
    offering: bool,
    responses: VecDeque<Expected>,
    answers: VecDeque<Expected>,
    /// Tokens that entries so far wait for, and those that were taken.
    awaited: u64,
    written: u64,
    fails: VecDeque<(u64, u64)>,
    failed: BTreeMap<u64, u64>,
    taken: u64,
    naks: u64,
}

impl Bench {
    fn new(seed: u64) -> Self {
        let mut stage: Box<CommitStage> = Box::default();
        init(stage.as_mut()).expect("complete block");
        stage.reset.next = true;
        step(stage.as_mut(), |_| ());
        stage.reset.next = false;
        Self {
            stage,
            stimulus: Stimulus::new(seed),
            up: None,
            tokens: VecDeque::new(),
            offering: false,
            responses: VecDeque::new(),
            answers: VecDeque::new(),
            awaited: 0,
            written: 0,
            fails: VecDeque::new(),
            failed: BTreeMap::new(),
            taken: 0,
            naks: 0,
        }
    }

    /// The next entry; what comes of it goes into the lists.
    fn entry(&mut self, errors: f64) -> [u64; 7] {
        let mut limbs: [u64; 7] = std::array::from_fn(|_| self.stimulus.uniform(64));
        limbs[6] &= u64::MAX >> (448 - Commit::BITS);
        Commit::ANSWER.put(&mut limbs, self.stimulus.below(5));
        // few queue pairs, and their generation grows slowly
        let (qp, generation) = (self.stimulus.below(4), (self.taken >> 8) & 0xff);
        Commit::QP.put(&mut limbs, qp);
        Commit::GENERATION.put(&mut limbs, generation);
        let kind = Commit::KIND.get(&limbs);
        if kind == 3 {
            Commit::ENDS_OR_FAILED.put(&mut limbs, 0);
        }
        let waits = kind != 2 && self.stimulus.chance(0.7);
        let error = waits && self.stimulus.chance(errors);
        let mut out = limbs;
        let mut tokens = 0;
        if waits {
            CommitEntry::WAITS.put(&mut limbs, 1);
            self.tokens.push_back(error.into());
            self.awaited += 1;
            tokens = self.awaited;
        }
        if kind == 3 {
            Commit::ENDS_OR_FAILED.put(&mut out, error.into());
            self.answers.push_back(Expected { limbs: out, tokens });
            return limbs;
        }
        if self.failed.get(&qp) == Some(&generation) {
            return limbs;
        }
        if error {
            self.failed.insert(qp, generation);
            self.fails.push_back((qp, generation));
            Commit::KIND.put(&mut out, 1);
            Commit::SYNDROME.put(&mut out, 0x63);
            let completed = Commit::MSN.get(&limbs).wrapping_sub(Commit::ENDS_OR_FAILED.get(&limbs)) & 0xff_ffff;
            Commit::MSN.put(&mut out, completed);
            self.naks += 1;
        }
        if error || kind != 0 {
            self.responses.push_back(Expected { limbs: out, tokens });
        }
        limbs
    }

    fn tick(&mut self, offer: f64, token: f64, accept: f64, errors: f64) {
        if self.up.is_none() && self.stimulus.chance(offer) {
            self.up = Some(self.entry(errors));
        }
        self.offering = !self.tokens.is_empty() && (self.offering || self.stimulus.chance(token));
        let (respond, answer) = (self.stimulus.chance(accept), self.stimulus.chance(accept));
        let stage = &mut self.stage;
        stage.up.valid.next = self.up.is_some();
        stage.up.data.next = CommitEntry::from_slice(&self.up.unwrap_or([!0; 7]));
        stage.written.valid.next = self.offering;
        stage.written.data.next = U(if self.offering { self.tokens[0] } else { 1 });
        stage.response.ready.next = respond;
        stage.answer.ready.next = answer;
        let (taken, written, response, answer, fail) = step(stage.as_mut(), |s| {
            let moved = |valid: bool, ready: bool| valid && ready;
            (
                moved(s.up.valid.val(), s.up.ready.val()),
                moved(s.written.valid.val(), s.written.ready.val()),
                moved(s.response.valid.val(), s.response.ready.val()).then(|| s.response.data.val().array::<7>()),
                moved(s.answer.valid.val(), s.answer.ready.val()).then(|| s.answer.data.val().array::<7>()),
                s.fail_valid
                    .val()
                    .then(|| (s.fail_qp.val().0, s.fail_generation.val().0)),
            )
        });
        if taken {
            self.up = None;
            self.taken += 1;
        }
        if written {
            self.tokens.pop_front();
            self.offering = false;
        }
        let expected = [(response, &mut self.responses), (answer, &mut self.answers)];
        for (given, list) in expected {
            let Some(limbs) = given else { continue };
            let expected = list.pop_front().expect("an entry that asks for it");
            let psn = Commit::PSN.get(&limbs);
            assert_eq!(limbs, expected.limbs, "PSN {psn:x}");
            assert!(expected.tokens <= self.written, "PSN {psn:x} before memory has it");
        }
        self.written += u64::from(written);
        if let Some(fail) = fail {
            assert_eq!(
                Some(fail),
                self.fails.pop_front(),
                "queue pair and generation that failed"
            );
        }
    }

    fn drain(&mut self) {
        for _ in 0..300 {
            self.tick(0.0, 1.0, 1.0, 0.0);
        }
        assert!(self.up.is_none() && self.tokens.is_empty());
        assert!(self.responses.is_empty() && self.answers.is_empty() && self.fails.is_empty());
    }
}

#[test]
fn errors_become_naks_and_silence_and_order_is_kept() {
    for (seed, offer, token, accept, errors) in [
        (1, 1.0, 1.0, 1.0, 0.01),
        (2, 0.7, 0.3, 0.9, 0.02),
        (3, 1.0, 0.9, 0.3, 0.3),
        (4, 0.3, 1.0, 0.7, 0.0),
    ] {
        let mut bench = Bench::new(seed);
        for _ in 0..20_000 {
            bench.tick(offer, token, accept, errors);
        }
        bench.drain();
        assert!(bench.taken > 4000, "{}", bench.taken);
        assert_eq!(bench.naks > 20, errors > 0.0, "{}", bench.naks);
    }
}

#[test]
fn an_entry_a_clock() {
    let mut bench = Bench::new(9);
    for _ in 0..1000 {
        bench.tick(1.0, 1.0, 1.0, 0.0);
    }
    assert!(bench.taken >= 990, "{}", bench.taken);
}

/// An entry of a kind, of queue pair 0, that waits for a write or not.
fn plain(kind: u64, psn: u64, waits: bool) -> [u64; 7] {
    let mut limbs = [0; 7];
    Commit::KIND.put(&mut limbs, kind);
    Commit::PSN.put(&mut limbs, psn);
    CommitEntry::WAITS.put(&mut limbs, waits.into());
    limbs
}

/// PSNs that came, with their clocks.
type Seen = Vec<(u64, u64)>;

/// Offers entries one a clock, then nothing for a while, and no token: the responses and the answers that come.
fn without_memory(entries: &[[u64; 7]]) -> (Seen, Seen) {
    let mut bench = Bench::new(1);
    let stage = bench.stage.as_mut();
    // the queues open a clock after the reset
    step(stage, |_| ());
    let (mut responses, mut answers) = (vec![], vec![]);
    for clock in 0..entries.len() + 30 {
        stage.up.valid.next = clock < entries.len();
        stage.up.data.next = CommitEntry::from_slice(entries.get(clock).unwrap_or(&[!0; 7]));
        stage.written.valid.next = false;
        (stage.response.ready.next, stage.answer.ready.next) = (true, true);
        let (taken, response, answer) = step(stage, |s| {
            let psn = |data: Commit| Commit::PSN.get(&data.array::<7>());
            (
                s.up.ready.val(),
                s.response.valid.val().then(|| psn(s.response.data.val())),
                s.answer.valid.val().then(|| psn(s.answer.data.val())),
            )
        });
        assert!(taken || clock >= entries.len(), "clock {clock}");
        responses.extend(response.map(|psn| (psn, clock as u64)));
        answers.extend(answer.map(|psn| (psn, clock as u64)));
    }
    (responses, answers)
}

/// READs that are asked for, and acknowledgements that come, do not wait for payload of the other direction.
#[test]
fn neither_direction_waits_for_the_other() {
    let (read, acknowledge, answer) = (2, 1, 3);
    let (responses, answers) = without_memory(&[plain(answer, 1, true), plain(read, 2, false), plain(read, 3, false)]);
    assert_eq!((responses, answers), (vec![(2, 7), (3, 8)], vec![]));
    let (responses, answers) = without_memory(&[
        plain(acknowledge, 1, true),
        plain(answer, 2, false),
        plain(answer, 3, false),
    ]);
    assert_eq!((responses, answers), (vec![], vec![(2, 5), (3, 6)]));
    // but a READ behind a WRITE does
    let (responses, _) = without_memory(&[plain(acknowledge, 1, true), plain(read, 2, false)]);
    assert_eq!(responses, vec![]);
}

/// With memory that has stopped, queues that are full lose nothing, whichever of the three it is.
#[test]
fn a_full_queue_loses_nothing() {
    for (seed, accept) in [(11, 1.0), (12, 0.0)] {
        let mut bench = Bench::new(seed);
        for _ in 0..600 {
            bench.tick(1.0, 0.0, accept, 0.0);
        }
        let held = bench.taken;
        assert!((56..300).contains(&held), "{held}");
        for _ in 0..2000 {
            bench.tick(1.0, 0.9, 0.9, 0.01);
        }
        bench.drain();
        assert!(bench.taken > held + 1000, "{}", bench.taken);
    }
}

/// Memory that stops while all that comes waits for it, from requests and answers in turn, from requests alone and from answers alone: each kind fills its own queue,
/// the order of the writes has room for both, and whatever was taken leaves in its order.
#[test]
fn all_writes_that_are_awaited_are_noted() {
    for (kinds, least, most) in [(&[1, 3][..], 112, 128), (&[1], 56, 66), (&[3], 56, 66)] {
        let mut bench = Bench::new(1);
        let stage = bench.stage.as_mut();
        let (mut taken, mut tokens, mut responses, mut answers) = (0u64, 0, vec![], vec![]);
        for clock in 0..800 {
            let memory = clock >= 400;
            stage.up.valid.next = !memory;
            stage.up.data.next = CommitEntry::from_slice(&plain(kinds[taken as usize % kinds.len()], taken, true));
            stage.written.valid.next = memory && tokens < taken;
            stage.written.data.next = U(0);
            (stage.response.ready.next, stage.answer.ready.next) = (true, true);
            let (enters, written, response, answer) = step(stage, |s| {
                let psn = |data: Commit| Commit::PSN.get(&data.array::<7>());
                (
                    s.up.valid.val() && s.up.ready.val(),
                    s.written.valid.val() && s.written.ready.val(),
                    s.response.valid.val().then(|| psn(s.response.data.val())),
                    s.answer.valid.val().then(|| psn(s.answer.data.val())),
                )
            });
            taken += u64::from(enters);
            tokens += u64::from(written);
            responses.extend(response);
            answers.extend(answer);
        }
        assert!((least..=most).contains(&taken), "{taken} entries of {kinds:?}");
        assert_eq!(tokens, taken);
        let of = |kind| {
            (0..taken)
                .filter(|n| kinds[*n as usize % kinds.len()] == kind)
                .collect::<Vec<_>>()
        };
        assert_eq!((responses, answers), (of(1), of(3)), "{kinds:?}");
    }
}
