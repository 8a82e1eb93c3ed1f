//! Parameters of PowerTCP and theta-PowerTCP: every point in which the paper and its authors' released simulator differ is an
//! option of one structure, and the two sets of options that mean something have names.
//!
//! The differences are numbered D1 to D12 as in the book's page on the law.

use crate::cc::hpcc::{ParamError, BASE_RTT_RANGE_NS, DEFAULT_PORT_SPEEDS, MAX_LINK_RATE, MAX_WINDOW, Q_UNIT, TX_UNIT};

/// What the law reads its power from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// INT of every hop: PowerTCP, Algorithm 1.
    Int,
    /// Round-trip times alone: theta-PowerTCP, Algorithm 2.
    Delay,
}

/// D1: what the current `lambda` of a hop is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Current {
    /// Growth of the queue plus bytes sent (Algorithm 1, lines 19 to 21).
    QueueAndSent,
    /// One counter of bytes that entered the queue; switches then stamp it in place of the bytes sent.
    Arrivals,
}

/// D4: additive increase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Beta {
    /// `HostBw x tau / N` for this N (section 3.3).
    Flows(f64),
    /// A rate, bits per second.
    Rate(u64),
}

/// D5: which window stands in the second term of the moving average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondTerm {
    /// The current one (line 39).
    Current,
    /// The old one, as in the first term.
    Old,
}

/// D6: what `cwnd_old` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldWindow {
    /// The window at the start of the round trip in which the acknowledged packet left: one snapshot a round trip (section 3.3).
    PerRoundTrip,
    /// The window when the acknowledged packet left, kept for every packet in flight. A study only: no hardware has it.
    PerPacket,
    /// The window of the last full update.
    LastFull,
}

/// D7: which acknowledgements do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Power and window on every acknowledgement.
    PerAck,
    /// Power on every acknowledgement, window once a round trip.
    WindowPerRoundTrip,
    /// Nothing at all within the round trip.
    PerRoundTrip,
}

/// D9: the base round-trip time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseRtt {
    /// The configured one.
    Configured,
    /// The smallest that the flow has seen, from the configured one down, taken before it is used.
    SmallestSeen,
}

/// D9: what an acknowledgement without a round-trip time is to theta-PowerTCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingRtt {
    /// Nothing.
    Skipped,
    /// A measurement of the base round-trip time.
    Base,
    /// The last measured one again; nothing as long as there is none.
    Last,
}

/// D10: the first acknowledgement of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstAck {
    /// Stores what later ones are compared with, and does nothing else.
    Store,
    /// An update like any other, against records of zero.
    Update,
}

/// D12: what the law counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// Windows in bytes; the rate is `w / tau`.
    Windows,
    /// Rates in whole bits per second, every product cut; the window follows.
    WholeRates,
}

/// A set of options with a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Algorithms 1 and 2 as printed.
    #[default]
    Paper,
    /// The authors' released simulator (`inet-tub/ns3-datacenter` at ed1dfa86).
    Authors,
}

/// Parameters of one NIC's PowerTCP or theta-PowerTCP.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerParams {
    /// PowerTCP or theta-PowerTCP.
    pub signal: Signal,
    /// Rate of the NIC's own port, bits per second.
    pub line_rate: u64,
    /// `tau`: base round-trip time, ns.
    pub base_rtt_ns: u32,
    /// First and largest window, bytes: `HostBw x tau`.
    pub w_init: f64,
    /// Smallest rate, bits per second.
    pub min_rate: u64,
    /// Weight `gamma` of an update (D3).
    pub gamma: f64,
    /// Weight of the second term. Its own value because `1 - 0.9` is not `0.1` in a double.
    pub one_minus_gamma: f64,
    /// Additive increase (D4).
    pub beta: Beta,
    /// What the current is made of (D1).
    pub current: Current,
    /// Power is divided by this (D2; 1 in the paper).
    pub eta: f64,
    /// theta: `tau` is multiplied by this in the power (D2; 1 in the paper).
    pub tau_factor: f64,
    /// Second term of the moving average (D5).
    pub second_term: SecondTerm,
    /// `cwnd_old` (D6).
    pub old_window: OldWindow,
    /// Which acknowledgements do something (D7).
    pub reaction: Reaction,
    /// Smallest current, in units of the port's speed; for theta the smallest `gradient + 1` (D8).
    pub current_floor: f64,
    /// Base round-trip time (D9).
    pub base_rtt: BaseRtt,
    /// An acknowledgement without a round-trip time (D9). Where one packet in `S` is timed, as in a NIC, and every acknowledgement moves the window, the
    /// others repeat the last: read as the base they would make each measurement look like a steep rise.
    pub missing_rtt: MissingRtt,
    /// The first acknowledgement (D10).
    pub first_ack: FirstAck,
    /// The time of a sample counts as `tau` at most (D11).
    pub clamp_dt: bool,
    /// Windows or whole rates (D12).
    pub arithmetic: Arithmetic,
    /// Smoothed power below this counts as this in the window.
    pub smallest_power: f64,
    /// Smoothed power of a new flow.
    pub init_power: f64,
    /// Multiplies the units of both INT counters.
    pub int_multi: u32,
    /// Port speeds by code, bits per second; 0 = not valid.
    pub port_speeds: [u64; 16],
    /// Age at which a record or a flow is stale, ns; `None`: never.
    pub stale_limit_ns: Option<u32>,
}

impl PowerParams {
    /// The paper's law for a port of `line_rate` bits per second: gamma 0.9, `beta = HostBw tau / 100`.
    pub fn paper(signal: Signal, line_rate: u64, base_rtt_ns: u32) -> Self {
        Self {
            signal,
            line_rate,
            base_rtt_ns,
            w_init: line_rate as f64 * f64::from(base_rtt_ns) / 8e9,
            min_rate: 100_000_000,
            gamma: 0.9,
            one_minus_gamma: 0.1,
            beta: Beta::Flows(100.0),
            current: Current::QueueAndSent,
            eta: 1.0,
            tau_factor: 1.0,
            second_term: SecondTerm::Current,
            old_window: OldWindow::PerRoundTrip,
            reaction: match signal {
                Signal::Int => Reaction::PerAck,
                Signal::Delay => Reaction::WindowPerRoundTrip,
            },
            current_floor: 0.0,
            base_rtt: BaseRtt::Configured,
            missing_rtt: MissingRtt::Skipped,
            first_ack: FirstAck::Store,
            clamp_dt: true,
            arithmetic: Arithmetic::Windows,
            smallest_power: 1.0 / 32.0,
            init_power: 1.0,
            int_multi: 1,
            port_speeds: DEFAULT_PORT_SPEEDS,
            stale_limit_ns: Some(1_000_000),
        }
    }

    /// The law of the authors' simulator with the values of their runs.
    pub fn authors(signal: Signal, line_rate: u64, base_rtt_ns: u32) -> Self {
        let theta = signal == Signal::Delay;
        Self {
            gamma: if theta { 0.7 } else { 0.9 },
            one_minus_gamma: if theta { 0.3 } else { 0.1 },
            beta: Beta::Rate(150_000_000),
            current: Current::Arrivals,
            eta: if theta { 1.0 } else { 0.95 },
            tau_factor: 1.05,
            second_term: SecondTerm::Old,
            old_window: OldWindow::LastFull,
            reaction: Reaction::PerAck,
            current_floor: if theta { 0.5 } else { 0.0 },
            base_rtt: if theta {
                BaseRtt::SmallestSeen
            } else {
                BaseRtt::Configured
            },
            missing_rtt: if theta { MissingRtt::Base } else { MissingRtt::Skipped },
            first_ack: if theta { FirstAck::Update } else { FirstAck::Store },
            arithmetic: Arithmetic::WholeRates,
            smallest_power: 0.0,
            stale_limit_ns: None,
            ..Self::paper(signal, line_rate, base_rtt_ns)
        }
    }

    /// One of the two by name.
    pub fn of(profile: Profile, signal: Signal, line_rate: u64, base_rtt_ns: u32) -> Self {
        match profile {
            Profile::Paper => Self::paper(signal, line_rate, base_rtt_ns),
            Profile::Authors => Self::authors(signal, line_rate, base_rtt_ns),
        }
    }

    /// Name of the law.
    pub fn name(&self) -> &'static str {
        match self.signal {
            Signal::Int => "powertcp",
            Signal::Delay => "theta-powertcp",
        }
    }

    /// Smallest window, bytes: `max(1, R_min x tau / 8)`.
    pub fn w_min(&self) -> f64 {
        (self.min_rate as f64 * self.w_init / self.line_rate as f64).max(1.0)
    }

    /// Additive increase, bytes.
    pub fn beta_bytes(&self) -> f64 {
        match self.beta {
            Beta::Flows(n) => self.w_init / n,
            Beta::Rate(rate) => rate as f64 * self.w_init / self.line_rate as f64,
        }
    }

    /// Additive increase, whole bits per second.
    pub fn beta_rate(&self) -> f64 {
        match self.beta {
            Beta::Flows(n) => (self.line_rate as f64 / n).trunc(),
            Beta::Rate(rate) => rate as f64,
        }
    }

    /// Bytes of one unit of the byte counter and of the queue.
    pub fn units(&self) -> (f64, f64) {
        let multi = f64::from(self.int_multi);
        (TX_UNIT as f64 * multi, Q_UNIT as f64 * multi)
    }

    /// Code of a port speed in bits per second.
    pub fn speed_code(&self, bits_per_second: u64) -> Option<u8> {
        let known = |&s: &u64| s != 0 && s == bits_per_second;
        self.port_speeds.iter().position(known).map(|code| code as u8)
    }

    /// Checks every field against the range that the law and the hardware promise.
    pub fn validate(&self) -> Result<(), ParamError> {
        check(
            BASE_RTT_RANGE_NS.contains(&self.base_rtt_ns),
            "base_rtt_ns",
            "1000 to 100000 ns",
            self.base_rtt_ns,
        )?;
        let product = self.line_rate as f64 * f64::from(self.base_rtt_ns) / 8e9;
        check(
            product <= MAX_WINDOW && self.w_init <= MAX_WINDOW,
            "base_rtt_ns",
            "a line rate x tau of at most 4 MiB",
            product,
        )?;
        self.validate_law()
    }

    /// Checks what the law itself needs; `tau` and windows may be beyond the hardware's number formats.
    pub fn validate_law(&self) -> Result<(), ParamError> {
        let line = self.line_rate;
        let rates = (1..=MAX_LINK_RATE).contains(&line);
        check(rates, "line_rate", "1 to 800 000 000 000 bits/s", line)?;
        check(self.base_rtt_ns > 0, "base_rtt_ns", "more than 0 ns", self.base_rtt_ns)?;
        let w_init = self.w_init;
        check(w_init >= 1.0 && w_init.is_finite(), "w_init", "1 byte or more", w_init)?;
        check(
            self.min_rate <= line,
            "min_rate",
            "at most the line rate",
            self.min_rate,
        )?;
        let weight = |w: f64| (0.0..=1.0).contains(&w);
        check(
            weight(self.gamma) && self.gamma > 0.0,
            "gamma",
            "above 0 and at most 1",
            self.gamma,
        )?;
        let sum = self.gamma + self.one_minus_gamma;
        check(
            weight(self.one_minus_gamma) && (sum - 1.0).abs() < 1e-9,
            "one_minus_gamma",
            "1 - gamma",
            self.one_minus_gamma,
        )?;
        let beta_ok = match self.beta {
            Beta::Flows(n) => n.is_finite() && n >= 1.0,
            Beta::Rate(rate) => rate <= line,
        };
        check(
            beta_ok,
            "beta",
            "1 flow or more, or a rate up to the line rate",
            format!("{:?}", self.beta),
        )?;
        check(
            self.eta > 0.0 && self.eta <= 1.0,
            "eta",
            "above 0 and at most 1",
            self.eta,
        )?;
        let factor = self.tau_factor;
        check((1.0..=2.0).contains(&factor), "theta_tau_factor", "1 to 2", factor)?;
        let floor = self.current_floor;
        check((0.0..=1.0).contains(&floor), "current_floor", "0 to 1", floor)?;
        let power = self.init_power;
        check(power > 0.0 && power.is_finite(), "init_power", "above 0", power)?;
        let smallest = self.smallest_power;
        check((0.0..=1.0).contains(&smallest), "smallest_power", "0 to 1", smallest)?;
        check(
            (1..=255).contains(&self.int_multi),
            "int_multi",
            "1 to 255",
            self.int_multi,
        )?;
        if let Some(limit) = self.stale_limit_ns {
            check(
                (1..1 << 23).contains(&limit),
                "stale_limit_ns",
                "1 to 8388607 ns (half the wrap of a time stamp)",
                limit,
            )?;
        }
        Ok(())
    }
}

fn check(ok: bool, field: &'static str, expected: &str, got: impl ToString) -> Result<(), ParamError> {
    ok.then_some(()).ok_or_else(|| ParamError {
        field,
        expected: expected.into(),
        got: got.to_string(),
    })
}
