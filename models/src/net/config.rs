//! Everything that distinguishes one network from another on the same topology: framing, buffers, marking, loss recovery, pacing.

use std::collections::BTreeMap;

use super::any_order::ReorderRules;
use super::carrier::Feedback;
use super::circuit::CircuitConfig;
use super::classes::ClassRules;
use super::clock::Clock;
use super::homa::HomaConfig;
use super::link_loss::LinkLoss;
use super::recovery::IrnRules;
use super::spread::PathRule;
use super::stamp_rules::StampRules;
use super::tcp::TcpSetup;
use super::telemetry::TelemetryBytes;
use crate::cc::{ProbeRule, Sampling, MAX_HOPS};

/// Bytes of headers. A packet's size is what it occupies on the wire, as far as the profile counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Every data packet, without INT.
    pub data_header: u32,
    /// Added to the first packet of a message (RETH).
    pub first_extra: u32,
    /// Every acknowledgement, without INT.
    pub ack_header: u32,
    /// Telemetry on a data packet at the sender.
    pub int_base: u32,
    /// What each of the first five switches adds to a data packet.
    pub int_per_hop: u32,
    /// Telemetry on an acknowledgement without records.
    pub echo_base: u32,
    /// A record on an acknowledgement.
    pub echo_per_hop: u32,
    /// Smallest data frame.
    pub min_data: u32,
    /// Smallest acknowledgement.
    pub min_ack: u32,
    /// A pause frame.
    pub pause_frame: u32,
}

impl Framing {
    /// The same with another format of telemetry on data packets.
    pub fn with_telemetry(self, bytes: TelemetryBytes) -> Self {
        Self {
            int_base: bytes.base,
            int_per_hop: bytes.per_hop,
            ..self
        }
    }

    /// Ethernet, IPv4, UDP, BTH, ICRC, FCS, preamble and gap; INT grows from 2 bytes by 8 a switch.
    pub fn wire(int: bool) -> Self {
        const COMMON: u32 = 14 + 20 + 8 + 12 + 4 + 4 + 20;
        Self {
            data_header: COMMON,
            first_extra: 16,
            ack_header: COMMON + 4,
            int_base: if int { 2 } else { 0 },
            int_per_hop: if int { 8 } else { 0 },
            echo_base: if int { 2 } else { 0 },
            echo_per_hop: if int { 8 } else { 0 },
            min_data: 84,
            min_ack: 84,
            pause_frame: 84,
        }
    }

    /// The ns-3 HPCC simulator's headers with an INT area of a fixed size: 42 bytes for HPCC, 8 for TIMELY, none otherwise.
    pub fn ns3(int_bytes: u32) -> Self {
        Self {
            data_header: 14 + 20 + 8 + 6,
            first_extra: 0,
            ack_header: 14 + 20 + 12,
            int_base: int_bytes,
            int_per_hop: 0,
            echo_base: int_bytes,
            echo_per_hop: 0,
            min_data: 0,
            min_ack: 60,
            pause_frame: 14 + 20 + 9,
        }
    }

    /// Wire bytes a sender charges to its pacing: with the INT of a full stack.
    pub fn charged(&self, size: u32) -> u32 {
        size + MAX_HOPS as u32 * self.int_per_hop
    }
}

/// Marking of congestion on one port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EcnRule {
    /// No mark up to here, bytes.
    pub k_min: u64,
    /// Always marked above, bytes.
    pub k_max: u64,
    /// Probability of a mark just below `k_max`.
    pub p_max: f64,
}

/// What keeps, or does not keep, buffers from overflowing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowControl {
    /// Priority pause; an ingress queue pauses above 2^-shift of the free shared buffer.
    Pfc {
        /// Shift for a port of NIC speed.
        shift: u32,
        /// The ns-3 simulator lowers the shift by one for each doubling of speed over the NIC's.
        faster_ports_get_more: bool,
    },
    /// No pause: an egress queue takes what is at most the free buffer (alpha = 1), the rest is dropped.
    EgressLimit,
    /// No pause: an arriving packet that finds this many waiting at its port is dropped; the shared buffer does not limit.
    DropTail {
        /// Packets waiting, the one being sent not counted.
        packets: u32,
    },
}

/// How lost packets are sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Rewind to the oldest unacknowledged byte.
    GoBackN,
    /// Selective retransmission, one bandwidth-delay product outstanding at most (IRN). Its timeouts replace the network's.
    Irn(IrnRules),
    /// Receivers take any order and name what is lost, which alone is sent again.
    AnyOrder(ReorderRules),
}

/// Window and base RTT handed to the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowRule {
    /// `T` for all flows, ns; the window is line rate times `T`.
    Fixed(u64),
    /// The largest of each over all pairs of hosts (the ns-3 simulator's `GLOBAL_T 1`).
    LargestPair,
    /// Of the flow's own pair (`GLOBAL_T 0`).
    OwnPair,
}

/// Completion time of a flow that is alone in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdealRule {
    /// Exactly, of the same message on its own path when it starts, without telemetry.
    Exact,
    /// The ns-3 simulator's formula: base round trip and size with headers at the slowest link, of the network before the run.
    Ns3,
}

/// Which window the sender obeys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowUse {
    /// The law's.
    Law,
    /// The first one, for good.
    Initial,
    /// None.
    None,
}

/// A network's rules.
#[derive(Clone, Debug)]
pub struct Config {
    /// Rounding of times.
    pub clock: Clock,
    /// Headers.
    pub framing: Framing,
    /// Payload of a full packet, bytes.
    pub mtu: u32,
    /// Switches write INT records.
    pub int: bool,
    /// Multiplier of both INT units.
    pub int_multi: u32,
    /// Which data packets collect telemetry; `None`: all.
    pub sampling: Option<Sampling>,
    /// Probes collect in place of data packets; `None`: no probes.
    pub probes: Option<ProbeRule>,
    /// How telemetry comes back.
    pub feedback: Feedback,
    /// The time stamp is the fraction of a second, as IOAM carries it.
    pub second_fraction: bool,
    /// Switches stamp the bytes that entered the queue in place of those that left it, as the PowerTCP authors' simulator does.
    pub int_arrivals: bool,
    /// What switches say in other ways than the paper's.
    pub stamps: StampRules,
    /// Speed in bits per second to INT code, and the code of a speed that is not in the table.
    pub speed_codes: BTreeMap<u64, u8>,
    /// Code of a speed that the table lacks.
    pub unknown_speed: u8,
    /// Buffer of a switch, bytes.
    pub buffer_bytes: u64,
    /// Reserved per port before the shared buffer counts, bytes.
    pub port_reserve: u64,
    /// A pause ends this far below its threshold, bytes.
    pub resume_offset: u64,
    /// Pause or drop.
    pub flow_control: FlowControl,
    /// Retransmission.
    pub recovery: Recovery,
    /// Marking per port speed (bits per second); a speed without a rule does not mark.
    pub ecn: BTreeMap<u64, EcnRule>,
    /// An arriving packet that may be marked is marked when it finds at least this many waiting at its port.
    pub mark_packets: Option<u32>,
    /// Traffic classes on the ports of switches; `None`: one queue for all data.
    pub classes: Option<ClassRules>,
    /// Flows that are TCP connections.
    pub tcp: Option<TcpSetup>,
    /// All hosts are HOMA's. Without classes of their own, the network's switches have HOMA's eight priorities.
    pub homa: Option<HomaConfig>,
    /// An optical circuit switch joins the ToRs beside the packet network.
    pub circuits: Option<CircuitConfig>,
    /// A paused host still sends acknowledgements.
    pub host_acks_ignore_pause: bool,
    /// Acknowledgements have their own strict-priority queue in switches.
    pub switch_ack_priority: bool,
    /// A new rate moves the send that is already scheduled.
    pub rate_moves_next_send: bool,
    /// A duplicate is acknowledged again.
    pub acknowledge_duplicates: bool,
    /// The same gap is reported again after this long, ps; `None`: once per gap.
    pub nak_repeat_ps: Option<u64>,
    /// Retransmission timeout, ps; `None`: none.
    pub retry_timeout_ps: Option<u64>,
    /// A new window takes effect this long after its acknowledgement, ps.
    pub cc_latency_ps: u64,
    /// Window and `T`.
    pub window: WindowRule,
    /// Which window counts.
    pub window_use: WindowUse,
    /// The law's rate paces; otherwise line rate does, and with `rate_moves_next_send` a new rate still moves the next send by the
    /// difference, as in the ns-3 simulator.
    pub pace: bool,
    /// What a flow's completion time is compared with.
    pub ideal: IdealRule,
    /// Losses of single links, beside those of the topology.
    pub link_losses: Vec<LinkLoss>,
    /// Seed of marking and of loss on links.
    pub seed: u64,
    /// Seed of the choice among equal paths; 0: the authors' simulator's choice.
    pub ecmp_seed: u64,
    /// How switches choose among equal paths.
    pub paths: PathRule,
}

/// Speeds of the default INT table, Gb/s, at codes 1 to 8.
pub const DEFAULT_SPEEDS_GBPS: [u64; 8] = [10, 25, 40, 50, 100, 200, 400, 800];

impl Config {
    /// The network of the paper with the wire's own framing; `t_ns` is `T`.
    pub fn paper(t_ns: u64, int: bool) -> Self {
        let ecn = |gbps: u64| EcnRule {
            k_min: 4_000 * gbps,
            k_max: 16_000 * gbps,
            p_max: 0.2,
        };
        Self {
            clock: Clock::Exact,
            framing: Framing::wire(int),
            mtu: 1024,
            int,
            int_multi: 1,
            sampling: None,
            probes: None,
            feedback: Feedback::default(),
            second_fraction: false,
            int_arrivals: false,
            stamps: StampRules::default(),
            speed_codes: DEFAULT_SPEEDS_GBPS
                .iter()
                .zip(1..)
                .map(|(&g, code)| (g * 1_000_000_000, code))
                .collect(),
            unknown_speed: 0,
            buffer_bytes: 32 * 1024 * 1024,
            port_reserve: 4 * 1024,
            resume_offset: 3 * 1024,
            flow_control: FlowControl::Pfc {
                shift: 3,
                faster_ports_get_more: false,
            },
            recovery: Recovery::GoBackN,
            ecn: DEFAULT_SPEEDS_GBPS
                .iter()
                .map(|&g| (g * 1_000_000_000, ecn(g)))
                .collect(),
            mark_packets: None,
            classes: None,
            tcp: None,
            homa: None,
            circuits: None,
            // They share the data class in switches, where a pause has to hold them back too.
            host_acks_ignore_pause: false,
            switch_ack_priority: false,
            rate_moves_next_send: true,
            acknowledge_duplicates: true,
            nak_repeat_ps: None,
            retry_timeout_ps: Some(4_000_000_000),
            cc_latency_ps: 0,
            window: WindowRule::Fixed(t_ns),
            window_use: WindowUse::Law,
            pace: true,
            ideal: IdealRule::Exact,
            link_losses: Vec::new(),
            seed: 1,
            ecmp_seed: 0,
            paths: PathRule::Ecmp,
        }
    }

    /// `T` of the window rule, ns; 0 where it depends on the topology.
    pub fn window_t_ns(&self) -> u64 {
        match self.window {
            WindowRule::Fixed(t) => t,
            WindowRule::LargestPair | WindowRule::OwnPair => 0,
        }
    }

    /// DCTCP's marking: everything above 30 KB per 10 Gb/s (paper 5.1).
    pub fn mark_like_dctcp(&mut self) {
        for (&rate, rule) in &mut self.ecn {
            let k = rate / 1_000_000_000 * 3_000;
            *rule = EcnRule {
                k_min: k,
                k_max: k,
                p_max: 1.0,
            };
        }
    }
}
