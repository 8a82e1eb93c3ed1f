//! Packets that are lost on purpose, by their number: for comparison with a recorded run.

use super::engine::Simulator;

/// Packets that are lost on purpose: those that arrive over a link, by their number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArrivalDrops {
    /// Index of the link in the topology.
    pub link: usize,
    /// Towards the link's second node; otherwise towards its first.
    pub towards_b: bool,
    /// Numbers of the packets in order of arrival, from 0.
    pub numbers: Vec<u64>,
}

impl Simulator {
    /// Adds packets that are lost on purpose; before running only.
    pub fn add_arrival_drops(&mut self, drops: &ArrivalDrops) {
        let port = 2 * drops.link as u32 + u32::from(drops.towards_b);
        let entry = self.arrival_drops.entry(port).or_default();
        entry.1.extend(&drops.numbers);
        entry.1.sort_unstable();
    }

    /// Counts a packet that arrives at a port where some are lost on purpose. True: this one is.
    pub(super) fn dropped_on_arrival(&mut self, port: u32) -> bool {
        let Some((count, numbers)) = self.arrival_drops.get_mut(&port) else {
            return false;
        };
        *count += 1;
        numbers.binary_search(&(*count - 1)).is_ok()
    }
}
