//! What is measured, on a short run whose observations are replaced by ones made by hand.

use hpcc_models::net::{FlowMeter, FlowRecord, FlowSpec, PortMeter, Samples};
use indicatif::ProgressBar;

use super::super::seeds::Group;
use super::completion::{self, Reductions};
use super::{agrees, measure, reduction};
use crate::plan::{Job, Run};
use crate::scenario::builtin::find;
use crate::scenario::spec::{plan, Overrides};

const US: u64 = 1_000_000;
const MS: u64 = 1_000_000_000;

/// The network of scenario A, its core link 10 Gb/s, then 50 from 1 ms on and 5 from 2 ms on; it ends after 3 ms. Nothing was sent.
fn run(seed: u64) -> Run {
    let text = find("hcc-web").unwrap().text;
    let overrides = Overrides {
        seed: Some(seed),
        no_variants: true,
        set: vec![
            ("traffic.0.until_us".into(), 3000.into()),
            ("run.stop_us".into(), 3000.into()),
        ],
        ..Overrides::default()
    };
    let planned = plan("hcc-web", text, &overrides).unwrap();
    let mut run = Job::new(&planned[0]).unwrap().run(&ProgressBar::hidden()).unwrap();
    for change in &mut run.job.link_changes {
        change.at_ps = if change.at_ps < 50 * MS { MS } else { 2 * MS };
    }
    run.job.label = Some(format!("HCC seed {seed}"));
    run.outcome.now_ps = 3 * MS;
    run.outcome.samples = Samples::default();
    (run.outcome.flows, run.outcome.records) = Default::default();
    run
}

/// Adds a flow between the halves.
fn add_flow(run: &mut Run, start_ps: u64, finished_ps: Option<u64>) {
    run.outcome.flows.push(FlowSpec {
        src: 1,
        dst: 40,
        bytes: 1000,
        start_ps,
        dst_port: FlowSpec::DST_PORT,
    });
    run.outcome.records.push(FlowRecord {
        started_ps: start_ps,
        finished_ps,
        ..FlowRecord::default()
    });
}

/// Adds a reading of the bottleneck, left aggregation switch to core.
fn add_reading(run: &mut Run, t_ps: u64, wire_bytes: u64, queue_packets: u32) {
    run.outcome.samples.port_meters.push(PortMeter {
        t_ps,
        node: 72,
        interface: 5,
        wire_bytes,
        queue_packets,
        queue_bytes: 0,
    });
}

#[test]
fn the_capacity_and_its_changes() {
    let run = run(1);
    assert_eq!(
        [0, MS - 1, MS, 3 * MS].map(|t| measure::capacity(&run, t) / 1e9),
        [10.0, 10.0, 50.0, 5.0]
    );
    assert_eq!(measure::rises(&run), [(0, 0.0), (MS, 10e9)]);
    assert_eq!(measure::spans(&run), [(0, MS), (MS, 2 * MS), (2 * MS, 3 * MS)]);
    // 222 us, four links of 50 Gb/s and two of 10 Gb/s
    assert!((measure::physical_latency(&run) - (222.0 + 4.0 * 0.24608 + 2.0 * 1.2304)).abs() < 1e-9);
}

#[test]
fn throughput_utilisation_and_the_time_until_full() {
    let mut run = run(1);
    // meters each 100 us; 10 Gb/s are 125 000 bytes. Nothing in the first two, half in the third, full from the fourth on.
    for reading in 1..=10u64 {
        let bytes = [0, 0, 62_500].get(reading as usize - 1).copied().unwrap_or(125_000);
        add_reading(&mut run, reading * 100 * US, bytes, reading as u32);
    }
    assert!((measure::utilisation(&run, 0, MS) - 0.75).abs() < 1e-12);
    assert_eq!(measure::throughput(&run, MS)[0], (1.0, 7.5));
    // full in the interval that ends at 400 us
    assert_eq!(measure::time_to_full(&run, 0), Some(400 * US));
    assert_eq!(measure::time_to_full(&run, 150 * US), Some(250 * US));
    assert_eq!(
        measure::time_to_full(&run, 700 * US),
        None,
        "three intervals are not five"
    );
    assert_eq!(
        measure::queue(&run, 0, 3 * MS),
        [0.0, 0.0, 10.0],
        "at full milliseconds, ascending"
    );
}

/// The bottleneck rests only when all that has begun is carried: 10 Gb/s are 125 000 bytes in 100 us, 50 Gb/s 625 000.
#[test]
fn what_is_offered_is_carried_at_the_capacity_until_nothing_is_left() {
    let mut run = run(1);
    add_flow(&mut run, 150 * US, None);
    run.outcome.flows[0].bytes = 200 * 1448;
    add_flow(&mut run, MS + 50 * US, None);
    run.outcome.flows[1].bytes = 1000;
    // the other way: not over this link
    add_flow(&mut run, 0, None);
    (run.outcome.flows[2].src, run.outcome.flows[2].dst) = (40, 1);
    let rows = measure::offered(&run);
    assert_eq!(rows.len(), 30);
    let bytes: Vec<f64> = rows.iter().map(|r| r.0).collect();
    assert_eq!(bytes[..5], [0.0, 125_000.0, 125_000.0, 200.0 * 1538.0 - 250_000.0, 0.0]);
    assert_eq!(bytes[10], 1090.0);
    assert_eq!(bytes[11..], [0.0; 19]);
    assert!((measure::utilisation_of(&rows, &run, 0, MS) - 200.0 * 1538.0 / 1_250_000.0).abs() < 1e-12);
}

#[test]
fn completion_times_by_reading() {
    let (mut own, mut other) = (run(1), run(1));
    for (start, first, second) in [
        (0, Some(MS), Some(2 * MS)),
        (MS, Some(3 * MS), None),
        (2 * MS, None, Some(3 * MS)),
    ] {
        add_flow(&mut own, start, first);
        add_flow(&mut other, start, second);
    }
    assert_eq!(measure::completion(&own, 1, false), [1.0, 2.0]);
    assert_eq!(
        measure::completion(&own, 1, true),
        [1.0, 1.0, 2.0],
        "the third counts the 1 ms that it had"
    );
    assert_eq!(measure::completion(&own, 2000, true), [0.0; 0]);
    assert_eq!(measure::early_completion(&own), [1.0, 2.0]);
    assert_eq!(measure::early_completion(&other), [2.0]);
    assert_eq!(measure::completion_of_both(&own, &other), (vec![1.0], vec![2.0]));
    assert_eq!(
        measure::under_way(&own, 1000, MS, 3 * MS),
        (3.0, 1),
        "who ends with the span is not in it"
    );
    assert_eq!(measure::first_start(&own), 0);
}

/// Reductions are taken seed by seed, and the median of them is held against the paper.
#[test]
fn reductions_are_paired_by_seed() {
    let mut runs = Vec::new();
    for (seed, times) in [(1, [1, 2]), (2, [1, 1]), (3, [2, 1])] {
        for (law, time) in ["HCC", "Cubic"].iter().zip(times) {
            let mut run = run(seed);
            run.job.label = Some(format!("{law} seed {seed}"));
            add_flow(&mut run, 0, Some(time * MS));
            runs.push(run);
        }
    }
    let groups = Group::all(&runs);
    assert_eq!(
        groups.iter().map(|g| (g.label, g.runs.len())).collect::<Vec<_>>(),
        [("HCC", 3), ("Cubic", 3)]
    );
    let by = Reductions::of(&groups[0], &groups[1], |own, other| {
        (measure::completion(own, 1, false), measure::completion(other, 1, false))
    });
    assert_eq!(by.text(), "0 (-100 to 50) % and 0 (-100 to 50) %");
    let paper = ("Cubic", 54.0, 39.0);
    assert!(!by.agree(&paper));
    assert_eq!(
        completion::finding("fig4c", &paper, by.text(), false).name,
        "fig4c_completion_against_cubic"
    );
    assert_eq!(groups[0].pooled(|r| measure::completion(r, 1, false)), [1.0, 1.0, 2.0]);
}

#[test]
fn agreement_is_sign_and_a_factor_of_two() {
    assert_eq!(reduction(3.0, 4.0), 25.0);
    assert!(agrees(25.0, 50.0) && agrees(100.0, 50.0));
    assert!(!agrees(24.9, 50.0) && !agrees(-25.0, 50.0) && !agrees(100.1, 50.0));
}

/// Jain's index of flows with work throughout the millisecond; who starts within it is left out, and so are milliseconds of few packets.
#[test]
fn fairness_counts_flows_with_work() {
    let mut run = run(1);
    add_flow(&mut run, 0, None);
    add_flow(&mut run, 0, None);
    add_flow(&mut run, 3 * MS / 2, None);
    for (flow, ms, bytes) in [
        (0, 2, 30_000),
        (1, 2, 10_000),
        (2, 2, 90_000),
        (0, 3, 1_000),
        (1, 3, 1_000),
    ] {
        run.outcome.samples.flow_meters.push(FlowMeter {
            t_ps: ms * MS,
            flow,
            delivered_bytes: bytes,
        });
    }
    // 40 000^2 / (2 x 1000 x 10^6)
    assert_eq!(measure::fairness(&run), [(2.0, 0.8)]);
}
