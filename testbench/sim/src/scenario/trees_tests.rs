//! Keys of networks that are trees.

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
    let rates = format!("{two_tiers}rate_gbps = 25\nmiddle_gbps = [400]\ndelay_ns = 500\nmiddle_delay_ns = [600]\n");
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
