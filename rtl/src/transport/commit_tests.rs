//! Random entries, tokens and receivers against a list of what must come out.

use super::*;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use crate::words::transport::Commit;
use std::collections::{BTreeMap, VecDeque};

struct Bench {
    stage: Box<CommitStage>,
    stimulus: Stimulus,
    up: Option<[u64; 7]>,
    tokens: VecDeque<u64>,
    offering: bool,
    responses: VecDeque<[u64; 7]>,
    answers: VecDeque<[u64; 7]>,
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
            fails: VecDeque::new(),
            failed: BTreeMap::new(),
            taken: 0,
            naks: 0,
        }
    }

    /// The next entry; what comes of it goes into the lists.
    fn entry(&mut self, errors: f64) -> [u64; 7] {
        let mut limbs: [u64; 7] = std::array::from_fn(|_| self.stimulus.uniform(64));
        limbs[6] &= (1 << 37) - 1;
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
        if waits {
            limbs[6] |= 1 << 37;
            self.tokens.push_back(error.into());
        }
        if kind == 3 {
            Commit::ENDS_OR_FAILED.put(&mut out, error.into());
            self.answers.push_back(out);
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
            self.responses.push_back(out);
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
        if let Some(limbs) = response {
            let expected = self.responses.pop_front();
            assert_eq!(
                Some(limbs),
                expected,
                "response of Commit::PSN {:x}",
                Commit::PSN.get(&limbs)
            );
        }
        if let Some(limbs) = answer {
            assert_eq!(
                Some(limbs),
                self.answers.pop_front(),
                "answer of Commit::PSN {:x}",
                Commit::PSN.get(&limbs)
            );
        }
        if let Some(fail) = fail {
            assert_eq!(
                Some(fail),
                self.fails.pop_front(),
                "queue pair and generation that failed"
            );
        }
    }

    fn drain(&mut self) {
        for _ in 0..20 {
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
