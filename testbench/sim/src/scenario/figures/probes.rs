//! HPCC on probes under TCP hosts (draft-miao-ccwg-hpcc, 7.2) beside TCP's laws and beside HPCC's own hosts: goodput, what waits, what is lost.

use hpcc_models::measure::jain;
use hpcc_models::net::tcp::TcpLaw;

use super::analysis::Analysis;
use super::micro::figure;
use super::series::{busiest_queue, busy_queues_panel, queue_cdf, queue_p99, queue_panel};
use crate::plan::laws::LawKind;
use crate::plan::{Finding, Run};

/// Goodput of each flow between the first sample and the last, Gb/s.
fn goodputs(run: &Run) -> Vec<f64> {
    let points = run.flow_points();
    let rate = |flow: u32| {
        let mut own = points.iter().filter(|p| p.flow == flow);
        let (Some(first), Some(last)) = (own.next(), own.next_back()) else {
            return 0.0;
        };
        (last.delivered_bytes - first.delivered_bytes) as f64 * 8e3 / (last.t_ps - first.t_ps) as f64
    };
    (0..run.outcome.flows.len() as u32).map(rate).collect()
}

/// One run for each law.
pub fn hpcc_on_tcp(runs: &[Run]) -> Analysis {
    let mut findings = Vec::new();
    let mut over_time = queue_panel("queue of the shared port");
    let mut queues = busy_queues_panel();
    let ours = runs.iter().find(|r| r.job.law.kind == LawKind::Tcp(TcpLaw::HpccProbes));
    for run in runs {
        let shares = goodputs(run);
        let c = run.outcome.counters;
        let total: f64 = shares.iter().sum();
        let text = format!(
            "goodput {total:.1} Gb/s, Jain's index {:.3}, queue p99 {:.1} KB, {} drops, {} timeouts, {} probes",
            jain(&shares),
            queue_p99(run),
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
                fills && jain(&shares) > 0.95,
            )
        } else {
            Finding::note(&format!("beside_{name}"), "", text)
        });
        if let (Some(ours), LawKind::Tcp(law)) = (ours, run.job.law.kind) {
            if law != TcpLaw::HpccProbes {
                let text = format!("{:.1} KB against {:.1}", queue_p99(ours), queue_p99(run));
                let name = format!("shorter_queue_than_{name}");
                findings.push(Finding::new(&name, "", text, queue_p99(ours) < queue_p99(run)));
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
