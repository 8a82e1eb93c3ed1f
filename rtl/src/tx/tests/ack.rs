//! Acknowledgements and echoes.

use super::super::stimulus::*;
use super::super::FrameBuilder;
use super::{compare, Collector, Source};
use crate::sim::{step, Stimulus};
use crate::words::transport::AckKind;
use crate::words::transport::AckSend;
use hpcc_models::nic::NicConfig;
use hpcc_models::wire::Opcode;
use std::collections::VecDeque;

struct Bench {
    builder: Box<FrameBuilder>,
    config: NicConfig,
    stimulus: Stimulus,
    peers: Vec<Peer>,
    acks: Source<AckSend>,
    expected: VecDeque<Vec<u8>>,
    collector: Collector,
    clock: u64,
    frames: u64,
    notifications: u64,
    notified: u64,
    first_beat: Option<u64>,
}

impl Bench {
    fn new(seed: u64) -> Self {
        Self::with(seed, registers())
    }

    fn with(seed: u64, config: NicConfig) -> Self {
        let mut stimulus = Stimulus::new(seed);
        let peers: Vec<Peer> = (0..256).map(|_| Peer::any(&mut stimulus)).collect();
        let builder = super::builder(&config, &peers, &mut stimulus);
        Self {
            builder,
            config,
            stimulus,
            peers,
            acks: Source::new(),
            expected: VecDeque::new(),
            collector: Collector::whole(),
            clock: 0,
            frames: 0,
            notifications: 0,
            notified: 0,
            first_beat: None,
        }
    }

    fn push(&mut self, qp: u8, kind: AckKind, hops: usize, stale: bool) {
        let peer = self.peers[usize::from(qp)].clone();
        let (word, frame) = acknowledgement(&mut self.stimulus, &self.config, (qp, &peer), (kind, hops), stale);
        self.acks.items.push_back(word);
        self.expected.extend(frame);
    }

    fn notify(&mut self, qp: u8, stale: bool) {
        let peer = self.peers[usize::from(qp)].clone();
        let (word, frame) = notification(&mut self.stimulus, &self.config, (qp, &peer), stale);
        self.acks.items.push_back(word);
        self.expected.extend(frame);
    }

    fn tick(&mut self, offer: f64, accept: f64) {
        let ack = self.acks.offer(self.stimulus.chance(offer));
        let builder = &mut self.builder;
        builder.ack.valid.next = ack.is_some();
        builder.ack.data.next = ack.unwrap_or_default();
        builder.ack_frame.ready.next = self.stimulus.chance(accept);
        let (taken, notified, out) = step(builder.as_mut(), |b| {
            (
                b.ack.ready.val() & b.ack.valid.val(),
                b.notified.val(),
                (b.ack_frame.valid.val(), b.ack_frame.data.val(), b.ack_frame.ready.val()),
            )
        });
        self.notified += u64::from(notified);
        if taken {
            self.acks.taken();
        }
        if out.0 {
            self.first_beat.get_or_insert(self.clock);
        }
        if let Some((bytes, bad)) = self.collector.clock(out.0, out.1, out.2) {
            let expected = self.expected.pop_front().expect("a frame");
            compare(&bytes, &expected, self.clock);
            assert!(!bad);
            self.frames += 1;
            let plain = registers().ports.roce.to_be_bytes();
            self.notifications += u64::from(bytes[36..38] == plain && bytes[42] == Opcode::Cnp.emit());
        }
        self.clock += 1;
    }

    /// Runs until everything is out.
    fn drain(&mut self, offer: f64, accept: f64) {
        let mut idle = 0;
        while idle < 100 {
            let before = (self.acks.items.len(), self.frames);
            self.tick(offer, accept);
            let moved = before != (self.acks.items.len(), self.frames);
            idle = if moved { 0 } else { idle + 1 };
        }
        assert_eq!((self.acks.items.len(), self.expected.len()), (0, 0));
        assert_eq!(self.notified, self.notifications, "pulses and frames");
    }
}

/// All kinds with all numbers of hops (each of the 13 lengths about 50 times), alive or not, under stalls.
#[test]
fn every_acknowledgement_under_any_stalls() {
    for (seed, offer, accept) in [(1, 1.0, 1.0), (2, 0.2, 1.0), (3, 1.0, 0.4), (4, 0.7, 0.7)] {
        // half of the runs with INT covered by the ICRC
        let config = NicConfig {
            echo_icrc_full: seed % 2 == 0,
            ..registers()
        };
        let mut bench = Bench::with(seed, config);
        for _ in 0..1400 {
            let (qp, hops) = (bench.stimulus.uniform(8) as u8, bench.stimulus.below(6) as usize);
            // echoes and responses always have INT
            let kind = match bench.stimulus.below(5) {
                0 if bench.peers[usize::from(qp)].int => AckKind::Echo,
                1 if bench.peers[usize::from(qp)].int => AckKind::ProbeResponse,
                2 => AckKind::Probe,
                _ => AckKind::Acknowledgement,
            };
            let stale = bench.stimulus.chance(0.1);
            match bench.stimulus.chance(0.2) {
                true => bench.notify(qp, stale),
                false => bench.push(qp, kind, hops, stale),
            }
        }
        bench.drain(offer, accept);
        assert!(bench.frames > 1000, "{}", bench.frames);
    }
}

/// One every two clocks, long or short.
#[test]
fn one_every_two_clocks() {
    let mut bench = Bench::new(5);
    for _ in 0..1000 {
        let (qp, hops) = (bench.stimulus.uniform(8) as u8, bench.stimulus.below(6) as usize);
        bench.push(qp, AckKind::Acknowledgement, hops, false);
    }
    let start = bench.clock;
    while !bench.acks.items.is_empty() {
        bench.tick(1.0, 1.0);
    }
    assert!(bench.clock - start <= 2000, "{}", bench.clock - start);
    bench.drain(1.0, 1.0);
}

/// Clocks from an item to its frame, as the book says.
#[test]
fn latency() {
    let mut bench = Bench::new(6);
    let qp = (0..=255u8)
        .find(|qp| bench.peers[usize::from(*qp)].alive)
        .expect("most are");
    bench.push(qp, AckKind::Acknowledgement, 5, false);
    bench.drain(1.0, 1.0);
    assert_eq!(bench.first_beat, Some(ACK_LATENCY));
}

/// As the book says.
const ACK_LATENCY: u64 = 25;
