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
mod tests {
    use super::super::spec::{plan, Overrides};
    use super::super::traffic::topology;
    use super::*;

    fn of(network: &str) -> Result<Topology, String> {
        let text = format!(
            "name = \"x\"\n[network]\n{network}\n[run]\nstop_us = 1\n[[traffic]]\nkind = \"flow\"\nsrc = 0\ndst = 1\nbytes = 1\n"
        );
        topology(&plan("x", &text, &Overrides::default())?[0].scenario.network)
    }

    /// Hosts, nodes, links; Gb/s and ns of the first and the last link.
    fn shape(network: &str) -> (usize, usize, usize, [u64; 4]) {
        let t = of(network).unwrap();
        let (first, last) = (&t.links[0], &t.links[t.links.len() - 1]);
        let ends = [first.rate_bps / 1_000_000_000, first.delay_ps / 1000];
        let ends = [ends[0], ends[1], last.rate_bps / 1_000_000_000, last.delay_ps / 1000];
        (t.hosts().len(), t.nodes(), t.links.len(), ends)
    }

    #[test]
    fn keys_give_the_sizes() {
        let two_tiers = "topology = \"leaf-spine\"\nleaves = 4\nspines = 2\nhosts = 8\n";
        assert_eq!(shape(two_tiers), (32, 38, 40, [100, 1000, 100, 1000]));
        let rates =
            format!("{two_tiers}rate_gbps = 25\nmiddle_gbps = [400]\ndelay_ns = 500\nmiddle_delay_ns = [600]\n");
        assert_eq!(shape(&rates), (32, 38, 40, [25, 500, 400, 600]));
        let fat = "topology = \"fat-tree\"\nk = 4\nmiddle_gbps = [400]\n";
        assert_eq!(shape(fat), (16, 36, 48, [100, 1000, 400, 1000]));
        // without `k` the paper's pods
        assert_eq!(shape("topology = \"fat-tree\"\npods = 1\n").0, 64);
        let three = "topology = \"three-tier\"\nrate_gbps = 10\nmiddle_gbps = [40, 100]\n";
        assert_eq!(shape(three), (64, 75, 74, [10, 1000, 100, 100_000]));
        let three = format!("{three}aggregations = 3\nedges = 2\nhosts = 5\ndelay_ns = 7\nmiddle_delay_ns = [8, 9]\n");
        assert_eq!(shape(&three), (30, 40, 39, [10, 7, 100, 9]));
    }

    #[test]
    fn sizes_have_bounds_and_keys_an_effect() {
        let refused = [
            (
                "topology = \"leaf-spine\"\nspines = 2\nhosts = 2",
                "network.leaves: expected 1 to 1000, got 0",
            ),
            (
                "topology = \"leaf-spine\"\nleaves = 2\nhosts = 2",
                "network.spines: expected 1 to 1000, got 0",
            ),
            (
                "topology = \"leaf-spine\"\nleaves = 2\nspines = 2",
                "network.hosts: expected 1 to 50000, got 0",
            ),
            (
                "topology = \"fat-tree\"\nk = 5",
                "network.k: expected an even number from 2 to 64, got 5",
            ),
            (
                "topology = \"fat-tree\"\nk = 66",
                "network.k: expected an even number from 2 to 64, got 66",
            ),
            (
                "topology = \"three-tier\"\nedges = 0",
                "network.edges: expected 1 to 1000, got 0",
            ),
            (
                "topology = \"fat-tree\"\nk = 4\npods = 2",
                "network.pods: fat-tree has no such key",
            ),
            (
                "topology = \"fat-tree\"\ndelay_ns = 2",
                "network.delay_ns: fat-tree has no such key",
            ),
            (
                "topology = \"star\"\nhosts = 2\nleaves = 2",
                "network.leaves: star has no such key",
            ),
        ];
        for (network, expected) in refused {
            let error = of(network).unwrap_err();
            assert!(error.ends_with(expected), "{network}: {error}");
        }
    }
}
