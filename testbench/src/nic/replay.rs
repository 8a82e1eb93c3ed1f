//! A capture into one NIC: its frames arrive at the capture's times, idle gaps shortened.

use super::device::{Device, DeviceError};
use crate::config::NicSetup;
use hpcc_models::nic::{Completion, WorkRequest};
use hpcc_models::wire::TimedFrame;
use indicatif::ProgressBar;

/// What stays of an idle gap, ns. The NIC's clock, and with it every timer, stands still across the rest.
pub const GAP_NS: u64 = 10_000;

/// Smallest rate of a law whose parameters do not say another, bits per second.
const MIN_RATE_BPS: u64 = 100_000_000;
/// More than the headers of a packet on the wire with all telemetry, bytes.
const HEADERS: u32 = 256;

/// What the NIC did. Times are those of the capture, gaps as long as they were.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replayed {
    /// Frames that it sent.
    pub sent: Vec<TimedFrame>,
    /// Completions; `t_ns` counts from the capture's first frame.
    pub completions: Vec<Completion>,
    /// Idle time left out, ns.
    pub skipped_ns: u64,
}

/// What comes from outside.
enum Input<'a> {
    Work(WorkRequest),
    Frame(&'a [u8]),
}

struct Replay<'a, D> {
    device: &'a mut D,
    /// The capture's first frame, ns.
    origin: u64,
    /// The NIC's clock then.
    base: u64,
    /// The NIC's clock when anything last went in or out.
    active: u64,
    result: Replayed,
}

/// Replays a capture and the configured work (`at_ns` counts from the capture's first frame). Ends when nothing has moved for
/// `drain_ns` after the last input and nothing waits for its pacing.
pub fn run<D: Device>(
    device: &mut D,
    setup: &NicSetup,
    capture: &[TimedFrame],
    drain_ns: u64,
    bar: &ProgressBar,
) -> Result<Replayed, DeviceError> {
    let origin = capture.iter().map(|frame| frame.t_ns).min().unwrap_or(0);
    let work = setup.work.iter().map(|work| (work.at_ns, Input::Work(work.work)));
    let frames = capture
        .iter()
        .map(|frame| (frame.t_ns - origin, Input::Frame(&frame.bytes)));
    let mut inputs: Vec<_> = work.chain(frames).collect();
    // Stable: work before frames of the same time, frames of the same time in the order of the capture.
    inputs.sort_by_key(|(at, _)| *at);
    let base = device.now_ns();
    let mut replay = Replay {
        device,
        origin,
        base,
        active: base,
        result: Replayed::default(),
    };
    bar.set_length(inputs.len() as u64);
    for (at, input) in inputs {
        replay.reach(at)?;
        match input {
            Input::Work(work) => replay.device.post(work),
            Input::Frame(frame) => replay.device.offer(replay.device.now_ns(), frame.to_vec()),
        }
        replay.active = replay.device.now_ns();
        bar.inc(1);
    }
    let patience = drain_ns.max(longest_wait_ns(setup));
    loop {
        while replay.advance(replay.active + drain_ns)? {}
        // Work that waits for its pacing is not over, though nothing moves.
        let works = replay.device.active()?.iter().any(|flows| *flows > 0);
        if !works || replay.device.now_ns() >= replay.active + patience {
            return Ok(replay.result);
        }
        replay.advance(replay.active + patience)?;
    }
}

/// Longest time that pacing keeps a packet back, ns: two of the longest at the slowest rate of a configuration, or at the smallest rate of its
/// laws. Rates of 0 let nothing leave.
fn longest_wait_ns(setup: &NicSetup) -> u64 {
    let (nic, limits) = (&setup.nic, &setup.limits);
    let of_laws = [
        setup.hpcc.as_ref().map(|p| p.min_rate),
        setup.dcqcn.as_ref().map(|(p, _)| p.min_rate),
        setup.power.as_ref().map(|p| p.min_rate),
    ];
    let of_laws = of_laws.iter().map(|rate| rate.unwrap_or(MIN_RATE_BPS) as f64);
    let of_limits = limits.levels.iter().map(|level| level.1);
    let of_limits = of_limits.chain(limits.caps.iter().filter_map(|cap| cap.1));
    let rates = of_laws.chain(of_limits).chain([nic.rate_bps]);
    let slowest = rates.filter(|rate| *rate > 0.0).fold(nic.line_rate_bps, f64::min);
    let mtu = setup.qps.iter().map(|qp| qp.mtu).fold(nic.mtu, u32::max);
    (2.0 * f64::from(mtu + HEADERS) * 8e9 / slowest) as u64
}

impl<D: Device> Replay<'_, D> {
    /// Time since the capture's first frame at the NIC's time `now`.
    fn since(&self, now: u64) -> u64 {
        now - self.base + self.result.skipped_ns
    }

    /// Lets time pass to `at` after the capture's first frame; what is left of an idle gap is skipped.
    fn reach(&mut self, at: u64) -> Result<(), DeviceError> {
        loop {
            let now = self.device.now_ns();
            let left = at.saturating_sub(self.since(now));
            if left == 0 {
                return Ok(());
            }
            let quiet_end = self.active + GAP_NS;
            if !self.advance((now + left).min(quiet_end))? {
                // Less than a clock is left of the way, or of what stays of the gap.
                if quiet_end < now + left {
                    self.result.skipped_ns += left;
                }
                return Ok(());
            }
        }
    }

    /// Lets time pass; `false` if there was none to pass.
    fn advance(&mut self, to_ns: u64) -> Result<bool, DeviceError> {
        let before = self.device.now_ns();
        self.device.advance(to_ns)?;
        for mut frame in self.device.take_sent() {
            self.active = self.active.max(frame.t_ns);
            frame.t_ns = self.origin + self.since(frame.t_ns);
            self.result.sent.push(frame);
        }
        for mut completion in self.device.take_completions() {
            self.active = self.active.max(completion.t_ns);
            completion.t_ns = self.since(completion.t_ns);
            self.result.completions.push(completion);
        }
        Ok(self.device.now_ns() > before)
    }
}
