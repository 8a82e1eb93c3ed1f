//! Acknowledgements per second of every description of HPCC, on the same events in one run: compare ratios, not absolutes.
//!
//! `cargo bench -p hpcc-testbench --bench congestion_control`

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use hpcc_models::cc::hpcc::{Hpcc, HpccParams};
use hpcc_models::cc::trace::Trace;
use hpcc_models::cc::{CcEvent, CongestionControl};
use hpcc_models::fixed::{FixedHpcc, HpccRegisters};
use hpcc_rtl::cc::hpcc::HpccSlot;
use hpcc_testbench::drive::clocked::{Clocked, RustHdl};
use hpcc_testbench::drive::slot::{Offer, SlotDriver};
use hpcc_testbench::verilated::{sources, Model};
use std::hint::black_box;
use std::path::Path;

type Slot = HpccSlot<300, 9>;

/// The recorded 16-to-1 incast: parameters, flows, events.
fn recording() -> (HpccParams, u32, Vec<CcEvent>) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/ack-traces/incast16.csv");
    let trace = Trace::read(&file).unwrap_or_else(|error| panic!("{error}"));
    let events = trace.rows.iter().map(|row| trace.event(row)).collect();
    let flows = trace.flows().into_iter().max().unwrap_or(0) + 1;
    (trace.header.params, flows, events)
}

fn law<'a>(mut law: impl CongestionControl + 'a, flows: u32, events: &'a [CcEvent]) -> impl FnMut() -> f64 + 'a {
    for flow in 0..flows {
        law.create(flow, 0);
    }
    move || {
        events
            .iter()
            .filter_map(|event| law.handle(event))
            .map(|update| update.window)
            .sum()
    }
}

/// Streams all events through a slot, one a clock where it takes them; counts the updates.
fn slot<'a, C: Clocked + 'a>(
    device: C,
    params: &HpccParams,
    flows: u32,
    events: &'a [CcEvent],
) -> impl FnMut() -> usize + 'a {
    let registers = HpccRegisters::new(params).unwrap_or_else(|error| panic!("{error}"));
    let mut driver = SlotDriver::new(device, &registers.writes());
    for flow in 0..flows {
        driver.create(flow as u16, 0);
    }
    for _ in 0..200 {
        driver.step(Offer::default());
    }
    move || {
        let (mut sent, mut received) = (0, 0);
        while received < events.len() {
            let taken = driver.step(Offer {
                event: events.get(sent),
                ..Offer::default()
            });
            sent += usize::from(taken.event);
            received += usize::from(taken.update.is_some());
        }
        received
    }
}

fn acknowledgements(c: &mut Criterion) {
    let (params, flows, events) = recording();
    let mut group = c.benchmark_group("hpcc_acks");
    group.throughput(Throughput::Elements(events.len() as u64));
    let golden: Hpcc<f64> = Hpcc::new(params.clone()).unwrap_or_else(|error| panic!("{error}"));
    let mut run = law(golden, flows, &events);
    group.bench_function("golden_f64", |b| b.iter(|| black_box(run())));
    let single: Hpcc<f32> = Hpcc::new(params.clone()).unwrap_or_else(|error| panic!("{error}"));
    let mut run = law(single, flows, &events);
    group.bench_function("golden_f32", |b| b.iter(|| black_box(run())));
    let fixed = FixedHpcc::new(params.clone()).unwrap_or_else(|error| panic!("{error}"));
    let mut run = law(fixed, flows, &events);
    group.bench_function("fixed", |b| b.iter(|| black_box(run())));

    group.sample_size(10);
    let sources = sources("bench_slot", &mut Slot::default()).unwrap_or_else(|error| panic!("{error}"));
    match Model::new(&sources) {
        Ok(model) => {
            let mut run = slot(model, &params, flows, &events);
            group.bench_function("verilated", |b| b.iter(|| black_box(run())));
        }
        Err(error) => eprintln!("verilated: not measured: {error}"),
    }
    let block = RustHdl::new(Box::<Slot>::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut run = slot(block, &params, flows, &events);
    group.bench_function("rusthdl", |b| b.iter(|| black_box(run())));
    group.finish();
}

criterion_group!(benches, acknowledgements);
criterion_main!(benches);
