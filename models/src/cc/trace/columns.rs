//! Text with `# key=value` lines, a line of column names and one row per line: the part that every trace format shares.

use super::error::TraceError;
use super::header::{Fault, Keys};
use super::hop::{TraceHop, MAX_TRACE_QUEUE};
use crate::cc::hpcc::{TS_WRAP, TX_WRAP};
use crate::cc::MAX_HOPS;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::str::FromStr;

/// Names of the hop columns; `bytes` is what the counter of bytes is called.
pub(super) fn hop_columns(bytes: &str) -> Vec<String> {
    (1..=MAX_HOPS)
        .flat_map(|hop| ["gbps", "ts", bytes, "q"].map(|field| format!("h{hop}_{field}")))
        .collect()
}

/// Opens a trace; the error names it.
pub(super) fn open(file: &Path) -> Result<std::fs::File, TraceError> {
    std::fs::File::open(file).map_err(|source| TraceError::Io {
        file: file.into(),
        source,
    })
}

/// Reads header and rows. `table` is made of the keys and the line of column names, every row after it is parsed with it.
pub(super) fn read<T, R>(
    text: impl Read,
    file: &Path,
    make: impl Fn(&str, &Keys, u64) -> Result<T, Fault>,
    parse: impl Fn(&T, &str, u64) -> Result<R, Fault>,
) -> Result<(T, Vec<R>), TraceError> {
    let fault = |(line, field, expected): Fault| TraceError::Format {
        file: file.into(),
        line,
        field,
        expected,
    };
    let mut keys = Keys::new();
    let mut table: Option<T> = None;
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
            None => table = Some(make(text, &keys, line).map_err(fault)?),
            Some(_) if text.trim().is_empty() => {}
            Some(table) => rows.push(parse(table, text, line).map_err(fault)?),
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
    Ok((table, rows))
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

/// Where the columns of a format are in a file.
pub(super) struct Columns {
    names: Vec<String>,
    /// Position in the file of each name.
    position: Vec<usize>,
    width: usize,
}

impl Columns {
    /// Finds every one of `names` in the line of column names.
    pub(super) fn new(names: Vec<String>, text: &str, line: u64) -> Result<Self, Fault> {
        let given: Vec<&str> = text.split(',').map(str::trim).collect();
        let position = names
            .iter()
            .map(|name| {
                let found = given.iter().position(|column| column == name);
                found.ok_or_else(|| (line, name.clone(), "a column of this name".to_string()))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            names,
            position,
            width: given.len(),
        })
    }

    /// Splits one line.
    pub(super) fn row<'a>(&'a self, text: &'a str, line: u64) -> Result<Row<'a>, Fault> {
        let cells: Vec<&str> = text.split(',').collect();
        if cells.len() != self.width {
            let expected = format!("{} columns, got {}", self.width, cells.len());
            let missing = (0..self.names.len()).find(|&i| self.position[i] >= cells.len());
            return Err((line, missing.map_or("row".into(), |i| self.names[i].clone()), expected));
        }
        Ok(Row {
            columns: self,
            cells,
            line,
        })
    }
}

/// One row being read; cells by the place of their name.
pub(super) struct Row<'a> {
    columns: &'a Columns,
    cells: Vec<&'a str>,
    line: u64,
}

impl Row<'_> {
    pub(super) fn cell(&self, column: usize) -> &str {
        self.cells[self.columns.position[column]].trim()
    }

    fn fault(&self, column: usize, expected: &str) -> Fault {
        (
            self.line,
            self.columns.names[column].clone(),
            format!("{expected}, got '{}'", self.cell(column)),
        )
    }

    fn parse<T: FromStr>(&self, column: usize, expected: &str) -> Result<T, Fault> {
        self.cell(column).parse().map_err(|_| self.fault(column, expected))
    }

    /// A whole number up to `most`.
    pub(super) fn below(&self, column: usize, most: u64, expected: &str) -> Result<u64, Fault> {
        let value: u64 = self.parse(column, expected)?;
        if value > most {
            return Err(self.fault(column, expected));
        }
        Ok(value)
    }

    /// A finite number from 0 up.
    pub(super) fn real(&self, column: usize) -> Result<f64, Fault> {
        let value: f64 = self.parse(column, "a number")?;
        if !value.is_finite() || value < 0.0 {
            return Err(self.fault(column, "a finite number, 0 or more"));
        }
        Ok(value)
    }

    /// One hop's four columns from `column` on, its speed as the code of a table.
    pub(super) fn hop(&self, column: usize, speeds: &[u64; 16]) -> Result<TraceHop, Fault> {
        Ok(TraceHop {
            speed: self.speed(column, speeds)?,
            ts: self.below(column + 1, u64::from(TS_WRAP - 1), "24 bits, 0 to 16777215")? as u32,
            tx: self.below(column + 2, u64::from(TX_WRAP - 1), "20 bits, 0 to 1048575")? as u32,
            q: self.below(column + 3, u64::from(MAX_TRACE_QUEUE), "17 bits, 0 to 131071")? as u32,
        })
    }

    fn speed(&self, column: usize, speeds: &[u64; 16]) -> Result<u8, Fault> {
        let gbps: f64 = self.parse(column, "a port speed in Gb/s")?;
        let bits = (gbps * 1e9).round() as u64;
        let code = speeds.iter().position(|&s| s != 0 && s == bits);
        code.map(|code| code as u8).ok_or_else(|| {
            let known: Vec<String> = speeds
                .iter()
                .filter(|&&s| s != 0)
                .map(|&s| format!("{}", s as f64 / 1e9))
                .collect();
            self.fault(column, &format!("one of {} Gb/s", known.join(", ")))
        })
    }
}
