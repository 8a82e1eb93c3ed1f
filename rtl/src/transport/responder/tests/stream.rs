//! Rows of several queue pairs as close as they may follow each other, creations among them: every clock of every action.

use super::*;

/// Clocks from a row that enters to its decision, in which another one of its queue pair may enter.
const DECISION: u64 = 5;
/// Clocks from a row that enters to its action, if actions are taken at once.
const ACTION: u64 = 6;
/// Clocks from a row that enters to the one in which `full` counts for it.
const FULL: u64 = 3;

/// A row on its way.
struct Traveller {
    request: Request,
    index: usize,
    generation: u8,
    entered: u64,
}

/// How a stream of rows comes and goes.
#[derive(Clone, Copy)]
struct Flow {
    /// Chance of a row in a clock.
    offers: f64,
    /// Chance that an action is taken.
    takes: f64,
    /// Chance of a creation.
    creates: f64,
    /// Chance that the response queue is full.
    full: f64,
    /// Queue pairs take turns.
    in_turn: bool,
}

/// What was seen.
#[derive(Debug, Default)]
struct Tally {
    /// Rows that entered.
    rows: u64,
    /// Creations while a row of the same queue pair was inside.
    overtaken: u64,
    /// Rows that waited for one of their queue pair.
    held: u64,
    /// Actions of each kind: acknowledgements, READs.
    acknowledgements: u64,
    reads: u64,
}

impl Bench {
    /// What must become of a row for which `full` was so.
    fn expected(&mut self, row: &Traveller, full: bool) -> Outcome {
        let mut outcome = Outcome::default();
        if row.generation != self.peers[row.index].generation {
            outcome.counts.push(Counter::UnknownQp);
        } else if full {
            outcome.counts.push(Counter::AckQueueFull);
            // the peer goes on as if nothing were missing: it begins anew soon
            self.peers[row.index].ended = true;
        } else {
            outcome = self.model(&row.request);
            self.peers[row.index].ended |= outcome.ack.as_ref().is_some_and(|ack| ack.1 > 0x60);
        }
        outcome
    }

    fn stream(&mut self, flow: Flow, clocks: u64) -> Tally {
        self.tells = 1.0;
        let exact = flow.takes == 1.0;
        let mut tally = Tally::default();
        let (mut offered, mut head): (Option<Traveller>, Option<Traveller>) = (None, None);
        let mut deciding: VecDeque<Traveller> = VecDeque::new();
        let mut decided: VecDeque<(Traveller, Outcome)> = VecDeque::new();
        // when they take effect, in what generation
        let mut creations: VecDeque<(u64, usize, u32)> = VecDeque::new();
        let mut last_entry = [0u64; 256];
        let (mut last_creation, mut turn, mut counted) = (0, 0, [0i64; RESPONDER_COUNTERS.len()]);
        let mut counts_before = 0;
        for clock in 10..10 + clocks + 100 {
            let ends = clock >= 10 + clocks;
            if offered.is_none() && !ends && self.stimulus.chance(flow.offers) {
                turn = (turn + 1) % self.peers.len();
                let index = match flow.in_turn {
                    true => turn,
                    false => self.stimulus.below(self.peers.len() as u64) as usize,
                };
                let request = self.peers[index].request(&mut self.stimulus);
                let generation = self.peers[index].generation;
                self.peers[index].sent(&request);
                self.block.row.data.next = RxPacket::from_slice(&self.row(&request, generation));
                offered = Some(Traveller {
                    request,
                    index,
                    generation,
                    entered: 0,
                });
            }
            self.block.row.valid.next = offered.is_some();
            let ended: Vec<usize> = (0..self.peers.len()).filter(|i| self.peers[*i].ended).collect();
            let creates = clock >= last_creation + 3 && !ends && self.stimulus.chance(flow.creates);
            if creates {
                let index = match ended.is_empty() {
                    true => self.stimulus.below(self.peers.len() as u64) as usize,
                    false => ended[self.stimulus.below(ended.len() as u64) as usize],
                };
                if creations.iter().all(|(_, pending, _)| *pending != index) {
                    let (qpn, psn) = (self.peers[index].config.qpn, self.any_psn());
                    let generation = self.peers[index].generation;
                    let next = if generation == 255 { 1 } else { generation + 1 };
                    self.write_context(qpn, context(next, psn));
                    creations.push_back((clock + DECISION, index, psn));
                    last_creation = clock;
                    tally.overtaken += u64::from(deciding.iter().any(|row| row.index == index));
                }
            }
            let creating = self.block.context_valid.next || creations.iter().any(|creation| creation.0 == clock + 1);
            let full = self.stimulus.chance(flow.full);
            self.block.full.next = full;
            self.block.action.ready.next = self.stimulus.chance(flow.takes);
            let ready = self.row_is_taken();
            let (taken, action, counts) = self.clock();

            // 0: the row in front enters, in the first clock in which it may
            if let Some(mut row) = head.take_if(|_| ready) {
                assert!(!creating, "clock {clock}: beside a creation");
                row.entered = clock;
                last_entry[row.request.qpn as usize] = clock;
                tally.rows += 1;
                deciding.push_back(row);
            } else if let Some(row) = &head {
                let held = clock < last_entry[row.request.qpn as usize] + DECISION;
                tally.held += u64::from(held);
                assert!(!exact || held || creating, "clock {clock}: nothing holds it");
            }
            if let Some(row) = deciding.back().filter(|row| row.entered == clock) {
                let same = deciding.iter().rev().skip(1).find(|other| other.index == row.index);
                let least = same.map_or(0, |other| other.entered + DECISION);
                assert!(
                    clock >= least,
                    "clock {clock}: two rows of queue pair {} at once",
                    row.request.qpn
                );
            }
            if taken {
                head = offered.take();
            }

            // 3: `full` counts; creations are in the order in which rows read
            if let Some(row) = deciding.pop_front_if(|row| row.entered + FULL == clock) {
                while let Some((_, index, psn)) = creations.pop_front_if(|creation| creation.0 <= row.entered) {
                    self.peers[index].config.expected_psn = psn;
                    self.create_in_model(index);
                }
                let outcome = self.expected(&row, full);
                tally.acknowledgements += u64::from(outcome.ack.is_some());
                tally.reads += u64::from(outcome.read.is_some());
                outcome.counts.iter().for_each(|counter| counted[place(*counter)] += 1);
                decided.push_back((row, outcome));
            }

            // 6: its action; what was counted for it a clock before
            if exact {
                let due = decided.front().is_some_and(|(row, _)| row.entered + ACTION == clock);
                assert_eq!(action.is_some(), due, "clock {clock}");
            }
            if let Some(word) = action {
                let (row, expected) = decided.pop_front().expect("a row was decided");
                let mut outcome = Outcome::default();
                self.carry_out(&row.request, row.generation, word, &mut outcome);
                let (ack, read) = (expected.ack, expected.read);
                assert_eq!(
                    (outcome.ack, outcome.read),
                    (ack, read),
                    "clock {clock}: {:?}",
                    row.request
                );
                if exact {
                    let seen = (0..RESPONDER_COUNTERS.len()).filter(|bit| counts_before >> bit & 1 == 1);
                    let seen: Vec<_> = seen.map(|bit| RESPONDER_COUNTERS[bit]).collect();
                    assert_eq!(seen, expected.counts, "clock {clock}: {:?}", row.request);
                }
            }
            (0..RESPONDER_COUNTERS.len()).for_each(|bit| counted[bit] -= (counts >> bit & 1) as i64);
            counts_before = counts;
        }
        assert!(head.is_none() && deciding.is_empty() && decided.is_empty());
        assert_eq!(counted, [0; RESPONDER_COUNTERS.len()], "counts");
        let block = self.nic.memory().block(BASE.wrapping_add(OFFSET)).expect("the block");
        assert!(block == self.memory, "memory differs");
        tally
    }

    /// `ready` of the rows as it is now, a register's word but for the context bus.
    fn row_is_taken(&mut self) -> bool {
        set_clock(self.block.as_mut(), false);
        self.block.row.ready.val()
    }
}

fn place(counter: Counter) -> usize {
    let found = RESPONDER_COUNTERS.iter().position(|other| *other == counter);
    found.expect("a counter of the responder")
}

/// Eight queue pairs in turn: a row in every clock.
#[test]
fn different_queue_pairs_are_decided_one_a_clock() {
    let mut bench = Bench::of(20, &[2, 3, 4, 5, 6, 7, 8, 149]);
    let flow = Flow {
        offers: 1.0,
        takes: 1.0,
        creates: 0.0,
        full: 0.0,
        in_turn: true,
    };
    let tally = bench.stream(flow, 2000);
    assert_eq!((tally.rows, tally.held), (2000, 0), "{tally:?}");
}

/// One queue pair: a row in every fifth clock.
#[test]
fn one_queue_pair_is_decided_every_five_clocks() {
    let mut bench = Bench::of(21, &[77]);
    let flow = Flow {
        offers: 1.0,
        takes: 1.0,
        creates: 0.0,
        full: 0.0,
        in_turn: true,
    };
    let tally = bench.stream(flow, 2000);
    assert!((400..=402).contains(&tally.rows), "{tally:?}");
}

/// Few and many queue pairs at random, creations in the middle of decisions, a response queue that is full now and then.
#[test]
fn every_action_comes_in_its_clock_and_is_what_the_model_does() {
    for (seed, numbers) in [
        (22, &[2, 3][..]),
        (23, &[2, 3, 77, 149, 5, 6]),
        (24, &[9, 10, 11, 12, 13, 14, 15, 16, 17, 18]),
    ] {
        for takes in [1.0, 0.5] {
            let mut bench = Bench::of(seed, numbers);
            let flow = Flow {
                offers: 0.9,
                takes,
                creates: 0.06,
                full: 0.03,
                in_turn: false,
            };
            let tally = bench.stream(flow, 12_000);
            assert!(tally.overtaken > 50 && tally.held > 1000, "{tally:?}");
            assert!(tally.acknowledgements > 1000 && tally.reads > 100, "{tally:?}");
        }
    }
}
