//! Cubic in the integer form that ns-3 shares with Linux: whole segments, and a count of acknowledged segments after which one is added.

use super::window::Window;
use crate::net::tcp::config::CubicRules;

const PS_PER_MS: u64 = 1_000_000_000;
const PS_PER_S: f64 = 1e12;
/// Before the first loss the window grows by one segment for this many acknowledged (ns-3's `CntClamp`).
const FIRST_GROWTH: u64 = 20;
/// No samples of the delay this long after the start of an epoch (ns-3's `CubicDelta`).
const SAMPLES_AFTER: u64 = 10 * PS_PER_MS;
/// HyStart: no end of slow start below this many segments.
const HYSTART_LOW: u64 = 16;
/// HyStart: acknowledgements nearer than this are one train.
const HYSTART_TRAIN: u64 = 2 * PS_PER_MS;
/// HyStart: samples of the delay in a round.
const HYSTART_SAMPLES: u32 = 8;
/// HyStart: bounds of the increase in delay that ends slow start.
const HYSTART_DELAY: (u64, u64) = (4 * PS_PER_MS, 1000 * PS_PER_MS);

/// HyStart's round.
#[derive(Clone, Copy, Debug)]
struct Round {
    start: u64,
    last_ack: u64,
    end: u64,
    least: Option<u64>,
    samples: u32,
}

/// State of a connection, windows in segments.
#[derive(Clone, Debug)]
pub struct IntegerCubic {
    rules: CubicRules,
    counted: u64,
    w_max: u64,
    origin: u64,
    k: f64,
    least_delay: Option<u64>,
    epoch: Option<u64>,
    acked: u64,
    reno: u64,
    found: bool,
    round: Round,
}

impl IntegerCubic {
    /// At the start of a connection.
    pub fn new(rules: CubicRules, now: u64) -> Self {
        Self {
            rules,
            counted: 0,
            w_max: 0,
            origin: 0,
            k: 0.0,
            least_delay: None,
            epoch: None,
            acked: 0,
            reno: 0,
            found: false,
            round: Round {
                start: now,
                last_ack: now,
                end: 0,
                least: None,
                samples: 0,
            },
        }
    }

    fn new_round(&mut self, w: &Window) {
        self.round = Round {
            start: w.now,
            last_ack: w.now,
            end: w.high,
            least: None,
            samples: 0,
        };
    }

    /// Below the threshold by all segments acknowledged, without limit; above it one segment for each count.
    pub fn grow(&mut self, w: &mut Window, segments: u64) {
        if w.slow_start() {
            if self.rules.hystart && w.acked > self.round.end {
                self.new_round(w);
            }
            w.cwnd += segments * w.mss;
            return;
        }
        if segments == 0 {
            return;
        }
        self.counted += segments;
        let count = self.count(w, segments);
        if self.counted >= count {
            w.cwnd += w.mss;
            self.counted -= count;
        }
    }

    /// Acknowledged segments for which the window grows by one.
    fn count(&mut self, w: &Window, segments: u64) -> u64 {
        let cwnd = w.segments();
        self.acked += segments;
        let start = *self.epoch.get_or_insert_with(|| {
            self.acked = segments;
            self.reno = cwnd;
            (self.k, self.origin) = if self.w_max <= cwnd {
                (0.0, cwnd)
            } else {
                (((self.w_max - cwnd) as f64 / self.rules.c).cbrt(), self.w_max)
            };
            w.now
        });
        let t = (w.now - start + self.least_delay.unwrap_or(0)) as f64 / PS_PER_S;
        let delta = (self.rules.c * (t - self.k).abs().powi(3)) as u64;
        let target = if t < self.k {
            self.origin.saturating_sub(delta)
        } else {
            self.origin + delta
        };
        let mut count = if target > cwnd {
            cwnd / (target - cwnd)
        } else {
            100 * cwnd
        };
        if self.w_max == 0 {
            count = count.min(FIRST_GROWTH);
        }
        if self.rules.friendly {
            // 8 (1 + beta) / (3 (1 - beta)), cut to an integer: 15 eighths for beta 0.7.
            let scale = (8.0 * (1.0 + self.rules.beta) / 3.0 / (1.0 - self.rules.beta)) as u64;
            let step = (cwnd * scale) >> 3;
            while step > 0 && self.acked > step {
                self.acked -= step;
                self.reno += 1;
            }
            if self.reno > cwnd {
                count = count.min(cwnd / (self.reno - cwnd));
            }
        }
        count.max(2)
    }

    /// A sample of the delay: smallest delay, and HyStart.
    pub fn acked(&mut self, w: &mut Window) {
        if self.epoch.is_some_and(|start| w.now - start < SAMPLES_AFTER) {
            return;
        }
        let least = self.least_delay.map_or(w.srtt, |l| l.min(w.srtt));
        self.least_delay = Some(least);
        if self.rules.hystart && w.cwnd <= w.ssthresh && w.cwnd >= HYSTART_LOW * w.mss && !self.found {
            self.hystart(w, least);
        }
    }

    /// Ends slow start when a train of acknowledgements is as long as the smallest delay, or when the delay has grown.
    fn hystart(&mut self, w: &mut Window, least: u64) {
        let round = &mut self.round;
        if w.now - round.last_ack <= HYSTART_TRAIN {
            round.last_ack = w.now;
            self.found |= w.now - round.start > least;
        }
        if round.samples < HYSTART_SAMPLES {
            round.least = Some(round.least.map_or(w.srtt, |l| l.min(w.srtt)));
            round.samples += 1;
        } else if round
            .least
            .is_some_and(|l| l > least + least.clamp(HYSTART_DELAY.0, HYSTART_DELAY.1))
        {
            self.found = true;
        }
        if self.found {
            w.ssthresh = w.cwnd;
        }
    }

    /// `beta` times the window in whole segments, two at least.
    pub fn threshold(&mut self, w: &Window) -> u64 {
        let cwnd = w.segments();
        self.w_max = if self.rules.fast_convergence && cwnd < self.w_max {
            (cwnd as f64 * (1.0 + self.rules.beta) / 2.0) as u64
        } else {
            cwnd
        };
        self.epoch = None;
        ((cwnd as f64 * self.rules.beta) as u64).max(2) * w.mss
    }

    /// A timeout forgets everything.
    pub fn timed_out(&mut self, w: &Window) {
        (self.least_delay, self.found) = (None, false);
        self.new_round(w);
    }
}
