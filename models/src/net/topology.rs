//! Nodes and links. Built-in shapes are in [`super::builtin`]; files in [`super::ns3`].

use thiserror::Error;

/// One full-duplex link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// One end (node number).
    pub a: u32,
    /// Other end.
    pub b: u32,
    /// Speed, bits per second.
    pub rate_bps: u64,
    /// Propagation delay, ps.
    pub delay_ps: u64,
    /// Probability that a packet is lost on it.
    pub loss: f64,
}

/// A network: nodes numbered from 0, some of them switches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// For each node: is it a switch.
    pub is_switch: Vec<bool>,
    /// Links; a node's interfaces are numbered from 1 in the order in which its links appear.
    pub links: Vec<Link>,
}

/// Why a topology cannot be simulated.
#[derive(Debug, Error, PartialEq)]
pub enum TopologyError {
    /// A link names a node that does not exist.
    #[error("link {link}: node {node}: expected a number below {nodes}")]
    UnknownNode {
        /// Index of the link.
        link: usize,
        /// The node it names.
        node: u32,
        /// Nodes there are.
        nodes: usize,
    },
    /// A link has no speed.
    #[error("link {0}: rate: expected more than 0")]
    NoRate(usize),
    /// A link leads back to its own node.
    #[error("link {0}: expected two different nodes")]
    Loop(usize),
    /// A host has no link.
    #[error("host {0}: expected at least one link")]
    Unconnected(u32),
    /// Two hosts that exchange a flow have no path.
    #[error("hosts {0} and {1}: expected a path between them")]
    NoPath(u32, u32),
}

impl Topology {
    /// `hosts` hosts numbered first, then `switches` switches, no links yet.
    pub fn new(hosts: usize, switches: usize) -> Self {
        let mut is_switch = vec![false; hosts];
        is_switch.resize(hosts + switches, true);
        Self {
            is_switch,
            links: Vec::new(),
        }
    }

    /// Adds a lossless link.
    pub fn link(&mut self, a: usize, b: usize, rate_gbps: u64, delay_ns: u64) {
        self.links.push(Link {
            a: a as u32,
            b: b as u32,
            rate_bps: rate_gbps * 1_000_000_000,
            delay_ps: delay_ns * 1_000,
            loss: 0.0,
        });
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.is_switch.len()
    }

    /// Node numbers of the hosts, ascending.
    pub fn hosts(&self) -> Vec<u32> {
        (0..self.nodes() as u32)
            .filter(|&n| !self.is_switch[n as usize])
            .collect()
    }

    /// Hosts by the switch that they are linked to (the first, where a host has several): one list for each switch with hosts, by its number.
    pub fn racks(&self) -> Vec<Vec<u32>> {
        let mut racks: std::collections::BTreeMap<u32, Vec<u32>> = std::collections::BTreeMap::new();
        for host in self.hosts() {
            let mut own = self.links.iter().filter(|l| l.a == host || l.b == host);
            if let Some(link) = own.next() {
                racks.entry(link.a + link.b - host).or_default().push(host);
            }
        }
        racks.into_values().collect()
    }

    /// Checks what a simulation relies on; paths are checked per flow by the routing.
    pub fn check(&self) -> Result<(), TopologyError> {
        let nodes = self.nodes();
        let mut degree = vec![0; nodes];
        for (index, link) in self.links.iter().enumerate() {
            for node in [link.a, link.b] {
                if node as usize >= nodes {
                    return Err(TopologyError::UnknownNode {
                        link: index,
                        node,
                        nodes,
                    });
                }
                degree[node as usize] += 1;
            }
            if link.a == link.b {
                return Err(TopologyError::Loop(index));
            }
            if link.rate_bps == 0 {
                return Err(TopologyError::NoRate(index));
            }
        }
        match (0..nodes).find(|&n| !self.is_switch[n] && degree[n] == 0) {
            Some(host) => Err(TopologyError::Unconnected(host as u32)),
            None => Ok(()),
        }
    }
}
