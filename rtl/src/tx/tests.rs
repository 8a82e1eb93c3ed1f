//! The builder against the reference's frames, byte for byte.

mod ack;
mod arbiter;
mod bench;
mod data;
mod read_requests;

use super::stimulus::{settings, Peer};
use super::FrameBuilder;
use crate::prim::uint::U;
use crate::sim::{init, step, Stimulus};
use crate::words::tx::FrameBeat;
use hpcc_models::nic::NicConfig;
use std::collections::VecDeque;

/// A builder out of reset, with these registers and a queue pair to each of these peers.
fn builder(config: &NicConfig, peers: &[Peer], stimulus: &mut Stimulus) -> Box<FrameBuilder> {
    let mut builder: Box<FrameBuilder> = Box::default();
    init(builder.as_mut()).expect("complete block");
    builder.settings.next = settings(config);
    for (qp, peer) in peers.iter().enumerate() {
        builder.reset.next = qp < 32;
        builder.context_write.next = true;
        builder.context_qp.next = U(qp as u64);
        builder.context_data.next = peer.context(stimulus);
        step(builder.as_mut(), |_| ());
    }
    builder.context_write.next = false;
    builder
}

/// Puts a frame together and checks the stream's rules; hands out its bytes and whether it is bad.
#[derive(Default)]
struct Collector {
    bytes: Vec<u8>,
    waiting: Option<FrameBeat>,
    /// No clock inside a frame may be without a beat.
    whole: bool,
}

impl Collector {
    /// For a stream that offers a frame only when all of it is there.
    fn whole() -> Self {
        Self {
            whole: true,
            ..Self::default()
        }
    }
    /// One clock of a stream: what is offered, and whether it is taken.
    fn clock(&mut self, valid: bool, beat: FrameBeat, ready: bool) -> Option<(Vec<u8>, bool)> {
        if let Some(waiting) = self.waiting.take() {
            assert!(valid && beat == waiting, "a beat that waits must stay");
        }
        if !valid {
            assert!(!self.whole || self.bytes.is_empty(), "a gap inside a frame");
            return None;
        }
        if !ready {
            self.waiting = Some(beat);
            return None;
        }
        let (keep, last) = (beat.keep.0, beat.last);
        let count = keep.trailing_ones() as usize;
        assert!(
            keep == crate::prim::uint::mask(count) && count > 0,
            "byte enables {keep:x}"
        );
        assert!(last || count == 64, "partial beat inside a frame");
        assert!(last || !beat.bad, "bad before the end");
        self.bytes
            .extend((0..count).map(|i| beat.data.get_bits::<8>(8 * i).0 as u8));
        last.then(|| (std::mem::take(&mut self.bytes), beat.bad))
    }
}

/// Compares frames; says where the first difference is.
fn compare(frame: &[u8], expected: &[u8], clock: u64) {
    if frame == expected {
        return;
    }
    let at = frame.iter().zip(expected).position(|(a, b)| a != b);
    panic!(
        "clock {clock}: {} bytes for {}, first difference at {at:?}\n{frame:02x?}\n{expected:02x?}",
        frame.len(),
        expected.len()
    );
}

/// Items offered on a stream, each until it is taken.
struct Source<T> {
    items: VecDeque<T>,
    offered: bool,
}

impl<T: Copy + Default> Source<T> {
    fn new() -> Self {
        Self {
            items: VecDeque::new(),
            offered: false,
        }
    }
    /// What is offered in this clock; `now` lets a new offer begin.
    fn offer(&mut self, now: bool) -> Option<T> {
        self.offered = (self.offered || now) && !self.items.is_empty();
        self.items.front().copied().filter(|_| self.offered)
    }
    fn taken(&mut self) {
        self.items.pop_front();
        self.offered = false;
    }
}
