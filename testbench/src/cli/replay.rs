//! `replay`: a capture into one NIC.

use super::waves::Waves;
use crate::config::NicSetup;
use crate::nic::replay::{self, Replayed};
use crate::nic::{outputs, Device, ModelNic, RtlNic};
use crate::verilated::Model;
use hpcc_models::wire::{read_pcap, TimedFrame};
use hpcc_sim::cli::{progress, say, Failure};
use hpcc_sim::plan::provenance::Stopwatch;
use hpcc_sim::plan::Fidelity;
use hpcc_sim::scenario::output::OutDir;
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Feed a capture to one NIC; what it sends comes out as a capture
///
/// Frames arrive at the capture's times. Idle gaps over 10 us are shortened, and the NIC's timers stand still across them. Work
/// requests of the configuration are posted `at_ns` after the capture's first frame.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Configuration of the NIC (TOML)
    #[arg(long, value_name = "NIC.toml")]
    config: PathBuf,
    /// Capture to feed it
    #[arg(long, value_name = "IN.pcap")]
    pcap: PathBuf,
    /// Capture of what it sends, nanosecond times
    #[arg(long, value_name = "OUT.pcap")]
    out_pcap: PathBuf,
    /// Folder for memory_<key>.bin, completions.jsonl, counters.json and run.json
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// What the NIC is: golden (behavioural model) or nic-rtl (the whole NIC, Verilated)
    #[arg(long, value_enum, default_value_t = Fidelity::NicRtl, hide_possible_values = true)]
    fidelity: Fidelity,
    /// Simulated time without any movement after which the run ends, us
    #[arg(long, value_name = "US", default_value_t = replay::GAP_NS / 1000)]
    drain_us: u64,
    #[command(flatten)]
    waves: Waves,
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        match self.fidelity {
            Fidelity::Golden => {
                self.waves.none("--vcd: expected --fidelity nic-rtl")?;
                self.run_on::<ModelNic>()
            }
            Fidelity::NicRtl => self.run_on::<RtlNic<Model>>(),
            other => Err(Failure::Input(format!(
                "--fidelity: expected golden or nic-rtl, got {}",
                other.name()
            ))),
        }
    }

    fn run_on<D: Device>(&self) -> Result<(), Failure> {
        let setup = NicSetup::load(&self.config).map_err(Failure::input)?;
        let named =
            |path: &PathBuf, error: &dyn std::fmt::Display| Failure::Input(format!("{}: {error}", path.display()));
        let file = std::fs::File::open(&self.pcap).map_err(|error| named(&self.pcap, &error))?;
        let frames = read_pcap(std::io::BufReader::new(file)).map_err(|error| named(&self.pcap, &error))?;
        let dir = self
            .out
            .as_ref()
            .map(|path| OutDir::create(path))
            .transpose()
            .map_err(Failure::Input)?;
        // A path that cannot be written is known before the run.
        std::fs::write(&self.out_pcap, b"").map_err(|error| named(&self.out_pcap, &error))?;
        let created = match self.waves.wave()? {
            None => D::create(&setup),
            Some(wave) => D::create_recorded(&setup, &wave),
        };
        let mut device = created.map_err(|error| named(&self.config, &error))?;
        (device.write_limits(&setup.limits)).map_err(|error| named(&self.config, &error))?;
        let watch = Stopwatch::start();
        let bar = progress("frames");
        let drain_ns = self.drain_us.saturating_mul(1000);
        let replayed = replay::run(&mut device, &setup, &frames, drain_ns, &bar).map_err(Failure::input)?;
        bar.finish_and_clear();
        let capture = outputs::capture(&replayed.sent).map_err(|error| named(&self.out_pcap, &error))?;
        std::fs::write(&self.out_pcap, capture).map_err(|error| named(&self.out_pcap, &error))?;
        if let Some(dir) = &dir {
            outputs::write(dir, &setup, &mut device, &replayed.completions).map_err(Failure::Input)?;
            let own = json!({
                "fidelity": self.fidelity.name(),
                "frames_in": frames.len(),
                "frames_out": replayed.sent.len(),
                "skipped_ns": replayed.skipped_ns,
            });
            outputs::write_run(dir, &setup, &[&self.config, &self.pcap], &watch, own).map_err(Failure::Input)?;
        }
        let counters = device.counters().map_err(Failure::input)?;
        say(&self.screen(&frames, &replayed, &counters))
    }

    fn screen(&self, frames: &[TimedFrame], replayed: &Replayed, counters: &[(&'static str, u64)]) -> String {
        let mut text = format!(
            "{} frames in, {} out to {}; {:.3} ms of idle time left out\n",
            frames.len(),
            replayed.sent.len(),
            self.out_pcap.display(),
            replayed.skipped_ns as f64 / 1e6
        );
        text.push_str(&outputs::moved(counters));
        for completion in &replayed.completions {
            let _ = writeln!(text, "{}", outputs::completion(completion));
        }
        text
    }
}
