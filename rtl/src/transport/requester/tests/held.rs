use super::*;
use crate::sim::{init, step, Stimulus};
use std::collections::VecDeque;

/// Bursts of answers into a pipe of five clocks, some of which come out for the state machine; in its turn it gets those, whole and in order.
#[test]
fn the_state_machine_gets_what_the_pipe_leaves_in_order() {
    let mut held: Box<Held> = Box::default();
    init(held.as_mut()).expect("complete block");
    let mut random = Stimulus::new(12);
    let mut pipe: VecDeque<Option<(u64, u64)>> = VecDeque::from([None; 5]);
    let mut left: VecDeque<u64> = VecDeque::new();
    let (mut next, mut handled, mut turn) = (0u64, 0u32, false);
    let mut wanted = None;
    for clock in 0..20_000 {
        let h = held.as_mut();
        h.reset.next = clock < 2;
        // nothing enters while an answer waits for the state machine, whose turn begins when the pipe is empty
        let inside = pipe.iter().any(Option::is_some);
        turn = !left.is_empty() && (turn || !inside);
        h.turn.next = turn;
        let put = clock > 2 && left.is_empty() && pipe[0].is_none_or(|(id, _)| id % 7 != 3) && random.chance(0.7);
        h.put.next = put;
        (h.data.next.psn, h.data.next.qp) = (U(next & 0xff_ffff), U(next % 251));
        let out = pipe.pop_front().expect("five");
        let defers = out.is_some_and(|(id, _)| id % 7 == 3);
        h.defer.next = defers;
        h.defer_place.next = U(out.map_or(0, |(_, place)| place));
        // what is at the end of the pipe is read one clock before it comes out
        let reads = pipe[0];
        h.read_place.next = U(reads.map_or(0, |(_, place)| place));
        h.machine.ready.next = false;
        rust_hdl::prelude::simulate(h, 10);
        let takes = h.machine.valid.val() && random.chance(0.3);
        h.machine.ready.next = takes;
        let (place, read, waits, offered) = step(h, |h| {
            let offered = h.machine.valid.val().then(|| h.machine.data.val());
            (h.place.val().0, h.read.val(), h.waits.val(), offered)
        });
        assert_eq!(waits, !left.is_empty(), "clock {clock}");
        assert!(wanted.is_none_or(|id| read.psn.0 == id & 0xff_ffff), "clock {clock}");
        wanted = reads.filter(|_| !turn).map(|(id, _)| id);
        if let Some(answer) = offered {
            let id = *left.front().expect("one waits");
            assert_eq!((answer.psn.0, answer.qp.0), (id & 0xff_ffff, id % 251), "clock {clock}");
        }
        if takes {
            left.pop_front();
            handled += 1;
        }
        if defers {
            left.extend(out.map(|(id, _)| id));
        }
        pipe.push_back(put.then_some((next, place)));
        next += u64::from(put);
    }
    assert!(handled > 500, "{handled}");
}
