//! Reno's increase: by bytes (RFC 5681 and 3465), as ns-3's `TcpNewReno` has it, and in whole segments as Linux has it.

use super::window::Window;
use crate::net::tcp::config::Profile;

/// RFC 5681's increase.
#[derive(Clone, Debug)]
pub struct NewReno {
    profile: Profile,
    /// Bytes acknowledged since the window grew last.
    counted: u64,
}

impl NewReno {
    /// For a profile.
    pub fn new(profile: Profile) -> Self {
        Self { profile, counted: 0 }
    }

    /// Growth for one acknowledgement of new data.
    pub fn grow(&mut self, w: &mut Window, segments: u64, bytes: u64, limited: bool) {
        match self.profile {
            Profile::Rfc if limited => self.by_bytes(w, bytes),
            Profile::Rfc => {}
            Profile::Ns3 => by_acknowledgement(w, segments),
        }
    }

    /// Slow start by bytes acknowledged with limit L = 2 SMSS (RFC 3465, 2.2 and 2.3), then one SMSS for each window of bytes
    /// acknowledged (RFC 5681, 3.1, as RFC 3465, 2.1 counts).
    fn by_bytes(&mut self, w: &mut Window, bytes: u64) {
        if w.slow_start() {
            w.cwnd += bytes.min(2 * w.mss);
            return;
        }
        self.counted += bytes;
        if self.counted >= w.cwnd {
            self.counted -= w.cwnd;
            w.cwnd += w.mss;
        }
    }
}

/// ns-3: one SMSS per acknowledgement below the threshold, SMSS^2/cwnd at or above it, in whole bytes; an acknowledgement of several
/// segments that reaches the threshold counts for both.
fn by_acknowledgement(w: &mut Window, segments: u64) {
    let mut left = segments;
    if w.slow_start() && left > 0 {
        w.cwnd += w.mss;
        left -= 1;
    }
    if !w.slow_start() && left > 0 {
        w.cwnd += (w.mss * w.mss / w.cwnd).max(1);
    }
}

/// Reno in whole segments.
#[derive(Clone, Debug, Default)]
pub struct LinuxReno {
    /// Segments acknowledged since the window grew last.
    counted: u64,
}

impl LinuxReno {
    /// Below the threshold by the segments acknowledged, but not beyond it; then one segment a window of segments.
    pub fn grow(&mut self, w: &mut Window, segments: u64) {
        if w.slow_start() {
            w.cwnd = (w.cwnd + segments * w.mss).min(w.ssthresh);
            return;
        }
        let window = w.segments().max(1);
        if self.counted >= window {
            self.counted = 0;
            w.cwnd += w.mss;
        }
        self.counted += segments;
        let steps = self.counted / window;
        self.counted -= steps * window;
        w.cwnd += steps * w.mss;
    }

    /// Half the window, two segments at least.
    pub fn threshold(&self, w: &Window) -> u64 {
        (w.cwnd / 2).max(2 * w.mss)
    }
}
