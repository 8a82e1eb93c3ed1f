//! Every distribution that traffic is drawn from, by its classes and not by its sum: who sends, to whom, how much, when.

use std::collections::BTreeMap;

use super::*;
use crate::measure::evenly_spread;
use crate::net::FlowSpec;

const HOSTS: u32 = 12;
const SIZES: &str = "0 0\n1000 50\n3000 80\n100000 100\n";
/// 20 ms.
const END_PS: u64 = 20_000_000_000;

fn sizes() -> SizeDistribution {
    SizeDistribution::read("d", SIZES).unwrap()
}

/// Counts by a key, of `classes` that are equally likely.
fn assert_even<K: Ord + std::fmt::Debug>(what: &str, classes: usize, keys: impl Iterator<Item = K>) {
    let mut counts: BTreeMap<K, u64> = BTreeMap::new();
    keys.for_each(|key| *counts.entry(key).or_default() += 1);
    let total: u64 = counts.values().sum();
    assert!(total > 20 * classes as u64, "{what}: {total} draws are too few");
    assert!(counts.len() <= classes, "{what}: {} classes of {classes}", counts.len());
    let mut values: Vec<u64> = counts.values().copied().collect();
    values.resize(classes, 0);
    assert!(evenly_spread(&values), "{what}: {counts:?}");
}

/// Gaps of a Poisson process: twenty classes that an exponential distribution makes equally likely; and no gap tells of the next one.
fn assert_poisson(what: &str, starts: &[u64]) {
    let gaps: Vec<f64> = starts.windows(2).map(|w| (w[1] - w[0]) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let class = |gap: f64, n: f64| ((1.0 - (-gap / mean).exp()) * n).min(n - 1.0) as u32;
    assert_even(&format!("{what}: gaps"), 20, gaps.iter().map(|&g| class(g, 20.0)));
    let pairs = gaps.chunks_exact(2).map(|w| (class(w[0], 4.0), class(w[1], 4.0)));
    assert_even(&format!("{what}: pairs of gaps"), 16, pairs);
}

/// Sizes of each tenth of the distribution are equally likely.
fn assert_sizes(what: &str, flows: &[FlowSpec]) {
    let sizes = sizes();
    let class = |bytes: u64| {
        (1..10)
            .filter(|&i| bytes >= sizes.quantile(f64::from(i) * 10.0))
            .count()
    };
    assert_even(&format!("{what}: sizes"), 10, flows.iter().map(|f| class(f.bytes)));
}

fn starts(flows: &[FlowSpec]) -> Vec<u64> {
    flows.iter().map(|f| f.start_ps).collect()
}

#[test]
fn poisson_flows() {
    let hosts: Vec<u32> = (100..100 + HOSTS).collect();
    for seed in [1, 2] {
        let plan = Poisson {
            hosts: &hosts,
            host_rate_bps: 100_000_000_000,
            load: 0.8,
            sizes: &sizes(),
            start_ps: 0,
            end_ps: END_PS,
        };
        let flows = poisson(&plan, seed).unwrap();
        let what = format!("poisson, seed {seed}");
        assert_even(&format!("{what}: sources"), 12, flows.iter().map(|f| f.src));
        assert_even(&format!("{what}: destinations"), 12, flows.iter().map(|f| f.dst));
        assert_even(&format!("{what}: pairs"), 12 * 11, flows.iter().map(|f| (f.src, f.dst)));
        assert_even(
            &format!("{what}: following destinations"),
            144,
            flows.chunks_exact(2).map(|w| (w[0].dst, w[1].dst)),
        );
        assert_sizes(&what, &flows);
        assert_poisson(&what, &starts(&flows));
        assert!(flows
            .iter()
            .all(|f| hosts.contains(&f.src) && hosts.contains(&f.dst) && f.src != f.dst));
    }
}

#[test]
fn poisson_flows_between_two_sets() {
    let (from, to): (Vec<u32>, Vec<u32>) = ((0..5).collect(), (7..14).collect());
    let plan = Between {
        sources: &from,
        destinations: &to,
        rate_bps: 500e9,
        sizes: &sizes(),
        start_ps: 3_000_000,
        end_ps: END_PS,
    };
    let flows = poisson_between(&plan, 3).unwrap();
    assert_even("between: sources", 5, flows.iter().map(|f| f.src));
    assert_even("between: destinations", 7, flows.iter().map(|f| f.dst));
    assert_even("between: pairs", 35, flows.iter().map(|f| (f.src, f.dst)));
    assert_sizes("between", &flows);
    assert_poisson("between", &starts(&flows));
    assert!(flows.iter().all(|f| (3_000_000..END_PS).contains(&f.start_ps)));
}

#[test]
fn bursts() {
    let hosts: Vec<u32> = (0..HOSTS).collect();
    let plan = IncastMix {
        hosts: &hosts,
        host_rate_bps: 100_000_000_000,
        load: 0.9,
        senders: 5,
        bytes: 5000,
        start_ps: 0,
        end_ps: END_PS,
    };
    let flows = incast_bursts(&plan, 4).unwrap();
    let bursts: Vec<&[FlowSpec]> = flows.chunks(5).collect();
    assert_even("bursts: receivers", 12, bursts.iter().map(|b| b[0].dst));
    assert_even("bursts: senders", 12, flows.iter().map(|f| f.src));
    assert_even("bursts: pairs", 12 * 11, flows.iter().map(|f| (f.src, f.dst)));
    for place in 0..5 {
        assert_even(
            &format!("bursts: sender {place}"),
            12,
            bursts.iter().map(|b| b[place].src),
        );
    }
    let of_bursts: Vec<u64> = bursts.iter().map(|b| b[0].start_ps).collect();
    assert_poisson("bursts", &of_bursts);
    for burst in bursts {
        let senders: std::collections::BTreeSet<u32> = burst.iter().map(|f| f.src).collect();
        let alike = |f: &FlowSpec| (f.dst, f.start_ps, f.bytes) == (burst[0].dst, burst[0].start_ps, 5000);
        assert!(senders.len() == 5 && !senders.contains(&burst[0].dst) && burst.iter().all(alike));
    }
}

#[test]
fn requests_of_files() {
    let racks: Vec<Vec<u32>> = vec![(0..3).collect(), (3..6).collect(), (6..9).collect(), (9..12).collect()];
    let plan = Requests {
        racks: &racks,
        per_second: 100_000.0,
        servers: 3,
        bytes: 3000,
        start_ps: 0,
        end_ps: END_PS,
    };
    let flows = requests(&plan, 5).unwrap();
    let asked: Vec<&[FlowSpec]> = flows.chunks(3).collect();
    assert_even("requests: clients", 12, asked.iter().map(|r| r[0].dst));
    assert_even(
        "requests: client and rack",
        12 * 3,
        asked.iter().map(|r| (r[0].dst, r[0].src / 3)),
    );
    for place in 0..3 {
        assert_even(
            &format!("requests: server {place}"),
            12,
            asked.iter().map(|r| r[place].src),
        );
    }
    // one of three servers may be drawn twice
    assert_even(
        "requests: servers of a rack",
        27,
        asked.iter().map(|r| (r[0].src % 3, r[1].src % 3, r[2].src % 3)),
    );
    let of_requests: Vec<u64> = asked.iter().map(|r| r[0].start_ps).collect();
    assert_poisson("requests", &of_requests);
}

/// Each source of traffic has a stream of its own for each seed: no flow of one seed is that of another at the same place.
#[test]
fn seeds_are_apart() {
    let hosts: Vec<u32> = (0..HOSTS).collect();
    let plan = Poisson {
        hosts: &hosts,
        host_rate_bps: 100_000_000_000,
        load: 0.1,
        sizes: &sizes(),
        start_ps: 0,
        end_ps: END_PS,
    };
    let runs = [1, 2, 1000, 1001].map(|seed| poisson(&plan, seed).unwrap());
    for (a, run) in runs.iter().enumerate() {
        for other in &runs[a + 1..] {
            let same = run.iter().zip(other).filter(|(x, y)| x.start_ps == y.start_ps).count();
            assert!(same < 3, "{same} flows start alike");
        }
    }
}
