//! Configuration file: `KEY value` lines, each with an optional comment after `{`, `#` or `//` (that simulator's own `config_doc.txt` has
//! them in braces). Keys that name files are ignored, unknown keys are warned about once.

use std::collections::BTreeMap;

use super::link_down::LinkDown;
use super::units::data_rate;
use super::FormatError;
use crate::net::clock::{ns3_seconds_to_ns, Clock, PS_PER_NS};
use crate::net::config::{Config, EcnRule, FlowControl, Framing, IdealRule, Recovery, WindowRule, WindowUse};
use crate::net::stamp_rules::StampRules;

/// `CC_MODE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CcMode {
    /// 1: DCQCN as one vendor's NIC does it.
    Dcqcn,
    /// 3: HPCC.
    Hpcc,
    /// 7: TIMELY.
    Timely,
    /// 8: DCTCP.
    Dctcp,
}

/// What a configuration file says, with the simulator's defaults for what it does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Ns3Config {
    /// `CC_MODE`.
    pub cc_mode: CcMode,
    /// `ENABLE_QCN`: switches mark.
    pub mark: bool,
    /// `PACKET_PAYLOAD_SIZE`, bytes.
    pub payload: u32,
    /// `SIMULATOR_STOP_TIME`, ps.
    pub stop_ps: u64,
    /// `ALPHA_RESUME_INTERVAL`, us.
    pub alpha_interval_us: f64,
    /// `RATE_DECREASE_INTERVAL`, us.
    pub decrease_interval_us: f64,
    /// `CLAMP_TARGET_RATE`.
    pub clamp_target_rate: bool,
    /// `RP_TIMER`, us.
    pub increase_timer_us: f64,
    /// `EWMA_GAIN`.
    pub gain: f64,
    /// `FAST_RECOVERY_TIMES`.
    pub fast_recovery_times: u32,
    /// `RATE_AI`, bits per second.
    pub rate_ai: u64,
    /// `RATE_HAI`, bits per second.
    pub rate_hai: u64,
    /// `MIN_RATE`, bits per second.
    pub min_rate: u64,
    /// `DCTCP_RATE_AI`, bits per second.
    pub dctcp_rate_ai: u64,
    /// `ERROR_RATE_PER_LINK`, for links whose own rate is 0.
    pub error_rate: f64,
    /// `HAS_WIN`.
    pub has_win: bool,
    /// `GLOBAL_T`.
    pub global_t: bool,
    /// `VAR_WIN`.
    pub var_win: bool,
    /// `FAST_REACT`.
    pub fast_react: bool,
    /// `U_TARGET`.
    pub u_target: f64,
    /// `MI_THRESH`.
    pub mi_thresh: u32,
    /// `INT_MULTI`.
    pub int_multi: u32,
    /// `MULTI_RATE`: HPCC keeps a rate for each hop.
    pub multi_rate: bool,
    /// `RATE_BOUND`.
    pub rate_bound: bool,
    /// `ACK_HIGH_PRIO`: of a paused host; switches ignore it.
    pub ack_high_prio: bool,
    /// `LINK_DOWN`.
    pub link_down: LinkDown,
    /// `KMIN_MAP`, `KMAX_MAP`, `PMAX_MAP` by speed.
    pub ecn: BTreeMap<u64, EcnRule>,
    /// `BUFFER_SIZE`, bytes.
    pub buffer_bytes: u64,
    /// `QLEN_MON_START`, ps.
    pub monitor_start_ps: u64,
    /// `QLEN_MON_END`, ps.
    pub monitor_end_ps: u64,
    /// Unknown keys, once each.
    pub warnings: Vec<String>,
    /// Keys of the file, in its order.
    pub given: Vec<String>,
}

/// Keys whose value is accepted and has no effect here: files, tracing, and what that simulator itself ignores or what only its
/// PINT mode reads. `ENABLE_TRACE` and `PAUSE_TIME` change no packet.
const WITHOUT_EFFECT: [&str; 16] = [
    "TOPOLOGY_FILE",
    "FLOW_FILE",
    "TRACE_FILE",
    "TRACE_OUTPUT_FILE",
    "FCT_OUTPUT_FILE",
    "PFC_OUTPUT_FILE",
    "QLEN_MON_FILE",
    "USE_DYNAMIC_PFC_THRESHOLD",
    "PAUSE_TIME",
    "DATA_RATE",
    "LINK_DELAY",
    "L2_CHUNK_SIZE",
    "L2_ACK_INTERVAL",
    "ENABLE_TRACE",
    "PINT_LOG_BASE",
    "PINT_PROB",
];

impl Default for Ns3Config {
    fn default() -> Self {
        Self {
            cc_mode: CcMode::Dcqcn,
            mark: true,
            payload: 1000,
            stop_ps: 3_010_000_000_000,
            alpha_interval_us: 55.0,
            decrease_interval_us: 4.0,
            clamp_target_rate: false,
            increase_timer_us: 1500.0,
            gain: 1.0 / 16.0,
            fast_recovery_times: 5,
            rate_ai: 5_000_000,
            rate_hai: 50_000_000,
            min_rate: 100_000_000,
            dctcp_rate_ai: 1_000_000_000,
            error_rate: 0.0,
            has_win: true,
            global_t: true,
            var_win: false,
            fast_react: true,
            u_target: 0.95,
            mi_thresh: 5,
            int_multi: 1,
            multi_rate: true,
            rate_bound: true,
            ack_high_prio: false,
            link_down: LinkDown::default(),
            ecn: BTreeMap::new(),
            buffer_bytes: 16 * 1024 * 1024,
            monitor_start_ps: 2_000_000_000_000,
            monitor_end_ps: 2_100_000_000_000,
            warnings: Vec::new(),
            given: Vec::new(),
        }
    }
}

/// One `KEY value` line being read.
struct Line<'a> {
    file: &'a str,
    number: usize,
    key: &'a str,
    values: Vec<&'a str>,
}

impl Line<'_> {
    fn error(&self, expected: &str) -> FormatError {
        let got = self.values.join(" ");
        FormatError {
            file: self.file.into(),
            line: self.number,
            field: self.key.into(),
            expected: format!("{expected}, got `{got}`"),
        }
    }

    fn one<T>(&self, expected: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, FormatError> {
        match self.values.as_slice() {
            [word] => parse(word).ok_or_else(|| self.error(expected)),
            _ => Err(self.error(expected)),
        }
    }

    fn flag(&self) -> Result<bool, FormatError> {
        self.one("0 or 1", |w| match w {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        })
    }

    fn number<T: std::str::FromStr + PartialOrd>(&self, low: T, high: T, expected: &str) -> Result<T, FormatError> {
        self.one(expected, |w| w.parse().ok().filter(|v| *v >= low && *v <= high))
    }

    fn rate(&self) -> Result<u64, FormatError> {
        self.one("a rate such as 100Mb/s", data_rate)
    }

    /// `n speed value speed value …`; `expected` says what a value is and `value` reads it.
    fn map<T>(&self, expected: &str, value: impl Fn(&str) -> Option<T>) -> Result<BTreeMap<u64, T>, FormatError> {
        let error = || {
            self.error(&format!(
                "a count, then that many pairs of speed in bits per second and {expected}"
            ))
        };
        let (count, rest) = self.values.split_first().ok_or_else(error)?;
        let pairs = count.parse().ok().filter(|n: &usize| rest.len() == 2 * n);
        pairs.ok_or_else(error)?;
        let pair = |pair: &[&str]| Some((pair[0].parse::<u64>().ok()?, value(pair[1])?));
        rest.chunks_exact(2).map(|p| pair(p).ok_or_else(error)).collect()
    }

    /// `KMIN_MAP`, `KMAX_MAP`: KB, 32 bits in that simulator.
    fn kilobytes(&self) -> Result<BTreeMap<u64, u32>, FormatError> {
        self.map("KB", |w| w.parse().ok())
    }

    /// A feature that is not modelled must be off.
    fn must_be_off(&self) -> Result<(), FormatError> {
        if self.flag()? {
            return Err(self.error("0 (not modelled)"));
        }
        Ok(())
    }
}

fn starts_comment(word: &str) -> bool {
    ["{", "#", "//"].iter().any(|mark| word.starts_with(mark))
}

impl Ns3Config {
    /// Reads a configuration. `file` is used in errors.
    pub fn read(file: &str, text: &str) -> Result<Self, FormatError> {
        let mut c = Self::default();
        let (mut k_min, mut k_max, mut p_max) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut maps_at = 1;
        for (index, raw) in text.lines().enumerate() {
            let mut words = raw.split_whitespace().take_while(|w| !starts_comment(w));
            let Some(key) = words.next() else { continue };
            let line = Line {
                file,
                number: index + 1,
                key,
                values: words.collect(),
            };
            if c.given.iter().any(|given| given == key) {
                return Err(line.error("this key once"));
            }
            c.given.push(key.into());
            let micros = |line: &Line| line.number(0.0, 1e6, "microseconds from 0 to 1000000");
            let nanos = |line: &Line| line.number(0u64, 1 << 40, "nanoseconds").map(|ns| ns * PS_PER_NS);
            match key {
                "CC_MODE" => {
                    c.cc_mode = line.one("1 (DCQCN), 3 (HPCC), 7 (TIMELY) or 8 (DCTCP)", |w| match w {
                        "1" => Some(CcMode::Dcqcn),
                        "3" => Some(CcMode::Hpcc),
                        "7" => Some(CcMode::Timely),
                        "8" => Some(CcMode::Dctcp),
                        _ => None,
                    })?;
                }
                "ENABLE_QCN" => c.mark = line.flag()?,
                "PACKET_PAYLOAD_SIZE" => c.payload = line.number(64, 9000, "64 to 9000 bytes")?,
                "SIMULATOR_STOP_TIME" => {
                    c.stop_ps = ns3_seconds_to_ns(line.number(0.0, 1000.0, "seconds from 0 to 1000")?) * PS_PER_NS;
                }
                "ALPHA_RESUME_INTERVAL" => c.alpha_interval_us = micros(&line)?,
                "RATE_DECREASE_INTERVAL" => c.decrease_interval_us = micros(&line)?,
                "RP_TIMER" => c.increase_timer_us = micros(&line)?,
                "CLAMP_TARGET_RATE" => c.clamp_target_rate = line.flag()?,
                "EWMA_GAIN" => c.gain = line.number(0.0, 1.0, "0 to 1")?,
                "FAST_RECOVERY_TIMES" => c.fast_recovery_times = line.number(0, 1000, "0 to 1000")?,
                "RATE_AI" => c.rate_ai = line.rate()?,
                "RATE_HAI" => c.rate_hai = line.rate()?,
                "MIN_RATE" => c.min_rate = line.rate()?,
                "DCTCP_RATE_AI" => c.dctcp_rate_ai = line.rate()?,
                "ERROR_RATE_PER_LINK" => c.error_rate = line.number(0.0, 1.0, "a probability from 0 to 1")?,
                "HAS_WIN" => c.has_win = line.flag()?,
                "GLOBAL_T" => c.global_t = line.flag()?,
                "VAR_WIN" => c.var_win = line.flag()?,
                "FAST_REACT" => c.fast_react = line.flag()?,
                "U_TARGET" => c.u_target = line.number(0.01, 1.0, "0.01 to 1")?,
                "MI_THRESH" => c.mi_thresh = line.number(0, 255, "0 to 255")?,
                "INT_MULTI" => c.int_multi = line.number(1, 255, "1 to 255")?,
                "RATE_BOUND" => c.rate_bound = line.flag()?,
                "ACK_HIGH_PRIO" => c.ack_high_prio = line.flag()?,
                "MULTI_RATE" => c.multi_rate = line.flag()?,
                "SAMPLE_FEEDBACK" | "L2_BACK_TO_ZERO" => line.must_be_off()?,
                "LINK_DOWN" => {
                    let expected = "microseconds from 0 to 1000000000, node, node";
                    c.link_down = LinkDown::read(&line.values, line.number).ok_or_else(|| line.error(expected))?;
                }
                "KMIN_MAP" => (k_min, maps_at) = (line.kilobytes()?, line.number),
                "KMAX_MAP" => (k_max, maps_at) = (line.kilobytes()?, line.number),
                "PMAX_MAP" => {
                    let probability = |w: &str| w.parse().ok().filter(|p| (0.0..=1.0).contains(p));
                    (p_max, maps_at) = (line.map("probability", probability)?, line.number);
                }
                "BUFFER_SIZE" => c.buffer_bytes = line.number(1u64, 4095, "1 to 4095 MB")? * 1024 * 1024,
                "QLEN_MON_START" => c.monitor_start_ps = nanos(&line)?,
                "QLEN_MON_END" => c.monitor_end_ps = nanos(&line)?,
                key if WITHOUT_EFFECT.contains(&key) => {}
                key => {
                    let warning = format!("{file}:{}: {key}: unknown key, ignored", index + 1);
                    if !c.warnings.iter().any(|w| w.contains(&format!(" {key}:"))) {
                        c.warnings.push(warning);
                    }
                }
            }
        }
        if c.cc_mode == CcMode::Hpcc && !c.has_win {
            // There it is a division by zero.
            let text = format!("{file}: HAS_WIN 0: HPCC reckons its queue term with the window of HAS_WIN 1");
            c.warnings.push(text);
        }
        for (&speed, &kb) in &k_min {
            let (Some(&max), Some(&p)) = (k_max.get(&speed), p_max.get(&speed)) else {
                return Err(FormatError {
                    file: file.into(),
                    line: maps_at,
                    field: "KMAX_MAP, PMAX_MAP".into(),
                    expected: format!("an entry for {speed}, which KMIN_MAP has"),
                });
            };
            c.ecn.insert(
                speed,
                EcnRule {
                    k_min: u64::from(kb) * 1000,
                    k_max: u64::from(max) * 1000,
                    p_max: p,
                },
            );
        }
        Ok(c)
    }

    /// The network's rules under this configuration: the ns-3 profile.
    pub fn network(&self) -> Config {
        let int_bytes = match self.cc_mode {
            CcMode::Hpcc => 42,
            CcMode::Timely => 8,
            CcMode::Dcqcn | CcMode::Dctcp => 0,
        };
        const GBPS: u64 = 1_000_000_000;
        Config {
            clock: Clock::Ns3,
            framing: Framing::ns3(int_bytes),
            mtu: self.payload,
            int: self.cc_mode == CcMode::Hpcc,
            int_multi: self.int_multi,
            int_arrivals: false,
            // Codes of our own table; that simulator knows these five speeds and takes every other for 25G.
            speed_codes: [(25, 2), (50, 4), (100, 5), (200, 6), (400, 7)]
                .map(|(g, code)| (g * GBPS, code))
                .into(),
            unknown_speed: 2,
            buffer_bytes: self.buffer_bytes,
            port_reserve: 4 * 1024,
            resume_offset: 3 * 1024,
            flow_control: FlowControl::Pfc {
                shift: 3,
                faster_ports_get_more: true,
            },
            recovery: Recovery::GoBackN,
            ecn: if self.mark { self.ecn.clone() } else { BTreeMap::new() },
            mark_packets: None,
            sampling: None,
            probes: None,
            feedback: Default::default(),
            second_fraction: false,
            stamps: StampRules::default(),
            classes: None,
            tcp: None,
            homa: None,
            circuits: None,
            host_acks_ignore_pause: self.ack_high_prio,
            switch_ack_priority: false,
            rate_moves_next_send: self.cc_mode == CcMode::Hpcc,
            acknowledge_duplicates: false,
            nak_repeat_ps: Some(500_000_000),
            retry_timeout_ps: None,
            cc_latency_ps: 0,
            window: if self.global_t {
                WindowRule::LargestPair
            } else {
                WindowRule::OwnPair
            },
            window_use: match (self.has_win, self.var_win) {
                (false, _) => WindowUse::None,
                (true, false) => WindowUse::Initial,
                (true, true) => WindowUse::Law,
            },
            pace: self.rate_bound,
            ideal: IdealRule::Ns3,
            seed: 1,
            ecmp_seed: 0,
            link_losses: Vec::new(),
            paths: crate::net::PathRule::Ecmp,
        }
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
