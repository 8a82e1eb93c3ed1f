//! Realistic load: Fig. 10 (testbed, WebSearch), Fig. 11 (fat tree, FB_Hadoop, all laws), Fig. 12 (flow control).

use hpcc_models::measure::{percentile, SizeClass};
use hpcc_models::net::QueueHistogram;

use super::analysis::Analysis;
use super::series::{queue_cdf, slowdown_panel};
use crate::plan::Finding;
use crate::plan::Run;
use crate::report::plot::{Figure, Line, Panel};
use crate::scenario::output::slowdowns;

const UNDER_3KB: SizeClass = SizeClass {
    name: "<3KB",
    above: 0,
    up_to: 3_000,
};
const UNDER_120KB: SizeClass = SizeClass {
    name: "<120KB",
    above: 0,
    up_to: 120_000,
};

fn find<'a>(runs: &'a [Run], part: &str) -> Option<&'a Run> {
    runs.iter().find(|r| r.label() == part)
}

fn all_queues(run: &Run) -> QueueHistogram {
    let mut all = run.outcome.samples.to_host.clone();
    all.merge(&run.outcome.samples.fabric);
    all
}

/// Smallest flows for which a class has enough: the class itself, or the smallest tenth of all flows.
fn short_p99(run: &Run, class: SizeClass) -> (f64, usize) {
    let values = slowdowns(&run.outcome, class);
    (percentile(&values, 99.0), values.len())
}

fn queue_panel(runs: &[Run]) -> Panel {
    Panel {
        title: "queue length, all switch ports".into(),
        x: "queue (KB)".into(),
        y: "samples (%)".into(),
        distribution: true,
        log_x: true,
        lines: runs.iter().map(queue_cdf).map(without_zero).collect(),
        ..Panel::default()
    }
}

/// A logarithmic axis has no 0: the first class is drawn at 0.1 KB.
fn without_zero(mut line: Line) -> Line {
    line.points.iter_mut().for_each(|p| p.0 = p.0.max(0.1));
    line
}

/// Fig. 10: HPCC and DCQCN at two loads; labels `hpcc 30%` and so on.
pub fn fig10(runs: &[Run]) -> Analysis {
    let mut findings = Vec::new();
    let paper = [("30%", 11.2, 2.38), ("50%", 53.9, 2.70)];
    for (load, paper_dcqcn, paper_hpcc) in paper {
        let (Some(hpcc), Some(dcqcn)) = (
            find(runs, &format!("hpcc {load}")),
            find(runs, &format!("dcqcn {load}")),
        ) else {
            continue;
        };
        let ((h, n), (d, _)) = (short_p99(hpcc, UNDER_3KB), short_p99(dcqcn, UNDER_3KB));
        findings.push(Finding::new(
            &format!("short_flows_p99_{load}"),
            &format!("99th-percentile slowdown of flows under 3 KB from {paper_dcqcn} (DCQCN) to {paper_hpcc} (HPCC)"),
            format!("{d:.2} (DCQCN), {h:.2} (HPCC), {n} flows"),
            h < d / 2.0 && h < 2.0 * paper_hpcc,
        ));
    }
    if let (Some(hpcc), Some(dcqcn)) = (find(runs, "hpcc 50%"), find(runs, "dcqcn 50%")) {
        let kb = |run: &Run, p: f64| all_queues(run).percentile(p) as f64 / 1e3;
        findings.push(Finding::new(
            "queues_50%",
            "median 0; 95th and 99th percentile 19.7 KB and 22.9 KB (HPCC), 1.1 MB and 2.1 MB (DCQCN)",
            format!(
                "median {:.1} KB; {:.1} and {:.1} KB (HPCC), {:.0} and {:.0} KB (DCQCN)",
                kb(hpcc, 50.0),
                kb(hpcc, 95.0),
                kb(hpcc, 99.0),
                kb(dcqcn, 95.0),
                kb(dcqcn, 99.0)
            ),
            kb(hpcc, 50.0) < 1.0 && kb(hpcc, 95.0) < 23.0 && kb(dcqcn, 99.0) > 4.0 * kb(hpcc, 99.0),
        ));
    }
    let mut panels: Vec<Panel> = [50.0, 95.0, 99.0].iter().map(|&p| slowdown_panel(runs, p)).collect();
    panels.push(queue_panel(runs));
    Analysis {
        figures: vec![Figure {
            panels,
            ..Figure::default()
        }],
        findings,
        ..Analysis::default()
    }
}

/// Share of port time spent paused, percent.
fn paused_percent(run: &Run) -> f64 {
    let span = run.outcome.now_ps.max(1) as f64 * run.outcome.ports as f64;
    run.outcome.counters.paused_ps as f64 / span * 100.0
}

/// 95th-percentile round-trip time of data packets, us.
fn rtt_us(run: &Run, p: f64) -> f64 {
    run.outcome.samples.rtt.percentile(p) as f64 / 1e3
}

/// Fig. 11: all laws on the fat tree.
pub fn fig11(runs: &[Run]) -> Analysis {
    let mut findings = Vec::new();
    let p95 = |run: &Run| percentile(&slowdowns(&run.outcome, UNDER_120KB), 95.0);
    let Some(hpcc) = find(runs, "hpcc") else {
        return Analysis::default();
    };
    let others: Vec<&Run> = runs.iter().filter(|r| r.label() != "hpcc").collect();
    let list = |value: &dyn Fn(&Run) -> String| {
        runs.iter()
            .map(|r| format!("{} {}", r.label(), value(r)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    findings.push(Finding::new(
        "short_flows_p95",
        "for flows shorter than 120 KB, HPCC achieves much lower FCTs than all the other schemes at 95th percentile",
        list(&|r| format!("{:.2}", p95(r))),
        others.iter().all(|r| p95(hpcc) < p95(r)),
    ));
    findings.push(Finding::new(
        "no_pauses_with_hpcc",
        "PFC pauses are not triggered with HPCC; large scale pauses only with DCQCN and TIMELY; a window reduces them to almost zero",
        list(&|r| format!("{} ({:.3} % of port time)", r.outcome.counters.pauses, paused_percent(r))),
        hpcc.outcome.counters.pauses == 0,
    ));
    findings.push(Finding::new(
        "tail_latency",
        "95th-percentile latency at 50% load is 19.8 us against a base RTT of 12 us; DCTCP's more than twice",
        list(&|r| format!("{:.1} us", rtt_us(r, 95.0))),
        rtt_us(hpcc, 95.0) < 25.0 && others.iter().all(|r| rtt_us(r, 95.0) > rtt_us(hpcc, 95.0)),
    ));
    let point = |i: usize, v: f64| (i as f64 + 1.0, v);
    let bars = |title: &str, y: &str, value: &dyn Fn(&Run) -> f64| Panel {
        title: title.into(),
        x: "run, in the order of the legend".into(),
        y: y.into(),
        lines: runs
            .iter()
            .enumerate()
            .map(|(i, r)| Line {
                marks: true,
                ..Line::new(r.label(), vec![point(i, 0.0), point(i, value(r))])
            })
            .collect(),
        ..Panel::default()
    };
    let panels = vec![
        slowdown_panel(runs, 95.0),
        bars("ports paused", "port time (%)", &paused_percent),
        bars(
            "latency of data packets, 95th percentile",
            "round-trip time (us)",
            &|r| rtt_us(r, 95.0),
        ),
        queue_panel(runs),
    ];
    Analysis {
        figures: vec![Figure {
            panels,
            ..Figure::default()
        }],
        findings,
        ..Analysis::default()
    }
}

/// Fig. 12: pause, go-back-N, IRN under HPCC and DCQCN.
pub fn fig12(runs: &[Run]) -> Analysis {
    let p95 = |run: &Run| percentile(&slowdowns(&run.outcome, SizeClass::ALL), 95.0);
    let of = |law: &str| -> Vec<&Run> { runs.iter().filter(|r| r.job.law.name == law).collect() };
    let spread = |law: &str| {
        let values: Vec<f64> = of(law).iter().map(|r| p95(r)).collect();
        let (low, high) = values
            .iter()
            .fold((f64::MAX, 0.0f64), |(a, b), &v| (a.min(v), b.max(v)));
        (low, high)
    };
    let list = |law: &str| {
        of(law)
            .iter()
            .map(|r| format!("{} {:.2}", r.label(), p95(r)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let ((h_low, h_high), (d_low, _)) = (spread("hpcc"), spread("dcqcn"));
    let findings = vec![
        Finding::new(
            "flow_control_does_not_matter_with_hpcc",
            "with HPCC, different flow control schemes do not affect the performance",
            list("hpcc"),
            h_high / h_low < 1.05,
        ),
        Finding::new(
            "dcqcn_does_not_match_hpcc_even_with_irn",
            "even with IRN, DCQCN still cannot match HPCC's performance",
            list("dcqcn"),
            d_low > h_high,
        ),
    ];
    let pick = |law: &str| Panel {
        title: format!("{law}: slowdown, 95th percentile"),
        ..slowdown_panel(&of(law).into_iter().cloned().collect::<Vec<_>>(), 95.0)
    };
    Analysis {
        figures: vec![Figure {
            panels: vec![pick("hpcc"), pick("dcqcn")],
            ..Figure::default()
        }],
        findings,
        ..Analysis::default()
    }
}
