//! What brings telemetry back: each ACK, an ACK for m packets, a packet of its own, or the receiver's windows (draft-miao-ccwg-hpcc, 6.2.2).

use super::{mean_fct, named, packets_back};
use crate::plan::{Finding, Run};
use crate::plot::Panel;
use crate::scenario::figures::analysis::Analysis;
use crate::scenario::figures::micro::figure;
use crate::scenario::figures::series::{busy_queues_panel, queue_cdf, queue_p99, window_series};
use hpcc_models::measure::mean;
use hpcc_models::net::Carrier;

/// Mean over flows and samples of how far the windows of two runs lie apart, relative to those of the second.
fn window_distance(run: &Run, reference: &Run) -> Option<f64> {
    let (a, b) = (window_series(run), window_series(reference));
    let mut apart = Vec::new();
    for (own, theirs) in a.iter().zip(&b) {
        // Both are sampled at the same times as long as both flows run.
        let pairs = own.points.iter().zip(&theirs.points).filter(|(x, y)| x.0 == y.0);
        apart.extend(pairs.map(|(x, y)| (x.1 / y.1.max(1e-3) - 1.0).abs()));
    }
    (!apart.is_empty()).then(|| mean(&apart))
}

fn same_network(a: &Run, b: &Run) -> bool {
    a.job.topology.links == b.job.topology.links
}

/// Whether a run's windows are those of the first run. The yardstick for what small changes of time do is the run whose links are longer by less
/// than the difference between one packet back and two.
fn windows_alike(run: &Run, runs: &[Run]) -> Option<Finding> {
    let reference = &runs[0];
    let apart = window_distance(run, reference)?;
    let shifted = runs.iter().find(|r| !same_network(r, reference));
    let shifted = shifted.and_then(|r| window_distance(r, reference));
    let ours = format!(
        "windows {:.1} % from those with `ack` on average; with `ack` and links that are 4 ns longer {}",
        apart * 100.0,
        shifted.map_or("not known".into(), |d| format!("{:.1} %", d * 100.0))
    );
    let paper = "a notification for each packet is the same feedback by another carrier";
    let finding = Finding::new(&format!("windows_of_{}", named(run)), paper, ours, apart <= 0.05);
    let finding = finding.within("within 5 %").known_difference(
        shifted.is_some_and(|d| apart <= 1.5 * d),
        "two packets back in place of one take 7 ns more, and windows under an incast move as far apart when every link is 4 ns longer",
    );
    Some(finding)
}

/// The first run is the paper's: telemetry on the ACK of each packet.
pub fn carriers(runs: &[Run]) -> Analysis {
    let Some(reference) = runs.first() else {
        return Analysis::default();
    };
    let mut queues = busy_queues_panel();
    let mut windows = Panel {
        title: "window of flow 0".into(),
        x: "time (us)".into(),
        y: "window (KB)".into(),
        log_y: true,
        ..Panel::default()
    };
    let mut findings = Vec::new();
    for run in runs {
        let ours = format!(
            "mean completion time {:.1} us, queue p99 {:.1} KB, {} packets back for {} of data, {} timeouts",
            mean_fct(run),
            queue_p99(run),
            packets_back(run),
            run.outcome.counters.data_packets,
            run.outcome.counters.timeouts
        );
        findings.push(Finding::note(&format!("cost_of_{}", named(run)), "", ours));
        queues.lines.push(queue_cdf(run.label(), &run.outcome.samples.busy));
        windows
            .lines
            .extend(window_series(run).into_iter().next().map(|l| l.named(run.label())));
        let feedback = run.job.config.feedback;
        if std::ptr::eq(run, reference) {
            continue;
        }
        if feedback.carrier == Carrier::Ack && feedback.ack_every == 1 && same_network(run, reference) {
            let same = run.outcome.counters == reference.outcome.counters
                && run.outcome.records == reference.outcome.records
                && run.outcome.samples.flows == reference.outcome.samples.flows;
            let ours = if same { "identical" } else { "different" };
            findings.push(Finding::new("coalesced_by_one_is_ack", "", ours.into(), same));
        }
        if feedback.carrier == Carrier::Notification {
            findings.extend(windows_alike(run, runs));
        }
        let slower = mean_fct(run) / mean_fct(reference);
        if feedback.ack_every > 1 || matches!(feedback.carrier, Carrier::Receiver { .. }) {
            let fewer = packets_back(reference) as f64 / packets_back(run).max(1) as f64;
            let ours = format!("{fewer:.1} times fewer packets back, completion time {slower:.3} of `ack`");
            findings.push(Finding::new(
                &format!("fewer_packets_back_with_{}", named(run)),
                "not all ACK packets need to be sent",
                ours,
                fewer > 1.0,
            ));
        }
    }
    Analysis {
        figures: figure(vec![queues, windows]),
        findings,
        ..Analysis::default()
    }
}
