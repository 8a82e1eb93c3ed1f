//! `serve`: one NIC with a live wire.

use crate::config::NicSetup;
use crate::nic::control::ControlSocket;
use crate::nic::serve::{self, End, Served, Wire};
use crate::nic::{outputs, Device, ModelNic, RtlNic};
use crate::verilated::Model;
use hpcc_sim::cli::{create_file, say, Failure};
use hpcc_sim::plan::provenance::Stopwatch;
use hpcc_sim::plan::Fidelity;
use hpcc_sim::scenario::output::OutDir;
use serde_json::json;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::time::Duration;

/// Put one NIC on a live wire: each UDP datagram is one Ethernet frame without FCS
///
/// Simulated time never runs ahead of wall time. ARP requests for the NIC's address are answered. Each completion is printed as
/// it happens. Ctrl-C, SIGTERM or one of the limits ends the run and writes the results.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Configuration of the NIC (TOML)
    #[arg(long, value_name = "NIC.toml")]
    config: PathBuf,
    /// Address to receive datagrams at
    #[arg(long, value_name = "IP:PORT")]
    listen: SocketAddr,
    /// Address to send datagrams to
    #[arg(long, value_name = "IP:PORT")]
    peer: SocketAddr,
    /// Folder for memory_<key>.bin, completions.jsonl, counters.json and run.json
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// What the NIC is: golden (behavioural model) or nic-rtl (the whole NIC, Verilated)
    #[arg(long, value_enum, default_value_t = Fidelity::NicRtl, hide_possible_values = true)]
    fidelity: Fidelity,
    /// End after this wall time
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<Duration>,
    /// End when every work request has completed and no frame has come or gone for this time
    #[arg(long, value_name = "S", num_args = 0..=1, default_missing_value = "0.5", value_parser = seconds)]
    until_done: Option<Duration>,
    /// Answer an agent at this Unix socket (one JSON object a line): flows with work, bytes sent, levels, caps
    #[arg(long, value_name = "PATH")]
    control: Option<PathBuf>,
    /// Write what comes and goes as a capture, with wall times since the start
    #[arg(long, value_name = "FILE.pcap")]
    pcap: Option<PathBuf>,
}

/// A time in seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let value = text.parse::<f64>().ok().filter(|value| (0.0..1e9).contains(value));
    value
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "expected seconds, 0 or more".into())
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        match self.fidelity {
            Fidelity::Golden => self.run_on::<ModelNic>(),
            Fidelity::NicRtl => self.run_on::<RtlNic<Model>>(),
            other => Err(Failure::Input(format!(
                "--fidelity: expected golden or nic-rtl, got {}",
                other.name()
            ))),
        }
    }

    fn run_on<D: Device>(&self) -> Result<(), Failure> {
        let setup = NicSetup::load(&self.config).map_err(Failure::input)?;
        let dir = self
            .out
            .as_ref()
            .map(|path| OutDir::create(path))
            .transpose()
            .map_err(Failure::Input)?;
        let capture = self.pcap.as_deref().map(create_file).transpose()?;
        // First the socket: what comes while the NIC is being built waits in it.
        let mut wire = Wire::new(self.listen, self.peer)
            .map_err(|error| Failure::Input(format!("--listen {}: {error}", self.listen)))?;
        let control = self.control.as_deref().map(|path| {
            ControlSocket::bind(path).map_err(|error| Failure::Input(format!("--control {}: {error}", path.display())))
        });
        let mut control = control.transpose()?;
        let named = |error| Failure::Input(format!("{}: {error}", self.config.display()));
        let mut device = D::create(&setup).map_err(named)?;
        device.write_limits(&setup.limits).map_err(named)?;
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register(signal, stop.clone()).map_err(Failure::input)?;
        }
        let listen = wire.local_addr().map_err(Failure::input)?;
        say(&format!("{} serves at {listen}, peer {}\n", setup.nic.ip, self.peer))?;
        let end = End {
            after: self.seconds,
            quiet: self.until_done,
        };
        let tell = |completion: &_| {
            // A reader that has gone away does not end the run: results are still to be written.
            let mut out = std::io::stdout().lock();
            let _ = writeln!(out, "{}", outputs::completion(completion)).and_then(|()| out.flush());
        };
        let ports = serve::Ports {
            wire: &mut wire,
            control: control.as_mut(),
        };
        let watch = Stopwatch::start();
        let served = serve::run(&mut device, &setup, ports, end, capture.is_some(), &stop, tell);
        let served = served.map_err(Failure::input)?;
        if let (Some(mut file), Some(path)) = (capture, &self.pcap) {
            let named = |error: &dyn std::fmt::Display| Failure::Input(format!("{}: {error}", path.display()));
            let bytes = outputs::capture(&served.frames).map_err(|error| named(&error))?;
            file.write_all(&bytes)
                .and_then(|()| file.flush())
                .map_err(|error| named(&error))?;
        }
        if let Some(dir) = &dir {
            outputs::write(dir, &setup, &mut device, &served.completions).map_err(Failure::Input)?;
            let own = json!({
                "fidelity": self.fidelity.name(),
                "simulated_ns": served.simulated_ns,
                "received": served.received,
                "lost": served.lost,
                "sent": served.sent,
                "refused": served.refused,
            });
            outputs::write_run(dir, &setup, &[&self.config], &watch, own).map_err(Failure::Input)?;
        }
        let counters = device.counters().map_err(Failure::input)?;
        if let Some(warning) = lost_warning(served.lost, wire.receive_buffer().unwrap_or(0)) {
            eprintln!("{warning}");
        }
        say(&screen(&served, &counters))
    }
}

/// What standard error says of datagrams that the system lost; nothing if there were none.
fn lost_warning(lost: Option<u64>, buffer: usize) -> Option<String> {
    let lost = lost.filter(|lost| *lost > 0)?;
    Some(format!(
        "warning: the system lost {lost} datagrams: its receive buffer of {buffer} bytes was full (sysctl net.core.rmem_max allows more)"
    ))
}

fn screen(served: &Served, counters: &[(&'static str, u64)]) -> String {
    format!(
        "{} frames in, {} lost in the system's buffer, {} out, {} not sent; {} ARP requests answered; {:.3} ms simulated in {:.3} s\n{}",
        served.received,
        served.lost.map_or("an unknown number".into(), |lost| lost.to_string()),
        served.sent,
        served.refused,
        served.arp,
        served.simulated_ns as f64 / 1e6,
        served.wall.as_secs_f64(),
        outputs::moved(counters)
    )
}
