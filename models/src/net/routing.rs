//! Shortest paths and the choice among equal ones by hash of the 5-tuple.
//!
//! The hash is MurmurHash3 (32 bits) over source address, destination address and ports, seeded with the switch's node number and
//! the configuration's seed, and the candidates are ordered as the authors' simulator orders them, so that its flows take the same paths here.
//!
//! Hosts with one usable link share the routes to the switch at its other end, their leaf; a host with several links, or linked to another host,
//! is a destination of its own. Tables hold a row of 16 bits a destination for each switch, so a fat tree's tables stay in a cache.

use super::shortest::Search;
use super::stretch::{Access, Stretch, LEAF, NO_GROUP, UNREACHABLE};
use super::topology::Topology;

pub use super::stretch::{Edge, PairMetrics};

/// Routing tables of every node.
#[derive(Default)]
pub struct Routes {
    /// By node.
    access: Vec<Access>,
    /// By node: the link from a host to its leaf.
    links: Vec<Stretch>,
    /// By node: its row; [`UNREACHABLE`]: a host with a leaf, or without a link.
    rows: Vec<u32>,
    /// By target: the row of its node.
    targets: Vec<u32>,
    /// `[row][target]`: number of the group among those of the row.
    table: Vec<u16>,
    /// By row: its first group.
    first_group: Vec<u32>,
    /// First member of each group and how many it has.
    groups: Vec<(u32, u32)>,
    members: Vec<u32>,
    /// `[target][target]`: number of the stretch from the second to the first.
    pairs: Vec<u32>,
    stretches: Vec<Stretch>,
    extremes: (u64, u64),
    /// What a switch's number is joined with to the seed of its hash.
    seed: u32,
}

impl Routes {
    /// Computes all tables. `edges[node]` lists the node's ports; `payload` is the MTU of [`PairMetrics::rtt_ns`].
    pub fn compute(topology: &Topology, edges: &[Vec<Edge>], payload: u64) -> Self {
        let (search, access, links) = Search::new(topology, edges, payload);
        let found = search.all();
        let mut routes = Routes {
            access,
            links,
            rows: search.rows,
            targets: search.targets,
            table: found.table,
            first_group: found.first_group,
            groups: found.groups,
            members: found.members,
            pairs: found.pairs,
            stretches: found.stretches,
            extremes: (0, 0),
            seed: 0,
        };
        routes.extremes = routes.largest();
        routes
    }

    /// Largest base RTT and largest bandwidth-delay product: hosts of one target with equal links count as one, or as two where there are two.
    fn largest(&self) -> (u64, u64) {
        let mut kinds: Vec<Vec<(Stretch, bool)>> = vec![Vec::new(); self.targets.len()];
        let attached = self.access.iter().zip(&self.links);
        for (access, own) in attached.filter(|(access, _)| access.target != UNREACHABLE) {
            let of_target = &mut kinds[access.target as usize];
            match of_target.iter_mut().find(|(link, _)| link == own) {
                Some((_, several)) => *several = true,
                None => of_target.push((*own, false)),
            }
        }
        let mut largest = (0, 0);
        for (to, of_to) in kinds.iter().enumerate() {
            for (from, of_from) in kinds.iter().enumerate() {
                let Some(between) = self.between(from, to) else {
                    continue;
                };
                for (a, (near, several)) in of_from.iter().enumerate() {
                    for (b, (far, _)) in of_to.iter().enumerate() {
                        if from != to || a != b || *several {
                            let metrics = near.and(between).and(*far).metrics();
                            largest.0 = largest.0.max(metrics.rtt_ns);
                            largest.1 = largest.1.max(metrics.bdp_bytes());
                        }
                    }
                }
            }
        }
        largest
    }

    /// What lies between two targets.
    fn between(&self, from: usize, to: usize) -> Option<Stretch> {
        match self.pairs[to * self.targets.len() + from] {
            UNREACHABLE => None,
            number => Some(self.stretches[number as usize]),
        }
    }

    /// Group of a row for a target.
    #[inline]
    fn group(&self, row: u32, target: u32) -> u16 {
        self.table[row as usize * self.targets.len() + target as usize]
    }

    /// Seeds the hash of every switch; 0: the switch's node number alone, as in the authors' simulator.
    pub fn set_seed(&mut self, seed: u64) {
        // Spread over the bits that node numbers do not reach.
        self.seed = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32;
    }

    /// That seed, as the hash has it.
    pub fn seed(&self) -> u32 {
        self.seed
    }

    /// Ports of `node` on shortest paths to host `dst`; empty if there is none.
    #[inline]
    pub fn candidates(&self, node: u32, dst: u32) -> &[u32] {
        self.group_of(node, dst).1
    }

    /// The same, with a number that no other group of several ports has, of any node.
    #[inline]
    pub fn group_of(&self, node: u32, dst: u32) -> (u32, &[u32]) {
        let Some(to) = self.access.get(dst as usize).filter(|to| to.target != UNREACHABLE) else {
            return (0, &[]);
        };
        let row = self.rows[node as usize];
        if row == UNREACHABLE {
            return (0, self.only_port(node, dst, to.target));
        }
        match self.group(row, to.target) {
            NO_GROUP => (0, &[]),
            LEAF => (0, to.ports.as_ref().map_or(&[], |(_, down)| std::slice::from_ref(down))),
            group => {
                let (start, len) = self.groups[self.first_group[row as usize] as usize + usize::from(group)];
                (start, &self.members[start as usize..(start + len) as usize])
            }
        }
    }

    /// Port of a host with one link, if a host is reached through it.
    fn only_port(&self, node: u32, dst: u32, target: u32) -> &[u32] {
        let own = &self.access[node as usize];
        match &own.ports {
            Some((up, _)) if node != dst && self.group(self.targets[own.target as usize], target) != NO_GROUP => {
                std::slice::from_ref(up)
            }
            _ => &[],
        }
    }

    /// The port that a switch picks for a packet.
    #[inline]
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

    /// Metrics of a pair of hosts (node numbers), found when they are asked for.
    pub fn pair(&self, src: u32, dst: u32) -> Option<PairMetrics> {
        let (from, to) = (self.access.get(src as usize)?, self.access.get(dst as usize)?);
        if from.target == UNREACHABLE || to.target == UNREACHABLE || src == dst {
            return None;
        }
        let between = self.between(from.target as usize, to.target as usize)?;
        Some(
            self.links[src as usize]
                .and(between)
                .and(self.links[dst as usize])
                .metrics(),
        )
    }

    /// Largest base RTT (ns) and largest bandwidth-delay product (bytes) over all pairs; they may come from different pairs.
    pub fn extremes(&self) -> (u64, u64) {
        self.extremes
    }
}

/// The address the authors' simulator gives a node: 11.hi.lo.1.
fn ns3_address(node: u32) -> u32 {
    0x0b00_0001 + (node / 256) * 0x0001_0000 + (node % 256) * 0x0000_0100
}

/// MurmurHash3, 32 bits, of three words.
pub(super) fn murmur3(words: [u32; 3], seed: u32) -> u32 {
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
#[path = "routing_tests.rs"]
mod reference;

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
