//! Parameters of the laws as keys of scenarios and sweeps (`cc.gain = 0.01`): which law has which, and what they may be.

use super::values::{between, flag, nanoseconds, number, one_of, rate, whole};
use super::{own, LawKind, LawSpec};
use hpcc_models::cc::dcqcn::{DcqcnParams, IncreaseRule};
use hpcc_models::cc::dctcp::DctcpParams;
use hpcc_models::cc::powertcp::{Beta, OldWindow, PowerParams, Profile, Reaction, Signal};
use hpcc_models::cc::timely::TimelyParams;
use hpcc_models::net::tcp::TcpLaw;
use hpcc_models::net::SlotParams;
use toml::Value;

const HPCC: &[&str] = &["w_ai", "eta", "max_stage", "stale_limit_us"];
const DCQCN: &[&str] = &[
    "profile",
    "gain",
    "alpha_interval_us",
    "decrease_interval_us",
    "increase_interval_us",
    "fast_recovery",
    "rate_ai_mbps",
    "rate_hai_mbps",
    "clamp_target",
    "increase_rule",
    "byte_reset",
    "immediate",
    "first_rate_mbps",
    "min_decrease",
];
const TIMELY: &[&str] = &[
    "alpha",
    "beta",
    "t_low_us",
    "t_high_us",
    "min_rtt_us",
    "rate_ai_mbps",
    "rate_hai_mbps",
];
const DCTCP: &[&str] = &["gain", "rate_ai_mbps"];
const POWER: &[&str] = &[
    "profile",
    "gamma",
    "beta_flows",
    "beta_mbps",
    "eta",
    "current_floor",
    "old_window",
    "reaction",
    "stale_limit_us",
];
const THETA: &[&str] = &[
    "profile",
    "gamma",
    "beta_flows",
    "beta_mbps",
    "tau_factor",
    "current_floor",
    "old_window",
    "reaction",
    "stale_limit_us",
];
const HOMA: &[&str] = &["rtt_bytes", "overcommitment", "unscheduled_levels", "resend_us"];

/// Keys of the network that only a law that reads marks obeys.
pub const ECN_KEYS: [&str; 3] = ["ecn_kmin_kb", "ecn_kmax_kb", "ecn_pmax"];

impl LawKind {
    /// Keys of `cc` that set a parameter of this law. `t_ns`, `min_rate_mbps`, `latency_ns` and `driver` are every law's.
    pub fn keys(self) -> Vec<&'static str> {
        let keys = match self {
            LawKind::Hpcc | LawKind::Tcp(TcpLaw::HpccProbes) => HPCC,
            LawKind::Dcqcn => DCQCN,
            LawKind::Timely => TIMELY,
            LawKind::Dctcp => DCTCP,
            LawKind::PowerTcp => POWER,
            LawKind::Theta => THETA,
            LawKind::Homa => HOMA,
            // Other TCP hosts have keys of their own.
            LawKind::Tcp(_) | LawKind::LineRate => &[],
            LawKind::Own(law) => return law.keys.iter().map(|key| key.name).collect(),
        };
        keys.to_vec()
    }

    /// Switches mark for this law.
    pub fn reads_marks(self) -> bool {
        match self {
            LawKind::Dcqcn | LawKind::Dctcp => true,
            LawKind::Own(law) => law.marks,
            _ => matches!(self, LawKind::Tcp(_)) && !self.runs_hpcc(),
        }
    }
}

/// Whether any law has a key.
pub fn is_key_of_any(key: &str) -> bool {
    [HPCC, DCQCN, TIMELY, DCTCP, POWER, THETA, HOMA]
        .iter()
        .any(|keys| keys.contains(&key))
        || own::all().iter().any(|law| law.keys.iter().any(|own| own.name == key))
}

impl LawSpec {
    /// Sets one parameter by its key in `cc`. A key that the law does not have is an error.
    pub fn set_key(&mut self, key: &str, value: &Value) -> Result<(), String> {
        if !self.kind.keys().contains(&key) {
            return Err(format!(
                "cc.{key}: {} has no such key; it has {}",
                self.name,
                self.kind.keys().join(", ")
            ));
        }
        match (self.kind.runs_hpcc(), key) {
            (true, "w_ai") => self.w_ai = number(key, value, "a number of bytes")?,
            (true, "eta") => self.eta = number(key, value, "above 0 and at most 1")?,
            (true, "max_stage") => self.max_stage = whole(key, value, 255)? as u8,
            (_, "stale_limit_us") if self.own().is_none() => {
                self.stale_limit_ns = (between(key, value, 0.001, 8388.0)? * 1000.0).round() as u32;
                self.keys.insert(key.into(), value.clone());
            }
            _ => {
                self.keys.insert(key.into(), value.clone());
            }
        }
        // A value that cannot be is found here and not when the run starts.
        let port = SlotParams {
            line_rate_bps: 100_000_000_000,
            base_rtt_ns: 13_000,
            w_init_bytes: 162_500,
            mtu: 1024,
            int_multi: 1,
        };
        match self.kind {
            LawKind::Hpcc | LawKind::Tcp(_) | LawKind::LineRate => Ok(()),
            LawKind::Dcqcn => self.dcqcn_params(&port).map(|_| ()),
            LawKind::Timely => self.timely_params(&port).map(|_| ()),
            LawKind::Dctcp => self.dctcp_params(&port).map(|_| ()),
            LawKind::Homa => self.homa_config().map(|_| ()),
            LawKind::Own(law) => law.check(key, value),
            LawKind::PowerTcp | LawKind::Theta => {
                let params = self.power_params(&port)?;
                params.validate_law().map_err(|e| format!("cc.{e}"))
            }
        }
    }

    /// DCQCN's parameters for one kind of port. In the network a mark comes back on the acknowledgement, which stands for the CNP.
    pub fn dcqcn_params(&self, port: &SlotParams) -> Result<DcqcnParams, String> {
        let (line, w_init) = (port.line_rate_bps, port.w_init_bytes as f64);
        let profiles = [("authors", false), ("sigcomm", true)];
        let sigcomm = self.keys.get("profile").map(|v| one_of("profile", v, &profiles));
        let mut p = match (self.dcqcn, sigcomm.transpose()?) {
            (_, Some(true)) => DcqcnParams::sigcomm(line, w_init),
            (Some(configured), _) => configured,
            (None, _) => DcqcnParams::new(line, w_init),
        };
        (p.line_rate, p.w_init, p.mark_on_ack) = (line, w_init, true);
        self.set(&mut p.min_rate, &mut p.rate_ai, Some(&mut p.rate_hai));
        p.gain = self.gain.unwrap_or(p.gain);
        for (key, value) in &self.keys {
            match key.as_str() {
                "gain" => p.gain = between(key, value, 0.0, 1.0)?,
                "alpha_interval_us" => p.alpha_interval = nanoseconds(key, value)?,
                "decrease_interval_us" => p.decrease_interval = nanoseconds(key, value)?,
                "increase_interval_us" => p.increase_interval = nanoseconds(key, value)?,
                "fast_recovery" => p.fast_recovery = whole(key, value, 30)? as u32,
                "rate_ai_mbps" => p.rate_ai = rate(key, value)?,
                "rate_hai_mbps" => p.rate_hai = rate(key, value)?,
                "clamp_target" => p.clamp_target = flag(key, value)?,
                "increase_rule" => {
                    let rules = [("timer", IncreaseRule::Timer), ("qcn", IncreaseRule::Qcn)];
                    p.rule = one_of(key, value, &rules)?;
                }
                "byte_reset" => p.byte_reset = whole(key, value, u64::from(u32::MAX))?,
                "immediate" => p.immediate = flag(key, value)?,
                "first_rate_mbps" => p.first_rate = rate(key, value)?.min(line),
                "min_decrease" => p.min_decrease = between(key, value, 0.0, 0.99)?,
                _ => {}
            }
        }
        Ok(p)
    }

    /// TIMELY's parameters for one kind of port.
    pub fn timely_params(&self, port: &SlotParams) -> Result<TimelyParams, String> {
        let mut p = TimelyParams::new(port.line_rate_bps, port.w_init_bytes as f64);
        self.set(&mut p.min_rate, &mut p.rate_ai, Some(&mut p.rate_hai));
        for (key, value) in &self.keys {
            match key.as_str() {
                "alpha" => p.alpha = between(key, value, 0.0, 1.0)?,
                "beta" => p.beta = between(key, value, 0.0, 1.0)?,
                "t_low_us" => p.t_low = nanoseconds(key, value)?,
                "t_high_us" => p.t_high = nanoseconds(key, value)?,
                "min_rtt_us" => p.min_rtt = nanoseconds(key, value)?,
                "rate_ai_mbps" => p.rate_ai = rate(key, value)?,
                "rate_hai_mbps" => p.rate_hai = rate(key, value)?,
                _ => {}
            }
        }
        if p.t_low > p.t_high {
            return Err(format!(
                "cc.t_low_us: expected at most t_high_us, got {} above {}",
                p.t_low as f64 / 1000.0,
                p.t_high as f64 / 1000.0
            ));
        }
        Ok(p)
    }

    /// DCTCP's parameters for one kind of port.
    pub fn dctcp_params(&self, port: &SlotParams) -> Result<DctcpParams, String> {
        let mut p = DctcpParams::new(port.line_rate_bps, port.w_init_bytes as f64, port.mtu);
        self.set(&mut p.min_rate, &mut p.rate_ai, None);
        p.gain = self.gain.unwrap_or(p.gain);
        for (key, value) in &self.keys {
            match key.as_str() {
                "gain" => p.gain = between(key, value, 0.0, 1.0)?,
                "rate_ai_mbps" => p.rate_ai = rate(key, value)?,
                _ => {}
            }
        }
        Ok(p)
    }

    /// Whether PowerTCP runs as in its authors' simulator.
    pub fn power_profile(&self) -> Result<Profile, String> {
        let profiles = [("paper", Profile::Paper), ("authors", Profile::Authors)];
        match self.keys.get("profile") {
            Some(value) => one_of("profile", value, &profiles),
            None => Ok(self.power_default),
        }
    }

    /// PowerTCP's or theta-PowerTCP's parameters for one kind of port.
    pub fn power_params(&self, port: &SlotParams) -> Result<PowerParams, String> {
        let base_rtt = u32::try_from(port.base_rtt_ns).map_err(|_| "base RTT: expected at most 4 s".to_string())?;
        let signal = if self.kind == LawKind::Theta {
            Signal::Delay
        } else {
            Signal::Int
        };
        let profile = self.power_profile()?;
        let mut p = PowerParams::of(profile, signal, port.line_rate_bps, base_rtt);
        if profile == Profile::Paper {
            p.w_init = port.w_init_bytes as f64;
        }
        p.int_multi = port.int_multi;
        self.set_other_speeds(&mut p.port_speeds);
        p.min_rate = self.min_rate.unwrap_or(p.min_rate).min(port.line_rate_bps);
        p.eta = self.power_eta.unwrap_or(p.eta);
        if self.reaction == hpcc_models::cc::hpcc::Reaction::PerRtt {
            p.reaction = Reaction::PerRoundTrip;
        }
        for (key, value) in &self.keys {
            match key.as_str() {
                "gamma" => {
                    p.gamma = between(key, value, 0.0, 1.0)?;
                    p.one_minus_gamma = 1.0 - p.gamma;
                }
                "beta_flows" => p.beta = Beta::Flows(between(key, value, 1.0, 1e6)?),
                "beta_mbps" => p.beta = Beta::Rate(rate(key, value)?),
                "eta" => p.eta = number(key, value, "above 0 and at most 1")?,
                "tau_factor" => p.tau_factor = between(key, value, 1.0, 2.0)?,
                "current_floor" => p.current_floor = between(key, value, 0.0, 1.0)?,
                "old_window" => {
                    let words = [
                        ("per-round-trip", OldWindow::PerRoundTrip),
                        ("per-packet", OldWindow::PerPacket),
                        ("last-full", OldWindow::LastFull),
                    ];
                    p.old_window = one_of(key, value, &words)?;
                }
                "reaction" => {
                    let words = [
                        ("per-ack", Reaction::PerAck),
                        ("window-per-round-trip", Reaction::WindowPerRoundTrip),
                        ("per-round-trip", Reaction::PerRoundTrip),
                    ];
                    p.reaction = one_of(key, value, &words)?;
                }
                "stale_limit_us" => p.stale_limit_ns = Some(self.stale_limit_ns),
                _ => {}
            }
        }
        if self.keys.contains_key("beta_flows") && self.keys.contains_key("beta_mbps") {
            return Err("cc.beta_flows: expected only one of beta_flows and beta_mbps".into());
        }
        Ok(p)
    }

    pub(super) fn set(&self, min_rate: &mut u64, rate_ai: &mut u64, rate_hai: Option<&mut u64>) {
        *min_rate = self.min_rate.unwrap_or(*min_rate);
        *rate_ai = self.rate_ai.unwrap_or(*rate_ai);
        if let Some(hai) = rate_hai {
            *hai = self.rate_hai.unwrap_or(*hai);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(law: &str, key: &str, value: impl Into<Value>) -> Result<(), String> {
        LawSpec::named(law).unwrap().set_key(key, &value.into())
    }

    #[test]
    fn every_key_is_checked() {
        assert!(set("dcqcn", "gain", 0.01).is_ok());
        assert!(set("theta-powertcp", "gamma", 0.5).is_ok());
        assert_eq!(
            set("dcqcn", "w_ai", 25).unwrap_err(),
            format!("cc.w_ai: dcqcn has no such key; it has {}", DCQCN.join(", "))
        );
        assert_eq!(
            set("timely", "alpha", 2).unwrap_err(),
            "cc.alpha: expected 0 to 1, got 2"
        );
        assert_eq!(
            set("powertcp", "profile", "draft").unwrap_err(),
            "cc.profile: expected one of paper, authors, got \"draft\""
        );
        assert_eq!(
            set("powertcp", "gamma", 0).unwrap_err(),
            "cc.gamma: expected above 0 and at most 1, got 0"
        );
    }

    #[test]
    fn keys_reach_the_parameters() {
        let port = SlotParams {
            line_rate_bps: 25_000_000_000,
            base_rtt_ns: 10_000,
            w_init_bytes: 31_250,
            mtu: 1000,
            int_multi: 1,
        };
        let mut law = LawSpec::named("dcqcn").unwrap();
        law.set_key("profile", &"sigcomm".into()).unwrap();
        law.set_key("alpha_interval_us", &20.into()).unwrap();
        let p = law.dcqcn_params(&port).unwrap();
        assert_eq!(
            (p.alpha_interval, p.byte_reset, p.line_rate),
            (20_000, 10_000_000, port.line_rate_bps)
        );
        let mut law = LawSpec::named("powertcp").unwrap();
        law.set_key("beta_mbps", &75.into()).unwrap();
        assert_eq!(law.power_params(&port).unwrap().beta, Beta::Rate(75_000_000));
    }
}
