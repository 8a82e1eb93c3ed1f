//! The sending end: its state. What an acknowledgement does is in [`super::acknowledge`], duplicates and timeouts are in
//! [`super::loss`], what is sent then is in [`super::transmit`].

use std::collections::VecDeque;

use super::config::{Profile, TcpConfig, TcpLaw};
use super::header::Segment;
use super::law::{Law, Window};
use super::recovery::Prr;
use super::rtt::{Clocking, RttEstimator};
use super::scoreboard::Scoreboard;

/// Congestion state of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Nothing is wrong.
    #[default]
    Open,
    /// Duplicates have come.
    Disorder,
    /// The window was cut because of marks.
    Cwr,
    /// Fast recovery.
    Recovery,
    /// After a timeout.
    Loss,
}

impl State {
    /// Name as in ns-3's traces.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Disorder => "DISORDER",
            Self::Cwr => "CWR",
            Self::Recovery => "RECOVERY",
            Self::Loss => "LOSS",
        }
    }
}

/// A segment whose round trip may be measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed {
    pub seq: u64,
    pub end: u64,
    pub at: u64,
    pub again: bool,
}

/// How a sender stands to the echo of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Echo {
    #[default]
    Idle,
    Received,
    Answered,
}

/// Pacing of a sender whose rate comes from outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Wire bits per second; 0: stopped.
    pub rate_bps: u64,
    /// No segment before, ps.
    pub next: u64,
}

/// State of a sender.
#[derive(Clone, Debug)]
pub struct Sender {
    pub(super) board: Scoreboard,
    pub(super) window: Window,
    pub(super) law: Law,
    pub(super) state: State,
    /// Bytes that the application has written.
    pub(super) written: u64,
    pub(super) recover: u64,
    pub(super) recovering: bool,
    pub(super) duplicates: u32,
    pub(super) first_partial: bool,
    /// Acknowledged bytes that make no whole segment yet.
    pub(super) remainder: u64,
    /// Window added for segments that duplicates say have left (RFC 6582); without selective acknowledgement in profile RFC.
    pub(super) inflation: u64,
    pub(super) rtt: RttEstimator,
    pub(super) rto_ps: u64,
    pub(super) history: VecDeque<Timed>,
    pub(super) echo: Echo,
    pub(super) echo_at: Option<u64>,
    pub(super) answered_at: Option<u64>,
    pub(super) prr: Prr,
    /// In the network when the acknowledgement being processed had been taken in, bytes.
    pub(super) pipe: u64,
    /// The window decided what was sent last.
    pub(super) limited: bool,
    pub(super) retries: u32,
    /// The last resort of RFC 6675's rule 4 was used in this episode.
    pub(super) rescued: bool,
    pub(super) pace: Option<Pace>,
    /// The window is multiplied by a circuit's ratio (reTCP).
    pub(super) scaled: bool,
    pub(super) out: Vec<Segment>,
    /// When the retransmission timer expires, ps.
    pub rto_at: Option<u64>,
    /// When pacing allows the next segment, ps.
    pub pace_at: Option<u64>,
    /// Timeouts.
    pub timeouts: u64,
    /// Given up after too many timeouts in a row.
    pub dead: bool,
}

impl Sender {
    /// A sender of a connection whose handshake took `handshake_ps`.
    pub fn new(config: &TcpConfig, now: u64, handshake_ps: u64) -> Self {
        let mss = u64::from(config.mss);
        let mut rtt = RttEstimator::default();
        rtt.sample(match (config.profile, config.timestamps) {
            (Profile::Ns3, true) => Clocking::Milliseconds.elapsed(handshake_ps, 0),
            _ => handshake_ps,
        });
        let window = Window {
            cwnd: u64::from(config.initial_window) * mss,
            ssthresh: config.initial_ssthresh,
            mss,
            now,
            srtt: rtt.srtt as u64,
            ..Window::default()
        };
        Self {
            board: Scoreboard::new(config.profile),
            window,
            law: Law::new(config, now),
            state: State::Open,
            written: 0,
            recover: 0,
            recovering: false,
            duplicates: 0,
            first_partial: true,
            remainder: 0,
            inflation: 0,
            rto_ps: rtt.rto(config),
            rtt,
            history: VecDeque::new(),
            echo: Echo::Idle,
            echo_at: None,
            answered_at: None,
            prr: Prr::default(),
            pipe: 0,
            limited: false,
            retries: config.retries,
            rescued: false,
            pace: config.law.from_outside().then_some(Pace { rate_bps: 0, next: 0 }),
            scaled: false,
            out: Vec::new(),
            rto_at: None,
            pace_at: None,
            timeouts: 0,
            dead: false,
        }
    }

    /// A sender for the next message of a connection: window, threshold, round-trip time and law go on from `earlier`.
    pub fn after(earlier: &Self, config: &TcpConfig, now: u64) -> Self {
        let mut next = Self::new(config, now, 0);
        (next.window.cwnd, next.window.ssthresh) = (earlier.window.cwnd, earlier.window.ssthresh);
        (next.rtt, next.rto_ps) = (earlier.rtt, earlier.rtt.rto(config));
        next.window.srtt = earlier.window.srtt;
        next.pace = earlier.pace;
        next.scaled = earlier.scaled;
        next.law = earlier.law.clone();
        next
    }

    /// Congestion window, bytes.
    pub fn cwnd(&self) -> u64 {
        self.window.cwnd
    }

    /// Slow-start threshold, bytes.
    pub fn ssthresh(&self) -> u64 {
        self.window.ssthresh
    }

    /// Congestion state.
    pub fn state(&self) -> State {
        self.state
    }

    /// Round-trip time.
    pub fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    /// Timeout as it stands, ps.
    pub fn rto_ps(&self) -> u64 {
        self.rto_ps
    }

    /// First byte never sent.
    pub fn snd_max(&self) -> u64 {
        self.window.high
    }

    /// Oldest byte not acknowledged in order.
    pub fn snd_una(&self) -> u64 {
        self.board.una()
    }

    /// Bytes that the application wrote and nobody has acknowledged.
    pub fn backlog(&self) -> u64 {
        self.written - self.board.una()
    }

    /// DCTCP's `alpha`.
    pub fn alpha(&self) -> Option<f64> {
        self.law.alpha()
    }

    /// RFC 6582 in the letter: the window is inflated and what is in flight is all that is not acknowledged.
    pub(super) fn inflates(config: &TcpConfig) -> bool {
        config.profile == Profile::Rfc && !config.sack
    }

    /// Bytes presumed in the network.
    pub fn in_flight(&self, config: &TcpConfig) -> u64 {
        if Self::inflates(config) && self.state != State::Loss {
            self.window.high - self.board.una()
        } else {
            self.board.pipe()
        }
    }

    /// The application writes `bytes`.
    pub fn write(&mut self, config: &TcpConfig, now: u64, bytes: u64) {
        self.written += bytes;
        self.window.now = now;
        self.send_pending(config);
    }

    /// A circuit is announced, or over (reTCP): window and threshold are multiplied by the ratio of its rate to the packet network's, or divided
    /// by it, the window to one segment at least. Twice the same changes nothing.
    pub fn scale(&mut self, config: &TcpConfig, now: u64, (circuit, packet): (u64, u64), up: bool) {
        if self.scaled == up {
            return;
        }
        self.scaled = up;
        let (by, over) = if up { (circuit, packet) } else { (packet, circuit) };
        let scaled = |bytes: u64| {
            let product = u128::from(bytes) * u128::from(by) / u128::from(over.max(1));
            u64::try_from(product).unwrap_or(u64::MAX)
        };
        self.window.cwnd = scaled(self.window.cwnd).max(self.window.mss);
        self.window.ssthresh = scaled(self.window.ssthresh).max(2 * self.window.mss);
        self.window.now = now;
        self.send_pending(config);
    }

    /// Nothing is sent before `until_ps`, for [`TcpLaw::Commanded`].
    pub fn hold(&mut self, until_ps: u64) {
        if let Some(pace) = &mut self.pace {
            pace.next = pace.next.max(until_ps);
        }
    }

    /// A window and a pacing rate (wire bits per second) from outside, for [`TcpLaw::Commanded`] and [`TcpLaw::HpccProbes`].
    pub fn command(&mut self, config: &TcpConfig, now: u64, rate_bps: u64, window: u64) {
        if let Some(pace) = &mut self.pace {
            // What is left of the last segment's time passes at the new rate.
            if pace.next > now && pace.rate_bps > 0 && rate_bps > 0 {
                let left = u128::from(pace.next - now) * u128::from(pace.rate_bps) / u128::from(rate_bps);
                pace.next = now + left as u64;
            }
            pace.rate_bps = rate_bps;
            self.window.now = now;
            self.window.cwnd = window.max(self.window.mss);
            if config.law == TcpLaw::HpccProbes {
                // The end of a recovery sets the window to the threshold, which would be the window of its beginning.
                self.window.ssthresh = self.window.cwnd;
            }
            self.send_pending(config);
        }
    }
}
