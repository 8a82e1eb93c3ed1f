//! HOMA beside PowerTCP (Fig. 4(e)), and at several degrees of overcommitment (Fig. 9 to 11).

use super::super::analysis::Analysis;
use super::fairness::{goodput_panel, indices};
use super::seen::{measure, Seen, NEAR_ZERO_KB};
use super::slug;
use crate::plan::{Finding, Run};
use crate::plot::Figure;
use hpcc_models::measure::mean;

/// Part of the rate before that counts as sustained in the worst 100 us.
const SUSTAINED: f64 = 0.95;

/// Why HOMA's queue is no higher than PowerTCP's where 255 senders answer at once.
const FIRST_WINDOWS: &str = "both let every sender send a bandwidth-delay product before anything comes back: the peak is made of these bytes, and \
                             only what follows differs";

/// HOMA's column of Fig. 4: the paper's sentences about it.
pub fn beside_power(homa: &Seen, power: &Seen, large: bool) -> Vec<Finding> {
    let mut findings = vec![
        Finding::new(
            "homa_sustains_throughput",
            "HOMA sustains throughput",
            format!("{:.1} % of the rate before in the worst 100 us", homa.kept() * 100.0),
            homa.kept() >= SUSTAINED,
        )
        .within("95 % or more in every 100 us"),
        Finding::new(
            "homa_does_not_control_the_queue",
            "HOMA does not accurately control bottleneck queue lengths",
            homa.text(),
            homa.late > NEAR_ZERO_KB && homa.late > 5.0 * power.late,
        )
        .within("more than a quarter of a bandwidth-delay product and five times PowerTCP's mean queue from 2 to 4 ms"),
    ];
    if large {
        let more = homa.peak - power.peak;
        findings.push(
            Finding::new(
                "homa_reaches_a_higher_queue",
                "HOMA reaches approximately 500 KB higher queue lengths compared to PowerTCP",
                format!("{:.0} against {:.0} KB: {more:+.0} KB", homa.peak, power.peak),
                (250.0..=1_000.0).contains(&more),
            )
            .within("250 to 1000 KB more")
            .known_difference(more.abs() < 250.0, FIRST_WINDOWS),
        );
    }
    findings
}

/// Fig. 10 and 11: the incasts of Fig. 4 at several degrees of overcommitment, in ascending order.
pub fn incast_of(runs: &[Run]) -> Analysis {
    let (seen, figure) = measure(runs);
    let mut findings = Vec::new();
    for (run, s) in &seen {
        findings.push(
            Finding::new(
                &format!("{}_sustains_throughput", slug(run.label())),
                "HOMA sustains throughput and does not accurately control bottleneck queue lengths",
                s.text(),
                s.kept() >= SUSTAINED && s.late > NEAR_ZERO_KB,
            )
            .within("95 % of the rate before or more in every 100 us; more than a quarter of a bandwidth-delay product from 2 to 4 ms"),
        );
    }
    if let Some((_, one)) = seen.first() {
        let late: Vec<String> = seen.iter().map(|(_, s)| format!("{:.0}", s.late)).collect();
        findings.push(
            Finding::new(
                "one_is_the_best",
                "HOMA performed best at over-commitment 1",
                format!("mean queue from 2 to 4 ms at 1, 2, ...: {} KB", late.join(", ")),
                seen.iter().all(|(_, s)| s.late >= one.late),
            )
            .within("no degree has a smaller mean queue from 2 to 4 ms than 1"),
        );
    }
    Analysis {
        figures: vec![figure],
        findings,
        ..Analysis::default()
    }
}

/// Fig. 9: the flows of Fig. 5 at several degrees of overcommitment.
pub fn fairness_of(runs: &[Run]) -> Analysis {
    let mut panels = Vec::new();
    let mut findings = Vec::new();
    for run in runs {
        let found: Vec<f64> = indices(run).iter().map(|f| f.1).collect();
        let lowest = found.iter().copied().fold(1.0, f64::min);
        findings.push(Finding::note(
            &format!("{}_shares", slug(run.label())),
            "HOMA's fairness and stability at different over-commitment levels",
            format!(
                "Jain index of {} whole milliseconds, from 1 ms after a flow joined or left: lowest {lowest:.3}, mean {:.3}",
                found.len(),
                mean(&found)
            ),
        ));
        panels.push(goodput_panel(run));
    }
    Analysis {
        figures: vec![Figure {
            panels,
            ..Figure::default()
        }],
        findings,
        ..Analysis::default()
    }
}
