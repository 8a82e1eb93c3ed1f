//! Appendix A.2: after one step all rates are feasible, then they only rise, and what they approach is Pareto optimal.
//!
//! [`lemma_a2`] runs the recursion (5), (6) itself on random networks; the scenario beside it watches HPCC do the same in a chain. The
//! lemma's "after at most I steps constant" holds only where no bottleneck carries a path that is fixed elsewhere: see
//! [`tests::two_resources_that_never_settle`]. Otherwise the rest is approached geometrically.

use rand::Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::analysis::Analysis;
use super::series::{busiest_queue, goodput, peak, queue_panel, sampled};
use crate::plan::Finding;
use crate::plan::Run;
use crate::plot::{Figure, Line, Panel};

/// One network of the lemma: which resources each path uses, target capacities, first rates.
struct Network {
    paths: Vec<Vec<usize>>,
    capacity: Vec<f64>,
    rates: Vec<f64>,
}

impl Network {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        let resources = rng.random_range(1..=8);
        let paths = (0..rng.random_range(1..=20))
            .map(|_| {
                let mut path: Vec<usize> = (0..resources).filter(|_| rng.random::<f64>() < 0.4).collect();
                if path.is_empty() {
                    path.push(rng.random_range(0..resources));
                }
                path
            })
            .collect::<Vec<_>>();
        let capacity = (0..resources).map(|_| rng.random_range(1.0..100.0)).collect();
        let rates = paths.iter().map(|_| 10f64.powf(rng.random_range(-3.0..3.0))).collect();
        Self { paths, capacity, rates }
    }

    fn loads(&self) -> Vec<f64> {
        let mut loads = vec![0.0; self.capacity.len()];
        for (path, rate) in self.paths.iter().zip(&self.rates) {
            path.iter().for_each(|&i| loads[i] += rate);
        }
        loads
    }

    /// Loads over capacities.
    fn used(&self) -> Vec<f64> {
        self.loads().iter().zip(&self.capacity).map(|(y, c)| y / c).collect()
    }

    /// Equation (6).
    fn step(&mut self) {
        let used = self.used();
        for (path, rate) in self.paths.iter().zip(&mut self.rates) {
            *rate /= path.iter().map(|&i| used[i]).fold(0.0, f64::max);
        }
    }
}

/// What the recursion did on many networks.
pub struct LemmaReport {
    /// Networks that were constant after as many steps as they have resources.
    pub settled: usize,
    /// All networks.
    pub networks: usize,
}

/// Steps after which the rest is below `1 / (e n)` of a capacity for every resource in turn.
const MANY: usize = 4_000;

/// Checks on random networks that all steps after the first are feasible and never lower a rate, and that in the end every path has a
/// bottleneck. The first network where that fails is described.
pub fn lemma_a2(networks: usize, seed: u64) -> Result<LemmaReport, String> {
    const EPS: f64 = 1e-9;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut report = LemmaReport { settled: 0, networks };
    for index in 0..networks {
        let mut network = Network::random(&mut rng);
        let steps = network.capacity.len();
        network.step();
        for n in 1..MANY {
            if let Some(over) = network.used().iter().find(|u| **u > 1.0 + EPS) {
                return Err(format!("network {index}: load {over} after step {n}"));
            }
            let before = network.rates.clone();
            network.step();
            let pairs = || before.iter().zip(&network.rates);
            if let Some((a, b)) = pairs().find(|(a, b)| **b < **a * (1.0 - EPS)) {
                return Err(format!("network {index}: a rate fell from {a} to {b} at step {n}"));
            }
            let constant = pairs().all(|(a, b)| b / a - 1.0 < EPS);
            report.settled += usize::from(n == steps && constant);
            if constant && n >= steps {
                break;
            }
        }
        let used = network.used();
        if let Some(path) = network.paths.iter().find(|p| p.iter().all(|&i| used[i] < 0.998)) {
            return Err(format!(
                "network {index}: path over resources {path:?} has no bottleneck in the end"
            ));
        }
    }
    Ok(report)
}

/// The lemma's recursion, and HPCC on a parking lot: one flow over every link, one more flow on each.
pub fn network(runs: &[Run]) -> Analysis {
    const NETWORKS: usize = 2_000;
    let result = lemma_a2(NETWORKS, 1);
    let mut findings = vec![Finding::new(
        "feasible_and_never_falling",
        "(i), (ii): feasible after one step, then no rate falls",
        match &result {
            Err(failure) => failure.clone(),
            Ok(r) => format!(
                "so on all of {} random networks, and Pareto optimal in the end",
                r.networks
            ),
        },
        result.is_ok(),
    )];
    if let Ok(r) = &result {
        let paper = "(iii): constant and Pareto optimal after at most I steps";
        let ours = format!(
            "constant after I steps on {} of {} random networks",
            r.settled, r.networks
        );
        findings.push(
            Finding::new("constant_after_i_steps", paper, ours, r.settled == r.networks).known_difference(
                (0.2..0.6).contains(&(r.settled as f64 / r.networks as f64)),
                "where a resource carries a path that is fixed elsewhere, it approaches its capacity geometrically and never reaches it; \
                 the smallest such network has two resources and three paths",
            ),
        );
    }
    let mut panels = Vec::new();
    for run in runs {
        let lines: Vec<Line> = goodput(run, 20.0).into_values().collect();
        let end = run.outcome.now_ps as f64 / 1e6;
        let payload = f64::from(run.job.config.mtu) / f64::from(run.job.config.mtu + 82 + 42);
        let target = 0.95 * run.job.topology.links[0].rate_bps as f64 / 1e9 * payload;
        let late: Vec<f64> = lines
            .iter()
            .map(|l| sampled(l, end * 0.5, end * 0.95, 20.0))
            .map(|v| hpcc_models::measure::mean(&v))
            .collect();
        let long = late.first().copied().unwrap_or(0.0);
        let used: Vec<f64> = late.iter().skip(1).map(|rate| (rate + long) / target).collect();
        let shares: Vec<String> = used.iter().map(|u| format!("{:.0} %", u * 100.0)).collect();
        findings.push(
            Finding::new(
                "every_path_has_a_bottleneck",
                "rates converge to a Pareto optimal allocation",
                format!("links carry {} of the target utilisation of 95 %", shares.join(", ")),
                !used.is_empty() && used.iter().all(|u| (0.9..1.08).contains(u)),
            )
            .within("90 to 108 % on every link: one is the bottleneck of each flow"),
        );
        if let Some(queue) = busiest_queue(run) {
            let settled = peak(&queue, 200.0, end);
            findings.push(
                Finding::new(
                    "loads_stay_feasible",
                    "after one step rates are all feasible",
                    format!("no queue above {settled:.1} KB from 200 us on"),
                    settled < 10.0,
                )
                .within("less than 10 KB, a fifteenth of the first windows"),
            );
            panels.push(Panel {
                lines: vec![queue.named("")],
                ..queue_panel("busiest queue")
            });
        }
        panels.push(Panel {
            title: "goodput; flow 0 crosses every link".into(),
            x: "time (us)".into(),
            y: "goodput (Gb/s)".into(),
            lines,
            ..Panel::default()
        });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feasible_rising_and_pareto_optimal() {
        let report = lemma_a2(500, 7).unwrap();
        assert!(report.settled > 0 && report.settled < report.networks);
    }

    /// Two resources, A (1) and B (2). Path 0 uses both, path 1 only A, path 2 only B, all at rate 1. After one step A is full and paths 0
    /// and 1 stay at 1/2; path 2 goes 1, 4/3, 16/11, ... towards 3/2 and is never constant, whatever statement (iii) says.
    #[test]
    fn two_resources_that_never_settle() {
        let paths = vec![vec![0, 1], vec![0], vec![1]];
        let mut network = Network {
            paths,
            capacity: vec![1.0, 2.0],
            rates: vec![1.0; 3],
        };
        let mut third = Vec::new();
        for _ in 0..4 {
            network.step();
            third.push(network.rates[2]);
        }
        assert_eq!(network.rates[..2], [0.5, 0.5]);
        for (got, want) in third.iter().zip([1.0, 4.0 / 3.0, 16.0 / 11.0, 64.0 / 43.0]) {
            assert!((got - want).abs() < 1e-12, "{third:?}");
        }
    }
}
