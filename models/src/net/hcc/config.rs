//! What distinguishes one use of HCC in the network from another, and what is counted.

use crate::alloc::agent::Settings;

/// What a flow asks for while it has something to send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DemandRule {
    /// Without limit as long as anything is unsent or to be repeated, else nothing.
    #[default]
    Infinite,
    /// What is unsent in one cycle of the root, at most the line rate.
    Backlog,
}

/// An agent that does nothing and forgets everything for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentFailure {
    /// Level of the agent: 0 at the hosts.
    pub level: usize,
    /// Which of that level, in order of its link's number.
    pub index: usize,
    /// First moment without it, ps.
    pub from_ps: u64,
    /// It comes back, ps.
    pub to_ps: u64,
}

/// HCC in the network (sections III and IV of its paper).
#[derive(Clone, Debug)]
pub struct HccConfig {
    /// How agents report, prune and grant.
    pub settings: Settings,
    /// Levels of agents: hosts, their switches' uplinks, and so on.
    pub levels: usize,
    /// `Cycle_child` in delays of the link to the children: 10, 3 and 1 in HCC-1, -2 and -3.
    pub cycle: u32,
    /// `Cycle_parent` over `Cycle_child`.
    pub parent_cycles: u32,
    /// What a flow asks for.
    pub demand: DemandRule,
    /// The first packet of a flow, and the first after its first share, waits a random part of a packet time at its rate.
    pub dither: bool,
    /// Limit what is in flight to two round trips at the share and ten packets.
    pub window: bool,
    /// Probability that a control message is lost.
    pub loss: f64,
    /// With lost messages or failures: whole maps and all shares again every so many parent cycles; 0: never.
    pub refresh_cycles: u32,
    /// Agents that fail.
    pub failures: Vec<AgentFailure>,
    /// A root for the last link to each destination too, so that shares fit the receivers' links.
    pub two_sided: bool,
    /// Count also what a central solution would have sent and received.
    pub central: bool,
}

impl HccConfig {
    /// HCC-2 of the evaluation with these settings.
    pub fn evaluated(settings: Settings) -> Self {
        Self {
            settings,
            levels: 3,
            cycle: 3,
            parent_cycles: 10,
            demand: DemandRule::Infinite,
            dither: false,
            window: true,
            loss: 0.0,
            refresh_cycles: 0,
            failures: Vec::new(),
            two_sided: false,
            central: false,
        }
    }
}

/// Control messages of all agents of one level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelCounters {
    /// Agents.
    pub agents: u64,
    /// Bytes of messages received from children and parents.
    pub received_bytes: u64,
    /// Messages received.
    pub received: u64,
    /// Bytes of messages sent.
    pub sent_bytes: u64,
    /// Messages sent.
    pub sent: u64,
    /// Tasks run.
    pub tasks: u64,
    /// Entries of maps and of messages that these tasks read: a measure of computation that no machine changes.
    pub operations: u64,
}

/// What a central solution would have moved at the core: 12 bytes for a flow's demand in, 12 bytes for its rate out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CentralCounters {
    /// Demands that changed, bytes in.
    pub changed_in: u64,
    /// Rates that changed, bytes out.
    pub changed_out: u64,
    /// Demands of all active flows in every cycle, bytes in.
    pub poll_in: u64,
    /// Rates of all active flows in every cycle, bytes out.
    pub poll_out: u64,
}

/// What HCC did in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HccOutcome {
    /// By level, 0 at the hosts.
    pub levels: Vec<LevelCounters>,
    /// The central solution, if it was counted.
    pub central: CentralCounters,
    /// Control messages lost.
    pub lost: u64,
    /// From a flow's start to its first share, for flows on hosts that had none, ns, in order of time.
    pub first_share_ns: Vec<u64>,
}
