//! Pacing of a flow: when its next packet may leave, under its cap and the level of its group.

use crate::sched::limit::CapControl;

/// Picoseconds of a nanosecond.
pub(super) const PS_PER_NS: u64 = 1000;

/// Groups of flows.
pub const GROUPS: usize = crate::sched::limit::GROUPS;

/// Seed of the random numbers of `CAP_CONTROL.dither`: the same waits in each run, as after each reset of the hardware.
pub(super) const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// A cap or a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// Wire bits per second; infinite for no limit.
    pub rate_bps: f64,
    /// Payload bytes in flight that go with it; infinite without `CAP_CONTROL.window`.
    pub window: f64,
}

impl Bound {
    /// No limit.
    pub const NONE: Self = Self {
        rate_bps: f64::INFINITY,
        window: f64::INFINITY,
    };

    /// What a write of `rate_bps` makes (`None`: no limit). A window of less than one packet lets one packet go.
    pub fn new(rate_bps: Option<f64>, control: &CapControl) -> Self {
        rate_bps.map_or(Self::NONE, |rate_bps| Self {
            rate_bps,
            window: match control.window {
                true => (rate_bps / 8e9 * f64::from(control.time_ns)).max(1.0),
                false => f64::INFINITY,
            },
        })
    }
}

/// Levels and counts of all groups.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// Levels.
    pub levels: [Bound; GROUPS],
    /// Wire bytes.
    pub sent: [u64; GROUPS],
}

impl Default for Groups {
    fn default() -> Self {
        Self {
            levels: [Bound::NONE; GROUPS],
            sent: [0; GROUPS],
        }
    }
}

/// Rate and window of a flow, and what it was last charged for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    /// Wire bits per second that the law allows.
    pub rate_bps: f64,
    /// What the flow's cap allows.
    pub cap: Bound,
    /// What the level of its group allows.
    pub level: Bound,
    /// Group.
    pub group: usize,
    /// Payload bytes in flight that the law allows; infinite for flows that nobody acknowledges.
    pub window: f64,
    /// When last looked at the flow had nothing to send or a rate of 0.
    pub rest: bool,
    last_ps: u64,
    charged: u64,
    held_ps: u64,
}

impl Pacer {
    pub fn new(rate_bps: f64, window: f64) -> Self {
        Self {
            rate_bps,
            cap: Bound::NONE,
            level: Bound::NONE,
            group: 0,
            window,
            rest: true,
            last_ps: 0,
            charged: 0,
            held_ps: 0,
        }
    }

    /// Rate under law, cap and level.
    pub fn rate(&self) -> f64 {
        self.rate_bps.min(self.cap.rate_bps).min(self.level.rate_bps)
    }

    /// Window under law, cap and level. No limit bounds a flow without a window.
    pub fn window(&self) -> f64 {
        match self.window.is_finite() {
            true => self.window.min(self.cap.window).min(self.level.window),
            false => self.window,
        }
    }

    /// `CAP_CONTROL.dither`: the next packet, of `bytes` on the wire, waits `random / 65536` of its time at least.
    pub fn hold(&mut self, now_ps: u64, bytes: u64, random: u16) {
        self.held_ps = now_ps + ((self.spacing_ps(bytes) as u128 * u128::from(random)) >> 16) as u64;
    }

    fn spacing_ps(&self, bytes: u64) -> u64 {
        (bytes as f64 * 8e12 / self.rate()).ceil() as u64
    }

    /// When the next packet may leave: the last one's wire bytes at today's rate, so a rate change acts at once.
    pub fn ready_ps(&self) -> u64 {
        self.held_ps.max(self.last_ps + self.spacing_ps(self.charged))
    }

    /// Charges a packet of `bytes` on the wire that leaves at `now_ps`. Lateness of up to one packet is made good.
    pub fn sent(&mut self, now_ps: u64, bytes: u64) {
        let earliest = now_ps.saturating_sub(self.spacing_ps(bytes));
        self.last_ps = self.ready_ps().clamp(earliest, now_ps);
        self.charged = bytes;
    }

    /// Charges `bytes` on the wire more, of something that goes with the packet charged last.
    pub fn also(&mut self, bytes: u64) {
        self.charged += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spacing_follows_the_rate_and_its_changes() {
        let mut pacer = Pacer::new(8e9, 0.0);
        assert_eq!(pacer.ready_ps(), 0);
        pacer.sent(1_000_000, 1000);
        // 1000 bytes at 1 byte a nanosecond; idle time is worth one packet.
        assert_eq!(pacer.ready_ps(), 1_000_000);
        pacer.sent(1_000_000, 1000);
        assert_eq!(pacer.ready_ps(), 2_000_000);
        pacer.rate_bps = 16e9;
        assert_eq!(pacer.ready_ps(), 1_500_000);
        pacer.rate_bps = 4e9;
        assert_eq!(pacer.ready_ps(), 3_000_000);
    }

    #[test]
    fn average_is_exact_when_visits_come_late() {
        let mut pacer = Pacer::new(8e9, 0.0);
        let mut now = 0;
        pacer.sent(now, 1000);
        for i in 0..1000 {
            now = pacer.ready_ps() + (i * 7919) % 900_000;
            pacer.sent(now, 1000);
        }
        let average = pacer.ready_ps() as f64 / 1001.0;
        assert!((average / 1e6 - 1.0).abs() < 0.001, "{average}");
    }

    #[test]
    fn a_stall_is_not_a_burst() {
        let mut pacer = Pacer::new(8e9, 0.0);
        pacer.sent(0, 1000);
        pacer.sent(1_000_000_000, 1000);
        pacer.sent(1_000_000_000, 1000);
        assert_eq!(pacer.ready_ps(), 1_001_000_000);
    }
}
