//! What a leaf's agent does to the flows of its host: reads their demands, caps their rates.

use rand::Rng;

use super::super::clock::PS_PER_NS;
use super::super::engine::Simulator;
use super::{Capped, DemandRule, Hcc};
use crate::alloc::{DemandMap, INFINITE};

/// Packets in flight beyond two round trips at the share, and before the first share.
const INITIAL_PACKETS: u64 = 10;

impl Simulator {
    /// A flow starts on a context: its host's agent caps it from the first packet on.
    pub(in super::super) fn cap_new_flow(&mut self, context: u32) {
        let Some(mut hcc) = self.hcc.take() else {
            return;
        };
        let c = &self.contexts[context as usize];
        let port = self.nics[c.nic as usize].port;
        let leaf = hcc.leaf_of_port.get(&port).copied();
        if let Some(leaf) = leaf.filter(|_| hcc.pairs.contains(&(c.src, c.dst))) {
            let flow = c.flow;
            hcc.agents[leaf as usize].flows.push(Capped {
                context,
                flow,
                waiting_since: Some(self.now),
            });
            self.read_flows(&mut hcc, leaf);
            let agent = &hcc.agents[leaf as usize].agent;
            let level = agent.flow_level();
            let granted = agent.granted_level().is_some();
            if granted {
                let last = hcc.agents[leaf as usize].flows.last_mut();
                last.into_iter().for_each(|capped| capped.waiting_since = None);
            }
            self.set_cap(&mut hcc, context, level, granted, true);
            self.want_child_task(&mut hcc, leaf);
        }
        self.hcc = Some(hcc);
    }

    /// Something about a flow changed that its demand may depend on: all sent, lost, over.
    pub(in super::super) fn flow_changed(&mut self, context: u32) {
        if self.hcc.is_none() || self.contexts[context as usize].cap_bps.is_none() {
            return;
        }
        let port = self.nics[self.contexts[context as usize].nic as usize].port;
        if let Some(mut hcc) = self.hcc.take() {
            if let Some(&leaf) = hcc.leaf_of_port.get(&port) {
                self.want_child_task(&mut hcc, leaf);
            }
            self.hcc = Some(hcc);
        }
    }

    /// `ReadLeafUpdate`: demands of a host's flows.
    fn read_flows(&mut self, hcc: &mut Hcc, leaf: u32) {
        let root_cycle = hcc.agents.iter().map(|a| a.child_task.cycle_ps).max().unwrap_or(1);
        let placed = &mut hcc.agents[leaf as usize];
        placed.flows.retain(|f| {
            let c = &self.contexts[f.context as usize];
            c.flow == f.flow && !c.finished
        });
        let line = self.ports[placed.port as usize].rate_bps;
        let mut demands = DemandMap::default();
        for capped in &placed.flows {
            let left = self.contexts[capped.context as usize].bytes_left();
            if left > 0 {
                let demand = match hcc.config.demand {
                    DemandRule::Infinite => INFINITE,
                    DemandRule::Backlog => {
                        let rate = u128::from(left) * 8_000_000_000_000 / u128::from(root_cycle);
                        (rate as u64).clamp(1, line)
                    }
                };
                demands.change(demand, 1);
            }
        }
        placed.agent.set_flows(demands);
    }

    /// A leaf's child task: demands read, rates set.
    pub(super) fn set_caps(&mut self, hcc: &mut Hcc, leaf: u32) {
        self.read_flows(hcc, leaf);
        let placed = &mut hcc.agents[leaf as usize];
        let level = placed.agent.flow_level();
        let granted = placed.agent.granted_level().is_some();
        let mut first = Vec::new();
        for capped in &mut placed.flows {
            let since = if granted { capped.waiting_since.take() } else { None };
            if let Some(since) = since {
                hcc.outcome.first_share_ns.push((self.now - since) / PS_PER_NS);
            }
            first.push((capped.context, since.is_some()));
        }
        let (running, nic) = (
            placed.agent.demands().flows() > 0,
            self.ports[placed.port as usize].owner,
        );
        for (context, first) in first {
            self.set_cap(hcc, context, level, granted, first);
        }
        if running && hcc.config.demand == DemandRule::Backlog {
            self.want_child_task(hcc, leaf);
        }
        self.nic_send(nic);
    }

    /// Caps one flow. `first`: its first rate, or the first one granted.
    fn set_cap(&mut self, hcc: &mut Hcc, context: u32, level: u64, granted: bool, first: bool) {
        let base_rtt_ns = {
            let c = &self.contexts[context as usize];
            self.routes.pair(c.src, c.dst).map_or(0, |p| p.rtt_ns)
        };
        let mtu = u64::from(self.config.mtu);
        let c = &mut self.contexts[context as usize];
        let cap = level.min(c.line_bps);
        let round_trips = u128::from(cap) * u128::from(base_rtt_ns) * 2 / 8_000_000_000;
        c.cap_window = match (hcc.config.window, granted) {
            (true, true) => Some(round_trips as u64 + INITIAL_PACKETS * mtu),
            (true, false) => Some(INITIAL_PACKETS * mtu),
            (false, _) => None,
        };
        c.cap_bps = Some(cap);
        self.enforce(context);
        if first && hcc.config.dither && cap > 0 {
            let packet = self.config.framing.data_header + self.config.mtu;
            let time = self
                .config
                .clock
                .duration_ps(u64::from(self.config.framing.charged(packet)), cap);
            let wait = hcc.rng.random_range(0..=time.min(1_000_000_000_000));
            self.contexts[context as usize].next_avail = (self.now + wait) as i64;
        }
    }
}
