//! What moves the congestion window: one file a law.

mod cubic;
mod cubic_ns3;
mod dctcp;
mod reno;
mod window;

pub use window::{Cut, Window};

use super::config::{Profile, TcpConfig, TcpLaw};
use cubic::Cubic;
use cubic_ns3::IntegerCubic;
use dctcp::Dctcp;
use reno::{LinuxReno, NewReno};

/// A law with the state of one connection.
#[derive(Clone, Debug)]
pub enum Law {
    /// RFC 5681.
    NewReno(NewReno),
    /// Whole segments.
    LinuxReno(LinuxReno),
    /// RFC 9438.
    Cubic(Cubic),
    /// Cubic in ns-3's integers.
    IntegerCubic(IntegerCubic),
    /// RFC 8257.
    Dctcp(Dctcp),
    /// Set from outside.
    Commanded,
}

impl Law {
    /// State at the start of a connection.
    pub fn new(config: &TcpConfig, now: u64) -> Self {
        match (config.law, config.profile) {
            (TcpLaw::NewReno | TcpLaw::ReTcp, profile) => Self::NewReno(NewReno::new(profile)),
            (TcpLaw::LinuxReno, _) => Self::LinuxReno(LinuxReno::default()),
            (TcpLaw::Cubic, Profile::Rfc) => Self::Cubic(Cubic::new(config.cubic)),
            (TcpLaw::Cubic, Profile::Ns3) => Self::IntegerCubic(IntegerCubic::new(config.cubic, now)),
            (TcpLaw::Dctcp, profile) => Self::Dctcp(Dctcp::new(config.dctcp, profile)),
            (TcpLaw::Commanded | TcpLaw::HpccProbes, _) => Self::Commanded,
        }
    }

    /// Segments were acknowledged; called before the window grows, and for duplicates with one segment.
    pub fn acked(&mut self, window: &mut Window, segments: u64, bytes: u64) {
        match self {
            Self::IntegerCubic(law) => law.acked(window),
            Self::Dctcp(law) => law.acked(window, segments, bytes),
            _ => {}
        }
    }

    /// The window grows. `limited`: the window, not the application, decided what was sent.
    pub fn grow(&mut self, window: &mut Window, segments: u64, bytes: u64, limited: bool) {
        match self {
            Self::NewReno(law) => law.grow(window, segments, bytes, limited),
            Self::LinuxReno(law) if limited => law.grow(window, segments),
            Self::Cubic(law) if limited => law.grow(window, bytes),
            Self::IntegerCubic(law) if limited => law.grow(window, segments),
            Self::Dctcp(law) if limited => law.grow(window, segments),
            _ => {}
        }
    }

    /// `ssthresh` after a cut, bytes. `flight`: what was in the network, as the profile counts it.
    pub fn threshold(&mut self, window: &Window, flight: u64, cut: Cut) -> u64 {
        match self {
            Self::NewReno(_) => (flight / 2).max(2 * window.mss),
            Self::LinuxReno(law) => law.threshold(window),
            Self::Cubic(law) => law.threshold(window, flight),
            Self::IntegerCubic(law) => law.threshold(window),
            Self::Dctcp(law) => law.threshold(window, flight, cut),
            Self::Commanded => window.cwnd,
        }
    }

    /// A timeout, after the threshold was set.
    pub fn timed_out(&mut self, window: &Window) {
        match self {
            Self::Cubic(law) => law.timed_out(),
            Self::IntegerCubic(law) => law.timed_out(window),
            _ => {}
        }
    }

    /// DCTCP's `alpha`.
    pub fn alpha(&self) -> Option<f64> {
        match self {
            Self::Dctcp(law) => Some(law.alpha()),
            _ => None,
        }
    }
}
