//! Runs with whole NICs on the hosts, and what they are compared by.

use hpcc_sim::plan::{Fidelity, Job, Run};
use hpcc_sim::scenario::builtin::find;
use hpcc_sim::scenario::spec::{parse_set, plan, Overrides};
use hpcc_testbench::program::run_all;

/// A queue sample each 200 ns.
pub const SAMPLES: &str = "run.sample_ns=200";

pub fn job(name: &str, fidelity: Fidelity, set: &[&str]) -> Job {
    job_of("hpcc", name, fidelity, set)
}

pub fn job_of(law: &str, name: &str, fidelity: Fidelity, set: &[&str]) -> Job {
    let set = set.iter().map(|s| parse_set(s).unwrap()).collect();
    let overrides = Overrides {
        law: (law != "hpcc").then(|| law.to_string()),
        fidelity: Some(fidelity),
        set,
        ..Overrides::default()
    };
    let planned = plan(name, find(name).unwrap().text, &overrides).unwrap();
    Job::new(&planned[0]).unwrap()
}

pub fn run(name: &str, fidelity: Fidelity, set: &[&str]) -> Run {
    run_all(&[job(name, fidelity, set)], 1).unwrap().remove(0)
}

/// What two fidelities are compared by.
#[derive(Debug)]
pub struct Measured {
    /// Completion times, us: mean, and the last flow's.
    pub mean_us: f64,
    pub last_us: f64,
    /// Queue of the receiver's port from the start of the first flow to the end of the last, KB: mean, median, 95th percentile, largest.
    pub queue_kb: [f64; 4],
}

pub fn measure(run: &Run) -> Measured {
    let fcts: Vec<f64> = run
        .outcome
        .records
        .iter()
        .map(|record| record.fct_ps().expect("every flow ends") as f64 / 1e6)
        .collect();
    let last_us = fcts.iter().copied().fold(0.0, f64::max);
    let receiver = run.job.flows[0].dst;
    let mut series = run
        .outcome
        .samples
        .queues
        .iter()
        .filter(|p| p.interface == receiver + 1)
        .peekable();
    let (mut bytes, mut samples) = (0, Vec::new());
    let start_ps = run.job.flows.iter().map(|flow| flow.start_ps).min().unwrap_or(0);
    for t_ps in (start_ps..start_ps + (last_us * 1e6) as u64).step_by(run.job.plan.interval_ps as usize) {
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
        queue_kb: [
            samples.iter().sum::<f64>() / samples.len() as f64,
            at(0.5),
            at(0.95),
            at(1.0),
        ],
    }
}

pub fn assert_checks(run: &Run) {
    for check in &run.checks {
        assert!(check.passed(), "{}: {}", check.name, check.ours);
    }
    assert_eq!(run.checks.len(), 3);
    let counters = &run.outcome.counters;
    assert_eq!(
        (counters.drops, counters.losses, counters.timeouts, counters.naks),
        (0, 0, 0, 0)
    );
    // The NICs' own timers are not among these counters: what they made one send twice shows here.
    assert!(run.outcome.records.iter().all(|r| r.retransmitted_bytes == 0));
}
