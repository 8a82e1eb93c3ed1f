//! Collectives: who gets what from whom, and how long it takes on one switch.

use std::collections::BTreeSet;

use super::*;
use crate::cc::LineRate;
use crate::net::*;

const US: u64 = 1_000_000;

fn collective(operation: Operation, algorithm: Algorithm, n: u32, bytes: u64) -> Collective {
    Collective {
        operation,
        algorithm,
        hosts: (0..n).collect(),
        bytes,
        chunks: 1,
        repetitions: 1,
        start_ps: 0,
        pause_ps: 0,
    }
}

/// Every operation with every algorithm that does it.
const ALL: [(Operation, Algorithm); 9] = [
    (Operation::AllReduce, Algorithm::Ring),
    (Operation::AllReduce, Algorithm::RecursiveDoubling),
    (Operation::AllReduce, Algorithm::HalvingDoubling),
    (Operation::AllReduce, Algorithm::Tree),
    (Operation::AllGather, Algorithm::Ring),
    (Operation::AllGather, Algorithm::RecursiveDoubling),
    (Operation::ReduceScatter, Algorithm::Ring),
    (Operation::ReduceScatter, Algorithm::HalvingDoubling),
    (Operation::Broadcast, Algorithm::Tree),
];

fn run(flows: &Flows, hosts: usize) -> Vec<FlowRecord> {
    let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(LineRate::new(p.line_rate_bps)))))
    };
    let config = Config {
        buffer_bytes: 1 << 30,
        window_use: WindowUse::None,
        ..Config::paper(13_000, false)
    };
    let topology = star(hosts, 100, 1000);
    let mut sim = Simulator::new(&topology, flows.flows.clone(), config, SamplePlan::default(), &mut slot).unwrap();
    sim.add_start_rules(&flows.rules).unwrap();
    sim.run_until(1_000_000 * US);
    assert_eq!(sim.unfinished(), 0);
    sim.finish().records
}

/// What a host has that others need: whose data, by reception before each transfer. A transfer carries all that its sender had when the
/// transfers that it waits for had been received; at the end everybody has heard of everybody, of a broadcast from the first.
#[test]
fn everybody_hears_of_everybody() {
    for n in [2, 4, 8, 16] {
        for (operation, algorithm) in ALL {
            let flows = collective(operation, algorithm, n, 1000 * u64::from(n))
                .flows()
                .unwrap();
            let mut carried: Vec<BTreeSet<u32>> = Vec::new();
            let mut heard: Vec<BTreeSet<u32>> = (0..n).map(|host| [host].into()).collect();
            let none = Vec::new();
            for (number, flow) in flows.flows.iter().enumerate() {
                let rule = flows.rules.iter().find(|r| r.flow == number as u32);
                let mut own: BTreeSet<u32> = [flow.src].into();
                // What a host had sent before it has too.
                for (after, moment) in rule.map_or(&none, |r| &r.after) {
                    let before = &flows.flows[*after as usize];
                    assert!(*after < number as u32, "only what comes before");
                    match moment {
                        Moment::Received => assert_eq!(before.dst, flow.src),
                        _ => assert_eq!(before.src, flow.src),
                    }
                    own.extend(&carried[*after as usize]);
                }
                heard[flow.dst as usize].extend(&own);
                carried.push(own);
            }
            for (host, heard) in heard.iter().enumerate() {
                let expected = if operation == Operation::Broadcast {
                    1
                } else {
                    n as usize
                };
                assert!(
                    heard.len() >= expected && heard.contains(&0),
                    "{operation:?} {algorithm:?} {n}: host {host} {heard:?}"
                );
            }
        }
    }
}

/// Steps, and payload that the first host sends, of 8 hosts and 8000 bytes; by hand.
#[test]
fn steps_and_bytes_by_hand() {
    use {Algorithm as A, Operation as O};
    for (operation, algorithm, steps, bytes) in [
        (O::AllReduce, A::Ring, 14, 14_000),
        (O::AllGather, A::Ring, 7, 7000),
        (O::ReduceScatter, A::Ring, 7, 7000),
        (O::AllReduce, A::RecursiveDoubling, 3, 24_000),
        (O::AllGather, A::RecursiveDoubling, 3, 7000),
        (O::ReduceScatter, A::HalvingDoubling, 3, 7000),
        (O::AllReduce, A::HalvingDoubling, 6, 14_000),
        (O::Broadcast, A::Tree, 3, 24_000),
        (O::AllReduce, A::Tree, 6, 24_000),
        (O::AllToAll, A::Direct, 7, 7000),
    ] {
        let flows = collective(operation, algorithm, 8, 8000).flows().unwrap();
        let places: BTreeSet<u32> = flows.places.iter().map(|p| p.step).collect();
        assert_eq!(
            places.into_iter().collect::<Vec<_>>(),
            (0..steps).collect::<Vec<_>>(),
            "{operation:?} {algorithm:?}"
        );
        let sent: u64 = flows.flows.iter().filter(|f| f.src == 0).map(|f| f.bytes).sum();
        assert_eq!(sent, bytes, "{operation:?} {algorithm:?}");
    }
    // A message that does not divide: nothing is lost. Six hosts and a tree: five transfers.
    let flows = collective(O::AllGather, A::Ring, 3, 10_001).flows().unwrap();
    let of_step = |step: usize| -> u64 { (0..3).map(|host| flows.flows[3 * step + host].bytes).sum() };
    assert_eq!([of_step(0), of_step(1)], [10_001, 10_001]);
    let tree = collective(O::Broadcast, A::Tree, 6, 1000).flows().unwrap();
    let ways: Vec<(u32, u32)> = tree.flows.iter().map(|f| (f.src, f.dst)).collect();
    assert_eq!(ways, [(0, 1), (0, 2), (1, 3), (0, 4), (1, 5)]);
}

#[test]
fn bus_factors_are_those_of_nccl_tests() {
    let factor = |operation| collective(operation, Algorithm::Ring, 4, 100).bus_factor();
    assert_eq!(
        [
            Operation::AllReduce,
            Operation::AllGather,
            Operation::ReduceScatter,
            Operation::Broadcast,
            Operation::AllToAll
        ]
        .map(factor),
        [1.5, 0.75, 0.75, 1.0, 0.75]
    );
}

/// Law `none` on one switch: a ring all-reduce of S over N hosts is 2(N-1) steps, each at least the exact time of S/N one way, at most that and the
/// acknowledgements of the opposite stream, 86 bytes for each packet of 1106.
#[test]
fn a_rings_steps_are_bounded() {
    for (n, packets) in [(2, 1), (4, 250), (8, 100), (8, 7)] {
        let share = packets * 1024;
        let flows = collective(Operation::AllReduce, Algorithm::Ring, n, share * u64::from(n))
            .flows()
            .unwrap();
        let records = run(&flows, n as usize);
        let exact = ((packets - 1) * 1106 + 2 * 1122) * 80 + 2 * US;
        assert_eq!(records.len(), 2 * (n as usize - 1) * n as usize);
        let mut end = 0;
        for (record, place) in records.iter().zip(&flows.places) {
            let time = record.received_ps.unwrap() - record.started_ps;
            let most = exact + packets * 86 * 80;
            assert!(
                (exact..=most).contains(&time),
                "{n} hosts, step {}: {time} ps, {exact} to {most}",
                place.step
            );
            end = end.max(record.received_ps.unwrap());
        }
        let steps = 2 * (u64::from(n) - 1);
        assert!(
            (steps * exact..=steps * (exact + packets * 86 * 80)).contains(&end),
            "{end}"
        );
    }
}

/// A tree's rounds one behind the other: three rounds of a broadcast to eight hosts take three times the one-way time, less the flight of what is
/// behind in the pipe. In 16 chunks, which are passed on one by one, a chain of two hosts less.
#[test]
fn chunks_follow_each_other() {
    let time = |n: u32, chunks: u64| {
        let mut broadcast = collective(Operation::Broadcast, Algorithm::Tree, n, 1024 * 1024);
        broadcast.chunks = chunks;
        let records = run(&broadcast.flows().unwrap(), n as usize);
        records.iter().filter_map(|r| r.received_ps).max().unwrap() as f64
    };
    let one = time(2, 1);
    // To one host: chunks cost the longer first packet of each, 16 bytes.
    assert!(
        (0.999..1.01).contains(&(time(2, 16) / one)),
        "{} for {one}",
        time(2, 16)
    );
    // The first host sends three times; the last to hear got it behind those.
    assert!((2.9..3.1).contains(&(time(8, 1) / one)), "{} for {one}", time(8, 1));
    // With chunks those of the first round are passed on while the first host still sends: its three transfers bound it from below.
    let cut = time(8, 16) / one;
    assert!((2.9..3.1).contains(&cut), "{cut}");
    let ring = |chunks| {
        let mut ring = collective(Operation::AllGather, Algorithm::Ring, 4, 4 * 1024 * 1024);
        ring.chunks = chunks;
        let records = run(&ring.flows().unwrap(), 4);
        records.iter().filter_map(|r| r.received_ps).max().unwrap() as f64
    };
    // A ring is busy without chunks; with them a step's flight and last packet vanish: 2 x (1 us + 88 ns) of the two steps between.
    let (whole, cut) = (ring(1), ring(16));
    assert!(cut < whole, "{cut} for {whole}");
}

/// A host begins the next repetition when it has received and sent everything of the one before, and paused.
#[test]
fn repetitions_follow_each_other() {
    for (operation, algorithm) in ALL.into_iter().chain([(Operation::AllToAll, Algorithm::Direct)]) {
        let mut three = collective(operation, algorithm, 4, 40_000);
        (three.repetitions, three.pause_ps) = (3, 5 * US);
        let flows = three.flows().unwrap();
        let records = run(&flows, 4);
        for host in 0..4 {
            let ends = |repetition: u32| {
                let of = flows
                    .flows
                    .iter()
                    .zip(&records)
                    .zip(&flows.places)
                    .filter(|(_, p)| p.repetition == repetition);
                of.filter_map(|((f, r), _)| match (f.src == host, f.dst == host) {
                    (true, _) => r.finished_ps,
                    (_, true) => r.received_ps,
                    _ => None,
                })
                .max()
                .unwrap()
            };
            for repetition in 1..3 {
                let of = flows.flows.iter().zip(&records).zip(&flows.places);
                let starts = of.filter(|((f, _), p)| f.src == host && p.repetition == repetition);
                let Some(first) = starts.map(|((_, r), _)| r.started_ps).min() else {
                    continue;
                };
                let least = ends(repetition - 1);
                assert!(
                    first >= least,
                    "{operation:?} {algorithm:?}: host {host} {first} before {least}"
                );
                if algorithm == Algorithm::Ring {
                    assert_eq!(first, least + 5 * US);
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_done_is_an_error() {
    use {Algorithm as A, Operation as O};
    let error = |change: &dyn Fn(&mut Collective)| {
        let mut own = collective(O::AllReduce, A::Ring, 6, 6000);
        change(&mut own);
        own.flows().unwrap_err()
    };
    assert!(error(&|c| c.hosts.truncate(1)).starts_with("hosts: expected two"));
    assert!(error(&|c| c.hosts[1] = 0).starts_with("hosts: expected two"));
    assert!(error(&|c| c.bytes = 5).starts_with("bytes: expected at least"));
    assert!(error(&|c| c.chunks = 1001).starts_with("bytes: expected at least"));
    assert!(error(&|c| c.chunks = 0).starts_with("bytes: "));
    assert!(error(&|c| c.repetitions = 0).starts_with("repetitions: "));
    assert!(error(&|c| c.algorithm = A::RecursiveDoubling).starts_with("hosts: expected a power of two"));
    assert!(error(&|c| (c.algorithm, c.chunks) = (A::Direct, 2)).starts_with("chunks: expected only with ring or tree"));
    assert!(error(&|c| c.operation = O::Broadcast).starts_with("algorithm: expected ring"));
}
