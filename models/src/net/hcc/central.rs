//! What a central solution would have to move for the same flows: the comparison of Figures 4(g) and 4(h).
//!
//! In every cycle of the root agent it takes in demands of flows and gives out rates, unquantised, 12 bytes each; the rates are the exact
//! max-min shares on the same links. Counted in two readings: only what changed, and all active flows.

use std::collections::BTreeMap;

use super::config::CentralCounters;
use crate::alloc::{exact, Flow, Graph, INFINITE};

/// Flow number 4 bytes, rate 8 bytes.
const ENTRY_BYTES: u64 = 12;

/// State of the imagined central controller.
pub(super) struct Central {
    /// Between collections, ps.
    pub cycle_ps: u64,
    /// Links of each leaf's flows, as agent numbers.
    paths: BTreeMap<u32, Vec<usize>>,
    /// Rates given out last, by flow, bit/s.
    rates: BTreeMap<u32, u64>,
    capacities: Vec<u64>,
}

impl Central {
    pub(super) fn new(cycle_ps: u64, paths: BTreeMap<u32, Vec<usize>>) -> Self {
        Self {
            cycle_ps,
            paths,
            rates: BTreeMap::new(),
            capacities: Vec::new(),
        }
    }

    /// Leaf agents.
    pub(super) fn leaves(&self) -> impl Iterator<Item = u32> + '_ {
        self.paths.keys().copied()
    }

    /// One cycle: flows with something to send, each with its leaf, and the capacities of the agents' links, bit/s.
    pub(super) fn cycle(&mut self, active: &BTreeMap<u32, u32>, capacities: Vec<u64>, counted: &mut CentralCounters) {
        let all = active.len() as u64 * ENTRY_BYTES;
        counted.poll_in += all;
        counted.poll_out += all;
        let started = active.keys().filter(|f| !self.rates.contains_key(f)).count();
        let ended = self.rates.keys().filter(|f| !active.contains_key(f)).count();
        if started + ended == 0 && capacities == self.capacities {
            return;
        }
        counted.changed_in += (started + ended) as u64 * ENTRY_BYTES;
        let flow = |leaf: &u32| Flow {
            demand: INFINITE,
            path: self.paths.get(leaf).cloned().unwrap_or_default(),
        };
        let graph = Graph::new(capacities.clone(), active.values().map(flow).collect());
        let shares = graph.map(|g| exact::solve(&g)).unwrap_or_default();
        let rates: BTreeMap<u32, u64> = active.keys().copied().zip(shares).collect();
        let changed = rates.iter().filter(|(f, rate)| self.rates.get(f) != Some(rate));
        counted.changed_out += changed.count() as u64 * ENTRY_BYTES;
        self.rates = rates;
        self.capacities = capacities;
    }
}
