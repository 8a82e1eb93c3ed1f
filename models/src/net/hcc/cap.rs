//! What a leaf's agent does to the flows of its host: reads their demands, caps their rates.
//!
//! A flow is one of the congestion-control slot, whose rate and window are limited, or a TCP connection whose rate and window are
//! commanded (law `Commanded`): loss repeats data and never changes the rate. A host outside the simulator is told one level for all.

use rand::Rng;

use super::super::clock::PS_PER_NS;
use super::super::engine::Simulator;
use super::super::tcp::State;
use super::{Capped, DemandRule, Hcc, Known};
use crate::alloc::{DemandMap, INFINITE};

/// Packets in flight beyond two round trips at the share, and before the first share.
const INITIAL_PACKETS: u64 = 10;
/// A window that limits nothing.
const NO_WINDOW: u64 = 1 << 50;

impl Simulator {
    /// A flow starts, on a context or as a TCP connection: its host's agent caps it from the first packet on.
    pub(in super::super) fn cap_new_flow(&mut self, flow: u32, context: Option<u32>) {
        let Some(mut hcc) = self.hcc.take() else {
            return;
        };
        let spec = self.flows[flow as usize];
        let nic = self.node_nics[spec.src as usize][0];
        let port = self.nics[nic as usize].port;
        if let Some(&leaf) = hcc.leaf_of.get(&(spec.src, spec.dst)) {
            hcc.known.insert(flow, Known { leaf, idle: false });
            let mut capped = Capped {
                context,
                flow,
                waiting_since: Some(self.now),
            };
            hcc.agents[leaf as usize].flows.push(capped);
            self.read_flows(&mut hcc, leaf);
            let agent = &hcc.agents[leaf as usize].agent;
            let level = agent.flow_level();
            let granted = agent.granted_level().is_some();
            if granted {
                capped.waiting_since = None;
                if let Some(last) = hcc.agents[leaf as usize].flows.last_mut() {
                    *last = capped;
                }
            }
            self.set_cap(&mut hcc, &capped, level, granted, true);
            self.want_child_task(&mut hcc, leaf);
        } else if context.is_none() && !self.outside.on {
            let line = self.ports[port as usize].rate_bps;
            self.command_rate(flow, line, NO_WINDOW);
        }
        self.hcc = Some(hcc);
    }

    /// A flow has nothing left to send, or has something again. Its demand may have changed.
    pub(in super::super) fn flow_changed(&mut self, flow: u32, idle: bool) {
        let Some(hcc) = &mut self.hcc else { return };
        let Some(known) = hcc.known.get_mut(&flow).filter(|known| known.idle != idle) else {
            return;
        };
        known.idle = idle;
        let leaf = known.leaf;
        self.wake_leaf(leaf);
    }

    /// A flow is over.
    pub(in super::super) fn flow_over(&mut self, flow: u32) {
        if let Some(known) = self.hcc.as_mut().and_then(|hcc| hcc.known.remove(&flow)) {
            self.wake_leaf(known.leaf);
        }
    }

    fn wake_leaf(&mut self, leaf: u32) {
        if let Some(mut hcc) = self.hcc.take() {
            self.want_child_task(&mut hcc, leaf);
            self.hcc = Some(hcc);
        }
    }

    /// Payload that a flow has still to send, or to send again; `None`: it is over.
    pub(super) fn unsent(&self, capped: &Capped) -> Option<u64> {
        if self.records[capped.flow as usize].finished_ps.is_some() {
            return None;
        }
        if self.outside.on {
            // what hosts outside have sent is known at the end only
            return Some(self.flows[capped.flow as usize].bytes);
        }
        if let Some(context) = capped.context {
            let c = &self.contexts[context as usize];
            return (c.flow == capped.flow && !c.finished).then(|| c.bytes_left());
        }
        let sender = self.tcp_sender(capped.flow)?;
        let all = self.flows[capped.flow as usize].bytes;
        Some(if sender.state() == State::Open {
            all.saturating_sub(sender.snd_max())
        } else {
            sender.backlog()
        })
    }

    /// `ReadLeafUpdate`: demands of a host's flows. True if they changed.
    fn read_flows(&mut self, hcc: &mut Hcc, leaf: u32) -> bool {
        let root_cycle = hcc.agents.iter().map(|a| a.child_task.cycle_ps).max().unwrap_or(1);
        let placed = &mut hcc.agents[leaf as usize];
        let line = self.ports[placed.port as usize].rate_bps;
        let mut demands = DemandMap::default();
        let known = &mut hcc.known;
        let rule = hcc.config.demand;
        placed.flows.retain(|capped| {
            let Some(left) = self.unsent(capped) else {
                known.remove(&capped.flow);
                return false;
            };
            if let Some(known) = known.get_mut(&capped.flow) {
                known.idle = left == 0;
            }
            if left > 0 {
                let demand = match rule {
                    DemandRule::Infinite => INFINITE,
                    DemandRule::Backlog => {
                        let rate = u128::from(left) * 8_000_000_000_000 / u128::from(root_cycle);
                        u64::try_from(rate).unwrap_or(line).clamp(1, line)
                    }
                };
                demands.change(demand, 1);
            }
            true
        });
        placed.agent.set_flows(demands)
    }

    /// A leaf's child task: demands read, rates set.
    pub(super) fn set_caps(&mut self, hcc: &mut Hcc, leaf: u32) {
        self.read_flows(hcc, leaf);
        let placed = &mut hcc.agents[leaf as usize];
        let level = placed.agent.flow_level();
        let granted = placed.agent.granted_level().is_some();
        let mut flows = Vec::with_capacity(placed.flows.len());
        for capped in &mut placed.flows {
            let since = if granted { capped.waiting_since.take() } else { None };
            if let Some(since) = since {
                hcc.outcome.first_share_ns.push((self.now - since) / PS_PER_NS);
            }
            flows.push((*capped, since.is_some()));
        }
        let running = placed.agent.demands().flows() > 0;
        let nic = self.ports[placed.port as usize].owner;
        for (capped, first) in flows {
            self.set_cap(hcc, &capped, level, granted, first);
        }
        self.nic_send(nic);
        // A new rate may have let the last packet of a flow out.
        let changed = self.read_flows(hcc, leaf);
        if changed || (running && hcc.config.demand == DemandRule::Backlog) {
            self.want_child_task(hcc, leaf);
        }
    }

    /// Caps one flow. `first`: its first rate, or the first one granted.
    fn set_cap(&mut self, hcc: &mut Hcc, capped: &Capped, level: u64, granted: bool, first: bool) {
        let spec = self.flows[capped.flow as usize];
        let nic = self.node_nics[spec.src as usize][0];
        let line = self.ports[self.nics[nic as usize].port as usize].rate_bps;
        let base_rtt_ns = self.routes.pair(spec.src, spec.dst).map_or(0, |p| p.rtt_ns);
        let cap = level.min(line);
        if self.outside.on {
            self.note_level(spec.src, cap);
            return;
        }
        let round_trips = u128::from(cap) * u128::from(base_rtt_ns) * 2 / 8_000_000_000;
        let window = |packet: u64| match (hcc.config.window, granted) {
            (true, true) => Some(round_trips as u64 + INITIAL_PACKETS * packet),
            (true, false) => Some(INITIAL_PACKETS * packet),
            (false, _) => None,
        };
        let wait = |hcc: &mut Hcc, wire: u32, clock: super::super::Clock| {
            let time = clock.duration_ps(u64::from(wire), cap.max(1));
            hcc.rng.random_range(0..=time.min(1_000_000_000_000))
        };
        let dithers = first && hcc.config.dither && cap > 0;
        let Some(context) = capped.context else {
            let Some(stack) = self.config.tcp.as_ref().and_then(|t| t.stack(capped.flow as usize)) else {
                return;
            };
            let (mss, wire) = (stack.mss, stack.wire_bytes(stack.mss, 0));
            let window = window(u64::from(mss)).unwrap_or(NO_WINDOW);
            if dithers {
                let until = self.now + wait(hcc, wire, self.config.clock);
                self.hold_flow(capped.flow, until);
            }
            self.command_rate(capped.flow, cap, window);
            return;
        };
        let limit = window(u64::from(self.config.mtu));
        let c = &mut self.contexts[context as usize];
        (c.cap_window, c.cap_bps) = (limit, Some(cap));
        self.enforce(context);
        if dithers {
            let packet = self.config.framing.data_header + self.config.mtu;
            let wire = self.config.framing.charged(packet);
            self.contexts[context as usize].next_avail = (self.now + wait(hcc, wire, self.config.clock)) as i64;
            self.note_turn(context);
        }
    }
}
