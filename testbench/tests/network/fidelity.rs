//! `fixed` and `cc-rtl` give the same bytes; golden differs from fixed by less than another seed does.

use hpcc_models::measure::jain;
use hpcc_sim::plan::Fidelity;
use hpcc_sim::plan::{Job, Run};
use hpcc_sim::scenario::builtin::find;
use hpcc_sim::scenario::output::{flows_csv, queues_csv, rates_csv};
use hpcc_sim::scenario::spec::{parse_set, plan, Overrides};
use hpcc_testbench::program::run_all;

fn run(name: &str, fidelity: Fidelity, seed: u64, set: &[&str]) -> Run {
    run_law("hpcc", name, fidelity, seed, set)
}

fn run_law(law: &str, name: &str, fidelity: Fidelity, seed: u64, set: &[&str]) -> Run {
    let set = set.iter().map(|s| parse_set(s).unwrap()).collect();
    let overrides = Overrides {
        fidelity: Some(fidelity),
        seed: Some(seed),
        set,
        law: Some(law.into()),
        ..Overrides::default()
    };
    let planned = plan(name, find(name).unwrap().text, &overrides).unwrap();
    let job = Job::new(&planned[0]).unwrap();
    run_all(&[job], 1).unwrap().remove(0)
}

fn files(run: &Run) -> [String; 3] {
    [flows_csv, queues_csv, rates_csv].map(|write| write(&run.outcome))
}

fn assert_same(a: &Run, b: &Run) {
    for (what, (a, b)) in ["flows.csv", "queues.csv", "rates.csv"]
        .iter()
        .zip(files(a).iter().zip(&files(b)))
    {
        let differing = a.lines().zip(b.lines()).position(|(a, b)| a != b);
        assert!(
            a == b,
            "{what}: first difference in line {:?}",
            differing.map(|l| l + 1)
        );
    }
}

#[test]
fn rtl_and_fixed_point_give_the_same_bytes() {
    let set = ["traffic.0.bytes=60000", "run.sample_ns=200"];
    let fixed = run("incast16", Fidelity::Fixed, 1, &set);
    let rtl = run("incast16", Fidelity::CcRtl, 1, &set);
    assert!(fixed.outcome.counters.acks > 900 && files(&fixed)[2].lines().count() > 1000);
    assert_same(&fixed, &rtl);
}

/// Telemetry that rides on probes: an event of its own for the laws.
#[test]
fn rtl_and_fixed_point_on_probes_give_the_same_bytes() {
    let set = ["traffic.0.bytes=60000", "run.sample_ns=200", "telemetry.mode=probe"];
    let fixed = run("incast16", Fidelity::Fixed, 1, &set);
    let inband = run("incast16", Fidelity::Fixed, 1, &set[..2]);
    assert!(files(&fixed) != files(&inband));
    assert_same(&fixed, &run("incast16", Fidelity::CcRtl, 1, &set));
}

/// PowerTCP on INT, theta-PowerTCP on times alone: no acknowledgement brings it INT, and yet each has its answer.
#[test]
fn rtl_and_fixed_point_of_the_power_laws_give_the_same_bytes() {
    let set = ["traffic.0.bytes=60000", "run.sample_ns=200"];
    for (law, rows) in [("powertcp", 1300), ("theta-powertcp", 950)] {
        let fixed = run_law(law, "incast16", Fidelity::Fixed, 1, &set);
        let rtl = run_law(law, "incast16", Fidelity::CcRtl, 1, &set);
        assert!(fixed.outcome.counters.acks > 900 && files(&fixed)[2].lines().count() > rows);
        assert_same(&fixed, &rtl);
    }
}

/// DCQCN by the authors' profile, with and without window: marks on acknowledgements, ticks, and updates only where a rate changed.
#[test]
fn rtl_and_fixed_point_of_dcqcn_give_the_same_bytes() {
    let set = ["traffic.0.bytes=60000", "run.sample_ns=200"];
    for law in ["dcqcn", "dcqcn+win"] {
        let fixed = run_law(law, "incast16", Fidelity::Fixed, 1, &set);
        let rtl = run_law(law, "incast16", Fidelity::CcRtl, 1, &set);
        assert!(fixed.outcome.counters.acks > 900 && files(&fixed)[2].lines().count() > 950);
        assert_same(&fixed, &rtl);
    }
}

/// Two senders of 100 Gb/s, the second 5 ms later, behind one port that marks.
const TWO_FLOWS: &str = r#"
name = "two-flows"
title = "Two flows of DCQCN behind one marking port"
law = "dcqcn"
fidelity = "cc-rtl"

[network]
topology = "star"
hosts = 3
rate_gbps = 100
delay_ns = 1000

[cc]
profile = "sigcomm"
driver = "verilated"

[[traffic]]
kind = "flow"
src = 0
dst = 2
bytes = 2000000000

[[traffic]]
kind = "flow"
src = 1
dst = 2
bytes = 2000000000
start_us = 5000

[run]
stop_us = 60000
sample_ns = 1000000
"#;

/// The reaction point in Verilog: both flows end at a fair share.
#[test]
fn two_flows_of_dcqcn_in_rtl_share_a_marking_port() {
    let planned = plan("two-flows", TWO_FLOWS, &Overrides::default()).unwrap();
    let job = Job::new(&planned[0]).unwrap();
    let run = run_all(&[job], 1).unwrap().remove(0);
    assert!(run.outcome.counters.pauses == 0 && run.outcome.counters.losses == 0);
    let mut rates = std::collections::BTreeMap::<u64, Vec<f64>>::new();
    for line in rates_csv(&run.outcome).lines().skip(1) {
        let mut fields = line.split(',');
        let mut number = || fields.next().unwrap().parse::<f64>().unwrap();
        let (at, _, rate) = (number(), number(), number());
        rates.entry(at as u64).or_default().push(rate);
    }
    let late: Vec<_> = rates.range(50_000_000..).collect();
    assert!(late.len() > 8);
    for (at, rates) in late {
        let sum: f64 = rates.iter().sum();
        assert!(rates.len() == 2 && sum > 70e9, "{at} ns: {rates:?}");
        assert!(jain(rates) > 0.95, "{at} ns: {rates:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let set = [
        "network.loss=0.001",
        "network.retry_timeout_us=100",
        "traffic.0.bytes=100000",
    ];
    let first = run("incast16", Fidelity::Golden, 5, &set);
    assert!(first.outcome.counters.losses > 0);
    assert!(first.outcome.records.iter().all(|r| r.finished_ps.is_some()));
    assert_same(&first, &run("incast16", Fidelity::Golden, 5, &set));
}
