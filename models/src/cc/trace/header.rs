//! The `# key=value` lines of an ACK trace.

use crate::cc::hpcc::{HpccParams, Reaction};
use std::collections::BTreeMap;
use std::str::FromStr;

/// Parameters of the sender that a trace was recorded from.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceHeader {
    /// Parameters of the law.
    pub params: HpccParams,
    /// Payload bytes of a full packet.
    pub mtu_payload: u32,
    /// Keys that the law does not use (`source` and the like), kept for writing.
    pub notes: BTreeMap<String, String>,
}

/// Keys collected so far: value and line.
pub(super) type Keys = BTreeMap<String, (String, u64)>;

/// Field at fault and what was expected of it, to be joined with the line.
pub(super) type Fault = (u64, String, String);

/// Keys that must be there.
const REQUIRED: [&str; 10] = [
    "line_rate_gbps",
    "base_rtt_ns",
    "w_max_bytes",
    "eta",
    "max_stage",
    "w_ai_bytes",
    "mtu_payload",
    "int_multi",
    "min_rate_mbps",
    "per_ack_fast_react",
];

pub(super) fn number<T: FromStr>(keys: &Keys, key: &str, expected: &str) -> Result<T, Fault> {
    let (value, line) = &keys[key];
    value
        .parse()
        .map_err(|_| (*line, key.into(), format!("{expected}, got '{value}'")))
}

/// A rate given in units of `scale` bits per second.
pub(super) fn rate(keys: &Keys, key: &str, scale: f64) -> Result<u64, Fault> {
    let value: f64 = number(keys, key, "a number")?;
    let bits = (value * scale).round();
    if (0.0..=1e15).contains(&bits) {
        Ok(bits as u64)
    } else {
        let (text, line) = &keys[key];
        Err((*line, key.into(), format!("a rate, got '{text}'")))
    }
}

impl TraceHeader {
    /// Builds the header from its keys; `line` is that of the column names, where a missing key is reported.
    pub(super) fn from_keys(keys: &Keys, line: u64) -> Result<Self, Fault> {
        if let Some(missing) = REQUIRED.iter().find(|key| !keys.contains_key(**key)) {
            return Err((
                line,
                (*missing).into(),
                format!("a line '# {missing}=value' above the column names"),
            ));
        }
        let fast_react: u8 = number(keys, "per_ack_fast_react", "0 or 1")?;
        if fast_react > 1 {
            let line = keys["per_ack_fast_react"].1;
            return Err((line, "per_ack_fast_react".into(), format!("0 or 1, got '{fast_react}'")));
        }
        let line_rate = rate(keys, "line_rate_gbps", 1e9)?;
        let base_rtt_ns = number(keys, "base_rtt_ns", "whole nanoseconds")?;
        let params = HpccParams {
            w_init: number(keys, "w_max_bytes", "a number of bytes")?,
            eta: number(keys, "eta", "a number")?,
            max_stage: number(keys, "max_stage", "0 to 255")?,
            w_ai: number(keys, "w_ai_bytes", "a number of bytes")?,
            min_rate: rate(keys, "min_rate_mbps", 1e6)?,
            int_multi: number(keys, "int_multi", "1 to 255")?,
            reaction: if fast_react == 1 {
                Reaction::Hpcc
            } else {
                Reaction::PerRtt
            },
            ..HpccParams::new(line_rate, base_rtt_ns)
        };
        params.validate().map_err(|error| {
            let key = key_of(error.field);
            let line = keys.get(key).map_or(line, |(_, line)| *line);
            (line, key.into(), format!("{}, got {}", error.expected, error.got))
        })?;
        let mtu_payload: u32 = number(keys, "mtu_payload", "1 to 65535 bytes")?;
        if !(1..=65535).contains(&mtu_payload) {
            let line = keys["mtu_payload"].1;
            return Err((
                line,
                "mtu_payload".into(),
                format!("1 to 65535 bytes, got '{mtu_payload}'"),
            ));
        }
        let notes = keys
            .iter()
            .filter(|(key, _)| !REQUIRED.contains(&key.as_str()))
            .map(|(key, (value, _))| (key.clone(), value.clone()))
            .collect();
        Ok(Self {
            params,
            mtu_payload,
            notes,
        })
    }

    /// The header's lines without `# `, in the order of the format.
    pub(super) fn lines(&self) -> Vec<String> {
        let p = &self.params;
        let mut lines = vec![
            format!("line_rate_gbps={}", p.line_rate as f64 / 1e9),
            format!("base_rtt_ns={}", p.base_rtt_ns),
            format!("w_max_bytes={}", p.w_init),
            format!("eta={}", p.eta),
            format!("max_stage={}", p.max_stage),
            format!("w_ai_bytes={}", p.w_ai),
            format!("mtu_payload={}", self.mtu_payload),
            format!("int_multi={}", p.int_multi),
            format!("min_rate_mbps={}", p.min_rate as f64 / 1e6),
            format!("per_ack_fast_react={}", u8::from(p.reaction != Reaction::PerRtt)),
        ];
        lines.extend(self.notes.iter().map(|(key, value)| format!("{key}={value}")));
        lines
    }
}

/// Key of a trace header that sets a parameter.
fn key_of(field: &str) -> &str {
    match field {
        "line_rate" => "line_rate_gbps",
        "w_init" => "w_max_bytes",
        "w_ai" => "w_ai_bytes",
        "min_rate" => "min_rate_mbps",
        same => same,
    }
}
