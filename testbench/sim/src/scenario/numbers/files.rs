//! Numbers as CSV, as part of `summary.json` and on the screen.

use std::fmt::Write as _;

use serde_json::{json, Value};

use super::group::{Group, Interval};
use super::of_run::{numbers, Number};
use crate::plan::Run;

/// A cell of a CSV file.
fn cell(text: &str) -> String {
    if text.contains([',', '"']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

fn ends(interval: &Interval) -> String {
    interval
        .ends()
        .map_or(",".into(), |(low, high)| format!("{low:.6},{high:.6}"))
}

/// `numbers.csv`: each number of each run.
pub fn numbers_csv(runs: &[Run]) -> String {
    let mut text = String::from("run,seed,number,size,unit,value,flows,no_upper_bound\n");
    for run in runs {
        for n in numbers(run) {
            let flows = n.flows.map(|f| f.to_string()).unwrap_or_default();
            let (label, seed) = (cell(run.label_without_seed()), run.job.seed);
            let Number {
                name,
                size,
                unit,
                value,
                no_upper_bound: few,
                ..
            } = n;
            let _ = writeln!(text, "{label},{seed},{name},{size},{unit},{value:.6},{flows},{few}");
        }
    }
    text
}

/// `intervals.csv`: each number over the seeds.
pub fn intervals_csv(groups: &[Group]) -> String {
    let mut text = String::from("run,number,size,unit,seeds,mean,low_95,high_95,least_flows,no_upper_bound\n");
    for group in groups {
        for row in group.rows() {
            let (n, i) = (row.number, &row.interval);
            let flows = row.flows.map(|f| f.to_string()).unwrap_or_default();
            let _ = writeln!(
                text,
                "{},{},{},{},{},{:.6},{},{flows},{}",
                cell(&group.label),
                n.name,
                n.size,
                n.unit,
                i.runs,
                i.mean,
                ends(i),
                row.no_upper_bound
            );
        }
    }
    text
}

/// `differences.csv`: each number of each variant less that of the first one, paired by seed.
pub fn differences_csv(groups: &[Group]) -> String {
    let mut text = String::from("run,minus,number,size,unit,pairs,mean,low_95,high_95\n");
    let Some((first, others)) = groups.split_first() else {
        return text;
    };
    for group in others {
        for (n, i) in group.minus(first) {
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{:.6},{}",
                cell(&group.label),
                cell(&first.label),
                n.name,
                n.size,
                n.unit,
                i.runs,
                i.mean,
                ends(&i)
            );
        }
    }
    text
}

/// The numbers of a run as `summary.json` has them.
pub fn entry(run: &Run) -> Value {
    let one = |n: Number| {
        json!({
            "number": n.name,
            "size": n.size,
            "unit": n.unit,
            "value": n.value,
            "flows": n.flows,
            "no_upper_bound": n.no_upper_bound,
        })
    };
    numbers(run).into_iter().map(one).collect()
}

/// What stands on the screen.
const SHOWN: [&str; 3] = ["slowdown_p50", "slowdown_p99", "queue_busy_p99"];

fn shown(interval: &Interval) -> String {
    match interval.half {
        Some(half) => format!("{:.3} +- {half:.3}", interval.mean),
        None => format!("{:.3}", interval.mean),
    }
}

/// Mean and 95 % interval over the seeds, and the difference to the first variant; empty where every run stands alone.
pub fn screen(groups: &[Group]) -> String {
    if groups.iter().all(|g| g.runs.len() < 2) {
        return String::new();
    }
    let mut text = String::from("\nover seeds: mean +- half of the 95 % interval (Student's t, from three seeds on)\n");
    for (index, group) in groups.iter().enumerate() {
        let _ = writeln!(text, "{}, {} seeds", group.label, group.runs.len());
        let differences = if index > 0 { group.minus(&groups[0]) } else { Vec::new() };
        let rows = group.rows();
        for row in rows.iter().filter(|r| SHOWN.contains(&r.number.name)) {
            let n = row.number;
            let unit = if n.unit.is_empty() {
                String::new()
            } else {
                format!(" {}", n.unit)
            };
            let mark = if row.no_upper_bound {
                "  (no upper bound: few flows)"
            } else {
                ""
            };
            let flows = row.flows.map_or(String::new(), |f| format!(", {f} flows or more"));
            let difference = differences.iter().find(|(d, _)| d.name == n.name && d.size == n.size);
            let difference = difference.map_or(String::new(), |(_, i)| {
                format!("; less that of {}: {}", groups[0].label, shown(i))
            });
            let _ = writeln!(
                text,
                "  {:14} {:10} {}{unit}{flows}{difference}{mark}",
                n.name,
                n.size,
                shown(&row.interval)
            );
        }
    }
    text
}
