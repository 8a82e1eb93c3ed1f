//! HCC in the network: an agent for each link of the aggregation tree, control messages with the links' delays, rates of the hosts' flows.
//!
//! The agents are those of [`crate::alloc::agent`]. Their messages take the delays of the links between the agents' places and do not queue
//! behind data (control path, section III-D of the HCC paper). A leaf's agent sets a cap on the rate of every flow of its host; the flow's
//! congestion-control slot goes on, and the smaller rate counts, so that HCC alone is a slot that always says line rate.

mod cap;
mod central;
mod config;
mod events;
mod place;
mod setup;

pub use config::{AgentFailure, CentralCounters, DemandRule, HccConfig, HccOutcome, LevelCounters};

use std::collections::BTreeMap;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::alloc::agent::Agent;
use crate::alloc::message::{Down, Up};
use central::Central;

/// What an event of an agent means; with the agent's number in the event's first field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Part {
    ChildTask,
    ParentTask,
    Message,
    Wake,
    Fail,
    Return,
    Central,
}

const PARTS: [Part; 7] = [
    Part::ChildTask,
    Part::ParentTask,
    Part::Message,
    Part::Wake,
    Part::Fail,
    Part::Return,
    Part::Central,
];
/// Bits of an agent's number in the event's first field; the part is above.
const AGENT_BITS: u32 = 24;

/// A task that runs in cycles, but only when there is something to do.
#[derive(Clone, Copy, Debug)]
struct Task {
    cycle_ps: u64,
    phase_ps: u64,
    scheduled: bool,
    runs: u32,
}

impl Task {
    fn new(cycle_ps: u64, rng: &mut ChaCha8Rng) -> Self {
        let cycle_ps = cycle_ps.max(1);
        Self {
            cycle_ps,
            phase_ps: rng.random_range(0..cycle_ps),
            scheduled: false,
            runs: 0,
        }
    }

    /// First turn after `now`, ps.
    fn next(&self, now: u64) -> u64 {
        if now < self.phase_ps {
            return self.phase_ps;
        }
        let turns = (now - self.phase_ps) / self.cycle_ps + 1;
        self.phase_ps + turns * self.cycle_ps
    }
}

/// An agent at its place.
struct Placed {
    agent: Agent,
    level: usize,
    /// Egress port of its link.
    port: u32,
    parents: Vec<Parent>,
    child_task: Task,
    parent_task: Task,
    from_children: Vec<Up>,
    /// With the parent that sent it.
    from_parents: Vec<(u32, Down)>,
    failed: bool,
    /// Leaf: flows of its host.
    flows: Vec<Capped>,
}

impl Placed {
    /// An agent at an egress port with its tasks' cycles, ps.
    fn new(agent: Agent, level: usize, port: u32, cycles: (u64, u64), rng: &mut ChaCha8Rng) -> Self {
        Self {
            agent,
            level,
            port,
            parents: Vec::new(),
            child_task: Task::new(cycles.0, rng),
            parent_task: Task::new(cycles.1, rng),
            from_children: Vec::new(),
            from_parents: Vec::new(),
            failed: false,
            flows: Vec::new(),
        }
    }

    /// Delay of a message to or from a parent, ps.
    fn delay_ps(&self, parent: u32) -> u64 {
        let found = self.parents.iter().find(|p| p.agent == parent);
        found.map_or(0, |p| p.delay_ps)
    }
}

/// The agent above another one.
#[derive(Clone, Copy, Debug)]
struct Parent {
    agent: u32,
    /// Delay of a message, ps.
    delay_ps: u64,
}

/// A flow that a leaf caps.
#[derive(Clone, Copy, Debug)]
struct Capped {
    /// `None`: a TCP connection.
    context: Option<u32>,
    flow: u32,
    /// Start, ps, while the flow has no share.
    waiting_since: Option<u64>,
}

/// A flow under control.
#[derive(Clone, Copy, Debug)]
struct Known {
    leaf: u32,
    /// It has nothing to send.
    idle: bool,
}

/// A message on its way.
enum Message {
    Up(Up),
    /// With the parent that sent it.
    Down(u32, Down),
}

/// All agents of a network.
pub(super) struct Hcc {
    config: HccConfig,
    agents: Vec<Placed>,
    /// Leaf agent of the flows between two hosts (source, destination), if they are controlled.
    leaf_of: BTreeMap<(u32, u32), u32>,
    /// Flows that run.
    known: BTreeMap<u32, Known>,
    messages: Vec<Option<Message>>,
    free: Vec<u32>,
    rng: ChaCha8Rng,
    pub(super) outcome: HccOutcome,
    central: Option<Central>,
}

#[cfg(test)]
mod tests;
