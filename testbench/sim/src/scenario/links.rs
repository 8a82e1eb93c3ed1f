//! Links of a scenario: their speeds, and the changes of them.

use std::collections::BTreeSet;

use hpcc_models::net::{LinkChange, Topology};

use super::spec::Scenario;
use super::time::ps;

/// Every speed that a link has or gets, bits per second.
pub fn speeds(scenario: &Scenario, topology: &Topology) -> BTreeSet<u64> {
    let changes = scenario.network.link_change.iter().filter_map(|c| c.rate_gbps);
    let links = topology.links.iter().map(|l| l.rate_bps);
    links.chain(changes.map(|gbps| gbps * 1_000_000_000)).collect()
}

/// The scenario's link changes.
pub fn link_changes(scenario: &Scenario, topology: &Topology) -> Result<Vec<LinkChange>, String> {
    let links = topology.links.len();
    let changes = scenario.network.link_change.iter().enumerate();
    changes
        .map(|(index, change)| {
            if change.link >= links {
                return Err(format!(
                    "network.link_change.{index}.link: expected below {links}, got {}",
                    change.link
                ));
            }
            if let Some(rate) = change.rate_gbps.filter(|r| !(1..=10_000).contains(r)) {
                return Err(format!(
                    "network.link_change.{index}.rate_gbps: expected 1 to 10000, got {rate}"
                ));
            }
            Ok(LinkChange {
                at_ps: ps(change.at_us, "network.link_change.at_us")?,
                link: change.link,
                up: change.up,
                rate_bps: change.rate_gbps.map(|g| g * 1_000_000_000),
            })
        })
        .collect()
}
