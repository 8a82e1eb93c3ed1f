//! Fig. 4: flows join a long one at one receiver; queue and throughput of the receiver's port.

use super::super::analysis::Analysis;
use super::seen::{measure, NEAR_ZERO_KB, T_US};
use super::{homa, slug, AS_PRINTED, POWER, THETA};
use crate::plan::{Finding, Run};

/// What the authors' simulator (`inet-tub/ns3-datacenter` at ed1dfa86) did with its own files for the same two incasts: label here, largest
/// queue (KB), and time until a tenth of it was left (us). TIMELY's queue falls with the phase of its swings, so that its time says nothing.
const RECORDED: [[(&str, f64, Option<f64>); 5]; 2] = [
    [
        ("PowerTCP, authors", 317.2, Some(258.0)),
        ("theta-PowerTCP, authors", 225.6, Some(130.0)),
        ("HPCC", 547.2, Some(196.0)),
        ("TIMELY", 2376.0, None),
        ("DCQCN", 1626.5, Some(1908.0)),
    ],
    [
        ("PowerTCP, authors", 1702.8, Some(542.0)),
        ("theta-PowerTCP, authors", 917.9, Some(316.0)),
        ("HPCC", 1719.2, Some(546.0)),
        ("TIMELY", 2759.5, None),
        ("DCQCN", 1947.6, Some(664.0)),
    ],
];

/// Why theta-PowerTCP as printed keeps a queue here.
const LARGEST_TAU: &str = "tau is the largest base RTT of the network, 29 us, but these flows stay in one rack, where it is 4 us: \
                           theta-PowerTCP fills the difference with a queue of 77 KB; the authors' simulator takes the smallest RTT \
                           that a flow has seen in place of tau";

/// Why HPCC's peak is not twice PowerTCP's where 255 more senders answer at once.
const WHOLE_ANSWERS: &str =
    "the 255 answers of 2800 bytes are smaller than a window, so that no law can hold them back";

/// Fig. 4, one row of it: all runs have the same incast, the long flow first in the list of flows.
pub fn incast(runs: &[Run]) -> Analysis {
    let large = runs.first().is_some_and(|r| r.outcome.flows.len() > 64);
    let (seen, figure) = measure(runs);
    let of = |label: &str| seen.iter().find(|(r, _)| r.label() == label).map(|(_, s)| s);
    let mut findings = Vec::new();
    for label in POWER.into_iter().chain(THETA) {
        let Some(s) = of(label) else { continue };
        let limit = s.drains_in() + 10.0 * T_US;
        let name = slug(label);
        let printed = !label.ends_with("authors");
        findings.push(
            Finding::new(
                &format!("{name}_reaches_a_near_zero_queue"),
                "quickly mitigates the incast and reaches near zero queue lengths",
                s.text(),
                s.drained.is_some_and(|t| t <= limit) && s.late <= NEAR_ZERO_KB,
            )
            .within(format!(
                "a tenth of the peak within {limit:.0} us (the link needs {:.0} us for the peak, and ten base RTTs); a quarter of a \
                 bandwidth-delay product or less from 2 to 4 ms",
                s.drains_in()
            ))
            .known_difference(printed && s.drained.is_some_and(|t| t <= 1.5 * limit) && s.late < 100.0, if THETA.contains(&label) { LARGEST_TAU } else { AS_PRINTED }),
        );
        findings.push(
            Finding::new(
                &format!("{name}_keeps_throughput"),
                "without losing throughput",
                format!("{:.1} % of the rate before in the worst 100 us", s.kept() * 100.0),
                s.kept() >= 0.95,
            )
            .within("95 % or more in every 100 us"),
        );
    }
    if let (Some(power), Some(hpcc)) = (of(POWER[1]), of("HPCC")) {
        let ratio = hpcc.peak / power.peak;
        findings.push(
            Finding::new(
                "hpcc_reaches_twice_the_queue",
                "HPCC reaches a buffer occupancy about 2 times PowerTCP's",
                format!("{:.0} against {:.0} KB: {ratio:.2} times", hpcc.peak, power.peak),
                (1.5..=2.5).contains(&ratio),
            )
            .within("1.5 to 2.5 times")
            .known_difference(large && (0.9..1.5).contains(&ratio), WHOLE_ANSWERS),
        );
        findings.push(
            Finding::new(
                "hpcc_loses_throughput",
                "HPCC gets back to near-zero queue lengths and loses throughput after it",
                hpcc.text(),
                hpcc.late <= 0.1 * hpcc.peak && hpcc.kept() < 0.95,
            )
            .within("less than a tenth of the peak from 2 to 4 ms, less than 95 % of the rate before in some 100 us"),
        );
    }
    if let (Some(power), Some(timely)) = (of(POWER[1]), of("TIMELY")) {
        findings.push(
            Finding::new(
                "timely_does_not_control_the_queue",
                "TIMELY does not control the queue lengths and loses throughput after reacting to the incast",
                timely.text(),
                timely.late > 5.0 * power.late && timely.kept() < 0.95,
            )
            .within(
                "five times PowerTCP's mean queue from 2 to 4 ms, less than 95 % of the rate before in some 100 us",
            ),
        );
    }
    if let (Some(power), Some(homa)) = (of(POWER[1]), of("HOMA")) {
        findings.extend(homa::beside_power(homa, power, large));
    }
    for (label, peak_kb, drained_us) in RECORDED[usize::from(large)] {
        let Some(s) = of(label) else { continue };
        let close = |ours: f64, theirs: f64| (ours / theirs - 1.0).abs() <= 0.15;
        let time = |t: Option<f64>| t.map_or(String::new(), |t| format!(", a tenth of it after {t:.0} us"));
        let holds = close(s.peak, peak_kb) && drained_us.is_none_or(|t| s.drained.is_some_and(|ours| close(ours, t)));
        findings.push(
            Finding::new(
                &format!("{}_as_recorded", slug(label)),
                &format!("the authors' simulator: peak {peak_kb:.0} KB{}", time(drained_us)),
                s.text(),
                holds,
            )
            .within("within 15 %; frames here are of the wire, there of the simulator's own headers"),
        );
    }
    Analysis {
        figures: vec![figure],
        findings,
        ..Analysis::default()
    }
}
