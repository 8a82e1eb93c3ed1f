//! What a run says of its collectives: time and bandwidth of each repetition, and `collectives.csv` with each step.

use std::fmt::Write as _;

use serde_json::{json, Value};

use crate::plan::Run;

/// Picoseconds as nanoseconds, with decimals only where there are any.
fn ns(ps: u64) -> Value {
    match ps.is_multiple_of(1000) {
        true => json!(ps / 1000),
        false => json!(ps as f64 / 1000.0),
    }
}

/// The entry of `summary.json`: of each collective its repetitions, from the first start to the last byte received.
pub fn entry(run: &Run) -> Value {
    let all = run.job.collectives.iter().map(|plan| {
        let spans = plan.repetitions(&run.outcome.records);
        let repetitions = spans.iter().map(|span| match span.ps() {
            Some(ps) => json!({
                "time_ns": ns(ps),
                "algbw_gbps": plan.algorithm_gbps(ps),
                "busbw_gbps": plan.bus_gbps(ps),
            }),
            None => Value::Null,
        });
        json!({
            "tag": plan.tag,
            "hosts": plan.collective.hosts.len(),
            "bytes": plan.collective.bytes,
            "steps": plan.places.iter().map(|p| p.step + 1).max(),
            "repetitions": repetitions.collect::<Vec<_>>(),
        })
    });
    Value::Array(all.collect())
}

/// `collectives.csv`: each step of each repetition; a step without an end was cut off by the run's.
pub fn steps_csv(run: &Run) -> String {
    let mut text = String::from("tag,repetition,step,messages,start_ns,end_ns,longest_ns\n");
    for plan in &run.job.collectives {
        for (place, span) in plan.steps(&run.outcome.records) {
            let end = span.end_ps.map(|ps| ns(ps).to_string()).unwrap_or_default();
            let _ = writeln!(
                text,
                "{},{},{},{},{},{end},{}",
                plan.tag,
                place.repetition,
                place.step,
                span.messages,
                ns(span.start_ps),
                ns(span.longest_ps)
            );
        }
    }
    text
}

/// A line for the screen of each collective: the mean of its repetitions.
pub fn lines(run: &Run) -> String {
    let mut text = String::new();
    for plan in &run.job.collectives {
        let spans = plan.repetitions(&run.outcome.records);
        let times: Vec<u64> = spans.iter().filter_map(|span| span.ps()).collect();
        if times.is_empty() {
            continue;
        }
        let mean = times.iter().sum::<u64>() / times.len() as u64;
        let _ = writeln!(
            text,
            "{}: {}: {} of {} repetitions, {:.3} us, busbw {:.2} Gb/s",
            run.label(),
            plan.tag,
            times.len(),
            spans.len(),
            mean as f64 / 1e6,
            plan.bus_gbps(mean)
        );
    }
    text
}
