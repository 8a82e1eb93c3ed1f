//! Traces of PowerTCP and theta-PowerTCP: their header, their columns, and the row as the slot sees it.

use super::columns::{hop_columns, open, read, Columns, Row};
use super::header::{number, rate, Fault, Keys};
use super::{packet_number, TraceError, TraceHop};
use crate::cc::powertcp::{Beta, FirstAck, PowerParams, Reaction, Signal};
use crate::cc::{CcEvent, EventKind, HopRecord, MAX_HOPS};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// Parameters of the sender that a trace was recorded from.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerHeader {
    /// Parameters of the law.
    pub params: PowerParams,
    /// Payload bytes of a full packet.
    pub mtu_payload: u32,
    /// Keys that the law does not use (`source` and the like).
    pub notes: BTreeMap<String, String>,
}

/// One ACK or NAK and the sender's state after it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PowerRow {
    /// Line in the file, from 1.
    pub line: u64,
    /// Time, ns.
    pub t_ns: u64,
    /// Flow number.
    pub flow: u32,
    /// A negative acknowledgement.
    pub nack: bool,
    /// Next byte the receiver expects.
    pub ack_seq: u64,
    /// Next byte the sender will send.
    pub snd_nxt: u64,
    /// Round-trip time, ns, where the sender had a record of the packet.
    pub rtt_ns: Option<u64>,
    /// Hops, 0 to 5.
    pub n_hop: u8,
    /// Hop records (theta: none were written); the byte counter is that of bytes which entered the queue.
    pub hops: [TraceHop; MAX_HOPS],
    /// Recorded base round-trip time, ns.
    pub base_rtt_ns: u64,
    /// The acknowledgement ended a round trip.
    pub full: bool,
    /// Recorded power before smoothing, where one was computed.
    pub norm_power: Option<f64>,
    /// Recorded smoothed power.
    pub power: f64,
    /// Recorded reference before the acknowledgement, as a window in bytes.
    pub cwnd_old: f64,
    /// Recorded window, bytes.
    pub cwnd: f64,
    /// Recorded rate, bits per second.
    pub rate_bps: u64,
    /// Recorded reference rate, bits per second.
    pub ref_bps: u64,
}

/// A trace in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerTrace {
    /// Parameters of the sender.
    pub header: PowerHeader,
    /// Rows in the order of the file.
    pub rows: Vec<PowerRow>,
}

/// Keys that must be there.
const REQUIRED: [&str; 15] = [
    "law",
    "line_rate_gbps",
    "base_rtt_ns",
    "eta",
    "gamma",
    "one_minus_gamma",
    "beta_mbps",
    "theta_tau_factor",
    "current_floor",
    "first_ack",
    "min_rate_mbps",
    "mtu_payload",
    "int_multi",
    "per_ack_fast_react",
    "init_power",
];

impl PowerHeader {
    /// Builds the header from its keys; `line` is that of the column names, where a missing key is reported.
    fn from_keys(keys: &Keys, line: u64) -> Result<Self, Fault> {
        if let Some(missing) = REQUIRED.iter().find(|key| !keys.contains_key(**key)) {
            return Err((
                line,
                (*missing).into(),
                format!("a line '# {missing}=value' above the column names"),
            ));
        }
        let one_of = |key: &str, words: [&str; 2]| {
            let (value, line) = &keys[key];
            let found = words.iter().position(|word| word == value);
            found.ok_or_else(|| {
                let expected = format!("{} or {}, got '{value}'", words[0], words[1]);
                (*line, key.to_string(), expected)
            })
        };
        let signal = [Signal::Int, Signal::Delay][one_of("law", ["powertcp", "theta"])?];
        let line_rate = rate(keys, "line_rate_gbps", 1e9)?;
        let base_rtt_ns = number(keys, "base_rtt_ns", "whole nanoseconds")?;
        let real = |key| number::<f64>(keys, key, "a number");
        let params = PowerParams {
            eta: real("eta")?,
            gamma: real("gamma")?,
            one_minus_gamma: real("one_minus_gamma")?,
            beta: Beta::Rate(rate(keys, "beta_mbps", 1e6)?),
            tau_factor: real("theta_tau_factor")?,
            current_floor: real("current_floor")?,
            first_ack: [FirstAck::Store, FirstAck::Update][one_of("first_ack", ["store", "update"])?],
            min_rate: rate(keys, "min_rate_mbps", 1e6)?,
            int_multi: number(keys, "int_multi", "1 to 255")?,
            reaction: [Reaction::PerRoundTrip, Reaction::PerAck][one_of("per_ack_fast_react", ["0", "1"])?],
            init_power: real("init_power")?,
            ..PowerParams::authors(signal, line_rate, base_rtt_ns)
        };
        params.validate_law().map_err(|error| {
            let key = match error.field {
                "line_rate" => "line_rate_gbps",
                "min_rate" => "min_rate_mbps",
                "beta" => "beta_mbps",
                same => same,
            };
            let line = keys.get(key).map_or(line, |(_, line)| *line);
            (line, key.into(), format!("{}, got {}", error.expected, error.got))
        })?;
        let mtu_payload: u32 = number(keys, "mtu_payload", "1 to 65535 bytes")?;
        if !(1..=65535).contains(&mtu_payload) {
            let expected = format!("1 to 65535 bytes, got '{mtu_payload}'");
            return Err((keys["mtu_payload"].1, "mtu_payload".into(), expected));
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
}

const INPUTS: [&str; 7] = ["t_ns", "flow", "nack", "ack_seq", "snd_nxt", "rtt_ns", "nhop"];
const RESULTS: [&str; 8] = [
    "base_rtt_ns",
    "full",
    "norm_power",
    "power",
    "cwnd_old",
    "cwnd",
    "rate_bps",
    "ref_bps",
];

/// The header and where each column is.
struct Table {
    header: PowerHeader,
    columns: Columns,
    /// First column after the hops.
    results: usize,
}

impl Table {
    fn new(text: &str, keys: &Keys, line: u64) -> Result<Self, Fault> {
        let header = PowerHeader::from_keys(keys, line)?;
        let mut names: Vec<String> = INPUTS.map(String::from).to_vec();
        // Files of theta have no hop columns: it reads none.
        if header.params.signal == Signal::Int {
            names.extend(hop_columns("rx"));
        }
        let results = names.len();
        names.extend(RESULTS.map(String::from));
        let columns = Columns::new(names, text, line)?;
        Ok(Self {
            header,
            columns,
            results,
        })
    }

    fn row(&self, text: &str, line: u64) -> Result<PowerRow, Fault> {
        let row = self.columns.row(text, line)?;
        let flag = |column| row.below(column, 1, "0 or 1").map(|value| value == 1);
        let first = self.results;
        let mut parsed = PowerRow {
            line,
            t_ns: row.below(0, u64::MAX, "whole nanoseconds")?,
            flow: row.below(1, u64::from(u32::MAX), "a flow number, 0 to 4294967295")? as u32,
            nack: flag(2)?,
            ack_seq: row.below(3, u64::MAX, "a byte count")?,
            snd_nxt: row.below(4, u64::MAX, "a byte count")?,
            rtt_ns: optional(&row, 5, |column| {
                row.below(column, u64::MAX, "whole nanoseconds or nothing")
            })?,
            n_hop: row.below(6, MAX_HOPS as u64, "0 to 5 hops")? as u8,
            hops: [TraceHop::default(); MAX_HOPS],
            base_rtt_ns: row.below(first, u64::MAX, "whole nanoseconds")?,
            full: flag(first + 1)?,
            norm_power: optional(&row, first + 2, |column| row.real(column))?,
            power: row.real(first + 3)?,
            cwnd_old: row.real(first + 4)?,
            cwnd: row.real(first + 5)?,
            rate_bps: row.below(first + 6, u64::MAX, "whole bits per second")?,
            ref_bps: row.below(first + 7, u64::MAX, "whole bits per second")?,
        };
        if self.header.params.signal == Signal::Int {
            for (i, hop) in parsed.hops.iter_mut().enumerate().take(usize::from(parsed.n_hop)) {
                *hop = row.hop(INPUTS.len() + 4 * i, &self.header.params.port_speeds)?;
            }
        }
        Ok(parsed)
    }
}

/// A cell that may be empty.
fn optional<T>(row: &Row, column: usize, parse: impl Fn(usize) -> Result<T, Fault>) -> Result<Option<T>, Fault> {
    if row.cell(column).is_empty() {
        Ok(None)
    } else {
        parse(column).map(Some)
    }
}

impl PowerTrace {
    /// Reads a file.
    pub fn read(file: &Path) -> Result<Self, TraceError> {
        Self::parse(open(file)?, file)
    }

    /// Reads text; `file` is what error messages call it.
    pub fn parse(text: impl Read, file: &Path) -> Result<Self, TraceError> {
        let (table, rows) = read(text, file, Table::new, Table::row)?;
        Ok(Self {
            header: table.header,
            rows,
        })
    }

    /// The row as the slot sees it. Queues saturate at the 16 bits of the wire; [`PowerTrace::queues`] has all 17.
    pub fn event(&self, row: &PowerRow) -> CcEvent {
        CcEvent {
            kind: if row.nack { EventKind::Nak } else { EventKind::Ack },
            flow: row.flow,
            psn_next: packet_number(row.ack_seq, self.header.mtu_payload),
            snd_nxt: packet_number(row.snd_nxt, self.header.mtu_payload),
            int_valid: self.header.params.signal == Signal::Int,
            n_hop: row.n_hop,
            hops: row.hops.map(HopRecord::from),
            sent_at: row.t_ns - row.rtt_ns.unwrap_or(0).min(row.t_ns),
            sent_valid: row.rtt_ns.is_some(),
            now: row.t_ns,
            ..CcEvent::default()
        }
    }

    /// Queue fields of the row at their recorded width.
    pub fn queues(&self, row: &PowerRow) -> [u32; MAX_HOPS] {
        row.hops.map(|hop| hop.q)
    }

    /// Flow numbers in order of first appearance.
    pub fn flows(&self) -> Vec<u32> {
        let mut seen = std::collections::BTreeSet::new();
        self.rows
            .iter()
            .map(|row| row.flow)
            .filter(|&flow| seen.insert(flow))
            .collect()
    }
}
