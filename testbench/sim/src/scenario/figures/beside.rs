//! HPCC beside TCP in one queue, and in two classes: who gets the link, and what waits.
//!
//! INT counts everything that a port sends and everything that waits (HPCC paper, 3.2), so HPCC takes what TCP leaves.

use hpcc_models::measure::mean;

use super::analysis::Analysis;
use super::micro::figure;
use super::series::{busiest_queue, goodput, queue_panel, sampled};
use crate::plan::Finding;
use crate::plan::Run;
use crate::plot::Panel;

/// Bin of goodput, us.
const BIN_US: f64 = 250.0;

/// Flow 0 is HPCC's, flow 1 TCP's.
pub fn hpcc_beside_tcp(runs: &[Run]) -> Analysis {
    let mut panels = Vec::new();
    let mut findings = Vec::new();
    let mut queues = queue_panel("queue of the shared port");
    for run in runs {
        let join = run.outcome.flows[1].start_ps as f64 / 1e6;
        let end = run.outcome.records[1].finished_ps.unwrap_or(run.outcome.now_ps) as f64 / 1e6;
        let lines = goodput(run, BIN_US);
        let share = |flow: u32, from: f64, to: f64| {
            let line = lines.get(&flow);
            line.map_or(0.0, |l| mean(&sampled(l, from, to, BIN_US)))
        };
        let (alone, beside) = (share(0, join / 2.0, join), share(0, join + (end - join) / 4.0, end));
        let tcp = share(1, join + (end - join) / 4.0, end);
        let label = run.label().to_lowercase();
        // In one queue HPCC takes what TCP leaves; in a class of its own it keeps the half of the link that DWRR guarantees.
        let (name, holds) = if run.job.config.classes.is_some() {
            (format!("keeps_its_half_beside_{label}"), beside > 0.9 * alone / 2.0)
        } else {
            (format!("yields_to_{label}"), beside < 0.5 * alone && tcp > beside)
        };
        let ours = format!(
            "HPCC {alone:.1} Gb/s alone, {beside:.1} beside {tcp:.1} of {}",
            run.label()
        );
        findings.push(Finding::new(&name.replace(' ', "_"), "", ours, holds));
        if let Some(end_line) = run.outcome.records[1].finished_ps {
            let after = end_line as f64 / 1e6 + 4.0 * BIN_US;
            let again = share(0, after, run.outcome.now_ps as f64 / 1e6 - BIN_US);
            findings.push(Finding::new(
                &format!("takes_the_link_back_from_{label}").replace(' ', "_"),
                "",
                format!("HPCC {again:.1} Gb/s from 1 ms after the end of {}", run.label()),
                again > 0.9 * alone,
            ));
        }
        let name = |flow: u32| if flow == 0 { "HPCC" } else { run.label() };
        panels.push(Panel {
            title: format!("goodput beside {}", run.label()),
            x: "time (us)".into(),
            y: "goodput (Gb/s)".into(),
            lines: lines.into_iter().map(|(flow, line)| line.named(name(flow))).collect(),
            ..Panel::default()
        });
        queues.lines.extend(busiest_queue(run).map(|l| l.named(run.label())));
    }
    panels.push(queues);
    Analysis {
        figures: figure(panels),
        findings,
        ..Analysis::default()
    }
}
