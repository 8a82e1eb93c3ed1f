//! HCC on the tree of its evaluation, with senders that would otherwise never slow down.

use super::super::tests::Greedy;
use super::super::*;
use super::*;
use crate::alloc::agent::{Drain, Settings};
use crate::alloc::{exact, Flow, Graph, Quantiser, INFINITE};
use crate::seeds::generator;
use std::collections::BTreeSet;

const MS: u64 = 1_000_000_000;
const GBPS: u64 = 1_000_000_000;
/// The links from the left aggregation switch to the core and on to the right one: one capacity.
const CORE: [usize; 2] = [64 + 8, 64 + 9];

/// Exact reports, 99 % of the capacity, the evaluation's draining.
fn exact_settings() -> Settings {
    Settings {
        headroom: 990,
        drain: Drain {
            granted: 900,
            times: 10,
            reaction_ns: 150_000,
        },
        ..Settings::default()
    }
}

/// Endless flows from these hosts of the left half, each to a host of its own on the right.
fn flows(sources: &[u32]) -> Vec<FlowSpec> {
    let flow = |(i, &src): (usize, &u32)| FlowSpec {
        src,
        dst: 32 + i as u32 % 32,
        bytes: 1 << 40,
        start_ps: i as u64 * 1_000_000,
        dst_port: FlowSpec::DST_PORT,
    };
    sources.iter().enumerate().map(flow).collect()
}

fn simulator(sources: &[u32], hcc: HccConfig) -> Simulator {
    with_flows(flows(sources), hcc)
}

fn with_flows(flows: Vec<FlowSpec>, hcc: HccConfig) -> Simulator {
    on_tree(&three_tier(10, 50, 50), flows, hcc)
}

fn on_tree(topology: &Topology, flows: Vec<FlowSpec>, hcc: HccConfig) -> Simulator {
    let mut config = Config::paper(444_000, false);
    config.flow_control = FlowControl::EgressLimit;
    let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(Greedy {
            rate: p.line_rate_bps as f64,
            window: f64::INFINITY,
        }))))
    };
    let plan = SamplePlan {
        interval_ps: MS / 10,
        end_ps: 200 * MS,
        queue_series: true,
        flow_series: 64,
        series_every: 1,
        ..SamplePlan::default()
    };
    let pairs: BTreeSet<(u32, u32)> = flows.iter().map(|f| (f.src, f.dst)).collect();
    let pairs = Vec::from_iter(pairs);
    let mut sim = Simulator::new(topology, flows, config, plan, &mut slot).unwrap();
    sim.add_hcc(hcc, &pairs).unwrap();
    sim
}

/// Payload rate of each flow between two times, bit/s.
fn measured(sim: &Simulator, from: u64, to: u64) -> Vec<f64> {
    let at = |flow: usize, t: u64| {
        let points = sim.samples().flows.iter();
        let point = points.rev().find(|p| p.flow == flow as u32 && p.t_ps <= t);
        point.map_or(0, |p| p.delivered_bytes) as f64
    };
    let seconds = (to - from) as f64 / 1e12;
    let rate = |flow| (at(flow, to) - at(flow, from)) * 8.0 / seconds;
    (0..sim.flows().len()).map(rate).collect()
}

/// Exact shares of the flows at the links of the tree, with a core link of this capacity, as payload rates.
fn expected(sources: &[u32], core: u64) -> Vec<f64> {
    let mut capacities = vec![50 * GBPS; 32 + 4];
    capacities.push(core);
    let flow = |&src: &u32| Flow {
        demand: INFINITE,
        path: vec![src as usize, 32 + src as usize / 8, 36],
    };
    let graph = Graph::new(capacities, sources.iter().map(flow).collect()).unwrap();
    let payload = 1024.0 / f64::from(1024 + Framing::wire(false).data_header);
    exact::solve(&graph).iter().map(|&s| s as f64 * payload).collect()
}

fn assert_close(got: &[f64], expected: &[f64]) {
    for (flow, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert!((got / expected - 1.0).abs() < 0.02, "flow {flow}: {got} of {expected}");
    }
}

/// Packets waiting before the bottleneck at a time.
fn queue(sim: &Simulator, t: u64) -> u64 {
    let at = |p: &&QueuePoint| p.node == 72 && p.interface == 5 && p.t_ps <= t;
    sim.samples().queues.iter().rev().find(at).map_or(0, |p| p.bytes) / 1086
}

const SOURCES: [u32; 12] = [0, 0, 0, 1, 7, 8, 8, 9, 16, 24, 31, 31];

/// Measured rates are the exact shares of 99 % of the core link, before and after its capacity changes; the queue of the fall drains;
/// nothing is said while nothing changes; each change of capacity costs the root 16 bytes a child and a central solution 12 a flow.
#[test]
fn measured_rates_are_the_shares() {
    let mut hcc = HccConfig::evaluated(exact_settings());
    hcc.central = true;
    let mut sim = simulator(&SOURCES, hcc);
    for (at_ps, gbps) in [(20 * MS, 5), (60 * MS, 50)] {
        for link in CORE {
            sim.add_link_change(LinkChange {
                at_ps,
                link,
                up: true,
                rate_bps: Some(gbps * GBPS),
            });
        }
    }
    sim.run_until(10 * MS);
    let at_rest = sim.hcc_outcome().unwrap().clone();
    sim.run_until(20 * MS - 1);
    let before = sim.hcc_outcome().unwrap().clone();
    assert_eq!(at_rest.levels[1].sent, before.levels[1].sent);
    assert_eq!(at_rest.levels[2].sent, before.levels[2].sent);
    assert_close(&measured(&sim, 3 * MS, 19 * MS), &expected(&SOURCES, 9_900_000_000));
    assert!(queue(&sim, 19 * MS) <= 5, "{}", queue(&sim, 19 * MS));
    sim.run_until(21 * MS);
    let after = sim.hcc_outcome().unwrap().clone();
    assert_eq!(after.levels[2].sent_bytes - before.levels[2].sent_bytes, 16 * 4);
    assert_eq!(after.central.changed_out - before.central.changed_out, 12 * 12);
    sim.run_until(60 * MS - 1);
    assert!(queue(&sim, 59 * MS) <= 5, "{}", queue(&sim, 59 * MS));
    assert_close(&measured(&sim, 40 * MS, 59 * MS), &expected(&SOURCES, 4_950_000_000));
    sim.run_until(90 * MS);
    assert_close(&measured(&sim, 63 * MS, 89 * MS), &expected(&SOURCES, 49_500_000_000));
    assert_eq!(sim.counters().drops, 0);
    assert!(sim
        .hcc_outcome()
        .unwrap()
        .first_share_ns
        .iter()
        .all(|&ns| ns <= 150_000));
}

/// Seven flows of one host, whose caps add up to all of its link: they wait for each other, and have their shares all the same.
#[test]
fn caps_that_fill_the_hosts_link_are_exact() {
    let settings = Settings {
        headroom: crate::alloc::agent::WHOLE,
        ..exact_settings()
    };
    let mut sim = on_tree(&three_tier(50, 50, 10), flows(&[3; 7]), HccConfig::evaluated(settings));
    sim.run_until(30 * MS);
    let payload = 1024.0 / f64::from(1024 + Framing::wire(false).data_header);
    let share = 10e9 / 7.0 * payload;
    for (flow, got) in measured(&sim, 10 * MS, 29 * MS).iter().enumerate() {
        assert!((got / share - 1.0).abs() < 0.005, "flow {flow}: {got} of {share}");
    }
}

/// Six flows to one receiver, whose link of 10 Gb/s is their bottleneck, and three to others, which share what these leave of the core
/// link: with a root for each receiver's link every flow has its exact share, and no queue stays.
#[test]
fn two_sided_shares_fit_the_receivers_links() {
    let sources: [u32; 9] = [0, 1, 2, 8, 16, 24, 25, 25, 0];
    let to: [u32; 9] = [32, 32, 32, 32, 32, 32, 40, 40, 48];
    let mut specs = flows(&sources);
    for (spec, dst) in specs.iter_mut().zip(to) {
        spec.dst = dst;
    }
    let mut hcc = HccConfig::evaluated(exact_settings());
    hcc.two_sided = true;
    let mut sim = on_tree(&three_tier(20, 50, 10), specs, hcc);
    sim.run_until(30 * MS);
    let at_rest = sim.hcc_outcome().unwrap().clone();
    sim.run_until(60 * MS);
    assert_eq!(
        at_rest.levels,
        sim.hcc_outcome().unwrap().levels,
        "nothing changes, so nothing is said"
    );
    let agents: Vec<u64> = at_rest.levels.iter().map(|level| level.agents).collect();
    // pairs, hosts, edge switches, the core link, destinations
    assert_eq!(agents, [8, 7, 4, 1, 3]);
    // hosts of both sides, edge switches, core; what roots own they grant 99 % of
    let mut capacities = vec![10 * GBPS; 64];
    capacities[32..].fill(9_900_000_000);
    capacities.extend([50 * GBPS; 4]);
    capacities.push(19_800_000_000);
    let flow = |(&src, dst): (&u32, u32)| Flow {
        demand: INFINITE,
        path: vec![src as usize, 64 + src as usize / 8, 68, dst as usize],
    };
    let graph = Graph::new(capacities, sources.iter().zip(to).map(flow).collect()).unwrap();
    let payload = 1024.0 / f64::from(1024 + Framing::wire(false).data_header);
    let shares: Vec<f64> = exact::solve(&graph).iter().map(|&s| s as f64 * payload).collect();
    assert_close(&measured(&sim, 30 * MS, 59 * MS), &shares);
    let last: BTreeMap<(u32, u32), u64> = (sim.samples().queues.iter())
        .map(|q| ((q.node, q.interface), q.bytes))
        .collect();
    assert!(last.values().all(|&bytes| bytes <= 10 * 1086), "{last:?}");
}

/// The hosts of the evaluation: TCP connections whose rate and window the agents command, drop-tail queues. The shares are the same;
/// what the start overfills is repeated; when a flow is over the others get its part.
#[test]
fn commanded_connections_get_their_shares() {
    let mut config = Config::paper(444_000, false);
    config.flow_control = FlowControl::DropTail { packets: 1000 };
    let stack = tcp::TcpConfig::rfc(tcp::TcpLaw::Commanded);
    let payload = f64::from(stack.mss) / f64::from(stack.wire_bytes(stack.mss, 0));
    config.tcp = Some(tcp::TcpSetup::all(stack));
    let mut specs = flows(&SOURCES);
    specs[0].bytes = 1_000_000;
    let plan = SamplePlan {
        meter_ps: MS,
        end_ps: 200 * MS,
        ..SamplePlan::default()
    };
    let pairs: Vec<(u32, u32)> = specs.iter().map(|f| (f.src, f.dst)).collect();
    let mut slot = |_: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(Greedy { rate: 1.0, window: 1.0 }))))
    };
    let mut sim = Simulator::new(&three_tier(10, 50, 50), specs, config, plan, &mut slot).unwrap();
    let mut hcc = HccConfig::evaluated(exact_settings());
    hcc.dither = true;
    sim.add_hcc(hcc, &pairs).unwrap();
    sim.run_until(60 * MS);
    assert!(sim.records()[0].finished_ps.is_some());
    let share = 9_900_000_000.0 / 11.0 * payload;
    for flow in 1..12 {
        let meters = sim.samples().flow_meters.iter();
        let late = meters.filter(|m| m.flow == flow && m.t_ps > 30 * MS && m.t_ps <= 60 * MS);
        let rate = late.map(|m| m.delivered_bytes as f64).sum::<f64>() * 8.0 / 0.03;
        assert!((rate / share - 1.0).abs() < 0.02, "flow {flow}: {rate} of {share}");
    }
    let queued = sim
        .samples()
        .port_meters
        .iter()
        .filter(|m| m.t_ps > 30 * MS)
        .map(|m| m.queue_packets);
    assert!(queued.max().unwrap_or(0) <= 20);
}

/// A fifth of the control messages is lost and two agents fail for a while: full maps bring every flow to its share again.
#[test]
fn lost_messages_and_failures_are_repaired() {
    let mut hcc = HccConfig::evaluated(exact_settings());
    hcc.loss = 0.2;
    hcc.refresh_cycles = 16;
    hcc.failures = [(1, 0), (2, 0)]
        .map(|(level, index)| AgentFailure {
            level,
            index,
            from_ps: 2 * MS,
            to_ps: 4 * MS,
        })
        .to_vec();
    let mut sim = simulator(&SOURCES, hcc);
    sim.run_until(40 * MS);
    assert!(sim.hcc_outcome().unwrap().lost > 0);
    assert_close(&measured(&sim, 20 * MS, 39 * MS), &expected(&SOURCES, 9_900_000_000));
}

/// With quantisation, pruning and a demand from the backlog no flow is far below its share, and the link is not overfull.
#[test]
fn compressed_reports_keep_the_link_full() {
    let quantiser = Quantiser::new(8, 50 * GBPS).unwrap();
    let mut hcc = HccConfig::evaluated(Settings::evaluated(quantiser));
    hcc.demand = DemandRule::Backlog;
    hcc.dither = true;
    let mut sim = simulator(&SOURCES, hcc);
    sim.run_until(20 * MS);
    let (got, shares) = (measured(&sim, 3 * MS, 19 * MS), expected(&SOURCES, 9_900_000_000));
    for (got, share) in got.iter().zip(&shares) {
        assert!(*got > 0.9 * 0.9 * share && *got < 1.1 * share, "{got} of {share}");
    }
    assert!(queue(&sim, 19 * MS) <= 20);
}

/// A host's only flow ends, and after a pause another one begins. It starts at its fair share, because the host knows it, and keeps at
/// least nine tenths of it: its edge switch's agent first divides what it holds among one flow more (825 Mb/s x 5/6), until the root has
/// answered. A host's first flow starts at the line rate and comes to its share with the first message.
#[test]
fn a_flow_after_a_pause_starts_at_its_fair_share() {
    let mut specs = flows(&SOURCES);
    let resumed = specs.len();
    for (start_ps, bytes) in [(0, 1_000_000), (15 * MS, 1 << 40)] {
        specs.push(FlowSpec {
            src: 2,
            dst: 32 + 20,
            bytes,
            start_ps,
            dst_port: FlowSpec::DST_PORT,
        });
    }
    let mut sim = with_flows(specs, HccConfig::evaluated(exact_settings()));
    let share = 9_900_000_000 / 13;
    // cap at the start, least and largest cap, time from which it stays within 5 % of the share, us; looked at every microsecond
    let mut caps = |from: u64, to: u64| {
        let mut caps = Vec::new();
        for us in 0..(to - from) / 1_000_000 {
            sim.run_until(from + us * 1_000_000);
            let mut running = sim.contexts.iter().filter(|c| !c.finished);
            let host = running.find(|c| sim.flows[c.flow as usize].src == 2);
            caps.push(host.and_then(|c| c.cap_bps).expect("a capped flow"));
        }
        let far = caps.iter().rposition(|cap| cap.abs_diff(share) * 20 > share);
        (
            caps[0],
            *caps.iter().min().unwrap(),
            *caps.iter().max().unwrap(),
            far.map_or(0, |us| us + 1),
        )
    };
    let (first, _, _, cold) = caps(0, 2 * MS);
    assert_eq!(first, 50 * GBPS);
    assert!((1..=150).contains(&cold), "{cold} us");
    let (first, least, largest, warm) = caps(15 * MS, 19 * MS);
    println!("share {share}: {cold} us at a first flow; after 4.5 ms {first}, then {least} to {largest}, {warm} us");
    assert_eq!((first, largest), (share, share));
    assert!(least * 10 >= share * 9, "{least} of {share}");
    assert!(warm <= 150, "{warm} us");
    assert!(sim.records()[resumed].finished_ps.is_some_and(|at| at < 13 * MS));
    // what arrives: the first two milliseconds after half a round trip
    let rate = measured(&sim, 15 * MS + 222_000_000, 17 * MS + 222_000_000)[resumed + 1];
    let payload = 1024.0 / f64::from(1024 + Framing::wire(false).data_header);
    assert!((rate / (share as f64 * payload) - 1.0).abs() < 0.1, "{rate}");
}

/// Cycles of HCC-2 on the tree, by hand: a leaf looks at its flows every third of a microsecond times 3 and reports every third time; a rack's
/// agent takes 3 delays of its hosts' links (1 us) and reports every tenth time, the root's children are 10 us away.
#[test]
fn tasks_run_in_the_cycles_of_their_level() {
    let sim = simulator(&SOURCES, HccConfig::evaluated(exact_settings()));
    let agents = &sim.hcc.as_ref().unwrap().agents;
    for placed in agents {
        let cycles = (placed.child_task.cycle_ps, placed.parent_task.cycle_ps);
        let expected = match placed.level {
            0 => (1_000_000, 3_000_000),
            1 => (3_000_000, 30_000_000),
            _ => (30_000_000, 300_000_000),
        };
        assert_eq!(cycles, expected, "level {}", placed.level);
    }
    assert!((0..3).all(|level| agents.iter().any(|placed| placed.level == level)));
}

/// A task's turns are its phase and whole cycles after it; the next one is never now. A link without delay has a cycle of one picosecond.
#[test]
fn the_next_turn_is_within_a_cycle() {
    let mut rng = generator(1);
    for cycle in [0, 1, 2, 7, 1000] {
        let task = Task::new(cycle, &mut rng);
        let cycle = cycle.max(1);
        assert!(task.phase_ps < cycle && !task.scheduled);
        for now in 0..3 * cycle {
            let mut turns = (0..).map(|turn| task.phase_ps + turn * cycle);
            assert_eq!(
                Some(task.next(now)),
                turns.find(|&at| at > now),
                "cycle {cycle}, now {now}"
            );
        }
    }
}

#[test]
fn impossible_agents_are_refused() {
    let mut hcc = HccConfig::evaluated(Settings::default());
    hcc.failures = vec![AgentFailure {
        level: 2,
        index: 1,
        from_ps: 0,
        to_ps: 1,
    }];
    let mut config = Config::paper(13_000, false);
    config.flow_control = FlowControl::EgressLimit;
    let mut slot = |_: &SlotParams| -> Result<Box<dyn CcSlot>, String> { Err("not needed".into()) };
    let mut sim = Simulator::new(
        &three_tier(10, 50, 50),
        vec![],
        config,
        SamplePlan::default(),
        &mut slot,
    )
    .unwrap();
    let message = sim.add_hcc(hcc, &[(0, 32)]).unwrap_err().to_string();
    assert_eq!(message, "agents: failures: expected an agent of level 2 below 1, got 1");
    let mut several = Simulator::new(
        &fat_tree(2),
        vec![],
        Config::paper(13_000, false),
        SamplePlan::default(),
        &mut slot,
    )
    .unwrap();
    let message = several
        .add_hcc(HccConfig::evaluated(Settings::default()), &[(0, 127)])
        .unwrap_err()
        .to_string();
    assert!(message.contains("expected one path"), "{message}");
}
