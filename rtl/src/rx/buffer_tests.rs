//! Frames of random length and content, commands of random delay, a receiver of random speed: every payload comes out whole, in order
//! and in the lines of memory that it goes to, and only frames without room are lost.

use super::*;
use crate::prim::word::Word as _;
use crate::rx::stimulus::{memory_lines, MemoryLine};
use crate::sim::{init, step, Stimulus};
use std::collections::VecDeque;

/// A frame to be sent and its command.
#[derive(Clone, Copy, Debug)]
struct Case {
    bytes: usize,
    take: bool,
    /// First byte of the payload in the frame.
    at: usize,
    length: usize,
    /// Where in its page the payload goes.
    to: u64,
}

impl Case {
    fn command(self) -> u64 {
        u64::from(self.take) | (self.at as u64) << 1 | (self.length as u64) << 8 | self.to << 24
    }
    /// Lines of memory that come out.
    fn lines(self) -> u64 {
        if self.take && self.length > 0 {
            (self.to % 64 + self.length as u64).div_ceil(64)
        } else {
            0
        }
    }
    /// The first word only begins a line.
    fn begins(self) -> bool {
        self.to % 64 <= self.at as u64 % 64
    }
    /// Words of the frame with bytes of the payload.
    fn words(self) -> u64 {
        (self.at % 64 + self.length).div_ceil(64) as u64
    }
    /// Its last line is of its last word alone, and leaves in a clock without a word.
    fn rests(self) -> bool {
        self.lines() > 0 && self.lines() + u64::from(self.begins()) > self.words()
    }
    /// Its first word comes in that clock of the case before.
    fn merges(self, before: Option<Self>) -> bool {
        self.lines() > 0 && self.begins() && before.is_some_and(Self::rests)
    }
    /// Clocks from its command to the next one, if that waits and it has waited itself behind `before`.
    fn clocks(self, before: Option<Self>) -> u64 {
        match self.lines() {
            0 => 1,
            _ => self.words() + u64::from(self.rests()) - u64::from(self.merges(before)),
        }
    }
}

/// A frame that is in, or on its way, and the clock in which it ended: its command is not due before.
struct Frame {
    case: Case,
    bytes: Vec<u8>,
    ended_at: Option<u64>,
}

struct Bench {
    buffer: Box<PacketBuffer>,
    stimulus: Stimulus,
    clock: u64,
    /// Frames to come before random ones.
    cases: VecDeque<Case>,
    sending: Option<Frame>,
    sent: usize,
    frames: VecDeque<Frame>,
    command: Option<Case>,
    /// Beats of the frames that commands were for, newest last: one waits, one is read out, one has just been.
    commanded: [u64; 3],
    /// Clocks in which commands were taken, and what they said.
    taken_at: Vec<(u64, Case)>,
    expected: VecDeque<MemoryLine>,
    /// Clock in which the last line showed first.
    shown_at: u64,
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
            cases: VecDeque::new(),
            sending: None,
            sent: 0,
            frames: VecDeque::new(),
            command: None,
            commanded: [0; 3],
            taken_at: Vec::new(),
            expected: VecDeque::new(),
            shown_at: 0,
            lost: 0,
            taken: 0,
        }
    }

    /// A frame of at least a payload's header, and what is to become of it.
    fn random_case(&mut self) -> Case {
        let stimulus = &mut self.stimulus;
        let bytes = match stimulus.below(4) {
            0 => 60 + stimulus.below(10),
            1 => 128 + 64 * stimulus.below(4) - stimulus.below(3),
            2 => 60 + stimulus.below(1500),
            _ => 1100,
        } as usize;
        let at = (2 * stimulus.below(56) as usize).min(bytes / 2 * 2);
        let room = bytes - at;
        let length = match stimulus.below(4) {
            0 => room.min(stimulus.below(130) as usize),
            _ => room - room.min(stimulus.below(8) as usize),
        };
        Case {
            bytes,
            take: stimulus.chance(0.8),
            at,
            length,
            to: stimulus.below(4096),
        }
    }

    fn new_frame(&mut self) -> Frame {
        let case = self.cases.pop_front().unwrap_or_else(|| self.random_case());
        Frame {
            case,
            bytes: (0..case.bytes).map(|_| self.stimulus.uniform(8) as u8).collect(),
            ended_at: None,
        }
    }

    /// The command for the oldest frame; what must come out of it is expected from now on.
    fn new_command(&mut self) -> Option<Case> {
        let front = self.frames.front();
        let ended = front.and_then(|frame| frame.ended_at);
        ended.filter(|at| at + VERDICT <= self.clock)?;
        let Frame { case, bytes, .. } = self.frames.pop_front()?;
        self.commanded.rotate_left(1);
        self.commanded[2] = beats(bytes.len());
        if case.lines() > 0 {
            self.expected
                .extend(memory_lines(case.to, &bytes[case.at..case.at + case.length]));
            self.taken += 1;
        }
        Some(case)
    }

    fn tick(&mut self, offer: f64, accept: f64, command: f64) {
        let offered = self.stimulus.chance(offer);
        if offered && self.sending.is_none() {
            self.sending = Some(self.new_frame());
            self.sent = 0;
        }
        let bytes = self.sending.as_ref().map_or(&[][..], |frame| &frame.bytes);
        let end = bytes.len().min(self.sent + 64);
        let last = offered && end == bytes.len();
        let mut words = [0u64; 8];
        for (i, byte) in bytes[self.sent..end].iter().enumerate() {
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
        buffer.command.data.next = BufferCommand::from_slice(&[self.command.map_or(0, Case::command)]);
        buffer.payload.ready.next = self.stimulus.chance(accept);
        let (lost, commanded, line, moved, free) = step(buffer.as_mut(), |b| {
            let valid = b.payload.valid.val();
            (
                b.lost.val(),
                b.command.ready.val() & b.command.valid.val(),
                valid.then(|| b.payload.data.val()),
                valid & b.payload.ready.val(),
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
            self.sent = 0;
            self.frames.extend(self.sending.take().map(|frame| Frame {
                ended_at: Some(self.clock),
                ..frame
            }));
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
            let case = self.command.take().expect("a command");
            self.taken_at.push((self.clock, case));
        }
        if let Some(line) = line {
            let expected = self.expected.front().expect("a line without a command");
            assert!(
                expected.is(line.data.0, line.strobe.0, line.last),
                "clock {}: {line:x?}, not {expected:x?}; commands {:?}",
                self.clock,
                &self.taken_at[self.taken_at.len().saturating_sub(3)..]
            );
            self.shown_at = self.clock;
        }
        if moved {
            self.expected.pop_front();
        }
        self.clock += 1;
    }

    fn drain(&mut self) {
        while self.sending.is_some() {
            self.tick(1.0, 1.0, 1.0);
        }
        let mut quiet = 0;
        while quiet < 50 {
            self.tick(0.0, 1.0, 1.0);
            let waits = self.frames.is_empty() && self.command.is_none() && self.expected.is_empty();
            quiet = if waits { quiet + 1 } else { 0 };
            assert!(self.clock < 1_000_000, "not empty");
        }
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

/// Every place in the frame with every place in memory: one byte, up to the end of a line or of a word and one byte less and more, some
/// lines; in a page, up to its end and across it. Frames end with their payload, so that words behind it are another frame's.
#[test]
fn every_place_in_frame_and_in_memory() {
    let mut bench = Bench::new(6);
    for at in (0..128).step_by(2) {
        for to in 0..64 {
            let (line, word) = (64 - to as usize, 64 - at % 64);
            for length in [
                1,
                line,
                line + 1,
                line + 64,
                word,
                word + 63,
                64,
                65,
                line + 127,
                line + 128,
            ] {
                let page = 64 * [0, 62, 63, bench.stimulus.below(64)][bench.stimulus.below(4) as usize];
                bench.cases.push_back(Case {
                    bytes: (at + length).max(60),
                    take: true,
                    at,
                    length,
                    to: page + to,
                });
            }
        }
    }
    let all = bench.cases.len() as u64;
    while !bench.cases.is_empty() {
        bench.tick(0.7, 0.95, 1.0);
    }
    bench.drain();
    assert_eq!((bench.taken, bench.lost), (all, 0));
}

/// The largest payloads, from every place of a line: their first and last lines, and the end of the page between them.
#[test]
fn payloads_of_4096_bytes() {
    let mut bench = Bench::new(7);
    for to in (0..4096).step_by(37).chain(4032..4096) {
        let at = 2 * bench.stimulus.below(56) as usize;
        let length = 4096 - bench.stimulus.below(2) as usize * bench.stimulus.below(130) as usize;
        bench.cases.push_back(Case {
            bytes: at + length + 4,
            take: true,
            at,
            length,
            to,
        });
    }
    let all = bench.cases.len() as u64;
    while !bench.cases.is_empty() {
        bench.tick(0.7, 0.8, 1.0);
    }
    bench.drain();
    assert_eq!((bench.taken, bench.lost), (all, 0));
}

/// Frames that wait with their commands: a payload takes a clock for each of its words and one for a last line that needs none, unless the next payload's
/// first word comes then; skipping takes a clock.
#[test]
fn a_line_a_clock() {
    let mut bench = Bench::new(8);
    let mut merged = 0;
    for _ in 0..30 {
        // until half of the buffer is full, then all of it out
        let begun = bench.taken_at.len();
        while bench.buffer.free.val().0 > 256 {
            bench.tick(1.0, 1.0, 0.0);
        }
        for _ in 0..VERDICT {
            bench.tick(0.0, 1.0, 0.0);
        }
        bench.drain();
        // but the last frame, which may have been on its way
        let waited = &bench.taken_at[begun..bench.taken_at.len() - 1];
        let mut last = None;
        for ((at, case), (next, _)) in waited.iter().zip(&waited[1..]) {
            assert_eq!(next - at, case.clocks(last), "{case:?} behind {last:?}");
            merged += u64::from(case.merges(last));
            last = Some(*case);
        }
    }
    assert!(
        bench.taken_at.len() > 300 && merged > 50,
        "{} {merged}",
        bench.taken_at.len()
    );
}

/// Clocks from a command to the only line that comes of it, in an idle buffer.
#[test]
fn a_line_comes_eight_clocks_behind_its_command() {
    let mut bench = Bench::new(9);
    for to in 0..64 {
        let case = Case {
            bytes: 100,
            take: true,
            at: 54,
            length: 1,
            to,
        };
        bench.cases.push_back(case);
        bench.tick(1.0, 1.0, 1.0);
        bench.drain();
        let (at, _) = *bench.taken_at.last().expect("a command");
        assert_eq!(bench.shown_at - at, 8 + u64::from(case.begins()), "{case:?}");
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
