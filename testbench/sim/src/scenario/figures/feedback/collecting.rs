//! Telemetry formats, sampling and probes (HPCC++): what the bytes of a format cost, and what less feedback costs.

use super::mean_fct;
use crate::plan::{Finding, Run};
use crate::plot::{Line, Panel};
use crate::scenario::figures::analysis::Analysis;
use crate::scenario::figures::micro::figure;
use crate::scenario::figures::series::queue_cdf;

/// Bytes of a full data packet behind one switch.
fn packet_bytes(run: &Run) -> f64 {
    let (config, framing) = (&run.job.config, &run.job.config.framing);
    f64::from(framing.data_header + config.mtu + framing.int_base + framing.int_per_hop)
}

/// The first run is Fig. 7's.
pub fn formats(runs: &[Run]) -> Analysis {
    let mut findings = Vec::new();
    let mut queues = Panel {
        title: "queues of all ports".into(),
        x: "queue (KB)".into(),
        y: "samples (%)".into(),
        distribution: true,
        ..Panel::default()
    };
    for run in runs {
        let (longer, slower) = (
            packet_bytes(run) / packet_bytes(&runs[0]),
            mean_fct(run) / mean_fct(&runs[0]),
        );
        let ours = format!(
            "a packet of {:.0} bytes, {longer:.3} of Fig. 7's; mean completion time {:.1} us, {slower:.3} of Fig. 7's; queue p99 {:.1} KB, {} drops",
            packet_bytes(run),
            mean_fct(run),
            run.outcome.samples.to_host.percentile(99.0) as f64 / 1e3,
            run.outcome.counters.drops
        );
        let name = format!("cost_of_{}", run.label());
        let finding = Finding::new(&name, "", ours, (slower / longer - 1.0).abs() <= 0.03);
        findings.push(finding.within("completion times grow as packets do, within 3 %"));
        queues.lines.push(queue_cdf(run.label(), &run.outcome.samples.to_host));
    }
    Analysis {
        figures: figure(vec![queues]),
        findings,
        ..Analysis::default()
    }
}

/// Goodput of all flows over the last interval between samples of the series, Gb/s.
fn goodput(run: &Run) -> f64 {
    let points = run.flow_points();
    let mut times: Vec<u64> = points.iter().map(|p| p.t_ps).collect();
    times.dedup();
    let [first, .., last] = times[..] else { return 0.0 };
    let total = |at: u64| {
        points
            .iter()
            .filter(|p| p.t_ps == at)
            .map(|p| p.delivered_bytes)
            .sum::<u64>() as f64
    };
    (total(last) - total(first)) * 8e3 / (last - first) as f64
}

/// Wire bytes of probes over all that a bottleneck of `run` could carry meanwhile.
fn probe_share(run: &Run) -> f64 {
    let seconds = run.outcome.now_ps as f64 / 1e12;
    let line = run.job.port().line_rate_bps as f64;
    run.outcome.counters.probe_bytes as f64 * 8.0 / seconds / line
}

/// Largest share that the rule allows: one probe of a flow for each `T`, and one for each `probe_packets` data packets.
fn probe_bound(run: &Run) -> Option<f64> {
    let rule = run.job.config.probes?;
    let flows = run.outcome.flows.len() as f64;
    let line = run.job.port().line_rate_bps as f64;
    let counters = &run.outcome.counters;
    let bytes = counters.probe_bytes as f64 / (counters.probes as f64).max(1.0);
    let by_time = flows * bytes * 8.0 / (rule.interval_ps as f64 / 1e12) / line;
    let by_packets = (counters.data_packets as f64 / f64::from(rule.packets) + flows)
        / (counters.probes as f64).max(1.0)
        * probe_share(run);
    Some(by_time.min(by_packets))
}

/// A run for each way to collect and number of flows; those labelled `inband` collect on every packet.
pub fn sampling(runs: &[Run]) -> Analysis {
    let panel = |title: &str, y: &str| Panel {
        title: title.into(),
        x: "flows".into(),
        y: y.into(),
        log_x: true,
        ..Panel::default()
    };
    let mut queues = Panel {
        log_y: true,
        ..panel(
            "99th percentile of the queue of busy ports",
            "queue (KB; 0.1 stands for less)",
        )
    };
    let mut rates = panel("goodput of all flows", "goodput (Gb/s)");
    let mut shares = panel("probes", "share of the line (%)");
    let mut findings = Vec::new();
    for run in runs {
        let label = run.label().split(" senders").next().unwrap_or_default().to_string();
        let flows = run.outcome.flows.len() as f64;
        let p99 = run.outcome.samples.busy.percentile(99.0);
        let rate = goodput(run);
        let probes = run.job.config.probes.map(|_| (&mut shares, probe_share(run) * 100.0));
        for (panel, value) in [(&mut queues, (p99 as f64 / 1e3).max(0.1)), (&mut rates, rate)]
            .into_iter()
            .chain(probes)
        {
            match panel.lines.iter_mut().find(|l| l.label == label) {
                Some(line) => line.points.push((flows, value)),
                None => panel.lines.push(Line {
                    marks: true,
                    ..Line::new(label.clone(), vec![(flows, value)])
                }),
            }
        }
        let ours = format!(
            "{rate:.1} Gb/s, queue p99 {:.1} KB, {} drops",
            p99 as f64 / 1e3,
            run.outcome.counters.drops
        );
        findings.push(Finding::note(&run.label().replace([' ', ','], "_"), "", ours));
        if let Some(bound) = probe_bound(run) {
            let ours = format!(
                "{:.2} % of the line, {:.2} % allowed; {} probes, {} responses dropped",
                probe_share(run) * 100.0,
                bound * 100.0,
                run.outcome.counters.probes,
                run.outcome.counters.probe_stray
            );
            let name = format!("probe_share_{}", run.label().replace([' ', ',', '='], "_"));
            let finding = Finding::new(&name, "", ours, probe_share(run) <= bound * 1.02);
            findings
                .push(finding.within("at most one for each T of a flow and one for its least number of data packets"));
        }
        let twin = runs.iter().find(|other| {
            label == "every 1"
                && other.job.config.sampling.is_none()
                && other.outcome.flows.len() == run.outcome.flows.len()
        });
        if let Some(twin) = twin {
            let same = twin.outcome.samples.flows == run.outcome.samples.flows
                && twin.outcome.counters == run.outcome.counters;
            findings.push(Finding::new(
                &format!("every_1_is_inband_{flows:.0}_flows"),
                "",
                if same { "identical".into() } else { "different".into() },
                same,
            ));
        }
    }
    Analysis {
        figures: figure(vec![queues, rates, shares]),
        findings,
        ..Analysis::default()
    }
}
