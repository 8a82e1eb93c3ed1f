//! Setting a simulation up: ports from links, routes, ideal completion times, congestion-control slots.

use super::classes::ClassQueues;
use super::clock::Clock;
use super::config::{EcnRule, FlowControl, WindowRule};
use super::engine::{SetupError, Simulator};
use super::flow::FlowSpec;
use super::kind::arriving;
use super::packet::NIL;
use super::port::{Port, SizeTimes, Switch};
use super::routing::{Edge, Routes};
use super::sending::Nic;
use super::slot::{fill, SlotFactory, SlotParams};

impl Simulator {
    pub(super) fn build_ports(&mut self) -> Result<(), SetupError> {
        let topology = self.topology.clone();
        let nic_rate = self.nic_rate();
        let mut switch_of = vec![u32::MAX; topology.nodes()];
        for (node, _) in topology.is_switch.iter().enumerate().filter(|(_, &s)| s) {
            switch_of[node] = self.switches.len() as u32;
            let shared_bytes = self.config.buffer_bytes;
            self.switches.push(Switch {
                node: node as u32,
                shared_bytes,
                shared_used: 0,
                total_used: 0,
            });
        }
        for link in &topology.links {
            for (node, peer) in [(link.a, self.ports.len() + 1), (link.b, self.ports.len())] {
                let port = self.ports.len() as u32;
                let on_switch = topology.is_switch[node as usize];
                let owner = if on_switch {
                    switch_of[node as usize]
                } else {
                    self.node_nics[node as usize].push(self.nics.len() as u32);
                    self.nics.push(Nic::new(port));
                    (self.nics.len() - 1) as u32
                };
                let times = self.times_of(link.rate_bps);
                let (ecn, code, pause_shift) = self.port_rules(link.rate_bps, nic_rate);
                let headroom = self.headroom(link.rate_bps, link.delay_ps);
                self.ports.push(Port {
                    busy_until: 0,
                    busy_seq: 0,
                    tx_bytes: 0,
                    queued_bytes: 0,
                    egress_bytes: 0,
                    control: Default::default(),
                    data: Default::default(),
                    peer: peer as u32,
                    times,
                    delay_ps: link.delay_ps,
                    ingress_bytes: 0,
                    headroom_used: 0,
                    loss: link.loss,
                    node,
                    owner,
                    waiting: 0,
                    queues: port,
                    rack: NIL,
                    pause_shift,
                    up: true,
                    on_switch,
                    paused: false,
                    pausing: false,
                    end_scheduled: false,
                    speed_code: code,
                    failed: false,
                    rate_bps: link.rate_bps,
                    headroom,
                    ecn,
                    paused_since: 0,
                    failed_at: 0,
                    classes: self.port_classes(on_switch),
                    utilisation: Default::default(),
                });
            }
        }
        self.last_queue = vec![0; self.ports.len()];
        self.share_buffers()
    }

    /// What ports of a switch share: its buffer less headroom and reserve of each, where there are pauses.
    pub(super) fn share_buffers(&mut self) -> Result<(), SetupError> {
        if !matches!(self.config.flow_control, FlowControl::Pfc { .. }) {
            return Ok(());
        }
        let mut needed = vec![0; self.switches.len()];
        for port in self.ports.iter().filter(|p| p.on_switch) {
            needed[port.owner as usize] += port.headroom + self.config.port_reserve;
        }
        for (switch, needed) in self.switches.iter_mut().zip(needed) {
            let buffer = self.config.buffer_bytes;
            switch.shared_bytes = buffer.saturating_sub(needed);
            // Without anything to share every packet pauses its link, for ever.
            if switch.shared_bytes == 0 {
                return Err(SetupError::Headroom {
                    node: switch.node,
                    needed,
                    buffer,
                });
            }
        }
        Ok(())
    }

    /// Queues of the traffic classes of a new port.
    fn port_classes(&self, on_switch: bool) -> Option<Box<ClassQueues>> {
        let rules = self.config.classes.as_ref().filter(|_| on_switch)?;
        Some(Box::new(ClassQueues::new(rules)))
    }

    /// Speed of a NIC, where rules depend on it: that of the first host's first link in the topology.
    pub(super) fn nic_rate(&self) -> u64 {
        let first = self.topology.is_switch.iter().position(|&s| !s).unwrap_or(0) as u32;
        let link = self.topology.links.iter().find(|l| l.a == first || l.b == first);
        link.map_or(0, |l| l.rate_bps)
    }

    /// Marking rule, INT code and pause shift of a speed.
    pub(super) fn port_rules(&self, rate: u64, nic_rate: u64) -> (Option<EcnRule>, u8, u32) {
        let code = self
            .config
            .speed_codes
            .get(&rate)
            .copied()
            .unwrap_or(self.config.unknown_speed);
        let shift = match self.config.flow_control {
            FlowControl::Pfc {
                shift,
                faster_ports_get_more: true,
            } => {
                let mut speed = rate;
                let mut shift = shift;
                while speed > nic_rate && shift > 0 {
                    shift -= 1;
                    speed /= 2;
                }
                shift
            }
            FlowControl::Pfc { shift, .. } => shift,
            FlowControl::EgressLimit | FlowControl::DropTail { .. } => 0,
        };
        (self.config.ecn.get(&rate).copied(), code, shift)
    }

    /// What arrives after a pause was decided: three one-way delays at full speed, as the ns-3 simulator reckons.
    pub(super) fn headroom(&self, rate: u64, delay_ps: u64) -> u64 {
        let in_flight = (u128::from(rate) * u128::from(delay_ps / 1000) / 8 / 1_000_000_000 * 3) as u64;
        match self.config.clock {
            Clock::Ns3 => in_flight,
            // Short links: a packet being sent on either side when the pause arrives counts for more than the delay.
            Clock::Exact => in_flight + 4 * u64::from(self.config.mtu + 200),
        }
    }

    pub(super) fn times_of(&mut self, rate_bps: u64) -> u32 {
        if let Some(found) = self.times.iter().position(|t| t.rate_bps == rate_bps) {
            return found as u32;
        }
        let sizes = u64::from(self.config.mtu).max(1500) + 256;
        let ps = (0..=sizes)
            .map(|size| self.config.clock.duration_ps(size, rate_bps))
            .collect();
        self.times.push(SizeTimes { rate_bps, ps });
        (self.times.len() - 1) as u32
    }

    pub(super) fn compute_routes(&mut self) {
        let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); self.topology.nodes()];
        // Circuit ports stand behind those of the links: no route uses them.
        let of_links = 2 * self.topology.links.len();
        for (index, port) in self.ports[..of_links].iter().enumerate() {
            edges[port.node as usize].push(Edge {
                port: index as u32,
                back: port.peer,
                peer: self.ports[port.peer as usize].node,
                rate_bps: port.rate_bps,
                delay_ps: port.delay_ps,
                up: port.up,
            });
        }
        // Packets on their way may have been told another port.
        for event in self.events.present() {
            if let Some(packet) = arriving(event.payload) {
                self.packets[packet].in_port = NIL;
            }
        }
        self.routes = Routes::compute(&self.topology, &edges, u64::from(self.config.mtu));
        self.routes.set_seed(self.config.ecmp_seed);
        self.spread.forget();
    }

    pub(super) fn check_flows(&mut self) -> Result<(), SetupError> {
        for index in 0..self.flows.len() {
            self.check_flow(index, &self.flows[index])?;
            self.note_ns3_ideal(index);
        }
        Ok(())
    }

    /// Parameters of the slot that serves a flow. Links that change leave them as they were when the network was set up, as in the authors'
    /// simulator: nobody configures a host's law anew.
    pub fn slot_params(&self, flow: &FlowSpec) -> SlotParams {
        let nic = self.node_nics[flow.src as usize][0];
        let line = self.topology.links[self.nics[nic as usize].port as usize / 2].rate_bps;
        let routes = self.first_routes.as_deref().unwrap_or(&self.routes);
        let (base_rtt_ns, w_init_bytes) = match self.config.window {
            WindowRule::Fixed(t) => (t, (u128::from(line) * u128::from(t) / 8_000_000_000) as u64),
            WindowRule::LargestPair => routes.extremes(),
            WindowRule::OwnPair => {
                let pair = routes.pair(flow.src, flow.dst).unwrap_or_default();
                (pair.rtt_ns, pair.bdp_bytes())
            }
        };
        SlotParams {
            line_rate_bps: line,
            base_rtt_ns,
            w_init_bytes,
            mtu: self.config.mtu,
            int_multi: self.config.int_multi,
        }
    }

    pub(super) fn make_slots(&mut self, factory: &mut SlotFactory) -> Result<(), SetupError> {
        for index in 0..self.flows.len() {
            let flow = self.flows[index];
            self.make_slot(index, &flow, factory)?;
        }
        Ok(())
    }

    /// Makes the slot that serves a flow of that number, unless it exists or the flow needs none.
    pub(super) fn make_slot(
        &mut self,
        index: usize,
        flow: &FlowSpec,
        factory: &mut SlotFactory,
    ) -> Result<(), SetupError> {
        if self.homa.is_some() {
            return Ok(());
        }
        if self.config.tcp.as_ref().is_some_and(|t| t.stack(index).is_some()) {
            return self.make_tcp_slot(index, flow, factory);
        }
        let params = self.slot_params(flow);
        fill(&mut self.slots, &mut self.slot_of, params, factory).map_err(SetupError::Slot)
    }
}
