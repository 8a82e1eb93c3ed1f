//! `--vcd`: a waveform of a NIC in RTL.

use crate::nic::device::Wave;
use hpcc_sim::cli::Failure;
use std::path::PathBuf;

/// Longest waveform, ns: it grows by a megabyte a microsecond or so.
const MOST_NS: u64 = 1_000_000;

/// Options of commands that simulate NICs in RTL.
#[derive(Debug, clap::Args)]
pub struct Waves {
    /// Write a waveform of each NIC in RTL; of two NICs `_a` and `_b` stand behind the file's name
    #[arg(long, value_name = "FILE.vcd")]
    vcd: Option<PathBuf>,
    /// From when to when, ns after the NIC was set up
    #[arg(long, value_name = "FROM..TO", value_parser = window, default_value = "0..2000", requires = "vcd")]
    vcd_ns: (u64, u64),
}

fn window(text: &str) -> Result<(u64, u64), String> {
    let ends = text.split_once("..");
    let ends = ends.and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    ends.filter(|(from, to): &(u64, u64)| from < to && to - from <= MOST_NS)
        .ok_or_else(|| format!("expected FROM..TO, {MOST_NS} ns at most"))
}

impl Waves {
    /// The waveform, if one is wanted. A file that cannot be written is known before the run.
    pub fn wave(&self) -> Result<Option<Wave>, Failure> {
        let Some(path) = self.vcd.clone() else { return Ok(None) };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder)
                .map_err(|error| Failure::Input(format!("{}: {error}", folder.display())))?;
        }
        let (from_ns, to) = self.vcd_ns;
        Ok(Some(Wave {
            path,
            from_ns,
            length_ns: to - from_ns,
        }))
    }

    /// An error where there is nothing to record.
    pub fn none(&self, error: &str) -> Result<(), Failure> {
        match self.vcd {
            Some(_) => Err(Failure::Input(error.into())),
            None => Ok(()),
        }
    }
}
