use super::*;
use crate::sim::{init, step, Stimulus};
use std::collections::VecDeque;

/// Random candidates of a few queue pairs. Nothing enters while it is held, none of a queue pair that entered in the last four clocks, three for a READ
/// response, which comes first, then answers and work requests in turn, or three answers before a work request while many wait; a work request
/// comes three clocks behind that of a READ of more than 64 bytes, four if it is long or READs of peers are answered. What answers make has no room now
/// and then, nor has what work requests make; each holds up its own. What can go goes, and the step is what was taken. Two answers wait at most.
#[test]
fn a_step_a_clock_but_of_one_queue_pair_in_five() {
    let mut entry: Box<Entry> = Box::default();
    init(entry.as_mut()).expect("complete block");
    let mut random = Stimulus::new(11);
    // queue pairs that entered in the last four clocks, the newest last
    let mut inside: [Option<u64>; 4] = [None; 4];
    let (mut answers_in_row, mut entered) = (0, [0u32; 3]);
    // clocks before the next work request, and clocks for which READs of peers are answered; it is a work request's turn
    let (mut pause, mut answering, mut turn) = (0u32, 0u32, false);
    // what answers, and what work requests make had no room a clock ago
    let mut rested = [false; 2];
    // queue pair and PSN of the response that shows, and whether it did a clock ago; queue pair of the work request that waits; queue pair, PSN and
    // place of the answers that wait
    let mut response: Option<(u64, u64, bool)> = None;
    let mut work: Option<u64> = None;
    let mut answers: VecDeque<(u64, u64, u64)> = VecDeque::new();
    for clock in 0..20_000 {
        let reset = clock < 2;
        let hold = random.chance(0.1);
        let next_work = random.chance(0.6).then(|| random.below(7));
        let coming = random.chance(0.6).then(|| (random.below(7), random.uniform(24)));
        let width = [24, 7][random.below(2) as usize];
        let length = random.uniform(width);
        let place = random.uniform(4);
        if response.is_none() && random.chance(0.4) {
            response = Some((random.below(7), random.uniform(24), false));
        }
        let e = entry.as_mut();
        e.reset.next = reset;
        e.hold.next = hold;
        e.response_waits.next = response.is_some_and(|(_, _, waits)| waits);
        if let Some((qp, psn, _)) = response {
            (e.response.next.qp, e.response.next.psn) = (U(qp), U(psn));
        }
        e.answers.valid.next = coming.is_some();
        if let Some((qp, psn)) = coming {
            (e.answers.data.next.qp, e.answers.data.next.psn) = (U(qp), U(psn));
        }
        e.answer_place.next = U(place);
        e.work_waits.next = work.is_some();
        e.work.next.qpn = U(work.unwrap_or_default());
        let is_new = random.chance(0.5);
        e.work_is_new.next = is_new;
        for (number, counts) in [(&mut e.next_work_qp, !is_new), (&mut e.new_work_qp, is_new)] {
            number.next = U(if counts { next_work.unwrap_or_default() } else { random.below(7) });
        }
        e.work.next.length = U(length);
        let read = random.chance(0.2);
        e.work.next.operation = U(read.into());
        e.work_place.next = U(place ^ 1);
        let answers_read = random.chance(0.01);
        e.answers_read.next = answers_read;
        let rests = [random.chance(0.1), random.chance(0.1)];
        (e.answers_rest.next, e.work_rests.next) = (rests[0], rests[1]);
        let writes = [random.below(7), random.below(7)];
        (e.write_qp.next, e.next_write_qp.next) = (U(writes[0]), U(writes[1]));
        let many = clock % 64 >= 32;
        e.many_answers.next = many;
        let (taken, valid, word, any, comes, meets) = step(e, |e| {
            let taken = [e.response_taken.val(), e.work_taken.val()];
            let comes = [e.answers.ready.val(), e.answer_comes.val()];
            let meets = [e.meets_write.val(), e.meets_next_write.val()];
            (taken, e.valid.val(), e.step.val(), e.waits.val(), comes, meets)
        });
        assert_eq!(meets, writes.map(|qp| word.qp.0 == qp), "clock {clock}");
        let waiting = [
            response.filter(|(_, _, waits)| *waits).map(|(qp, ..)| qp),
            answers.front().map(|(qp, ..)| *qp),
            work,
        ];
        assert_eq!(any, waiting.iter().any(Option::is_some), "clock {clock}");
        let can: Vec<usize> = (0..3)
            .filter(|i| {
                let free = |qp: &u64| !inside[usize::from(*i == 0)..].contains(&Some(*qp));
                waiting[*i].as_ref().is_some_and(free)
                    && !hold
                    && (*i < 2 || pause == 0)
                    && (*i == 0 || !rested[*i - 1])
            })
            .collect();
        let wanted = match can[..] {
            [0, ..] => Some(0),
            [1, 2] if turn => Some(2),
            [first, ..] => Some(first),
            [] => None,
        };
        assert_eq!(valid, wanted.is_some(), "clock {clock}: {can:?}");
        assert_eq!(taken, [wanted == Some(0), wanted == Some(2)], "clock {clock}: {can:?}");
        let free = answers.len() < 2;
        assert_eq!(comes, [free, free && coming.is_some()], "clock {clock}");
        if let Some(which) = wanted {
            let seen = (word.response, word.work, Some(word.qp.0));
            assert_eq!(seen, (which == 0, which == 2, waiting[which]), "clock {clock}");
            match which {
                0 => assert_eq!(Some(word.psn.0), response.map(|(_, psn, _)| psn)),
                1 => assert_eq!(Some((word.qp.0, word.psn.0, word.place.0)), answers.pop_front()),
                _ => assert_eq!((word.length.0, word.place.0, word.read), (length, place ^ 1, read)),
            }
            entered[which] += 1;
            answers_in_row = [answers_in_row, answers_in_row + 1, 0][which];
            turn = [turn, turn || answers_in_row >= 3 || !many, false][which];
        }
        response = response
            .filter(|_| wanted != Some(0))
            .map(|(qp, psn, _)| (qp, psn, true));
        // none waits in the clock behind one that was taken
        work = next_work.filter(|_| wanted != Some(2));
        if free {
            answers.extend(coming.map(|(qp, psn)| (qp, psn, place)));
        }
        pause = match wanted {
            Some(2) if read => match length {
                _ if answering > 0 => 3,
                0..=64 => 0,
                65..=127 => 2,
                _ => 3,
            },
            _ => pause.saturating_sub(1),
        };
        answering = if answers_read { 63 } else { answering.saturating_sub(1) };
        rested = rests;
        inside.rotate_left(1);
        inside[3] = wanted.and_then(|which| waiting[which]);
        if reset {
            (inside, answers_in_row) = ([None; 4], 0);
            (pause, answering, turn) = (0, 0, false);
            rested = [false; 2];
            answers.clear();
        }
    }
    assert!(entered.iter().all(|count| *count > 700), "{entered:?}");
}
