//! From a scenario's words to a topology, its flows and the changes of its links.

use hpcc_models::net::ns3::{read_flow_table, read_topology};
use hpcc_models::net::ClosedLoop;
use hpcc_models::net::{self, FlowSpec, Topology};
use hpcc_models::workload::{
    incast_bursts, poisson, poisson_between, requests, Between, IncastMix, Poisson, Requests, SizeDistribution,
};

use rand::Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::spec::{is_path, NetworkSpec, Scenario, TrafficSpec};
use super::time::ps;
use super::{dependent, trees};
use crate::names::did_you_mean;

/// Built-in topologies.
const TOPOLOGIES: [&str; 9] = [
    "star",
    "dumbbell",
    "chain",
    "leaf-spine",
    "fat-tree",
    "testbed",
    "three-tier",
    "four-pods",
    "racks",
];
/// Built-in distributions of flow sizes.
const SIZES: [&str; 4] = ["websearch", "fb-hadoop", "ali-storage", "google-rpc"];

/// Reads a file for a run, with an error of one line.
pub fn read_text(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))
}

/// Reads a topology file in the ns-3 simulator's format.
pub fn read_topology_file(path: &str) -> Result<Topology, String> {
    read_topology(path, &read_text(path)?).map_err(|e| e.to_string())
}

/// Reads a flow file: a table with commas, or in the ns-3 simulator's format. What is in it and not simulated is said.
pub fn read_flow_file(path: &str, topology: &Topology) -> Result<Vec<FlowSpec>, String> {
    let read = read_flow_table(path, &read_text(path)?, topology).map_err(|e| e.to_string())?;
    read.warnings.iter().for_each(|w| eprintln!("warning: {w}"));
    Ok(read.flows)
}

/// Builds the topology.
pub fn topology(spec: &NetworkSpec) -> Result<Topology, String> {
    let middle = spec.middle_gbps.first().copied().unwrap_or(spec.rate_gbps);
    let few = |least: usize| {
        if spec.hosts < least || spec.hosts > 100_000 {
            return Err(format!("network.hosts: expected {least} to 100000, got {}", spec.hosts));
        }
        Ok(())
    };
    if !(1..=10_000).contains(&spec.rate_gbps) {
        return Err(format!(
            "network.rate_gbps: expected 1 to 10000, got {}",
            spec.rate_gbps
        ));
    }
    let mut topology = match spec.topology.as_str() {
        "star" => few(2).map(|()| net::star(spec.hosts, spec.rate_gbps, spec.delay_ns))?,
        "dumbbell" => few(1).map(|()| net::dumbbell(spec.hosts, spec.rate_gbps, middle, spec.delay_ns))?,
        "chain" => few(1).map(|()| net::chain(spec.hosts, spec.rate_gbps, &spec.middle_gbps, spec.delay_ns))?,
        "leaf-spine" => trees::leaves_and_spines(spec)?,
        "fat-tree" if spec.k.is_some() => trees::fat_tree(spec, spec.k.unwrap_or(0))?,
        "fat-tree" if (1..=64).contains(&spec.pods) => net::fat_tree(spec.pods),
        "fat-tree" => return Err(format!("network.pods: expected 1 to 64, got {}", spec.pods)),
        "testbed" => net::testbed_pod(),
        "four-pods" => net::four_pods(),
        "racks" => {
            let racks = spec.racks.unwrap_or(0);
            if !(2..=1000).contains(&racks) || racks.saturating_mul(spec.hosts) > 100_000 {
                return Err(format!("network.racks: expected 2 to 1000, got {racks}"));
            }
            few(1).map(|()| net::racks(racks, spec.hosts, spec.rate_gbps, middle, spec.delay_ns))?
        }
        "three-tier" => trees::three_tiers(spec)?,
        path if is_path(path) => read_topology_file(path)?,
        other => {
            return Err(format!(
                "network.topology: expected {} or a file, got `{other}`{}",
                TOPOLOGIES.join(", "),
                did_you_mean(other, TOPOLOGIES)
            ))
        }
    };
    if !(0.0..=1.0).contains(&spec.loss) {
        return Err(format!("network.loss: expected 0 to 1, got {}", spec.loss));
    }
    if spec.loss > 0.0 {
        topology.links.iter_mut().for_each(|l| l.loss = spec.loss);
    }
    topology.check().map_err(|e| e.to_string())?;
    Ok(topology)
}

fn sizes(name: &str) -> Result<SizeDistribution, String> {
    let (file, text) = match name {
        "websearch" => (
            "websearch",
            include_str!("../../../data/cdf/WebSearch_distribution.txt").to_string(),
        ),
        "fb-hadoop" => (
            "fb-hadoop",
            include_str!("../../../data/cdf/FbHdp_distribution.txt").to_string(),
        ),
        "ali-storage" => (
            "ali-storage",
            include_str!("../../../data/cdf/AliStorage2019.txt").to_string(),
        ),
        "google-rpc" => (
            "google-rpc",
            include_str!("../../../data/cdf/GoogleRPC2008.txt").to_string(),
        ),
        path if is_path(path) => (path, read_text(path)?),
        other => {
            let near = did_you_mean(other, SIZES);
            return Err(format!("expected {} or a file, got `{other}`{near}", SIZES.join(", ")));
        }
    };
    SizeDistribution::read(file, &text).map_err(|e| e.to_string())
}

/// Makes the flows, in the order of the scenario, and tells how many each source of traffic has.
pub fn flows(scenario: &Scenario, topology: &Topology) -> Result<(Vec<FlowSpec>, Vec<usize>), String> {
    let hosts = topology.hosts();
    // What one host's links carry together, on average over hosts.
    let host_rate = topology
        .links
        .iter()
        .filter(|l| !topology.is_switch[l.a as usize] || !topology.is_switch[l.b as usize])
        .map(|l| l.rate_bps)
        .sum::<u64>()
        / hosts.len().max(1) as u64;
    let mut all = Vec::new();
    let mut counts = Vec::new();
    for (index, traffic) in scenario.traffic.iter().enumerate() {
        let before = all.len();
        let seed = scenario.seed.wrapping_mul(1000).wrapping_add(index as u64);
        let field = |name: &str| format!("traffic.{index}.{name}");
        match traffic {
            TrafficSpec::Flow {
                src,
                dst,
                bytes,
                start_us,
                count,
                every_us,
                ..
            } => {
                for i in 0..*count {
                    let start_ps = ps(start_us + every_us * f64::from(i), &field("start_us"))?;
                    all.push(FlowSpec {
                        src: *src,
                        dst: *dst,
                        bytes: *bytes,
                        start_ps,
                        dst_port: FlowSpec::DST_PORT,
                    });
                }
            }
            TrafficSpec::Incast {
                senders,
                receiver,
                bytes,
                start_us,
                first,
                jitter_us,
            } => {
                let start_ps = ps(*start_us, &field("start_us"))?;
                let jitter_ps = ps(*jitter_us, &field("jitter_us"))?;
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let sources = *first..first.saturating_add(*senders);
                if sources.contains(receiver) {
                    return Err(format!(
                        "{}: expected a host that is not among the senders {first} to {}, got {receiver}",
                        field("receiver"),
                        sources.end - 1
                    ));
                }
                all.extend(sources.map(|src| FlowSpec {
                    src,
                    dst: *receiver,
                    bytes: *bytes,
                    start_ps: start_ps + rng.random_range(0..=jitter_ps),
                    dst_port: FlowSpec::DST_PORT,
                }));
            }
            TrafficSpec::Poisson {
                sizes: name,
                load,
                until_us,
            } => {
                let plan = Poisson {
                    hosts: &hosts,
                    host_rate_bps: host_rate,
                    load: *load,
                    sizes: &sizes(name).map_err(|e| format!("{}: {e}", field("sizes")))?,
                    start_ps: 0,
                    end_ps: ps(*until_us, &field("until_us"))?,
                };
                all.extend(poisson(&plan, seed).map_err(|e| field(&e.to_string()))?);
            }
            TrafficSpec::PoissonBetween {
                sizes: name,
                rate_gbps,
                sources,
                destinations,
                start_us,
                until_us,
            } => {
                let plan = Between {
                    sources: &range(*sources),
                    destinations: &range(*destinations),
                    rate_bps: rate_gbps * 1e9,
                    sizes: &sizes(name).map_err(|e| format!("{}: {e}", field("sizes")))?,
                    start_ps: ps(*start_us, &field("start_us"))?,
                    end_ps: ps(*until_us, &field("until_us"))?,
                };
                all.extend(poisson_between(&plan, seed).map_err(|e| field(&e.to_string()))?);
            }
            TrafficSpec::ClosedLoop { .. } => {}
            TrafficSpec::IncastMix {
                senders,
                bytes,
                load,
                until_us,
            } => {
                let plan = IncastMix {
                    hosts: &hosts,
                    host_rate_bps: host_rate,
                    load: *load,
                    senders: *senders,
                    bytes: *bytes,
                    start_ps: 0,
                    end_ps: ps(*until_us, &field("until_us"))?,
                };
                all.extend(incast_bursts(&plan, seed).map_err(|e| field(&e.to_string()))?);
            }
            TrafficSpec::Requests {
                per_second,
                servers,
                bytes,
                until_us,
            } => {
                let plan = Requests {
                    racks: &topology.racks(),
                    per_second: *per_second,
                    servers: *servers,
                    bytes: *bytes,
                    start_ps: 0,
                    end_ps: ps(*until_us, &field("until_us"))?,
                };
                all.extend(requests(&plan, seed).map_err(|e| field(&e.to_string()))?);
            }
            TrafficSpec::Racks {
                from,
                to,
                bytes,
                start_us,
            } => {
                let start_ps = ps(*start_us, &field("start_us"))?;
                let racks = topology.racks();
                let chosen = |list: &[usize], name: &str| match list.iter().find(|&&r| r >= racks.len()) {
                    Some(r) => Err(format!(
                        "{}: expected racks below {}, got {r}",
                        field(name),
                        racks.len()
                    )),
                    None if list.is_empty() => Ok((0..racks.len()).collect()),
                    None => Ok(list.to_vec()),
                };
                let (from, to): (Vec<usize>, Vec<usize>) = (chosen(from, "from")?, chosen(to, "to")?);
                let pairs = from.iter().flat_map(|&a| to.iter().map(move |&b| (a, b)));
                for (a, b) in pairs.filter(|(a, b)| a != b) {
                    all.extend(racks[a].iter().zip(&racks[b]).map(|(&src, &dst)| FlowSpec {
                        src,
                        dst,
                        bytes: *bytes,
                        start_ps,
                        dst_port: FlowSpec::DST_PORT,
                    }));
                }
                if all.len() == before {
                    return Err(format!("traffic.{index}: expected a pair of different racks"));
                }
            }
            TrafficSpec::Collective { .. } => {
                let made = dependent::collective(index, traffic, topology)?
                    .map(|c| c.flows())
                    .transpose();
                let made = made.map_err(|error| format!("traffic.{index}.{error}"))?;
                all.extend(made.unwrap_or_default().flows);
            }
            TrafficSpec::Permutation {
                hosts, bytes, start_us, ..
            } => {
                let start_ps = ps(*start_us, &field("start_us"))?;
                let hosts = dependent::hosts_of(&field("hosts"), hosts, topology)?;
                let mut to: Vec<usize> = (0..hosts.len()).collect();
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                // Sattolo's shuffle: one circle of all, so nobody sends to itself.
                (1..to.len()).rev().for_each(|at| to.swap(at, rng.random_range(0..at)));
                let pairs = hosts.iter().zip(to).map(|(&src, to)| (src, hosts[to]));
                all.extend(pairs.map(|(src, dst)| spec(src, dst, *bytes, start_ps)));
            }
            TrafficSpec::AllToAll {
                hosts, bytes, start_us, ..
            } => {
                let start_ps = ps(*start_us, &field("start_us"))?;
                let hosts = dependent::hosts_of(&field("hosts"), hosts, topology)?;
                let n = hosts.len();
                let pairs = (1..n).flat_map(|d| (0..n).map(move |from| (from, (from + d) % n)));
                all.extend(pairs.map(|(from, to)| spec(hosts[from], hosts[to], *bytes, start_ps)));
            }
            TrafficSpec::File { path } => {
                all.extend(read_flow_file(path, topology)?);
            }
        }
        possible(index, traffic, &all[before..], topology)?;
        counts.push(all.len() - before);
    }
    let closed = scenario
        .traffic
        .iter()
        .any(|t| matches!(t, TrafficSpec::ClosedLoop { .. }));
    if all.is_empty() && !closed {
        return Err("traffic: expected at least one flow".into());
    }
    Ok((all, counts))
}

fn spec(src: u32, dst: u32, bytes: u64, start_ps: u64) -> FlowSpec {
    FlowSpec {
        src,
        dst,
        bytes,
        start_ps,
        dst_port: FlowSpec::DST_PORT,
    }
}

/// Flows whose ends or size a source gives outright must be possible; a fault names the source's key.
fn possible(index: usize, traffic: &TrafficSpec, flows: &[FlowSpec], topology: &Topology) -> Result<(), String> {
    let [src, dst] = match traffic {
        TrafficSpec::Flow { .. } => ["src", "dst"],
        TrafficSpec::Incast { .. } => ["senders", "receiver"],
        TrafficSpec::Permutation { .. } | TrafficSpec::AllToAll { .. } => ["hosts", "hosts"],
        _ => return Ok(()),
    };
    let fault = |key: &str, expected: &str| Err(format!("traffic.{index}.{key}: expected {expected}"));
    for flow in flows {
        for (key, node) in [(src, flow.src), (dst, flow.dst)] {
            if topology.is_switch.get(node as usize) != Some(&false) {
                return fault(key, &format!("a host of the topology, got {node}"));
            }
        }
        if flow.src == flow.dst {
            return fault(dst, &format!("another host than {src}"));
        }
        if flow.bytes == 0 {
            return fault("bytes", "more than 0");
        }
    }
    Ok(())
}

/// Hosts from the first to the last.
fn range([first, last]: [u32; 2]) -> Vec<u32> {
    (first..=last).collect()
}

/// Makes the closed loops.
pub fn loops(scenario: &Scenario) -> Result<Vec<ClosedLoop>, String> {
    let mut all = Vec::new();
    for (index, traffic) in scenario.traffic.iter().enumerate() {
        let TrafficSpec::ClosedLoop {
            clients,
            servers,
            count,
            request_bytes,
            response_bytes,
            pause_us,
            pause_deviation_us,
            start_us,
            jitter_us,
            until_us,
            keep_window,
        } = traffic
        else {
            continue;
        };
        let field = |name: &str| format!("traffic.{index}.{name}");
        let (clients, servers) = (range(*clients), range(*servers));
        if clients.is_empty() || servers.is_empty() {
            return Err(format!("{}: expected first and last host", field("clients, servers")));
        }
        let seed = scenario.seed.wrapping_mul(1000).wrapping_add(index as u64);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let start_ps = ps(*start_us, &field("start_us"))?;
        let jitter_ps = ps(*jitter_us, &field("jitter_us"))?;
        for number in 0..*count as usize {
            all.push(ClosedLoop {
                client: clients[number % clients.len()],
                server: servers[number % servers.len()],
                request_bytes: *request_bytes,
                response_bytes: *response_bytes,
                pause_ps: ps(*pause_us, &field("pause_us"))? as f64,
                pause_deviation_ps: ps(*pause_deviation_us, &field("pause_deviation_us"))? as f64,
                start_ps: start_ps + rng.random_range(0..=jitter_ps),
                until_ps: ps(*until_us, &field("until_us"))?,
                keep_window: *keep_window,
                seed: rng.random(),
            });
        }
    }
    Ok(all)
}
