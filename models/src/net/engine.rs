//! The simulator: owns everything and turns events into calls. Switches are in [`super::switch`], hosts in [`super::host`].

use std::collections::BTreeMap;

use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::circuit::Circuits;
use super::closed_loop::Running;
use super::config::Config;
use super::event::EventQueue;
use super::flow::{Context, FlowRecord, FlowSpec};
use super::hcc::{Hcc, HccOutcome};
use super::homa::{HomaConfig, HomaHosts};
use super::kind::{decode, HOLE};
pub(super) use super::kind::{encode, Kind};
use super::link_loss::LinkLoss;
use super::meter::Meters;
use super::outside::Outside;
use super::packet::PacketSlab;
use super::port::{Port, SizeTimes, Switch};
use super::routing::Routes;
use super::sample::{SamplePlan, Samples};
use super::sending::Nic;
use super::slot::{CcSlot, SlotFactory, SlotParams};
use super::spread::Spread;
use super::start_rules::Waiting;
use super::tcp::TcpHosts;
use super::topology::{Topology, TopologyError};
use crate::cc::FlowCount;

/// A link that fails, or comes back, or changes speed, at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkChange {
    /// When, ps.
    pub at_ps: u64,
    /// Index of the link in the topology.
    pub link: usize,
    /// Usable from then on.
    pub up: bool,
    /// New speed, bits per second; `None`: unchanged.
    pub rate_bps: Option<u64>,
}

/// Counters of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Events taken from the queue.
    pub events: u64,
    /// Data packets sent by hosts, repetitions included.
    pub data_packets: u64,
    /// Packets over links, of all kinds.
    pub packet_hops: u64,
    /// Acknowledgements handed to congestion control.
    pub acks: u64,
    /// Packets dropped for want of buffer.
    pub drops: u64,
    /// Packets lost on links.
    pub losses: u64,
    /// Pause frames sent.
    pub pauses: u64,
    /// Time that ports spent paused, summed, ps.
    pub paused_ps: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Negative acknowledgements sent.
    pub naks: u64,
    /// Data packets that arrived ahead of the one that their receiver expected.
    pub early: u64,
    /// Packets marked.
    pub marked: u64,
    /// Records of INT that found no room: a packet's sixth switch and those behind it, which its sender does not see.
    pub int_full: u64,
    /// Acknowledgements sent by receivers, negative ones too.
    pub acks_sent: u64,
    /// Grants sent by HOMA's receivers.
    pub grants: u64,
    /// Probes sent.
    pub probes: u64,
    /// Their bytes on the sender's wire.
    pub probe_bytes: u64,
    /// Responses sent.
    pub responses: u64,
    /// Responses that came too late, or to nobody, and were dropped.
    pub probe_stray: u64,
    /// Notifications sent: of telemetry, or of windows.
    pub notifications: u64,
    /// Notifications dropped because something newer was there.
    pub notify_stale: u64,
    /// Times that a sender with data in flight heard nothing from its receiver's law for eight `T`.
    pub notify_missing: u64,
}

/// Results of a simulation.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Name of the law.
    pub law: &'static str,
    /// Simulated until, ps.
    pub now_ps: u64,
    /// Ports of the network.
    pub ports: usize,
    /// Most packets in flight at once.
    pub peak_packets: usize,
    /// Flows asked for.
    pub flows: Vec<FlowSpec>,
    /// What became of them.
    pub records: Vec<FlowRecord>,
    /// Observations.
    pub samples: Samples,
    /// Counters.
    pub counters: Counters,
    /// What the law is told of the first flow's port: line rate, `T` and first window as the topology gives them.
    pub port: Option<SlotParams>,
    /// What the agents of HCC did, if there were any.
    pub hcc: Option<HccOutcome>,
}

/// Why a simulation cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The topology.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// A flow.
    #[error("flow {flow}: {field}: expected {expected}")]
    Flow {
        /// Flow number.
        flow: usize,
        /// Its field.
        field: &'static str,
        /// What it should be.
        expected: String,
    },
    /// The congestion-control slot.
    #[error("congestion control: {0}")]
    Slot(String),
    /// Pauses cannot work: what must be kept free for them is more than there is.
    #[error("switch {node}: buffer: expected more than the {needed} bytes that headroom and reserve of its ports with pause take, got {buffer}")]
    Headroom {
        /// The switch (node number).
        node: u32,
        /// Headroom and reserve of all its ports, bytes.
        needed: u64,
        /// Its buffer, bytes.
        buffer: u64,
    },
    /// A loss on a link.
    #[error("loss {number}: {field}: expected {expected}")]
    LinkLoss {
        /// Its place in the list.
        number: usize,
        /// Its field.
        field: &'static str,
        /// What it should be.
        expected: String,
    },
    /// The agents of HCC.
    #[error("agents: {0}")]
    Agents(String),
    /// The circuits.
    #[error("circuits: {0}")]
    Circuits(String),
}

/// A network with its traffic.
pub struct Simulator {
    pub(super) config: Config,
    /// Packets take the short way through switches.
    pub(super) plain: bool,
    /// They never do: for tests.
    pub(super) always_long: bool,
    pub(super) topology: Topology,
    pub(super) now: u64,
    /// Sequence number of the event being handled.
    pub(super) seq: u64,
    pub(super) events: EventQueue,
    pub(super) packets: PacketSlab,
    pub(super) ports: Vec<Port>,
    pub(super) times: Vec<SizeTimes>,
    pub(super) switches: Vec<Switch>,
    pub(super) nics: Vec<Nic>,
    /// NIC numbers by node.
    pub(super) node_nics: Vec<Vec<u32>>,
    pub(super) routes: Routes,
    /// What the choice among equal paths remembers.
    pub(super) spread: Spread,
    /// Routes before the first change of a link, where hosts' parameters are taken from them.
    pub(super) first_routes: Option<Box<Routes>>,
    pub(super) flows: Vec<FlowSpec>,
    /// Flow numbers in order of start.
    pub(super) order: Vec<u32>,
    pub(super) next_flow: usize,
    pub(super) records: Vec<FlowRecord>,
    pub(super) contexts: Vec<Context>,
    pub(super) free_contexts: Vec<u32>,
    /// Next source port of each pair of hosts.
    pub(super) source_ports: BTreeMap<(u32, u32), u16>,
    pub(super) slots: Vec<Box<dyn CcSlot>>,
    pub(super) slot_of: BTreeMap<SlotParams, u32>,
    pub(super) link_changes: Vec<LinkChange>,
    /// By port: packets arrived, and the numbers of those that are lost on purpose.
    pub(super) arrival_drops: BTreeMap<u32, (u64, Vec<u64>)>,
    /// Losses of single links, by port that sends.
    pub(super) link_losses: BTreeMap<u32, Vec<LinkLoss>>,
    /// Flows with data, by receiving host.
    pub(super) flow_counts: BTreeMap<u32, FlowCount>,
    pub(super) tcp: TcpHosts,
    pub(super) homa: Option<Box<HomaHosts>>,
    pub(super) loops: Vec<Running>,
    /// Flows of loops: number of the loop, response.
    pub(super) loop_of: BTreeMap<u32, (u32, bool)>,
    /// The loop whose message is being started.
    pub(super) starting: Option<usize>,
    pub(super) meters: Meters,
    pub(super) plan: SamplePlan,
    pub(super) samples: Samples,
    pub(super) sample_count: u64,
    pub(super) last_queue: Vec<u64>,
    /// By node, while a sample is taken: bytes at its ports, and whether a host is linked to it.
    pub(super) held: Vec<(u64, bool)>,
    pub(super) rng: ChaCha8Rng,
    pub(super) counters: Counters,
    pub(super) unfinished: usize,
    /// Flows that start after others.
    pub(super) waiting: Waiting,
    pub(super) outside: Outside,
    pub(super) hcc: Option<Box<Hcc>>,
    pub(super) circuits: Option<Box<Circuits>>,
    /// Why the simulation cannot go on.
    pub(super) failure: Option<String>,
}

impl Simulator {
    /// Builds the network, checks the flows and makes the congestion-control slots that they need.
    pub fn new(
        topology: &Topology,
        flows: Vec<FlowSpec>,
        mut config: Config,
        plan: SamplePlan,
        factory: &mut SlotFactory,
    ) -> Result<Self, SetupError> {
        topology.check()?;
        if config.homa.is_some() {
            config.classes.get_or_insert_with(HomaConfig::classes);
        }
        let mut order: Vec<u32> = (0..flows.len() as u32).collect();
        order.sort_by_key(|&f| flows[f as usize].start_ps);
        let mut sim = Self {
            plain: false,
            always_long: false,
            topology: topology.clone(),
            now: 0,
            seq: 0,
            events: EventQueue::new(),
            packets: PacketSlab::default(),
            ports: Vec::new(),
            times: Vec::new(),
            switches: Vec::new(),
            nics: Vec::new(),
            node_nics: vec![Vec::new(); topology.nodes()],
            routes: Routes::default(),
            spread: Spread::default(),
            first_routes: None,
            unfinished: flows.len(),
            waiting: Waiting::default(),
            outside: Outside::default(),
            hcc: None,
            circuits: None,
            failure: None,
            records: vec![FlowRecord::default(); flows.len()],
            flows,
            order,
            next_flow: 0,
            contexts: Vec::new(),
            free_contexts: Vec::new(),
            source_ports: BTreeMap::new(),
            slots: Vec::new(),
            slot_of: BTreeMap::new(),
            link_changes: Vec::new(),
            arrival_drops: BTreeMap::new(),
            link_losses: BTreeMap::new(),
            flow_counts: BTreeMap::new(),
            tcp: TcpHosts::default(),
            homa: None,
            loops: Vec::new(),
            loop_of: BTreeMap::new(),
            starting: None,
            meters: Meters::default(),
            plan,
            samples: Samples::default(),
            sample_count: 0,
            last_queue: Vec::new(),
            held: Vec::new(),
            rng: ChaCha8Rng::seed_from_u64(config.seed),
            counters: Counters::default(),
            config,
        };
        sim.build_ports()?;
        sim.set_link_losses()?;
        sim.compute_routes();
        sim.make_circuits()?;
        sim.check_flows()?;
        sim.make_homa()?;
        sim.make_slots(factory)?;
        if let Some(&first) = sim.order.first() {
            sim.events
                .push(sim.flows[first as usize].start_ps, encode(Kind::FlowFeed, 0, 0));
        }
        if sim.plan.interval_ps > 0 {
            sim.events.push(sim.plan.start_ps, encode(Kind::Sample, 0, 0));
        }
        if sim.plan.meter_ps > 0 {
            sim.events
                .push(sim.plan.start_ps + sim.plan.meter_ps, encode(Kind::Sample, 1, 0));
        }
        Ok(sim)
    }

    /// Adds a link change; before running only.
    pub fn add_link_change(&mut self, change: LinkChange) {
        self.events.push(
            change.at_ps,
            encode(Kind::LinkChange, 0, self.link_changes.len() as u32),
        );
        self.link_changes.push(change);
    }

    /// Handles every event up to and including `until_ps`. False when all flows are over and nothing is left to observe.
    pub fn run_until(&mut self, until_ps: u64) -> bool {
        self.plain = self.is_plain() && !self.always_long;
        loop {
            if self.events.present().is_empty() {
                if !self.events.advance(until_ps) {
                    break;
                }
                self.look_ahead();
            }
            let Some(event) = self.events.pop_until(until_ps) else {
                break;
            };
            self.now = event.time;
            self.seq = event.seq;
            self.counters.events += 1;
            self.dispatch(event.payload);
            if self.failure.is_some() {
                return false;
            }
            if self.unfinished == 0 && (self.plan.interval_ps == 0 || self.now >= self.plan.end_ps) {
                return false;
            }
        }
        let more = self.outside.on || !self.events.is_empty();
        if more {
            self.now = until_ps;
        }
        more
    }

    fn dispatch(&mut self, payload: u64) {
        let (kind, a, b) = decode(payload);
        match kind {
            Kind::TxEnd => {
                self.ports[b as usize].end_scheduled = false;
                self.send(b);
            }
            Kind::Arrive => self.arrive(a, b),
            Kind::Wake => self.wake(a, b),
            Kind::FlowFeed => self.feed_flows(),
            Kind::FlowInstall => self.events.push(self.now, encode(Kind::FlowStart, 0, b)),
            Kind::FlowStart => self.start_flow(b),
            Kind::Tick => self.tick(a, b),
            Kind::Collect => self.collect(b),
            Kind::Sample if a > 0 => self.read_meters(),
            Kind::Sample => self.take_samples(),
            Kind::Timeout if a >= HOLE => self.hole_timeout(a - HOLE, b),
            Kind::Timeout => self.timeout(a, b),
            Kind::LinkChange if a > 0 => self.turn_circuits(a, b),
            Kind::LinkChange => self.change_link(b as usize),
            Kind::TcpTimer => self.tcp_timer(a, b),
            Kind::Request => self.loop_message(a, b),
            Kind::Agent => self.agent_event(a, b),
            Kind::DelayedAck => self.delayed_ack(a, b),
            Kind::HomaTimer => self.homa_timer(a, b),
        }
    }

    /// Starts whatever a port can send now.
    pub(super) fn send(&mut self, port: u32) {
        if self.ports[port as usize].on_switch {
            self.switch_send(port);
        } else {
            self.nic_send(self.ports[port as usize].owner);
        }
    }

    /// Time now, ps.
    pub fn now_ps(&self) -> u64 {
        self.now
    }

    /// Flows not yet finished.
    pub fn unfinished(&self) -> usize {
        self.unfinished
    }

    /// Counters so far; time still paused is added by [`Simulator::finish`].
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Flows asked for.
    pub fn flows(&self) -> &[FlowSpec] {
        &self.flows
    }

    /// What became of them.
    pub fn records(&self) -> &[FlowRecord] {
        &self.records
    }

    /// Observations.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// Largest base RTT (ns) and bandwidth-delay product (bytes) of the topology.
    pub fn extremes(&self) -> (u64, u64) {
        self.routes.extremes()
    }

    /// Most packets in flight at once.
    pub fn peak_packets(&self) -> usize {
        self.packets.peak()
    }

    /// Why the simulation stopped before its end.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Name of the law.
    pub fn law(&self) -> &'static str {
        if self.homa.is_some() {
            return "homa";
        }
        let tcp = self.config.tcp.as_ref().and_then(|t| t.stacks.first());
        let otherwise = tcp.map_or("none", |t| t.law.name());
        self.slots.first().map_or(otherwise, |s| s.name())
    }

    /// Closes open intervals and gives out the results.
    pub fn finish(mut self) -> Outcome {
        self.read_last_meters();
        for port in self.ports.iter().filter(|p| p.paused) {
            self.counters.paused_ps += self.now - port.paused_since;
        }
        Outcome {
            law: self.law(),
            port: self.flows.first().map(|flow| self.slot_params(flow)),
            now_ps: self.now,
            ports: self.ports.len(),
            peak_packets: self.packets.peak(),
            flows: self.flows,
            records: self.records,
            samples: self.samples,
            counters: self.counters,
            hcc: self.hcc.map(|h| h.outcome),
        }
    }
}
