//! Reading an ACK trace of HPCC: columns by name, every number checked against its width, errors on one line.

use super::columns::{hop_columns, open, read, Columns};
use super::header::{Fault, Keys};
use super::{Trace, TraceError, TraceHeader, TraceRow};
use crate::cc::MAX_HOPS;
use std::io::Read;
use std::path::Path;

/// Columns of the format, in its order.
pub(super) fn column_names() -> Vec<String> {
    let mut names: Vec<String> = ["t_ns", "flow", "ack_seq", "snd_nxt", "nhop"]
        .map(String::from)
        .to_vec();
    names.extend(hop_columns("tx"));
    names.extend(["u", "w_bytes", "rate_bps", "wc_bytes", "inc_stage"].map(String::from));
    names
}

/// First hop column and first column after the hops, counted in [`column_names`].
const FIRST_HOP: usize = 5;
const AFTER_HOPS: usize = FIRST_HOP + 4 * MAX_HOPS;

impl Trace {
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
}

/// The header and where each column is.
struct Table {
    header: TraceHeader,
    columns: Columns,
}

impl Table {
    fn new(text: &str, keys: &Keys, line: u64) -> Result<Self, Fault> {
        let columns = Columns::new(column_names(), text, line)?;
        Ok(Self {
            header: TraceHeader::from_keys(keys, line)?,
            columns,
        })
    }

    fn row(&self, text: &str, line: u64) -> Result<TraceRow, Fault> {
        let row = self.columns.row(text, line)?;
        let mut parsed = TraceRow {
            line,
            t_ns: row.below(0, u64::MAX, "whole nanoseconds")?,
            flow: row.below(1, u64::from(u32::MAX), "a flow number, 0 to 4294967295")? as u32,
            ack_seq: row.below(2, u64::MAX, "a byte count")?,
            snd_nxt: row.below(3, u64::MAX, "a byte count")?,
            n_hop: row.below(4, MAX_HOPS as u64, "0 to 5 hops")? as u8,
            u: row.real(AFTER_HOPS)?,
            w_bytes: row.real(AFTER_HOPS + 1)?,
            rate_bps: row.real(AFTER_HOPS + 2)?,
            wc_bytes: row.real(AFTER_HOPS + 3)?,
            inc_stage: row.below(AFTER_HOPS + 4, 255, "0 to 255")? as u8,
            ..TraceRow::default()
        };
        for (i, hop) in parsed.hops.iter_mut().enumerate().take(usize::from(parsed.n_hop)) {
            *hop = row.hop(FIRST_HOP + 4 * i, &self.header.params.port_speeds)?;
        }
        Ok(parsed)
    }
}
