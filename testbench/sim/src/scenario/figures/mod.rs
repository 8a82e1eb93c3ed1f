//! What a scenario's runs show: figures, and findings beside the paper's sentences.

mod analysis;
mod beside;
mod classes;
mod design;
mod feedback;
mod hcc;
mod laws;
mod lemma;
mod load;
mod mice;
mod micro;
mod power;
mod precision;
mod probes;
mod reduction;
mod replicas;
mod seeds;
mod series;
mod spread;
mod testbed;

use crate::plan::{Finding, Run};
use crate::plot::{Figure, Panel};

pub use analysis::Analysis;
pub use lemma::lemma_a2;
pub use series::{by_size, goodput, queue_cdf, queue_series, rate_series, window_series};

/// Analyses the runs of a scenario. `figure` is the scenario's; unknown or none: the general one.
pub fn analyse(name: &str, title: &str, figure: Option<&str>, runs: &[Run]) -> Result<Analysis, String> {
    let mut analysis = match figure {
        Some("fig6") => micro::fig6(runs),
        Some("fig9ab") => micro::long_short(runs),
        Some("fig9cd") => micro::incast(runs),
        Some("fig9e") => micro::mice_latency(runs),
        Some("fig9f") => micro::mice_queue(runs),
        Some("fig9gh") => micro::fairness(runs),
        Some("fig10") => testbed::fig10(runs),
        Some("fig11") => load::fig11(runs),
        Some("fig12") => load::fig12(runs),
        Some("hpcc-cubic") => beside::hpcc_beside_tcp(runs),
        Some("hpcc-tcp") => probes::hpcc_on_tcp(runs),
        Some("hpcc-formats") => feedback::formats(runs),
        Some("hpcc-sampling") => feedback::sampling(runs),
        Some("hpcc-feedback") => feedback::carriers(runs),
        Some("hpcc-receiver") => feedback::receiver(runs),
        Some("hpcc-counting") => feedback::counting(runs),
        Some("hpcc-classes") => classes::idle_class(runs),
        Some("hpcc-mice") => mice::mice(runs),
        Some("fig13") => design::fig13(runs),
        Some("fig14") => design::fig14(runs),
        Some("hcc-web") => hcc::web(runs),
        Some("hcc-grpc") => hcc::grpc(runs),
        Some("hcc-overhead") => hcc::overhead(runs),
        Some("hcc-ablation") => hcc::ablation(runs),
        Some("hcc-hosts") => hcc::hosts(runs),
        Some("hcc-joining") => hcc::joining(runs),
        Some("power-phase") => power::phase(runs),
        Some("power-incast") => power::incast(runs),
        Some("power-fairness") => power::fairness(runs),
        Some("power-load") => power::load(runs),
        Some("power-loads") => power::loads(runs),
        Some("power-rates") => power::rates(runs),
        Some("power-sizes") => power::sizes(runs),
        Some("power-circuits") => power::circuits(runs),
        Some("homa-incast") => power::homa_incast(runs),
        Some("homa-fairness") => power::homa_fairness(runs),
        Some("fixed-cost") => precision::fixed_cost(runs),
        Some("four-laws") => laws::four_laws(runs),
        Some("lemma") => lemma::network(runs),
        Some(other) => return Err(format!("figure: expected one that is known, got `{other}`")),
        None => general(runs),
    };
    if figure.is_some() && runs.len() <= MANY_RUNS {
        analysis.overview = general(runs).figures;
        for figure in &mut analysis.overview {
            figure.title = "Overview".into();
        }
    }
    for figure in &mut analysis.figures {
        figure.title = title.into();
        if figure.name.is_empty() {
            figure.name = name.into();
        }
    }
    let open_ended = figure.is_some_and(|f| OPEN_ENDED.contains(&f));
    if runs.len() > MANY_RUNS {
        let count = |run: &Run| run.outcome.records.iter().filter(|r| r.finished_ps.is_none()).count();
        let open: usize = runs.iter().map(count).sum();
        let flows: usize = runs.iter().map(|run| run.outcome.records.len()).sum();
        let ours = format!("{} of {flows} in {} runs", flows - open, runs.len());
        let open_ended = open_ended || runs.iter().all(|run| !run.job.drains);
        analysis.findings.push(if open_ended && open > 0 {
            Finding::note("flows_finished", "", ours)
        } else {
            Finding::new("flows_finished", "", ours, open == 0)
        });
        return Ok(analysis);
    }
    for run in runs {
        let open_ended = open_ended || !run.job.drains;
        let records = &run.outcome.records;
        let finished = records.iter().filter(|r| r.finished_ps.is_some()).count();
        let label = run.job.label.as_ref().map_or(String::new(), |l| format!("_{l}"));
        let name = format!("flows_finished{label}");
        analysis.findings.push(if open_ended && finished < records.len() {
            let ours = format!(
                "{finished} of {}; the run ends before the others on purpose",
                records.len()
            );
            Finding::note(&name, "", ours)
        } else {
            let ours = format!("{finished} of {}", records.len());
            Finding::new(&name, "", ours, finished == records.len() && finished > 0)
        });
        analysis.findings.extend(run.checks.iter().map(|check| Finding {
            name: format!("{}{label}", check.name),
            ..check.clone()
        }));
    }
    Ok(analysis)
}

/// More runs than this are not listed one by one.
const MANY_RUNS: usize = 16;

/// Figures whose long flows are cut off by the end of the run; with a law that is crippled on purpose some never end.
const OPEN_ENDED: [&str; 23] = [
    "power-circuits",
    "homa-incast",
    "power-phase",
    "power-incast",
    "hpcc-mice",
    "hpcc-counting",
    "hpcc-sampling",
    "hpcc-classes",
    "hpcc-cubic",
    "hpcc-tcp",
    "fig6",
    "fig9ab",
    "fig9cd",
    "fig9e",
    "fig9f",
    "fig14",
    "fixed-cost",
    "hcc-web",
    "hcc-grpc",
    "hcc-overhead",
    "hcc-ablation",
    "hcc-hosts",
    "hcc-joining",
];

/// Queue, rate and window of every flow that has a series, slowdown by size.
fn general(runs: &[Run]) -> Analysis {
    if let Some(figure) = replicas::figure(runs) {
        return Analysis {
            figures: vec![figure],
            ..Analysis::default()
        };
    }
    let mut panels = Vec::new();
    let label = |run: &Run| {
        if runs.len() > 1 {
            run.label().to_string()
        } else {
            String::new()
        }
    };
    let queues: Vec<_> = runs
        .iter()
        .filter_map(|r| series::busiest_queue(r).map(|l| l.named(label(r))))
        .collect();
    if !queues.is_empty() {
        panels.push(Panel {
            lines: queues,
            ..series::queue_panel("busiest queue")
        });
    }
    if let [run] = runs {
        let few = run.outcome.flows.len() <= 64;
        if few {
            let title = format!("{} flows", run.outcome.flows.len());
            panels.push(Panel {
                title: format!("pacing rate, {title}"),
                x: "time (us)".into(),
                y: "rate (Gb/s)".into(),
                log_y: true,
                lines: spread::spread(rate_series(run)),
                ..Panel::default()
            });
            let lines = spread::spread(window_series(run));
            if lines.iter().any(|l| !l.points.is_empty()) {
                panels.push(Panel {
                    title: format!("window, {title}"),
                    x: "time (us)".into(),
                    y: "window (KB)".into(),
                    log_y: true,
                    lines,
                    ..Panel::default()
                });
            }
        }
    }
    let sizes = runs.iter().flat_map(|r| r.outcome.flows.iter().map(|f| f.bytes));
    if sizes.collect::<std::collections::BTreeSet<u64>>().len() > 1 {
        panels.push(series::slowdown_panel(runs, 99.0));
    }
    Analysis {
        figures: vec![Figure {
            panels,
            ..Figure::default()
        }],
        ..Analysis::default()
    }
}
