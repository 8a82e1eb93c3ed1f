//! The table of `cosim` and the verdict.

use super::compare::{Comparison, Errors, Expected};
use super::{Cosim, Seen};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

fn errors(errors: &Errors) -> String {
    [errors.mean, errors.p50, errors.p99, errors.max]
        .map(|value| format!("{value:>9.2e}"))
        .join(" ")
}

fn optional(count: Option<usize>) -> String {
    count.map_or("-".into(), |count| count.to_string())
}

/// A count only where equality is promised.
fn mismatches(comparison: &Comparison) -> String {
    optional((comparison.expected == Expected::Exact).then_some(comparison.mismatches))
}

/// The whole report, ending in a line break.
pub fn table(cosim: &Cosim, file: &Path) -> String {
    let (line_rate, base_rtt_ns, w_init) = cosim.source.port();
    let flows: BTreeSet<u32> = cosim.rows.iter().map(|row| row.flow).collect();
    let mut text = format!(
        "{}: {}, {} ACKs, {} flows, {} Gb/s, T {} ns, W_init {} bytes\n\n",
        file.display(),
        cosim.source.law(),
        cosim.rows.len(),
        flows.len(),
        line_rate as f64 / 1e9,
        base_rtt_ns,
        w_init
    );
    let title = |what: &str| format!("{what:^39}");
    let columns = "     mean       p50       p99       max";
    let _ = writeln!(
        text,
        "{:17} {}   {}",
        "",
        title(&format!("relative error of {}", cosim.source.signal())),
        title("relative error of W")
    );
    let _ = writeln!(text, "{:17} {columns}   {columns}   branches  stages  mismatches", "");
    for comparison in &cosim.comparisons {
        let name = format!("{} / {}", comparison.model, comparison.reference);
        let _ = writeln!(
            text,
            "{name:17} {}   {}   {:>8}  {:>6}  {:>10}",
            errors(&comparison.u),
            errors(&comparison.w),
            optional(comparison.branches),
            optional(comparison.stages),
            mismatches(comparison)
        );
    }
    text.push('\n');
    if cosim.saturated > 0 {
        let rows = cosim.saturated;
        let _ = writeln!(
            text,
            "{rows} rows have queues above 16 bits: saturated except for golden against the trace"
        );
    }
    for comparison in &cosim.comparisons {
        text.push_str(&divergence(cosim, comparison));
    }
    text
}

/// One model against another: where they part, or that they do not.
fn divergence(cosim: &Cosim, comparison: &Comparison) -> String {
    let Comparison { model, reference, .. } = comparison;
    let Some(row) = comparison.first_divergence else {
        let how = match comparison.expected {
            Expected::Exact => "agree bit for bit".into(),
            Expected::Within(bound) => format!("stay within {bound:.1e}"),
        };
        return format!("{model} and {reference} {how} on every row\n");
    };
    let mut text = format!("{model} and {reference} first part at {}\n", place(cosim, row));
    text.push_str(&values(cosim, comparison, row));
    let worst = comparison.w.worst_row;
    if worst != row && comparison.w.max > 0.0 {
        let _ = writeln!(text, "  largest error of W at {}", place(cosim, worst));
        text.push_str(&values(cosim, comparison, worst));
    }
    text
}

fn place(cosim: &Cosim, row: usize) -> String {
    let at = &cosim.rows[row];
    format!("line {}, flow {}, {} ns", at.line, at.flow, at.t_ns)
}

fn values(cosim: &Cosim, comparison: &Comparison, row: usize) -> String {
    [comparison.reference, comparison.model]
        .map(|name| {
            let seen = match cosim.model(name) {
                Some(run) => run.seen[row],
                None => Some(cosim.rows[row].recorded),
            };
            format!(
                "  {name:8} {}\n",
                seen.map_or("ignored the ACK".into(), |seen| state(&seen))
            )
        })
        .concat()
}

fn state(seen: &Seen) -> String {
    let mut text = format!("U {}  W {}", seen.u, seen.w);
    if let Some(wc) = seen.wc {
        let _ = write!(text, "  Wc {wc}");
    }
    if let Some(stage) = seen.inc_stage {
        let _ = write!(text, "  stage {stage}");
    }
    if let Some(branch) = seen.branch {
        let _ = write!(text, "  {}", branch.name());
    }
    text
}

/// Why the run counts as failed, if it does.
pub fn failed(cosim: &Cosim, bound: Option<f64>) -> Option<String> {
    let exact = |c: &&Comparison| c.expected == Expected::Exact;
    if let Some(c) = cosim.comparisons.iter().filter(exact).find(|c| c.mismatches > 0) {
        return Some(format!(
            "{} and {} differ on {} rows",
            c.model, c.reference, c.mismatches
        ));
    }
    let bound = bound?;
    let beyond = cosim
        .comparisons
        .iter()
        .filter(|c| !exact(c))
        .find(|c| c.u.max.max(c.w.max) > bound)?;
    let (what, error) = if beyond.w.max > bound {
        ("W", beyond.w)
    } else {
        (cosim.source.signal(), beyond.u)
    };
    Some(format!(
        "{} against {}: relative error of {what} {:.3e} at line {}, above the bound {bound:e}",
        beyond.model, beyond.reference, error.max, cosim.rows[error.worst_row].line
    ))
}
