//! The law at the receiver against the law at the sender (draft-miao-ccwg-hpcc, 6.3.2): packets back, queue, completion times.

use super::{mean_fct, named, packets_back};
use crate::plan::{Finding, Run};
use crate::scenario::figures::analysis::Analysis;
use crate::scenario::figures::micro::figure;
use crate::scenario::figures::series::{busy_queues_panel, queue_cdf, queue_p99, slowdown_panel};
use hpcc_models::net::Carrier;

/// The first run is the sender's law. With flows of several sizes the slowdowns are drawn too.
pub fn receiver(runs: &[Run]) -> Analysis {
    let Some(sender) = runs.first() else {
        return Analysis::default();
    };
    let mut queues = busy_queues_panel();
    let mut findings = Vec::new();
    for run in runs {
        queues.lines.push(queue_cdf(run.label(), &run.outcome.samples.busy));
        let (fct, p99) = (mean_fct(run), queue_p99(run));
        let counters = &run.outcome.counters;
        let ours = format!(
            "mean completion time {fct:.1} us, queue p99 {p99:.1} KB, {} packets back for {} of data ({} windows), {} drops, {} pauses",
            packets_back(run),
            counters.data_packets,
            counters.notifications,
            counters.drops,
            counters.pauses
        );
        findings.push(Finding::note(&format!("seen_{}", named(run)), "", ours));
        let Carrier::Receiver { after_queue } = run.job.config.feedback.carrier else {
            continue;
        };
        let fewer = packets_back(sender) as f64 / packets_back(run).max(1) as f64;
        let finding = Finding::new(
            &format!("fewer_packets_back_{}", named(run)),
            "the receiver sends fewer packets back than an ACK for each packet",
            format!("{fewer:.1} times fewer than from the sender's law"),
            fewer > 1.0,
        );
        findings.push(finding);
        let (slower, longer) = (fct / mean_fct(sender), p99 / queue_p99(sender).max(0.1));
        let finding = Finding::new(
            &format!("as_good_{}", named(run)),
            "",
            format!("completion time {slower:.3} and queue p99 {longer:.2} of the sender's law"),
            (slower - 1.0).abs() <= 0.05 && longer <= 1.2,
        );
        let reason = if after_queue {
            "a full update waits for the queue as well, so several packets of the same state arrive first and the next cut comes later than at a \
             sender, whose clock is the sequence number of what it sent after the last one"
        } else {
            "fast reactions stay at the receiver, so a sender hears of congestion up to one T later; and line 29 waits for T only: while a queue \
             makes the round trip longer, the receiver divides several times before its first cut can be seen"
        };
        findings.push(
            finding
                .within("completion time within 5 %, queue p99 at most 1.2 times")
                .known_difference((0.5..=2.0).contains(&slower) && longer <= 3.0, reason),
        );
    }
    let mut panels = vec![queues];
    let sizes = sender.outcome.flows.iter().map(|f| f.bytes);
    if sizes.collect::<std::collections::BTreeSet<u64>>().len() > 1 {
        panels.push(slowdown_panel(runs, 50.0));
        panels.push(slowdown_panel(runs, 99.0));
    }
    Analysis {
        figures: figure(panels),
        findings,
        ..Analysis::default()
    }
}
