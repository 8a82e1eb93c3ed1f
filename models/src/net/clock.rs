//! Time: picoseconds as integers. The ns-3 profile counts whole nanoseconds and rounds as that simulator does.

/// Picoseconds in a nanosecond.
pub const PS_PER_NS: u64 = 1_000;

/// How long bytes take on a wire, or at a pacing rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Rounded to the nearest picosecond.
    Exact,
    /// Seconds as a double, then cut to whole nanoseconds, as the ns-3 HPCC simulator does: 1090 bytes at 100 Gb/s are
    /// 87 ns, not 87.2.
    Ns3,
}

impl Clock {
    /// Duration of `bytes` at `rate_bps`, ps.
    pub fn duration_ps(self, bytes: u64, rate_bps: u64) -> u64 {
        let rate = rate_bps.max(1);
        match self {
            Clock::Exact => ((bytes as f64 * 8e12) / rate as f64).round() as u64,
            Clock::Ns3 => ns3_seconds_to_ns(bytes as f64 * 8.0 / rate as f64) * PS_PER_NS,
        }
    }
}

/// Seconds to nanoseconds in ns-3's arithmetic: a 64.64 fixed-point number times 10^9, cut. 2.0002 s is 2000199999 ns.
pub fn ns3_seconds_to_ns(seconds: f64) -> u64 {
    let whole = seconds.floor();
    let fraction = ((seconds - whole) * 2f64.powi(64)) as u128;
    whole as u64 * 1_000_000_000 + ((fraction * 1_000_000_000) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The serialisation times listed in the reference (ns3-reference, "Clock is integer ns").
    #[test]
    fn serialisation_is_cut_to_nanoseconds() {
        let ns = |bytes, gbps: u64| Clock::Ns3.duration_ps(bytes, gbps * 1_000_000_000) / PS_PER_NS;
        assert_eq!(
            [ns(1090, 100), ns(1090, 200), ns(1090, 400), ns(1090, 25), ns(1090, 50)],
            [87, 43, 21, 348, 174]
        );
        assert_eq!([ns(88, 100), ns(88, 400)], [7, 1]);
        assert_eq!(Clock::Exact.duration_ps(1090, 100_000_000_000), 87_200);
    }

    #[test]
    fn start_times_are_cut() {
        assert_eq!(ns3_seconds_to_ns(2.0002), 2_000_199_999);
        assert_eq!(ns3_seconds_to_ns(2.0), 2_000_000_000);
        assert_eq!(ns3_seconds_to_ns(2.000000577), 2_000_000_576);
    }
}
