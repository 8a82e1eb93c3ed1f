//! `hpcc-nic report`: tables and figures of the hardware.

use crate::report::{blocks, hardware, latency, programs, reciprocal, speed};
use crate::tools::cache::workspace_dir;
use hpcc_rtl::emit::Library;
use hpcc_rtl::tops::{self, NIC, TOPS};
use hpcc_sim::cli::{say, Failure};
use std::path::PathBuf;

/// Tables and figures of the hardware
///
/// Without options: cells of every top on Lattice ECP5 and Xilinx UltraScale+. The first run takes minutes; results are kept
/// in target/report by the content of the Verilog.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bytes and errors of the ways to compute 1/n, and the figure of the book
    #[arg(long, conflicts_with = "top")]
    reciprocal: bool,
    /// The book's figure of eight RDMA programs that write to one, drawn from testbench/data/programs
    #[arg(long, conflicts_with_all = ["top", "reciprocal", "blocks", "speed", "latency"])]
    programs: bool,
    /// Folder of the figures of --reciprocal and --programs [default: docs/src/figures of the workspace]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["top", "blocks", "speed", "latency"])]
    figures: Option<PathBuf>,
    /// Only this top module; with --blocks which NIC, hpcc_nic or hpcc_nic_hpcc
    #[arg(long, value_name = "NAME")]
    top: Option<String>,
    /// The blocks of the whole NIC instead of the tops: cells of each and their sum. The first run takes an hour or more
    #[arg(long, conflicts_with = "reciprocal")]
    blocks: bool,
    /// How fast the NIC is: frames a second in and out, grants a second, simulated clocks a second
    #[arg(long, conflicts_with_all = ["top", "reciprocal", "blocks"])]
    speed: bool,
    /// How fast the network is simulated, in place of the NIC: fat trees of 320 and 1024 hosts, 50 % WebSearch, HPCC; the set-up of 8192 hosts.
    /// Instructions are counted where valgrind is installed
    #[arg(long, requires = "speed")]
    network: bool,
    /// Only this network for so long, for valgrind: its packet-hops
    #[arg(long, requires = "network", value_name = "HOSTS:US", hide = true)]
    network_alone: Option<String>,
    /// Clock by clock through the NIC's pipes
    #[arg(long, conflicts_with_all = ["top", "reciprocal", "blocks", "speed"])]
    latency: bool,
    /// Only the blocks whose path begins with this; a module's name takes that module whole, to compare with its blocks' sum
    #[arg(long, value_name = "PATH", requires = "blocks", conflicts_with_all = ["reciprocal", "speed", "latency"])]
    only: Option<String>,
    /// Also place and route on ECP5 with so many seeds; the clock rate is their median
    #[arg(long, value_name = "SEEDS", default_value_t = 0, conflicts_with_all = ["reciprocal", "speed", "latency"])]
    place: u32,
    /// Also map to 45 nm standard cells: clock rate before layout and area
    #[arg(long = "cells-45nm", conflicts_with_all = ["reciprocal", "speed", "latency"])]
    cells_45nm: bool,
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        let wanted = hardware::Wanted {
            seeds: self.place,
            cells45: self.cells_45nm,
        };
        if self.figures.is_some() && !self.reciprocal && !self.programs {
            return Err(Failure::Input(
                "--figures: expected --reciprocal or --programs beside it".into(),
            ));
        }
        let figures = self.figures.unwrap_or_else(|| workspace_dir().join("docs/src/figures"));
        if self.reciprocal {
            let path = figures.join("reciprocal.svg");
            say(&reciprocal::table())?;
            let svg = reciprocal::figure().map_err(Failure::Check)?;
            std::fs::write(&path, svg).map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
            return say(&format!("{}\n", path.display()));
        }
        if self.programs {
            let path = figures.join("programs.png");
            programs::figure()
                .and_then(|figure| figure.png(&path))
                .map_err(Failure::Check)?;
            return say(&format!("{}\n", path.display()));
        }
        if self.blocks {
            return blocks(self.top.as_deref().unwrap_or(NIC.name), self.only.as_deref(), wanted);
        }
        if self.latency {
            let rows = latency::latencies().map_err(Failure::input)?;
            return say(&latency::latency_table(&rows));
        }
        if let Some(wanted) = &self.network_alone {
            return network_alone(wanted);
        }
        if self.network {
            let rows = speed::network(&|what| eprintln!("{what}")).map_err(Failure::input)?;
            return say(&speed::network_table(&rows));
        }
        if self.speed {
            return speed();
        }
        let chosen = |name: &str| self.top.as_deref().is_none_or(|top| top == name);
        let tops: Vec<_> = TOPS.iter().filter(|top| chosen(top.name)).collect();
        if tops.is_empty() {
            let names: Vec<_> = TOPS.iter().map(|top| top.name).collect();
            return Err(Failure::Input(format!("--top: expected one of {}", names.join(", "))));
        }
        let library = library()?;
        let mut rows = vec![];
        for top in tops {
            let block = blocks::whole(&library, top.name).ok_or_else(|| lacking(top.name))?;
            let row = hardware::measure(top.name, &block.sources, wanted, &|step| eprintln!("{step}"));
            rows.push(row.map_err(|error| Failure::Check(error.to_string()))?);
        }
        say(&hardware::table(&rows))
    }
}

/// The modules as `emit` writes them: a top that is also a block of the NIC is one module with one name, and measured once.
fn library() -> Result<Library, Failure> {
    tops::library().map_err(|error| Failure::Check(error.to_string()))
}

fn lacking(top: &str) -> Failure {
    Failure::Check(format!("the modules of {top} are not complete"))
}

/// The table of the NIC's blocks. What is measured is kept, so a run that was ended goes on where it was.
fn blocks(nic: &str, only: Option<&str>, wanted: hardware::Wanted) -> Result<(), Failure> {
    let names = blocks::WHOLE.map(|top| top.name);
    let found = blocks::WHOLE.iter().find(|top| top.name == nic);
    let nic = found.ok_or_else(|| {
        Failure::Input(format!(
            "--top: expected {} beside --blocks, got {nic}",
            names.join(" or ")
        ))
    })?;
    let library = library()?;
    let mut chosen = blocks::blocks(&library, nic).ok_or_else(|| lacking(nic.name))?;
    if let Some(only) = only {
        let whole = blocks::whole(&library, only);
        match whole {
            Some(block) => chosen = vec![block],
            None => chosen.retain(|block| block.path.starts_with(only)),
        }
        if chosen.is_empty() {
            return Err(Failure::Input(format!(
                "--only: expected the beginning of a block's path, such as rx, or a module of {}, got `{only}`",
                nic.name
            )));
        }
    }
    let mut rows = vec![];
    for block in &chosen {
        let row = hardware::measure_block(block, wanted, &|step| eprintln!("{step}"));
        rows.push(row.map_err(|error| Failure::Check(error.to_string()))?);
    }
    say(&hardware::block_table(&rows))
}

/// Packet-hops of one network.
fn network_alone(wanted: &str) -> Result<(), Failure> {
    let numbers = wanted.split_once(':').map(|(hosts, us)| (hosts.parse(), us.parse()));
    let Some((Ok(hosts), Ok(us))) = numbers else {
        let expected = format!("{}: expected HOSTS:US, got `{wanted}`", speed::ALONE);
        return Err(Failure::Input(expected));
    };
    let row = speed::alone(hosts, us).map_err(Failure::input)?;
    say(&format!("{}\n", row.counters.packet_hops))
}

/// Every table of speed as soon as it is measured.
fn speed() -> Result<(), Failure> {
    let step = |what: String| eprintln!("{what}");
    let received = speed::receive(&step).map_err(Failure::input)?;
    say(&format!("{}\n", speed::receive_table(&received)))?;
    let sent = speed::transmit(&step).map_err(Failure::input)?;
    say(&format!("{}\n", speed::transmit_table(&sent)))?;
    for flows in [1, 6, 300] {
        let grants = speed::grants_per_clock(flows).map_err(Failure::input)?;
        say(&format!(
            "scheduler, {flows} flows: {grants:.3} packets a clock, {:.1} million/s\n",
            grants * speed::CLOCK_HZ / 1e6
        ))?;
    }
    let simulated = speed::simulation(&step).map_err(Failure::input)?;
    say(&format!("\n{}", speed::simulation_table(&simulated)))
}
