//! One queue pair sends short frames without end: it loses some of them, nobody else loses any.

use super::*;
use std::collections::VecDeque;

/// Queue pair that floods.
const FLOOD: u32 = 2;
/// Queue pair that offers a tenth of the wire.
const HONEST: u32 = 6;
/// Clocks after a reset in which shares are not counted yet, and some more.
const SETTLING: u64 = 300;

/// Frames of each queue pair that went in, frames that its engine saw, and frames dropped.
#[derive(Debug, Default)]
struct Tally {
    flood: (u32, u32),
    honest: (u32, u32),
    unfair: u32,
}

/// Frames without a gap for some clocks, every `every`th honest; then what still waits.
fn crowd(clocks: u64, every: u32) -> Tally {
    let config = registers();
    let mut pipe = powered(&config);
    let pipe = pipe.as_mut();
    write_context(pipe, FLOOD.into(), 0, PEER);
    write_context(pipe, HONEST.into(), 0, PEER);
    let mut queue = VecDeque::new();
    let (mut tally, mut frames, mut engine) = (Tally::default(), 0, 0u64);
    for clock in 0..SETTLING + clocks + 4000 {
        if queue.is_empty() && (SETTLING..SETTLING + clocks).contains(&clock) {
            frames += 1;
            let (qpn, sent, payload) = match frames % every {
                0 => (HONEST, &mut tally.honest.0, 1024),
                _ => (FLOOD, &mut tally.flood.0, 1),
            };
            queue.extend(beats(&write(&config, qpn, *sent, payload)));
            *sent += 1;
        }
        feed(pipe, queue.pop_front());
        pipe.request.ready.next = engine == 0;
        pipe.request_action.valid.next = engine == 1;
        let ((row, decided), unfair) = step(pipe, |p| {
            assert!(!p.lost.val(), "clock {clock}: the buffer is full");
            (at_requests(p), p.unfair.val())
        });
        count_down(&mut engine, row.is_some(), decided);
        tally.unfair += u32::from(unfair);
        if let Some(row) = row {
            let honest = row.qp.0 == u64::from(HONEST);
            let seen = if honest { &mut tally.honest.1 } else { &mut tally.flood.1 };
            assert!(
                !honest || row.psn.0 == u64::from(*seen),
                "clock {clock}: an honest frame is missing"
            );
            *seen += 1;
        }
    }
    tally
}

#[test]
fn a_flood_of_one_queue_pair_costs_nobody_else_a_frame() {
    // an honest frame of 18 beats after 60 of two
    let tally = crowd(60_000, 61);
    assert_eq!(tally.honest.0, tally.honest.1, "{tally:?}");
    assert_eq!(tally.flood.0, tally.flood.1 + tally.unfair, "{tally:?}");
    assert!(tally.honest.0 > 400 && tally.unfair > 10_000, "{tally:?}");
    // the engine is seldom without work
    assert!(u64::from(tally.flood.1 + tally.honest.1) * ENGINE > 45_000, "{tally:?}");
}

#[test]
fn a_burst_that_the_buffer_can_hold_is_no_flood() {
    let tally = crowd(140, u32::MAX);
    assert_eq!((tally.flood.0, tally.unfair), (tally.flood.1, 0), "{tally:?}");
}
