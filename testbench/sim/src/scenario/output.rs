//! Result files of a run: `flows.csv`, `queues.csv`, `rates.csv`, `summary.json`. Each appears whole or not at all.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hpcc_models::measure::{percentile, SizeClass, NS3_SIZE_CLASSES};
use hpcc_models::net::{Outcome, QueueHistogram, WindowRule};
use serde_json::{json, Map, Value};

use super::{collectives, numbers};
use crate::plan::{provenance, Finding, Run};

/// A folder for results, made and tried before the run starts.
pub struct OutDir(PathBuf);

impl OutDir {
    /// Makes the folder; fails if it cannot be written.
    pub fn create(path: &Path) -> Result<Self, String> {
        let fail = |e: std::io::Error| format!("{}: expected a folder that can be written ({e})", path.display());
        std::fs::create_dir_all(path).map_err(fail)?;
        let probe = path.join(".probe");
        std::fs::write(&probe, b"").map_err(fail)?;
        std::fs::remove_file(&probe).map_err(fail)?;
        Ok(Self(path.into()))
    }

    /// A folder inside.
    pub fn sub(&self, name: &str) -> Result<Self, String> {
        let safe: String = name
            .chars()
            .map(|c| {
                if c.is_alphanumeric() || "-+._".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        Self::create(&self.0.join(safe))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file under another name first, then renames it.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let (part, path) = (self.0.join(format!(".{name}.part")), self.0.join(name));
        let fail = |e: std::io::Error| format!("{}: {e}", path.display());
        std::fs::write(&part, bytes).map_err(fail)?;
        std::fs::rename(&part, &path).map_err(fail)
    }
}

/// Picoseconds as nanoseconds, with decimals only where there are any.
fn ns(ps: u64) -> String {
    if ps.is_multiple_of(1000) {
        (ps / 1000).to_string()
    } else {
        format!("{:.3}", ps as f64 / 1000.0)
    }
}

/// `flows.csv`.
pub fn flows_csv(outcome: &Outcome) -> String {
    let mut text =
        String::from("flow,src,dst,size_bytes,start_ns,fct_ns,ideal_ns,slowdown,retransmitted_bytes,status\n");
    for (index, (flow, record)) in outcome.flows.iter().zip(&outcome.records).enumerate() {
        let fct = record.fct_ps().map(ns).unwrap_or_default();
        let slowdown = record.slowdown().map(|s| format!("{s:.6}")).unwrap_or_default();
        let status = if record.finished_ps.is_some() {
            "ok"
        } else {
            "unfinished"
        };
        let start = if record.finished_ps.is_some() {
            record.started_ps
        } else {
            flow.start_ps
        };
        let _ = writeln!(
            text,
            "{index},{},{},{},{},{fct},{},{slowdown},{},{status}",
            flow.src,
            flow.dst,
            flow.bytes,
            ns(start),
            record.ideal_ps.map(ns).unwrap_or_default(),
            record.retransmitted_bytes
        );
    }
    text
}

/// `queues.csv`: a row where a queue changed between samples.
pub fn queues_csv(outcome: &Outcome) -> String {
    let mut text = String::from("t_ns,node,port,bytes\n");
    for p in &outcome.samples.queues {
        let _ = writeln!(text, "{},{},{},{}", ns(p.t_ps), p.node, p.interface, p.bytes);
    }
    text
}

/// `rates.csv`.
pub fn rates_csv(outcome: &Outcome) -> String {
    let mut text = String::from("t_ns,flow,rate_bps,window_bytes\n");
    for p in &outcome.samples.flows {
        let window = if p.window_bytes == u64::MAX {
            String::new()
        } else {
            p.window_bytes.to_string()
        };
        let _ = writeln!(text, "{},{},{},{window}", ns(p.t_ps), p.flow, p.rate_bps);
    }
    text
}

/// `ports.csv`: what each switch port sent in each interval of the meters, and what waited at its end.
pub fn ports_csv(outcome: &Outcome) -> String {
    let mut text = String::from("t_ns,node,port,wire_bytes,queue_packets,queue_bytes\n");
    for m in &outcome.samples.port_meters {
        let (node, port) = (m.node, m.interface);
        let _ = writeln!(
            text,
            "{},{node},{port},{},{},{}",
            ns(m.t_ps),
            m.wire_bytes,
            m.queue_packets,
            m.queue_bytes
        );
    }
    text
}

/// `goodput.csv`: payload that each flow delivered in order in each interval of the meters.
pub fn goodput_csv(outcome: &Outcome) -> String {
    let mut text = String::from("t_ns,flow,delivered_bytes\n");
    for m in &outcome.samples.flow_meters {
        let _ = writeln!(text, "{},{},{}", ns(m.t_ps), m.flow, m.delivered_bytes);
    }
    text
}

fn queue_percentiles(queues: &QueueHistogram) -> Value {
    json!({
        "samples": queues.samples(),
        "p50": queues.percentile(50.0),
        "p95": queues.percentile(95.0),
        "p99": queues.percentile(99.0),
        "p99.9": queues.percentile(99.9),
        "max": queues.max(),
    })
}

/// Ascending slowdowns of finished flows of a class.
pub fn slowdowns(run: &Run, class: SizeClass) -> Vec<f64> {
    let pairs = run.outcome.flows.iter().zip(&run.outcome.records);
    let mut values: Vec<f64> = pairs
        .filter(|(f, r)| class.contains(f.bytes) && run.counts(f, r))
        .filter_map(|(_, r)| run.slowdown(r))
        .collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Queues of all switch ports, idle ones too.
pub fn all_queues(outcome: &Outcome) -> QueueHistogram {
    let mut all = outcome.samples.to_host.clone();
    all.merge(&outcome.samples.fabric);
    all
}

/// Flows of a class that a run's end has cut off.
pub fn unfinished(run: &Run, class: SizeClass) -> usize {
    let pairs = run.outcome.flows.iter().zip(&run.outcome.records);
    let open = pairs.filter(|(f, r)| class.contains(f.bytes) && run.counts(f, r) && r.finished_ps.is_none());
    open.count()
}

fn slowdown_percentiles(run: &Run) -> Value {
    let mut table = Map::new();
    for class in NS3_SIZE_CLASSES.into_iter().chain([SizeClass::ALL]) {
        let values = slowdowns(run, class);
        let open = unfinished(run, class);
        if values.is_empty() {
            if open > 0 {
                table.insert(class.name.into(), json!({"flows": 0, "unfinished": open}));
            }
            continue;
        }
        let row = json!({
            "flows": values.len(),
            "unfinished": open,
            "p50": percentile(&values, 50.0),
            "p95": percentile(&values, 95.0),
            "p99": percentile(&values, 99.0),
            "max": values[values.len() - 1],
        });
        table.insert(class.name.into(), row);
    }
    Value::Object(table)
}

fn entry(finding: &Finding) -> Value {
    let mut entry = json!({
        "verdict": finding.verdict.word().to_lowercase(),
        "passed": finding.passed(),
        "detail": finding.detail(),
    });
    let fields = [
        ("paper", &*finding.paper),
        ("here", &finding.ours),
        ("ok_if", &finding.tolerance),
        ("reason", finding.reason()),
    ];
    for (key, text) in fields.into_iter().filter(|(_, text)| !text.is_empty()) {
        entry[key] = json!(text);
    }
    entry
}

/// Findings as the `checks` object.
pub fn checks(findings: &[Finding]) -> Value {
    let entries: BTreeMap<&str, Value> = findings.iter().map(|f| (f.name.as_str(), entry(f))).collect();
    json!(entries)
}

/// Parameters of a run's law by name, at the first flow's port.
pub fn law_table(run: &Run) -> Vec<(&'static str, Value)> {
    let fault = |error: String| vec![("error", json!(error))];
    let port = run.outcome.port.unwrap_or_else(|| run.job.port());
    let mut table = run.job.law.parameters(&port).unwrap_or_else(fault);
    match run.job.config.window {
        WindowRule::Fixed(_) => {}
        WindowRule::LargestPair => table.push(("t_of", json!("the two hosts farthest apart"))),
        WindowRule::OwnPair => table.push(("t_of", json!("each flow's own hosts; here of the first flow"))),
    }
    table
}

/// What made a result: program, command line, the scenario as it ran, its files, its law.
fn provenance(run: &Run) -> Value {
    let job = &run.job;
    let law: Map<String, Value> = law_table(run)
        .into_iter()
        .map(|(key, value)| (key.into(), value))
        .collect();
    provenance::entry(json!({
        "scenario": job.resolved,
        "inputs": job.inputs.iter().map(|file| file.entry()).collect::<Vec<_>>(),
        "seed": job.seed,
        "law": {"name": job.law.name, "parameters": law},
    }))
}

/// `summary.json`.
pub fn summary(run: &Run, findings: &[Finding]) -> Value {
    let mut all = whole_summary(run, findings);
    if !run.job.collectives.is_empty() {
        all["collectives"] = collectives::entry(run);
    }
    all
}

fn whole_summary(run: &Run, findings: &[Finding]) -> Value {
    let (job, outcome, counters) = (&run.job, &run.outcome, &run.outcome.counters);
    let finished = outcome.records.iter().filter(|r| r.finished_ps.is_some()).count();
    json!({
        "scenario": job.name,
        "label": job.label,
        "law": job.law.name,
        "fidelity": job.fidelity.name(),
        "seed": job.seed,
        "simulated_ns": outcome.now_ps.saturating_sub(job.origin_ps) / 1000,
        "flows": outcome.flows.len(),
        "finished": finished,
        "packets": counters.data_packets,
        "packet_hops": counters.packet_hops,
        "events": counters.events,
        "wall_s": run.wall_s,
        "cpu_s": run.cpu_s,
        "provenance": provenance(run),
        "packets_per_wall_s": counters.data_packets as f64 / run.wall_s.max(1e-9),
        "packet_hops_per_wall_s": counters.packet_hops as f64 / run.wall_s.max(1e-9),
        "peak_packets_in_flight": outcome.peak_packets,
        "drops": counters.drops,
        "losses": counters.losses,
        "timeouts": counters.timeouts,
        "naks": counters.naks,
        "early": counters.early,
        "acks_sent": counters.acks_sent,
        "grants": counters.grants,
        "probes": counters.probes,
        "responses": counters.responses,
        "notifications": counters.notifications,
        "marked": counters.marked,
        "int_full": counters.int_full,
        "series_full_ns": outcome.samples.full_ps.map(|ps| ps.saturating_sub(job.origin_ps) / 1000),
        "retransmitted_bytes": outcome.records.iter().map(|r| r.retransmitted_bytes).sum::<u64>(),
        "pauses": counters.pauses,
        "paused_ns": counters.paused_ps / 1000,
        "queue_bytes": {
            "busy_ports": queue_percentiles(&outcome.samples.busy),
            "all_ports": queue_percentiles(&all_queues(outcome)),
            "to_host": queue_percentiles(&outcome.samples.to_host),
            "fabric": queue_percentiles(&outcome.samples.fabric),
            "rack_switches": queue_percentiles(&outcome.samples.racks),
        },
        "slowdown": slowdown_percentiles(run),
        "numbers": numbers::entry(run),
        "checks": checks(findings),
    })
}

/// A file of several runs: the first column is the run's label.
fn joined(runs: &[Run], file: impl Fn(&Outcome) -> String) -> String {
    joined_runs(runs, |run| file(&run.outcome))
}

fn joined_runs(runs: &[Run], file: impl Fn(&Run) -> String) -> String {
    let mut all = String::new();
    for run in runs {
        let text = file(run);
        let label = run.label();
        let label = match label.contains([',', '"']) {
            true => format!("\"{}\"", label.replace('"', "\"\"")),
            false => label.to_string(),
        };
        for (index, line) in text.lines().enumerate() {
            if index > 0 {
                let _ = writeln!(all, "{label},{line}");
            } else if all.is_empty() {
                let _ = writeln!(all, "run,{line}");
            }
        }
    }
    all
}

/// Writes the files of a comparison: tables with a column for the run, and the first run's summary with the findings.
pub fn write_runs(dir: &OutDir, runs: &[Run], findings: &[Finding]) -> Result<(), String> {
    dir.write("flows.csv", joined(runs, flows_csv).as_bytes())?;
    dir.write("queues.csv", joined(runs, queues_csv).as_bytes())?;
    dir.write("rates.csv", joined(runs, rates_csv).as_bytes())?;
    if runs.iter().any(|run| run.job.plan.meter_ps > 0) {
        dir.write("ports.csv", joined(runs, ports_csv).as_bytes())?;
        dir.write("goodput.csv", joined(runs, goodput_csv).as_bytes())?;
    }
    if runs.iter().any(|run| !run.job.collectives.is_empty()) {
        dir.write("collectives.csv", joined_runs(runs, collectives::steps_csv).as_bytes())?;
    }
    dir.write("numbers.csv", numbers::numbers_csv(runs).as_bytes())?;
    let groups = numbers::Group::all(runs);
    if groups.iter().any(|group| group.runs.len() > 1) {
        dir.write("intervals.csv", numbers::intervals_csv(&groups).as_bytes())?;
        dir.write("differences.csv", numbers::differences_csv(&groups).as_bytes())?;
    }
    match runs.first() {
        Some(first) => write_summary(dir, first, findings),
        None => Ok(()),
    }
}

fn write_summary(dir: &OutDir, run: &Run, findings: &[Finding]) -> Result<(), String> {
    let summary = serde_json::to_string_pretty(&summary(run, findings)).map_err(|e| e.to_string())?;
    dir.write("summary.json", format!("{summary}\n").as_bytes())
}

/// Writes the files of a run: four, and two more where meters ran.
pub fn write_run(dir: &OutDir, run: &Run, findings: &[Finding]) -> Result<(), String> {
    dir.write("flows.csv", flows_csv(&run.outcome).as_bytes())?;
    dir.write("queues.csv", queues_csv(&run.outcome).as_bytes())?;
    dir.write("rates.csv", rates_csv(&run.outcome).as_bytes())?;
    if run.job.plan.meter_ps > 0 {
        dir.write("ports.csv", ports_csv(&run.outcome).as_bytes())?;
        dir.write("goodput.csv", goodput_csv(&run.outcome).as_bytes())?;
    }
    if !run.job.collectives.is_empty() {
        dir.write("collectives.csv", collectives::steps_csv(run).as_bytes())?;
    }
    dir.write(
        "numbers.csv",
        numbers::numbers_csv(std::slice::from_ref(run)).as_bytes(),
    )?;
    write_summary(dir, run, findings)
}
