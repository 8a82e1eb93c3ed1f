//! Parameters of HPCC (paper, section 3.3) with their units, defaults and the ranges in which the hardware keeps its
//! promise. Golden, fixed point and RTL take the same structure.

use thiserror::Error;

/// Fastest link the number formats cover, bits per second.
pub const MAX_LINK_RATE: u64 = 800_000_000_000;
/// Base round-trip times the number formats cover, ns.
pub const BASE_RTT_RANGE_NS: std::ops::RangeInclusive<u32> = 1_000..=100_000;
/// Largest product of line rate and base RTT, and largest first window, bytes.
pub const MAX_WINDOW: f64 = 4.0 * 1024.0 * 1024.0;
/// Wrap of the time stamp, ns.
pub const TS_WRAP: u32 = 1 << 24;
/// Wrap of `txBytes`, units of 128 bytes times the multiplier.
pub const TX_WRAP: u32 = 1 << 20;
/// Bytes of one unit of a `txBytes` field at multiplier 1 (paper, Fig. 7).
pub const TX_UNIT: u64 = 128;
/// Bytes of one unit of a `qLen` field at multiplier 1 (paper, Fig. 7).
pub const Q_UNIT: u64 = 80;
/// One unit of a utilisation, of the link's speed: UQ16.16, of which a record holds the lowest 20 bits.
pub const UTILISATION_UNIT: f64 = 1.0 / 65_536.0;
/// Port speeds in bits per second by 4-bit code; 0 is not valid.
pub const DEFAULT_PORT_SPEEDS: [u64; 16] = {
    const G: u64 = 1_000_000_000;
    [
        0,
        10 * G,
        25 * G,
        40 * G,
        50 * G,
        100 * G,
        200 * G,
        400 * G,
        800 * G,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    ]
};

/// Which acknowledgements move the reference window (paper, Fig. 13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reaction {
    /// Window on every ACK, reference window once a round trip: Algorithm 1.
    #[default]
    Hpcc,
    /// Every ACK as if `ack.seq > lastUpdateSeq`.
    PerAck,
    /// An ACK with `seq <= lastUpdateSeq` changes nothing, not even the hop records.
    PerRtt,
}

/// Which rate enters `u'` (paper, Fig. 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RateSignal {
    /// `txRate`: Algorithm 1, line 4.
    #[default]
    TxRate,
    /// `rxRate = txRate + (qLen - last qLen) / dts`.
    RxRate,
    /// What the switch measured itself: the record's `txBytes` is the utilisation of the link in units of [`UTILISATION_UNIT`], as in the list of
    /// draft-miao-tsv-hpcc-info, Fig. 3 (INT's bitmap `d500`). Golden only.
    Utilisation,
}

/// How the windows that the hops of a path allow become one (paper, appendix A.3).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Fairness {
    /// The most congested hop decides: Algorithm 1.
    #[default]
    MaxMin,
    /// One register per hop, joined by Eq. 7 with this alpha.
    Alpha(f64),
}

/// Parameters of one NIC's HPCC.
#[derive(Clone, Debug, PartialEq)]
pub struct HpccParams {
    /// Rate of the NIC's own port, bits per second; the pacing rate of a full window.
    pub line_rate: u64,
    /// Base round-trip time `T` of the moving average, ns (lines 8 and 9).
    pub base_rtt_ns: u32,
    /// First and largest window `W_init`, bytes. `T_W = W_init * 8 / line_rate` is the time of the queue term and of the rate.
    pub w_init: f64,
    /// Target utilisation, dimensionless, above 0 and at most 1.
    pub eta: f64,
    /// Additive rounds before a multiplicative one.
    pub max_stage: u8,
    /// Additive step `W_AI`, bytes.
    pub w_ai: f64,
    /// Smallest pacing rate `R_min`, bits per second.
    pub min_rate: u64,
    /// Multiplies the units of `txBytes` (128 bytes) and of `qLen` (80 bytes).
    pub int_multi: u32,
    /// Port speeds by code, bits per second; 0 = not valid.
    pub port_speeds: [u64; 16],
    /// Age at which a hop record or a whole flow is stale, ns.
    pub stale_limit_ns: u32,
    /// Which ACKs move the reference window.
    pub reaction: Reaction,
    /// Which rate enters `u'`.
    pub rate_signal: RateSignal,
    /// How hops are joined.
    pub fairness: Fairness,
    /// Records speak of the packet's class and `B` is what it is guaranteed: above it, search for what other classes leave.
    pub class_search: bool,
    /// `W_AI = W_init (1 - eta) / N` where the receiver reports `N` flows and its own link decides (draft-miao-ccwg-hpcc, 5).
    pub n_aware: bool,
}

/// Why parameters were refused.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{field}: expected {expected}, got {got}")]
pub struct ParamError {
    /// Name of the field.
    pub field: &'static str,
    /// What it may be.
    pub expected: String,
    /// What it was.
    pub got: String,
}

impl HpccParams {
    /// The paper's parameters (section 5.1) for a port of `line_rate` bits per second and base RTT `base_rtt_ns`:
    /// `W_init = line rate x T`, eta 95 %, `maxStage` 5, `W_AI` 80 bytes, `R_min` 100 Mb/s.
    pub fn new(line_rate: u64, base_rtt_ns: u32) -> Self {
        Self {
            line_rate,
            base_rtt_ns,
            w_init: line_rate as f64 * f64::from(base_rtt_ns) / 8e9,
            eta: 0.95,
            max_stage: 5,
            w_ai: 80.0,
            min_rate: 100_000_000,
            int_multi: 1,
            port_speeds: DEFAULT_PORT_SPEEDS,
            stale_limit_ns: 1_000_000,
            reaction: Reaction::Hpcc,
            rate_signal: RateSignal::TxRate,
            fairness: Fairness::MaxMin,
            class_search: false,
            n_aware: false,
        }
    }

    /// `T_W`: the time in which the line rate carries `W_init`, ns.
    pub fn t_w_ns(&self) -> f64 {
        self.w_init * 8e9 / self.line_rate as f64
    }

    /// Smallest window, bytes: `max(1, R_min x T_W / 8)`.
    pub fn w_min(&self) -> f64 {
        (self.min_rate as f64 * self.w_init / self.line_rate as f64).max(1.0)
    }

    /// Code of a port speed in bits per second.
    pub fn speed_code(&self, bits_per_second: u64) -> Option<u8> {
        self.port_speeds
            .iter()
            .position(|&s| s != 0 && s == bits_per_second)
            .map(|code| code as u8)
    }

    /// Checks every field against the range that the laws and the hardware promise.
    pub fn validate(&self) -> Result<(), ParamError> {
        let line = self.line_rate;
        let rtt = self.base_rtt_ns;
        check(
            BASE_RTT_RANGE_NS.contains(&rtt),
            "base_rtt_ns",
            "1000 to 100000 ns",
            rtt.to_string(),
        )?;
        let product = line as f64 * f64::from(rtt) / 8e9;
        check(
            product <= MAX_WINDOW,
            "base_rtt_ns",
            "line rate x T of at most 4 MiB",
            format!("{product} bytes"),
        )?;
        check(
            self.w_init >= 1.0 && self.w_init <= MAX_WINDOW,
            "w_init",
            "1 to 4194304 bytes",
            self.w_init.to_string(),
        )?;
        self.validate_law()
    }

    /// Checks what the law itself needs; `T` and windows may be beyond the hardware's number formats.
    pub fn validate_law(&self) -> Result<(), ParamError> {
        let line = self.line_rate;
        check(
            (1..=MAX_LINK_RATE).contains(&line),
            "line_rate",
            "1 to 800 000 000 000 bits/s",
            line.to_string(),
        )?;
        check(
            self.base_rtt_ns > 0,
            "base_rtt_ns",
            "more than 0 ns",
            self.base_rtt_ns.to_string(),
        )?;
        check(
            self.w_init >= 1.0 && self.w_init.is_finite(),
            "w_init",
            "1 byte or more",
            self.w_init.to_string(),
        )?;
        check(
            self.eta > 0.0 && self.eta <= 1.0,
            "eta",
            "above 0 and at most 1",
            self.eta.to_string(),
        )?;
        check(
            self.w_ai >= 0.0 && self.w_ai <= self.w_init,
            "w_ai",
            "0 to W_init bytes (both inclusive)",
            self.w_ai.to_string(),
        )?;
        check(
            self.min_rate <= line,
            "min_rate",
            "at most the line rate",
            self.min_rate.to_string(),
        )?;
        check(
            (1..=255).contains(&self.int_multi),
            "int_multi",
            "1 to 255",
            self.int_multi.to_string(),
        )?;
        for &speed in &self.port_speeds {
            check(
                speed <= MAX_LINK_RATE,
                "port_speeds",
                "at most 800 000 000 000 bits/s",
                speed.to_string(),
            )?;
        }
        check(
            (1..1 << 23).contains(&self.stale_limit_ns),
            "stale_limit_ns",
            "1 to 8388607 ns (half the wrap of a time stamp)",
            self.stale_limit_ns.to_string(),
        )?;
        if let Fairness::Alpha(alpha) = self.fairness {
            check(
                !self.class_search,
                "class_search",
                "off with alpha-fair hops",
                "on".into(),
            )?;
            check(
                alpha.is_finite() && alpha > 0.0,
                "fairness",
                "a positive finite alpha",
                alpha.to_string(),
            )?;
        }
        Ok(())
    }
}

fn check(ok: bool, field: &'static str, expected: &str, got: String) -> Result<(), ParamError> {
    ok.then_some(()).ok_or_else(|| ParamError {
        field,
        expected: expected.into(),
        got,
    })
}
