//! Several traffic classes: how soon a class uses what another leaves, and what it costs when the other returns
//! (draft-miao-ccwg-hpcc, 9.3).

use hpcc_models::measure::mean;
use hpcc_models::net::ClassTelemetry;

use super::analysis::Analysis;
use super::micro::figure;
use super::series::{busiest_queue, goodput, peak, queue_panel, sampled, value_at};
use crate::plan::{Finding, Run};
use crate::plot::{Line, Panel};

/// Bin of goodput, us: about a round trip.
const BIN_US: f64 = 8.0;
/// From here on it is the goodput of a steady flow, us after a change.
const SETTLED_US: f64 = 250.0;

/// What one run shows, in us and Gb/s.
struct Seen {
    /// Goodput of class 0 while class 1 is idle, once settled.
    alone: f64,
    /// And while it is not.
    beside: f64,
    /// From the end of class 1's flow until class 0 has 90 % of what it settles at.
    rise: Option<f64>,
    /// Largest queue in the half millisecond after class 1 returns, KB.
    peak: f64,
}

fn see(run: &Run) -> Option<(Seen, Line)> {
    let line = goodput(run, BIN_US).remove(&0)?;
    let us = |ps: u64| ps as f64 / 1e6;
    let idle = us(run.outcome.records[1].finished_ps?);
    let back = us(run.outcome.flows[2].start_ps);
    let (start, end) = (us(run.outcome.flows[1].start_ps), us(run.outcome.now_ps));
    let level = |from: f64, to: f64| mean(&sampled(&line, from, to, BIN_US));
    let alone = level(back - SETTLED_US, back);
    let beside = level(start + SETTLED_US, idle).min(level(back + SETTLED_US, end));
    let reached = line.points.iter().find(|p| p.0 > idle && p.1 >= 0.9 * alone);
    let queue = busiest_queue(run)?;
    let seen = Seen {
        alone,
        beside,
        rise: reached.filter(|p| p.0 < back).map(|p| p.0 - idle),
        peak: peak(&queue, back, back + 500.0) - value_at(&queue, back),
    };
    Some((seen, line))
}

/// Flow 0 is class 0's; flows 1 and 2 are class 1's.
pub fn idle_class(runs: &[Run]) -> Analysis {
    let mut rates = Panel {
        title: "goodput of class 0".into(),
        x: "time (us)".into(),
        y: "goodput (Gb/s)".into(),
        ..Panel::default()
    };
    let mut queues = queue_panel("queue of the shared port, both classes");
    let mut findings = Vec::new();
    let mut rise_of = [None; 3];
    for run in runs {
        let Some((seen, line)) = see(run) else { continue };
        let rules = run.job.config.classes.as_ref();
        let telemetry = rules.map_or(ClassTelemetry::Port, |c| c.telemetry);
        let t_us = run.job.config.window_t_ns() as f64 / 1e3;
        let rise = seen
            .rise
            .map_or("never".into(), |us| format!("after {us:.0} us ({:.1} T)", us / t_us));
        let ours = format!(
            "{:.1} Gb/s beside class 1, {:.1} while it is idle, 90 % of that {rise}; {:.0} KB more wait when it returns",
            seen.beside, seen.alone, seen.peak
        );
        let label = run.label().replace([' ', ','], "_").replace("__", "_");
        let search = run.job.law.class_search;
        let uses_idle = seen.alone > 1.6 * seen.beside;
        let expected = match telemetry {
            ClassTelemetry::Class if !search => !uses_idle,
            _ => uses_idle,
        };
        match telemetry {
            ClassTelemetry::Shared if run.job.law.max_stage == 0 => rise_of[1] = seen.rise,
            ClassTelemetry::Shared => rise_of[0] = seen.rise,
            ClassTelemetry::Class if search => rise_of[2] = seen.rise,
            _ => {}
        }
        findings.push(Finding::new(&format!("idle_class_{label}"), "", ours, expected));
        rates.lines.push(line.named(run.label()));
        queues.lines.extend(busiest_queue(run).map(|l| l.named(run.label())));
    }
    if let ([Some(shared), Some(at_once), Some(search)], Some(run)) = (rise_of, runs.first()) {
        let t_us = run.job.config.window_t_ns() as f64 / 1e3;
        // With a maxStage so many additive rounds may come before the division.
        let (few, rounds) = (5.0 * t_us, f64::from(run.job.law.max_stage) * t_us);
        let ours = format!(
            "90 % after {at_once:.0} us with the telemetry of all classes and maxStage 0, {shared:.0} us with maxStage 5, {search:.0} us \
             by search"
        );
        let finding = Finding::new(
            "telemetry_of_all_classes_is_faster_than_search",
            "telemetry of all queues allows convergence to ideal rates in one rate update, a search takes multiple",
            ours,
            at_once < search,
        );
        findings.push(finding.within("sooner than by search").known_difference(
            at_once.max(search) <= few && shared <= few + rounds,
            "U is a moving average over T, so the division by U takes more than one update; the search jumps half way at each",
        ));
    }
    Analysis {
        figures: figure(vec![rates, queues]),
        findings,
        ..Analysis::default()
    }
}
