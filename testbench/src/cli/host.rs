//! `host`: NICs for unmodified RDMA programs.

use hpcc_host::{default_socket, scenario_job, Host, HostOptions, Network, Spaces};
use hpcc_sim::cli::{say, Failure};
use hpcc_sim::plan::Fidelity;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// Simulate NICs for unmodified RDMA programs, which `hpcc-nic exec` starts on them
///
/// The NICs are named sim0, sim1 and so on, with the addresses 10.0.0.1, 10.0.0.2 and so on. Programs reach them over a Unix socket.
/// Ctrl-C or SIGTERM ends the daemon, which then prints what the NICs have done.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// NICs, 1 to 250
    #[arg(long, value_name = "N", default_value_t = 2)]
    nics: u32,
    /// What a NIC is: nic-model (behavioural model)
    #[arg(long, value_enum, default_value_t = Fidelity::NicModel, hide_possible_values = true)]
    fidelity: Fidelity,
    /// Socket of the daemon; by default one of this user's
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// Let programs of other users connect
    #[arg(long)]
    everybody: bool,
    /// End with the last program
    #[arg(long)]
    until_last: bool,
    /// Scenario (built-in, or a file) whose network lies between the NICs: NIC k is its host k. Without it the NICs are on a wire
    #[arg(long, value_name = "SCENARIO")]
    network: Option<String>,
    /// Law in place of the scenario's: hpcc, dcqcn, powertcp, theta-powertcp
    #[arg(long, value_name = "LAW", requires = "network")]
    cc: Option<String>,
    /// Change one value of the scenario, such as network.delay_ns=500
    #[arg(long, value_name = "KEY=VALUE", requires = "network")]
    set: Vec<String>,
    /// Write the frames that leave the NICs to a capture
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
    /// Write a table (CSV) of the bytes that each NIC sends and the most that waits for it, a row for each interval
    #[arg(long, value_name = "FILE")]
    samples: Option<PathBuf>,
    /// Length of such an interval, us
    #[arg(long, value_name = "US", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1_000_000), requires = "samples")]
    sample_us: u64,
    /// Write a waveform of the NICs' ports: frames, their opcode, queue pair and PSN, and pause
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        if self.fidelity != Fidelity::NicModel {
            let got = self.fidelity.name();
            return Err(Failure::Input(format!("--fidelity: expected nic-model, got {got}")));
        }
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(Failure::input)?;
        }
        let options = HostOptions {
            socket: self.socket.unwrap_or_else(default_socket),
            nics: self.nics,
            everybody: self.everybody,
            until_last: self.until_last,
            pcap: self.pcap,
            samples: self.samples.map(|path| (path, self.sample_us * 1000)),
            vcd: self.vcd,
        };
        let host = match &self.network {
            None => Host::new(&options, stop),
            Some(name) => {
                let job = scenario_job(name, self.cc.as_deref(), &self.set).map_err(Failure::Input)?;
                let make = |spaces: &Spaces| Network::scenario(&job, options.nics, spaces);
                Host::with_network(&options, stop, make)
            }
        };
        let host = host.map_err(Failure::input)?;
        say(&format!("{} NICs at {}\n", options.nics, options.socket.display()))?;
        say(&host.run())
    }
}
