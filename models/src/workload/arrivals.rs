//! When flows start, and between whom (paper 5.1 and 5.3).

use rand::Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use super::sizes::SizeDistribution;
use crate::net::FlowSpec;

/// Poisson arrivals between random pairs of hosts.
#[derive(Clone, Debug)]
pub struct Poisson<'a> {
    /// Hosts (node numbers).
    pub hosts: &'a [u32],
    /// What a host's links carry together, bits per second.
    pub host_rate_bps: u64,
    /// Payload offered, as a fraction of the hosts' links.
    pub load: f64,
    /// Sizes.
    pub sizes: &'a SizeDistribution,
    /// First arrival not before, ps.
    pub start_ps: u64,
    /// Last arrival before, ps.
    pub end_ps: u64,
}

/// Poisson arrivals at an absolute rate, each from a random host of one set to a random host of another.
#[derive(Clone, Debug)]
pub struct Between<'a> {
    /// Sending hosts (node numbers).
    pub sources: &'a [u32],
    /// Receiving hosts (node numbers).
    pub destinations: &'a [u32],
    /// Payload offered by all together, bits per second.
    pub rate_bps: f64,
    /// Sizes.
    pub sizes: &'a SizeDistribution,
    /// First arrival not before, ps.
    pub start_ps: u64,
    /// Last arrival before, ps.
    pub end_ps: u64,
}

/// Repeated incast: many senders to one receiver, all random.
#[derive(Clone, Debug)]
pub struct IncastMix<'a> {
    /// Hosts (node numbers).
    pub hosts: &'a [u32],
    /// What a host's links carry together, bits per second.
    pub host_rate_bps: u64,
    /// Payload offered, as a fraction of the hosts' links.
    pub load: f64,
    /// Senders of one burst.
    pub senders: usize,
    /// What each sends, bytes.
    pub bytes: u64,
    /// First burst not before, ps.
    pub start_ps: u64,
    /// Last burst before, ps.
    pub end_ps: u64,
}

/// Traffic that cannot be generated.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ArrivalError {
    /// Load.
    #[error("load: expected above 0 and at most 2, got {0}")]
    Load(f64),
    /// Absolute rate.
    #[error("rate_gbps: expected above 0, got {0}")]
    Rate(f64),
    /// A host would send to itself.
    #[error("sources and destinations: expected two sets without a common host, both have {0}")]
    Both(u32),
    /// Too few hosts.
    #[error("hosts: expected at least {needed}, got {got}")]
    Hosts {
        /// Needed.
        needed: usize,
        /// There.
        got: usize,
    },
    /// Requests of a host.
    #[error("per_second: expected above 0, got {0}")]
    Requests(f64),
    /// Requests go to another rack.
    #[error("racks: expected at least 2 switches with hosts, got {0}")]
    Racks(usize),
    /// More flows than memory would hold.
    #[error("load and duration: expected at most 20000000 flows, got {0:.0}")]
    Flows(f64),
}

/// Flows of one source, at most.
pub(super) const MOST_FLOWS: f64 = 2e7;

fn check(load: f64, hosts: usize, needed: usize, flows: f64) -> Result<(), ArrivalError> {
    if !(load > 0.0 && load <= 2.0) {
        return Err(ArrivalError::Load(load));
    }
    if hosts < needed {
        return Err(ArrivalError::Hosts { needed, got: hosts });
    }
    if flows.is_nan() || flows > MOST_FLOWS {
        return Err(ArrivalError::Flows(flows));
    }
    Ok(())
}

/// Times of a Poisson process of `per_ps`, ps.
pub(super) fn times(rng: &mut ChaCha8Rng, per_ps: f64, start: u64, end: u64) -> Vec<u64> {
    let mut at = start as f64;
    let mut out = Vec::new();
    loop {
        at -= (1.0 - rng.random::<f64>()).ln() / per_ps;
        if at >= end as f64 {
            return out;
        }
        out.push(at as u64);
    }
}

/// Flows of a Poisson process, in order of start.
pub fn poisson(plan: &Poisson, seed: u64) -> Result<Vec<FlowSpec>, ArrivalError> {
    let total = plan.hosts.len() as f64 * plan.host_rate_bps as f64 * plan.load;
    let per_ps = total / (8.0 * plan.sizes.mean() * 1e12);
    check(
        plan.load,
        plan.hosts.len(),
        2,
        per_ps * plan.end_ps.saturating_sub(plan.start_ps) as f64,
    )?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let starts = times(&mut rng, per_ps, plan.start_ps, plan.end_ps);
    Ok(starts
        .into_iter()
        .map(|start_ps| {
            let (src, dst) = pair(&mut rng, plan.hosts);
            FlowSpec {
                src,
                dst,
                bytes: plan.sizes.sample(&mut rng),
                start_ps,
                dst_port: FlowSpec::DST_PORT,
            }
        })
        .collect())
}

/// Flows of a Poisson process between two sets of hosts, in order of start.
pub fn poisson_between(plan: &Between, seed: u64) -> Result<Vec<FlowSpec>, ArrivalError> {
    if !(plan.rate_bps > 0.0 && plan.rate_bps.is_finite()) {
        return Err(ArrivalError::Rate(plan.rate_bps / 1e9));
    }
    let got = plan.sources.len().min(plan.destinations.len());
    if got == 0 {
        return Err(ArrivalError::Hosts { needed: 1, got });
    }
    if let Some(&host) = plan.sources.iter().find(|h| plan.destinations.contains(h)) {
        return Err(ArrivalError::Both(host));
    }
    let per_ps = plan.rate_bps / (8.0 * plan.sizes.mean() * 1e12);
    let flows = per_ps * plan.end_ps.saturating_sub(plan.start_ps) as f64;
    if flows.is_nan() || flows > MOST_FLOWS {
        return Err(ArrivalError::Flows(flows));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let starts = times(&mut rng, per_ps, plan.start_ps, plan.end_ps);
    let pick = |hosts: &[u32], rng: &mut ChaCha8Rng| hosts[rng.random_range(0..hosts.len())];
    Ok(starts
        .into_iter()
        .map(|start_ps| FlowSpec {
            src: pick(plan.sources, &mut rng),
            dst: pick(plan.destinations, &mut rng),
            bytes: plan.sizes.sample(&mut rng),
            start_ps,
            dst_port: FlowSpec::DST_PORT,
        })
        .collect())
}

fn pair(rng: &mut ChaCha8Rng, hosts: &[u32]) -> (u32, u32) {
    let from = rng.random_range(0..hosts.len());
    let to = (from + rng.random_range(1..hosts.len())) % hosts.len();
    (hosts[from], hosts[to])
}

/// Flows of an incast mix, in order of start.
pub fn incast_bursts(plan: &IncastMix, seed: u64) -> Result<Vec<FlowSpec>, ArrivalError> {
    let total = plan.hosts.len() as f64 * plan.host_rate_bps as f64 * plan.load;
    let per_ps = total / (8.0 * plan.senders as f64 * plan.bytes as f64 * 1e12);
    let flows = per_ps * plan.end_ps.saturating_sub(plan.start_ps) as f64 * plan.senders as f64;
    check(plan.load, plan.hosts.len(), plan.senders + 1, flows)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut out = Vec::new();
    for start_ps in times(&mut rng, per_ps, plan.start_ps, plan.end_ps) {
        let mut hosts = plan.hosts.to_vec();
        // The first `senders + 1` of a partial shuffle: receiver, then senders.
        for i in 0..=plan.senders {
            let j = rng.random_range(i..hosts.len());
            hosts.swap(i, j);
        }
        let receiver = hosts[0];
        let burst = hosts[1..=plan.senders].iter();
        out.extend(burst.map(|&src| FlowSpec {
            src,
            dst: receiver,
            bytes: plan.bytes,
            start_ps,
            dst_port: FlowSpec::DST_PORT,
        }));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_comes_out() {
        let sizes = SizeDistribution::read("d", "0 0\n1000 50\n3000 100\n").unwrap();
        let hosts: Vec<u32> = (0..16).collect();
        let plan = Poisson {
            hosts: &hosts,
            host_rate_bps: 10_000_000_000,
            load: 0.4,
            sizes: &sizes,
            start_ps: 0,
            end_ps: 20_000_000_000,
        };
        let flows = poisson(&plan, 7).unwrap();
        assert_eq!(flows, poisson(&plan, 7).unwrap());
        let bytes: u64 = flows.iter().map(|f| f.bytes).sum();
        let load = bytes as f64 * 8.0 / (16.0 * 1e10 * 0.02);
        assert!((load / 0.4 - 1.0).abs() < 0.03, "{load}");
        assert!(flows.iter().all(|f| f.src != f.dst) && flows.windows(2).all(|w| w[0].start_ps <= w[1].start_ps));
        assert_eq!(
            poisson(
                &Poisson {
                    load: 3.0,
                    ..plan.clone()
                },
                1
            ),
            Err(ArrivalError::Load(3.0))
        );
        let endless = Poisson {
            end_ps: u64::MAX,
            ..plan
        };
        assert!(matches!(poisson(&endless, 1), Err(ArrivalError::Flows(_))));
    }

    #[test]
    fn an_absolute_rate_comes_out_between_two_sets() {
        let sizes = SizeDistribution::read("d", "0 0\n1000 50\n3000 100\n").unwrap();
        let (left, right): (Vec<u32>, Vec<u32>) = ((0..4).collect(), (4..8).collect());
        let plan = Between {
            sources: &left,
            destinations: &right,
            rate_bps: 5e9,
            sizes: &sizes,
            start_ps: 0,
            end_ps: 100_000_000_000,
        };
        let flows = poisson_between(&plan, 7).unwrap();
        assert_eq!(flows, poisson_between(&plan, 7).unwrap());
        let bytes: u64 = flows.iter().map(|f| f.bytes).sum();
        let rate = bytes as f64 * 8.0 / 0.1;
        assert!((rate / 5e9 - 1.0).abs() < 0.02, "{rate}");
        assert!(flows.iter().all(|f| left.contains(&f.src) && right.contains(&f.dst)));
        let both = Between {
            destinations: &left,
            ..plan
        };
        assert_eq!(poisson_between(&both, 1), Err(ArrivalError::Both(0)));
    }

    #[test]
    fn a_burst_has_distinct_senders() {
        let hosts: Vec<u32> = (0..64).collect();
        let plan = IncastMix {
            hosts: &hosts,
            host_rate_bps: 100_000_000_000,
            load: 0.02,
            senders: 60,
            bytes: 500_000,
            start_ps: 0,
            end_ps: 20_000_000_000,
        };
        let flows = incast_bursts(&plan, 3).unwrap();
        assert!(!flows.is_empty() && flows.len().is_multiple_of(60));
        let senders: std::collections::BTreeSet<u32> = flows[..60].iter().map(|f| f.src).collect();
        assert!(senders.len() == 60 && !senders.contains(&flows[0].dst));
    }

    /// Bursts carry the load that was asked for, over five thousand of them.
    #[test]
    fn the_load_of_bursts_comes_out() {
        let hosts: Vec<u32> = (0..16).collect();
        let plan = IncastMix {
            hosts: &hosts,
            host_rate_bps: 10_000_000_000,
            load: 0.5,
            senders: 8,
            bytes: 5000,
            start_ps: 0,
            end_ps: 20_000_000_000,
        };
        let flows = incast_bursts(&plan, 3).unwrap();
        let bytes: u64 = flows.iter().map(|f| f.bytes).sum();
        let load = bytes as f64 * 8.0 / (16.0 * 1e10 * 0.02);
        assert!((load / 0.5 - 1.0).abs() < 0.05, "{load}");
        // a receiver beside every sender
        let crowded = IncastMix { senders: 16, ..plan };
        assert_eq!(
            incast_bursts(&crowded, 3),
            Err(ArrivalError::Hosts { needed: 17, got: 16 })
        );
        // 2.5 million bursts of eight flows are 20 million flows; a few more are too many
        let endless = IncastMix {
            end_ps: 10_100_000_000_000,
            ..plan
        };
        assert!(matches!(incast_bursts(&endless, 3), Err(ArrivalError::Flows(n)) if (2.0e7..2.1e7).contains(&n)));
    }

    #[test]
    fn rates_and_sets_that_give_no_traffic() {
        let sizes = SizeDistribution::read("d", "0 0\n1000 50\n3000 100\n").unwrap();
        let plan = Between {
            sources: &[1],
            destinations: &[2],
            rate_bps: 5e9,
            sizes: &sizes,
            start_ps: 0,
            end_ps: 1_000_000_000,
        };
        assert!(
            !poisson_between(&plan, 1).unwrap().is_empty(),
            "one host on either side"
        );
        for rate_bps in [0.0, -5e9] {
            let refused = poisson_between(
                &Between {
                    rate_bps,
                    ..plan.clone()
                },
                1,
            );
            assert_eq!(refused, Err(ArrivalError::Rate(rate_bps / 1e9)));
        }
        let nobody = Between {
            sources: &[],
            ..plan.clone()
        };
        assert_eq!(
            poisson_between(&nobody, 1),
            Err(ArrivalError::Hosts { needed: 1, got: 0 })
        );
        let endless = Between {
            end_ps: u64::MAX,
            ..plan
        };
        assert!(matches!(poisson_between(&endless, 1), Err(ArrivalError::Flows(_))));
    }
}
