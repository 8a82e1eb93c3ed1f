//! Events and packets per second of the network model.

use criterion::{criterion_group, criterion_main, BatchSize, Criterion, Throughput};
use hpcc_models::net::{fat_tree, star, Config, EventQueue, FlowSpec, SamplePlan, Simulator, Topology};
use hpcc_sim::plan::{laws::LawSpec, Fidelity};
use std::hint::black_box;

fn simulate(topology: &Topology, flows: &[FlowSpec], law: &LawSpec, fidelity: Fidelity) -> u64 {
    let config = Config::paper(13_000, law.uses_int());
    let mut slot = |p: &_| law.slot(p, fidelity);
    let plan = SamplePlan::default();
    let mut sim = Simulator::new(topology, flows.to_vec(), config, plan, &mut slot).expect("a valid network");
    sim.run_until(u64::MAX / 2);
    sim.counters().packet_hops
}

fn network(c: &mut Criterion) {
    let mut group = c.benchmark_group("network");
    group.sample_size(10);
    let incast: Vec<FlowSpec> = (0..16)
        .map(|src| FlowSpec {
            src,
            dst: 16,
            bytes: 500_000,
            start_ps: 0,
            dst_port: FlowSpec::DST_PORT,
        })
        .collect();
    // Every host to the one half the network away: all tiers of the fat tree are busy.
    let crossing: Vec<FlowSpec> = (0..320)
        .map(|src| FlowSpec {
            src,
            dst: (src + 160) % 320,
            bytes: 200_000,
            start_ps: u64::from(src) * 10_000,
            dst_port: FlowSpec::DST_PORT,
        })
        .collect();
    let (star, tree) = (star(17, 100, 1000), fat_tree(5));
    let law = LawSpec::named("hpcc").expect("a law");
    for (name, topology, flows) in [("incast16", &star, &incast), ("fat_tree_320", &tree, &crossing)] {
        for fidelity in [Fidelity::Golden, Fidelity::Fixed] {
            let hops = simulate(topology, flows, &law, fidelity);
            group.throughput(Throughput::Elements(hops));
            group.bench_function(format!("{name}/{}", fidelity.name()), |b| {
                b.iter(|| simulate(black_box(topology), flows, &law, fidelity));
            });
        }
    }
    group.finish();
}

fn events(c: &mut Criterion) {
    const EVENTS: u64 = 100_000;
    let mut group = c.benchmark_group("event_queue");
    group.throughput(Throughput::Elements(EVENTS));
    // As many pending as a fat tree at half load has, each followed by one a hop later.
    group.bench_function("push_pop_5000_pending", |b| {
        let fill = || {
            let mut queue = EventQueue::new();
            (0..5000u64).for_each(|i| queue.push(i * 211, i));
            queue
        };
        let churn = |mut queue: EventQueue| {
            for i in 0..EVENTS {
                if let Some(event) = queue.pop() {
                    queue.push(event.time + 1_087_000, i);
                }
            }
            queue
        };
        b.iter_batched(fill, churn, BatchSize::SmallInput);
    });
    group.finish();
}

criterion_group!(benches, network, events);
criterion_main!(benches);
