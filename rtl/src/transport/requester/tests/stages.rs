//! The pipe of answers, every output in every clock, against what a step means by the transport's rules.

use super::*;
use crate::sim::{init, step, Stimulus};
use crate::transport::requester::tests::psns::{before, PSNS};
use std::collections::VecDeque;

#[path = "stages_meaning.rs"]
mod meaning;

use meaning::{Case, Meaning};

/// Clocks behind which a step comes out.
const LAST: usize = 5;

/// The cases in the pipe by clock of the pipe, the one that enters first.
struct Bench {
    block: Box<Stages>,
    cases: VecDeque<Case>,
    clock: u64,
    /// How often something moved, was done, was taken, left as an answer, left as a response, dropped, ghost, ignored, ended, saved.
    seen: [u64; 10],
}

impl Bench {
    /// The inputs of a clock; the state machine has the turn or not. Its PSN does not come through the pipe.
    fn present(&mut self, turn: bool, noise: Option<FastStep>) {
        let [entering, _, asks, shown, decides] = [0, 1, 2, 3, 4].map(|at| self.cases[at]);
        let b = self.block.as_mut();
        b.valid.next = entering.valid;
        b.step.next = noise.unwrap_or(entering.step);
        b.state.next = asks.state;
        (b.all_void.next, b.acked_void.next) = (asks.post_void, asks.acked_void);
        b.own_generation.next = U(asks.generation);
        b.first_psn.next = U(asks.first_psn);
        b.alive.next = asks.alive;
        b.context_generation.next = U(asks.context_generation);
        b.mtu.next = U(asks.mtu);
        b.int_on.next = asks.int_on;
        b.sent_known.next = asks.sent_to.is_some();
        b.sent_to.next = U(asks.sent_to.unwrap_or(asks.first_psn));
        b.turn.next = turn;
        b.machine_psn.next = if turn { asks.step.psn } else { shown.step.psn };
        b.saves.next = shown.saved.is_some();
        b.saved_qp.next = shown.step.qp;
        b.saved_state.next = shown.saved.unwrap_or(shown.state);
        b.message.next = decides.message;
        b.room.next = decides.room;
    }

    /// A clock: everything that shows is as it must be. Whether something was left to the state machine.
    fn clock(&mut self) -> bool {
        let Self {
            block,
            cases,
            clock,
            seen,
        } = self;
        let at = *clock;
        *clock += 1;
        let last = cases[LAST];
        let meaning = last.meaning();
        step(block.as_mut(), |b| {
            let busy = cases.range(1..=LAST).any(|case| case.valid);
            assert_eq!(b.busy.val(), busy, "clock {at}");
            first_clock(b, &cases[1], at);
            third_clock(b, &cases[3], at);
            fourth_clock(b, &cases[4], at);
            fifth_clock(b, &last, &meaning, at);
        });
        let dropped = cases[1].valid && cases[1].step.response && cases[1].passes;
        let happened = [
            meaning.moves,
            meaning.done,
            meaning.takes,
            meaning.defers_answer,
            meaning.defers_response,
            dropped,
            meaning.ghost,
            meaning.ignored,
            meaning.ended,
            last.saved.is_some(),
        ];
        seen.iter_mut()
            .zip(happened)
            .for_each(|(seen, now)| *seen += u64::from(now));
        // what it takes along
        let first = &mut cases[1];
        first.valid &= !(first.step.response && (first.passes || meaning.defers_response));
        meaning.defers_answer || meaning.defers_response
    }
}

fn first_clock(b: &Stages, case: &Case, at: u64) {
    assert_eq!(
        b.recalls_response.val(),
        case.valid && case.step.response && case.passes,
        "clock {at}"
    );
    if case.valid {
        assert_eq!(
            (b.asked_qp.val(), b.asked_psn.val()),
            (case.step.qp, case.step.psn),
            "clock {at}"
        );
        assert_eq!(
            (b.ring_qp.val(), b.ring_read.val()),
            (case.step.qp, case.step.response),
            "clock {at}"
        );
    }
}

fn third_clock(b: &Stages, case: &Case, at: u64) {
    let now = case.now();
    assert_eq!(b.state_now.val(), now, "clock {at}: {case:?}");
    let shown = [
        b.void_now.val(),
        b.dead_now.val(),
        b.empty.val(),
        b.old.val(),
        b.unsent.val(),
        b.before_gap.val(),
    ];
    let wanted = [
        case.posts_are_void(),
        now.dead,
        case.empty(),
        case.old(),
        case.unsent(),
        before(case.step.psn.0, now.accepted.0),
    ];
    assert_eq!(shown, wanted, "clock {at}: {case:?}");
}

fn fourth_clock(b: &Stages, case: &Case, at: u64) {
    assert_eq!(b.old_before.val(), case.old(), "clock {at}: {case:?}");
    assert_eq!(b.at_una.val(), case.step.psn == case.now().una, "clock {at}: {case:?}");
    assert_eq!(b.will_write.val(), case.writes(), "clock {at}");
    assert!(!case.writes() || b.completes_qp.val() == case.step.qp, "clock {at}");
    assert!(!case.valid || b.read_place.val() == case.step.place, "clock {at}");
}

fn fifth_clock(b: &Stages, case: &Case, meaning: &Meaning, at: u64) {
    let shown = [
        b.moved.val(),
        b.frees.val(),
        b.completed.val(),
        b.takes.val(),
        b.defers_answer.val(),
        b.defers_response.val(),
        b.tells.val(),
        b.echo.val(),
        b.ghost.val(),
        b.ignored.val(),
        b.ended.val(),
        b.saved.val(),
        b.writing.val(),
    ];
    let wanted = [
        meaning.moves || meaning.takes,
        meaning.done,
        meaning.done && case.message.last,
        meaning.takes,
        meaning.defers_answer,
        meaning.defers_response,
        meaning.tells,
        meaning.echo,
        meaning.ghost,
        meaning.ignored,
        meaning.ended,
        case.saved.is_some(),
        case.writes(),
    ];
    assert_eq!(shown, wanted, "clock {at}: {case:?}\n{meaning:?}");
    assert!(!case.writes() || b.qp.val() == case.step.qp, "clock {at}");
    assert!(!case.valid || b.place.val() == case.step.place, "clock {at}");
    // what may be written is the state, moved or not
    assert!(
        b.we.val() || !(meaning.moves || meaning.takes || case.saved.is_some()),
        "clock {at}"
    );
    assert!(!b.we.val() || b.writing.val(), "clock {at}");
    if b.we.val() {
        let written = case.saved.unwrap_or(meaning.state);
        assert_eq!(b.new_state.val(), written, "clock {at}: {case:?}");
    }
    if meaning.tells {
        let acknowledgement = case.step.answer == AnswerKind::Acknowledgement;
        assert_eq!(b.psn.val().0, (case.step.psn.0 + 1) % PSNS, "clock {at}");
        assert_eq!(b.bytes.val().0, meaning.bytes, "clock {at}: {case:?}");
        assert_eq!(b.generation.val().0, case.generation, "clock {at}");
        assert_eq!(b.acknowledges.val(), acknowledgement, "clock {at}");
        assert_eq!(b.with_int.val(), acknowledgement && case.int_on, "clock {at}");
    }
    if meaning.takes {
        let ahead = (PSNS + case.step.psn.0 - case.message.first_psn.0) % PSNS * (256 << case.mtu);
        assert_eq!(b.ahead.val().0, ahead, "clock {at}: {case:?}");
        assert_eq!(b.last.val(), case.step.ends, "clock {at}: {case:?}");
    }
}

/// Answers and READ responses of many queue pairs, in turns with a state machine that writes states.
#[test]
fn every_step_means_what_the_rules_say() {
    let mut random = Stimulus::new(41);
    let mut block: Box<Stages> = Box::default();
    init(block.as_mut()).expect("complete block");
    block.reset.next = true;
    step(block.as_mut(), |_| ());
    block.reset.next = false;
    let mut bench = Bench {
        block,
        cases: VecDeque::from([Case::default(); LAST + 1]),
        clock: 0,
        seen: [0; 10],
    };
    let mut since_response = 0;
    for clock in 0..90_000u64 {
        // the pipe runs out before the state machine has the turn, and it has ended when steps enter
        let (turn, steps) = (clock % 200 >= 160, (6..150).contains(&(clock % 200)));
        since_response += 1;
        let response = steps && since_response >= 4 && random.chance(0.3);
        if response {
            since_response = 0;
        }
        let valid = steps && random.chance(0.9);
        let mut case = Case::draw(&mut random, valid, response);
        let other = Case::draw(&mut random, false, false);
        let within_turn = (163..190).contains(&(clock % 200));
        if within_turn && random.chance(0.5) {
            case.saved = Some(other.state);
        }
        bench.cases.push_front(case);
        bench.cases.truncate(LAST + 1);
        bench.present(turn, within_turn.then_some(other.step));
        // the registers come to hold what enters
        if clock <= LAST as u64 {
            step(bench.block.as_mut(), |_| ());
            continue;
        }
        let left = bench.clock();
        bench.cases[0].passes = left;
    }
    assert!(bench.seen.iter().all(|seen| *seen > 400), "{:?}", bench.seen);
}
