use super::*;
use crate::sim::{init, step, Stimulus};
use std::collections::VecDeque;

/// Random candidates of a few queue pairs. Nothing enters while it is held, none of a queue pair that entered in the last four clocks, three for a READ
/// response, which comes first. What answers make has no room now and then, which holds up answers alone. What can go goes, and the step is what was
/// taken. Two answers wait at most, and a third that has come and is not compared yet.
#[test]
fn a_step_a_clock_but_of_one_queue_pair_in_five() {
    let mut entry: Box<Entry> = Box::default();
    init(entry.as_mut()).expect("complete block");
    let mut random = Stimulus::new(11);
    // queue pairs that entered in the last four clocks, the newest last
    let mut inside: [Option<u64>; 4] = [None; 4];
    let mut entered = [0u32; 2];
    // what answers make had no room a clock ago
    let mut rested = false;
    // queue pair, PSN and length of the response that shows, and whether it did a clock ago; queue pair, PSN and place of the answers that wait
    let mut response: Option<(u64, u64, u64, bool)> = None;
    let mut answers: VecDeque<(u64, u64, u64)> = VecDeque::new();
    let mut come: Option<(u64, u64, u64)> = None;
    for clock in 0..20_000 {
        let reset = clock < 2;
        let hold = random.chance(0.1);
        let coming = random.chance(0.6).then(|| (random.below(7), random.uniform(24)));
        let place = random.uniform(4);
        if response.is_none() && random.chance(0.4) {
            response = Some((random.below(7), random.uniform(24), random.uniform(16), false));
        }
        let e = entry.as_mut();
        e.reset.next = reset;
        e.hold.next = hold;
        e.response_waits.next = response.is_some_and(|(.., waits)| waits);
        if let Some((qp, psn, length, _)) = response {
            (e.response.next.qp, e.response.next.psn, e.response.next.length) = (U(qp), U(psn), U(length));
        }
        e.answers.valid.next = coming.is_some();
        if let Some((qp, psn)) = coming {
            (e.answers.data.next.qp, e.answers.data.next.psn) = (U(qp), U(psn));
        }
        e.answer_place.next = U(place);
        let rests = random.chance(0.1);
        e.answers_rest.next = rests;
        let writes = [random.below(7), random.below(7)];
        (e.write_qp.next, e.next_write_qp.next) = (U(writes[0]), U(writes[1]));
        let (taken, valid, word, any, comes, meets) = step(e, |e| {
            let taken = e.response_taken.val();
            let comes = [e.answers.ready.val(), e.answer_comes.val()];
            let meets = [e.meets_write.val(), e.meets_next_write.val()];
            (taken, e.valid.val(), e.step.val(), e.waits.val(), comes, meets)
        });
        assert_eq!(meets, writes.map(|qp| word.qp.0 == qp), "clock {clock}");
        let waiting = [
            response.filter(|(.., waits)| *waits).map(|(qp, ..)| qp),
            answers.front().map(|(qp, ..)| *qp),
        ];
        assert_eq!(any, waiting.iter().any(Option::is_some), "clock {clock}");
        let wanted = (0..2).find(|i| {
            let free = |qp: &u64| !inside[usize::from(*i == 0)..].contains(&Some(*qp));
            waiting[*i].as_ref().is_some_and(free) && !hold && (*i == 0 || !rested)
        });
        assert_eq!(valid, wanted.is_some(), "clock {clock}");
        assert_eq!(taken, wanted == Some(0), "clock {clock}");
        let free = answers.len() < 2;
        // closed until the first clock of the reset is over
        let opens = clock > 0 && (free || come.is_none());
        assert_eq!(comes, [opens, opens && coming.is_some()], "clock {clock}");
        if let Some(which) = wanted {
            assert_eq!(
                (word.response, Some(word.qp.0)),
                (which == 0, waiting[which]),
                "clock {clock}"
            );
            match which {
                0 => assert_eq!(
                    Some((word.psn.0, word.length.0)),
                    response.map(|(_, psn, length, _)| (psn, length))
                ),
                _ => assert_eq!(Some((word.qp.0, word.psn.0, word.place.0)), answers.pop_front()),
            }
            entered[which] += 1;
        }
        response = response
            .filter(|_| wanted != Some(0))
            .map(|(qp, psn, length, _)| (qp, psn, length, true));
        if free {
            answers.extend(come.take());
        }
        if opens {
            come = coming.map(|(qp, psn)| (qp, psn, place));
        }
        rested = rests;
        inside.rotate_left(1);
        inside[3] = wanted.and_then(|which| waiting[which]);
        if reset {
            inside = [None; 4];
            rested = false;
            answers.clear();
            come = None;
        }
    }
    assert!(entered.iter().all(|count| *count > 700), "{entered:?}");
}
