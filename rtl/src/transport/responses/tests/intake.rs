//! What comes next, in every clock: which input is taken, as what, and when it waits, against the rules of the file.

use super::*;
use crate::sim::{init, step, Stimulus};
use std::collections::VecDeque;

/// What is offered for comparison.
#[derive(Clone, Copy, Debug)]
enum Offer {
    Creation(QpChange),
    End(ReadEnd),
    /// And where its INT lies.
    Answer(Commit, u64),
}

impl Offer {
    fn qp(&self) -> u64 {
        match self {
            Self::Creation(change) => change.qp.0,
            Self::End(end) => end.qp.0,
            Self::Answer(answer, _) => answer.qp.0,
        }
    }

    /// What the block shows of it.
    fn check(&self, b: &Intake, clock: u64) {
        let entry = b.entry.val();
        let subject = match self {
            Self::Creation(change) => {
                assert_eq!(b.creation.val(), *change, "clock {clock}");
                ResponseInput::Creation
            }
            Self::End(end) => {
                let tag = bit_cast_word::<EndInMsn, U<24>>(entry.msn).tag;
                let psn = (end.psn.0 + u64::from(!end.failed)) & 0xff_ffff;
                let syndrome =
                    if end.refused { AethSyndrome::NakRemoteAccess } else { AethSyndrome::NakRemoteOperation };
                let shown = (entry.generation, entry.ends_or_failed, entry.psn.0, tag, entry.syndrome);
                assert_eq!(
                    shown,
                    (end.generation, end.failed, psn, end.tag, syndrome),
                    "clock {clock}: {end:?}"
                );
                ResponseInput::ReadEnd
            }
            Self::Answer(came, place) => {
                let wanted = QueuedAnswer {
                    kind: came.kind,
                    qp: came.qp,
                    generation: came.generation,
                    psn: came.psn,
                    syndrome: came.syndrome,
                    msn: came.msn,
                    ends_or_failed: came.ends_or_failed,
                    int_length: came.int_length,
                    int_at: U(*place),
                    asked: bit_cast_word::<ReadRequest, W<336, 6>>(came.int_stack),
                };
                assert_eq!(entry, wanted, "clock {clock}");
                ResponseInput::Answer
            }
        };
        assert_eq!((b.subject.val(), b.qp.val().0), (subject, self.qp()), "clock {clock}");
    }
}

fn answer(random: &mut Stimulus) -> Commit {
    let mut answer: Commit = random.word();
    answer.qp = U(random.below(5));
    answer
}

#[test]
fn the_next_input_is_the_one_that_the_rules_say() {
    let mut random = Stimulus::new(61);
    let mut block: Box<Intake> = Box::default();
    init(block.as_mut()).expect("complete block");
    let b = block.as_mut();
    // the queues come out of reset a clock later
    for clock in 0..4 {
        b.reset.next = clock < 2;
        step(b, |_| ());
    }
    let (mut contexts, mut ends): (VecDeque<QpChange>, VecDeque<ReadEnd>) = Default::default();
    let mut up: Option<Commit> = None;
    let (mut offered, mut met): (Option<Offer>, bool) = (None, false);
    let (mut leaving, mut waited, mut near) = (false, false, false);
    // INT by place, of the answers that were taken; the next place
    let (mut stacks, mut place): ([Option<W<336, 6>>; 8], u64) = ([None; 8], 0);
    let mut seen = [0u64; 5];
    for clock in 0..40_000u64 {
        let busy = [0.9, 0.5, 0.15][(clock / 300 % 3) as usize];
        if up.is_none() && random.chance(busy) {
            up = Some(answer(&mut random));
        }
        b.up.valid.next = up.is_some();
        let waiting = up.unwrap_or_else(|| answer(&mut random));
        b.up.data.next = waiting;
        let creates = contexts.len() < 200 && random.chance(0.05);
        let change = QpChange {
            qp: U(random.below(5)),
            generation: U(random.uniform(8)),
            alive: random.chance(0.5),
            int_on: random.chance(0.5),
        };
        b.context_valid.next = creates;
        b.context_qp.next = change.qp;
        let context = &mut b.context_data.next;
        (context.generation, context.alive, context.int_on) = (change.generation, change.alive, change.int_on);
        let gone = ends.len() < 200 && random.chance(0.4 * busy);
        let end = ReadEnd {
            qp: U(random.below(5)),
            generation: U(random.uniform(8)),
            psn: U(random.corner(24)),
            failed: random.chance(0.3),
            refused: random.chance(0.5),
            tag: U(random.uniform(5)),
        };
        b.gone_valid.next = gone;
        (b.gone_qp.next, b.gone_generation.next) = (end.qp, end.generation);
        (b.gone_psn.next, b.gone_failed.next, b.gone_tag.next) = (end.psn, end.failed, end.tag);
        b.gone_refused.next = end.refused;
        let room = random.chance(0.9);
        let (compared, compared_end, compared_qp) = (random.chance(0.3), random.chance(0.5), random.below(5));
        let (looked_at, looked_qp) = (random.chance(0.3), random.below(5));
        let (in_hand, decided_qp) = (random.chance(0.3), random.below(5));
        let stalls = random.chance(0.1);
        b.room.next = room;
        (b.compared.next, b.compared_end.next, b.compared_qp.next) = (compared, compared_end, U(compared_qp));
        (b.looked_at.next, b.looked_qp.next) = (looked_at, U(looked_qp));
        (b.in_hand.next, b.decided_qp.next) = (in_hand, U(decided_qp));
        b.stalls.next = stalls;
        let int_at = random.below(8);
        b.int_at.next = U(int_at);

        let (context_shows, end_shows, taken, ready, coming_qp) = step(b, |b| {
            let taken = b.take.val();
            if let (true, Some(offer)) = (taken, &offered) {
                offer.check(b, clock);
            }
            // the next place is being written
            if let (Some(stack), true) = (stacks[int_at as usize], int_at != place) {
                assert_eq!(b.int_stack.val(), stack, "clock {clock}: place {int_at}");
            }
            let shows = (b.contexts.down.valid.val(), b.ends.down.valid.val());
            (shows.0, shows.1, taken, b.up.ready.val(), b.coming_qp.val().0)
        });
        let takes = offered.is_some() && !met && room && !stalls;
        assert_eq!(taken, takes, "clock {clock}: {offered:?}");
        // an answer that waited for its queue pair lets an end pass, an end that has met something lets an answer pass
        let behind_end = matches!(offered, Some(Offer::End(_)));
        let blocked = near && waited;
        let swaps = behind_end && met && !blocked;
        let free = takes || offered.is_none();
        let context_waits = context_shows && !leaving;
        let end_waits = end_shows && !behind_end;
        let opens = (free || swaps) && !context_waits && !end_waits && !(blocked && end_shows);
        assert_eq!(ready, opens, "clock {clock}");
        let moves = free || (swaps && up.is_some());

        // whose list is not ready in the next clock
        let busy_qp = |qp: u64| {
            (compared && compared_qp == qp) || (looked_at && looked_qp == qp) || (in_hand && decided_qp == qp)
        };
        let stalled = stalls && compared_end;
        let of_offered = |qp: u64| offered.is_some_and(|offer| offer.qp() == qp);
        let front = ends.front().copied().filter(|_| end_shows);
        let answer_meets = of_offered(waiting.qp.0) || busy_qp(waiting.qp.0);
        if leaving {
            contexts.pop_front();
        }
        if takes && behind_end {
            ends.pop_front();
        }
        near = answer_meets || (end_waits && front.is_some_and(|end| end.qp == waiting.qp));
        waited = up.is_some() && !opens;
        if moves {
            (offered, met) = if context_waits {
                (contexts.front().copied().map(Offer::Creation), true)
            } else if let (true, Some(end)) = (end_waits, front) {
                let meets = of_offered(end.qp.0) || busy_qp(end.qp.0) || stalled;
                (Some(Offer::End(end)), meets)
            } else if opens {
                (up.map(|answer| Offer::Answer(answer, place)), answer_meets)
            } else {
                (None, false)
            };
        } else if let Some(offer) = &offered {
            met = busy_qp(offer.qp()) || (stalled && behind_end);
        }
        leaving = moves && context_waits;
        if let Some(offer) = &offered {
            assert_eq!(coming_qp, offer.qp(), "clock {clock}: {offer:?}");
        }
        if let (true, Some(answer)) = (opens, up) {
            stacks[place as usize] = Some(answer.int_stack);
            place = (place + 1) % 8;
            up = None;
        }
        if creates {
            contexts.push_back(change);
        }
        if gone {
            ends.push_back(end);
        }
        let happened = [
            takes,
            swaps && opens,
            blocked && end_shows,
            context_waits,
            takes && behind_end,
        ];
        seen.iter_mut()
            .zip(happened)
            .for_each(|(seen, now)| *seen += u64::from(now));
    }
    assert!(seen.iter().all(|seen| *seen > 300), "{seen:?}");
}
