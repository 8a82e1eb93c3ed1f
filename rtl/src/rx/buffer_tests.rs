//! Frames of random length and content, commands of random delay, a receiver of random speed: every payload comes out whole and
//! in order, and only frames without room are lost.

use super::*;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use std::collections::VecDeque;

/// A frame on its way: its bytes, and whether a command is due (not before its last beat is in).
struct Frame {
    bytes: Vec<u8>,
    ended_at: Option<u64>,
}

struct Bench {
    buffer: Box<PacketBuffer>,
    stimulus: Stimulus,
    clock: u64,
    sending: Vec<u8>,
    sent: usize,
    frames: VecDeque<Frame>,
    command: Option<u64>,
    /// Beats of the frames that commands were for, newest last: one waits, one is read out, one has just been.
    commanded: [u64; 3],
    expected: VecDeque<Vec<u8>>,
    current: Vec<u8>,
    lost: u64,
    taken: u64,
}

fn beats(bytes: usize) -> u64 {
    bytes.div_ceil(64) as u64
}

/// Clocks from a frame's last beat to its command at least, as the parser takes.
const VERDICT: u64 = 13;

impl Bench {
    fn new(seed: u64) -> Self {
        let mut buffer: Box<PacketBuffer> = Box::default();
        init(buffer.as_mut()).expect("complete block");
        buffer.reset.next = true;
        for _ in 0..3 {
            step(buffer.as_mut(), |_| ());
        }
        buffer.reset.next = false;
        Self {
            buffer,
            stimulus: Stimulus::new(seed),
            clock: 0,
            sending: Vec::new(),
            sent: 0,
            frames: VecDeque::new(),
            command: None,
            commanded: [0; 3],
            expected: VecDeque::new(),
            current: Vec::new(),
            lost: 0,
            taken: 0,
        }
    }

    /// The next frame's bytes: at least a payload's header.
    fn new_frame(&mut self) -> Vec<u8> {
        let len = match self.stimulus.below(4) {
            0 => 60 + self.stimulus.below(10),
            1 => 128 + 64 * self.stimulus.below(4) - self.stimulus.below(3),
            2 => 60 + self.stimulus.below(1500),
            _ => 1100,
        };
        (0..len).map(|_| self.stimulus.uniform(8) as u8).collect()
    }

    /// A command for the oldest frame, and what must come out of it.
    fn new_command(&mut self) -> Option<u64> {
        let ready = self
            .frames
            .front()
            .and_then(|frame| frame.ended_at)
            .is_some_and(|at| at + VERDICT <= self.clock);
        if !ready {
            return None;
        }
        let frame = self.frames.pop_front()?.bytes;
        self.commanded.rotate_left(1);
        self.commanded[2] = beats(frame.len());
        let take = self.stimulus.chance(0.8);
        let at = (2 * self.stimulus.below(56) as usize).min(frame.len() / 2 * 2);
        let room = frame.len() - at;
        let length = match self.stimulus.below(4) {
            0 => room.min(self.stimulus.below(130) as usize),
            _ => room - room.min(self.stimulus.below(8) as usize),
        };
        if take && length > 0 {
            self.expected.push_back(frame[at..at + length].to_vec());
            self.taken += 1;
        }
        Some(u64::from(take) | (at as u64) << 1 | (length as u64) << 8)
    }

    fn tick(&mut self, offer: f64, accept: f64, command: f64) {
        let offered = self.stimulus.chance(offer);
        if offered && self.sent >= self.sending.len() {
            self.sending = self.new_frame();
            self.sent = 0;
        }
        let end = self.sending.len().min(self.sent + 64);
        let last = offered && end == self.sending.len();
        let mut words = [0u64; 8];
        for (i, byte) in self.sending[self.sent.min(end)..end].iter().enumerate() {
            words[i / 8] |= u64::from(*byte) << (8 * (i % 8));
        }
        if self.command.is_none() && self.stimulus.chance(command) {
            self.command = self.new_command();
        }
        let buffer = &mut self.buffer;
        buffer.beat_valid.next = offered;
        buffer.beat_data.next = W(words);
        buffer.beat_last.next = last;
        buffer.command.valid.next = self.command.is_some();
        buffer.command.data.next = BufferCommand::from_slice(&[self.command.unwrap_or(0)]);
        buffer.payload.ready.next = self.stimulus.chance(accept);
        let (lost, commanded, beat, free) = step(buffer.as_mut(), |b| {
            let moved = b.payload.valid.val() & b.payload.ready.val();
            (
                b.lost.val(),
                b.command.ready.val() & b.command.valid.val(),
                moved.then(|| b.payload.data.val()),
                b.free.val().0,
            )
        });
        // what waits is in the buffer for certain; what comes in or goes out may be
        let waits = self
            .frames
            .iter()
            .filter(|frame| frame.ended_at.is_some_and(|at| at + 3 <= self.clock));
        let least: u64 = waits.map(|frame| beats(frame.bytes.len())).sum();
        let all = self.frames.iter().map(|frame| beats(frame.bytes.len())).sum::<u64>() + beats(self.sent);
        let used = BUFFER_BEATS as u64 - free;
        let most = all + self.commanded.iter().sum::<u64>();
        assert!(
            (least..=most).contains(&used),
            "clock {}: {used} beats, {least} to {most}",
            self.clock
        );
        if offered {
            self.sent = end;
        }
        if last {
            let bytes = std::mem::take(&mut self.sending);
            self.sent = 0;
            self.frames.push_back(Frame {
                bytes,
                ended_at: Some(self.clock),
            });
        }
        if lost {
            let ended = |frame: &Frame| frame.ended_at == Some(self.clock - 2);
            let index = self
                .frames
                .iter()
                .position(ended)
                .expect("the frame that ended two clocks ago");
            self.frames.remove(index);
            self.lost += 1;
        }
        if commanded {
            self.command = None;
        }
        if let Some(beat) = beat {
            let bytes = beat.count.index();
            self.current
                .extend((0..bytes).map(|i| beat.data.get_bits::<8>(8 * i).0 as u8));
            if beat.last {
                let expected = self.expected.pop_front().expect("a payload without a command");
                assert!(
                    self.current == expected,
                    "clock {}: {} of {} bytes",
                    self.clock,
                    self.current.len(),
                    expected.len()
                );
                self.current.clear();
            } else {
                assert_eq!(bytes, 64);
            }
        }
        self.clock += 1;
    }

    fn drain(&mut self) {
        while self.sent < self.sending.len() {
            self.tick(1.0, 1.0, 1.0);
        }
        for _ in 0..40_000 {
            self.tick(0.0, 1.0, 1.0);
        }
        let left = self.frames.iter().filter(|frame| frame.ended_at.is_some()).count();
        assert_eq!((left, self.expected.len(), self.current.len()), (0, 0, 0));
        assert_eq!(self.buffer.free.val().0, BUFFER_BEATS as u64);
    }
}

#[test]
fn payloads_come_out_whole_and_in_order_under_any_stalls() {
    for (seed, offer, accept, command) in [
        (1, 1.0, 1.0, 1.0),
        (2, 0.5, 0.9, 0.5),
        (3, 0.9, 0.5, 0.1),
        (4, 0.3, 1.0, 1.0),
    ] {
        let mut bench = Bench::new(seed);
        for _ in 0..30_000 {
            bench.tick(offer, accept, command);
        }
        bench.drain();
        assert!(bench.taken > 200, "{}", bench.taken);
        if seed == 4 {
            assert_eq!(bench.lost, 0, "nothing is lost at a third of the rate");
        }
    }
}

#[test]
fn a_full_buffer_loses_whole_frames_and_recovers() {
    let mut bench = Bench::new(5);
    for _ in 0..3000 {
        bench.tick(1.0, 0.0, 1.0);
    }
    assert!(bench.lost > 10);
    bench.drain();
    let lost = bench.lost;
    for _ in 0..3000 {
        bench.tick(0.3, 1.0, 1.0);
    }
    bench.drain();
    assert_eq!(bench.lost, lost);
}
