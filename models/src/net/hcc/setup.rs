//! Agents put on a network, before it runs.

use std::collections::BTreeMap;

use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::super::engine::{SetupError, Simulator};
use super::central::Central;
use super::events::event;
use super::{Hcc, HccConfig, HccOutcome, LevelCounters, Part, Placed};

/// The controller that these agents are compared with.
fn central(agents: &[Placed]) -> Central {
    // a leaf, and every agent above it
    let path = |leaf: usize| {
        let mut path = vec![leaf];
        let mut at = 0;
        while let Some(&agent) = path.get(at) {
            let above = agents[agent].parents.iter().map(|p| p.agent as usize);
            path.extend(above);
            at += 1;
        }
        path
    };
    let leaves = (0..agents.len()).filter(|&a| agents[a].level == 0);
    Central::new(
        agents.iter().map(|a| a.child_task.cycle_ps).max().unwrap_or(1),
        leaves.map(|leaf| (leaf as u32, path(leaf))).collect(),
    )
}

impl Simulator {
    /// Puts agents on the network for the flows between these pairs of hosts (source, destination), no pair twice; before running
    /// only. The tree follows the routes, so there has to be one path between each two hosts.
    pub fn add_hcc(&mut self, config: HccConfig, pairs: &[(u32, u32)]) -> Result<(), SetupError> {
        if config.levels == 0 || config.cycle == 0 || config.parent_cycles == 0 {
            return Err(SetupError::Agents("levels and cycles: expected at least 1".into()));
        }
        let mut paths = Vec::new();
        for &(src, dst) in pairs {
            paths.push(self.only_path(src, dst).map_err(SetupError::Agents)?);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.config.seed ^ 0x4843_4300);
        let (agents, leaf_of) = self.place_agents(&config, pairs, &paths, &mut rng);
        let highest = agents.iter().map(|a| a.level + 1).max().unwrap_or(0);
        let mut levels = vec![LevelCounters::default(); highest.max(config.levels)];
        for placed in &agents {
            levels[placed.level].agents += 1;
        }
        for failure in &config.failures {
            let mut of_level: Vec<u32> = (0..agents.len() as u32)
                .filter(|&a| agents[a as usize].level == failure.level)
                .collect();
            of_level.sort_by_key(|&a| agents[a as usize].port);
            let Some(&agent) = of_level.get(failure.index) else {
                return Err(SetupError::Agents(format!(
                    "failures: expected an agent of level {} below {}, got {}",
                    failure.level,
                    of_level.len(),
                    failure.index
                )));
            };
            for (at, part) in [(failure.from_ps, Part::Fail), (failure.to_ps, Part::Return)] {
                self.events.push(at, event(part, agent, 0));
            }
        }
        let central = config.central.then(|| central(&agents));
        if let Some(central) = &central {
            self.events.push(central.cycle_ps, event(Part::Central, 0, 0));
        }
        self.hcc = Some(Box::new(Hcc {
            config,
            agents,
            leaf_of: pairs.iter().copied().zip(leaf_of).collect(),
            known: BTreeMap::new(),
            messages: Vec::new(),
            free: Vec::new(),
            rng,
            outcome: HccOutcome {
                levels,
                ..HccOutcome::default()
            },
            central,
        }));
        Ok(())
    }

    /// Egress ports from one host to another.
    fn only_path(&self, src: u32, dst: u32) -> Result<Vec<usize>, String> {
        let mut node = src;
        let mut links = Vec::new();
        while node != dst {
            if self.routes.candidates(node, dst).len() > 1 {
                return Err(format!("expected one path from node {src} to node {dst}, got several"));
            }
            let next = self.routes.pick(node, src, dst, 0);
            let port = next.ok_or_else(|| format!("expected a path from node {src} to node {dst}"))?;
            links.push(port as usize);
            node = self.ports[self.ports[port as usize].peer as usize].node;
        }
        if links.is_empty() {
            return Err(format!("expected two hosts, got node {src} twice"));
        }
        Ok(links)
    }

    /// What HCC did, if the network has it.
    pub fn hcc_outcome(&self) -> Option<&HccOutcome> {
        self.hcc.as_ref().map(|h| &h.outcome)
    }
}
