//! Data packets, also with acknowledgements between their beats.

use super::super::stimulus::*;
use super::bench::{Bench, READ};

/// Every length up to five beats, and around every multiple of a beat to the largest MTU, with every kind of header.
#[test]
fn every_length_behind_every_header() {
    let mut bench = Bench::new(1);
    for int in [false, true] {
        for opcode in [0x07, 0x0a, 0x10] {
            let edges = (5..=64).flat_map(|beat| [64 * beat - 7, 64 * beat - 4, 64 * beat - 1, 64 * beat]);
            for length in (0..=320).chain(edges) {
                let qp = bench.living(int);
                bench.push(qp, opcode, length, false);
            }
            bench.drain(1.0, 1.0, 1.0);
        }
    }
    assert_eq!(bench.frames, 2 * 3 * (321 + 240));
}

/// Packets of all opcodes, some of them to be dropped, under stalls of every stream.
#[test]
fn any_packets_under_any_stalls() {
    // what comes of READs both ways alone, of which requests go ahead
    const OF_READS: [u8; 5] = [0x0c, 0x0d, 0x0e, 0x0f, 0x10];
    // rows of READ requests, between which a WRITE must stay where it is
    const WITH_WRITES: [u8; 6] = [0x0c, 0x0c, 0x0c, 0x0c, 0x0a, 0x10];
    // frames of one beat, which are made soonest
    const WITH_SHORT_WRITES: [u8; 2] = [0x0c, 0x08];
    let mut overtook = 0;
    for (seed, opcodes, offer, feed, accept) in [
        (2, &OPCODES[..], 1.0, 1.0, 1.0),
        (3, &OPCODES, 0.1, 1.0, 1.0),
        (4, &OPCODES, 1.0, 0.5, 0.9),
        (5, &OPCODES, 1.0, 1.0, 0.3),
        (6, &OPCODES, 0.3, 0.7, 0.7),
        (14, &OF_READS, 1.0, 1.0, 0.5),
        (15, &OF_READS, 0.2, 0.4, 1.0),
        (16, &WITH_WRITES, 1.0, 1.0, 1.0),
        (17, &WITH_WRITES, 0.5, 0.9, 0.8),
        (18, &WITH_SHORT_WRITES, 1.0, 1.0, 1.0),
        (19, &WITH_SHORT_WRITES, 0.2, 1.0, 0.5),
    ] {
        let mut bench = Bench::new(seed);
        for _ in 0..400 {
            let opcode = opcodes[bench.stimulus.below(opcodes.len() as u64) as usize];
            let mtu = 256usize << bench.stimulus.below(5);
            let length = match bench.stimulus.below(4) {
                _ if opcode == READ => 0,
                _ if opcodes.len() == 2 => bench.stimulus.below(8) as usize,
                0 => mtu,
                1 => bench.stimulus.below(8) as usize,
                _ => bench.stimulus.below(700).min(mtu as u64) as usize,
            };
            let (qp, stale) = (bench.stimulus.uniform(8) as u8, bench.stimulus.chance(0.1));
            bench.push(qp, opcode, length, stale);
        }
        bench.drain(offer, feed, accept);
        assert!(bench.frames > 250, "{}", bench.frames);
        overtook += bench.overtook;
    }
    assert!(overtook > 50, "{overtook}");
}

/// Acknowledgements of one and two beats in the midst of frames of every length, under stalls of every stream: both are what they would be alone.
#[test]
fn acknowledgements_between_the_beats_of_data_change_neither() {
    for (seed, offer, feed, accept) in [
        (21, 1.0, 1.0, 1.0),
        (22, 0.6, 0.8, 0.9),
        (23, 1.0, 1.0, 0.4),
        (24, 0.2, 0.3, 1.0),
    ] {
        let mut bench = Bench::new(seed);
        for _ in 0..600 {
            let opcode = OPCODES[bench.stimulus.below(OPCODES.len() as u64) as usize];
            let length = if opcode == READ { 0 } else { bench.stimulus.below(500) as usize };
            let (qp, stale) = (bench.stimulus.uniform(8) as u8, bench.stimulus.chance(0.1));
            bench.push(qp, opcode, length, stale);
            for _ in 0..bench.stimulus.below(4) {
                let hops = bench.stimulus.below(6) as usize;
                bench.push_ack(hops);
            }
        }
        bench.drain(offer, feed, accept);
        assert!(
            bench.frames > 450 && bench.ack_frames > 700,
            "{} {}",
            bench.frames,
            bench.ack_frames
        );
    }
}

/// In the midst of a frame whose payload does not come acknowledgements leave as if there were no data.
#[test]
fn acknowledgements_do_not_wait_for_payload() {
    let mut bench = Bench::new(25);
    let qp = bench.living(true);
    bench.push(qp, 0x07, 4096, false);
    for _ in 0..40 {
        bench.tick(1.0, 1.0, 1.0);
    }
    let begun = bench.payloads.items.len();
    assert!((1..64).contains(&begun), "{begun} beats are left");
    for hops in 0..6 {
        bench.push_ack(hops);
    }
    let frames = bench.expected_acks.len() as u64;
    for _ in 0..40 {
        bench.tick(1.0, 0.0, 1.0);
    }
    assert_eq!((bench.ack_frames, bench.frames), (frames, 0));
    bench.drain(1.0, 1.0, 1.0);
}

/// Back to back, a frame takes as many clocks as it has beats.
#[test]
fn frames_leave_without_gaps() {
    for (opcode, length) in [
        (0x07, 256),
        (0x07, 1024),
        (0x0a, 1024),
        (0x10, 64),
        (0x0c, 0),
        (0x07, 4096),
        (0x10, 2),
    ] {
        for int in [false, true] {
            let mut bench = Bench::new(7);
            for _ in 0..200 {
                let qp = bench.living(int);
                bench.push(qp, opcode, length, false);
            }
            let beats = bench.beats();
            bench.drain(1.0, 1.0, 1.0);
            let clocks = bench.last_beat - bench.first_beat.expect("frames") + 1;
            assert_eq!(clocks, beats as u64, "opcode {opcode:x}, {length} bytes, INT {int}");
        }
    }
}

/// The receiver stops for long: the builder stops, nothing is lost, and the stream goes on at full rate.
#[test]
fn a_long_pause_loses_nothing() {
    for length in [16, 64, 256, 512, 1024, 2048, 4096] {
        let mut bench = Bench::new(8);
        for _ in 0..300 {
            let qp = bench.living(true);
            bench.push(qp, 0x07, length, false);
        }
        let payloads = bench.payloads.items.len();
        for _ in 0..500 {
            bench.tick(1.0, 1.0, 0.0);
        }
        let (all, frame) = (bench.beats(), bench.expected[0].frame.len().div_ceil(64));
        // 136 beats, and what was on its way
        let made = (payloads - bench.payloads.items.len()) / length.div_ceil(64) * frame;
        let most = 136 + 34 + frame;
        assert!(made <= most, "{length} bytes: {made} beats, not {most}");
        bench.drain(1.0, 1.0, 1.0);
        let clocks = bench.last_beat - bench.first_beat.expect("frames") + 1;
        assert_eq!(clocks, all as u64, "{length} bytes");
    }
}

/// Memory that stalls, now and then for long: frames are late, but never with a gap (which the collector looks for), whoever takes them.
#[test]
fn stalled_memory_leaves_no_gap_inside_a_frame() {
    for (seed, accept) in [(11, 1.0), (12, 0.8)] {
        let mut bench = Bench::new(seed);
        for n in 0..120 {
            let qp = bench.living(n % 2 == 0);
            bench.push(qp, 0x07, [4096, 256, 1024, 4096][n % 4], false);
        }
        let mut feed = 1.0;
        while !bench.expected.is_empty() {
            if bench.clock.is_multiple_of(64) {
                feed = [1.0, 0.5, 0.1, 0.0][bench.stimulus.below(4) as usize];
            }
            bench.tick(1.0, feed, accept);
        }
        bench.drain(1.0, 1.0, 1.0);
        assert_eq!(bench.frames, 120);
    }
}

/// Clocks from packet and payload to the first beat of the frame.
#[test]
fn latency() {
    let mut bench = Bench::new(9);
    let qp = bench.living(true);
    bench.push(qp, 0x07, 1024, false);
    let start = bench.clock;
    bench.drain(1.0, 1.0, 1.0);
    assert_eq!(bench.first_beat.map(|clock| clock - start), Some(DATA_LATENCY));
}

/// As the book says: 30, and the 16 beats behind the first one.
const DATA_LATENCY: u64 = 46;
