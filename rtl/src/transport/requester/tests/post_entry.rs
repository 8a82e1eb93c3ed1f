use super::*;
use crate::sim::{init, step, Stimulus};

/// Random work requests of a few queue pairs. None enters while it is held, or when there was little room a clock ago, none of a queue pair that entered in
/// the last four clocks. What can go goes, and the step is what was taken.
#[test]
fn a_work_request_a_clock_but_of_one_queue_pair_in_five() {
    let mut entry: Box<PostEntry> = Box::default();
    init(entry.as_mut()).expect("complete block");
    let mut random = Stimulus::new(12);
    // queue pairs that entered in the last four clocks, the newest last; the one that waits
    let mut inside: [Option<u64>; 4] = [None; 4];
    let (mut work, mut rested, mut entered) = (None, false, 0u32);
    for clock in 0..20_000 {
        let reset = clock < 2;
        let (hold, rests) = (random.chance(0.1), random.chance(0.1));
        let next_work = random.chance(0.8).then(|| random.below(12));
        let e = entry.as_mut();
        (e.reset.next, e.hold.next, e.rests.next) = (reset, hold, rests);
        e.waits.next = work.is_some();
        let (length, place, read, invalid) = (
            random.uniform(32),
            random.uniform(4),
            random.chance(0.5),
            random.chance(0.2),
        );
        e.work.next.qpn = U(work.unwrap_or_default());
        (e.work.next.length, e.work.next.operation) = (U(length), U(read.into()));
        (e.place.next, e.invalid.next) = (U(place), invalid);
        let is_new = random.chance(0.5);
        e.is_new.next = is_new;
        for (number, counts) in [(&mut e.next_qp, !is_new), (&mut e.new_qp, is_new)] {
            number.next = U(if counts { next_work.unwrap_or_default() } else { random.below(12) });
        }
        let (taken, word) = step(e, |e| (e.taken.val(), e.step.val()));
        let wanted = work.filter(|qp| !inside.contains(&Some(*qp)) && !hold && !rested);
        assert_eq!(taken, wanted.is_some(), "clock {clock}");
        if let Some(qp) = wanted {
            let seen = (word.qp.0, word.place.0, word.length.0, word.read, word.invalid);
            assert_eq!(seen, (qp, place, length, read, invalid), "clock {clock}");
            entered += 1;
        }
        // none waits in the clock behind one that was taken
        work = next_work.filter(|_| wanted.is_none());
        rested = rests;
        inside.rotate_left(1);
        inside[3] = wanted;
        if reset {
            (inside, rested) = ([None; 4], false);
        }
    }
    assert!(entered > 3000, "{entered}");
}
