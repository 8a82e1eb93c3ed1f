//! A table of what NICs send and what waits for them, over time.

use std::fs::File;
use std::io::{BufWriter, Error, Write};
use std::path::Path;

/// A table that may be none. One that cannot be written ends, and says at the end why.
#[derive(Default)]
pub struct Samples {
    table: Option<Table>,
    error: Option<Error>,
}

struct Table {
    file: BufWriter<File>,
    interval: u64,
    /// End of the interval under way, ns.
    end: u64,
    /// Bytes that each NIC had sent at the last row.
    sent: Vec<u64>,
}

impl Samples {
    /// A new file with a row for each interval in which anything was sent or waited: its end, and for each NIC of these names the bytes that it sent
    /// and the most that waited for it.
    pub fn create(path: &Path, interval: u64, names: &[String]) -> std::io::Result<Self> {
        let mut file = BufWriter::new(File::create(path)?);
        let columns = names
            .iter()
            .map(|name| format!(",{name}_sent_bytes,{name}_queue_bytes"));
        writeln!(file, "end_ns{}", columns.collect::<String>())?;
        Ok(Self {
            table: Some(Table {
                file,
                interval,
                end: interval,
                sent: vec![0; names.len()],
            }),
            error: None,
        })
    }

    /// An interval has ended by `now`.
    pub fn is_due(&self, now: u64) -> bool {
        self.table.as_ref().is_some_and(|table| now >= table.end)
    }

    /// Writes a row: bytes that each NIC has sent up to now, and the most that waited for it since the last row.
    pub fn write(&mut self, now: u64, nics: &[(u64, u64)]) {
        let Some(table) = &mut self.table else { return };
        if let Err(error) = table.row(now, nics) {
            self.table = None;
            self.error = Some(error);
        }
    }

    /// Ends the table; why it is not complete, if it is not.
    pub fn end(&mut self) -> Option<Error> {
        if let Some(Err(error)) = self.table.take().map(|mut table| table.file.flush()) {
            self.error = Some(error);
        }
        self.error.take()
    }
}

impl Table {
    fn row(&mut self, now: u64, nics: &[(u64, u64)]) -> std::io::Result<()> {
        let moved = nics.iter().zip(&self.sent);
        let rows: Vec<(u64, u64)> = moved.map(|((sent, queue), before)| (sent - before, *queue)).collect();
        if rows.iter().any(|row| *row != (0, 0)) {
            let cells = rows.iter().map(|(sent, queue)| format!(",{sent},{queue}"));
            writeln!(self.file, "{}{}", self.end, cells.collect::<String>())?;
        }
        self.sent = nics.iter().map(|nic| nic.0).collect();
        self.end = (now / self.interval + 1) * self.interval;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_of_intervals_in_which_something_happened() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let names = ["sim0", "sim1"].map(String::from);
        let mut samples = Samples::create(file.path(), 100, &names).unwrap();
        assert!(!samples.is_due(99) && samples.is_due(100));
        samples.write(105, &[(7, 0), (0, 3)]);
        assert!(!samples.is_due(199));
        samples.write(200, &[(7, 0), (0, 0)]);
        samples.write(1234, &[(7, 0), (9, 0)]);
        assert!(samples.end().is_none() && !samples.is_due(5000));
        let text = std::fs::read_to_string(file.path()).unwrap();
        let head = "end_ns,sim0_sent_bytes,sim0_queue_bytes,sim1_sent_bytes,sim1_queue_bytes";
        assert_eq!(text, format!("{head}\n100,7,0,0,3\n300,0,0,9,0\n"));
    }
}
