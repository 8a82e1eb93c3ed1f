//! The MAC beside a clocked NIC: frames to beats and back, at the line rate.

use super::ports::FramePorts;
use hpcc_models::wire::{wire_occupancy, TimedFrame};
use std::collections::VecDeque;

/// Bytes of a beat.
const BEAT: usize = 64;
/// A frame may be taken this long before the one in front of it has left, ps: the MAC's own small buffer.
const EARLY_PS: u64 = 10_000;

/// Bytes behind a frame that the MAC takes off, and waits for.
const FCS: usize = 4;

/// A frame on its way into the NIC.
#[derive(Debug)]
struct Arrival {
    /// When its last bit comes, ns.
    at_ns: u64,
    frame: Vec<u8>,
    /// The MAC says that it is bad.
    bad: bool,
    /// A beat comes when the wire has brought it; otherwise a beat a clock from `at_ns` on.
    as_it_comes: bool,
}

/// Frames on their way into the NIC.
#[derive(Debug)]
pub struct Source {
    rate_gbps: f64,
    waiting: VecDeque<Arrival>,
    at: usize,
    offered: bool,
    kept: bool,
}

impl Source {
    /// A MAC of a line rate.
    pub fn new(rate_gbps: f64) -> Self {
        Self {
            rate_gbps,
            waiting: VecDeque::new(),
            at: 0,
            offered: false,
            kept: false,
        }
    }

    /// Adds a frame whose last bit comes at `at_ns`; those of a later time stand behind those of an earlier one.
    pub fn push(&mut self, at_ns: u64, frame: Vec<u8>) {
        self.push_marked(at_ns, frame, false);
    }

    /// The same; its beats come as the wire brings them, those that it has brought before now a beat a clock.
    pub fn push_as_it_comes(&mut self, at_ns: u64, frame: Vec<u8>) {
        self.insert(Arrival {
            at_ns,
            frame,
            bad: false,
            as_it_comes: true,
        });
    }

    /// Frames that the NIC has not taken whole.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Adds a frame; the MAC says whether it is bad.
    pub fn push_marked(&mut self, at_ns: u64, frame: Vec<u8>, bad: bool) {
        self.insert(Arrival {
            at_ns,
            frame,
            bad,
            as_it_comes: false,
        });
    }

    fn insert(&mut self, arrival: Arrival) {
        // The first one may be half in.
        let low = usize::from(self.at > 0 || self.offered);
        let place = self
            .waiting
            .partition_point(|before| before.at_ns <= arrival.at_ns)
            .max(low.min(self.waiting.len()));
        self.waiting.insert(place, arrival);
    }

    /// What is still to come of a frame that is half in.
    pub fn rest(&self) -> Option<&[u8]> {
        let first = self.waiting.front()?;
        (self.at > 0).then(|| &first.frame[self.at..])
    }

    /// The next beat of the frame has come.
    fn has_come(&self, now_ns: u64, arrival: &Arrival) -> bool {
        if !arrival.as_it_comes {
            return arrival.at_ns <= now_ns;
        }
        let missing = match arrival.frame.len().saturating_sub(self.at + BEAT) {
            0 => 0,
            behind => behind + FCS,
        };
        now_ns as f64 + missing as f64 * 8.0 / self.rate_gbps >= arrival.at_ns as f64
    }

    /// When the last bit of the next frame comes, if one is waiting.
    pub fn next_ns(&self) -> Option<u64> {
        self.waiting.front().map(|first| first.at_ns)
    }

    /// Puts the beat of this clock on the inputs; a stall makes a gap.
    pub fn drive(&mut self, now_ns: u64, stall: bool, ports: &FramePorts, inputs: &mut [u64]) {
        // What was offered and not taken stays offered.
        let stall = stall && !self.kept;
        let frame = self
            .waiting
            .front()
            .filter(|first| !stall && !first.frame.is_empty() && self.has_come(now_ns, first));
        self.offered = frame.is_some();
        inputs[ports.valid] = self.offered.into();
        let Some(Arrival { frame, bad, .. }) = frame else {
            if self.waiting.front().is_some_and(|first| first.frame.is_empty()) {
                self.waiting.pop_front();
            }
            return;
        };
        let rest = &frame[self.at..];
        let beat = &rest[..rest.len().min(BEAT)];
        let mut bytes = [0; BEAT];
        bytes[..beat.len()].copy_from_slice(beat);
        for (limb, chunk) in inputs[ports.data..ports.data + 8].iter_mut().zip(bytes.chunks_exact(8)) {
            *limb = u64::from_le_bytes(chunk.try_into().unwrap_or_default());
        }
        inputs[ports.keep] = u64::MAX >> (BEAT - beat.len());
        inputs[ports.last] = u64::from(rest.len() <= BEAT);
        inputs[ports.user] = u64::from(*bad && rest.len() <= BEAT);
    }

    /// Looks whether the NIC takes the beat; `true` if so.
    pub fn sample(&mut self, ports: &FramePorts, outputs: &[u64]) -> bool {
        let taken = self.offered && outputs[ports.ready] == 1;
        self.kept = self.offered && !taken;
        if taken {
            self.at += BEAT;
            if self.waiting.front().is_some_and(|first| self.at >= first.frame.len()) {
                self.waiting.pop_front();
                self.at = 0;
            }
        }
        taken
    }
}

/// Frames out of the NIC.
#[derive(Debug)]
pub struct Sink {
    rate_gbps: f64,
    free_ps: u64,
    frame: Vec<u8>,
    start_ps: u64,
    ready: bool,
    /// Frames that have left whole.
    pub sent: Vec<TimedFrame>,
    /// Frames that the NIC marked bad: the MAC spoils them.
    pub bad: u64,
}

impl Sink {
    /// A MAC of a line rate.
    pub fn new(rate_gbps: f64) -> Self {
        Self {
            rate_gbps,
            free_ps: 0,
            frame: Vec::new(),
            start_ps: 0,
            ready: false,
            sent: Vec::new(),
            bad: 0,
        }
    }

    /// A frame is half out.
    pub fn busy(&self) -> bool {
        !self.frame.is_empty()
    }

    /// Puts ready on the inputs. Between frames it follows the line rate; a stall holds it low.
    pub fn drive(&mut self, now_ns: u64, stall: bool, ports: &FramePorts, inputs: &mut [u64]) {
        self.ready = !stall && (self.busy() || self.free_ps <= now_ns * 1000 + EARLY_PS);
        inputs[ports.ready] = self.ready.into();
    }

    /// Takes the beat of this clock; what is wrong with it, if anything.
    pub fn sample(&mut self, now_ns: u64, ports: &FramePorts, outputs: &[u64]) -> Result<bool, &'static str> {
        if outputs[ports.valid] == 0 || !self.ready {
            return Ok(false);
        }
        let (keep, last) = (outputs[ports.keep], outputs[ports.last] == 1);
        let len = keep.trailing_ones() as usize;
        if len == 0 || (len < BEAT && keep >> len != 0) {
            return Err("m_axis_tx: tkeep is not contiguous from bit 0");
        }
        if len < BEAT && !last {
            return Err("m_axis_tx: a partial beat that is not the last one");
        }
        if self.frame.is_empty() {
            self.start_ps = self.free_ps.max(now_ns * 1000);
        }
        let mut beat = [0; BEAT];
        for (bytes, limb) in beat.chunks_exact_mut(8).zip(&outputs[ports.data..ports.data + 8]) {
            bytes.copy_from_slice(&limb.to_le_bytes());
        }
        self.frame.extend_from_slice(&beat[..len]);
        if last {
            let bytes = std::mem::take(&mut self.frame);
            let bits = wire_occupancy(bytes.len()) as f64 * 8.0;
            self.free_ps = self.start_ps + (bits * 1e3 / self.rate_gbps).round() as u64;
            if outputs[ports.user] == 1 {
                self.bad += 1;
            } else {
                let t_ns = self.start_ps / 1000;
                self.sent.push(TimedFrame { t_ns, bytes });
            }
        }
        Ok(true)
    }
}
