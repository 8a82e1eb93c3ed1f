//! A capture into one NIC: its frames arrive at the capture's times, idle gaps shortened.

use super::device::{Device, DeviceError};
use crate::config::NicSetup;
use hpcc_models::nic::{Completion, WorkRequest};
use hpcc_models::wire::TimedFrame;
use indicatif::ProgressBar;

/// What stays of an idle gap, ns. The NIC's clock, and with it every timer, stands still across the rest.
pub const GAP_NS: u64 = 10_000;

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
/// `drain_ns` after the last input.
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
    while replay.advance(replay.active + drain_ns)? {}
    Ok(replay.result)
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
