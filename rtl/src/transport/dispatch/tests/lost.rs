//! Frames that find the packet buffer full are lost, with what was found out about them; nobody else is.

use super::*;
use std::collections::VecDeque;

/// Queue pair that sends.
const SENDER: u32 = 6;
/// Clocks in which the engine decides nothing, twice as many as the buffer has beats.
const STALL: u64 = 1000;
/// Payload of a frame, 18 beats with its headers.
const PAYLOAD: usize = 1024;

/// The engine stalls, 100 frames come without a gap, and then it goes on.
#[test]
fn frames_that_the_buffer_has_no_room_for_leave_nothing_behind() {
    let config = registers();
    let mut pipe = powered(&config);
    let pipe = pipe.as_mut();
    write_context(pipe, SENDER.into(), 0, PEER);
    let frames = (0..100).flat_map(|psn| {
        let beats = beats(&write(&config, SENDER, psn, PAYLOAD));
        beats.into_iter().map(move |beat| (psn, beat))
    });
    let mut queue: VecDeque<(u32, Beat)> = frames.collect();
    // PSNs whose last beats came in the last two clocks
    let mut ended = VecDeque::from([None; 2]);
    let (mut lost, mut seen, mut engine) = (Vec::new(), Vec::new(), 0);
    for clock in 0..8000 {
        let beat = queue.pop_front();
        ended.push_back(beat.filter(|(_, beat)| beat.2).map(|(psn, _)| psn));
        feed(pipe, beat.map(|(_, beat)| beat));
        pipe.payload.ready.next = true;
        pipe.request.ready.next = clock >= STALL && engine == 0;
        pipe.request_action.valid.next = engine == 1;
        let ended = ended.pop_front().expect("two clocks");
        let (row, decided) = step(pipe, |p| {
            assert!(!p.unfair.val(), "clock {clock}");
            if p.lost.val() {
                lost.push(ended.expect("a frame ended two clocks ago"));
            }
            at_requests(p)
        });
        count_down(&mut engine, row.is_some(), decided);
        seen.extend(row.map(|row| row.psn.0 as u32));
    }
    // 28 frames of 18 beats fit into 511, and one more while it is decided
    assert!((20..80).contains(&lost.len()), "{lost:?}");
    let rest: Vec<u32> = (0..100).filter(|psn| !lost.contains(psn)).collect();
    assert_eq!(seen, rest, "lost were {lost:?}");
}
