//! Time of max-min allocation: 10 000 flows at once, one change in a tree of 800 flows, and one cycle of a root agent.

use criterion::{criterion_group, criterion_main, BatchSize, Criterion};
use hpcc_models::alloc::agent::{Agent, Settings};
use hpcc_models::alloc::message::{Down, Up};
use hpcc_models::alloc::{exact, several, Change, DemandMap, Flow, Graph, Incremental, Quantiser, INFINITE};
use rand::Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::hint::black_box;
use std::sync::Arc;

const GBPS: u64 = 1_000_000_000;

/// Flows over three of the bottlenecks each, a third of them with a finite demand.
fn random_graph(bottlenecks: usize, flows: usize) -> Graph {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let capacities = (0..bottlenecks).map(|_| rng.random_range(1..100) * GBPS).collect();
    let flow = |_| {
        let mut path: Vec<usize> = (0..3).map(|_| rng.random_range(0..bottlenecks)).collect();
        path.sort_unstable();
        path.dedup();
        let finite = rng.random_range(0..3) == 0;
        let demand = if finite {
            rng.random_range(0..10 * GBPS)
        } else {
            INFINITE
        };
        Flow { demand, path }
    };
    Graph::new(capacities, (0..flows).map(flow).collect()).expect("a valid graph")
}

/// The tree of the evaluation: 32 hosts, 4 edge switches, one core link.
fn tree(flows: usize) -> Graph {
    let mut capacities = vec![50 * GBPS; 32 + 4];
    capacities.push(10 * GBPS);
    let flow = |f: usize| Flow {
        demand: INFINITE,
        path: vec![f % 32, 32 + f % 32 / 8, 36],
    };
    Graph::new(capacities, (0..flows).map(flow).collect()).expect("a valid graph")
}

fn allocation(c: &mut Criterion) {
    let mut group = c.benchmark_group("alloc");
    group.sample_size(20);
    for (bottlenecks, flows) in [(100, 10_000), (1000, 10_000)] {
        let graph = random_graph(bottlenecks, flows);
        group.bench_function(format!("exact_{flows}_flows_{bottlenecks}_bottlenecks"), |b| {
            b.iter(|| exact::solve(black_box(&graph)));
        });
    }
    let graph = random_graph(20, 500);
    let demands: Vec<Option<u64>> = graph.flows().iter().map(|f| Some(f.demand)).collect();
    let paths: Vec<Vec<usize>> = graph.flows().iter().map(|f| f.path.clone()).collect();
    let problem = several::Problem {
        capacities: graph.capacities(),
        demands: &demands,
        paths: &paths,
    };
    group.bench_function("algorithm_2_500_flows_20_bottlenecks", |b| {
        b.iter(|| several::all_equal_a_round(black_box(&problem)));
    });
    let mut tree = Incremental::new(tree(800));
    let mut demand = 0;
    group.bench_function("one_change_in_a_tree_of_800_flows", |b| {
        b.iter(|| {
            demand = (demand + 1_000_003) % (20 * 1_000_000);
            tree.apply(Change::Demand { flow: 7, demand })
        });
    });
    group.finish();
}

/// One cycle of an agent of each level. A root with 4 children, 800 flows below, 200 of each child with 100 different demands, takes one message and reports to its children.
fn agents(c: &mut Criterion) {
    let mut group = c.benchmark_group("agent");
    let quantised = Settings::evaluated(Quantiser::new(8, 50 * GBPS).expect("valid"));
    for (name, settings) in [("quantised", quantised), ("not_quantised", Settings::default())] {
        let settings = Arc::new(settings);
        let mut root = Agent::new(0, 10 * GBPS, [], 1..=4, settings.clone());
        let quantiser = settings.quantiser.clone();
        let level = |demand: u64| quantiser.as_ref().map_or(demand, |q| q.raise(demand));
        for child in 1..=4 {
            let entries = (0..100).map(|i| (level(1_000_000 + 123_457 * i), 2)).collect();
            root.receive_up(&Up {
                sender: child,
                full: false,
                entries,
            });
        }
        let change = Up {
            sender: 1,
            full: false,
            entries: vec![(level(1_000_000), 1), (level(1_123_457), -1)],
        };
        // both tasks of the agents below: a host of 25 flows, and an edge switch with 8 of these; a share has come, and one demand changes
        let demands = |from: u64| (0..25).map(move |i| level(1_000_000 + 123_457 * (from + i)));
        let map = |demands: Vec<u64>| {
            let mut map = DemandMap::default();
            demands.into_iter().for_each(|demand| map.change(demand, 1));
            map
        };
        let (flows, changed) = (map(demands(0).collect()), map(demands(1).collect()));
        let granted = |child| Down {
            child,
            share: GBPS,
            offer: None,
        };
        let mut host = Agent::new(10, 50 * GBPS, [1], [], settings.clone());
        host.set_flows(flows);
        host.receive_down(1, &granted(10));
        host.parent_task(false);
        group.bench_function(format!("host_cycles_{name}"), |b| {
            b.iter_batched_ref(
                || host.clone(),
                |host| {
                    host.receive_down(1, &granted(10));
                    host.set_flows(changed.clone());
                    (host.parent_task(false), host.child_task(0, false), host.flow_level())
                },
                BatchSize::SmallInput,
            );
        });
        let mut edge = Agent::new(1, 50 * GBPS, [0], 10..18, settings.clone());
        for child in 10..18 {
            edge.receive_up(&Up {
                sender: child,
                full: false,
                entries: demands(u64::from(child)).map(|demand| (demand, 1)).collect(),
            });
        }
        edge.receive_down(0, &granted(1));
        edge.parent_task(false);
        edge.child_task(0, false);
        let news = Up {
            sender: 10,
            full: false,
            entries: vec![(level(1_000_000 + 123_457 * 10), -1), (level(50_000_000), 1)],
        };
        group.bench_function(format!("edge_cycles_{name}"), |b| {
            b.iter_batched_ref(
                || edge.clone(),
                |edge| {
                    edge.receive_down(0, &granted(1));
                    edge.receive_up(&news);
                    (edge.parent_task(false), edge.child_task(0, false))
                },
                BatchSize::SmallInput,
            );
        });
        group.bench_function(format!("root_cycle_{name}"), |b| {
            b.iter_batched_ref(
                || root.clone(),
                |root| {
                    root.receive_up(&change);
                    root.child_task(0, false)
                },
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, allocation, agents);
criterion_main!(benches);
