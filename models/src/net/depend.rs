//! Flows that start after others, in the network.

use std::collections::BTreeSet;

use super::engine::{encode, Kind, SetupError, Simulator};
use super::start_rules::{Moment, StartRule, Waiting};

impl Simulator {
    /// Adds the rules of flows that start after others; before running only, and once.
    pub fn add_start_rules(&mut self, rules: &[StartRule]) -> Result<(), SetupError> {
        let mut seen = BTreeSet::new();
        for rule in rules {
            self.check_start_rule(rule)?;
            if !seen.insert(rule.flow) {
                return Err(self.bad_rule(rule.flow, "one rule"));
            }
        }
        if let Some(flow) = Waiting::circle(rules) {
            return Err(self.bad_rule(flow, "flows that do not wait for it themselves"));
        }
        rules.iter().for_each(|rule| self.waiting.add(rule));
        self.order.retain(|flow| !seen.contains(flow));
        Ok(())
    }

    fn bad_rule(&self, flow: u32, expected: &str) -> SetupError {
        SetupError::Flow {
            flow: flow as usize,
            field: "after",
            expected: expected.into(),
        }
    }

    /// Flows that exist, and what happens elsewhere not before it can be known.
    fn check_start_rule(&self, rule: &StartRule) -> Result<(), SetupError> {
        let known = |flow: u32| self.flows.get(flow as usize);
        let own = known(rule.flow).ok_or_else(|| self.bad_rule(rule.flow, "a rule of a flow that exists"))?;
        if rule.after.is_empty() {
            return Err(self.bad_rule(rule.flow, "one flow or more"));
        }
        for &(after, moment) in &rule.after {
            let other =
                known(after).ok_or_else(|| self.bad_rule(rule.flow, &format!("flows that exist, got {after}")))?;
            let place = match moment {
                Moment::Received => other.dst,
                Moment::Started | Moment::Sent | Moment::Acknowledged => other.src,
            };
            if place == own.src {
                continue;
            }
            let way_ps = self.routes.pair(place, own.src).map_or(0, |pair| pair.delay_ns * 1000);
            if rule.delay_ps < way_ps {
                let expected = format!(
                    "a delay of at least {} ns, the way from host {place}, which alone knows of flow {after}, to host {}",
                    way_ps / 1000,
                    own.src
                );
                return Err(self.bad_rule(rule.flow, &expected));
            }
        }
        Ok(())
    }

    /// A moment of a flow has come: what waited for it starts.
    pub(super) fn moment(&mut self, flow: u32, moment: Moment) {
        if self.waiting.is_empty() {
            return;
        }
        for (free, delay_ps) in self.waiting.come(flow, moment) {
            let at = self.now + delay_ps;
            self.flows[free as usize].start_ps = at;
            self.events.push(at, encode(Kind::FlowStart, 0, free));
        }
    }

    /// The last byte of a flow has arrived.
    pub(super) fn received(&mut self, flow: u32) {
        let record = &mut self.records[flow as usize];
        if record.received_ps.is_none() {
            record.received_ps = Some(self.now);
            self.moment(flow, Moment::Received);
        }
    }
}

#[cfg(test)]
#[path = "depend_tests.rs"]
mod tests;
