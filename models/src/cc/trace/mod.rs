//! ACK traces: every ACK a sender handled, with the sender's state after it, as text. HPCC's are [`Trace`], those of PowerTCP and
//! theta-PowerTCP [`PowerTrace`]; [`law`] tells which a file holds.
//!
//! Lines `# key=value`, a CSV header, one row per ACK. Sequence numbers are bytes, hop fields are raw wire values. Read by
//! [`Trace::read`], turned into the slot's events by [`Trace::event`], written by [`Trace::write`].

mod columns;
mod error;
mod header;
mod hop;
mod power;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use error::TraceError;
pub use header::TraceHeader;
pub use hop::{TraceHop, MAX_TRACE_QUEUE};
pub use power::{PowerHeader, PowerRow, PowerTrace};

use super::{CcEvent, HopRecord, MAX_HOPS};
use std::io::{BufRead, BufReader};
use std::path::Path;

/// One ACK and the sender's state after it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TraceRow {
    /// Line in the file, from 1; 0 if the row was not read from one.
    pub line: u64,
    /// Time, ns.
    pub t_ns: u64,
    /// Flow number.
    pub flow: u32,
    /// Next byte the receiver expects.
    pub ack_seq: u64,
    /// Next byte the sender will send.
    pub snd_nxt: u64,
    /// Hops, 0 to 5.
    pub n_hop: u8,
    /// Hop records; those past `n_hop` are zero.
    pub hops: [TraceHop; MAX_HOPS],
    /// Recorded `U`.
    pub u: f64,
    /// Recorded window, bytes.
    pub w_bytes: f64,
    /// Recorded rate, bits per second.
    pub rate_bps: f64,
    /// Recorded reference window, bytes.
    pub wc_bytes: f64,
    /// Recorded stage.
    pub inc_stage: u8,
}

/// A trace in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Parameters of the sender.
    pub header: TraceHeader,
    /// Rows in the order of the file.
    pub rows: Vec<TraceRow>,
}

/// The law that a file's header names (`# law=`); `hpcc` if it names none.
pub fn law(file: &Path) -> Result<String, TraceError> {
    let text = columns::open(file)?;
    for line in BufReader::new(text).lines() {
        let Ok(line) = line else { break };
        let Some(comment) = line.strip_prefix('#') else { break };
        if let Some(("law", law)) = comment.split_once('=').map(|(key, law)| (key.trim(), law.trim())) {
            return Ok(law.into());
        }
    }
    Ok("hpcc".into())
}

/// Packet number of a byte count: `ceil(bytes / mtu)` modulo 2^24.
fn packet_number(bytes: u64, mtu: u32) -> u32 {
    (bytes.div_ceil(u64::from(mtu)) & 0xff_ffff) as u32
}

impl Trace {
    /// Packet number of a byte count: `ceil(bytes / mtu)` modulo 2^24.
    pub fn psn(&self, bytes: u64) -> u32 {
        packet_number(bytes, self.header.mtu_payload)
    }

    /// The row as the slot sees it. Queues saturate at the 16 bits of the wire; [`Trace::queues`] has all 17.
    pub fn event(&self, row: &TraceRow) -> CcEvent {
        CcEvent {
            flow: row.flow,
            psn_next: self.psn(row.ack_seq),
            snd_nxt: self.psn(row.snd_nxt),
            int_valid: true,
            n_hop: row.n_hop,
            hops: row.hops.map(HopRecord::from),
            now: row.t_ns,
            ..CcEvent::default()
        }
    }

    /// Queue fields of the row at their recorded width.
    pub fn queues(&self, row: &TraceRow) -> [u32; MAX_HOPS] {
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
