//! Data packets.

use super::super::stimulus::*;
use super::super::DataBuilder;
use super::{compare, Collector, Source};
use crate::prim::uint::U;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use crate::words::transport::TxPacket;
use crate::words::tx::PayloadBeat;
use hpcc_models::nic::{NicConfig, ProbeConfig};
use std::collections::VecDeque;

/// Events: error, READ left, request left, payload, queue pair, generation, response, PSN, tag.
type Note = (bool, bool, bool, bool, u64, u64, bool, u64, u64);

struct Bench {
    builder: Box<DataBuilder>,
    stimulus: Stimulus,
    config: NicConfig,
    peers: Vec<Peer>,
    packets: Source<TxPacket>,
    payloads: Source<PayloadBeat>,
    expected: VecDeque<(Vec<u8>, bool, Note)>,
    notes: VecDeque<Note>,
    collector: Collector,
    clock: u64,
    frames: u64,
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
        let mut builder: Box<DataBuilder> = Box::default();
        init(builder.as_mut()).expect("complete block");
        builder.own_mac.next = U(config.mac.0.iter().fold(0, |mac, byte| mac << 8 | u64::from(*byte)));
        builder.own_ip.next = U(u32::from(config.ip).into());
        builder.port_roce.next = U(config.ports.roce.into());
        builder.port_int.next = U(config.ports.int_collect.into());
        builder.pkey.next = U(config.pkey.into());
        builder.dscp.next = U(config.dscp.into());
        let unstamped = config.probes.map(|_| config.dscp_unstamped);
        builder.dscp_request.next = U(unstamped.unwrap_or(config.dscp).into());
        builder.ecn.next = U(config.ecn.into());
        builder.ttl.next = U(config.ttl.into());
        let peers: Vec<Peer> = (0..256).map(|_| Peer::any(&mut stimulus)).collect();
        for (qp, peer) in peers.iter().enumerate() {
            builder.reset.next = qp < 32;
            builder.context_write.next = true;
            builder.context_qp.next = U(qp as u64);
            builder.context_data.next = peer.context(&mut stimulus);
            step(builder.as_mut(), |_| ());
        }
        builder.context_write.next = false;
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
            clock: 0,
            frames: 0,
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
            self.expected.push_back((frame, packet.error, note));
        }
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
        let builder = &mut self.builder;
        builder.packet.valid.next = packet.is_some();
        builder.packet.data.next = packet.unwrap_or_default();
        builder.payload.valid.next = payload.is_some();
        builder.payload.data.next = payload.unwrap_or_default();
        builder.frame.ready.next = self.stimulus.chance(accept);
        let (packet_taken, payload_taken, out, note) = step(builder.as_mut(), |b| {
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
            )
        });
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
        if out.0 && out.2 {
            self.first_beat.get_or_insert(self.clock);
            self.last_beat = self.clock;
        }
        if let Some((bytes, bad)) = self.collector.clock(out.0, out.1, out.2) {
            let (expected, error, note) = self.expected.pop_front().expect("a frame");
            compare(&bytes, &expected, self.clock);
            assert_eq!(bad, error);
            if note.0 || note.1 || note.2 {
                self.notes.push_back(note);
            }
            self.frames += 1;
        }
        self.clock += 1;
    }

    /// Runs until everything is out.
    fn drain(&mut self, offer: f64, feed: f64, accept: f64) {
        let mut idle = 0;
        while idle < 100 {
            let before = (self.packets.items.len(), self.payloads.items.len(), self.frames);
            self.tick(offer, feed, accept);
            let moved = before != (self.packets.items.len(), self.payloads.items.len(), self.frames);
            idle = if moved { 0 } else { idle + 1 };
        }
        let left = (
            self.packets.items.len(),
            self.payloads.items.len(),
            self.expected.len(),
            self.notes.len(),
        );
        assert_eq!(left, (0, 0, 0, 0));
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
    for (seed, offer, feed, accept) in [
        (2, 1.0, 1.0, 1.0),
        (3, 0.1, 1.0, 1.0),
        (4, 1.0, 0.5, 0.9),
        (5, 1.0, 1.0, 0.3),
        (6, 0.3, 0.7, 0.7),
    ] {
        let mut bench = Bench::new(seed);
        for _ in 0..400 {
            let opcode = OPCODES[bench.stimulus.below(OPCODES.len() as u64) as usize];
            let mtu = 256usize << bench.stimulus.below(5);
            let length = match bench.stimulus.below(4) {
                _ if opcode == 0x0c => 0,
                0 => mtu,
                1 => bench.stimulus.below(8) as usize,
                _ => bench.stimulus.below(700).min(mtu as u64) as usize,
            };
            let (qp, stale) = (bench.stimulus.uniform(8) as u8, bench.stimulus.chance(0.1));
            bench.push(qp, opcode, length, stale);
        }
        bench.drain(offer, feed, accept);
        assert!(bench.frames > 250, "{}", bench.frames);
    }
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
            let beats: usize = bench
                .expected
                .iter()
                .map(|(frame, _, _)| frame.len().div_ceil(64))
                .sum();
            bench.drain(1.0, 1.0, 1.0);
            let clocks = bench.last_beat - bench.first_beat.expect("frames") + 1;
            assert_eq!(clocks, beats as u64, "opcode {opcode:x}, {length} bytes, INT {int}");
        }
    }
}

/// The receiver stops for long; nothing is lost, and the stream goes on at full rate.
#[test]
fn a_long_pause_loses_nothing() {
    let mut bench = Bench::new(8);
    for _ in 0..300 {
        let qp = bench.living(true);
        bench.push(qp, 0x07, 1024, false);
    }
    for _ in 0..500 {
        bench.tick(1.0, 1.0, 0.0);
    }
    assert!(
        bench.payloads.items.len() > 200 * 16,
        "the builder stops taking payload"
    );
    let beats: usize = bench
        .expected
        .iter()
        .map(|(frame, _, _)| frame.len().div_ceil(64))
        .sum();
    bench.drain(1.0, 1.0, 1.0);
    assert_eq!(bench.last_beat - bench.first_beat.expect("frames") + 1, beats as u64);
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

/// As the book says: 32, and the 16 beats behind the first one.
const DATA_LATENCY: u64 = 48;
