//! Fig. 8: one pair of ToRs in a reconfigurable network, whose circuit comes once a week.

use super::super::analysis::Analysis;
use super::super::series::queue_panel;
use super::slug;
use crate::plan::{Finding, Run};
use crate::plot::{Figure, Line, Panel};
use hpcc_models::measure::mean;
use hpcc_models::net::{circuit_utilisation, CircuitConfig, Schedule};

/// A circuit is filled at this part of its rate.
const FILLED: f64 = 0.9;
/// Tail latency of reTCP over PowerTCP's, as the paper has it at least.
const TIMES: f64 = 5.0;
/// Fewer waiting times than this give no verdict on the 99.9th percentile.
const SAMPLES: u64 = 10_000;
/// Shown before and after the day, us.
const SHOWN_US: (f64, f64) = (-2_000.0, 500.0);

/// Why a circuit is not full after one round trip.
const SECOND_ROUND_TRIP: &str = "the first acknowledgement that comes back by way of the circuit has another path than the one before it, and a law only \
    stores the records of a new path: the bandwidth is seen one round trip later, and windows move once per round trip";

/// Why packets wait as long as with reTCP.
const WINDOWS_OF_THE_DAY: &str = "when the day ends, windows are those of 100 Gb/s under every law, and what they still send waits for 25 Gb/s; reTCP's VOQ \
    holds no more than what a circuit carries in a round trip (the paper gives no size)";

/// What the observed pair of one run did on its days.
struct Seen<'a> {
    run: &'a Run,
    circuits: &'a CircuitConfig,
    schedule: Schedule,
    /// Beginnings of the pair's whole days in the time observed, us.
    days: Vec<f64>,
    /// Interval of the meters, us.
    every: f64,
    /// Wire rate of the pair, Gb/s, circuit and packet network together; a point at the end of each interval (us).
    rate: Vec<(f64, f64)>,
    /// Length of the VOQ, KB.
    voq: Line,
}

impl<'a> Seen<'a> {
    fn of(run: &'a Run) -> Option<Self> {
        let circuits = run.job.config.circuits.as_ref()?;
        let schedule = Schedule {
            racks: run.job.topology.racks().len() as u32,
            day_ps: circuits.day_ps,
            night_ps: circuits.night_ps,
        };
        let matching = schedule.matching(circuits.watch.0, circuits.watch.1)?;
        let us = |ps: u64| ps as f64 / 1e6;
        let samples = &run.outcome.samples.circuits;
        let from = run.job.plan.start_ps;
        let weeks = (0..).map(|k| schedule.first_day(matching) + k * schedule.week_ps());
        let whole = weeks.take_while(|day| day + schedule.slot_ps() <= run.outcome.now_ps);
        let every = us(run.job.plan.meter_ps);
        let gbps = |bytes: u64| bytes as f64 * 8e-3 / every.max(1e-9);
        Some(Self {
            run,
            circuits,
            schedule,
            days: whole.filter(|&day| day >= from).map(us).collect(),
            every,
            rate: samples.sent.iter().map(|s| (us(s.0), gbps(s.1 + s.2))).collect(),
            voq: Line {
                step: true,
                ..Line::new(
                    run.label(),
                    samples.voq.iter().map(|p| (us(p.t_ps), p.bytes as f64 / 1e3)).collect(),
                )
            },
        })
    }

    fn day_us(&self) -> f64 {
        self.circuits.day_ps as f64 / 1e6
    }

    /// Base round-trip time that laws are given, us.
    fn rtt_us(&self) -> f64 {
        self.run.job.config.window_t_ns() as f64 / 1e3
    }

    /// What a circuit carries in a base round-trip time, KB.
    fn bdp_kb(&self) -> f64 {
        self.circuits.rate_bps as f64 / 8e9 * self.rtt_us()
    }

    /// Part of the days' bits that the circuit carried.
    fn used(&self) -> f64 {
        let end = self.run.outcome.now_ps;
        let from = self.run.job.plan.start_ps;
        circuit_utilisation(&self.run.outcome.samples, self.circuits, self.schedule.racks, from, end)
    }

    /// From the beginning of a day to the end of the first interval at [`FILLED`] of the circuit's rate, us, for each day; days on which there is none are left
    /// out.
    fn fill_times(&self) -> Vec<f64> {
        let wanted = FILLED * self.circuits.rate_bps as f64 / 1e9;
        let of = |&day: &f64| {
            let today = self.rate.iter().filter(|p| p.0 > day && p.0 <= day + self.day_us());
            today.clone().find(|p| p.1 >= wanted).map(|p| p.0 - day)
        };
        self.days.iter().filter_map(of).collect()
    }

    /// Mean length of the VOQ over a span from the beginning of each day, KB.
    fn voq_mean(&self, from: f64, to: f64) -> f64 {
        let values: Vec<f64> = self
            .days
            .iter()
            .flat_map(|day| super::super::series::sampled(&self.voq, day + from, day + to, 1.0))
            .collect();
        mean(&values)
    }

    /// Largest length of the VOQ over a span from the beginning of each day, KB.
    fn voq_most(&self, from: f64, to: f64) -> f64 {
        let inside = |p: &&(f64, f64)| self.days.iter().any(|day| p.0 > day + from && p.0 <= day + to);
        self.voq.points.iter().filter(inside).map(|p| p.1).fold(0.0, f64::max)
    }

    /// Waiting time in the VOQ, us: 99th and 99.9th percentile.
    fn tail(&self) -> (f64, f64) {
        let waits = &self.run.outcome.samples.circuits.waits;
        // A class of 100 ns is named by its lower end.
        let of = |p: f64| (waits.percentile(p) + 100) as f64 / 1e3;
        (of(99.0), of(99.9))
    }

    fn samples(&self) -> u64 {
        self.run.outcome.samples.circuits.waits.samples()
    }

    fn text(&self) -> String {
        let (p99, p999) = self.tail();
        let fill = self.fill_times();
        let filled = if fill.is_empty() {
            "on no day".to_string()
        } else {
            format!("after {:.0} us on {} of", mean(&fill), fill.len())
        };
        format!(
            "{:.1} % of the circuit's bits used; 90 % of its rate {filled} {} days; VOQ {:.1} KB in the mean of the day, {:.1} KB in the 100 us before, at \
             most {:.1} KB in the 200 us after; waiting in the VOQ {p99:.1} us (99th percentile) and {p999:.1} us (99.9th) of {} packets",
            self.used() * 100.0,
            self.days.len(),
            self.voq_mean(0.0, self.day_us()),
            self.voq_mean(-100.0, 0.0),
            self.voq_most(self.day_us(), self.day_us() + 200.0),
            self.samples()
        )
    }

    /// The series around the last day that is shown whole.
    fn shown(&self) -> Option<(Line, Line)> {
        let end = self.run.outcome.now_ps as f64 / 1e6;
        let day = *self.days.iter().rev().find(|&&day| day + SHOWN_US.1 <= end)?;
        let near = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
            let inside = points
                .iter()
                .filter(|p| p.0 - day >= SHOWN_US.0 && p.0 - day <= SHOWN_US.1);
            inside.map(|p| (p.0 - day, p.1)).collect()
        };
        let rate = Line::new(self.run.label(), near(&self.rate));
        let mut voq = near(&self.voq.points);
        voq.insert(
            0,
            (SHOWN_US.0, super::super::series::value_at(&self.voq, day + SHOWN_US.0)),
        );
        Some((
            rate,
            Line {
                step: true,
                ..Line::new(self.run.label(), voq)
            },
        ))
    }
}

/// Fig. 8.
pub fn circuits(runs: &[Run]) -> Analysis {
    let all: Vec<Seen> = runs.iter().filter_map(Seen::of).collect();
    let mut rates = Panel {
        title: "throughput of the pair of ToRs".into(),
        x: "time from the circuit's day (us)".into(),
        y: "wire rate (Gb/s)".into(),
        ..Panel::default()
    };
    let mut queues = Panel {
        x: "time from the circuit's day (us)".into(),
        ..queue_panel("its VOQ")
    };
    let mut findings = Vec::new();
    for seen in &all {
        if let Some((rate, voq)) = seen.shown() {
            rates.lines.push(rate);
            queues.lines.push(voq);
        }
        let name = slug(seen.run.label());
        findings.push(Finding::note(&format!("{name}_seen"), "", seen.text()));
        match seen.run.label() {
            "PowerTCP" => findings.extend(of_power(seen, &name, &all)),
            // Rules of the authors' released simulator, which has no such network: shown without a verdict.
            label if label.starts_with("PowerTCP") => {}
            "HPCC" => findings.extend(of_hpcc(seen)),
            _ => findings.push(of_retcp(seen, &name)),
        }
    }
    if let Some(seen) = all.first() {
        let rate = seen.circuits.rate_bps as f64 / 1e9;
        rates.levels = vec![(rate, format!("circuit, 0 to {:.0} us", seen.day_us()))];
    }
    Analysis {
        figures: vec![Figure {
            panels: vec![rates, queues],
            ..Figure::default()
        }],
        findings,
        ..Analysis::default()
    }
}

fn of_power(seen: &Seen, name: &str, all: &[Seen]) -> Vec<Finding> {
    let fill = seen.fill_times();
    let slowest = fill.iter().copied().fold(0.0, f64::max);
    let limit = seen.rtt_us() + seen.every;
    let mut findings = vec![Finding::new(
        &format!("{name}_fills_in_a_round_trip"),
        "PowerTCP fills the available bandwidth within one RTT",
        format!(
            "90 % of the circuit's rate reached on {} of {} days, {:.0} us after the day began in the mean, {slowest:.0} us at the latest; {:.1} % of the \
             days' bits used",
            fill.len(),
            seen.days.len(),
            mean(&fill),
            seen.used() * 100.0
        ),
        !seen.days.is_empty() && fill.len() == seen.days.len() && slowest <= limit,
    )
    .within(format!(
        "90 % of the circuit's rate in an interval of {:.0} us that ends at most {limit:.0} us after the day began, on every day",
        seen.every
    ))
    .known_difference(
        fill.len() == seen.days.len() && slowest <= 4.0 * seen.rtt_us(),
        SECOND_ROUND_TRIP,
    )];
    let (voq, most) = (seen.voq_mean(0.0, seen.day_us()), 0.25 * seen.bdp_kb());
    findings.push(
        Finding::new(
            &format!("{name}_near_zero_queue"),
            "PowerTCP maintains near-zero queue lengths",
            format!("mean VOQ of the days {voq:.1} KB"),
            voq <= most,
        )
        .within(format!(
            "a quarter of what the circuit carries in a base round-trip time: {most:.0} KB"
        )),
    );
    for other in all.iter().filter(|s| s.run.label().starts_with("reTCP")) {
        let ((own99, own999), (p99, p999)) = (seen.tail(), other.tail());
        let enough = seen.samples().min(other.samples()) >= SAMPLES;
        let ours = format!(
            "99th percentile {own99:.1} us against {p99:.1} us ({:.1} times), 99.9th {own999:.1} us against {p999:.1} us ({:.1} times); {} and {} packets",
            p99 / own99,
            p999 / own999,
            seen.samples(),
            other.samples()
        );
        let name = format!("{name}_tail_against_{}", slug(other.run.label()));
        let paper = "PowerTCP improves the tail queuing latency at least by 5x compared to reTCP";
        findings.push(if enough {
            Finding::new(&name, paper, ours, p99 >= TIMES * own99 && p999 >= TIMES * own999)
                .within("both percentiles of the waiting time in the VOQ, at least 5 times")
                .known_difference(p99 >= 0.8 * own99 && p999 >= 0.8 * own999, WINDOWS_OF_THE_DAY)
        } else {
            Finding::note(&name, paper, ours)
        });
    }
    findings
}

fn of_hpcc(seen: &Seen) -> Vec<Finding> {
    let voq = seen.voq_mean(0.0, seen.day_us());
    let most = 0.25 * seen.bdp_kb();
    vec![
        Finding::new(
            "hpcc_does_not_fill",
            "HPCC does not fill the available bandwidth",
            format!("{:.1} % of the days' bits used", seen.used() * 100.0),
            seen.used() < FILLED,
        )
        .within("less than 90 % of what the circuit could carry"),
        Finding::new(
            "hpcc_low_queue",
            "HPCC maintains low queue lengths",
            format!("mean VOQ of the days {voq:.1} KB"),
            voq <= most,
        )
        .within(format!(
            "a quarter of what the circuit carries in a base round-trip time: {most:.0} KB"
        )),
    ]
}

fn of_retcp(seen: &Seen, name: &str) -> Finding {
    let fill = seen.fill_times();
    let slowest = fill.iter().copied().fold(0.0, f64::max);
    Finding::new(
        &format!("{name}_fills_instantly"),
        "reTCP instantly fills the available bandwidth but incurs high latency due to prebuffering before the circuit is available",
        format!(
            "90 % of the circuit's rate on {} of {} days, at the latest {slowest:.0} us after the day began; VOQ {:.1} KB in the 100 us before",
            fill.len(),
            seen.days.len(),
            seen.voq_mean(-100.0, 0.0)
        ),
        !seen.days.is_empty() && fill.len() == seen.days.len() && slowest <= seen.every,
    )
    .within("90 % of the circuit's rate in the first interval of the meters on every day")
}
