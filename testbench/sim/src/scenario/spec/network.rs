//! The network of a scenario: topology, switches, flow control, links that change.

use serde::{Deserialize, Serialize};

/// Network of a scenario.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkSpec {
    /// `star`, `dumbbell`, `chain`, `leaf-spine`, `fat-tree`, `testbed`, `three-tier`, `four-pods`, `racks`, or a topology file in the ns-3 simulator's format.
    pub topology: String,
    /// Hosts of a star, pairs of a dumbbell, hosts per switch of a chain, hosts per rack of `racks`, hosts per leaf of `leaf-spine`, hosts per edge switch of `three-tier` (default: 8).
    #[serde(default)]
    pub hosts: usize,
    /// Speed of host links, Gb/s.
    #[serde(default = "hundred")]
    pub rate_gbps: u64,
    /// Speeds between switches, Gb/s (dumbbell, racks, leaf-spine, fat-tree with `k`: the first; three-tier: aggregation and core; chain: one less than switches).
    #[serde(default)]
    pub middle_gbps: Vec<u64>,
    /// Delay of each link, ns.
    #[serde(default = "thousand")]
    pub delay_ns: u64,
    /// Delays of the links of `middle_gbps`, ns (leaf-spine, fat-tree with `k`, three-tier); `delay_ns` where not given, and HCC's 1, 10 and 100 us for three-tier.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub middle_delay_ns: Vec<u64>,
    /// Leaf switches of `leaf-spine`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaves: Option<usize>,
    /// Spine switches of `leaf-spine`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spines: Option<usize>,
    /// Ports of a switch of `fat-tree`, an even number: `k*k*k/4` hosts. Without it the paper's fat tree with `pods`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    /// Aggregation switches of `three-tier` (default: 2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregations: Option<usize>,
    /// Edge switches on each aggregation switch of `three-tier` (default: 4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges: Option<usize>,
    /// Racks of `racks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub racks: Option<usize>,
    /// Pods of a fat tree, 64 hosts each (the paper's has five).
    #[serde(default = "five")]
    pub pods: usize,
    /// Payload of a full packet, bytes.
    #[serde(default = "mtu")]
    pub mtu: u32,
    /// Buffer of a switch, MB.
    #[serde(default = "thirty_two")]
    pub buffer_mb: u64,
    /// `pfc`, `go-back-n`, `irn`, or `drop-tail` (queues in packets, go-back-N); with HOMA, which recovers by itself, `pfc` or `dynamic-thresholds`.
    #[serde(default = "pfc")]
    pub flow_control: String,
    /// `drop-tail`: packets that may wait at a port.
    #[serde(default)]
    pub queue_packets: Option<u32>,
    /// An arriving packet is marked when it finds this many waiting (default with DCTCP hosts: 65).
    #[serde(default)]
    pub mark_packets: Option<u32>,
    /// Pause thresholds grow with a port's speed over the NIC's, as in the authors' simulator: 1/8, 1/4, 1/2 of the free buffer.
    #[serde(default)]
    pub pause_scales_with_speed: bool,
    /// Acknowledgements have their own strict-priority queue in switches.
    #[serde(default)]
    pub ack_priority: bool,
    /// Probability of losing a packet on any link.
    #[serde(default)]
    pub loss: f64,
    /// Retransmission timeout, us.
    #[serde(default = "timeout")]
    pub retry_timeout_us: u64,
    /// No mark up to here, KB on a port of 25 Gb/s and in proportion on others; the law's own threshold otherwise.
    #[serde(default)]
    pub ecn_kmin_kb: Option<f64>,
    /// Always marked above, KB on a port of 25 Gb/s.
    #[serde(default)]
    pub ecn_kmax_kb: Option<f64>,
    /// Probability of a mark just below `ecn_kmax_kb`.
    #[serde(default)]
    pub ecn_pmax: Option<f64>,
    /// Seed of the choice among equal paths (0: that of the authors' simulator); the scenario's seed otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ecmp_seed: Option<u64>,
    /// How switches choose among equal paths: `ecmp` (by hash of the 5-tuple, the default), `spray`, `flowlet`, `adaptive` (the port that is free of what waits there first).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routing: Option<RoutingSpec>,
    /// How packets are sprayed: `round-robin` (the default) or `random`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spray: Option<SpraySpec>,
    /// A flow's packet that follows the one before it after this long or longer begins a flowlet and may take another path, ns (default: 10000).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flowlet_ns: Option<u64>,
    /// What receivers do with a packet that is ahead of the expected one: `any` keeps it, `go-back-n` drops it and asks for the expected one. Without it `any`, with `ecmp` `go-back-n`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reorder: Option<ReorderSpec>,
    /// A packet is lost when one this many places behind it has arrived; not for that, where only `reorder_us` is given or neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reorder_packets: Option<u64>,
    /// A packet is lost when its receiver has waited this long for it, us; not for that, where only `reorder_packets` is given (default: 100).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reorder_us: Option<f64>,
    /// Links that lose packets of their own, beside `loss`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub link_loss: Vec<LinkLossSpec>,
    /// Links that fail, return or change speed.
    #[serde(default)]
    pub link_change: Vec<LinkChangeSpec>,
}

/// How switches choose among equal paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoutingSpec {
    /// By hash of the 5-tuple.
    #[default]
    Ecmp,
    /// Packet by packet.
    Spray,
    /// Flowlet by flowlet.
    Flowlet,
    /// By what waits at the ports.
    Adaptive,
}

/// How packets are sprayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpraySpec {
    /// In turn.
    #[default]
    RoundRobin,
    /// At random.
    Random,
}

/// What receivers do with a packet that is ahead of the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReorderSpec {
    /// Keep it.
    Any,
    /// Drop it and ask for the expected one.
    GoBackN,
}

impl NetworkSpec {
    /// Receivers keep packets that are ahead, in the way of `network.reorder`: IRN's do so in theirs.
    pub fn takes_any_order(&self) -> bool {
        let spreads = !matches!(self.routing, None | Some(RoutingSpec::Ecmp));
        let default = if spreads && self.flow_control != "irn" {
            ReorderSpec::Any
        } else {
            ReorderSpec::GoBackN
        };
        self.reorder.unwrap_or(default) == ReorderSpec::Any
    }
}

/// A link change of a scenario.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LinkChangeSpec {
    /// When, us.
    pub at_us: f64,
    /// Link, by its place in the topology.
    pub link: usize,
    /// Usable from then on.
    #[serde(default = "yes")]
    pub up: bool,
    /// New speed, Gb/s.
    #[serde(default)]
    pub rate_gbps: Option<u64>,
}

/// Loss on one link of a scenario; several of a link take packets independently of each other.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LinkLossSpec {
    /// Link, by its place in the topology.
    pub link: usize,
    /// Node at one end of the link, whose packets are lost; without it those of both ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<u32>,
    /// Probability of losing a packet.
    pub loss: f64,
    /// Packets whose transmission starts from here on, us.
    #[serde(default)]
    pub from_us: f64,
    /// Packets whose transmission starts before this time, us; without it to the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_us: Option<f64>,
}

fn hundred() -> u64 {
    100
}
fn thousand() -> u64 {
    1000
}
fn five() -> usize {
    5
}
fn mtu() -> u32 {
    1024
}
fn thirty_two() -> u64 {
    32
}
fn pfc() -> String {
    "pfc".into()
}
fn timeout() -> u64 {
    4000
}
fn yes() -> bool {
    true
}
