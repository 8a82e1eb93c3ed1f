//! Engines that decide at their own pace: whatever they take their time for, jobs, payload and commits are in the order of the frames.

use super::*;
use crate::prim::uint::U;
use crate::prim::word::Field;
use crate::rx::stimulus::memory_lines;
use crate::words::dma::WriteLine;
use crate::words::rx::CommitEntry;
use crate::words::transport::{Action, CommitKind, ReadRequest};
use rust_hdl::prelude::Synth;
use std::collections::VecDeque;

/// An engine that takes rows and decides about each a random or fixed number of clocks later, in their order.
struct Engine {
    /// Chance that it takes a row.
    takes: f64,
    /// Clocks to its decision, at least and at most.
    clocks: (u64, u64),
    /// Decisions under way and when they show.
    waiting: VecDeque<(u64, [u64; 4])>,
    /// All its decisions.
    decided: VecDeque<[u64; 4]>,
}

impl Engine {
    fn new(takes: f64, clocks: (u64, u64)) -> Self {
        Self {
            takes,
            clocks,
            waiting: VecDeque::new(),
            decided: VecDeque::new(),
        }
    }

    /// Decides about a row; a payload may be taken if there is one.
    fn decide(&mut self, stimulus: &mut Stimulus, clock: u64, length: u64) {
        let mut action = any_action(stimulus);
        let take = (1..=4096).contains(&length) && stimulus.chance(0.6);
        Action::TAKE.put(&mut action, take.into());
        // every write is committed
        Action::COMMITS.put(&mut action, u64::from(take || stimulus.chance(0.7)));
        let (least, most) = self.clocks;
        let before = self.waiting.back().map_or(0, |(due, _)| *due);
        let due = before.max(clock + least + stimulus.below(most - least + 1));
        self.waiting.push_back((due, action));
        self.decided.push_back(action);
    }

    /// The decision that shows.
    fn shown(&self, clock: u64) -> Option<[u64; 4]> {
        let due = self.waiting.front().filter(|(due, _)| *due <= clock);
        due.map(|(_, action)| *action)
    }
}

/// A decision of noise.
fn any_action(stimulus: &mut Stimulus) -> [u64; 4] {
    let mut action: [u64; 4] = std::array::from_fn(|_| stimulus.uniform(64));
    action[3] &= u64::MAX >> (256 - <Action as Synth>::BITS);
    Action::ANSWER.put(&mut action, stimulus.below(5));
    action
}

/// What the memory writer and the commit stage saw.
#[derive(Default)]
struct Seen {
    /// Address and length.
    jobs: Vec<(u64, u64)>,
    /// Lines of payload, of one job after the other.
    lines: Vec<WriteLine>,
    commits: Vec<[u64; 7]>,
    /// Queue pair and whether it was a READ response.
    marks: Vec<(u64, bool)>,
    /// Clock of the last commit.
    last: u64,
}

/// The frames through the pipe, beats with gaps; all there is to see, until all engines' rows are decided and nothing moves.
fn pass(frames: &[Vec<u8>], engines: &mut [Engine; 2], gaps: f64, stall: f64, seed: u64) -> Seen {
    let config = registers();
    let mut stimulus = Stimulus::new(seed);
    let mut pipe = powered(&config);
    let pipe = pipe.as_mut();
    write_context(pipe, 2, 0, PEER);
    write_context(pipe, 3, 1, PEER);
    (0..300).for_each(|_| step(pipe, |_| ()));
    let mut queue: VecDeque<Beat> = frames.iter().flat_map(|frame| beats(frame)).collect();
    let mut seen = Seen::default();
    let (mut quiet, mut clock, mut marked) = (0, 0, false);
    while quiet < 200 {
        clock += 1;
        let beat = if stimulus.chance(1.0 - gaps) { queue.pop_front() } else { None };
        feed(pipe, beat);
        pipe.payload.ready.next = !stimulus.chance(stall);
        pipe.job.ready.next = !stimulus.chance(stall);
        pipe.commit.ready.next = !stimulus.chance(stall);
        (pipe.notice.ready.next, pipe.control.ready.next, pipe.answer.ready.next) = (true, true, true);
        pipe.request.ready.next = stimulus.chance(engines[0].takes);
        pipe.response.ready.next = stimulus.chance(engines[1].takes);
        let shown = [engines[0].shown(clock), engines[1].shown(clock)];
        pipe.request_action.valid.next = shown[0].is_some();
        pipe.response_action.valid.next = shown[1].is_some();
        // what is not valid is noise
        let noise: [[u64; 4]; 2] = std::array::from_fn(|_| any_action(&mut stimulus));
        pipe.request_action.data.next = Action::from_slice(&shown[0].unwrap_or(noise[0]));
        pipe.response_action.data.next = Action::from_slice(&shown[1].unwrap_or(noise[1]));
        let (rows, taken, moved) = step(pipe, |p| {
            assert!(!p.lost.val() & !p.unfair.val(), "clock {clock}: a frame is lost");
            let mut moved = false;
            if p.job.valid.val() & p.job.ready.val() {
                let job = p.job.data.val();
                seen.jobs.push((job.address.0, job.length.0));
                moved = true;
            }
            if p.payload.valid.val() & p.payload.ready.val() {
                seen.lines.push(p.payload.data.val());
                moved = true;
            }
            if p.commit.valid.val() & p.commit.ready.val() {
                seen.commits.push(p.commit.data.val().array::<7>());
                seen.last = clock;
                moved = true;
            }
            if p.mark_valid.val() {
                assert!(!marked, "clock {clock}: a mark behind a mark");
                let mark = p.mark.val();
                assert_eq!(mark.generation.0, 7);
                seen.marks.push((mark.qp.0, mark.response));
                moved = true;
            }
            marked = p.mark_valid.val();
            let row = |valid: bool, length: U<16>| valid.then_some(length.0);
            let rows = [
                row(
                    p.request.valid.val() & p.request.ready.val(),
                    p.request.data.val().payload_length,
                ),
                row(
                    p.response.valid.val() & p.response.ready.val(),
                    p.response.data.val().payload_length,
                ),
            ];
            let taken = [
                p.request_action.valid.val() & p.request_action.ready.val(),
                p.response_action.valid.val() & p.response_action.ready.val(),
            ];
            (rows, taken, moved)
        });
        quiet = if moved || !queue.is_empty() { 0 } else { quiet + 1 };
        for (engine, (row, taken)) in engines.iter_mut().zip(rows.into_iter().zip(taken)) {
            if taken {
                engine.waiting.pop_front();
                quiet = 0;
            }
            if let Some(length) = row {
                engine.decide(&mut stimulus, clock, length);
                quiet = 0;
            }
        }
    }
    seen
}

/// The entry for the commit stage: the engine's decision and what the frame brought; a READ asks where others have INT.
fn committed(action: &[u64; 4], packet: &RocePacket) -> [u64; 7] {
    let mut word = [0; 7];
    let qp = u64::from(packet.bth.dest_qp);
    for (to, from) in [
        (Commit::KIND, Action::KIND),
        (Commit::PSN, Action::PSN),
        (Commit::SYNDROME, Action::SYNDROME),
        (Commit::MSN, Action::MSN),
        (Commit::ANSWER, Action::ANSWER),
        (Commit::ENDS_OR_FAILED, Action::ENDS),
        (CommitEntry::WAITS, Action::TAKE),
    ] {
        to.put(&mut word, from.get(action));
    }
    for (to, value) in [
        (Commit::QP, qp),
        (Commit::GENERATION, 7),
        (Commit::INT_LENGTH, packet.int.len() as u64),
        (Commit::INT_ON, (qp == 3).into()),
    ] {
        to.put(&mut word, value);
    }
    if Action::KIND.get(action) == CommitKind::Read as u64 {
        for (place, field) in [
            (ReadRequest::ADDRESS, Action::ADDRESS),
            (ReadRequest::GUARD, Action::GUARD),
            (ReadRequest::LENGTH, Action::LENGTH),
            (ReadRequest::COUNT, Action::COUNT),
            (ReadRequest::DUPLICATE, Action::DUPLICATE),
        ] {
            Commit::INT_STACK
                .part(place.low, place.width)
                .put(&mut word, field.get(action));
        }
    } else {
        Commit::INT_STACK.put_bytes(&mut word, packet.int);
    }
    word
}

#[test]
fn what_follows_from_frames_follows_in_their_order() {
    let config = registers();
    for (seed, paces) in [
        (1, [(1.0, (7, 7)), (1.0, (2, 9))]),
        (2, [(0.3, (1, 30)), (0.8, (1, 3))]),
    ] {
        let mut stimulus = Stimulus::new(seed);
        let frames: Vec<Vec<u8>> = (0..1500)
            .map(|_| {
                let mut frame = good_frame(&mut stimulus, &config);
                let plain = frame.len() > 41 && [&frame[36..38], &frame[40..42]].contains(&&[0x12, 0xb7][..]);
                aim(&mut frame, &config, if plain { 2 } else { 3 }, PEER);
                frame
            })
            .collect();
        let mut engines = paces.map(|(takes, clocks)| Engine::new(takes, clocks));
        let seen = pass(&frames, &mut engines, 0.5, 0.3, seed);
        let (mut jobs, mut lines, mut marks) = (Vec::new(), Vec::new(), Vec::new());
        let mut commits = seen.commits.iter();
        let mut kinds = [0; 3];
        for (at, frame) in frames.iter().enumerate() {
            let fate = fate(&config, frame);
            let engine = match &fate {
                Fate::Request(_) => &mut engines[0],
                Fate::Response(_) => &mut engines[1],
                Fate::Acknowledgement(answer) => {
                    let word = commits.next().expect("an acknowledgement");
                    let field = |field: Field| field.get(word);
                    assert_eq!(
                        (field(Commit::KIND), field(Commit::PSN), field(Commit::QP)),
                        (3, answer.psn, answer.qp),
                        "seed {seed}, frame {at}"
                    );
                    assert_eq!(CommitEntry::WAITS.get(word), 0, "seed {seed}, frame {at}");
                    kinds[2] += 1;
                    continue;
                }
                _ => continue,
            };
            let action = engine.decided.pop_front().expect("a decision");
            let packet = RocePacket::parse(frame, &config.ports).expect("no fault");
            let qp = u64::from(packet.bth.dest_qp);
            marks.extend((packet.ipv4.tos & 3 == 3).then_some((qp, matches!(fate, Fate::Response(_)))));
            let take = Action::TAKE.get(&action);
            if take == 1 {
                jobs.push((Action::ADDRESS.get(&action), packet.payload.len() as u64));
                lines.extend(memory_lines(Action::ADDRESS.get(&action), packet.payload));
                kinds[0] += 1;
            }
            if Action::COMMITS.get(&action) == 1 {
                let word = commits.next().expect("a commit");
                let expected = committed(&action, &packet);
                assert_eq!(*word, expected, "seed {seed}, frame {at}");
                kinds[1] += 1;
            }
        }
        assert_eq!(commits.next(), None);
        assert_eq!(seen.jobs, jobs, "seed {seed}");
        assert_eq!(seen.lines.len(), lines.len(), "seed {seed}");
        for (seen, line) in seen.lines.iter().zip(&lines) {
            assert!(
                line.is(seen.data.0, seen.strobe.0, seen.last),
                "seed {seed}: {seen:x?}, not {line:x?}"
            );
        }
        assert_eq!(seen.marks, marks, "seed {seed}");
        assert!(marks.len() > 40, "{}", marks.len());
        assert!(engines.iter().all(|engine| engine.decided.is_empty()));
        assert!(kinds.iter().all(|times| *times > 40), "{kinds:?}");
    }
}

/// A plain packet of one beat.
fn small(config: &NicConfig, opcode: Opcode, extension: Extension, psn: u32) -> Vec<u8> {
    plain(config, BthRepr::new(opcode, 2, psn), extension, &[])
}

/// Requests, READ responses and acknowledgements in turn, a frame a clock; engines decide seven clocks after a row comes.
#[test]
fn a_frame_of_one_beat_a_clock() {
    const FRAMES: u32 = 3000;
    let config = registers();
    let aeth = AethRepr {
        syndrome: Syndrome::parse(0x1f),
        msn: 1,
    };
    let frames: Vec<Vec<u8>> = (0..FRAMES)
        .map(|psn| match psn % 3 {
            0 => small(&config, Opcode::Write(Position::Middle), Extension::None, psn),
            1 => small(&config, Opcode::ReadResponse(Position::Middle), Extension::None, psn),
            _ => small(&config, Opcode::Acknowledge, Extension::Aeth(aeth), psn),
        })
        .collect();
    assert!(frames.iter().all(|frame| frame.len() <= 64));
    let mut engines = [Engine::new(1.0, (7, 7)), Engine::new(1.0, (7, 7))];
    let seen = pass(&frames, &mut engines, 0.0, 0.0, 5);
    assert_eq!(engines[0].decided.len() + engines[1].decided.len(), 2000);
    assert!(seen.commits.len() > 2000 && seen.jobs.is_empty());
    assert!(seen.last < u64::from(FRAMES) + 60, "{} clocks", seen.last);
}
