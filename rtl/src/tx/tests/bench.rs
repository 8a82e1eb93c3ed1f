//! A builder with random stalls at every stream, and what it must send: frames byte for byte, in order but for READ requests that may go ahead, and
//! what is told of each.

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
pub(super) const READ: u8 = 0x0c;
/// A READ response of one packet.
pub(super) const RESPONSE: u8 = 0x10;

/// A frame that is to come.
pub(super) struct Expected {
    pub(super) frame: Vec<u8>,
    pub(super) error: bool,
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

pub(super) struct Bench {
    pub(super) builder: Box<FrameBuilder>,
    pub(super) stimulus: Stimulus,
    config: NicConfig,
    peers: Vec<Peer>,
    packets: Source<TxPacket>,
    pub(super) payloads: Source<PayloadBeat>,
    pub(super) expected: VecDeque<Expected>,
    notes: VecDeque<Note>,
    collector: Collector,
    acks: Source<AckSend>,
    pub(super) expected_acks: VecDeque<Vec<u8>>,
    ack_collector: Collector,
    pub(super) ack_frames: u64,
    /// Frames of data, and whatever stands beside them, are taken as the arbiter takes them: the latter first, whole. The kind of the last beat,
    /// and whether its frame goes on.
    taker: Taker,
    /// Data frames and READ requests in the order in which they left: `READ`, `RESPONSE`, or 0 for other requests.
    pub(super) order: Vec<u8>,
    pub(super) clock: u64,
    pub(super) frames: u64,
    /// Frames that went before others that had been there before them.
    pub(super) overtook: u64,
    pub(super) first_beat: Option<u64>,
    pub(super) last_beat: u64,
}

impl Bench {
    pub(super) fn new(seed: u64) -> Self {
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

    pub(super) fn push(&mut self, qp: u8, opcode: u8, length: usize, stale: bool) {
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
    pub(super) fn push_ack(&mut self, hops: usize) {
        let qp = self.stimulus.uniform(8) as u8;
        let peer = self.peers[usize::from(qp)].clone();
        let kind = (AckKind::Acknowledgement, hops);
        let (word, frame) = acknowledgement(&mut self.stimulus, &self.config, (qp, &peer), kind, false);
        self.acks.items.push_back(word);
        self.expected_acks.extend(frame);
    }

    /// A queue pair that is alive and has INT or not.
    pub(super) fn living(&mut self, int: bool) -> u8 {
        loop {
            let qp = self.stimulus.uniform(8) as u8;
            let peer = &self.peers[usize::from(qp)];
            if peer.alive && peer.int == int {
                return qp;
            }
        }
    }

    pub(super) fn tick(&mut self, offer: f64, feed: f64, accept: f64) {
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

    pub(super) fn beats(&self) -> usize {
        let frames = self.expected.iter();
        frames.map(|expected| expected.frame.len().div_ceil(64)).sum()
    }

    /// Runs until everything is out.
    pub(super) fn drain(&mut self, offer: f64, feed: f64, accept: f64) {
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
