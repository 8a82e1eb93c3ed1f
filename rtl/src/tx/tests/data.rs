//! Data packets, also with acknowledgements between their beats.

use super::super::stimulus::*;
use super::super::FrameBuilder;
use super::{compare, Collector, Source};
use crate::prim::word::Word as _;
use crate::sim::{step, Stimulus};
use crate::words::transport::{AckKind, AckSend, TxPacket};
use crate::words::tx::PayloadBeat;
use hpcc_models::nic::{NicConfig, ProbeConfig};
use std::collections::VecDeque;

/// Events: error, READ left, request left, payload, queue pair, generation, response, PSN, tag.
type Note = (bool, bool, bool, bool, u64, u64, bool, u64, u64);

/// A READ request.
const READ: u8 = 0x0c;
/// A READ response of one packet.
const RESPONSE: u8 = 0x10;

/// A frame that is to come.
struct Expected {
    frame: Vec<u8>,
    error: bool,
    note: Note,
    /// A READ request.
    read: bool,
}

/// Which stream has the link.
#[derive(Default)]
struct Taker {
    beside: bool,
    inside: bool,
}

struct Bench {
    builder: Box<FrameBuilder>,
    stimulus: Stimulus,
    config: NicConfig,
    peers: Vec<Peer>,
    packets: Source<TxPacket>,
    payloads: Source<PayloadBeat>,
    expected: VecDeque<Expected>,
    notes: VecDeque<Note>,
    collector: Collector,
    acks: Source<AckSend>,
    expected_acks: VecDeque<Vec<u8>>,
    ack_collector: Collector,
    ack_frames: u64,
    /// Frames of data, and whatever stands beside them, are taken as the arbiter takes them: the latter first, whole. The kind of the last beat,
    /// and whether its frame goes on.
    taker: Taker,
    /// Data frames and READ requests in the order in which they left: opcodes.
    order: Vec<u8>,
    clock: u64,
    frames: u64,
    /// Frames that went before others that had been there before them.
    overtook: u64,
    first_beat: Option<u64>,
    last_beat: u64,
}

impl Bench {
    fn new(seed: u64) -> Self {
        let mut stimulus = Stimulus::new(seed);
        // every other run leaves the INT of requests to probes
        let config = NicConfig {
            probes: seed.is_multiple_of(2).then(|| ProbeConfig::every(5000)),
            ..registers()
        };
        let peers: Vec<Peer> = (0..256).map(|_| Peer::any(&mut stimulus)).collect();
        let builder = super::builder(&config, &peers, &mut stimulus);
        Self {
            builder,
            stimulus,
            config,
            peers,
            packets: Source::new(),
            payloads: Source::new(),
            expected: VecDeque::new(),
            notes: VecDeque::new(),
            collector: Collector::whole(),
            acks: Source::new(),
            expected_acks: VecDeque::new(),
            ack_collector: Collector::whole(),
            ack_frames: 0,
            taker: Taker::default(),
            order: Vec::new(),
            clock: 0,
            frames: 0,
            overtook: 0,
            first_beat: None,
            last_beat: 0,
        }
    }

    fn push(&mut self, qp: u8, opcode: u8, length: usize, stale: bool) {
        let peer = self.peers[usize::from(qp)].clone();
        let packet = packet(&mut self.stimulus, &self.config, (qp, &peer), (opcode, length), stale);
        self.packets.items.push_back(packet.word);
        self.payloads.items.extend(beats(&mut self.stimulus, &packet));
        if let Some(frame) = packet.frame {
            let get = |field: crate::prim::word::Field| field.get(&packet.word.limbs());
            let ends = get(TxPacket::ENDS_READ) == 1;
            let note = (
                packet.error,
                ends && !packet.error,
                get(TxPacket::RESPONSE) == 0 && !packet.error,
                length > 0,
                get(TxPacket::QP),
                get(TxPacket::GENERATION),
                get(TxPacket::RESPONSE) == 1,
                get(TxPacket::PSN),
                get(TxPacket::TAG),
            );
            self.expected.push_back(Expected {
                frame,
                error: packet.error,
                note,
                read: opcode == READ,
            });
        }
    }

    /// An acknowledgement to a random queue pair with so many records of INT.
    fn push_ack(&mut self, hops: usize) {
        let qp = self.stimulus.uniform(8) as u8;
        let peer = self.peers[usize::from(qp)].clone();
        let kind = (AckKind::Acknowledgement, hops);
        let (word, frame) = acknowledgement(&mut self.stimulus, &self.config, (qp, &peer), kind, false);
        self.acks.items.push_back(word);
        self.expected_acks.extend(frame);
    }

    /// A queue pair that is alive and has INT or not.
    fn living(&mut self, int: bool) -> u8 {
        loop {
            let qp = self.stimulus.uniform(8) as u8;
            let peer = &self.peers[usize::from(qp)];
            if peer.alive && peer.int == int {
                return qp;
            }
        }
    }

    fn tick(&mut self, offer: f64, feed: f64, accept: f64) {
        let packet = self.packets.offer(self.stimulus.chance(offer));
        let payload = self.payloads.offer(self.stimulus.chance(feed));
        let ack = self.acks.offer(self.stimulus.chance(offer));
        let builder = &mut self.builder;
        builder.ack.valid.next = ack.is_some();
        builder.ack.data.next = ack.unwrap_or_default();
        if !self.taker.inside {
            self.taker.beside = builder.ack_frame.valid.val();
        }
        let ready = self.stimulus.chance(accept);
        builder.ack_frame.ready.next = ready && self.taker.beside;
        builder.frame.ready.next = ready && !self.taker.beside;
        builder.packet.valid.next = packet.is_some();
        builder.packet.data.next = packet.unwrap_or_default();
        builder.payload.valid.next = payload.is_some();
        builder.payload.data.next = payload.unwrap_or_default();
        let (packet_taken, payload_taken, out, note, ack_taken, ack_out) = step(builder.as_mut(), |b| {
            let note = (
                b.read_error.val(),
                b.read_left.val(),
                b.request_left.val(),
                b.note_payload.val(),
                b.note_qp.val().0,
                b.note_generation.val().0,
                b.note_response.val(),
                b.note_psn.val().0,
                b.note_tag.val().0,
            );
            (
                b.packet.ready.val() & b.packet.valid.val(),
                b.payload.ready.val() & b.payload.valid.val(),
                (b.frame.valid.val(), b.frame.data.val(), b.frame.ready.val()),
                note,
                b.ack.ready.val() & b.ack.valid.val(),
                (b.ack_frame.valid.val(), b.ack_frame.data.val(), b.ack_frame.ready.val()),
            )
        });
        if ack_taken {
            self.acks.taken();
        }
        for (valid, beat, ready) in [out, ack_out] {
            if valid && ready {
                self.taker.inside = !beat.last;
            }
        }
        if packet_taken {
            self.packets.taken();
        }
        if payload_taken {
            self.payloads.taken();
        }
        if note.0 || note.1 || note.2 {
            assert_eq!(Some(note), self.notes.pop_front(), "clock {}", self.clock);
        } else {
            assert!(self.notes.is_empty(), "clock {}: no pulse", self.clock);
        }
        if let Some((bytes, bad)) = self.ack_collector.clock(ack_out.0, ack_out.1, ack_out.2) {
            assert!(!bad);
            if self.expected_acks.front() == Some(&bytes) {
                self.expected_acks.pop_front();
                self.ack_frames += 1;
            } else {
                let Expected { frame, note, read, .. } = self.next(&bytes);
                assert!(
                    read,
                    "clock {}: neither an acknowledgement nor a READ request",
                    self.clock
                );
                compare(&bytes, &frame, self.clock);
                self.notes.push_back(note);
                self.order.push(READ);
                self.frames += 1;
            }
        }
        if out.0 && out.2 || ack_out.0 && ack_out.2 {
            self.first_beat.get_or_insert(self.clock);
            self.last_beat = self.clock;
        }
        if let Some((bytes, bad)) = self.collector.clock(out.0, out.1, out.2) {
            let Expected {
                frame,
                error,
                note,
                read,
            } = self.next(&bytes);
            compare(&bytes, &frame, self.clock);
            assert_eq!(bad, error);
            self.order.push(match (note.6, read) {
                (true, _) => RESPONSE,
                (_, true) => READ,
                _ => 0,
            });
            if note.0 || note.1 || note.2 {
                self.notes.push_back(note);
            }
            self.frames += 1;
        }
        self.clock += 1;
    }

    /// What leaves as `bytes`: the first one, or the first request if it is a READ and nothing but responses stands before it.
    fn next(&mut self, bytes: &[u8]) -> Expected {
        let request = self.expected.iter().position(|expected| !expected.note.6);
        let ahead = request.filter(|&at| self.expected[at].read && self.expected[at].frame == bytes);
        self.overtook += u64::from(ahead.is_some_and(|at| at > 0));
        self.expected.remove(ahead.unwrap_or(0)).expect("a frame")
    }

    fn beats(&self) -> usize {
        let frames = self.expected.iter();
        frames.map(|expected| expected.frame.len().div_ceil(64)).sum()
    }

    /// Runs until everything is out.
    fn drain(&mut self, offer: f64, feed: f64, accept: f64) {
        let mut idle = 0;
        while idle < 100 {
            let moves = |bench: &Self| {
                let waits = [
                    bench.packets.items.len(),
                    bench.payloads.items.len(),
                    bench.acks.items.len(),
                ];
                (waits, bench.last_beat, bench.ack_frames)
            };
            let before = moves(self);
            self.tick(offer, feed, accept);
            idle = if moves(self) != before { 0 } else { idle + 1 };
        }
        let left = (
            self.packets.items.len(),
            self.payloads.items.len(),
            self.expected.len(),
            self.notes.len(),
        );
        assert_eq!(left, (0, 0, 0, 0));
        assert_eq!((self.acks.items.len(), self.expected_acks.len()), (0, 0));
    }
}

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

/// READ requests leave while memory has not answered for READ responses before them; behind a WRITE they wait for its payload, and so does a WRITE without
/// payload behind responses.
#[test]
fn read_requests_do_not_wait_for_responses() {
    const RESPONSE: (u8, usize) = (super::data::RESPONSE, 300);
    const READ: (u8, usize) = (super::data::READ, 0);
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
