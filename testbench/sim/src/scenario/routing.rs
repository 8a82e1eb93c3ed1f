//! Paths of a scenario: how switches choose among equal ones, and what receivers make of packets that overtake each other.

use hpcc_models::net::{Config, PathRule, Recovery, ReorderRules};

use super::spec::{NetworkSpec, RoutingSpec, SpraySpec};

/// Gap between flowlets, ns.
const FLOWLET_NS: u64 = 10_000;
/// How long a receiver waits for a packet, us.
const REORDER_US: f64 = 100.0;

/// Puts the scenario's rules into the network's.
pub(super) fn paths(spec: &NetworkSpec, config: &mut Config) -> Result<(), String> {
    let gap_ns = spec.flowlet_ns.unwrap_or(FLOWLET_NS);
    if !(1..=1_000_000_000).contains(&gap_ns) {
        return Err(format!("network.flowlet_ns: expected 1 to 1000000000, got {gap_ns}"));
    }
    config.paths = match spec.routing.unwrap_or_default() {
        RoutingSpec::Ecmp => PathRule::Ecmp,
        RoutingSpec::Spray => match spec.spray.unwrap_or_default() {
            SpraySpec::RoundRobin => PathRule::RoundRobin,
            SpraySpec::Random => PathRule::Random,
        },
        RoutingSpec::Flowlet => PathRule::Flowlet { gap_ps: gap_ns * 1000 },
        RoutingSpec::Adaptive => PathRule::Adaptive,
    };
    if !spec.takes_any_order() {
        return Ok(());
    }
    if config.recovery != Recovery::GoBackN {
        return Err(format!(
            "network.reorder: expected only without flow_control = \"{}\", whose receivers have their own way",
            spec.flow_control
        ));
    }
    if let Some(packets) = spec.reorder_packets.filter(|n| !(1..=1_000_000).contains(n)) {
        return Err(format!("network.reorder_packets: expected 1 to 1000000, got {packets}"));
    }
    let default = spec.reorder_packets.is_none().then_some(REORDER_US);
    let wait_us = spec.reorder_us.or(default);
    if let Some(us) = wait_us.filter(|us| !(0.001..=1e6).contains(us)) {
        return Err(format!("network.reorder_us: expected 0.001 to 1e6, got {us}"));
    }
    config.recovery = Recovery::AnyOrder(ReorderRules {
        packets: spec.reorder_packets,
        wait_ps: wait_us.map(|us| (us * 1e6).round() as u64),
    });
    Ok(())
}
