//! Which of the equal paths a packet takes: by its 5-tuple, or packet by packet, flowlet by flowlet, or by what waits at the ports.
//!
//! Switches choose; a host with several links keeps to the 5-tuple. All packets are chosen for alike, acknowledgements too, but long and
//! short ones take turns of their own, or payload and acknowledgements would share the ports out between them. What is drawn at random is a hash
//! of the seed, the switch and the number of its draw, so one switch's draws do not depend on another's.

use std::collections::HashMap;

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
    pub(super) turns: HashMap<(u32, bool), u32>,
    /// Draws so far, by node.
    draws: HashMap<u32, u32>,
    /// When each flow's last packet passed, ps, and by which port.
    pub(super) flowlets: HashMap<FlowAt, (u64, u32)>,
    /// Flowlets that are over are forgotten when there are this many.
    most: usize,
}

/// The fewest flowlets of which those that are over are looked for.
const MOST_FLOWLETS: usize = 4096;

impl Spread {
    /// A number for the next draw of a switch.
    pub(super) fn draw(&mut self, seed: u32, node: u32) -> u32 {
        let count = self.draws.entry(node).or_insert(0);
        *count = count.wrapping_add(1);
        murmur3([node, *count, 0], seed)
    }

    /// Port of the flowlet that is under way.
    pub(super) fn under_way(&mut self, flow: FlowAt, now: u64, gap_ps: u64) -> Option<u32> {
        let (last, port) = self.flowlets.get_mut(&flow)?;
        if now - *last >= gap_ps {
            return None;
        }
        *last = now;
        Some(*port)
    }

    /// A flowlet begins.
    pub(super) fn begin(&mut self, flow: FlowAt, now: u64, gap_ps: u64, port: u32) {
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
