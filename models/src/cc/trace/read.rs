//! Reading an ACK trace: columns by name, every number checked against its width, errors on one line.

use super::header::{Fault, Keys};
use super::{Trace, TraceError, TraceHeader, TraceHop, TraceRow, MAX_TRACE_QUEUE};
use crate::cc::hpcc::{TS_WRAP, TX_WRAP};
use crate::cc::MAX_HOPS;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::str::FromStr;

/// Columns of the format, in its order.
pub(super) fn column_names() -> Vec<String> {
    let mut names: Vec<String> = ["t_ns", "flow", "ack_seq", "snd_nxt", "nhop"]
        .map(String::from)
        .to_vec();
    for hop in 1..=MAX_HOPS {
        names.extend(["gbps", "ts", "tx", "q"].iter().map(|field| format!("h{hop}_{field}")));
    }
    names.extend(["u", "w_bytes", "rate_bps", "wc_bytes", "inc_stage"].map(String::from));
    names
}

/// First hop column and first column after the hops, counted in [`column_names`].
const FIRST_HOP: usize = 5;
const AFTER_HOPS: usize = FIRST_HOP + 4 * MAX_HOPS;

impl Trace {
    /// Reads a file.
    pub fn read(file: &Path) -> Result<Self, TraceError> {
        let opened = std::fs::File::open(file).map_err(|source| TraceError::Io {
            file: file.into(),
            source,
        })?;
        Self::parse(opened, file)
    }

    /// Reads text; `file` is what error messages call it.
    pub fn parse(text: impl Read, file: &Path) -> Result<Self, TraceError> {
        let fault = |(line, field, expected): Fault| TraceError::Format {
            file: file.into(),
            line,
            field,
            expected,
        };
        let mut keys = Keys::new();
        let mut table: Option<Table> = None;
        let mut rows = Vec::new();
        let mut last = 0;
        for (index, text) in BufReader::new(text).lines().enumerate() {
            let line = index as u64 + 1;
            last = line;
            let text = text.map_err(|source| match source.kind() {
                std::io::ErrorKind::InvalidData => fault((line, "line".into(), "text in UTF-8".into())),
                _ => TraceError::Io {
                    file: file.into(),
                    source,
                },
            })?;
            let text = text.trim_end_matches('\r');
            match &table {
                None if text.starts_with('#') => add_key(&mut keys, text, line).map_err(fault)?,
                None if text.trim().is_empty() => {}
                None => table = Some(Table::new(text, &keys, line).map_err(fault)?),
                Some(_) if text.trim().is_empty() => {}
                Some(table) => rows.push(table.row(text, line).map_err(fault)?),
            }
        }
        let end = last + 1;
        let Some(table) = table else {
            let first = if keys.is_empty() {
                "# line_rate_gbps=value and further keys, then "
            } else {
                ""
            };
            let expected = format!("{first}a line of column names, got the end of the file");
            return Err(fault((end, "header".into(), expected)));
        };
        if rows.is_empty() {
            return Err(fault((
                end,
                "t_ns".into(),
                "at least one row, got the end of the file".into(),
            )));
        }
        Ok(Self {
            header: table.header,
            rows,
        })
    }
}

fn add_key(keys: &mut Keys, text: &str, line: u64) -> Result<(), Fault> {
    let Some((key, value)) = text.trim_start_matches('#').split_once('=') else {
        return Err((line, "header".into(), format!("'# key=value', got '{text}'")));
    };
    let key = key.trim();
    if key.is_empty() {
        return Err((line, "header".into(), format!("a key before '=', got '{text}'")));
    }
    if keys.insert(key.into(), (value.trim().into(), line)).is_some() {
        return Err((line, key.into(), "the key only once".into()));
    }
    Ok(())
}

/// The header and where each column is.
struct Table {
    header: TraceHeader,
    names: Vec<String>,
    /// Position in the file of each column of [`column_names`].
    position: Vec<usize>,
    width: usize,
}

impl Table {
    fn new(text: &str, keys: &Keys, line: u64) -> Result<Self, Fault> {
        let given: Vec<&str> = text.split(',').map(str::trim).collect();
        let names = column_names();
        let position = names
            .iter()
            .map(|name| {
                let found = given.iter().position(|column| column == name);
                found.ok_or_else(|| (line, name.clone(), "a column of this name".to_string()))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            header: TraceHeader::from_keys(keys, line)?,
            names,
            position,
            width: given.len(),
        })
    }

    fn row(&self, text: &str, line: u64) -> Result<TraceRow, Fault> {
        let cells: Vec<&str> = text.split(',').collect();
        if cells.len() != self.width {
            let expected = format!("{} columns, got {}", self.width, cells.len());
            let missing = (0..self.names.len()).find(|&i| self.position[i] >= cells.len());
            return Err((line, missing.map_or("row".into(), |i| self.names[i].clone()), expected));
        }
        let row = Row {
            table: self,
            cells: &cells,
            line,
        };
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
            let column = FIRST_HOP + 4 * i;
            *hop = TraceHop {
                speed: row.speed(column)?,
                ts: row.below(column + 1, u64::from(TS_WRAP - 1), "24 bits, 0 to 16777215")? as u32,
                tx: row.below(column + 2, u64::from(TX_WRAP - 1), "20 bits, 0 to 1048575")? as u32,
                q: row.below(column + 3, u64::from(MAX_TRACE_QUEUE), "17 bits, 0 to 131071")? as u32,
            };
        }
        Ok(parsed)
    }
}

/// One row being read.
struct Row<'a> {
    table: &'a Table,
    cells: &'a [&'a str],
    line: u64,
}

impl Row<'_> {
    fn cell(&self, column: usize) -> &str {
        self.cells[self.table.position[column]].trim()
    }

    fn fault(&self, column: usize, expected: &str) -> Fault {
        (
            self.line,
            self.table.names[column].clone(),
            format!("{expected}, got '{}'", self.cell(column)),
        )
    }

    fn parse<T: FromStr>(&self, column: usize, expected: &str) -> Result<T, Fault> {
        self.cell(column).parse().map_err(|_| self.fault(column, expected))
    }

    fn below(&self, column: usize, most: u64, expected: &str) -> Result<u64, Fault> {
        let value: u64 = self.parse(column, expected)?;
        if value > most {
            return Err(self.fault(column, expected));
        }
        Ok(value)
    }

    fn real(&self, column: usize) -> Result<f64, Fault> {
        let value: f64 = self.parse(column, "a number")?;
        if !value.is_finite() || value < 0.0 {
            return Err(self.fault(column, "a finite number, 0 or more"));
        }
        Ok(value)
    }

    fn speed(&self, column: usize) -> Result<u8, Fault> {
        let gbps: f64 = self.parse(column, "a port speed in Gb/s")?;
        let params = &self.table.header.params;
        params.speed_code((gbps * 1e9).round() as u64).ok_or_else(|| {
            let known: Vec<String> = params
                .port_speeds
                .iter()
                .filter(|&&s| s != 0)
                .map(|&s| format!("{}", s as f64 / 1e9))
                .collect();
            self.fault(column, &format!("one of {} Gb/s", known.join(", ")))
        })
    }
}
