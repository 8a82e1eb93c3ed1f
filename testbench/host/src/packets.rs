//! A packet network between the NICs: switches with a shared buffer, INT, ECN and pause.
//!
//! The network knows packets by number and size; their frames are held here until they arrive, and get the INT that the packet collected. What a NIC
//! sends reaches a switch no sooner than its link's delay later, so the network runs ahead of the clock by the shortest such delay.

use crate::meter::QueueMeter;
use crate::wire::{Arrival, Fabric};
use hpcc_models::net::frames::{read, write_int};
use hpcc_models::net::{Delivery, Simulator, Topology, PS_PER_NS};
use hpcc_models::wire::{mark_congestion, wire_occupancy, Ports, StampConfig};
use std::collections::BTreeMap;
use thiserror::Error;

/// Queues are looked at once in this time, ps.
const LOOK_PS: u64 = 100_000;

/// A network that NICs cannot be the hosts of.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PacketsError {
    /// Too few hosts.
    #[error("{nics} NICs: expected at most the {hosts} hosts of the network")]
    Hosts {
        /// NICs.
        nics: usize,
        /// Hosts.
        hosts: usize,
    },
    /// A host with no link or several.
    #[error("host {0} of the network: expected one link")]
    Links(usize),
    /// A link without delay.
    #[error("host {0} of the network: expected a link with a delay of 1 ns at least")]
    Delay(usize),
}

/// A NIC as a host of the network.
#[derive(Clone, Copy, Debug)]
struct HostPort {
    node: u32,
    /// The other end of its link.
    port: usize,
    rate_bps: u64,
    delay_ps: u64,
    paused: bool,
}

/// The network.
pub struct PacketNetwork {
    sim: Simulator,
    hosts: Vec<HostPort>,
    ports: Ports,
    stamp: StampConfig,
    /// Priorities that a pause stops.
    stops: u8,
    /// Frames on their way, by number.
    frames: BTreeMap<u64, Vec<u8>>,
    /// By time, ns, and number: what reaches which NIC.
    arrivals: BTreeMap<(u64, u64), (usize, Arrival)>,
    count: u64,
    ahead_ps: u64,
    /// By port.
    queues: Vec<QueueMeter>,
    names: Vec<String>,
    /// Frames that the network did not take.
    refused: u64,
    lost: u64,
    pauses: u64,
}

/// Node and interface (from 1) of each port, in the network's order of ports.
fn names(topology: &Topology) -> Vec<String> {
    let mut interfaces = vec![0; topology.nodes()];
    let ends = topology.links.iter().flat_map(|link| [link.a, link.b]);
    ends.map(|node| {
        interfaces[node as usize] += 1;
        format!("node {node}, interface {}", interfaces[node as usize])
    })
    .collect()
}

impl PacketNetwork {
    /// NICs as the first hosts of a simulated network. Its flows must never end, and INT counts in units of `int_multi`; `stops` are the priorities that a
    /// pause stops.
    pub fn new(
        mut sim: Simulator,
        topology: &Topology,
        nics: usize,
        (int_multi, stops): (u32, u8),
    ) -> Result<Self, PacketsError> {
        sim.hosts_outside();
        let nodes = topology.hosts();
        let own = nodes.get(..nics).ok_or(PacketsError::Hosts {
            nics,
            hosts: nodes.len(),
        })?;
        let mut hosts = Vec::new();
        for (nic, &node) in own.iter().enumerate() {
            let mut links = (topology.links.iter().enumerate()).filter(|(_, link)| link.a == node || link.b == node);
            let (Some((index, link)), None) = (links.next(), links.next()) else {
                return Err(PacketsError::Links(nic));
            };
            if link.delay_ps < PS_PER_NS {
                return Err(PacketsError::Delay(nic));
            }
            hosts.push(HostPort {
                node,
                port: 2 * index + usize::from(link.a == node),
                rate_bps: link.rate_bps,
                delay_ps: link.delay_ps,
                paused: false,
            });
        }
        Ok(Self {
            ports: Ports::default(),
            stamp: StampConfig {
                int_multi,
                ..StampConfig::default()
            },
            stops,
            frames: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            count: 0,
            ahead_ps: hosts.iter().map(|host| host.delay_ps).min().unwrap_or(PS_PER_NS),
            queues: vec![QueueMeter::default(); 2 * topology.links.len()],
            names: names(topology),
            refused: 0,
            lost: 0,
            pauses: 0,
            hosts,
            sim,
        })
    }

    /// Something in the network will still reach a NIC.
    fn is_active(&self) -> bool {
        self.sim.failure().is_none() && (!self.frames.is_empty() || self.hosts.iter().any(|host| host.paused))
    }

    fn arrive(&mut self, time_ps: u64, nic: usize, what: Arrival) {
        self.arrivals
            .insert((time_ps.div_ceil(PS_PER_NS), self.count), (nic, what));
        self.count += 1;
    }

    /// Runs the network to this time, ps.
    fn run_to(&mut self, until_ps: u64) {
        while self.sim.now_ps() < until_ps && self.is_active() {
            let from = self.sim.now_ps();
            // Every so many ps of its clock, however it gets there.
            let to = until_ps.min(from - from % LOOK_PS + LOOK_PS);
            self.sim.run_until(to);
            if to.is_multiple_of(LOOK_PS) {
                for (meter, bytes) in self.queues.iter_mut().zip(self.sim.port_queues()) {
                    if let Some(bytes) = bytes {
                        meter.saw(bytes);
                        meter.add(bytes, 1, 1);
                    }
                }
            }
            self.take();
        }
    }

    /// Takes what the network has delivered.
    fn take(&mut self) {
        for delivered in self.sim.take_delivered() {
            let Some(nic) = self.hosts.iter().position(|host| host.node == delivered.node) else {
                continue;
            };
            let what = match delivered.what {
                Delivery::Frame {
                    tag,
                    n_hop,
                    path_id,
                    hops,
                    ecn,
                } => {
                    let Some(mut frame) = self.frames.remove(&tag) else {
                        continue;
                    };
                    write_int(&mut frame, &self.stamp, n_hop, path_id, &hops);
                    if ecn {
                        mark_congestion(&mut frame);
                    }
                    Arrival::Frame(frame)
                }
                Delivery::Lost { tag } => {
                    self.lost += 1;
                    self.frames.remove(&tag);
                    continue;
                }
                Delivery::Pause => {
                    self.pauses += 1;
                    self.hosts[nic].paused = true;
                    Arrival::Pause(self.stops)
                }
                Delivery::Resume => {
                    self.hosts[nic].paused = false;
                    Arrival::Pause(0)
                }
            };
            self.arrive(delivered.time_ps, nic, what);
        }
    }
}

impl Fabric for PacketNetwork {
    fn send(&mut self, now: u64, from: usize, to: usize, frame: Vec<u8>) {
        let now_ps = now * PS_PER_NS;
        let host = self.hosts[from];
        if from == to {
            let time_ps = wire_occupancy(frame.len()) * 8_000_000_000_000 / host.rate_bps;
            return self.arrive(now_ps + time_ps + 2 * host.delay_ps, to, Arrival::Frame(frame));
        }
        if !self.is_active() && self.sim.now_ps() < now_ps {
            // Nothing has happened in between.
            self.sim.run_until(now_ps);
            self.take();
        }
        let tag = self.count;
        self.count += 1;
        let taken = match read(&frame, tag, &self.ports, &self.stamp) {
            Ok((sent, _)) => {
                let mut external = sent.external;
                external.dst = self.hosts[to].node;
                self.sim.inject(host.node, now_ps, external).is_ok()
            }
            Err(_) => false,
        };
        match taken {
            true => drop(self.frames.insert(tag, frame)),
            false => self.refused += 1,
        }
        self.take();
    }

    fn receive(&mut self, now: u64) -> Option<(usize, Arrival)> {
        self.run_to(now * PS_PER_NS + self.ahead_ps);
        let first = self.arrivals.first_entry().filter(|entry| entry.key().0 <= now)?;
        Some(first.remove())
    }

    fn next_arrival(&self) -> Option<u64> {
        let known = self.arrivals.keys().next().map(|(at, _)| *at);
        // What comes later than the network has run is not known yet.
        let run = self.is_active().then(|| self.sim.now_ps() / PS_PER_NS);
        known.into_iter().chain(run).min()
    }

    fn rate_bps(&self, nic: usize) -> u64 {
        self.hosts[nic].rate_bps
    }

    fn queue(&self, nic: usize) -> QueueMeter {
        self.queues[self.hosts[nic].port]
    }

    fn take_queue(&mut self, nic: usize) -> u64 {
        self.queues[self.hosts[nic].port].take_recent()
    }

    fn report(&self) -> String {
        let fullest = (0..self.queues.len()).max_by_key(|port| (self.queues[*port].max(), std::cmp::Reverse(*port)));
        let Some(port) = fullest else { return String::new() };
        let (queue, name) = (self.queues[port], &self.names[port]);
        let mut report = format!(
            "fullest port ({name}): {} bytes at most, {:.0} in the mean while it was busy\n",
            queue.max(),
            queue.mean()
        );
        report += &format!(
            "network: {} frames lost, {} pauses, {} frames of NICs not taken\n",
            self.lost, self.pauses, self.refused
        );
        if let Some(failure) = self.sim.failure() {
            report += &format!("network: {failure}\n");
        }
        report
    }
}

#[cfg(test)]
#[path = "packets_tests.rs"]
mod tests;
