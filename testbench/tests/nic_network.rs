//! Whole NICs on the hosts of the network: incasts end, memory is right, completion times and queues are near those of `fixed`, and
//! the same seed gives the same bytes.

use hpcc_testbench::nic::network;
use hpcc_testbench::scenario::builtin::find;
use hpcc_testbench::scenario::output::{flows_csv, queues_csv, rates_csv};
use hpcc_testbench::scenario::runner::{run_all, Job, Run};
use hpcc_testbench::scenario::spec::{parse_set, plan, Overrides};
use hpcc_testbench::scenario::Fidelity;

/// A queue sample each 200 ns.
const SAMPLES: &str = "run.sample_ns=200";

fn job(name: &str, fidelity: Fidelity, set: &[&str]) -> Job {
    let set = set.iter().map(|s| parse_set(s).unwrap()).collect();
    let overrides = Overrides {
        fidelity: Some(fidelity),
        set,
        ..Overrides::default()
    };
    let planned = plan(name, find(name).unwrap().text, &overrides).unwrap();
    Job::new(&planned[0]).unwrap()
}

fn run(name: &str, fidelity: Fidelity, set: &[&str]) -> Run {
    run_all(&[job(name, fidelity, set)], 1).unwrap().remove(0)
}

/// What two fidelities are compared by.
#[derive(Debug)]
struct Measured {
    /// Completion times, us: mean, and the last flow's.
    mean_us: f64,
    last_us: f64,
    /// Queue of the receiver's port from the start to the end of the last flow, KB: mean, median, 95th percentile, largest.
    queue_kb: [f64; 4],
}

fn measure(run: &Run) -> Measured {
    let fcts: Vec<f64> = run
        .outcome
        .records
        .iter()
        .map(|record| record.fct_ps().expect("every flow ends") as f64 / 1e6)
        .collect();
    let last_us = fcts.iter().copied().fold(0.0, f64::max);
    let receiver = run.job.flows[0].dst;
    let mut series = run.outcome.samples.queues.iter().filter(|p| p.interface == receiver + 1).peekable();
    let (mut bytes, mut samples) = (0, Vec::new());
    for t_ps in (0..(last_us * 1e6) as u64).step_by(run.job.plan.interval_ps as usize) {
        while let Some(point) = series.next_if(|p| p.t_ps <= t_ps) {
            bytes = point.bytes;
        }
        samples.push(bytes as f64 / 1e3);
    }
    samples.sort_by(f64::total_cmp);
    let at = |p: f64| samples[((samples.len() - 1) as f64 * p) as usize];
    Measured {
        mean_us: fcts.iter().sum::<f64>() / fcts.len() as f64,
        last_us,
        queue_kb: [samples.iter().sum::<f64>() / samples.len() as f64, at(0.5), at(0.95), at(1.0)],
    }
}

fn assert_checks(run: &Run) {
    for check in &run.checks {
        assert!(check.passed, "{}: {}", check.name, check.ours);
    }
    assert_eq!(run.checks.len(), 3);
    let counters = &run.outcome.counters;
    assert_eq!((counters.drops, counters.losses, counters.timeouts, counters.naks), (0, 0, 0, 0));
}

fn print(name: &str, fidelity: Fidelity, m: &Measured, run: &Run) {
    println!(
        "{name} {}: FCT mean {:.2} last {:.2} us; queue mean {:.1} p50 {:.1} p95 {:.1} max {:.1} KB; {} data packets, {} acks; {:.2} s",
        fidelity.name(),
        m.mean_us,
        m.last_us,
        m.queue_kb[0],
        m.queue_kb[1],
        m.queue_kb[2],
        m.queue_kb[3],
        run.outcome.counters.data_packets,
        run.outcome.counters.acks,
        run.wall_s
    );
}

#[test]
fn probe() {
    for name in ["incast2", "incast16"] {
        for fidelity in [Fidelity::Golden, Fidelity::Fixed, Fidelity::NicModel] {
            let run = run(name, fidelity, &[SAMPLES]);
            print(name, fidelity, &measure(&run), &run);
        }
        let run = run(name, Fidelity::Golden, &[SAMPLES, "cc.latency_ns=1000"]);
        print(name, Fidelity::Golden, &measure(&run), &run);
    }
}
