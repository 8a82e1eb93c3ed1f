//! Runs jobs, several at a time where there are cores.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::Duration;

use hpcc_models::net::Simulator;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::whole_nics;
use crate::plan::provenance::Stopwatch;
use crate::plan::{Job, Run};

impl Job {
    /// Simulates. The plan's samples end with the last flow.
    pub fn run(&self, bar: &ProgressBar) -> Result<Run, String> {
        if self.fidelity.whole_nic() {
            return whole_nics::run(self, bar);
        }
        let started = Stopwatch::start();
        let mut slot = |p: &_| self.law.slot(p, self.fidelity);
        let mut sim = Simulator::new(
            &self.topology,
            self.flows.clone(),
            self.config.clone(),
            self.plan.clone(),
            &mut slot,
        )
        .map_err(|e| e.to_string())?;
        for &change in &self.link_changes {
            sim.add_link_change(change);
        }
        if let Some(hcc) = &self.hcc {
            sim.add_hcc(hcc.config.clone(), &hcc.pairs).map_err(|e| e.to_string())?;
        }
        for drops in &self.arrival_drops {
            sim.add_arrival_drops(drops);
        }
        for &exchange in &self.loops {
            sim.add_closed_loop(exchange, &mut slot).map_err(|e| e.to_string())?;
        }
        sim.add_start_rules(&self.start_rules).map_err(|e| e.to_string())?;
        let first = self
            .flows
            .iter()
            .map(|f| f.start_ps)
            .min()
            .unwrap_or(0)
            .max(self.origin_ps);
        let step = (self.stop_ps.saturating_sub(first) / 500).max(1);
        let mut until = first;
        while until < self.stop_ps {
            until = (until + step).min(self.stop_ps);
            if !sim.run_until(until) || (sim.unfinished() == 0 && !self.samples_go_on(until)) {
                break;
            }
            bar.set_position((until - first) / 1_000_000);
            let rate = sim.counters().packet_hops as f64 / started.wall_s().max(1e-9) / 1e6;
            bar.set_message(format!("{rate:.1} M packet-hops/s, {} flows left", sim.unfinished()));
        }
        if let Some(failure) = sim.failure() {
            return Err(failure.into());
        }
        let outcome = sim.finish();
        Ok(Run {
            job: self.clone(),
            outcome,
            wall_s: started.wall_s(),
            cpu_s: started.cpu_s(),
            checks: Vec::new(),
        })
    }

    /// In the ns-3 profile queues are watched to the end of the monitor, elsewhere to the last flow.
    fn samples_go_on(&self, now: u64) -> bool {
        // sampling without an end ends with the flows
        self.watches_on && self.plan.end_ps < u64::MAX && now < self.plan.end_ps
    }
}

/// Runs jobs on the machine's cores, `threads` at a time; results in the order of the list.
pub fn run_all(jobs: &[Job], threads: usize) -> Result<Vec<Run>, String> {
    run_all_saving(jobs, threads, |_| Ok(()))
}

/// [`run_all`], and `save` has each run as soon as it is over, so that a list that is ended before its end leaves what it has.
pub fn run_all_saving(
    jobs: &[Job],
    threads: usize,
    save: impl Fn(&Run) -> Result<(), String> + Sync,
) -> Result<Vec<Run>, String> {
    let runs: Mutex<Vec<Option<Run>>> = Mutex::new(jobs.iter().map(|_| None).collect());
    run_each(jobs, threads, |index, run| {
        save(&run)?;
        runs.lock().map_err(|_| ABNORMAL.to_string())?[index] = Some(run);
        Ok(())
    })?;
    let runs = runs.into_inner().map_err(|_| ABNORMAL.to_string())?;
    runs.into_iter()
        .map(|r| r.ok_or_else(|| ABNORMAL.to_string()))
        .collect()
}

const ABNORMAL: &str = "a run ended abnormally";

/// Runs jobs, `threads` at a time, and hands each to `done` when it is over. The first failure is returned; runs under way are finished.
pub fn run_each(
    jobs: &[Job],
    threads: usize,
    done: impl Fn(usize, Run) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let bars = progress(jobs);
    let next = AtomicUsize::new(0);
    let failure: Mutex<Option<String>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            scope.spawn(|| loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(index) else { return };
                let result = job.run(&bars[index]).and_then(|run| done(index, run));
                bars[index].finish_and_clear();
                if let (Err(error), Ok(mut first)) = (result, failure.lock()) {
                    first.get_or_insert(error);
                    return;
                }
            });
        }
    });
    match failure.into_inner() {
        Ok(None) => Ok(()),
        Ok(Some(error)) => Err(error),
        Err(_) => Err(ABNORMAL.into()),
    }
}

/// A bar per job on a terminal; it shows itself after two seconds.
fn progress(jobs: &[Job]) -> Vec<ProgressBar> {
    if !std::io::stderr().is_terminal() {
        return jobs.iter().map(|_| ProgressBar::hidden()).collect();
    }
    let all = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
    let shown = all.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(2));
        shown.set_draw_target(ProgressDrawTarget::stderr_with_hz(4));
    });
    let style = ProgressStyle::with_template("{prefix:>14} {bar:30} {pos}/{len} us simulated  {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    jobs.iter()
        .map(|job| {
            let bar = all.add(ProgressBar::new(job.stop_ps.saturating_sub(job.origin_ps) / 1_000_000));
            bar.set_style(style.clone());
            bar.set_prefix(job.label.clone().unwrap_or_else(|| job.name.clone()));
            bar
        })
        .collect()
}
