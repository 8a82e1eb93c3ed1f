//! Shortest paths and the choice among equal ones by hash of the 5-tuple.
//!
//! The hash is MurmurHash3 (32 bits) over source address, destination address and ports, seeded with the switch's node number and
//! the configuration's seed, and the candidates are ordered as the authors' simulator orders them, so that its flows take the same paths here.

use std::collections::BTreeMap;

use super::topology::Topology;

/// A directed view of one link end.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Port number (global) on this node.
    pub port: u32,
    /// Node at the other end.
    pub peer: u32,
    /// Speed.
    pub rate_bps: u64,
    /// Delay, ps.
    pub delay_ps: u64,
    /// Usable.
    pub up: bool,
}

/// What a pair of hosts sees of the network when nobody else sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairMetrics {
    /// Twice the propagation plus one payload's serialisation on each hop forward, ns.
    pub rtt_ns: u64,
    /// Propagation one way, ns.
    pub delay_ns: u64,
    /// Slowest link, bits per second.
    pub rate_bps: u64,
}

/// Routing tables of every node.
#[derive(Default)]
pub struct Routes {
    hosts: Vec<u32>,
    host_index: Vec<u32>,
    /// `[node][destination]`: group number.
    table: Vec<u32>,
    groups: Vec<(u32, u32)>,
    members: Vec<u32>,
    /// `[source][destination]`, by host index.
    pairs: Vec<PairMetrics>,
    extremes: (u64, u64),
    /// What a switch's number is joined with to the seed of its hash.
    seed: u32,
}

const UNREACHABLE: u32 = u32::MAX;

impl Routes {
    /// Computes all tables. `edges[node]` lists the node's ports; `payload` is the MTU of [`PairMetrics::rtt_ns`].
    pub fn compute(topology: &Topology, edges: &[Vec<Edge>], payload: u64) -> Self {
        let hosts = topology.hosts();
        let mut host_index = vec![UNREACHABLE; topology.nodes()];
        for (index, &host) in hosts.iter().enumerate() {
            host_index[host as usize] = index as u32;
        }
        let mut routes = Routes {
            table: vec![UNREACHABLE; topology.nodes() * hosts.len()],
            pairs: vec![PairMetrics::default(); hosts.len() * hosts.len()],
            host_index,
            hosts,
            ..Routes::default()
        };
        // Hosts ascending, then switches descending: the order in which the authors' simulator walks neighbours.
        let ordered: Vec<Vec<Edge>> = edges
            .iter()
            .map(|of_node| {
                let mut list = of_node.clone();
                list.sort_by_key(|e| {
                    let switch = topology.is_switch[e.peer as usize];
                    (
                        switch,
                        if switch { -i64::from(e.peer) } else { i64::from(e.peer) },
                        e.port,
                    )
                });
                list
            })
            .collect();
        let mut known = BTreeMap::new();
        for destination in 0..routes.hosts.len() {
            routes.search(topology, &ordered, destination, payload, &mut known);
        }
        routes.extremes = routes
            .pairs
            .iter()
            .fold((0, 0), |(rtt, bdp), m| (rtt.max(m.rtt_ns), bdp.max(m.bdp_bytes())));
        routes
    }

    /// Breadth-first search from one destination.
    fn search(
        &mut self,
        topology: &Topology,
        edges: &[Vec<Edge>],
        destination: usize,
        payload: u64,
        known: &mut BTreeMap<Vec<u32>, u32>,
    ) {
        let root = self.hosts[destination];
        let nodes = topology.nodes();
        let mut distance = vec![u32::MAX; nodes];
        let mut metrics = vec![(0u64, 0u64, u64::MAX); nodes]; // delay ps, serialisation ns, slowest
        let mut next: Vec<Vec<u32>> = vec![Vec::new(); nodes];
        distance[root as usize] = 0;
        let mut order = vec![root];
        let mut at = 0;
        while at < order.len() {
            let now = order[at] as usize;
            at += 1;
            for edge in edges[now].iter().filter(|e| e.up) {
                let peer = edge.peer as usize;
                if distance[peer] == u32::MAX {
                    distance[peer] = distance[now] + 1;
                    let (delay, tx, slowest) = metrics[now];
                    metrics[peer] = (
                        delay + edge.delay_ps,
                        tx + payload * 8_000_000_000 / edge.rate_bps,
                        slowest.min(edge.rate_bps),
                    );
                    if topology.is_switch[peer] {
                        order.push(edge.peer);
                    }
                }
                if distance[peer] == distance[now] + 1 {
                    let back = edges[peer].iter().filter(|e| e.up && e.peer as usize == now);
                    // Parallel links are met once per link in the outer loop: take the one that pairs with this edge.
                    let rank = edges[now]
                        .iter()
                        .filter(|e| e.up && e.peer == edge.peer && e.port < edge.port)
                        .count();
                    if let Some(port) = back.map(|e| e.port).nth(rank) {
                        next[peer].push(port);
                    }
                }
            }
        }
        let width = self.hosts.len();
        for (node, ports) in next.into_iter().enumerate().filter(|(_, ports)| !ports.is_empty()) {
            let group = *known.entry(ports).or_insert_with_key(|ports| {
                self.groups.push((self.members.len() as u32, ports.len() as u32));
                self.members.extend(ports);
                (self.groups.len() - 1) as u32
            });
            self.table[node * width + destination] = group;
        }
        for (source, &host) in self.hosts.iter().enumerate() {
            let (delay, tx, slowest) = metrics[host as usize];
            if distance[host as usize] != u32::MAX && host != root {
                self.pairs[source * width + destination] = PairMetrics {
                    rtt_ns: 2 * delay / 1000 + tx,
                    delay_ns: delay / 1000,
                    rate_bps: slowest,
                };
            }
        }
    }

    /// Seeds the hash of every switch; 0: the switch's node number alone, as in the authors' simulator.
    pub fn set_seed(&mut self, seed: u64) {
        // Spread over the bits that node numbers do not reach.
        self.seed = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32;
    }

    /// Ports of `node` on shortest paths to host `dst`; empty if there is none.
    pub fn candidates(&self, node: u32, dst: u32) -> &[u32] {
        let index = self.host_index.get(dst as usize).copied().unwrap_or(UNREACHABLE);
        if index == UNREACHABLE {
            return &[];
        }
        match self.table[node as usize * self.hosts.len() + index as usize] {
            UNREACHABLE => &[],
            group => {
                let (start, len) = self.groups[group as usize];
                &self.members[start as usize..(start + len) as usize]
            }
        }
    }

    /// The port that a switch picks for a packet.
    pub fn pick(&self, node: u32, src: u32, dst: u32, ports: u32) -> Option<u32> {
        match self.candidates(node, dst) {
            [] => None,
            [only] => Some(*only),
            many => {
                let hash = murmur3([ns3_address(src), ns3_address(dst), ports], node ^ self.seed);
                Some(many[hash as usize % many.len()])
            }
        }
    }

    /// Metrics of a pair of hosts (node numbers).
    pub fn pair(&self, src: u32, dst: u32) -> Option<PairMetrics> {
        let (s, d) = (self.host_index.get(src as usize)?, self.host_index.get(dst as usize)?);
        if *s == UNREACHABLE || *d == UNREACHABLE {
            return None;
        }
        let metrics = self.pairs[*s as usize * self.hosts.len() + *d as usize];
        (metrics.rate_bps > 0).then_some(metrics)
    }

    /// Largest base RTT (ns) and largest bandwidth-delay product (bytes) over all pairs; they may come from different pairs.
    pub fn extremes(&self) -> (u64, u64) {
        self.extremes
    }
}

impl PairMetrics {
    /// Bandwidth-delay product, bytes.
    pub fn bdp_bytes(&self) -> u64 {
        (u128::from(self.rtt_ns) * u128::from(self.rate_bps) / 1_000_000_000 / 8) as u64
    }
}

/// The address the authors' simulator gives a node: 11.hi.lo.1.
fn ns3_address(node: u32) -> u32 {
    0x0b00_0001 + (node / 256) * 0x0001_0000 + (node % 256) * 0x0000_0100
}

/// MurmurHash3, 32 bits, of three words.
fn murmur3(words: [u32; 3], seed: u32) -> u32 {
    let mut h = seed;
    for word in words {
        let k = word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        h = (h ^ k).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    h ^= 12;
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve bytes under two seeds; the numbers are those of another program of MurmurHash3_x86_32, which has the published values of `test`.
    #[test]
    fn the_hash_of_ports_is_murmur3() {
        let word = |text: &[u8; 4]| u32::from_le_bytes(*text);
        let words = [word(b"RoCE"), word(b"v2, "), word(b"HPCC")];
        assert_eq!(murmur3(words, 0), 0x6771_cfd6);
        assert_eq!(murmur3(words, 0x9747_b28c), 0xce59_3693);
    }
}
