//! The hierarchy of agents against the exact solution of the same flows as a flat graph.

use rand::Rng;

use super::harness::{random_demand, rates, Bus, Tree};
use super::oracle::random_graph;
use crate::alloc::agent::Settings;
use crate::alloc::{exact, DemandMap, Flow, Graph, INFINITE};
use crate::seeds::generator;

fn close(got: &[u64], expected: &[u64], slack: u64) -> bool {
    got.iter().zip(expected).all(|(g, e)| g.abs_diff(*e) <= slack)
}

/// On nested links one pass up with clipping and one down with Algorithm 1 is exact, to what rounding down adds.
#[test]
fn trees_equal_the_flat_graph() {
    let mut rng = generator(40);
    for case in 0..4000 {
        let tree = Tree::random(&mut rng, 10_000_000_000);
        let mut bus = tree.bus(Settings::default());
        bus.settle(&mut rng);
        let graph = tree.graph();
        let expected = exact::solve(&graph);
        let got = rates(&bus, &tree);
        let slack = graph.flows().len() as u64 * 4;
        assert!(
            close(&got, &expected, slack),
            "case {case}: {got:?} {expected:?} {graph:?}"
        );
        assert_feasible(&graph, &got);
    }
}

fn assert_feasible(graph: &Graph, rates: &[u64]) {
    for (b, &capacity) in graph.capacities().iter().enumerate() {
        let used: u64 = graph.crossing(b).iter().map(|&f| rates[f]).sum();
        assert!(used <= capacity, "bottleneck {b}: {used} of {capacity}");
    }
}

/// After changes of demands and of the root's capacity the hierarchy comes to rest at the new exact shares; nothing is said when
/// nothing changes; every map counts the live flows; when all flows are over every map is empty.
#[test]
fn changes_idle_and_conservation() {
    let mut rng = generator(41);
    for case in 0..400 {
        let mut tree = Tree::random(&mut rng, 10_000_000_000);
        let mut bus = tree.bus(Settings::default());
        bus.settle(&mut rng);
        for _ in 0..8 {
            if rng.random_range(0..4) == 0 {
                tree.capacities[0] = rng.random_range(1..10_000_000_000);
                bus.agents[0].set_capacity(tree.capacities[0], 0);
            }
            for agent in 0..tree.flows.len() {
                for flow in 0..tree.flows[agent].len() {
                    if rng.random_range(0..3) == 0 {
                        tree.flows[agent][flow] = random_demand(&mut rng, 10_000_000_000);
                    }
                }
                bus.agents[agent].set_flows(Tree::map(&tree.flows[agent]));
            }
            bus.settle(&mut rng);
            assert!(!bus.round(&mut rng, false), "case {case}: a message without a change");
            let got = rates(&bus, &tree);
            let expected = exact::solve(&tree.graph());
            assert!(
                close(&got, &expected, 4 * expected.len() as u64),
                "case {case}: {got:?} {expected:?}"
            );
            let live = tree.flows.iter().flatten().filter(|&&d| d > 0).count() as u64;
            assert_eq!(bus.agents[0].demands().flows(), live);
        }
        for agent in &mut bus.agents {
            agent.set_flows(DemandMap::default());
        }
        bus.settle(&mut rng);
        assert!(bus.agents.iter().all(|a| a.demands().is_empty()));
    }
}

/// One flow that changes its demand moves at most two entries in every map, and at most one message to every child.
#[test]
fn entries_of_one_change() {
    let mut rng = generator(42);
    for _ in 0..300 {
        let mut tree = Tree::random(&mut rng, 1000);
        // Links wide enough that no agent clips: clipping moves other flows' entries too.
        tree.capacities.iter_mut().skip(1).for_each(|c| *c = 1_000_000);
        let Some(agent) = (1..tree.flows.len()).find(|&a| tree.flows[a].len() > 1) else {
            continue;
        };
        for flows in &mut tree.flows {
            flows.iter_mut().for_each(|d| *d = (*d).clamp(1, 1000));
        }
        let mut bus = tree.bus(Settings::default());
        bus.settle(&mut rng);
        (bus.up_entries, bus.up_messages, bus.down_messages) = (0, 0, 0);
        tree.flows[agent][0] = 1 + (tree.flows[agent][0] + 7) % 1000;
        bus.agents[agent].set_flows(Tree::map(&tree.flows[agent]));
        bus.settle(&mut rng);
        assert!(bus.up_messages <= u64::from(tree.depth()));
        assert!(bus.up_entries <= 2 * bus.up_messages);
        assert!(bus.down_messages < 2 * tree.parents.len() as u64);
    }
}

/// Flows over several links that are not nested: an agent for each link, a leaf for each flow. Repeated, the same messages reach the
/// exact shares within one round more than there are links.
#[test]
fn several_parents_converge() {
    let mut rng = generator(43);
    let settings = Settings {
        offers: true,
        ..Settings::default()
    };
    for case in 0..1500 {
        let graph = random_graph(&mut rng, 6, 12);
        let links = graph.capacities().len();
        let mut capacities = graph.capacities().to_vec();
        capacities.extend(graph.flows().iter().map(|_| INFINITE));
        let mut parents = vec![Vec::new(); links];
        parents.extend(
            graph
                .flows()
                .iter()
                .map(|f: &Flow| f.path.iter().map(|&b| b as u32).collect()),
        );
        let mut bus = Bus::new(&capacities, parents, settings.clone());
        for (f, flow) in graph.flows().iter().enumerate() {
            bus.agents[links + f].set_flows(Tree::map(&[flow.demand]));
        }
        for _ in 0..=links {
            bus.round(&mut rng, false);
        }
        let expected = exact::solve(&graph);
        let level = |f: usize| bus.agents[links + f].share(0).unwrap_or(0);
        let got: Vec<u64> = (0..expected.len())
            .map(|f| level(f).min(graph.flows()[f].demand))
            .collect();
        let slack = graph.flows().len() as u64;
        assert!(
            close(&got, &expected, slack),
            "case {case}: {got:?} {expected:?} {graph:?}"
        );
    }
}

/// Messages are lost and agents fail: full maps and repeated shares put everything right.
#[test]
fn full_maps_repair_what_is_lost() {
    let mut rng = generator(44);
    for case in 0..300 {
        let mut tree = Tree::random(&mut rng, 1_000_000);
        let mut bus = tree.bus(Settings::default());
        bus.settle(&mut rng);
        let agent = rng.random_range(0..tree.flows.len());
        // This agent's reports get lost, and its parent, if any, forgets everything.
        for demands in &mut tree.flows[agent] {
            *demands = random_demand(&mut rng, 1_000_000);
        }
        bus.agents[agent].set_flows(Tree::map(&tree.flows[agent]));
        let _ = bus.agents[agent].parent_task(false);
        let failed = tree.parents[agent].first().map_or(0, |&p| p as usize);
        bus.agents[failed].restart();
        let _ = bus.agents[failed].parent_task(false);
        // In a random order of agents a report may need a round for each level up, and the shares one for each level down.
        for _ in 0..=2 * tree.depth() {
            bus.round(&mut rng, true);
        }
        let got = rates(&bus, &tree);
        let expected = exact::solve(&tree.graph());
        assert!(
            close(&got, &expected, 4 * expected.len() as u64),
            "case {case}: {got:?} {expected:?}"
        );
    }
}

/// Before its first share a flow has its part of the local link; a flow that comes back starts at the level its host knew.
#[test]
fn rates_before_the_first_share() {
    let tree = Tree {
        capacities: vec![1000, 800],
        parents: vec![vec![], vec![0]],
        flows: vec![vec![], vec![INFINITE; 4]],
    };
    let mut rng = generator(45);
    let mut bus = tree.bus(Settings::default());
    assert_eq!(bus.agents[1].flow_level(), 200);
    bus.agents[0].set_capacity(400, 0);
    bus.settle(&mut rng);
    assert_eq!(bus.agents[1].flow_level(), 100);
    bus.agents[1].set_flows(DemandMap::default());
    bus.settle(&mut rng);
    bus.agents[1].set_flows(Tree::map(&[INFINITE]));
    assert_eq!(bus.agents[1].flow_level(), 100);
    bus.settle(&mut rng);
    assert_eq!(bus.agents[1].flow_level(), 400);
}
