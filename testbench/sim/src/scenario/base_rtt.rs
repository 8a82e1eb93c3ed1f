//! `T` of a run: looked up where a scenario leaves it to the network, and held against the network where it does not.

use hpcc_models::cc::hpcc::Q_UNIT;
use hpcc_models::net::{ClosedLoop, Config, FlowSpec, SamplePlan, SetupError, Simulator, Topology};

use super::spec::{BaseRtt, Scenario};
use crate::plan::laws::LawSpec;
use crate::plan::Job;

/// Longest queue that INT tells at multiplier 1, bytes.
const LONGEST_QUEUE: u64 = u16::MAX as u64 * Q_UNIT;
/// Largest multiplier of INT's units.
const MOST_MULTIPLIER: u64 = 255;

fn pairs(flows: &[FlowSpec], loops: &[ClosedLoop]) -> Vec<(u32, u32)> {
    let of_flows = flows.iter().map(|f| (f.src, f.dst));
    let of_loops = loops.iter().flat_map(|l| [(l.client, l.server), (l.server, l.client)]);
    of_flows.chain(of_loops).collect()
}

/// The largest base round trip of the pairs of hosts that talk, ns.
fn of_network(topology: &Topology, config: &Config, talk: Vec<(u32, u32)>) -> Result<Option<u64>, SetupError> {
    let none = &mut |_: &_| Err("no flow".to_string());
    let sim = Simulator::new(topology, Vec::new(), config.clone(), SamplePlan::default(), none)?;
    let hosts = |&(a, b): &(u32, u32)| {
        [a, b]
            .iter()
            .all(|&n| topology.is_switch.get(n as usize) == Some(&false))
    };
    Ok(sim.base_rtt_ns(talk.into_iter().filter(hosts)))
}

/// Looks `T` up where the scenario says `auto`; whether it has done so. `config`: the network's rules.
pub fn resolve(
    scenario: &mut Scenario,
    config: &Config,
    topology: &Topology,
    flows: &[FlowSpec],
    loops: &[ClosedLoop],
) -> Result<bool, String> {
    if scenario.cc.t_ns != BaseRtt::Auto {
        return Ok(false);
    }
    let found = of_network(topology, config, pairs(flows, loops)).map_err(|e| e.to_string())?;
    // Without a path the run fails, whatever `T` is.
    scenario.cc.t_ns = BaseRtt::Ns(found.unwrap_or(13_000));
    Ok(found.is_some())
}

/// Multiplier of INT's units with which a window of one `T` at the fastest host's line rate, as a queue, is still told: 1 up to 5.2 MB.
pub fn int_multiplier(t_ns: u64, topology: &Topology) -> Result<u32, String> {
    let is_switch = |node: u32| topology.is_switch[node as usize];
    let hosts = topology.links.iter().filter(|l| !is_switch(l.a) || !is_switch(l.b));
    let line = hosts.map(|l| l.rate_bps).max().unwrap_or(0);
    let window = (u128::from(line) * u128::from(t_ns) / 8_000_000_000) as u64;
    let multiplier = window.div_ceil(LONGEST_QUEUE).max(1);
    if multiplier > MOST_MULTIPLIER {
        return Err(format!(
            "cc.t_ns: expected a window of at most {} bytes, the longest queue that INT tells, got {window} ({t_ns} ns at {} Gb/s)",
            LONGEST_QUEUE * MOST_MULTIPLIER,
            line as f64 / 1e9
        ));
    }
    Ok(multiplier as u32)
}

impl Job {
    /// A warning of a `T` below the network's.
    pub fn warning_of_t(&self) -> Option<String> {
        let t_ns = self.config.window_t_ns();
        if t_ns == 0 || self.t_of_network {
            return None;
        }
        let real = of_network(&self.topology, &self.config, pairs(&self.flows, &self.loops)).ok()??;
        (t_ns < real).then(|| {
            format!("warning: cc.t_ns: {t_ns} is less than the largest base round trip of the hosts that talk, {real}")
        })
    }
}

/// The law needs INT, and the multiplier of its units.
pub fn set_multiplier(config: &mut Config, law: &LawSpec, topology: &Topology) -> Result<(), String> {
    if law.uses_int() {
        config.int_multi = int_multiplier(config.window_t_ns(), topology)?;
    }
    Ok(())
}
