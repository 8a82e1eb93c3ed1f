//! Which of the equal paths a packet takes: by its 5-tuple, or packet by packet, flowlet by flowlet, or by what waits at the ports.
//!
//! Switches choose; a host with several links keeps to the 5-tuple. All packets are chosen for alike, acknowledgements too, but long and
//! short ones take turns of their own, or payload and acknowledgements would share the ports out between them. What is drawn at random is a hash
//! of the seed, the switch and the number of its draw, so one switch's draws do not depend on another's.

use std::collections::HashMap;

use super::engine::Simulator;
use super::packet::Packet;
use super::routing::murmur3;

/// How a switch chooses among equal paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathRule {
    /// By hash of the 5-tuple: a flow keeps its path.
    #[default]
    Ecmp,
    /// Each packet takes the next port of the group.
    RoundRobin,
    /// Each packet takes a port at random.
    Random,
    /// As the flow's packet before it, unless that passed this long ago or longer; then at random.
    Flowlet {
        /// Gap between two flowlets, ps.
        gap_ps: u64,
    },
    /// The port that is free of what waits there first; at random among several.
    Adaptive,
}

/// A flow at a switch: node, source, destination, ports.
type FlowAt = (u32, u32, u32, u32);

/// State of the choices.
#[derive(Default)]
pub(super) struct Spread {
    /// Next place in each group of ports, by the group's number, of short packets and of long ones.
    turns: HashMap<(u32, bool), u32>,
    /// Draws so far, by node.
    draws: HashMap<u32, u32>,
    /// When each flow's last packet passed, ps, and by which port.
    flowlets: HashMap<FlowAt, (u64, u32)>,
    /// Flowlets that are over are forgotten when there are this many.
    most: usize,
}

/// The fewest flowlets of which those that are over are looked for.
const MOST_FLOWLETS: usize = 4096;

impl Spread {
    /// A number for the next draw of a switch.
    fn draw(&mut self, seed: u32, node: u32) -> u32 {
        let count = self.draws.entry(node).or_insert(0);
        *count = count.wrapping_add(1);
        murmur3([node, *count, 0], seed)
    }

    /// Port of the flowlet that is under way.
    fn under_way(&mut self, flow: FlowAt, now: u64, gap_ps: u64) -> Option<u32> {
        let (last, port) = self.flowlets.get_mut(&flow)?;
        if now - *last >= gap_ps {
            return None;
        }
        *last = now;
        Some(*port)
    }

    /// A flowlet begins.
    fn begin(&mut self, flow: FlowAt, now: u64, gap_ps: u64, port: u32) {
        if self.flowlets.len() >= self.most.max(MOST_FLOWLETS) {
            self.flowlets.retain(|_, (last, _)| now - *last < gap_ps);
            self.most = 2 * self.flowlets.len();
        }
        self.flowlets.insert(flow, (now, port));
    }

    /// Routes have changed: groups have other members, and flowlets choose anew.
    pub(super) fn forget(&mut self) {
        self.turns.clear();
        self.flowlets.clear();
    }
}

impl Simulator {
    /// Packets of a flow may take different paths.
    pub(super) fn spreads(&self) -> bool {
        self.config.paths != PathRule::Ecmp
    }

    /// The port by which a packet leaves the switch `node`.
    pub(super) fn choose_port(&mut self, node: u32, index: u32) -> Option<u32> {
        let Packet {
            src, dst, ports, size, ..
        } = self.packets[index];
        if self.config.paths == PathRule::Ecmp {
            return self.routes.pick(node, src, dst, ports);
        }
        let (group, many) = self.routes.group_of(node, dst);
        if many.len() < 2 {
            return many.first().copied();
        }
        let count = many.len() as u32;
        let seed = self.routes.seed() ^ DRAWS;
        match self.config.paths {
            PathRule::Ecmp => None,
            PathRule::RoundRobin => {
                let first = || murmur3([node, group, 0], seed) % count;
                let turn = self.spread.turns.entry((group, size > SHORT)).or_insert_with(first);
                let chosen = many[*turn as usize];
                *turn = (*turn + 1) % count;
                Some(chosen)
            }
            PathRule::Random => Some(many[(self.spread.draw(seed, node) % count) as usize]),
            PathRule::Flowlet { gap_ps } => {
                let flow = (node, src, dst, ports);
                let under_way = self.spread.under_way(flow, self.now, gap_ps);
                under_way.or_else(|| {
                    let port = many[(self.spread.draw(seed, node) % count) as usize];
                    self.spread.begin(flow, self.now, gap_ps, port);
                    Some(port)
                })
            }
            PathRule::Adaptive => {
                let least = many.iter().map(|&port| self.wait_ps(port)).min()?;
                let free: Vec<u32> = many.iter().copied().filter(|&p| self.wait_ps(p) == least).collect();
                match free[..] {
                    [only] => Some(only),
                    _ => Some(free[self.spread.draw(seed, node) as usize % free.len()]),
                }
            }
        }
    }

    /// How long a port takes for what waits there and what it is sending, ps.
    fn wait_ps(&self, port: u32) -> u64 {
        let p = &self.ports[port as usize];
        let waiting = self.config.clock.duration_ps(p.queued_bytes, p.rate_bps);
        p.busy_until.saturating_sub(self.now) + waiting
    }
}

/// Longest of the short packets, bytes.
const SHORT: u32 = 256;

/// Parts the draws' seed from that of the hash of 5-tuples.
const DRAWS: u32 = 0x5b_d1e9;

#[cfg(test)]
#[path = "spread_tests.rs"]
mod tests;
