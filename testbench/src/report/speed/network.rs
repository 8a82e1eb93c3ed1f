//! Packets over links that the network simulates in a second of a processor, and what a packet costs in events and instructions.

use super::basis::SpeedError;
use hpcc_models::cc::hpcc::{Hpcc, HpccParams};
use hpcc_models::net::{fat_tree, fat_tree_of, CcSlot, Config, Direct, FlowControl, SamplePlan, Simulator, SlotParams};
use hpcc_models::net::{Counters, FlowSpec, Topology};
use hpcc_models::workload::{poisson, Poisson, SizeDistribution};
use hpcc_sim::plan::provenance::Stopwatch;
use std::process::Command;

/// Networks that are measured: 320 hosts of the paper's tree, 1024 of switches of 16 ports.
pub const HOSTS: [usize; 2] = [320, 1024];
/// Network time of a measurement, us.
const MEASURED_US: u64 = 1000;
/// Network times whose difference tells the instructions of a packet, us: flows have joined by the first.
const COUNTED_US: [u64; 2] = [60, 120];
/// The option that runs one network alone, for valgrind.
pub const ALONE: &str = "--network-alone";

/// One measurement.
#[derive(Debug, Clone)]
pub struct Network {
    /// Hosts.
    pub hosts: usize,
    /// Flows offered.
    pub flows: usize,
    /// What was counted.
    pub counters: Counters,
    /// Processor time of the set-up, and of the run, seconds; real time where the system does not say.
    pub seconds: [f64; 2],
    /// Instructions a packet-hop; `None` without valgrind.
    pub instructions: Option<f64>,
}

/// The tree of so many hosts, 100 Gb/s each, 1 us a link.
fn topology(hosts: usize) -> Result<Topology, SpeedError> {
    match hosts {
        320 => Ok(fat_tree(5)),
        1024 => Ok(fat_tree_of(16, [100; 2], [1000; 2])),
        8192 => Ok(fat_tree_of(32, [100; 2], [1000; 2])),
        other => Err(SpeedError::Check(format!(
            "hosts: expected 320, 1024 or 8192, got {other}"
        ))),
    }
}

/// WebSearch at half load for so long.
fn flows(topology: &Topology, us: u64) -> Result<Vec<FlowSpec>, SpeedError> {
    let text = include_str!("../../../data/cdf/WebSearch_distribution.txt");
    let sizes = SizeDistribution::read("websearch", text).map_err(|e| SpeedError::Check(e.to_string()))?;
    let plan = Poisson {
        hosts: &topology.hosts(),
        host_rate_bps: 100_000_000_000,
        load: 0.5,
        sizes: &sizes,
        start_ps: 0,
        end_ps: us * 1_000_000,
    };
    poisson(&plan, 1).map_err(|e| SpeedError::Check(e.to_string()))
}

/// HPCC in f64.
fn slot(port: &SlotParams) -> Result<Box<dyn CcSlot>, String> {
    let mut params = HpccParams::new(port.line_rate_bps, port.base_rtt_ns as u32);
    params.w_init = port.w_init_bytes as f64;
    let law: Hpcc = Hpcc::new(params).map_err(|error| error.to_string())?;
    Ok(Box::new(Direct::new(Box::new(law))))
}

/// Runs one network for so long.
pub fn alone(hosts: usize, us: u64) -> Result<Network, SpeedError> {
    let topology = topology(hosts)?;
    let flows = flows(&topology, us)?;
    let count = flows.len();
    let mut config = Config::paper(13_000, true);
    config.flow_control = FlowControl::Pfc {
        shift: 3,
        faster_ports_get_more: true,
    };
    let seconds = |started: &Stopwatch| started.cpu_s().unwrap_or_else(|| started.wall_s());
    let started = Stopwatch::start();
    let simulator = Simulator::new(&topology, flows, config, SamplePlan::default(), &mut slot);
    let mut simulator = simulator.map_err(|error| SpeedError::Check(error.to_string()))?;
    let setup = seconds(&started);
    let started = Stopwatch::start();
    simulator.run_until(us * 1_000_000);
    Ok(Network {
        hosts,
        flows: count,
        counters: *simulator.counters(),
        seconds: [setup, seconds(&started)],
        instructions: None,
    })
}

/// Instructions that this program takes for one network, counted by valgrind, and its packet-hops.
fn counted(hosts: usize, us: u64) -> Option<(f64, f64)> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["report", "--speed", "--network", ALONE, &format!("{hosts}:{us}")])
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let instructions = said.lines().find_map(|line| line.split("Collected : ").nth(1))?;
    let hops = String::from_utf8_lossy(&output.stdout).trim().parse().ok()?;
    Some((instructions.trim().parse().ok()?, hops))
}

/// Measures each network, and the set-up of 8192 hosts.
pub fn network(step: &dyn Fn(String)) -> Result<Vec<Network>, SpeedError> {
    let mut rows = vec![];
    for hosts in HOSTS {
        step(format!("{hosts} hosts"));
        let mut row = alone(hosts, MEASURED_US)?;
        step(format!("{hosts} hosts: instructions"));
        if let [Some((few, short)), Some((many, long))] = COUNTED_US.map(|us| counted(hosts, us)) {
            row.instructions = Some((many - few) / (long - short).max(1.0));
        }
        rows.push(row);
    }
    step("8192 hosts".into());
    rows.push(alone(8192, 1)?);
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each network carries packets over links within its first microseconds, with more events than packet-hops.
    #[test]
    fn networks_carry_packets() {
        let row = alone(320, 20).unwrap();
        let counters = row.counters;
        assert!(counters.packet_hops > 1000 && counters.events > counters.packet_hops);
        assert_eq!((row.hosts, counters.drops), (320, 0));
        assert!(alone(321, 20).is_err());
    }
}
