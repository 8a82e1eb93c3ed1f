//! What a run says on the screen, and the page that holds everything about it.

use std::fmt::Write as _;
use std::path::Path;

use hpcc_models::measure::{percentile, SizeClass, NS3_SIZE_CLASSES};
use hpcc_models::net::{QueueHistogram, MOST_POINTS};

use crate::plan::{provenance, Job, Run};
use crate::scenario::collectives::lines;
use crate::scenario::figures::Analysis;
use crate::scenario::numbers;
use crate::scenario::output::{all_queues, law_table, slowdowns, unfinished};

const HEADER: [&str; 9] = [
    "run",
    "law",
    "fidelity",
    "flows",
    "slowdown p50",
    "p95",
    "p99",
    "pauses",
    "drops",
];

fn row(run: &Run) -> [String; 9] {
    let outcome = &run.outcome;
    let values = slowdowns(run, SizeClass::ALL);
    let finished = outcome.records.iter().filter(|r| r.finished_ps.is_some()).count();
    let slowdown = |p: f64| {
        if values.is_empty() {
            "-".to_string()
        } else {
            format!("{:.3}", percentile(&values, p))
        }
    };
    [
        run.label().to_string(),
        run.job.law.name.clone(),
        run.job.fidelity.name().into(),
        format!("{finished}/{}", outcome.flows.len()),
        slowdown(50.0),
        slowdown(95.0),
        slowdown(99.0),
        outcome.counters.pauses.to_string(),
        outcome.counters.drops.to_string(),
    ]
}

const QUEUE_HEADER: [&str; 6] = ["run", "queue (KB) of", "p50", "p95", "p99", "max"];

/// Queues of a run: of busy switch ports, and of all of them.
fn queue_rows(run: &Run) -> [[String; 6]; 2] {
    let kb = |bytes: u64| format!("{:.1}", bytes as f64 / 1e3);
    let row = |label: &str, what: &str, q: &QueueHistogram| {
        let p = |p: f64| kb(q.percentile(p));
        [label.to_string(), what.into(), p(50.0), p(95.0), p(99.0), kb(q.max())]
    };
    [
        row(run.label(), "busy ports", &run.outcome.samples.busy),
        row("", "all ports", &all_queues(&run.outcome)),
    ]
}

/// A table as text: the first `left` columns to the left, numbers to the right.
fn table<const N: usize>(header: &[&str; N], rows: &[[String; N]], left: usize) -> String {
    let width = |i: usize| {
        rows.iter()
            .map(|r| r[i].len())
            .chain([header[i].len()])
            .max()
            .unwrap_or(0)
    };
    let line = |cells: &[&str]| {
        let padded = cells.iter().enumerate().map(|(i, c)| {
            if i < left {
                format!("{c:<0$}", width(i))
            } else {
                format!("{c:>0$}", width(i))
            }
        });
        format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    let rows = rows.iter().map(|row| line(&row.each_ref().map(String::as_str)));
    [line(header)].into_iter().chain(rows).collect()
}

/// The table on the screen, the findings, the speed, and where the files are.
pub fn screen(title: &str, runs: &[Run], analysis: &Analysis, dir: &Path) -> String {
    let rows: Vec<_> = runs.iter().map(row).collect();
    let queues: Vec<_> = runs.iter().flat_map(queue_rows).collect();
    let mut text = format!(
        "{title}\n\n{}\n{}\n",
        table(&HEADER, &rows, 3),
        table(&QUEUE_HEADER, &queues, 2)
    );
    for finding in &analysis.findings {
        text += &finding.lines();
    }
    runs.iter().for_each(|run| text += &remarks(run));
    text += &numbers::screen(&numbers::Group::all(runs));
    let wall: f64 = runs.iter().map(|r| r.wall_s).sum();
    let cpu: Option<f64> = runs.iter().map(|r| r.cpu_s).sum();
    let hops: u64 = runs.iter().map(|r| r.outcome.counters.packet_hops).sum();
    let simulated: f64 = runs
        .iter()
        .map(|r| r.outcome.now_ps.saturating_sub(r.job.origin_ps) as f64 / 1e9)
        .sum();
    let _ = writeln!(
        text,
        "\n{simulated:.3} ms of network time in {wall:.2} s, summed over runs; {}\nresults in {}",
        cpu.map_or("processor time unknown".into(), |cpu| {
            // A run of a few milliseconds says nothing of the speed
            let speed = if cpu < 0.01 {
                String::new()
            } else {
                let rate = in_words(hops as f64 / cpu);
                format!(": {} packets over links, {rate} a second", in_words(hops as f64))
            };
            format!("{cpu:.2} s of processors{speed}")
        }),
        dir.display()
    );
    text
}

/// What a reader of a run's numbers has to know: lists that were full, switches that INT did not reach, flows that the end cut off.
fn remarks(run: &Run) -> String {
    let (outcome, label) = (&run.outcome, run.label());
    let mut text = String::new();
    if run.job.t_of_network {
        let t_ns = run.job.config.window_t_ns();
        let _ = writeln!(
            text,
            "{label}: cc.t_ns {t_ns}, the largest base round trip of the hosts that talk"
        );
    }
    if let Some(ps) = outcome.samples.full_ps {
        let us = ps.saturating_sub(run.job.origin_ps) as f64 / 1e6;
        let _ = writeln!(
            text,
            "{label}: a series or the meters end at {us} us, where they held {MOST_POINTS} points"
        );
    }
    if outcome.counters.int_full > 0 {
        let _ = writeln!(
            text,
            "{label}: {} records of INT found no room: senders do not see what lies behind a fifth switch",
            outcome.counters.int_full
        );
    }
    text += &lines(run);
    let open = unfinished(run, SizeClass::ALL);
    if open > 0 {
        let classes = NS3_SIZE_CLASSES.map(|class| (class.name, unfinished(run, class)));
        let classes = classes
            .iter()
            .filter(|(_, n)| *n > 0)
            .map(|(name, n)| format!("{n} of {name}"));
        let _ = writeln!(
            text,
            "{label}: {open} flows unfinished: {}",
            classes.collect::<Vec<_>>().join(", ")
        );
    }
    text
}

/// A number in the unit in which it has one to three digits before the point.
fn in_words(number: f64) -> String {
    if number < 1e3 {
        format!("{number:.0}")
    } else if number < 1e6 {
        format!("{:.1} thousand", number / 1e3)
    } else {
        format!("{:.1} million", number / 1e6)
    }
}

fn parameters(run: &Run) -> String {
    let rows = law_table(run)
        .into_iter()
        .map(|(key, value)| format!("{key} = {value}"));
    rows.collect::<Vec<_>>().join(", ")
}

fn inputs(job: &Job) -> String {
    let rows = job
        .inputs
        .iter()
        .map(|file| format!("{} (FNV-1a {:016x})", file.path, file.digest));
    rows.collect::<Vec<_>>().join(", ")
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
        "</table><h2>Queues of switch ports</h2><table><tr>{}</tr>",
        cells("th", &QUEUE_HEADER)
    );
    for row in runs.iter().flat_map(queue_rows) {
        let _ = writeln!(body, "<tr>{}</tr>", cells("td", &row.each_ref().map(String::as_str)));
    }
    let _ = writeln!(
        body,
        "</table><h2>Checks</h2><table><tr>{}</tr>",
        cells("th", &["check", "paper", "here", "ok if", "verdict", "because"])
    );
    for f in &analysis.findings {
        let row = [&f.name, &f.paper, &f.ours, &f.tolerance, f.verdict.word(), f.reason()];
        let _ = writeln!(body, "<tr>{}</tr>", cells("td", &row));
    }
    let _ = writeln!(
        body,
        "</table><h2>How it was run</h2><p>{}</p><p><code>{}</code></p><table><tr>{}</tr>",
        escape(&provenance::program()),
        escape(&provenance::command_line()),
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
            ("law", job.law.name.clone()),
            ("parameters of the law", parameters(run)),
            ("scenario", job.resolved.to_string()),
            ("files", inputs(job)),
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
                    "{:.3} ms simulated in {:.2} s, {} s of a processor",
                    run.outcome.now_ps.saturating_sub(job.origin_ps) as f64 / 1e9,
                    run.wall_s,
                    run.cpu_s.map_or("unknown".into(), |s| format!("{s:.2}"))
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

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn numbers_have_the_unit_that_fits() {
        let shown = [0.4, 999.0, 31_240.0, 26_600_000.0].map(in_words);
        assert_eq!(shown, ["0", "999", "31.2 thousand", "26.6 million"]);
    }
}
