//! `hpcc-nic cosim`: an ACK trace through golden, fixed point and RTL side by side.

use crate::cosim::rtl::Simulator;
use crate::cosim::{self, Cosim, Options, Source};
use hpcc_sim::cli::{create_file, say, Failure};
use indicatif::ProgressBar;
use std::io::Write;
use std::path::PathBuf;

/// Replay an ACK trace through the golden, fixed-point and RTL congestion control and compare them
///
/// The trace's header says which law it is of (`# law=`: hpcc, powertcp, theta) and with which options.
/// Prints relative errors of U (PowerTCP: power) and W: golden against the trace's own columns, fixed point against golden, RTL against
/// fixed point (which must agree bit for bit). Exit code 1 if RTL and fixed point differ or a bound is exceeded.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// ACK trace: `# key=value` lines, column names, one row per ACK
    #[arg(long, value_name = "FILE")]
    acks: PathBuf,
    /// Write U and W of every model for every row
    #[arg(long, value_name = "OUT.csv")]
    out: Option<PathBuf>,
    /// Fail if golden strays from the trace, or another model from golden, by more than this on any row
    #[arg(long, value_name = "X", value_parser = bound)]
    max_rel_err: Option<f64>,
    /// Write a waveform of the RTL around the first row on which it is wrong, or around the first row
    #[arg(long, value_name = "FILE.vcd")]
    vcd: Option<PathBuf>,
    /// What runs the RTL
    #[arg(long, value_enum, default_value_t)]
    rtl: Simulator,
    /// Seed of the stalls at the RTL's ports
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

fn bound(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 => Ok(value),
        _ => Err("expected a number, 0 or more".into()),
    }
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        let trace = Source::read(&self.acks).map_err(Failure::input)?;
        let out = self.out.as_deref().map(create_file).transpose()?;
        let vcd = self.vcd.as_deref().map(create_file).transpose()?;
        let bar = ProgressBar::new(trace.rows().len() as u64).with_message("RTL");
        let options = Options {
            seed: self.seed,
            simulator: self.rtl,
            progress: Some(bar),
        };
        let cosim =
            Cosim::run(trace, &options).map_err(|error| Failure::Input(format!("{}: {error}", self.acks.display())))?;
        say(&cosim::report::table(&cosim, &self.acks))?;
        if let (Some(mut out), Some(path)) = (out, &self.out) {
            let written = cosim::output::write(&cosim, &mut out).and_then(|()| out.flush());
            written.map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
        }
        if let (Some(vcd), Some(path)) = (vcd, &self.vcd) {
            let written = cosim.waveform(&options, vcd);
            written.map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
        }
        match cosim::report::failed(&cosim, self.max_rel_err) {
            Some(reason) => Err(Failure::Check(reason)),
            None => Ok(()),
        }
    }
}
