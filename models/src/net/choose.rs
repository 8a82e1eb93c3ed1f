//! The port by which a packet leaves a switch.

use super::engine::Simulator;
use super::packet::Packet;
use super::routing::murmur3;
use super::spread::PathRule;

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
