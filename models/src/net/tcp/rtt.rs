//! Round-trip time and retransmission timeout (RFC 6298).

use super::config::{Profile, TcpConfig};

/// Picoseconds in a millisecond.
const PS_PER_MS: u64 = 1_000_000_000;

/// In which unit timestamps tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocking {
    /// Picoseconds: every sample is exact.
    Exact,
    /// Milliseconds, as in ns-3; an elapsed time of 0 counts as 1 us.
    Milliseconds,
}

impl Clocking {
    /// The clock of a profile.
    pub fn of(profile: Profile) -> Self {
        match profile {
            Profile::Rfc => Self::Exact,
            Profile::Ns3 => Self::Milliseconds,
        }
    }

    /// A timestamp, from time in ps.
    pub fn stamp(self, now: u64) -> u64 {
        match self {
            Self::Exact => now,
            Self::Milliseconds => now / PS_PER_MS,
        }
    }

    /// Time since a timestamp, ps.
    pub fn elapsed(self, now: u64, stamp: u64) -> u64 {
        match self {
            Self::Exact => now - stamp,
            Self::Milliseconds => match (now / PS_PER_MS).saturating_sub(stamp) {
                0 => 1_000_000,
                ms => ms * PS_PER_MS,
            },
        }
    }
}

/// Smoothed round-trip time and its variation, ps (RFC 6298, 2), with alpha 1/8 and beta 1/4 in shifts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RttEstimator {
    /// SRTT, ps.
    pub srtt: i64,
    /// RTTVAR, ps.
    pub variation: i64,
    /// Samples taken.
    pub samples: u64,
    /// The last sample, ps.
    pub last: u64,
}

impl RttEstimator {
    /// Takes a sample, ps (RFC 6298, 2.2 and 2.3). ns-3 updates RTTVAR by the same old SRTT.
    pub fn sample(&mut self, rtt: u64) {
        let measured = rtt as i64;
        if self.samples == 0 {
            (self.srtt, self.variation) = (measured, measured / 2);
        } else {
            let error = measured - self.srtt;
            self.srtt = ((self.srtt << 3) + error) >> 3;
            self.variation = ((self.variation << 2) + error.abs() - self.variation) >> 2;
        }
        self.samples += 1;
        self.last = rtt;
    }

    /// Timeout, ps (RFC 6298, 2.3 and 2.4). Before the first sample one second (2.1).
    pub fn rto(&self, config: &TcpConfig) -> u64 {
        if self.samples == 0 {
            return (1000 * PS_PER_MS).max(config.min_rto_ps);
        }
        let spread = (4 * self.variation).max(config.granularity_ps as i64);
        ((self.srtt + spread) as u64).clamp(config.min_rto_ps, config.max_rto_ps)
    }
}
