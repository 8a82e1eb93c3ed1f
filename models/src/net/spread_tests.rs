//! Paths that change: shares, flowlets and queues by hand, and whole networks with each rule.

use std::collections::BTreeSet;

use crate::net::packet::Packet;
use crate::net::tests::Greedy;
use crate::net::*;

const US: u64 = 1_000_000;
const GAP: PathRule = PathRule::Flowlet { gap_ps: 5 * US };
const RULES: [PathRule; 5] = [
    PathRule::Ecmp,
    PathRule::RoundRobin,
    PathRule::Random,
    GAP,
    PathRule::Adaptive,
];
const ANY: Recovery = Recovery::AnyOrder(ReorderRules {
    packets: Some(2000),
    wait_ps: Some(100 * US),
});
/// Hosts 0 to 3 and 4 to 7, leaves 8 and 9, spines 10 to 13; links 8 to 11 are those of leaf 8, of which the second is 2 us longer than the others.
const LEAF: u32 = 8;

fn network() -> Topology {
    let mut topology = leaf_spine(&LeafSpine {
        leaves: 2,
        spines: 4,
        hosts: 4,
        gbps: [100, 100],
        delay_ns: [1000, 1000],
    });
    topology.links[9].delay_ps = 3 * US;
    topology
}

fn simulator(flows: Vec<FlowSpec>, config: Config) -> Simulator {
    let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(Greedy {
            rate: p.line_rate_bps as f64,
            window: 100_000.0,
        }))))
    };
    Simulator::new(&network(), flows, config, SamplePlan::default(), &mut slot).unwrap()
}

fn config(paths: PathRule, seed: u64, recovery: Recovery) -> Config {
    Config {
        paths,
        recovery,
        ecmp_seed: seed,
        ..Config::paper(13_000, true)
    }
}

/// Each host of the first leaf to one of the second, at once: every uplink is full if the shares are even.
fn permutation() -> Vec<FlowSpec> {
    let flow = |src| FlowSpec {
        src,
        dst: src + 4,
        bytes: 1_000_000,
        start_ps: 0,
        dst_port: FlowSpec::DST_PORT,
    };
    (0..4).map(flow).collect()
}

/// Wire bytes that leaf 8 has sent to each spine.
fn uplinks(sim: &Simulator) -> [u64; 4] {
    [8, 9, 10, 11].map(|link| sim.ports[2 * link].tx_bytes)
}

/// A packet that asks a switch for its way.
fn asks(sim: &mut Simulator, src: u32, ports: u32, size: u32) -> u32 {
    sim.packets.insert(Packet {
        src,
        dst: 4,
        ports,
        size,
        ..Packet::default()
    })
}

/// The uplinks, 0 to 3, that one packet is given at `node`, asked `count` times.
fn chosen(sim: &mut Simulator, node: u32, count: usize) -> Vec<usize> {
    let index = asks(sim, 0, 7, 1000);
    let of = |port: u32| (port as usize / 2) % 4;
    (0..count).map(|_| of(sim.choose_port(node, index).unwrap())).collect()
}

fn chi_square(counts: &[u32]) -> f64 {
    let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    counts
        .iter()
        .map(|n| (f64::from(*n) - expected).powi(2) / expected)
        .sum()
}

/// 4000 choices at random among four: chi-square below 16.3 (three degrees of freedom, one in a thousand), of two that follow each other, of two
/// seeds and of two switches below 37.7 (15 degrees).
#[test]
fn random_shares_are_uniform() {
    let draws: Vec<Vec<usize>> = [(0, LEAF), (1, LEAF), (2, LEAF), (2, 9), (u64::MAX, LEAF)]
        .map(|(seed, node)| {
            let mut sim = simulator(vec![], config(PathRule::Random, seed, Recovery::GoBackN));
            let to = if node == LEAF { 4 } else { 0 };
            let index = asks(&mut sim, 7 - to, 7, 1000);
            sim.packets[index].dst = to;
            (0..4000)
                .map(|_| sim.choose_port(node, index).unwrap() as usize / 2 % 4)
                .collect()
        })
        .to_vec();
    for (a, own) in draws.iter().enumerate() {
        let mut counts = [0; 4];
        own.iter().for_each(|&port| counts[port] += 1);
        assert!(chi_square(&counts) < 16.3, "{counts:?}");
        let next = own[1..].to_vec();
        for other in [&next].into_iter().chain(&draws[a + 1..]) {
            let mut pairs = [0; 16];
            own.iter().zip(other).for_each(|(x, y)| pairs[4 * x + y] += 1);
            assert!(chi_square(&pairs) < 37.7, "{pairs:?}");
        }
    }
}

/// In turn, long and short packets each for themselves: acknowledgements between packets of payload do not send all payload one way.
#[test]
fn round_robin_is_in_turn() {
    let mut sim = simulator(vec![], config(PathRule::RoundRobin, 3, Recovery::GoBackN));
    let order = chosen(&mut sim, LEAF, 4);
    assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 4, "{order:?}");
    let (long, short) = (asks(&mut sim, 1, 9, 1122), asks(&mut sim, 2, 9, 84));
    for turn in order.iter().cycle().take(9) {
        assert_eq!(sim.choose_port(LEAF, long).unwrap() as usize / 2 % 4, *turn);
        sim.choose_port(LEAF, short).unwrap();
    }
    // Hosts below a switch have one way.
    let down = sim.packets.insert(Packet {
        dst: 2,
        ..Packet::default()
    });
    assert_eq!([0; 3].map(|_| sim.choose_port(LEAF, down)), [Some(5); 3]);
}

/// A gap of 5 us. Packets at 0, 4 and 8 us are one flowlet, the gap counting from the packet before; at 13 us, 5 us later, another begins. A flow
/// from another port has flowlets of its own. Ports are the switch's draws in turn, of which neighbours differ under some seed.
#[test]
fn flowlets_by_hand() {
    let seed = (0..100).find(|&seed| {
        let mut sim = simulator(vec![], config(PathRule::Random, seed, Recovery::GoBackN));
        let d = chosen(&mut sim, LEAF, 4);
        d[0] != d[1] && d[1] != d[2] && d[2] != d[3]
    });
    let seed = seed.unwrap();
    let draws = chosen(
        &mut simulator(vec![], config(PathRule::Random, seed, Recovery::GoBackN)),
        LEAF,
        4,
    );
    let mut sim = simulator(vec![], config(GAP, seed, Recovery::GoBackN));
    let (one, two) = (asks(&mut sim, 0, 7, 1000), asks(&mut sim, 0, 8, 1000));
    let packets = [
        (0, one, 0),
        (4, one, 0),
        (6, two, 1),
        (8, one, 0),
        (10, two, 1),
        (13, one, 2),
        (17, one, 2),
        (17, two, 3),
        (21, one, 2),
    ];
    for (us, packet, draw) in packets {
        sim.now = us * US;
        let port = sim.choose_port(LEAF, packet).unwrap() as usize / 2 % 4;
        assert_eq!(port, draws[draw], "at {us} us");
    }
    // New routes forget flowlets.
    sim.compute_routes();
    assert!(sim.spread.flowlets.is_empty());
}

/// What is over is forgotten when there is much: 5000 flows, one a microsecond, of which five are never over.
#[test]
fn flowlets_that_are_over_are_forgotten() {
    let mut sim = simulator(vec![], config(GAP, 1, Recovery::GoBackN));
    for us in 0..5000 {
        sim.now = u64::from(us) * US;
        let packet = asks(&mut sim, 0, us, 1000);
        sim.choose_port(LEAF, packet).unwrap();
    }
    assert!(sim.spread.flowlets.len() < 1000, "{}", sim.spread.flowlets.len());
}

/// The port that is free first: what waits, what is being sent, and how fast it goes; equal ones are drawn.
#[test]
fn adaptive_takes_the_shortest() {
    let mut sim = simulator(vec![], config(PathRule::Adaptive, 1, Recovery::GoBackN));
    let mut counts = [0; 4];
    chosen(&mut sim, LEAF, 4000).iter().for_each(|&port| counts[port] += 1);
    assert!(chi_square(&counts) < 16.3, "{counts:?}");
    let set = |sim: &mut Simulator, queued: [u64; 4]| {
        (8..12)
            .zip(queued)
            .for_each(|(link, bytes)| sim.ports[2 * link].queued_bytes = bytes);
    };
    set(&mut sim, [3000, 2000, 1000, 1001]);
    assert_eq!(chosen(&mut sim, LEAF, 3), [2; 3]);
    // 1000 bytes at 40 Gb/s take as long as 2500 at 100 Gb/s.
    sim.ports[2 * 10].rate_bps = 40_000_000_000;
    assert_eq!(chosen(&mut sim, LEAF, 3), [3; 3]);
    set(&mut sim, [2500, 2000, 1000, 3000]);
    assert_eq!(chosen(&mut sim, LEAF, 3), [1; 3]);
    // Port 1 is still sending for 41 ns: more than the 40 ns between it and port 0.
    sim.ports[2 * 9].busy_until = 41_000;
    sim.ports[2 * 10].rate_bps = 1_000_000_000;
    assert_eq!(chosen(&mut sim, LEAF, 3), [0; 3]);
}

/// Runs to the end and on until nothing is left under way, and checks that nothing is.
fn drained(mut sim: Simulator) -> (Simulator, Counters) {
    sim.run_until(20_000 * US);
    assert_eq!(sim.unfinished, 0);
    let counters = *sim.counters();
    sim.unfinished += 1;
    sim.run_until(40_000 * US);
    assert_eq!(sim.packets.in_use(), 0, "packets");
    for port in &sim.ports {
        let left = (
            port.queued_bytes,
            port.egress_bytes,
            port.ingress_bytes,
            port.headroom_used,
        );
        assert_eq!((left, port.waiting), ((0, 0, 0, 0), 0));
    }
    for switch in &sim.switches {
        assert_eq!((switch.shared_used, switch.total_used), (0, 0));
    }
    (sim, counters)
}

const PAYLOAD: u64 = 4_000_000;

/// Without loss every packet is sent once and arrives, whatever way it takes; a hash of the 5-tuple keeps the order, and so does nothing else;
/// in turn and at random the four uplinks carry equal shares.
#[test]
fn every_rule_conserves_packets() {
    for paths in RULES {
        let (sim, counters) = drained(simulator(permutation(), config(paths, 5, ANY)));
        let again: u64 = sim.records.iter().map(|r| r.retransmitted_bytes).sum();
        assert_eq!(
            (counters.drops, counters.losses, counters.naks, again),
            (0, 0, 0, 0),
            "{paths:?}"
        );
        assert_eq!(counters.data_packets, 4 * 977);
        let keeps = matches!(paths, PathRule::Ecmp | GAP);
        assert_eq!(counters.early == 0, keeps, "{paths:?}: {} early", counters.early);
        let shares = uplinks(&sim);
        // Stamped by one switch: 98 bytes of headers and telemetry of 2 and 8.
        let wire = PAYLOAD + 4 * (977 * (82 + 2 + 8) + 16);
        assert_eq!(shares.iter().sum::<u64>(), wire, "{paths:?}");
        match paths {
            PathRule::RoundRobin => {
                let (least, most) = (shares.iter().min().unwrap(), shares.iter().max().unwrap());
                assert!(most - least <= 4 * 1132, "{shares:?}");
            }
            PathRule::Random => {
                let packets = shares.map(|bytes| (bytes / 1116) as u32);
                assert!(chi_square(&packets) < 16.3, "{packets:?}");
            }
            _ => {}
        }
    }
}

/// Packets of a sprayed flow that overtake each other make go-back-N repeat; receivers that take any order do not.
#[test]
fn go_back_n_repeats_what_was_overtaken() {
    for paths in [PathRule::RoundRobin, PathRule::Random, PathRule::Adaptive] {
        let (sim, counters) = drained(simulator(permutation(), config(paths, 5, Recovery::GoBackN)));
        let again: u64 = sim.records.iter().map(|r| r.retransmitted_bytes).sum();
        assert!(counters.early > 0 && counters.naks > 0 && again > 0, "{paths:?}");
    }
    let (_, counters) = drained(simulator(permutation(), config(PathRule::Ecmp, 5, Recovery::GoBackN)));
    assert_eq!((counters.early, counters.naks), (0, 0));
}

/// A link fails while all send, and returns: with each rule everything is delivered by either kind of receiver, nothing takes the link in
/// between, and receivers that take any order have repeated what was lost, no more.
#[test]
fn every_rule_survives_a_failure() {
    for (paths, recovery) in RULES.into_iter().flat_map(|p| [(p, ANY), (p, Recovery::GoBackN)]) {
        let mut sim = simulator(permutation(), config(paths, 5, recovery));
        for (at_us, up) in [(30, false), (60, true)] {
            sim.add_link_change(LinkChange {
                at_ps: at_us * US,
                link: 9,
                up,
                rate_bps: None,
            });
        }
        sim.run_until(30 * US);
        let before = uplinks(&sim);
        sim.run_until(60 * US - 1);
        let between = uplinks(&sim);
        assert_eq!(before[1], between[1], "{paths:?}");
        assert!(before[2] < between[2] || paths == PathRule::Ecmp, "{paths:?}");
        let (sim, counters) = drained(sim);
        let again: u64 = sim.records.iter().map(|r| r.retransmitted_bytes).sum();
        let lost = counters.drops + counters.losses;
        if recovery == ANY {
            assert_eq!(counters.timeouts, 0, "{paths:?}");
            assert!(again <= lost * 1024, "{paths:?}: {again} bytes for {lost} packets");
        }
        if !matches!(paths, PathRule::Ecmp | GAP) {
            assert!(uplinks(&sim)[1] > between[1], "{paths:?}: the link is taken again");
            assert!(lost > 0 && again > 0, "{paths:?}");
        }
    }
}

/// One packet in a hundred is lost on every link, acknowledgements too.
#[test]
fn every_rule_survives_losses() {
    for paths in RULES {
        let mut sim = simulator(permutation(), config(paths, 5, ANY));
        sim.ports.iter_mut().for_each(|port| port.loss = 0.01);
        let (sim, counters) = drained(sim);
        let again: u64 = sim.records.iter().map(|r| r.retransmitted_bytes).sum();
        assert!(counters.losses > 100 && again > 0, "{paths:?}");
        // 4 hops each way lose up to one packet in 25; what was waited for in vain comes again once, and after a timeout all that is unknown.
        assert!(again < PAYLOAD / 8, "{paths:?}: {again}");
    }
}

/// The same run twice is the same to the byte, and another seed another run.
#[test]
fn a_seed_is_a_run() {
    for paths in [PathRule::Random, GAP, PathRule::Adaptive, PathRule::RoundRobin] {
        let times = |seed| -> Vec<_> {
            let (sim, counters) = drained(simulator(permutation(), config(paths, seed, ANY)));
            (sim.records.iter().map(|r| r.finished_ps).chain([Some(counters.events)])).collect()
        };
        assert_eq!(times(1), times(1));
        assert!((2..6).any(|seed| times(seed) != times(1)), "{paths:?}");
    }
}
