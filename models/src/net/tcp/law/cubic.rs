//! Cubic (RFC 9438), in real numbers.

use super::window::Window;
use crate::net::tcp::config::CubicRules;

/// Picoseconds in a second.
const PS_PER_S: f64 = 1e12;

/// A period of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// When it began, ps.
    start: u64,
    /// `K`, seconds (RFC 9438, 4.2, figure 2).
    k: f64,
    /// Where the plateau lies, segments.
    origin: f64,
    /// What Reno would have, segments (RFC 9438, 4.3).
    reno: f64,
}

/// State of RFC 9438, section 4.1.2.
#[derive(Clone, Debug)]
pub struct Cubic {
    rules: CubicRules,
    /// `W_max`, segments.
    w_max: f64,
    /// Window before the last cut, segments (`cwnd_prior`).
    prior: f64,
    epoch: Option<Epoch>,
    /// Part of a byte by which the window has grown.
    fraction: f64,
}

impl Cubic {
    /// No loss yet.
    pub fn new(rules: CubicRules) -> Self {
        Self {
            rules,
            w_max: 0.0,
            prior: 0.0,
            epoch: None,
            fraction: 0.0,
        }
    }

    /// `K`, seconds: from the window at the start of the epoch to `W_max` (RFC 9438, 4.2).
    pub fn k(&self, w_max: f64, start: f64) -> f64 {
        ((w_max - start) / self.rules.c).cbrt()
    }

    /// `W_cubic(t)`, segments (RFC 9438, 4.2, figure 1).
    pub fn target(&self, origin: f64, k: f64, t: f64) -> f64 {
        self.rules.c * (t - k).powi(3) + origin
    }

    /// Growth for one acknowledgement of `bytes` new bytes.
    pub fn grow(&mut self, w: &mut Window, bytes: u64) {
        let mss = w.mss as f64;
        if w.slow_start() {
            // RFC 9438, 4.10 leaves slow start to RFC 5681; by bytes with L = 2 as NewReno here.
            w.cwnd += bytes.min(2 * w.mss);
            return;
        }
        let acked = bytes as f64 / mss;
        let cwnd = w.cwnd as f64 / mss;
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin(w.now, cwnd));
        // RFC 9438, 4.3: alpha_cubic makes the average window that of Reno until the window before the cut is reached, then 1.
        let alpha = if epoch.reno < self.prior {
            3.0 * (1.0 - self.rules.beta) / (1.0 + self.rules.beta)
        } else {
            1.0
        };
        epoch.reno += alpha * acked / cwnd;
        self.epoch = Some(epoch);
        let t = (w.now - epoch.start) as f64 / PS_PER_S;
        let rtt = w.srtt as f64 / PS_PER_S;
        if self.rules.friendly && self.target(epoch.origin, epoch.k, t) < epoch.reno {
            self.set(w, epoch.reno.max(cwnd) * mss);
            return;
        }
        // RFC 9438, 4.2, 4.4 and 4.5: a round trip ahead, never down, half as much again at most.
        let target = self.target(epoch.origin, epoch.k, t + rtt).clamp(cwnd, 1.5 * cwnd);
        self.set(w, (cwnd + (target - cwnd) / cwnd * acked) * mss + self.fraction);
    }

    fn begin(&self, now: u64, cwnd: f64) -> Epoch {
        // RFC 9438, 4.8: without a cut before, or grown beyond it meanwhile, K is 0 and the plateau is here.
        let (k, origin) = if cwnd < self.w_max {
            (self.k(self.w_max, cwnd), self.w_max)
        } else {
            (0.0, cwnd)
        };
        Epoch {
            start: now,
            k,
            origin,
            reno: cwnd,
        }
    }

    fn set(&mut self, w: &mut Window, bytes: f64) {
        w.cwnd = bytes as u64;
        self.fraction = bytes - w.cwnd as f64;
    }

    /// `ssthresh = beta x flight`, two segments at least; `W_max`, lower with fast convergence (RFC 9438, 4.6 and 4.7).
    pub fn threshold(&mut self, w: &Window, flight: u64) -> u64 {
        let cwnd = w.cwnd as f64 / w.mss as f64;
        self.w_max = if self.rules.fast_convergence && cwnd < self.w_max {
            cwnd * (1.0 + self.rules.beta) / 2.0
        } else {
            cwnd
        };
        self.prior = cwnd;
        (self.epoch, self.fraction) = (None, 0.0);
        ((flight as f64 * self.rules.beta) as u64).max(2 * w.mss)
    }

    /// After a timeout the window grows as in RFC 9438, 4.8.
    pub fn timed_out(&mut self) {
        self.epoch = None;
    }
}
