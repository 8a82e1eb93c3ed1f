//! The stamper against `hpcc_models::wire::Stamper`: frame by frame, byte for byte, under random stalls.

use super::stimulus::{any_frame, int_frame};
use super::{IntStamper, STAMPER_LATENCY};
use crate::prim::uint::{mask, U};
use crate::prim::wide::W;
use crate::sim::{init, length, step, Stimulus};
use hpcc_models::wire::{StampConfig, Stamped, Stamper};
use std::collections::{BTreeMap, VecDeque};

/// A beat as the bench handles it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Beat {
    data: [u8; 64],
    bytes: usize,
    last: bool,
    bad: bool,
}

fn beats(frame: &[u8], bad: bool) -> Vec<Beat> {
    let count = frame.len().div_ceil(64);
    let beat = |(i, chunk): (usize, &[u8])| {
        let mut data = [0; 64];
        data[..chunk.len()].copy_from_slice(chunk);
        let last = i + 1 == count;
        Beat {
            data,
            bytes: chunk.len(),
            last,
            bad: bad && last,
        }
    };
    frame.chunks(64).enumerate().map(beat).collect()
}

fn words(data: &[u8; 64]) -> W<512, 8> {
    let mut out = [0; 8];
    for (word, bytes) in out.iter_mut().zip(data.chunks(8)) {
        *word = bytes.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b));
    }
    W(out)
}

struct Bench {
    block: Box<IntStamper>,
    model: Stamper,
    stalls: Stimulus,
    accept: f64,
    offer: f64,
    expected: VecDeque<Beat>,
    outcomes: BTreeMap<Stamped, u64>,
    pulses: [u64; 3],
    clock: u64,
    first_out: Option<u64>,
    received: u64,
}

impl Bench {
    fn new(config: StampConfig) -> Self {
        let mut block: Box<IntStamper> = Box::default();
        init(block.as_mut()).expect("complete block");
        block.cfg_int_port.next = U(config.int_port.into());
        block.cfg_dscp.next = U(config.dscp.into());
        block.cfg_switch_id.next = U(config.switch_id.into());
        block.cfg_speed.next = U(config.speed.into());
        block.cfg_unit_shift.next = U(config.int_multi.ilog2().into());
        let mut bench = Self {
            block,
            model: Stamper { config, tx_bytes: 0 },
            stalls: Stimulus::new(17),
            accept: 1.0,
            offer: 1.0,
            expected: VecDeque::new(),
            outcomes: BTreeMap::new(),
            pulses: [0; 3],
            clock: 0,
            first_out: None,
            received: 0,
        };
        bench.block.reset.next = true;
        bench.step();
        bench.block.reset.next = false;
        bench.step();
        bench
    }

    /// One clock; whether the offered beat was taken.
    fn step(&mut self) -> bool {
        self.block.m_axis.tready.next = self.stalls.chance(self.accept);
        let (taken, out, pulses) = step(self.block.as_mut(), |b| {
            let out = (b.m_axis.tvalid.val() & b.m_axis.tready.val()).then(|| {
                (
                    b.m_axis.tdata.val(),
                    b.m_axis.tkeep.val().0,
                    b.m_axis.tlast.val(),
                    b.m_axis.tuser.val(),
                )
            });
            let taken = b.s_axis.tvalid.val() & b.s_axis.tready.val();
            (taken, out, [b.recorded.val(), b.counted.val(), b.truncated.val()])
        });
        for (count, pulse) in self.pulses.iter_mut().zip(pulses) {
            *count += u64::from(pulse);
        }
        if let Some((data, keep, last, bad)) = out {
            let want = self.expected.pop_front().expect("a beat that nobody sent");
            assert_eq!(keep, mask(want.bytes), "clock {}, beat {}", self.clock, self.received);
            let mut got = data;
            for byte in want.bytes..64 {
                got.0[byte / 8] &= !(0xff << (8 * (byte % 8)));
            }
            assert_eq!(got, words(&want.data), "clock {}, beat {}", self.clock, self.received);
            assert_eq!((last, bad && last), (want.last, want.bad), "clock {}", self.clock);
            self.first_out.get_or_insert(self.clock);
            self.received += 1;
        }
        self.clock += 1;
        taken
    }

    /// Sends a frame; time and queue are right in the clock that takes its first beat and noise in every other.
    fn frame(&mut self, frame: &[u8], bad: bool, now: u64, queued: u32) {
        let mut stamped = frame.to_vec();
        let outcome = self.model.stamp(&mut stamped, now, queued.into());
        *self.outcomes.entry(outcome).or_default() += 1;
        self.expected
            .extend(beats(&stamped, bad || outcome == Stamped::Truncated));
        for (i, beat) in beats(frame, bad).into_iter().enumerate() {
            while !self.stalls.chance(self.offer) {
                self.block.s_axis.tvalid.next = false;
                self.step();
            }
            self.block.s_axis.tvalid.next = true;
            self.block.s_axis.tdata.next = words(&beat.data);
            self.block.s_axis.tkeep.next = U(mask(beat.bytes));
            self.block.s_axis.tlast.next = beat.last;
            self.block.s_axis.tuser.next = beat.bad;
            let (now, queued) =
                if i == 0 { (now, queued) } else { (self.stalls.uniform(24), self.stalls.uniform(32) as u32) };
            self.block.now_ns.next = U(now & 0xff_ffff);
            self.block.queued_bytes.next = U(queued.into());
            while !self.step() {}
        }
        self.block.s_axis.tvalid.next = false;
    }

    fn drain(&mut self) {
        self.accept = 1.0;
        for _ in 0..20 {
            self.step();
        }
        assert!(self.expected.is_empty(), "{} beats missing", self.expected.len());
        let count = |outcome| self.outcomes.get(&outcome).copied().unwrap_or(0);
        let outcomes = [Stamped::Recorded, Stamped::Counted, Stamped::Truncated].map(count);
        assert_eq!(self.pulses, outcomes);
    }
}

fn config(int_multi: u32) -> StampConfig {
    StampConfig {
        switch_id: 0x5a3,
        speed: 7,
        int_multi,
        ..StampConfig::default()
    }
}

#[test]
fn latency_is_as_stated() {
    let mut bench = Bench::new(config(1));
    let frame = int_frame(&mut Stimulus::new(1), 2, false, 100);
    let taken = bench.clock;
    bench.frame(&frame, false, 5, 6);
    bench.drain();
    assert_eq!(bench.first_out, Some(taken + STAMPER_LATENCY as u64));
}

#[test]
fn one_beat_a_clock_when_nothing_stalls() {
    let mut bench = Bench::new(config(1));
    let mut s = Stimulus::new(2);
    let start = bench.clock;
    // 40 whole beats a frame minus eight bytes: growing adds no beat
    for _ in 0..50 {
        let frame = int_frame(&mut s, 1, false, 2560 - 8 - 14 - 20 - 8 - 10 - 16);
        bench.frame(&frame, false, s.uniform(24), s.uniform(20) as u32);
    }
    assert_eq!(bench.clock - start, 50 * 40);
    // exactly 40 beats: growing adds one, the input waits for it
    let start = bench.clock;
    for _ in 0..50 {
        let frame = int_frame(&mut s, 1, true, 2560 - 18 - 20 - 8 - 10 - 16);
        bench.frame(&frame, false, s.uniform(24), s.uniform(20) as u32);
    }
    assert!((50 * 41 - 1..=50 * 41 + 4).contains(&(bench.clock - start)));
    bench.drain();
}

#[test]
fn every_hop_count_length_and_tag() {
    let mut bench = Bench::new(config(1));
    let mut s = Stimulus::new(3);
    for tagged in [false, true] {
        for n_hop in 0..16 {
            for payload in 0..140 {
                let frame = int_frame(&mut s, n_hop, tagged, payload);
                bench.frame(&frame, payload % 9 == 0, s.uniform(24), s.uniform(22) as u32);
            }
        }
    }
    bench.drain();
    assert_eq!(bench.outcomes[&Stamped::Recorded], 2 * 5 * 140);
    assert_eq!(bench.outcomes[&Stamped::Counted], 2 * 11 * 140);
}

#[test]
fn every_length_of_a_cut_frame() {
    let mut bench = Bench::new(config(1));
    let mut s = Stimulus::new(4);
    for tagged in [false, true] {
        for n_hop in 0..7 {
            let frame = int_frame(&mut s, n_hop, tagged, 30);
            for len in 1..=frame.len() {
                bench.frame(&frame[..len], false, s.uniform(24), s.uniform(22) as u32);
            }
        }
    }
    bench.drain();
    assert!(bench.outcomes[&Stamped::Truncated] > 100);
}

#[test]
fn any_frames_under_any_stalls_and_every_multiplier() {
    for (seed, int_multi) in [(5, 1), (6, 2), (7, 4), (8, 8)] {
        let mut bench = Bench::new(config(int_multi));
        let mut s = Stimulus::new(seed);
        for i in 0..length(4000) {
            if i % 100 == 0 {
                bench.accept = [1.0, 0.9, 0.5, 0.2][s.below(4) as usize];
                bench.offer = [1.0, 0.9, 0.5, 0.2][s.below(4) as usize];
            }
            let frame = any_frame(&mut s);
            let queued = if s.chance(0.5) { s.corner(32) } else { s.uniform(20) };
            bench.frame(&frame, s.chance(0.05), s.corner(24), queued as u32);
        }
        bench.drain();
        assert!(bench.outcomes.len() == 4, "{:?}", bench.outcomes);
    }
}
