//! Runs with several seeds: the mean over the seeds, with the 95 % interval as error bars.

use crate::plan::Run;
use crate::plot::{Figure, Line, Panel};
use crate::scenario::numbers::{buckets, Group};

/// Slowdown of each bucket of sizes, a line a variant; `None` where no variant has several seeds, or the runs have other buckets.
pub fn figure(runs: &[Run]) -> Option<Figure> {
    let groups = Group::all(runs);
    let edges = &runs.first()?.job.numbers.size_edges;
    if groups.iter().all(|g| g.runs.len() < 2) || runs.iter().any(|r| &r.job.numbers.size_edges != edges) {
        return None;
    }
    let panel = |(name, title): (&str, &str)| Panel {
        title: title.into(),
        x: "message size, upper edge of the bucket (bytes)".into(),
        y: "slowdown".into(),
        log_x: true,
        lines: groups.iter().map(|group| line(group, name, edges)).collect(),
        ..Panel::default()
    };
    let panels = [
        ("slowdown_p50", "median: mean over seeds, 95 % interval"),
        ("slowdown_p99", "99th percentile: mean over seeds, 95 % interval"),
    ];
    Some(Figure {
        panels: panels.into_iter().map(panel).collect(),
        ..Figure::default()
    })
}

/// The number `name` of each bucket that has flows. The last bucket has no upper edge and stands three times its lower one to the right.
fn line(group: &Group, name: &str, edges: &[u64]) -> Line {
    let rows = group.rows();
    let mut line = Line::new(group.label.clone(), Vec::new());
    for bucket in buckets(edges).into_iter().skip(1) {
        let row = rows
            .iter()
            .find(|r| r.number.name == name && r.number.size == bucket.name);
        let Some(row) = row else { continue };
        let x = match bucket.up_to {
            u64::MAX => bucket.above as f64 * 3.0,
            edge => edge as f64,
        };
        line.points.push((x, row.interval.mean));
        line.errors.push(row.interval.half.unwrap_or(0.0));
    }
    Line { marks: true, ..line }
}
