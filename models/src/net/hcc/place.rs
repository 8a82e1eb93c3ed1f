//! Which agents there are, where they stand, and who speaks to whom.
//!
//! | agents | level | at | parents |
//! |---|---|---|---|
//! | of a source host and, two-sided, one destination | 0 | the host | two-sided: its host's agent, its destination's root |
//! | along the sources' tree ([`Hierarchy::by_locality`]) | from 0, two-sided from 1 | the first node of their link | the next link of the tree; none: a root |
//! | two-sided: roots of the destinations' links | the last | the switch before the destination | none |
//!
//! A leaf that stands below two roots that do not nest hears offers beside shares
//! ([`Settings::offers`](crate::alloc::agent::Settings::offers)), and the shares come after a few rounds instead of one.

use std::collections::BTreeMap;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;

use super::super::clock::PS_PER_NS;
use super::super::engine::Simulator;
use super::{HccConfig, Parent, Placed};
use crate::alloc::agent::{Agent, Settings};
use crate::alloc::hierarchy::Hierarchy;

/// Cycles of a leaf: it looks at its flows every third of a microsecond times the multiplier, and reports a third as often.
fn leaf_cycles(config: &HccConfig) -> (u64, u64) {
    let child = u64::from(config.cycle) * PS_PER_NS * 1000 / 3;
    (child, 3 * child)
}

/// Cycles of an agent whose children's messages take so long, ps.
fn cycles(config: &HccConfig, delay_ps: u64) -> (u64, u64) {
    let child = u64::from(config.cycle) * delay_ps;
    (child, child * u64::from(config.parent_cycles))
}

impl Simulator {
    /// The agents for these pairs of hosts, whose flows take these paths, and each pair's leaf.
    pub(super) fn place_agents(
        &self,
        config: &HccConfig,
        pairs: &[(u32, u32)],
        paths: &[Vec<usize>],
        rng: &mut ChaCha8Rng,
    ) -> (Vec<Placed>, Vec<u32>) {
        let hierarchy = Hierarchy::by_locality(paths, config.levels);
        let mut settings = config.settings.clone();
        settings.offers |= config.two_sided;
        let settings = Arc::new(settings);
        // two-sided, a leaf for each pair stands below the agent of its host
        let pair_leaf = |pair: usize| (hierarchy.groups.len() + pair) as u32;
        let mut below: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        let lowest = usize::from(config.two_sided);
        if config.two_sided {
            for (pair, &host) in hierarchy.leaf_of.iter().enumerate() {
                below.entry(host).or_default().push(pair_leaf(pair));
            }
        }
        let mut agents: Vec<Placed> = Vec::new();
        for (number, group) in hierarchy.groups.iter().enumerate() {
            let port = &self.ports[group.link];
            let parent = group.parent.map(|p| p as u32);
            let mut children: Vec<u32> = group.children.iter().map(|&c| c as u32).collect();
            children.extend(below.remove(&number).unwrap_or_default());
            let agent = Agent::new(number as u32, port.rate_bps, parent, children, settings.clone());
            let to_children = group.children.iter();
            let to_children = to_children.map(|&c| self.ports[hierarchy.groups[c].link].delay_ps);
            let cycles = to_children
                .max()
                .map_or_else(|| leaf_cycles(config), |delay| cycles(config, delay));
            let mut placed = Placed::new(agent, lowest + group.level, group.link as u32, cycles, rng);
            placed.parents = Vec::from_iter(parent.map(|agent| Parent {
                agent,
                delay_ps: port.delay_ps,
            }));
            agents.push(placed);
        }
        if !config.two_sided {
            return (agents, hierarchy.leaf_of.iter().map(|&leaf| leaf as u32).collect());
        }
        self.place_pairs(config, pairs, paths, (&hierarchy, &settings), &mut agents, rng);
        (agents, (0..pairs.len()).map(pair_leaf).collect())
    }

    /// A leaf for each pair of hosts, then a root for each destination.
    fn place_pairs(
        &self,
        config: &HccConfig,
        pairs: &[(u32, u32)],
        paths: &[Vec<usize>],
        (hierarchy, settings): (&Hierarchy, &Arc<Settings>),
        agents: &mut Vec<Placed>,
        rng: &mut ChaCha8Rng,
    ) {
        let first_leaf = agents.len();
        let first_root = first_leaf + pairs.len();
        // destination, with the link to it and its leaves
        let mut roots: BTreeMap<u32, (usize, Vec<usize>)> = BTreeMap::new();
        for (pair, (&(_, dst), path)) in pairs.iter().zip(paths).enumerate() {
            let link = path[path.len() - 1];
            roots.entry(dst).or_insert((link, Vec::new())).1.push(pair);
        }
        let number_of: BTreeMap<u32, u32> = roots.keys().copied().zip(first_root as u32..).collect();
        // from the source to the switch before the destination
        let way = |path: &[usize]| {
            path[..path.len() - 1]
                .iter()
                .map(|&l| self.ports[l].delay_ps)
                .sum::<u64>()
        };
        for (pair, (&(_, dst), path)) in pairs.iter().zip(paths).enumerate() {
            let (number, port) = ((first_leaf + pair) as u32, path[0]);
            let (host, root) = (hierarchy.leaf_of[pair] as u32, number_of[&dst]);
            let agent = Agent::new(number, self.ports[port].rate_bps, [host, root], [], settings.clone());
            let mut placed = Placed::new(agent, 0, port as u32, leaf_cycles(config), rng);
            let parent = |agent, delay_ps| Parent { agent, delay_ps };
            placed.parents = vec![parent(host, 0), parent(root, way(path))];
            agents.push(placed);
        }
        let level = agents.iter().map(|a| a.level + 1).max().unwrap_or(0);
        for (dst, (link, leaves)) in roots {
            let children = leaves.iter().map(|&pair| (first_leaf + pair) as u32);
            let farthest = leaves.iter().map(|&pair| way(&paths[pair])).max().unwrap_or(0);
            let rate = self.ports[link].rate_bps;
            let agent = Agent::new(number_of[&dst], rate, [], children, settings.clone());
            let cycles = cycles(config, farthest);
            agents.push(Placed::new(agent, level, link as u32, cycles, rng));
        }
    }
}
