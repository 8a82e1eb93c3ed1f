//! The window that a law moves, and why it is cut.

/// The window and what a law may look at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Slow-start threshold, bytes.
    pub ssthresh: u64,
    /// SMSS, bytes.
    pub mss: u64,
    /// Time, ps.
    pub now: u64,
    /// Smoothed round-trip time, ps.
    pub srtt: u64,
    /// Acknowledged in order (SND.UNA).
    pub acked: u64,
    /// Next byte to send (SND.NXT; a repetition pulls it back).
    pub next: u64,
    /// First byte never sent.
    pub high: u64,
    /// The echo flag of marks is up.
    pub echo: bool,
}

impl Window {
    /// In whole segments.
    pub fn segments(&self) -> u64 {
        self.cwnd / self.mss
    }

    /// Below the threshold.
    pub fn slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }
}

/// Why a window is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Three duplicates.
    Loss,
    /// Marks.
    Mark,
    /// Timeout.
    Timeout,
}
