//! Whether the NICs' clock may move: with virtual time it stands while a program runs.
//!
//! A program runs from each verb call that it makes and from each write, completion or event that reaches it, until it waits: it polls and finds
//! nothing, it blocks for an event, none of its threads could run, or it has shown no sign for two milliseconds of its own processor time (it spins on
//! its memory). A program that waits for a processor goes on running, however long that takes.

use crate::shared_file::Words;
use crate::space::Program;
use std::time::{Duration, Instant};

/// After this processor time without a sign a program waits.
const PATIENCE: Duration = Duration::from_millis(2);
/// Between two looks at the states of its threads.
const LOOK: Duration = Duration::from_micros(50);
/// Empty polls behind a delivery: the first may have begun before it.
const POLLS: u32 = 2;

/// What is known of one program.
#[derive(Debug)]
pub struct Gate {
    calls: u32,
    /// Empty polls when something was last delivered, until they are enough.
    polls_at_delivery: Option<u32>,
    /// Calls when an event was last delivered: until the next one it is no sign that a thread waits for an event.
    calls_at_event: Option<u32>,
    /// Running since it had used so much processor time, as far as is known.
    running: Option<Duration>,
    looked: Instant,
}

impl Gate {
    /// A program that has just opened a device.
    pub fn new() -> Self {
        Self {
            calls: 0,
            polls_at_delivery: None,
            calls_at_event: None,
            running: Some(Duration::ZERO),
            looked: Instant::now(),
        }
    }

    /// The program waits, as its words and threads say.
    pub fn waits(&mut self, words: &Words, program: &Program) -> bool {
        let used = program.process.processor_time();
        if program.delivered.take() {
            self.polls_at_delivery = Some(words.empty_polls);
            self.running = Some(used);
        }
        if program.woken.take() {
            self.calls_at_event = Some(words.calls);
            self.running = Some(used);
        }
        if words.calls != self.calls {
            self.calls = words.calls;
            self.running = Some(used);
        }
        let Some(since) = self.running else { return true };
        let polled = words.calls_at_poll == words.calls
            && words.empty_polls != 0
            && self
                .polls_at_delivery
                .is_none_or(|then| words.empty_polls.wrapping_sub(then) >= POLLS);
        let blocked = words.blocked > 0 && self.calls_at_event != Some(words.calls);
        let waits = polled || blocked || used.saturating_sub(since) > PATIENCE || self.no_thread_runs(program);
        if waits {
            self.running = None;
            self.polls_at_delivery = None;
        }
        waits
    }

    fn no_thread_runs(&mut self, program: &Program) -> bool {
        let now = Instant::now();
        if now - self.looked < LOOK {
            return false;
        }
        self.looked = now;
        !program.process.has_runnable_thread()
    }
}
