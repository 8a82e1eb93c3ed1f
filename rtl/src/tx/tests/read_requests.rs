//! READ requests, which leave beside the frames of data and may go ahead of READ responses.

use super::bench::{Bench, READ, RESPONSE};

/// READ requests leave while memory has not answered for READ responses before them; behind a WRITE they wait for its payload, and so does a WRITE without
/// payload behind responses.
#[test]
fn read_requests_do_not_wait_for_responses() {
    const RESPONSE: (u8, usize) = (super::bench::RESPONSE, 300);
    const READ: (u8, usize) = (super::bench::READ, 0);
    const WRITE: (u8, usize) = (0x0a, 300);
    const EMPTY_WRITE: (u8, usize) = (0x0a, 0);
    for (packets, leave) in [
        (&[RESPONSE, RESPONSE, READ, RESPONSE, READ][..], 2),
        (&[RESPONSE, WRITE, READ], 0),
        (&[RESPONSE, READ, WRITE, READ], 1),
        (&[RESPONSE, EMPTY_WRITE, READ], 0),
        // whether a request stands before it is seen when its headers begin to be made
        (&[READ, EMPTY_WRITE, RESPONSE, READ], 2),
    ] {
        let mut bench = Bench::new(13);
        for &(opcode, length) in packets {
            let qp = bench.living(false);
            bench.push(qp, opcode, length, false);
        }
        for _ in 0..200 {
            bench.tick(1.0, 0.0, 1.0);
        }
        assert_eq!(bench.frames, leave, "{packets:?}");
        bench.drain(1.0, 1.0, 1.0);
        assert_eq!(bench.frames, packets.len() as u64);
    }
}

/// READ requests pass what is made of READ responses, also when these wait for the link; but short responses and requests take turns.
#[test]
fn read_requests_pass_long_responses_and_take_turns_with_short_ones() {
    for (length, turns) in [(64, true), (128, true), (129, false), (4096, false)] {
        let mut bench = Bench::new(26);
        let qp = bench.living(false);
        for _ in 0..2 {
            bench.push(qp, RESPONSE, length, false);
        }
        for _ in 0..3 {
            bench.push(qp, READ, 0, false);
        }
        // all of them are made before the first one leaves
        for _ in 0..250 {
            bench.tick(1.0, 1.0, 0.0);
        }
        bench.drain(1.0, 1.0, 1.0);
        let order = match turns {
            true => [READ, RESPONSE, READ, RESPONSE, READ],
            false => [READ, READ, READ, RESPONSE, RESPONSE],
        };
        assert_eq!(bench.order, order, "responses of {length} bytes");
    }
}

/// A WRITE stays behind the READ requests that were selected before it, also when all of them wait for the link, where a READ response would take turns with them.
#[test]
fn a_write_stays_behind_the_read_requests_before_it() {
    const WRITE: u8 = 0x0a;
    for length in [0, 8, 300] {
        let mut bench = Bench::new(31);
        let qp = bench.living(false);
        for _ in 0..3 {
            bench.push(qp, READ, 0, false);
        }
        bench.push(qp, WRITE, length, false);
        for _ in 0..250 {
            bench.tick(1.0, 1.0, 0.0);
        }
        bench.drain(1.0, 1.0, 1.0);
        assert_eq!(bench.order, [READ, READ, READ, 0], "WRITE of {length} bytes");
    }
}

/// Where acknowledgements may be paused, READ requests keep to the frames of data: nothing of them leaves beside these.
#[test]
fn read_requests_keep_to_data_where_acknowledgements_may_be_paused() {
    let mut bench = Bench::new(30);
    bench.builder.ack_pause.next = true;
    let qp = bench.living(false);
    bench.push(qp, RESPONSE, 300, false);
    bench.push(qp, READ, 0, false);
    for _ in 0..200 {
        bench.tick(1.0, 0.0, 1.0);
    }
    assert_eq!(bench.frames, 0);
    bench.drain(1.0, 1.0, 1.0);
    assert_eq!(bench.order, [RESPONSE, READ]);
}

/// Requests that have left, were never sent, or left spoiled are nothing that a READ request would wait for.
#[test]
fn requests_that_are_gone_hold_nothing_up() {
    for (length, stale) in [(0, false), (0, true), (16, true), (16, false)] {
        let mut bench = Bench::new(28);
        let qp = bench.living(false);
        let mut failed = 0;
        for _ in 0..300 {
            bench.push(qp, 0x0a, length, stale);
            failed += u32::from(bench.expected.back().is_some_and(|expected| expected.error));
        }
        assert_eq!(failed > 0, length > 0 && !stale, "frames that fail");
        bench.drain(1.0, 1.0, 1.0);
        let before = bench.frames;
        bench.push(qp, RESPONSE, 300, false);
        bench.push(qp, READ, 0, false);
        for _ in 0..100 {
            bench.tick(1.0, 0.0, 1.0);
        }
        assert_eq!(bench.frames, before + 1, "WRITEs of {length} bytes, stale: {stale}");
        bench.drain(1.0, 1.0, 1.0);
    }
}

/// Acknowledgements and READ requests take turns where their headers are made, when there are always some of both.
#[test]
fn acknowledgements_and_read_requests_take_turns() {
    let mut bench = Bench::new(29);
    let qp = bench.living(false);
    for _ in 0..200 {
        bench.push(qp, READ, 0, false);
        bench.push_ack(0);
    }
    for _ in 0..200 {
        bench.tick(1.0, 1.0, 1.0);
    }
    let (reads, acks) = (bench.frames, bench.ack_frames);
    assert!(
        reads > 40 && reads.abs_diff(acks) <= 20,
        "{reads} READ requests, {acks} acknowledgements"
    );
    bench.drain(1.0, 1.0, 1.0);
}

/// Clocks from a READ request to the first beat of its frame, with nothing before it.
#[test]
fn latency_of_a_read_request() {
    let mut bench = Bench::new(27);
    let qp = bench.living(true);
    bench.push(qp, READ, 0, false);
    bench.drain(1.0, 1.0, 1.0);
    assert_eq!(bench.first_beat, Some(READ_LATENCY));
}

/// As the book says.
const READ_LATENCY: u64 = 29;
