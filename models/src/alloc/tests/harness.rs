//! Agents joined by perfect message channels, run in rounds; random trees and their flat graphs.

use std::sync::Arc;

use rand::seq::SliceRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::alloc::agent::{Agent, Settings};
use crate::alloc::message::{Down, Up};
use crate::alloc::{DemandMap, Flow, Graph, Quantiser, INFINITE};

/// Agents by number, and what went between them.
pub struct Bus {
    pub agents: Vec<Agent>,
    pub quantiser: Option<Quantiser>,
    pub up_messages: u64,
    pub up_entries: u64,
    pub down_messages: u64,
}

impl Bus {
    /// Agents at links of these capacities; `parents[i]` are the parents of agent `i`.
    pub fn new(capacities: &[u64], parents: Vec<Vec<u32>>, settings: Settings) -> Self {
        let quantiser = settings.quantiser.clone();
        let settings = Arc::new(settings);
        let agent = |(i, &capacity): (usize, &u64)| {
            let children = (0..parents.len() as u32).filter(|&c| parents[c as usize].contains(&(i as u32)));
            Agent::new(i as u32, capacity, parents[i].clone(), children, settings.clone())
        };
        Self {
            agents: capacities.iter().enumerate().map(agent).collect(),
            quantiser,
            up_messages: 0,
            up_entries: 0,
            down_messages: 0,
        }
    }

    /// Every agent reports to its parents, then every agent to its children, each in a random order. Messages pass through their bytes.
    /// True if any was sent.
    pub fn round(&mut self, rng: &mut ChaCha8Rng, again: bool) -> bool {
        let before = self.up_messages + self.down_messages;
        let mut order: Vec<usize> = (0..self.agents.len()).collect();
        order.shuffle(rng);
        for &i in &order {
            for (parent, message) in self.agents[i].parent_task(again) {
                self.up_messages += 1;
                self.up_entries += message.entries.len() as u64;
                let bytes = message.encode(self.quantiser.as_ref());
                assert_eq!(bytes.len() as u64, message.bytes(self.quantiser.is_some()));
                let read = Up::decode(&bytes, self.quantiser.as_ref()).expect("what was encoded");
                assert_eq!(read, message);
                self.agents[parent as usize].receive_up(&read);
            }
        }
        order.shuffle(rng);
        for &i in &order {
            for grant in self.agents[i].child_task(0, again) {
                self.down_messages += 1;
                let bytes = grant.message.encode();
                assert_eq!(bytes.len() as u64, grant.message.bytes());
                let read = Down::decode(&bytes).expect("what was encoded");
                self.agents[read.child as usize].receive_down(i as u32, &read);
            }
        }
        self.up_messages + self.down_messages > before
    }

    /// Rounds until nothing is said any more; how many there were.
    pub fn settle(&mut self, rng: &mut ChaCha8Rng) -> u32 {
        for round in 0..1000 {
            if !self.round(rng, false) {
                return round;
            }
        }
        panic!("agents do not come to rest");
    }
}

/// A random tree: agent 0 is the root, every other agent's parent has a lower number, at most four levels; the leaves have flows.
pub struct Tree {
    pub capacities: Vec<u64>,
    pub parents: Vec<Vec<u32>>,
    /// Demands of the flows of each agent; only leaves have any.
    pub flows: Vec<Vec<u64>>,
}

impl Tree {
    pub fn random(rng: &mut ChaCha8Rng, most: u64) -> Self {
        let agents = rng.random_range(1..16);
        let mut parents: Vec<Vec<u32>> = vec![Vec::new()];
        let mut depth = vec![0];
        for _ in 1..agents {
            let shallow: Vec<usize> = (0..parents.len()).filter(|&p| depth[p] < 3).collect();
            let parent = shallow[rng.random_range(0..shallow.len())];
            parents.push(vec![parent as u32]);
            depth.push(depth[parent] + 1);
        }
        let is_leaf = |a: usize| !parents.iter().any(|p| p.contains(&(a as u32)));
        let flows = (0..agents)
            .map(|a| {
                let count = if is_leaf(a) { rng.random_range(0..6) } else { 0 };
                (0..count).map(|_| random_demand(rng, most)).collect()
            })
            .collect();
        Self {
            capacities: (0..agents).map(|_| rng.random_range(1..=most)).collect(),
            parents,
            flows,
        }
    }

    /// Demands of one agent's flows as a map; flows that ask for nothing are in no map.
    pub fn map(flows: &[u64]) -> DemandMap {
        let mut map = DemandMap::default();
        flows.iter().filter(|&&d| d > 0).for_each(|&d| map.change(d, 1));
        map
    }

    /// A bus on which every leaf knows its flows.
    pub fn bus(&self, settings: Settings) -> Bus {
        let mut bus = Bus::new(&self.capacities, self.parents.clone(), settings);
        for (agent, flows) in self.flows.iter().enumerate() {
            bus.agents[agent].set_flows(Self::map(flows));
        }
        bus
    }

    /// The same tree as a flat graph: each flow crosses its leaf's link and those of all agents above. Flows in order of agents.
    pub fn graph(&self) -> Graph {
        let mut flows = Vec::new();
        for (agent, demands) in self.flows.iter().enumerate() {
            let mut path = vec![agent];
            while let Some(&parent) = self.parents[*path.last().expect("not empty")].first() {
                path.push(parent as usize);
            }
            flows.extend(demands.iter().map(|&demand| Flow {
                demand,
                path: path.clone(),
            }));
        }
        Graph::new(self.capacities.clone(), flows).expect("a tree is a valid graph")
    }

    /// Levels between the root and the deepest agent.
    pub fn depth(&self) -> u32 {
        let depth = |mut agent: usize| {
            let mut depth = 0;
            while let Some(&parent) = self.parents[agent].first() {
                agent = parent as usize;
                depth += 1;
            }
            depth
        };
        (0..self.parents.len()).map(depth).max().unwrap_or(0)
    }
}

/// A third infinite, the others up to `most`.
pub fn random_demand(rng: &mut ChaCha8Rng, most: u64) -> u64 {
    if rng.random_range(0..3) == 0 {
        INFINITE
    } else {
        rng.random_range(0..=most)
    }
}

/// What each flow of each agent may send: the smaller of its demand and its leaf's level.
pub fn rates(bus: &Bus, tree: &Tree) -> Vec<u64> {
    let mut rates = Vec::new();
    for (agent, demands) in bus.agents.iter().zip(&tree.flows) {
        let level = if agent.is_root() {
            agent.demands().level(agent.share(0).unwrap_or(0))
        } else {
            agent.flow_level()
        };
        rates.extend(demands.iter().map(|&d| d.min(level)));
    }
    rates
}
