//! Topologies by name: star, dumbbell, chain, the paper's fat tree and its testbed PoD (paper 5.1).

use super::topology::Topology;

/// `hosts` hosts around one switch (node number `hosts`).
pub fn star(hosts: usize, rate_gbps: u64, delay_ns: u64) -> Topology {
    let mut t = Topology::new(hosts, 1);
    for host in 0..hosts {
        t.link(host, hosts, rate_gbps, delay_ns);
    }
    t
}

/// `pairs` hosts on each of two switches, joined by one link; host `i` on the left, `pairs + i` on the right.
pub fn dumbbell(pairs: usize, rate_gbps: u64, middle_gbps: u64, delay_ns: u64) -> Topology {
    let mut t = Topology::new(2 * pairs, 2);
    for i in 0..pairs {
        t.link(i, 2 * pairs, rate_gbps, delay_ns);
        t.link(pairs + i, 2 * pairs + 1, rate_gbps, delay_ns);
    }
    t.link(2 * pairs, 2 * pairs + 1, middle_gbps, delay_ns);
    t
}

/// A row of switches with `per_switch` hosts each, neighbouring switches joined at the given speeds.
pub fn chain(per_switch: usize, rate_gbps: u64, middle_gbps: &[u64], delay_ns: u64) -> Topology {
    let switches = middle_gbps.len() + 1;
    let hosts = switches * per_switch;
    let mut t = Topology::new(hosts, switches);
    for host in 0..hosts {
        t.link(host, hosts + host / per_switch, rate_gbps, delay_ns);
    }
    for (i, &gbps) in middle_gbps.iter().enumerate() {
        t.link(hosts + i, hosts + i + 1, gbps, delay_ns);
    }
    t
}

/// `racks` ToRs with `per_rack` hosts each, every ToR with one link to the one switch of the packet network. Hosts are numbered rack by rack,
/// then come the ToRs, then that switch.
pub fn racks(racks: usize, per_rack: usize, rate_gbps: u64, uplink_gbps: u64, delay_ns: u64) -> Topology {
    let hosts = racks * per_rack;
    let mut t = Topology::new(hosts, racks + 1);
    for host in 0..hosts {
        t.link(host, hosts + host / per_rack, rate_gbps, delay_ns);
    }
    for rack in 0..racks {
        t.link(hosts + rack, hosts + racks, uplink_gbps, delay_ns);
    }
    t
}

/// The fat tree of the paper's simulations at `scale` 5: 320 hosts at 100G, 20 ToRs, 20 Aggs, 16 Cores, 400G between switches, 1 us per
/// link. A smaller scale keeps that many of the five pods (64 hosts each) under the same 16 cores.
pub fn fat_tree(scale: usize) -> Topology {
    fat_tree_with(scale.max(1), 16, 100, 400)
}

/// The same shape with another number of hosts per rack and other speeds.
pub fn fat_tree_with(pods: usize, hosts_per_rack: usize, host_gbps: u64, fabric_gbps: u64) -> Topology {
    const PER_POD: usize = 4;
    const CORES: usize = 16;
    let racks = pods * PER_POD;
    let hosts = racks * hosts_per_rack;
    let (tor, agg, core) = (hosts, hosts + racks, hosts + 2 * racks);
    let mut t = Topology::new(hosts, 2 * racks + CORES);
    for host in 0..hosts {
        t.link(host, tor + host / hosts_per_rack, host_gbps, 1000);
    }
    for rack in 0..racks {
        for i in 0..PER_POD {
            t.link(tor + rack, agg + rack / PER_POD * PER_POD + i, fabric_gbps, 1000);
        }
    }
    for a in 0..racks {
        for i in 0..CORES / PER_POD {
            t.link(agg + a, core + a % PER_POD * (CORES / PER_POD) + i, fabric_gbps, 1000);
        }
    }
    t
}

/// The paper's testbed: 32 servers with two 25G ports, servers 0 to 15 on ToR 1 and 2, 16 to 31 on ToR 3 and 4, each ToR with a 100G
/// link to the one Agg. The link delays give its base RTT of 5.4 us within a rack and 8.5 us across with 1 KB packets.
pub fn testbed_pod() -> Topology {
    let mut t = Topology::new(32, 5);
    for server in 0..32 {
        let first_tor = 32 + server / 16 * 2;
        t.link(server, first_tor, 25, 1150);
        t.link(server, first_tor + 1, 25, 1150);
    }
    for tor in 32..36 {
        t.link(tor, 36, 100, 700);
    }
    t
}

/// The three-tier tree of HCC's evaluation (its section IV): 64 servers, 8 to an edge switch, 4 edge switches to each of two aggregation
/// switches, one core switch between them; 1, 10 and 100 us per link. Servers 0 to 31 are its left half.
pub fn three_tier(core_gbps: u64, aggregation_gbps: u64, edge_gbps: u64) -> Topology {
    const SERVERS: usize = 64;
    let (edge, aggregation, core) = (SERVERS, SERVERS + 8, SERVERS + 10);
    let mut t = Topology::new(SERVERS, 11);
    for server in 0..SERVERS {
        t.link(server, edge + server / 8, edge_gbps, 1_000);
    }
    for e in 0..8 {
        t.link(edge + e, aggregation + e / 4, aggregation_gbps, 10_000);
    }
    for a in 0..2 {
        t.link(aggregation + a, core, core_gbps, 100_000);
    }
    t
}

/// The fat tree of PowerTCP's evaluation (its section 4.1): 256 hosts at 25G on 8 ToRs, two ToRs and two Aggs to each of four pods, 2 Cores,
/// 100G between switches, so that a ToR's uplinks carry a quarter of what its hosts may send; 1 us per link, 5 us to the Cores. Host `h` is on
/// ToR `256 + h / 32`.
pub fn four_pods() -> Topology {
    const HOSTS: usize = 256;
    const PER_RACK: usize = 32;
    let (tor, agg, core) = (HOSTS, HOSTS + 8, HOSTS + 16);
    let mut t = Topology::new(HOSTS, 18);
    for host in 0..HOSTS {
        t.link(host, tor + host / PER_RACK, 25, 1_000);
    }
    for rack in 0..8 {
        for i in 0..2 {
            t.link(tor + rack, agg + rack / 2 * 2 + i, 100, 1_000);
        }
    }
    for a in 0..8 {
        for i in 0..2 {
            t.link(agg + a, core + i, 100, 5_000);
        }
    }
    t
}

#[cfg(test)]
mod tests {
    use super::super::topology::Link;
    use super::*;

    #[test]
    fn the_papers_fat_tree_has_its_sizes() {
        let t = fat_tree(5);
        assert_eq!((t.hosts().len(), t.nodes() - 320, t.links.len()), (320, 56, 480));
        assert!(t.check().is_ok() && testbed_pod().check().is_ok());
    }

    /// Links of a topology in order: ends, Gb/s, ns.
    fn links(t: &Topology) -> Vec<(u32, u32, u64, u64)> {
        let link = |l: &Link| (l.a, l.b, l.rate_bps / 1_000_000_000, l.delay_ps / 1000);
        t.links.iter().map(link).collect()
    }

    /// What a node is linked to, in the order of numbers.
    fn beside(t: &Topology, node: u32) -> Vec<u32> {
        let other = |l: &Link| match (l.a == node, l.b == node) {
            (true, _) => Some(l.b),
            (_, true) => Some(l.a),
            _ => None,
        };
        let mut found: Vec<u32> = t.links.iter().filter_map(other).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn small_networks_link_by_link() {
        assert_eq!(links(&star(2, 25, 500)), [(0, 2, 25, 500), (1, 2, 25, 500)]);
        // hosts 0 and 1 on switch 4, 2 and 3 on switch 5
        let mut two = links(&dumbbell(2, 25, 10, 1000));
        two.sort_unstable();
        let expected = [(0, 4, 25), (1, 4, 25), (2, 5, 25), (3, 5, 25), (4, 5, 10)];
        assert_eq!(two, expected.map(|(a, b, gbps)| (a, b, gbps, 1000)));
        // two hosts on each of the switches 6, 7, 8
        let expected = [
            (0, 6, 25),
            (1, 6, 25),
            (2, 7, 25),
            (3, 7, 25),
            (4, 8, 25),
            (5, 8, 25),
            (6, 7, 10),
            (7, 8, 40),
        ];
        assert_eq!(
            links(&chain(2, 25, &[10, 40], 1000)),
            expected.map(|(a, b, gbps)| (a, b, gbps, 1000))
        );
    }

    /// Two pods of the paper's fat tree: hosts 0 to 127, ToRs 128 to 135, Aggs 136 to 143, Cores 144 to 159.
    #[test]
    fn trees_node_by_node() {
        let t = fat_tree(2);
        assert_eq!(beside(&t, 17), [129]);
        assert_eq!(
            beside(&t, 132),
            [64..80, 140..144].into_iter().flatten().collect::<Vec<_>>()
        );
        assert_eq!(beside(&t, 141), [132, 133, 134, 135, 148, 149, 150, 151]);
        assert_eq!(beside(&t, 144), [136, 140]);
        assert_eq!(beside(&t, 159), [139, 143]);
        let speeds = |of_hosts: bool| links(&t).into_iter().filter(move |l| (l.0 < 128) == of_hosts);
        assert!(speeds(true).all(|l| (l.2, l.3) == (100, 1000)));
        assert!(speeds(false).all(|l| (l.2, l.3) == (400, 1000)));
        // the testbed: servers with two ports
        let t = testbed_pod();
        assert_eq!((beside(&t, 15), beside(&t, 16)), (vec![32, 33], vec![34, 35]));
        assert_eq!(beside(&t, 36), [32, 33, 34, 35]);
        assert!(links(&t)
            .iter()
            .all(|l| (l.2, l.3) == if l.0 < 32 { (25, 1150) } else { (100, 700) }));
        // HCC's tree: edges 64 to 71, aggregation 72 and 73, core 74
        let t = three_tier(1, 10, 40);
        assert_eq!(
            (beside(&t, 63), beside(&t, 68)),
            (vec![71], vec![32, 33, 34, 35, 36, 37, 38, 39, 73])
        );
        assert_eq!(
            (beside(&t, 72), beside(&t, 74)),
            (vec![64, 65, 66, 67, 74], vec![72, 73])
        );
        let tier = |l: &(u32, u32, u64, u64)| match l.0 {
            0..64 => (40, 1_000),
            64..72 => (10, 10_000),
            _ => (1, 100_000),
        };
        assert!(links(&t).iter().all(|l| (l.2, l.3) == tier(l)));
        // PowerTCP's tree: ToRs 256 to 263, Aggs 264 to 271, Cores 272 and 273
        let t = four_pods();
        assert_eq!(beside(&t, 255), [263]);
        assert_eq!(
            beside(&t, 261),
            [160..192, 268..270].into_iter().flatten().collect::<Vec<_>>()
        );
        assert_eq!(beside(&t, 268), [260, 261, 272, 273]);
        let delay = |l: &(u32, u32, u64, u64)| if l.1 >= 272 { 5_000 } else { 1_000 };
        assert!(links(&t)
            .iter()
            .all(|l| (l.2, l.3) == (if l.0 < 256 { 25 } else { 100 }, delay(l))));
    }

    /// 32 hosts of 25G behind two links of 100G: four to one.
    #[test]
    fn four_pods_are_four_times_oversubscribed() {
        let t = four_pods();
        assert_eq!((t.hosts().len(), t.nodes(), t.links.len()), (256, 274, 256 + 16 + 16));
        assert!(t.check().is_ok());
        for tor in 256..264 {
            let rate = |up: bool| -> u64 {
                let own = t.links.iter().filter(|l| l.a == tor || l.b == tor);
                own.filter(|l| (l.a.min(l.b) >= 256) == up).map(|l| l.rate_bps).sum()
            };
            assert_eq!(rate(false), 4 * rate(true));
        }
    }
}
