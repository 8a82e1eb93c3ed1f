//! What is replayed: an ACK trace of one of the laws, as rows with what its sender recorded, and as the slot's events.

use super::Seen;
use hpcc_models::cc::trace::{self, PowerRow, PowerTrace, Trace, TraceError, TraceRow};
use hpcc_models::cc::CcEvent;
use std::collections::BTreeMap;
use std::path::Path;

/// A trace of HPCC, or of PowerTCP or theta-PowerTCP.
#[derive(Clone, Debug)]
pub enum Source {
    /// HPCC.
    Hpcc(Trace),
    /// PowerTCP or theta-PowerTCP.
    Power(PowerTrace),
}

/// One row: where it stands, and the sender's state after it as recorded.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Line in the file.
    pub line: u64,
    /// Time, ns.
    pub t_ns: u64,
    /// Flow, as the trace numbers it.
    pub flow: u32,
    /// Recorded state.
    pub recorded: Seen,
    /// A queue does not fit the 16 bits of the wire.
    pub wide: bool,
}

impl From<Trace> for Source {
    fn from(trace: Trace) -> Self {
        Self::Hpcc(trace)
    }
}

impl From<PowerTrace> for Source {
    fn from(trace: PowerTrace) -> Self {
        Self::Power(trace)
    }
}

impl Source {
    /// Reads a file; its header says which law.
    pub fn read(file: &Path) -> Result<Self, TraceError> {
        match trace::law(file)?.as_str() {
            "hpcc" => Trace::read(file).map(Self::Hpcc),
            _ => PowerTrace::read(file).map(Self::Power),
        }
    }

    /// Name of the law.
    pub fn law(&self) -> &'static str {
        match self {
            Self::Hpcc(_) => "hpcc",
            Self::Power(trace) => trace.header.params.name(),
        }
    }

    /// What the law's first column of errors is about.
    pub fn signal(&self) -> &'static str {
        match self {
            Self::Hpcc(_) => "U",
            Self::Power(_) => "power",
        }
    }

    /// Line rate in bits per second, base round-trip time in ns, first window in bytes.
    pub fn port(&self) -> (u64, u32, f64) {
        match self {
            Self::Hpcc(trace) => {
                let p = &trace.header.params;
                (p.line_rate, p.base_rtt_ns, p.w_init)
            }
            Self::Power(trace) => {
                let p = &trace.header.params;
                (p.line_rate, p.base_rtt_ns, p.w_init)
            }
        }
    }

    /// The rows.
    pub fn rows(&self) -> Vec<Row> {
        match self {
            Self::Hpcc(trace) => trace.rows.iter().map(hpcc_row).collect(),
            Self::Power(trace) => trace.rows.iter().map(power_row).collect(),
        }
    }

    /// Number of flows, and the events with flows renumbered from 0 in order of appearance, as they index the hardware's tables.
    pub fn events(&self) -> (u32, Vec<CcEvent>) {
        let events: Vec<CcEvent> = match self {
            Self::Hpcc(trace) => trace.rows.iter().map(|row| trace.event(row)).collect(),
            Self::Power(trace) => trace.rows.iter().map(|row| trace.event(row)).collect(),
        };
        let mut numbers = BTreeMap::new();
        let dense = events.into_iter().map(|event| {
            let next = numbers.len() as u32;
            let flow = *numbers.entry(event.flow).or_insert(next);
            CcEvent { flow, ..event }
        });
        let dense = dense.collect();
        (numbers.len() as u32, dense)
    }
}

fn hpcc_row(row: &TraceRow) -> Row {
    Row {
        line: row.line,
        t_ns: row.t_ns,
        flow: row.flow,
        recorded: Seen {
            u: row.u,
            w: row.w_bytes,
            wc: Some(row.wc_bytes),
            inc_stage: Some(row.inc_stage),
            branch: None,
            rates: None,
        },
        wide: row.hops.iter().any(|hop| hop.q > u32::from(u16::MAX)),
    }
}

fn power_row(row: &PowerRow) -> Row {
    Row {
        line: row.line,
        t_ns: row.t_ns,
        flow: row.flow,
        recorded: Seen {
            u: row.power,
            w: row.cwnd,
            wc: Some(row.ref_bps as f64 * (row.base_rtt_ns as f64 * 1e-9) / 8.0),
            inc_stage: None,
            branch: None,
            rates: Some((row.rate_bps as f64, row.ref_bps as f64)),
        },
        wide: row.hops.iter().any(|hop| hop.q > u32::from(u16::MAX)),
    }
}
