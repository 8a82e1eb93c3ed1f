//! Writing an ACK trace in the format that [`Trace::read`] takes; numbers survive the round trip exactly.

use super::read::column_names;
use super::{Trace, TraceRow};
use crate::cc::MAX_HOPS;
use std::io::{self, Write};

impl Trace {
    /// Writes header, column names and rows.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for line in self.header.lines() {
            writeln!(out, "# {line}")?;
        }
        writeln!(out, "{}", column_names().join(","))?;
        self.rows.iter().try_for_each(|row| self.write_row(out, row))
    }

    fn write_row(&self, out: &mut impl Write, row: &TraceRow) -> io::Result<()> {
        write!(
            out,
            "{},{},{},{},{}",
            row.t_ns, row.flow, row.ack_seq, row.snd_nxt, row.n_hop
        )?;
        for i in 0..MAX_HOPS {
            let hop = &row.hops[i];
            if i < usize::from(row.n_hop) {
                let gbps = self.header.params.port_speeds[usize::from(hop.speed & 15)] as f64 / 1e9;
                write!(out, ",{gbps},{},{},{}", hop.ts, hop.tx, hop.q)?;
            } else {
                write!(out, ",,,,")?;
            }
        }
        writeln!(
            out,
            ",{},{},{},{},{}",
            row.u, row.w_bytes, row.rate_bps, row.wc_bytes, row.inc_stage
        )
    }
}
