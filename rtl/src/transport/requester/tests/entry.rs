use super::*;
use crate::sim::{init, step, Stimulus};

/// Random candidates of a few queue pairs. Nothing enters while it is held, none of a queue pair that entered in the last four clocks, three for a READ response, which comes
/// first, answers and work requests in turn, a work request four clocks behind the one before it; what can go goes, and the step is what was
/// taken.
#[test]
fn a_step_a_clock_but_of_one_queue_pair_in_five() {
    let mut entry: Box<Entry> = Box::default();
    init(entry.as_mut()).expect("complete block");
    let mut random = Stimulus::new(11);
    // queue pairs that entered in the last four clocks, the newest last
    let mut inside: [Option<u64>; 4] = [None; 4];
    let (mut answered, mut entered, mut pause) = (false, [0u32; 3], 0u32);
    for clock in 0..20_000 {
        let reset = clock < 2;
        let hold = random.chance(0.1);
        let waits: [bool; 3] = std::array::from_fn(|_| random.chance(0.6));
        let qps: [u64; 3] = std::array::from_fn(|_| random.below(7));
        let (psn, place) = (random.uniform(24), random.uniform(4));
        let e = entry.as_mut();
        e.reset.next = reset;
        e.hold.next = hold;
        e.response_waits.next = waits[0];
        (e.response.next.qp, e.response.next.psn) = (U(qps[0]), U(psn));
        e.answers.valid.next = waits[1];
        (e.answers.data.next.qp, e.answers.data.next.psn) = (U(qps[1]), U(psn ^ 1));
        e.answer_place.next = U(place);
        e.work_waits.next = waits[2];
        e.work.next.qpn = U(qps[2]);
        e.work.next.length = U(psn);
        let read = random.chance(0.2);
        e.work.next.operation = U(read.into());
        e.work_place.next = U(place ^ 1);
        let (taken, valid, word, any) = step(e, |e| {
            let taken = [e.response_taken.val(), e.answer_taken.val(), e.work_taken.val()];
            assert_eq!(e.answers.ready.val(), taken[1]);
            (taken, e.valid.val(), e.step.val(), e.waits.val())
        });
        assert_eq!(any, waits.contains(&true), "clock {clock}");
        let can: Vec<usize> = (0..3)
            .filter(|i| {
                waits[*i] && !hold && !inside[usize::from(*i == 0)..].contains(&Some(qps[*i])) && (*i < 2 || pause == 0)
            })
            .collect();
        let wanted = match can[..] {
            [0, ..] => Some(0),
            [1, 2] if answered => Some(2),
            [first, ..] => Some(first),
            [] => None,
        };
        assert_eq!(taken.iter().position(|t| *t), wanted, "clock {clock}: {can:?}");
        assert_eq!(
            taken.iter().filter(|t| **t).count(),
            usize::from(valid),
            "clock {clock}"
        );
        if let Some(which) = wanted {
            let seen = (word.response, word.work, word.qp.0);
            assert_eq!(seen, (which == 0, which == 2, qps[which]), "clock {clock}");
            match which {
                0 => assert_eq!(word.psn.0, psn),
                1 => assert_eq!((word.psn.0, word.place.0), (psn ^ 1, place)),
                _ => assert_eq!((word.length.0, word.place.0), (psn & 0xff_ffff, place ^ 1)),
            }
            entered[which] += 1;
            answered = if which == 0 { answered } else { which == 1 };
        }
        pause = match wanted {
            Some(2) => 3,
            _ => pause.saturating_sub(1),
        };
        inside.rotate_left(1);
        inside[3] = wanted.map(|which| qps[which]);
        if reset {
            (inside, answered, pause) = ([None; 4], false, 0);
        }
    }
    assert!(entered.iter().all(|count| *count > 700), "{entered:?}");
}
