//! Rows of leaf switches against a search from every host, as the authors' simulator does it.

use super::super::topology::Link;
use super::*;
use proptest::prelude::*;

/// Links of a network with hosts of one and of several links, parallel links, links between hosts, and some that have failed.
fn network() -> impl Strategy<Value = (Topology, Vec<bool>)> {
    let link = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        0usize..3,
        1u64..4,
        0u8..8,
    );
    let shape = (1usize..7, 1usize..6, prop::collection::vec(link, 1..30));
    shape.prop_map(|(hosts, switches, links)| {
        let mut topology = Topology::new(hosts, switches);
        let mut up = Vec::new();
        for (a, b, speed, delay, fate) in links {
            let (a, b) = (a.index(hosts + switches) as u32, b.index(hosts + switches) as u32);
            if a != b {
                topology.links.push(Link {
                    a,
                    b,
                    rate_bps: [10, 25, 100][speed] * 1_000_000_000,
                    delay_ps: delay * 700_300,
                    loss: 0.0,
                });
                up.push(fate > 0);
            }
        }
        (topology, up)
    })
}

fn edges(topology: &Topology, up: &[bool]) -> Vec<Vec<Edge>> {
    let mut edges = vec![Vec::new(); topology.nodes()];
    for (index, (link, &up)) in topology.links.iter().zip(up).enumerate() {
        let port = 2 * index as u32;
        for (node, peer, port, back) in [(link.a, link.b, port, port + 1), (link.b, link.a, port + 1, port)] {
            edges[node as usize].push(Edge {
                port,
                back,
                peer,
                rate_bps: link.rate_bps,
                delay_ps: link.delay_ps,
                up,
            });
        }
    }
    edges
}

/// Ports of every node towards `root`, and the metrics of the pair with it.
fn from_host(topology: &Topology, edges: &[Vec<Edge>], root: u32) -> Vec<(Vec<u32>, Option<PairMetrics>)> {
    let nodes = topology.nodes();
    let mut distance = vec![None; nodes];
    let mut way = vec![(0u64, 0u64, u64::MAX); nodes];
    let mut ports = vec![Vec::new(); nodes];
    distance[root as usize] = Some(0);
    let mut order = vec![root];
    let mut at = 0;
    while at < order.len() {
        let now = order[at] as usize;
        at += 1;
        let mut list: Vec<&Edge> = edges[now].iter().filter(|e| e.up).collect();
        list.sort_by_key(|e| {
            let switch = topology.is_switch[e.peer as usize];
            let place = i64::from(e.peer);
            (switch, if switch { -place } else { place }, e.port)
        });
        for edge in list {
            let peer = edge.peer as usize;
            let beyond = distance[now].map(|d: u32| d + 1);
            if distance[peer].is_none() {
                distance[peer] = beyond;
                let (delay, serial, slowest) = way[now];
                way[peer] = (
                    delay + edge.delay_ps,
                    serial + 1000 * 8_000_000_000 / edge.rate_bps,
                    slowest.min(edge.rate_bps),
                );
                if topology.is_switch[peer] {
                    order.push(edge.peer);
                }
            }
            if distance[peer] == beyond {
                ports[peer].push(edge.back);
            }
        }
    }
    let metrics = |node: usize| {
        let (delay, serial, slowest) = way[node];
        (distance[node].is_some() && node != root as usize && !topology.is_switch[node]).then(|| PairMetrics {
            rtt_ns: 2 * delay / 1000 + serial,
            delay_ns: delay / 1000,
            rate_bps: slowest,
        })
    };
    (0..nodes).map(|node| (ports[node].clone(), metrics(node))).collect()
}

proptest! {
    #[test]
    fn a_leafs_row_is_that_of_each_of_its_hosts((topology, up) in network()) {
        let edges = edges(&topology, &up);
        let routes = Routes::compute(&topology, &edges, 1000);
        let mut extremes = (0, 0);
        for host in topology.hosts() {
            for (node, (ports, metrics)) in from_host(&topology, &edges, host).into_iter().enumerate() {
                let node = node as u32;
                prop_assert_eq!(routes.candidates(node, host), &ports[..], "{} to {}", node, host);
                prop_assert_eq!(routes.pair(node, host).filter(|_| !topology.is_switch[node as usize]), metrics);
                if let Some(metrics) = metrics {
                    extremes.0 = metrics.rtt_ns.max(extremes.0);
                    extremes.1 = metrics.bdp_bytes().max(extremes.1);
                }
            }
        }
        prop_assert_eq!(routes.extremes(), extremes);
    }
}
