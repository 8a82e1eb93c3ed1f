//! Demands of many flows as a map from demand to count: what an agent keeps and reports (section III-C, Fig. 3).

use std::collections::BTreeMap;

use super::single::{total_under, water_level};
use super::{Quantiser, INFINITE};

/// Demand (bit/s) to number of flows, ascending; no entry is 0 flows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DemandMap {
    counts: BTreeMap<u64, u64>,
}

impl DemandMap {
    /// Entries, ascending by demand: demand in bit/s and count.
    pub fn entries(&self) -> impl Iterator<Item = (u64, u64)> + Clone + '_ {
        self.counts.iter().map(|(&demand, &count)| (demand, count))
    }

    /// Number of flows.
    pub fn flows(&self) -> u64 {
        self.counts.values().sum()
    }

    /// No flow at all.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Adds, or with a negative change takes away, flows of a demand. A count never falls below 0: after a lost message it could, and
    /// the next full map sets it right.
    pub fn change(&mut self, demand: u64, by: i64) {
        let count = self.counts.entry(demand).or_insert(0);
        *count = count.saturating_add_signed(by);
        if *count == 0 {
            self.counts.remove(&demand);
        }
    }

    /// Adds every flow of another map.
    pub fn add(&mut self, other: &DemandMap) {
        for (demand, count) in other.entries() {
            *self.counts.entry(demand).or_insert(0) += count;
        }
    }

    /// The changes that turn `before` into this map, ascending by demand.
    pub fn changes_since(&self, before: &DemandMap) -> Vec<(u64, i64)> {
        let mut changes: BTreeMap<u64, i64> = BTreeMap::new();
        for (demand, count) in self.entries() {
            *changes.entry(demand).or_insert(0) += count as i64;
        }
        for (demand, count) in before.entries() {
            *changes.entry(demand).or_insert(0) -= count as i64;
        }
        changes.into_iter().filter(|&(_, by)| by != 0).collect()
    }

    /// The map as reported: demands at most `limit`, then raised to a level of the quantiser if there is one.
    pub fn reported(&self, limit: u64, quantiser: Option<&Quantiser>) -> DemandMap {
        let mut counts = BTreeMap::new();
        for (demand, count) in self.entries() {
            let clipped = demand.min(limit);
            let level = quantiser.map_or(clipped, |q| q.raise(clipped));
            *counts.entry(level).or_insert(0) += count;
        }
        DemandMap { counts }
    }

    /// Water level of a capacity over these flows, bit/s.
    pub fn level(&self, capacity: u64) -> u64 {
        water_level(capacity, self.entries())
    }

    /// What these flows get together under a level, bit/s.
    pub fn total_under(&self, level: u64) -> u64 {
        total_under(level, self.entries())
    }

    /// Level that the flows of `part` would have in this map, were their demands infinite: the offer to a child.
    pub fn offer(&self, capacity: u64, part: &DemandMap) -> u64 {
        let mut raised = self.clone();
        for (demand, count) in part.entries() {
            raised.change(demand, -(count as i64));
        }
        raised.change(INFINITE, part.flows().max(1) as i64);
        raised.level(capacity)
    }
}
