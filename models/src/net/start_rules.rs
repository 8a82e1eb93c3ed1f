//! Flows that start after others: what they wait for, and what is left of that.

use std::collections::{BTreeMap, BTreeSet};

/// What of a flow another one waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// It has started: known at its source.
    Started,
    /// Its last byte has left its source. Of a TCP flow and of HOMA's the same as acknowledged.
    Sent,
    /// Its last byte is at its destination, and known there. Of a TCP flow the same as acknowledged.
    Received,
    /// Its last acknowledgement is back at its source, and known there.
    Acknowledged,
}

impl Moment {
    const ALL: [Self; 4] = [Self::Started, Self::Sent, Self::Received, Self::Acknowledged];
}

/// A flow that starts after others and not at its own time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartRule {
    /// Its number.
    pub flow: u32,
    /// Flows that it waits for, by number.
    pub after: Vec<(u32, Moment)>,
    /// It waits for the first of them and not for all.
    pub any: bool,
    /// From then on, ps.
    pub delay_ps: u64,
}

/// What flows wait for.
#[derive(Default)]
pub(super) struct Waiting {
    /// Flows that wait for a moment of another.
    of: BTreeMap<(u32, Moment), Vec<u32>>,
    /// By flow that waits: how many moments are left, and the delay behind the last.
    left: BTreeMap<u32, (u32, u64)>,
}

impl Waiting {
    /// Adds a rule, of which the simulator has seen to it that it can be followed.
    pub fn add(&mut self, rule: &StartRule) {
        let moments: BTreeSet<(u32, Moment)> = rule.after.iter().copied().collect();
        let count = if rule.any { 1 } else { moments.len() as u32 };
        self.left.insert(rule.flow, (count, rule.delay_ps));
        for moment in moments {
            self.of.entry(moment).or_default().push(rule.flow);
        }
    }

    /// A moment has come: flows that wait for nothing more, and their delays, in the order of the rules.
    pub fn come(&mut self, flow: u32, moment: Moment) -> Vec<(u32, u64)> {
        let waiting = self.of.remove(&(flow, moment)).unwrap_or_default();
        let mut free = Vec::new();
        for flow in waiting {
            let Some((left, delay_ps)) = self.left.get_mut(&flow) else {
                continue;
            };
            *left -= 1;
            if *left == 0 {
                free.push((flow, *delay_ps));
                self.left.remove(&flow);
            }
        }
        free
    }

    /// True when no flow waits.
    pub fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// A flow of these rules that can never start, since it waits for itself through others; the first by number.
    pub fn circle(rules: &[StartRule]) -> Option<u32> {
        let mut waiting = Self::default();
        rules.iter().for_each(|rule| waiting.add(rule));
        let named: BTreeSet<u32> = rules.iter().flat_map(|r| &r.after).map(|(flow, _)| *flow).collect();
        let mut open: Vec<u32> = named.into_iter().filter(|f| !waiting.left.contains_key(f)).collect();
        while let Some(flow) = open.pop() {
            for moment in Moment::ALL {
                open.extend(waiting.come(flow, moment).into_iter().map(|(free, _)| free));
            }
        }
        waiting.left.keys().next().copied()
    }
}
