//! The parameters that a law runs with, by the names of its keys: its own ones and no other law's.

use super::{LawKind, LawSpec};
use hpcc_models::cc::dcqcn::{DcqcnParams, IncreaseRule};
use hpcc_models::cc::hpcc::{Fairness, HpccParams, RateSignal, Reaction};
use hpcc_models::cc::powertcp::{Beta, OldWindow, PowerParams, Profile, Reaction as PowerReaction, Signal};
use hpcc_models::net::SlotParams;
use serde_json::{json, Value};

fn us(ns: u64) -> Value {
    json!(ns as f64 / 1000.0)
}

fn mbps(bps: u64) -> Value {
    json!(bps as f64 / 1e6)
}

impl LawSpec {
    /// Name and value of every parameter at one kind of port.
    pub fn parameters(&self, port: &SlotParams) -> Result<Vec<(&'static str, Value)>, String> {
        let mut table = vec![
            ("t_ns", json!(port.base_rtt_ns)),
            ("w_init_bytes", json!(port.w_init_bytes)),
        ];
        match self.kind {
            LawKind::Hpcc => self.of_hpcc(port, &mut table)?,
            LawKind::Dcqcn => self.of_dcqcn(port, &mut table)?,
            LawKind::Timely => {
                let p = self.timely_params(port)?;
                table.extend([
                    ("alpha", json!(p.alpha)),
                    ("beta", json!(p.beta)),
                    ("t_low_us", us(p.t_low)),
                    ("t_high_us", us(p.t_high)),
                    ("min_rtt_us", us(p.min_rtt)),
                    ("rate_ai_mbps", mbps(p.rate_ai)),
                    ("rate_hai_mbps", mbps(p.rate_hai)),
                    ("min_rate_mbps", mbps(p.min_rate)),
                    ("window", json!(self.windowed)),
                ]);
            }
            LawKind::Dctcp => {
                let p = self.dctcp_params(port)?;
                table.extend([
                    ("gain", json!(p.gain)),
                    ("rate_ai_mbps", mbps(p.rate_ai)),
                    ("min_rate_mbps", mbps(p.min_rate)),
                ]);
            }
            LawKind::PowerTcp | LawKind::Theta => self.of_power(port, &mut table)?,
            LawKind::Homa => {
                let p = self.homa_config()?;
                let levels = p.unscheduled_levels;
                table = vec![
                    ("t_ns", json!(port.base_rtt_ns)),
                    ("rtt_bytes", json!(p.rtt_bytes.unwrap_or(port.w_init_bytes))),
                    ("overcommitment", json!(p.overcommitment)),
                    ("unscheduled_levels", levels.map_or(json!("by bytes"), |n| json!(n))),
                    ("resend_us", us(p.resend_ps / 1000)),
                ];
            }
            LawKind::Own(law) => {
                let values = law.values(&self.keys)?;
                table.extend(values.iter().map(|(key, value)| (key, json!(value))));
            }
            LawKind::LineRate => {}
            // What TCP hosts have is in the scenario's table `tcp`.
            LawKind::Tcp(law) if !self.kind.runs_hpcc() => table = vec![("tcp", json!(law.name()))],
            LawKind::Tcp(law) => {
                self.of_hpcc(port, &mut table)?;
                table.push(("tcp", json!(law.name())));
            }
        }
        Ok(table)
    }

    fn of_hpcc(&self, port: &SlotParams, table: &mut Vec<(&'static str, Value)>) -> Result<(), String> {
        table.extend(hpcc_rows(&self.hpcc_params(port)?));
        if let Some(precision) = &self.precision {
            table.push(("precision", json!(format!("{precision:?}"))));
        }
        Ok(())
    }

    fn of_dcqcn(&self, port: &SlotParams, table: &mut Vec<(&'static str, Value)>) -> Result<(), String> {
        let profile = self.keys.get("profile").and_then(|v| v.as_str()).unwrap_or("authors");
        table.push(("profile", json!(profile)));
        table.extend(dcqcn_rows(&self.dcqcn_params(port)?, self.windowed));
        Ok(())
    }

    fn of_power(&self, port: &SlotParams, table: &mut Vec<(&'static str, Value)>) -> Result<(), String> {
        let profile = match self.power_profile()? {
            Profile::Paper => "paper",
            Profile::Authors => "authors",
        };
        table.push(("profile", json!(profile)));
        table.extend(power_rows(&self.power_params(port)?));
        Ok(())
    }
}

/// Name and value of HPCC's parameters.
pub fn hpcc_rows(p: &HpccParams) -> Vec<(&'static str, Value)> {
    let reaction = match p.reaction {
        Reaction::Hpcc => "HPCC",
        Reaction::PerAck => "per ACK",
        Reaction::PerRtt => "per RTT",
    };
    let fairness = match p.fairness {
        Fairness::MaxMin => json!("max-min"),
        Fairness::Alpha(alpha) => json!(format!("alpha {alpha}")),
    };
    let rate_signal = match p.rate_signal {
        RateSignal::TxRate => "txRate",
        RateSignal::RxRate => "rxRate",
        RateSignal::Utilisation => "utilisation",
    };
    vec![
        ("eta", json!(p.eta)),
        ("max_stage", json!(p.max_stage)),
        ("w_ai", json!(p.w_ai)),
        ("min_rate_mbps", mbps(p.min_rate)),
        ("stale_limit_us", us(u64::from(p.stale_limit_ns))),
        ("int_multi", json!(p.int_multi)),
        ("reaction", json!(reaction)),
        ("rate_signal", json!(rate_signal)),
        ("fairness", fairness),
    ]
}

/// Name and value of DCQCN's parameters.
pub fn dcqcn_rows(p: &DcqcnParams, windowed: bool) -> Vec<(&'static str, Value)> {
    let rule = match p.rule {
        IncreaseRule::Timer => "timer",
        IncreaseRule::Qcn => "qcn",
    };
    vec![
        ("gain", json!(p.gain)),
        ("alpha_interval_us", us(p.alpha_interval)),
        ("decrease_interval_us", us(p.decrease_interval)),
        ("increase_interval_us", us(p.increase_interval)),
        ("fast_recovery", json!(p.fast_recovery)),
        ("rate_ai_mbps", mbps(p.rate_ai)),
        ("rate_hai_mbps", mbps(p.rate_hai)),
        ("min_rate_mbps", mbps(p.min_rate)),
        ("first_rate_mbps", mbps(p.first_rate)),
        ("clamp_target", json!(p.clamp_target)),
        ("increase_rule", json!(rule)),
        ("byte_reset", json!(p.byte_reset)),
        ("immediate", json!(p.immediate)),
        ("min_decrease", json!(p.min_decrease)),
        ("window", json!(windowed)),
    ]
}

/// Name and value of PowerTCP's parameters, or of theta-PowerTCP's by what it reads.
pub fn power_rows(p: &PowerParams) -> Vec<(&'static str, Value)> {
    let beta = match p.beta {
        Beta::Flows(flows) => ("beta_flows", json!(flows)),
        Beta::Rate(bps) => ("beta_mbps", mbps(bps)),
    };
    let old_window = match p.old_window {
        OldWindow::PerRoundTrip => "per-round-trip",
        OldWindow::PerPacket => "per-packet",
        OldWindow::LastFull => "last-full",
    };
    let reaction = match p.reaction {
        PowerReaction::PerAck => "per-ack",
        PowerReaction::WindowPerRoundTrip => "window-per-round-trip",
        PowerReaction::PerRoundTrip => "per-round-trip",
    };
    let of_signal = match p.signal {
        Signal::Delay => ("tau_factor", json!(p.tau_factor)),
        _ => ("eta", json!(p.eta)),
    };
    vec![
        ("gamma", json!(p.gamma)),
        beta,
        ("current_floor", json!(p.current_floor)),
        ("old_window", json!(old_window)),
        ("reaction", json!(reaction)),
        ("min_rate_mbps", mbps(p.min_rate)),
        of_signal,
    ]
}

#[cfg(test)]
mod tests {
    use super::super::{HOMA_NAME, LAW_NAMES};
    use super::*;

    /// Every key that a law has stands in its table with the value that was set, and no key of another law does.
    #[test]
    fn a_law_has_its_own_parameters() {
        let port = SlotParams {
            line_rate_bps: 100_000_000_000,
            base_rtt_ns: 13_000,
            w_init_bytes: 162_500,
            mtu: 1024,
            int_multi: 1,
        };
        for name in LAW_NAMES.into_iter().chain([HOMA_NAME, "hpcc-probes"]) {
            let mut law = LawSpec::named(name).unwrap();
            if law.kind.keys().contains(&"gain") {
                law.set_key("gain", &toml::Value::Float(0.125)).unwrap();
            }
            let table = law.parameters(&port).unwrap();
            let has = |key: &str| table.iter().any(|(own, _)| *own == key);
            for key in law.kind.keys() {
                let other_beta = key.starts_with("beta_") && law.kind != LawKind::Timely;
                let optional = key == "stale_limit_us" && !law.kind.runs_hpcc();
                assert!(has(key) || other_beta || optional, "{name}: {key}");
            }
            assert_eq!(has("w_ai"), law.kind.runs_hpcc(), "{name}");
            assert_eq!(
                has("gain"),
                matches!(law.kind, LawKind::Dcqcn | LawKind::Dctcp),
                "{name}"
            );
            if let Some((_, gain)) = table.iter().find(|(key, _)| *key == "gain") {
                assert_eq!(*gain, json!(0.125));
            }
        }
    }
}
