//! `run`: what the network's crate runs, and `link`.

use super::link;
use super::waves::Waves;
use hpcc_sim::cli::{run, Failure};
use std::path::PathBuf;

/// Simulate a network: a built-in scenario, a scenario file, or ns-3 topology and flow files; or two NICs on a wire
///
/// `run link` puts two whole NICs on a wire and compares their memory at the end. Its keys for --set: loss, duplicate, reorder,
/// bit_error, mark (probability per frame), delay_ns, rate_gbps, bytes, mtu, messages, qps, op (write, read, bidirectional,
/// bidirectional_read), int (on, off), cc (laws of the queue pairs), hops (INT stampers on the way), retry_timeout_us, retry_limit, seed, limit_ms, pcap (on,
/// off). With --set table=on it measures how much of the payload that the wire can carry
/// gets through, for every MTU, one way and both ways.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(mut_arg("name", |name| name.help("Built-in scenario (see `hpcc-nic scenarios`), scenario file (TOML), or `link`")))]
pub struct Args {
    #[command(flatten)]
    network: run::Args,
    #[command(flatten)]
    waves: Waves,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.network.name.as_deref() {
            Some(link::NAME) => run_link(self.network, self.waves),
            _ => {
                self.waves.none("run: expected --vcd for `run link` alone")?;
                self.network.run()
            }
        }
    }
}

fn run_link(args: run::Args, waves: Waves) -> Result<(), Failure> {
    if args.cc.is_some() || args.full || args.html || args.threads.is_some() {
        let error = "run link: expected none of --cc, --full, --html, --threads";
        return Err(Failure::Input(error.into()));
    }
    let mut set = args.set;
    set.extend(args.seed.map(|seed| format!("seed={seed}")));
    let out = args.out.unwrap_or_else(|| PathBuf::from("out").join(link::NAME));
    link::run(&set, args.fidelity, &out, waves.wave()?)
}
