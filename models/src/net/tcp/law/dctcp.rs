//! DCTCP (RFC 8257): the window is cut by the fraction of bytes that were marked, once a window.

use super::reno::LinuxReno;
use super::window::{Cut, Window};
use crate::net::tcp::config::{DctcpRules, Profile};

/// State of RFC 8257, section 3.3.
#[derive(Clone, Debug)]
pub struct Dctcp {
    profile: Profile,
    gain: f64,
    alpha: f64,
    reno: LinuxReno,
    marked: u64,
    total: u64,
    /// The present observation window ends here.
    until: Option<u64>,
}

impl Dctcp {
    /// At the start `alpha` is 1, so that an early mark halves the window (RFC 8257, 3.3).
    pub fn new(rules: DctcpRules, profile: Profile) -> Self {
        Self {
            profile,
            gain: rules.gain,
            alpha: rules.alpha,
            reno: LinuxReno::default(),
            marked: 0,
            total: 0,
            until: None,
        }
    }

    /// The estimate.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Counts marked and all bytes; at the end of an observation window (one window of data) the estimate moves by the gain (RFC 8257,
    /// 3.3, steps 1 to 8). ns-3 counts whole segments, and a duplicate as one.
    pub fn acked(&mut self, w: &Window, segments: u64, bytes: u64) {
        let counted = match self.profile {
            Profile::Rfc => bytes,
            Profile::Ns3 => segments * w.mss,
        };
        self.total += counted;
        if w.echo {
            self.marked += counted;
        }
        let end = *self.until.get_or_insert(w.next);
        if w.acked >= end {
            let fraction = if self.total > 0 {
                self.marked as f64 / self.total as f64
            } else {
                0.0
            };
            self.alpha = (1.0 - self.gain) * self.alpha + self.gain * fraction;
            self.until = Some(w.next);
            (self.marked, self.total) = (0, 0);
        }
    }

    /// Reno's increase.
    pub fn grow(&mut self, w: &mut Window, segments: u64) {
        self.reno.grow(w, segments);
    }

    /// On marks `cwnd (1 - alpha / 2)` (RFC 8257, 3.3, step 9); on loss as TCP does (3.5). ns-3 does the first on either and knows no
    /// smallest window.
    pub fn threshold(&self, w: &Window, flight: u64, cut: Cut) -> u64 {
        let by_marks = ((1.0 - self.alpha / 2.0) * w.cwnd as f64) as u64;
        match (self.profile, cut) {
            (Profile::Ns3, _) => by_marks,
            (Profile::Rfc, Cut::Mark) => by_marks.max(2 * w.mss),
            (Profile::Rfc, Cut::Loss | Cut::Timeout) => (flight / 2).max(2 * w.mss),
        }
    }
}
