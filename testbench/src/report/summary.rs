//! What a run says on the screen, and the page that holds everything about it.

use std::fmt::Write as _;
use std::path::Path;

use hpcc_models::measure::{percentile, SizeClass};

use crate::plan::Run;
use crate::scenario::figures::Analysis;
use crate::scenario::output::slowdowns;

const HEADER: [&str; 11] = [
    "run",
    "law",
    "fidelity",
    "flows",
    "slowdown p50",
    "p95",
    "p99",
    "queue p99",
    "max",
    "pauses",
    "drops",
];

fn row(run: &Run) -> [String; 11] {
    let outcome = &run.outcome;
    let values = slowdowns(outcome, SizeClass::ALL);
    let mut queues = outcome.samples.to_host.clone();
    queues.merge(&outcome.samples.fabric);
    let kb = |bytes: u64| format!("{:.1} KB", bytes as f64 / 1e3);
    let finished = outcome.records.iter().filter(|r| r.finished_ps.is_some()).count();
    [
        run.label().to_string(),
        run.job.law.name.clone(),
        run.job.fidelity.name().into(),
        format!("{finished}/{}", outcome.flows.len()),
        format!("{:.3}", percentile(&values, 50.0)),
        format!("{:.3}", percentile(&values, 95.0)),
        format!("{:.3}", percentile(&values, 99.0)),
        kb(queues.percentile(99.0)),
        kb(queues.max()),
        outcome.counters.pauses.to_string(),
        outcome.counters.drops.to_string(),
    ]
}

/// The table on the screen, the findings, the speed, and where the files are.
pub fn screen(title: &str, runs: &[Run], analysis: &Analysis, dir: &Path) -> String {
    let rows: Vec<_> = runs.iter().map(row).collect();
    let width = |i: usize| {
        rows.iter()
            .map(|r| r[i].len())
            .chain([HEADER[i].len()])
            .max()
            .unwrap_or(0)
    };
    let line = |cells: &[&str]| {
        let padded = cells.iter().enumerate().map(|(i, c)| {
            if i < 3 {
                format!("{c:<0$}", width(i))
            } else {
                format!("{c:>0$}", width(i))
            }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    let mut text = format!("{title}\n\n{}\n", line(&HEADER));
    for row in &rows {
        let cells: Vec<&str> = row.iter().map(String::as_str).collect();
        let _ = writeln!(text, "{}", line(&cells));
    }
    let _ = writeln!(text);
    for finding in &analysis.findings {
        let verdict = if finding.passed { "ok    " } else { "FAILED" };
        if finding.paper.is_empty() {
            let _ = writeln!(text, "{verdict} {}: {}", finding.name, finding.ours);
        } else {
            let _ = writeln!(
                text,
                "{verdict} {}\n         paper: {}\n         here:  {}",
                finding.name, finding.paper, finding.ours
            );
        }
    }
    let wall: f64 = runs.iter().map(|r| r.wall_s).sum();
    let hops: u64 = runs.iter().map(|r| r.outcome.counters.packet_hops).sum();
    let simulated: f64 = runs
        .iter()
        .map(|r| r.outcome.now_ps.saturating_sub(r.job.origin_ps) as f64 / 1e9)
        .sum();
    let _ = writeln!(
        text,
        "\n{simulated:.3} ms simulated in {wall:.2} s of one thread, {:.1} million packet-hops a second\nresults in {}",
        hops as f64 / wall.max(1e-9) / 1e6,
        dir.display()
    );
    text
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// One self-contained page: figures (SVG inside), table, findings, parameters.
pub fn page(title: &str, runs: &[Run], analysis: &Analysis) -> Result<String, String> {
    let mut body = format!("<h1>{}</h1>\n", escape(title));
    for figure in analysis.figures.iter().chain(&analysis.overview) {
        let _ = writeln!(body, "<figure>{}</figure>", figure.svg()?);
    }
    let cells = |tag: &str, cells: &[&str]| -> String {
        cells.iter().map(|c| format!("<{tag}>{}</{tag}>", escape(c))).collect()
    };
    let _ = writeln!(body, "<h2>Runs</h2><table><tr>{}</tr>", cells("th", &HEADER));
    for run in runs {
        let row = row(run);
        let row: Vec<&str> = row.iter().map(String::as_str).collect();
        let _ = writeln!(body, "<tr>{}</tr>", cells("td", &row));
    }
    let _ = writeln!(
        body,
        "</table><h2>Checks</h2><table><tr>{}</tr>",
        cells("th", &["check", "paper", "here", ""])
    );
    for f in &analysis.findings {
        let verdict = if f.passed { "ok" } else { "failed" };
        let _ = writeln!(body, "<tr>{}</tr>", cells("td", &[&f.name, &f.paper, &f.ours, verdict]));
    }
    let _ = writeln!(
        body,
        "</table><h2>How it was run</h2><table><tr>{}</tr>",
        cells("th", &["run", "what", "value"])
    );
    for run in runs {
        let (job, c) = (&run.job, &run.outcome.counters);
        let facts = [
            (
                "network",
                format!(
                    "{} hosts, {} switches, {} links",
                    job.topology.hosts().len(),
                    job.topology.nodes() - job.topology.hosts().len(),
                    job.topology.links.len()
                ),
            ),
            ("law", format!("{:?}", job.law)),
            (
                "rules",
                format!(
                    "{:?}, {:?}, {:?}, window latency {} ns",
                    job.config.flow_control,
                    job.config.recovery,
                    job.config.window,
                    job.config.cc_latency_ps / 1000
                ),
            ),
            ("seed", job.seed.to_string()),
            ("counters", format!("{c:?}")),
            (
                "time",
                format!(
                    "{:.3} ms simulated in {:.2} s",
                    run.outcome.now_ps.saturating_sub(job.origin_ps) as f64 / 1e9,
                    run.wall_s
                ),
            ),
        ];
        for (what, value) in facts {
            let _ = writeln!(body, "<tr>{}</tr>", cells("td", &[run.label(), what, &value]));
        }
    }
    let style = "body{font:15px sans-serif;max-width:1750px;margin:2em auto;padding:0 1em;color:#222}table{border-collapse:collapse}\
                 th,td{border:1px solid #ccc;padding:.3em .6em;text-align:left;vertical-align:top}th{background:#f2f2f2}\
                 figure{margin:0;overflow-x:auto}";
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title><style>{style}</style></head>\n<body>\n{body}</table>\n</body></html>\n",
        escape(title)
    ))
}
