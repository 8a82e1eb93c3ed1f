use super::*;
use crate::sim::{init, step, Stimulus};
use std::collections::VecDeque;

/// What a turn looks like from outside.
#[derive(Default)]
struct Seen {
    operations: u32,
    entered: u32,
    turns: u32,
}

/// A state machine whose operations take six clocks and a pipe of five clocks, with these chances that something waits for them, and that something waits for
/// a clock in which the pipe writes no state.
fn run(calls: f64, answers: f64, waits: f64, crowded: f64) -> Seen {
    let mut turns: Box<Turns> = Box::default();
    init(turns.as_mut()).expect("complete block");
    let mut random = Stimulus::new(13);
    let mut pipe: VecDeque<bool> = VecDeque::from([false; 5]);
    // answers that the pipe has left: up to seven, while it runs out
    let (mut running, mut in_turn, mut calling, mut left) = (0u32, 0u32, false, 0u64);
    let mut seen = Seen::default();
    let (mut before, mut waited, mut begun, mut crowds_before) = (false, false, false, false);
    for clock in 0..20_000 {
        let t = turns.as_mut();
        t.reset.next = clock < 2;
        calling |= clock > 2 && random.chance(calls);
        if calling && !before && left == 0 && random.chance(answers) {
            left = 1 + random.below(7);
        }
        let answering = left > 0;
        let waiting = clock > 2 && random.chance(waits);
        t.calls.next = calling;
        t.answers.next = answering;
        t.idle.next = running == 0;
        t.waits.next = waiting;
        t.busy.next = pipe.contains(&true);
        let crowds = clock > 2 && random.chance(crowded);
        t.crowded.next = crowds;
        rust_hdl::prelude::simulate(t, 10);
        let begins = t.go.val() && running == 0 && calling;
        t.begun.next = begun;
        let (machine, go, hold) = step(t, |t| (t.machine.val(), t.go.val(), t.hold.val()));
        let enters = waiting && !hold;
        assert!(machine || running == 0, "clock {clock}: an operation outside its turn");
        assert!(!go || machine, "clock {clock}");
        assert!(hold || !(machine || crowds_before), "clock {clock}: nothing may enter");
        assert!(
            !(machine && (pipe.contains(&true) || enters)),
            "clock {clock}: both at the tables"
        );
        if machine && !before {
            (in_turn, seen.turns) = (0, seen.turns + 1);
        }
        // answers that the pipe has left are done before it goes on
        assert!(!(before && !machine && answering), "clock {clock}: answers are left");
        assert!(
            !begins || in_turn < 4 || answering || !waited,
            "clock {clock}: more than its turn"
        );
        if begins {
            (running, in_turn) = (6, in_turn + 1);
            seen.operations += 1;
            left = left.saturating_sub(1);
            calling = left > 0 || random.chance(calls);
        }
        running = running.saturating_sub(1);
        seen.entered += u32::from(enters);
        pipe.pop_front();
        pipe.push_back(enters);
        (before, waited, begun, crowds_before) = (machine, waiting, begins, crowds);
    }
    seen
}

#[test]
fn the_pipe_and_the_state_machine_take_turns() {
    let alone = run(1.0, 0.0, 0.0, 0.0);
    assert!(alone.turns == 1 && alone.operations > 3000, "{}", alone.operations);
    let none = run(0.0, 0.0, 1.0, 0.0);
    let crowded = run(0.0, 0.0, 1.0, 0.5);
    assert!((9_000..11_000).contains(&crowded.entered), "{}", crowded.entered);
    assert!(none.turns == 0 && none.entered > 19_000, "{}", none.entered);
    // four operations of six clocks, eight clocks of the pipe, and what the change costs
    let both = run(1.0, 0.0, 1.0, 0.0);
    assert!(both.operations > 20_000 / 45 * 4, "{}", both.operations);
    assert!(both.entered > 20_000 / 45 * 7, "{}", both.entered);
    let answers = run(0.05, 0.5, 0.9, 0.1);
    assert!(answers.operations > 400 && answers.entered > 5000);
}
