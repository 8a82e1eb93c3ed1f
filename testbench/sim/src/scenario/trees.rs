//! Trees of a scenario whose sizes it chooses: `leaf-spine`, `fat-tree` with `k`, `three-tier`.

use super::spec::NetworkSpec;
use hpcc_models::net::{fat_tree_of, leaf_spine, three_tier_of, LeafSpine, ThreeTier, Topology};

/// Hosts of a network at most.
const MAX_HOSTS: usize = 100_000;

fn range(key: &str, value: usize, least: usize, most: usize) -> Result<usize, String> {
    match (least..=most).contains(&value) {
        true => Ok(value),
        false => Err(format!("network.{key}: expected {least} to {most}, got {value}")),
    }
}

/// Speed and delay of the links above the hosts' in tier `tier`, counted from the hosts; the last given are those of all tiers above.
fn above(spec: &NetworkSpec, tier: usize) -> (u64, u64) {
    let of = |list: &[u64], default: u64| list.get(tier).or(list.last()).copied().unwrap_or(default);
    (
        of(&spec.middle_gbps, spec.rate_gbps),
        of(&spec.middle_delay_ns, spec.delay_ns),
    )
}

/// Leaves and spines.
pub(super) fn leaves_and_spines(spec: &NetworkSpec) -> Result<Topology, String> {
    let leaves = range("leaves", spec.leaves.unwrap_or(0), 1, 1000)?;
    let spines = range("spines", spec.spines.unwrap_or(0), 1, 1000)?;
    let hosts = range("hosts", spec.hosts, 1, MAX_HOSTS / leaves)?;
    let (gbps, delay_ns) = above(spec, 0);
    Ok(leaf_spine(&LeafSpine {
        leaves,
        spines,
        hosts,
        gbps: [spec.rate_gbps, gbps],
        delay_ns: [spec.delay_ns, delay_ns],
    }))
}

/// The fat tree of switches with `k` ports.
pub(super) fn fat_tree(spec: &NetworkSpec, k: usize) -> Result<Topology, String> {
    if !k.is_multiple_of(2) || !(2..=64).contains(&k) {
        return Err(format!("network.k: expected an even number from 2 to 64, got {k}"));
    }
    let (gbps, delay_ns) = above(spec, 0);
    Ok(fat_tree_of(k, [spec.rate_gbps, gbps], [spec.delay_ns, delay_ns]))
}

/// Three tiers: HCC's tree, with the sizes and delays that the scenario has in place of it.
pub(super) fn three_tiers(spec: &NetworkSpec) -> Result<Topology, String> {
    let speeds = [spec.rate_gbps, above(spec, 0).0, above(spec, 1).0];
    let mut tree = ThreeTier::of_hcc(speeds);
    if let Some(aggregations) = spec.aggregations {
        tree.aggregations = range("aggregations", aggregations, 1, 1000)?;
    }
    if let Some(edges) = spec.edges {
        tree.edges = range("edges", edges, 1, 1000)?;
    }
    if spec.hosts > 0 {
        tree.hosts = range("hosts", spec.hosts, 1, MAX_HOSTS)?;
    }
    if tree.aggregations * tree.edges * tree.hosts > MAX_HOSTS {
        return Err(format!(
            "network.hosts: expected at most {MAX_HOSTS} hosts in all, got {}",
            tree.aggregations * tree.edges * tree.hosts
        ));
    }
    if !spec.middle_delay_ns.is_empty() {
        tree.delay_ns = [spec.delay_ns, above(spec, 0).1, above(spec, 1).1];
    }
    Ok(three_tier_of(&tree))
}

#[cfg(test)]
#[path = "trees_tests.rs"]
mod tests;
