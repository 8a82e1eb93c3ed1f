//! What a central solution would have to move for the same flows: the comparison of Figures 4(g) and 4(h).
//!
//! In every cycle of the root agent it takes in demands of flows and gives out rates, unquantised, 12 bytes each; the rates are the exact
//! max-min shares on the same links. Counted in two readings: only what changed, and all active flows.

use std::collections::BTreeMap;

use super::super::engine::Simulator;
use super::{event, Hcc, Part, Placed};
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
    pub(super) fn new(agents: &[Placed]) -> Self {
        // a leaf, and every agent above it
        let path = |leaf: usize| {
            let mut path = vec![leaf];
            let mut at = 0;
            while let Some(&agent) = path.get(at) {
                let above = agents[agent].parents.iter().map(|p| p.agent as usize);
                path.extend(above);
                at += 1;
            }
            path
        };
        let leaves = (0..agents.len()).filter(|&a| agents[a].level == 0);
        Self {
            cycle_ps: agents.iter().map(|a| a.child_task.cycle_ps).max().unwrap_or(1),
            paths: leaves.map(|leaf| (leaf as u32, path(leaf))).collect(),
            rates: BTreeMap::new(),
            capacities: Vec::new(),
        }
    }
}

impl Simulator {
    /// One cycle of the central controller.
    pub(super) fn count_central(&mut self, hcc: &mut Hcc) {
        let Some(mut central) = hcc.central.take() else {
            return;
        };
        let mut active: BTreeMap<u32, &Vec<usize>> = BTreeMap::new();
        for (leaf, path) in &central.paths {
            for capped in &hcc.agents[*leaf as usize].flows {
                if self.unsent(capped).is_some_and(|left| left > 0) {
                    active.insert(capped.flow, path);
                }
            }
        }
        let capacities: Vec<u64> = hcc
            .agents
            .iter()
            .map(|a| self.ports[a.port as usize].rate_bps)
            .collect();
        let counted = &mut hcc.outcome.central;
        let all = active.len() as u64 * ENTRY_BYTES;
        counted.poll_in += all;
        counted.poll_out += all;
        let started = active.keys().filter(|f| !central.rates.contains_key(f)).count();
        let ended = central.rates.keys().filter(|f| !active.contains_key(f)).count();
        if started + ended > 0 || capacities != central.capacities {
            counted.changed_in += (started + ended) as u64 * ENTRY_BYTES;
            let flow = |path: &&Vec<usize>| Flow {
                demand: INFINITE,
                path: path.to_vec(),
            };
            let graph = Graph::new(capacities.clone(), active.values().map(flow).collect());
            let shares = graph.map(|g| exact::solve(&g)).unwrap_or_default();
            let rates: BTreeMap<u32, u64> = active.keys().copied().zip(shares).collect();
            let changed = rates
                .iter()
                .filter(|(f, rate)| central.rates.get(f) != Some(rate))
                .count();
            counted.changed_out += changed as u64 * ENTRY_BYTES;
            central.rates = rates;
            central.capacities = capacities;
        }
        self.events
            .push(self.now + central.cycle_ps, event(Part::Central, 0, 0));
        hcc.central = Some(central);
    }
}
