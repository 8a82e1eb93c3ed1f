//! One step of the walk, every output of every step, against what the rules say of an answer and a message.

use super::*;
use crate::sim::{init, step, Stimulus};
use crate::transport::requester::tests::psns::{before, distance, PSNS};

/// With messages of 2^`SEGMENT` PSNs: of a state that has just been read, and of one in registers.
fn steps<const SEGMENT: usize>(seed: u64) {
    let mut random = Stimulus::new(seed);
    let mut block: Box<Walk<SEGMENT>> = Box::default();
    init(block.as_mut()).expect("complete block");
    let b = block.as_mut();
    let span = 4i64 << SEGMENT;
    let (mut moved, mut completed, mut apart) = (0, 0, 0);
    for case in 0..20_000 {
        let una = random.corner(24);
        let near = |random: &mut Stimulus, spread: u64| (una + PSNS + random.below(spread) - spread / 2) % PSNS;
        let (psn, past, sought) = (near(&mut random, 9), random.chance(0.5), near(&mut random, 9));
        let limit = (psn + u64::from(past)) % PSNS;
        let (start, near_end) = (near(&mut random, 7), near(&mut random, 11));
        let far_end = una + span as u64 + random.below(5) - 2;
        let end = if random.chance(0.9) { near_end } else { far_end % PSNS };
        let (read, with_data) = (random.chance(0.5), random.chance(0.7));
        let (reads, most) = (random.below(18), 1 + random.below(16));
        let loads = random.chance(0.5);

        b.loads.next = loads;
        b.limit.next = U(limit);
        b.past.next = past;
        b.with_data.next = with_data;
        b.sought.next = U(sought);
        b.una.next = U(if loads { near(&mut random, 9) } else { una });
        step(b, |_| ());
        b.loads.next = random.chance(0.5);
        b.una.next = U(una);
        // of a state in registers nobody says where the answer lies
        let lies = (before(psn, una), psn == una);
        let noise = random.uniform(2);
        (b.old.next, b.at_una.next) = if loads { lies } else { (noise & 1 == 1, noise & 2 == 2) };
        (b.start.next, b.finish.next, b.read.next) = (U(start), U(end), read);
        (b.reads.next, b.max_reads.next) = (U(reads), U(most));
        step(b, |_| ());
        let shown = step(b, |b| {
            let flags = [
                b.advances.val(),
                b.complete.val(),
                b.taken.val(),
                b.holds.val(),
                b.reaches.val(),
                b.fits.val(),
            ];
            (b.new_una.val().0, flags)
        });

        // READ data moves on a READ from `una` on, an acknowledgement a WRITE if it is about something new
        let moves = if read { with_data && distance(limit, una) >= 0 } else { distance(limit, una) > 0 };
        let moves = if read && loads { with_data && distance(psn, una) >= 0 } else { moves };
        let inside = before(limit, end);
        let behind_data = (limit + 1) % PSNS;
        let new_una = match (moves, read, inside) {
            (true, true, true) => behind_data,
            (true, false, true) => limit,
            (true, false, false) => end,
            _ => una,
        };
        let complete = moves && if read { behind_data == end } else { !inside };
        let taken = moves && read && inside;
        let advances = taken || (moves && !read);
        let holds = distance(sought, start) >= 0 && before(sought, end);
        let left = (end + PSNS - una) % PSNS;
        let left = if left == 0 { PSNS } else { left };
        let fits = left as i64 <= span && (!read || reads < most);
        let wanted = (new_una, [advances, complete, taken, holds, before(sought, end), fits]);
        let given = format!("una {una:#x} limit {limit:#x} end {end:#x} read {read} loads {loads}");
        assert_eq!(shown, wanted, "case {case}: {given}");
        moved += u64::from(moves);
        completed += u64::from(complete);
        apart += u64::from(!fits);
    }
    assert!(
        moved > 2000 && completed > 500 && apart > 500,
        "{moved} {completed} {apart}"
    );
}

#[test]
fn an_answer_moves_a_message_as_the_rules_say() {
    steps::<3>(51);
    steps::<20>(52);
}
