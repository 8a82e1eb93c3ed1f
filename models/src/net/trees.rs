//! Trees whose sizes, speeds and delays a scenario chooses: leaves and spines, the fat tree of `k`-port switches, three tiers.

use super::topology::Topology;

/// Two tiers: every leaf switch has a link to every spine switch. Hosts are numbered leaf by leaf, then come the leaves, then the spines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafSpine {
    /// Leaf switches.
    pub leaves: usize,
    /// Spine switches.
    pub spines: usize,
    /// Hosts on each leaf.
    pub hosts: usize,
    /// Speed of a host's link, and of a link between switches, Gb/s.
    pub gbps: [u64; 2],
    /// Delay of a host's link, and of a link between switches, ns.
    pub delay_ns: [u64; 2],
}

/// Builds leaves and spines.
pub fn leaf_spine(tree: &LeafSpine) -> Topology {
    let hosts = tree.leaves * tree.hosts;
    let mut t = Topology::new(hosts, tree.leaves + tree.spines);
    for host in 0..hosts {
        t.link(host, hosts + host / tree.hosts, tree.gbps[0], tree.delay_ns[0]);
    }
    for leaf in 0..tree.leaves {
        for spine in 0..tree.spines {
            let (leaf, spine) = (hosts + leaf, hosts + tree.leaves + spine);
            t.link(leaf, spine, tree.gbps[1], tree.delay_ns[1]);
        }
    }
    t
}

/// The fat tree of switches with `k` ports, `k` even (Al-Fares, Loukissas, Vahdat: "A Scalable, Commodity Data Center Network Architecture", SIGCOMM 2008): `k`
/// pods of `k/2` edge and `k/2` aggregation switches, `k/2` hosts to an edge switch, `k*k/4` core switches. `gbps` and `delay_ns` are of a
/// host's link and of a link between switches. Hosts are numbered edge switch by edge switch, then come the edge, the aggregation and the core
/// switches.
pub fn fat_tree_of(k: usize, gbps: [u64; 2], delay_ns: [u64; 2]) -> Topology {
    let half = k / 2;
    let switches = k * half;
    let hosts = switches * half;
    let (edge, aggregation, core) = (hosts, hosts + switches, hosts + 2 * switches);
    let mut t = Topology::new(hosts, 2 * switches + half * half);
    for host in 0..hosts {
        t.link(host, edge + host / half, gbps[0], delay_ns[0]);
    }
    for e in 0..switches {
        for i in 0..half {
            t.link(edge + e, aggregation + e / half * half + i, gbps[1], delay_ns[1]);
        }
    }
    for a in 0..switches {
        for i in 0..half {
            t.link(aggregation + a, core + a % half * half + i, gbps[1], delay_ns[1]);
        }
    }
    t
}

/// Three tiers without a second way: one core switch, aggregation switches on it, edge switches on each of those, hosts on each of these. Hosts
/// are numbered edge switch by edge switch, then come the edge switches, the aggregation switches, the core switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreeTier {
    /// Aggregation switches.
    pub aggregations: usize,
    /// Edge switches on each aggregation switch.
    pub edges: usize,
    /// Hosts on each edge switch.
    pub hosts: usize,
    /// Speeds, Gb/s: of a host's link, of an edge switch's link up, of an aggregation switch's link up.
    pub gbps: [u64; 3],
    /// Delays of the same links, ns.
    pub delay_ns: [u64; 3],
}

impl ThreeTier {
    /// The tree of HCC's evaluation (its section IV): 64 servers, 8 to an edge switch, 4 edge switches to each of two aggregation switches; 1, 10
    /// and 100 us per link.
    pub const fn of_hcc(gbps: [u64; 3]) -> Self {
        Self {
            aggregations: 2,
            edges: 4,
            hosts: 8,
            gbps,
            delay_ns: [1_000, 10_000, 100_000],
        }
    }
}

/// Builds three tiers.
pub fn three_tier_of(tree: &ThreeTier) -> Topology {
    let edges = tree.aggregations * tree.edges;
    let hosts = edges * tree.hosts;
    let (edge, aggregation, core) = (hosts, hosts + edges, hosts + edges + tree.aggregations);
    let mut t = Topology::new(hosts, edges + tree.aggregations + 1);
    for host in 0..hosts {
        t.link(host, edge + host / tree.hosts, tree.gbps[0], tree.delay_ns[0]);
    }
    for e in 0..edges {
        t.link(edge + e, aggregation + e / tree.edges, tree.gbps[1], tree.delay_ns[1]);
    }
    for a in 0..tree.aggregations {
        t.link(aggregation + a, core, tree.gbps[2], tree.delay_ns[2]);
    }
    t
}

#[cfg(test)]
mod tests {
    use super::super::builtin::{fat_tree_with, racks, three_tier};
    use super::*;

    /// Links in the order of their ends: ends, Gb/s, ns.
    fn links(t: &Topology) -> Vec<(u32, u32, u64, u64)> {
        let mut links: Vec<_> = t
            .links
            .iter()
            .map(|l| (l.a, l.b, l.rate_bps / 1_000_000_000, l.delay_ps / 1000))
            .collect();
        links.sort_unstable();
        links
    }

    #[test]
    fn leaves_and_spines_link_by_link() {
        let t = leaf_spine(&LeafSpine {
            leaves: 2,
            spines: 2,
            hosts: 2,
            gbps: [25, 100],
            delay_ns: [500, 700],
        });
        let expected = [
            (0, 4, 25, 500),
            (1, 4, 25, 500),
            (2, 5, 25, 500),
            (3, 5, 25, 500),
            (4, 6, 100, 700),
            (4, 7, 100, 700),
            (5, 6, 100, 700),
            (5, 7, 100, 700),
        ];
        assert_eq!(links(&t), expected);
        assert!(t.check().is_ok());
        let one_spine = LeafSpine {
            leaves: 3,
            spines: 1,
            hosts: 4,
            gbps: [10, 40],
            delay_ns: [900, 900],
        };
        assert_eq!(links(&leaf_spine(&one_spine)), links(&racks(3, 4, 10, 40, 900)));
    }

    /// Every switch of the paper's fat tree has `k` ports, and pods have as many hosts as theirs.
    #[test]
    fn a_fat_tree_has_k_ports_everywhere() {
        for k in [2, 4, 6, 8, 16] {
            let t = fat_tree_of(k, [100, 400], [1000, 2000]);
            assert_eq!(
                (t.hosts().len(), t.nodes()),
                (k * k * k / 4, k * k * k / 4 + 5 * k * k / 4)
            );
            for node in t.hosts().len()..t.nodes() {
                let ports = t.links.iter().filter(|l| l.a == node as u32 || l.b == node as u32);
                assert_eq!(ports.count(), k, "switch {node} of k = {k}");
            }
            assert!(t.check().is_ok());
        }
        // eight-port switches, four hosts to a rack: the shape that other trees here have too
        assert_eq!(
            links(&fat_tree_of(8, [100, 400], [1000, 1000])),
            links(&fat_tree_with(8, 4, 100, 400))
        );
        // four-port switches, by hand: hosts 0 to 15, edges 16 to 23, aggregations 24 to 31, cores 32 to 35
        let t = links(&fat_tree_of(4, [10, 40], [100, 200]));
        for expected in [
            (5, 18, 10, 100),
            (18, 26, 40, 200),
            (18, 27, 40, 200),
            (26, 32, 40, 200),
            (26, 33, 40, 200),
            (31, 34, 40, 200),
            (31, 35, 40, 200),
        ] {
            assert!(t.contains(&expected), "{expected:?}");
        }
    }

    #[test]
    fn three_tiers_have_hccs_tree_among_them() {
        assert_eq!(
            links(&three_tier_of(&ThreeTier::of_hcc([40, 10, 1]))),
            links(&three_tier(1, 10, 40))
        );
        let small = ThreeTier {
            aggregations: 2,
            edges: 1,
            hosts: 1,
            gbps: [10, 40, 100],
            delay_ns: [1, 2, 3],
        };
        let expected = [
            (0, 2, 10, 1),
            (1, 3, 10, 1),
            (2, 4, 40, 2),
            (3, 5, 40, 2),
            (4, 6, 100, 3),
            (5, 6, 100, 3),
        ];
        assert_eq!(links(&three_tier_of(&small)), expected);
    }
}
