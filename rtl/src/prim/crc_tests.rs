//! The parts put together give the CRC of whole messages of every length.

use super::*;
use crate::sim::{init, step, Stimulus};
use hpcc_models::wire::crc32;

fn beat(bytes: &[u8]) -> W<512, 8> {
    let mut words = [0; 8];
    for (i, byte) in bytes.iter().enumerate() {
        words[i / 8] |= u64::from(*byte) << (8 * (i % 8));
    }
    W(words)
}

/// Register after `message` (initial value of ones) and zeros to the end of its last beat.
fn register(message: &[u8]) -> u32 {
    let mut data = message.to_vec();
    for byte in data.iter_mut().take(4) {
        *byte ^= 0xff;
    }
    let mut fold: Box<CrcFold> = Box::default();
    let mut state: Box<CrcState> = Box::default();
    init(fold.as_mut()).expect("complete block");
    init(state.as_mut()).expect("complete block");
    let beats: Vec<&[u8]> = data.chunks(BEAT).collect();
    let mut out = 0;
    for clock in 0..beats.len() + FOLD_LATENCY + 1 {
        fold.data.next = beat(beats.get(clock).copied().unwrap_or(&[0xee; BEAT]));
        state.enable.next = clock >= FOLD_LATENCY && clock < beats.len() + FOLD_LATENCY;
        state.first.next = clock == FOLD_LATENCY;
        state.fold.next = step(fold.as_mut(), |fold| fold.q.val());
        out = step(state.as_mut(), |state| state.q.val().0 as u32);
    }
    out
}

fn one<B: crate::sim::HasClock>(block: &mut B, clocks: usize, q: impl Fn(&B) -> U<32>) -> u32 {
    (0..=clocks)
        .map(|_| step(block, &q).0 as u32)
        .last()
        .expect("one clock")
}

#[test]
fn messages_of_every_length_up_to_four_beats() {
    let mut stimulus = Stimulus::new(3);
    let mut unroll: Box<CrcUnroll> = Box::default();
    let mut residue: Box<CrcResidue> = Box::default();
    init(unroll.as_mut()).expect("complete block");
    init(residue.as_mut()).expect("complete block");
    for len in 4..=4 * BEAT {
        let message: Vec<u8> = (0..len).map(|_| stimulus.uniform(8) as u8).collect();
        let crc = crc32(&message);
        let fill = |len: usize| (len.wrapping_neg() % BEAT) as u64;
        unroll.state.next = U(register(&message).into());
        unroll.zeros.next = U(fill(len));
        assert_eq!(one(unroll.as_mut(), UNROLL_LATENCY, |b| b.q.val()), crc, "length {len}");
        let sent = [&message[..], &crc.to_le_bytes()].concat();
        residue.enable.next = true;
        residue.zeros.next = U(fill(sent.len()));
        let expected = one(residue.as_mut(), 1, |b| b.q.val());
        assert_eq!(register(&sent), expected, "length {len}");
        let mut wrong = sent;
        wrong[stimulus.below(len as u64) as usize] ^= 1 << stimulus.below(8);
        assert_ne!(register(&wrong), expected, "length {len}");
    }
}

#[test]
fn zeros_go_back_as_they_came() {
    for n in 0..BEAT {
        for bit in 0..32 {
            assert_eq!(zeros_back(zeros(1 << bit, n), n), 1 << bit);
        }
    }
}

#[test]
fn state_keeps_its_value_without_a_beat() {
    let mut state: Box<CrcState> = Box::default();
    init(state.as_mut()).expect("complete block");
    let clock = |state: &mut CrcState, enable, first, fold| {
        (state.enable.next, state.first.next, state.fold.next) = (enable, first, U(fold));
        step(state, |state| state.q.val().0)
    };
    clock(state.as_mut(), true, true, 5);
    assert_eq!(clock(state.as_mut(), false, false, 7), 5);
    assert_eq!(clock(state.as_mut(), true, true, 9), 5);
    assert_eq!(clock(state.as_mut(), false, true, 1), 9);
}

/// A message of two beats between two beats of another: each continues with what it has left itself, and what waits shows in a clock without a beat.
#[test]
fn a_message_may_come_between_the_beats_of_another() {
    let mut state: Box<CrcState> = Box::default();
    init(state.as_mut()).expect("complete block");
    let clock = |state: &mut CrcState, enable, first, aside, fold| {
        (state.enable.next, state.first.next) = (enable, first);
        (state.aside.next, state.fold.next) = (aside, U(fold));
        step(state, |state| state.q.val().0)
    };
    let after = |before: u32, fold: u64| u64::from(zeros(before, BEAT)) ^ fold;
    clock(state.as_mut(), true, true, false, 5);
    assert_eq!(clock(state.as_mut(), true, true, true, 9), 5);
    assert_eq!(clock(state.as_mut(), true, false, true, 3), 9);
    // a last beat of which nothing is covered
    assert_eq!(clock(state.as_mut(), true, true, true, 11), after(9, 3));
    assert_eq!(clock(state.as_mut(), false, false, true, 1), 11);
    assert_eq!(clock(state.as_mut(), false, false, false, 1), 11);
    assert_eq!(clock(state.as_mut(), true, false, false, 7), 5);
    assert_eq!(clock(state.as_mut(), false, false, false, 1), after(5, 7));
}
