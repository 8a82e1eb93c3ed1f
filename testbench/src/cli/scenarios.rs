//! `scenarios`: those of the network's crate, and `link`.

use hpcc_sim::cli::{scenarios, Failure};

const LINK: &str = "link       two NICs on a wire, memory compared at the end (keys: `hpcc-nic run --help`)\n";

/// List the built-in scenarios with the figure that each reproduces
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Args {
    #[command(flatten)]
    network: scenarios::Args,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        self.network.run_beside(LINK)
    }
}
