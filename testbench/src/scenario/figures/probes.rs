//! HPCC on probes under TCP hosts (draft-miao-ccwg-hpcc, 7.2) beside TCP's laws and beside HPCC's own hosts: goodput, what waits, what is lost.

use hpcc_models::net::tcp::TcpLaw;

use super::analysis::Analysis;
use super::micro::figure;
use super::series::{busiest_queue, queue_cdf, queue_panel};
use crate::plan::laws::LawKind;
use crate::plan::{Finding, Run};
use crate::report::plot::Panel;

/// Goodput of each flow between the first sample and the last, Gb/s.
fn goodputs(run: &Run) -> Vec<f64> {
    let points = &run.outcome.samples.flows;
    let rate = |flow: u32| {
        let mut own = points.iter().filter(|p| p.flow == flow);
        let (Some(first), Some(last)) = (own.next(), own.next_back()) else {
            return 0.0;
        };
        (last.delivered_bytes - first.delivered_bytes) as f64 * 8e3 / (last.t_ps - first.t_ps) as f64
    };
    (0..run.outcome.flows.len() as u32).map(rate).collect()
}

/// Jain's index.
fn fairness(shares: &[f64]) -> f64 {
    let (sum, squares) = (shares.iter().sum::<f64>(), shares.iter().map(|s| s * s).sum::<f64>());
    sum * sum / (squares * shares.len() as f64).max(f64::MIN_POSITIVE)
}

/// 99th percentile of the queue of busy ports, KB.
fn queue(run: &Run) -> f64 {
    run.outcome.samples.busy.percentile(99.0) as f64 / 1e3
}

/// One run for each law.
pub fn hpcc_on_tcp(runs: &[Run]) -> Analysis {
    let mut findings = Vec::new();
    let mut over_time = queue_panel("queue of the shared port");
    let mut queues = Panel {
        title: "queues of busy ports".into(),
        x: "queue (KB)".into(),
        y: "samples (%)".into(),
        distribution: true,
        ..Panel::default()
    };
    let ours = runs.iter().find(|r| r.job.law.kind == LawKind::Tcp(TcpLaw::HpccProbes));
    for run in runs {
        let shares = goodputs(run);
        let c = run.outcome.counters;
        let total: f64 = shares.iter().sum();
        let text = format!(
            "goodput {total:.1} Gb/s, Jain's index {:.3}, queue p99 {:.1} KB, {} drops, {} timeouts, {} probes",
            fairness(&shares),
            queue(run),
            c.drops,
            c.timeouts,
            c.probes
        );
        let name = run.label().to_lowercase().replace(' ', "_");
        findings.push(if run.job.law.kind.runs_hpcc() {
            // 95 % of a link whose packets are headers to a twentieth at the most.
            let fills = total > 0.85 * run.job.port().line_rate_bps as f64 / 1e9;
            Finding::new(
                &format!("fills_the_link_{name}"),
                "",
                text,
                fills && fairness(&shares) > 0.95,
            )
        } else {
            Finding::note(&format!("beside_{name}"), "", text)
        });
        if let (Some(ours), LawKind::Tcp(law)) = (ours, run.job.law.kind) {
            if law != TcpLaw::HpccProbes {
                let text = format!("{:.1} KB against {:.1}", queue(ours), queue(run));
                let name = format!("shorter_queue_than_{name}");
                findings.push(Finding::new(&name, "", text, queue(ours) < queue(run)));
            }
        }
        over_time.lines.extend(busiest_queue(run).map(|l| l.named(run.label())));
        queues.lines.push(queue_cdf(run.label(), &run.outcome.samples.busy));
    }
    Analysis {
        figures: figure(vec![queues, over_time]),
        findings,
        ..Analysis::default()
    }
}
