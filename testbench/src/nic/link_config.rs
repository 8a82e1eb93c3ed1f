//! `run link`: its keys.

use super::device::Wave;
pub use super::link_kinds::{CapBy, FloodKind, LinkOperation};
use super::queue_pairs::{FIRST_FLOOD_QPN, FIRST_QPN, MAX_QPS};
use crate::config::{law_code, needs_int};
use hpcc_models::nic::{LinkConfig, Operation, MAX_MESSAGE};

/// Keys that a table over MTUs does not have: each of its rows has its own MTU on an ideal wire, and leaves no capture.
const OF_ONE_RUN: [&str; 9] = [
    "flood",
    "cap_gbps",
    "mtu",
    "loss",
    "duplicate",
    "reorder",
    "bit_error",
    "mark",
    "pcap",
];
/// Retries of a queue pair with queues at most.
const MAX_RETRIES: u32 = 7;
/// Queue pairs that may flood, beside those with work.
const MAX_FLOOD_QPS: u32 = 16;
/// Memory of one direction at most.
const MAX_TOTAL: u64 = 1 << 31;

/// All keys of `run link --set`.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// The wire.
    pub link: LinkConfig,
    /// Bytes of a message.
    pub bytes: u64,
    /// Path MTU, bytes of payload.
    pub mtu: u32,
    /// Messages of each NIC that has work.
    pub messages: u64,
    /// Queue pairs that share the messages.
    pub qps: u32,
    /// What the NICs do.
    pub op: LinkOperation,
    /// Packets collect INT and a law decides.
    pub int: bool,
    /// Codes of the laws, one queue pair after the other in turn; without INT those count that need none.
    pub laws: Vec<u8>,
    /// INT stampers on the way, each a port of the wire's rate.
    pub hops: u32,
    /// Retransmission timeout, us.
    pub retry_timeout_us: f64,
    /// Timeouts without progress that end a flow.
    pub retry_limit: u32,
    /// Seed of faults and contents.
    pub seed: u64,
    /// Simulated time at most, ms.
    pub limit_ms: f64,
    /// Write `packets.pcap`.
    pub pcap: bool,
    /// A waveform of each NIC: `_a` and `_b` stand behind the file's name. No key: an option of the command.
    pub vcd: Option<Wave>,
    /// Measure every MTU one way and both ways on the ideal wire instead.
    pub table: bool,
    /// No flow of either NIC sends faster from [`Self::cap_at_us`] on, Gb/s of wire bytes.
    pub cap_gbps: Option<f64>,
    /// When that is written, us.
    pub cap_at_us: f64,
    /// What is written.
    pub cap_by: CapBy,
    /// The limit bounds the window too: to its rate times this, ns; 0 for no window (`CAP_CONTROL.window`, `time`).
    pub cap_window_ns: u16,
    /// Flows that get work start after a random part of a packet time (`CAP_CONTROL.dither`).
    pub cap_dither: bool,
    /// The ICRC of what echoes INT covers the INT, in both NICs.
    pub echo_icrc_full: bool,
    /// Probes collect the INT of requests, at most one a base round trip; in both NICs.
    pub probes: bool,
    /// A third host fills what the first NIC leaves of the wire to the second one.
    pub flood: Option<FloodKind>,
    /// Queue pairs of that host.
    pub flood_qps: u32,
}

impl Default for LinkSpec {
    fn default() -> Self {
        Self {
            link: LinkConfig::default(),
            bytes: 65_536,
            mtu: 1024,
            messages: 16,
            qps: 1,
            op: LinkOperation::Write,
            int: false,
            laws: vec![1],
            hops: 1,
            retry_timeout_us: 100.0,
            retry_limit: 7,
            seed: 1,
            limit_ms: 1000.0,
            pcap: true,
            vcd: None,
            table: false,
            cap_gbps: None,
            cap_at_us: 50.0,
            cap_by: CapBy::Flow,
            cap_window_ns: 0,
            cap_dither: false,
            echo_icrc_full: false,
            probes: false,
            flood: None,
            flood_qps: 1,
        }
    }
}

/// `text` as a number within the range, or what was expected.
fn number<T>(key: &str, text: &str, low: T, high: T) -> Result<T, String>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    match text.replace('_', "").parse::<T>() {
        Ok(value) if value >= low && value <= high => Ok(value),
        _ => Err(format!("{key}: expected {low} to {high}, got `{text}`")),
    }
}

fn switch(key: &str, text: &str) -> Result<bool, String> {
    match text {
        "on" | "true" | "yes" | "1" => Ok(true),
        "off" | "false" | "no" | "0" => Ok(false),
        _ => Err(format!("{key}: expected on or off, got `{text}`")),
    }
}

impl LinkSpec {
    /// Names of the keys.
    pub const KEYS: &'static str =
        "loss, duplicate, reorder, bit_error, mark, delay_ns, rate_gbps, bytes, mtu, messages, qps, op, \
         int, cc, hops, retry_timeout_us, retry_limit, seed, limit_ms, pcap, table, \
         cap_gbps, cap_at_us, cap_by, cap_window_ns, cap_dither, echo_icrc_full, probes, flood, flood_qps";

    /// The spec that `key=value` texts describe; in an error stands the key and what was expected.
    pub fn parse(set: &[String]) -> Result<Self, String> {
        let mut spec = Self::default();
        let mut seen = Vec::new();
        for text in set {
            let (key, value) = text
                .split_once('=')
                .ok_or_else(|| format!("expected key=value, got `{text}`"))?;
            if seen.contains(&key.trim()) {
                return Err(format!("{}: expected once", key.trim()));
            }
            seen.push(key.trim());
            spec.set(key.trim(), value.trim().trim_matches('"'))?;
        }
        let alone = seen.iter().find(|key| key.starts_with("cap_") && **key != "cap_gbps");
        if let Some(key) = alone.filter(|_| spec.cap_gbps.is_none()) {
            return Err(format!("{key}: expected cap_gbps beside it"));
        }
        if seen.contains(&"cc") && !spec.int && spec.laws.iter().any(|code| needs_int(*code)) {
            return Err("cc: expected int=on beside it".into());
        }
        if spec.echo_icrc_full && !spec.int {
            return Err("echo_icrc_full: expected int=on beside it".into());
        }
        if spec.probes && !(0..spec.qps).any(|index| spec.int_of(index)) {
            return Err("probes: expected int=on and a law that reads INT beside it".into());
        }
        if spec.probes && spec.op.operation() == Operation::Read {
            return Err(
                "probes: expected op=write or op=bidirectional beside it: READ responses collect INT themselves".into(),
            );
        }
        if spec.probes && spec.op.has_queues() {
            return Err("probes: expected op=write or op=bidirectional beside it".into());
        }
        if spec.op.has_queues() && spec.retry_limit > MAX_RETRIES {
            return Err(format!(
                "retry_limit: expected 0 to {MAX_RETRIES} beside op={}, got {}",
                spec.op.name(),
                spec.retry_limit
            ));
        }
        if let Some(key) = seen.iter().find(|key| spec.table && OF_ONE_RUN.contains(key)) {
            return Err(format!("{key}: expected table=off beside it"));
        }
        if seen.contains(&"flood_qps") && spec.flood.is_none() {
            return Err("flood_qps: expected flood beside it".into());
        }
        if spec.flood.is_some() {
            // the flood's queue pairs have the numbers behind
            let most = FIRST_FLOOD_QPN - FIRST_QPN;
            if spec.qps > most {
                return Err(format!("qps: expected 1 to {most} beside flood, got {}", spec.qps));
            }
            if spec.cap_gbps.is_none() {
                return Err("flood: expected cap_gbps beside it: what each queue pair of the two NICs offers".into());
            }
            if !seen.contains(&"cap_at_us") {
                spec.cap_at_us = 0.0;
            }
        }
        if spec.bytes.saturating_mul(spec.messages) > MAX_TOTAL {
            return Err(format!(
                "messages: expected bytes x messages of at most {MAX_TOTAL}, got {}",
                spec.bytes.saturating_mul(spec.messages)
            ));
        }
        Ok(spec)
    }

    fn set(&mut self, key: &str, text: &str) -> Result<(), String> {
        match key {
            "loss" => self.link.loss = number(key, text, 0.0, 1.0)?,
            "duplicate" => self.link.duplicate = number(key, text, 0.0, 1.0)?,
            "reorder" => self.link.reorder = number(key, text, 0.0, 1.0)?,
            "bit_error" => self.link.bit_error = number(key, text, 0.0, 1.0)?,
            "mark" => self.link.mark = number(key, text, 0.0, 1.0)?,
            "delay_ns" => self.link.delay_ns = number(key, text, 0, 90_000)?,
            "rate_gbps" => self.link.rate_gbps = number(key, text, 0.1, 800.0)?,
            "bytes" => self.bytes = number(key, text, 0, MAX_MESSAGE)?,
            "mtu" => {
                self.mtu = match text {
                    "256" | "512" | "1024" | "2048" | "4096" => text.parse().unwrap_or_default(),
                    _ => return Err(format!("mtu: expected 256, 512, 1024, 2048 or 4096, got `{text}`")),
                }
            }
            "messages" => self.messages = number(key, text, 1, 1_000_000)?,
            "qps" => self.qps = number(key, text, 1, MAX_QPS)?,
            "op" => {
                let found = LinkOperation::NAMES.iter().find(|(name, _)| *name == text);
                self.op = found.map(|(_, op)| *op).ok_or_else(|| {
                    format!(
                        "op: expected one of {}, got `{text}`",
                        LinkOperation::NAMES.map(|(name, _)| name).join(", ")
                    )
                })?;
            }
            "int" => self.int = switch(key, text)?,
            "cc" => {
                let codes = text.split(',').map(|name| law_code(name.trim()));
                self.laws = codes.collect::<Result<_, _>>().map_err(|what| format!("cc: {what}"))?;
            }
            "hops" => self.hops = number(key, text, 0, 5)?,
            "retry_timeout_us" => self.retry_timeout_us = number(key, text, 1.0, 1e6)?,
            "retry_limit" => self.retry_limit = number(key, text, 0, 255)?,
            "seed" => self.seed = number(key, text, 0, u64::MAX)?,
            "limit_ms" => self.limit_ms = number(key, text, 0.001, 1e6)?,
            "pcap" => self.pcap = switch(key, text)?,
            "table" => self.table = switch(key, text)?,
            "cap_gbps" => self.cap_gbps = Some(number(key, text, 0.001, 800.0)?),
            "cap_at_us" => self.cap_at_us = number(key, text, 0.0, 1e6)?,
            "cap_by" => {
                self.cap_by = match text {
                    "flow" => CapBy::Flow,
                    "group" => CapBy::Group,
                    _ => return Err(format!("cap_by: expected flow or group, got `{text}`")),
                }
            }
            "cap_window_ns" => self.cap_window_ns = number(key, text, 0, u16::MAX)?,
            "probes" => self.probes = switch(key, text)?,
            "echo_icrc_full" => self.echo_icrc_full = switch(key, text)?,
            "flood" => {
                let found = FloodKind::NAMES.iter().find(|(name, _)| *name == text);
                let expected = || format!("flood: expected frames, acks, writes or reads, got `{text}`");
                self.flood = Some(found.map(|(_, kind)| *kind).ok_or_else(expected)?);
            }
            "flood_qps" => self.flood_qps = number(key, text, 1, MAX_FLOOD_QPS)?,
            "cap_dither" => self.cap_dither = switch(key, text)?,
            _ => return Err(format!("`{key}`: expected one of {}", Self::KEYS)),
        }
        Ok(())
    }

    /// Nothing is lost, doubled, moved, damaged or marked.
    pub fn ideal(&self) -> bool {
        let link = &self.link;
        [link.loss, link.duplicate, link.reorder, link.bit_error, link.mark] == [0.0; 5]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hpcc_models::nic::ProbeConfig;

    fn parse(set: &[&str]) -> Result<LinkSpec, String> {
        LinkSpec::parse(&set.iter().map(|text| text.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn every_key_is_known_and_every_fault_is_named() {
        for key in LinkSpec::KEYS.split(", ").map(str::trim) {
            let error = parse(&[&format!("{key}=nonsense")]).unwrap_err();
            assert!(error.starts_with(&format!("{key}: expected")), "{error}");
        }
        assert!(parse(&["speed=1"])
            .unwrap_err()
            .starts_with("`speed`: expected one of loss,"));
        for (set, key) in [
            (&["table=on", "loss=0.1"][..], "loss"),
            (&["table=on", "mtu=512"], "mtu"),
        ] {
            assert_eq!(parse(set).unwrap_err(), format!("{key}: expected table=off beside it"));
        }
        assert_eq!(parse(&["loss"]).unwrap_err(), "expected key=value, got `loss`");
        assert_eq!(parse(&["loss=-1"]).unwrap_err(), "loss: expected 0 to 1, got `-1`");
        assert!(parse(&["bytes=2_000_000_000", "messages=2"])
            .unwrap_err()
            .starts_with("messages: expected bytes x messages"));
    }

    #[test]
    fn values_arrive() {
        let spec = parse(&["loss=0.01", "op=bidirectional", "int=off", "mtu=4096", "bytes=10_000"]).unwrap();
        assert_eq!(
            (spec.link.loss, spec.int, spec.mtu, spec.bytes),
            (0.01, false, 4096, 10_000)
        );
        assert!(spec.op.both() && !spec.ideal() && spec.works(1));
        assert_eq!(spec.setup(1).work.len(), 16);
        let capped = parse(&["cap_gbps=10", "cap_by=group"]).unwrap();
        assert_eq!((capped.cap_gbps, capped.cap_by), (Some(10.0), CapBy::Group));
        assert!(parse(&["cap_by=group"]).unwrap_err().contains("expected cap_gbps"));
        assert_eq!(
            parse(&["cap_dither=on"]).unwrap_err(),
            "cap_dither: expected cap_gbps beside it"
        );
        let windowed = parse(&["cap_gbps=10", "cap_window_ns=5000"]).unwrap();
        assert_eq!((windowed.cap_window_ns, windowed.cap_dither), (5000, false));
        assert_eq!(parse(&["qps=148"]).unwrap().qps, 148);
        assert!(parse(&["qps=130", "flood=acks", "cap_gbps=1"]).is_ok());
        assert_eq!(
            parse(&["qps=131", "flood=acks", "cap_gbps=1"]).unwrap_err(),
            "qps: expected 1 to 130 beside flood, got 131"
        );
        assert!(parse(&["cap_gbps=10", "cap_window_ns=70000"])
            .unwrap_err()
            .contains("65535"));
        for set in [&["probes=on"][..], &["probes=on", "int=on", "cc=dcqcn"]] {
            assert!(
                parse(set).unwrap_err().starts_with("probes: expected int=on"),
                "{set:?}"
            );
        }
        assert!(parse(&["probes=on", "int=on", "op=read"])
            .unwrap_err()
            .starts_with("probes: expected op=write"));
        let probing = parse(&["probes=on", "int=on", "cc=dcqcn,powertcp", "qps=2"]).unwrap();
        // two ways of 1 us and 11 us; four of them are less than 100 us
        let expected = ProbeConfig {
            interval_ns: 13_000,
            timeout_ns: 100_000,
            packets: 1,
        };
        assert_eq!(probing.setup(0).nic.probes, Some(expected));
        assert!(parse(&["op=read"]).unwrap().setup(1).work.is_empty());
        assert_eq!(
            parse(&["op=send", "retry_limit=8"]).unwrap_err(),
            "retry_limit: expected 0 to 7 beside op=send, got 8"
        );
        let sending = parse(&["op=send", "qps=3", "messages=7"]).unwrap();
        let queues = [0, 1].map(|side| sending.setup(side).queues);
        let counts = queues
            .each_ref()
            .map(|queues| (queues.work.len(), queues.receives.len()));
        assert_eq!((counts, queues[1].pairs.len()), ([(7, 0), (0, 7)], 3));
        let asks = |int: &str| {
            parse(&[int, "cc=theta-powertcp"])
                .unwrap()
                .setup(0)
                .nic
                .ack_req_interval
        };
        assert_eq!(
            [
                asks("int=off"),
                asks("int=on"),
                LinkSpec::default().setup(0).nic.ack_req_interval
            ],
            [1, 16, 16]
        );
    }
}
