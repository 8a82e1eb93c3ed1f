//! TCP hosts in a network: the link they fill, what they share, the queue they keep, closed loops, meters, changes of speed.

use super::{TcpConfig, TcpLaw, TcpSetup};
use crate::net::{
    dumbbell, ClosedLoop, Config, FlowControl, FlowSpec, LinkChange, Outcome, SamplePlan, Simulator, Topology,
};
use proptest::prelude::*;

const MS: u64 = 1_000_000_000;

fn config(stack: TcpConfig, packets: u32) -> Config {
    let mut config = Config::paper(13_000, false);
    config.flow_control = FlowControl::DropTail { packets };
    config.tcp = Some(TcpSetup::all(stack));
    config
}

fn no_slot(_: &crate::net::SlotParams) -> Result<Box<dyn crate::net::CcSlot>, String> {
    Err("no congestion-control slot is needed".into())
}

fn flow(src: u32, dst: u32, bytes: u64) -> FlowSpec {
    FlowSpec {
        src,
        dst,
        bytes,
        start_ps: 0,
        dst_port: FlowSpec::DST_PORT,
    }
}

fn simulate(topology: &Topology, flows: Vec<FlowSpec>, config: Config, change: Option<LinkChange>, ms: u64) -> Outcome {
    let plan = SamplePlan {
        meter_ps: MS,
        end_ps: ms * MS,
        ..SamplePlan::default()
    };
    let mut sim = Simulator::new(topology, flows, config, plan, &mut no_slot).unwrap();
    change.into_iter().for_each(|c| sim.add_link_change(c));
    sim.run_until(ms * MS);
    sim.finish()
}

/// Goodput of a flow in the milliseconds from..to, bits per second.
fn goodput(outcome: &Outcome, flow: u32, from: u64, to: u64) -> f64 {
    let inside = |t: u64| t > from * MS && t <= to * MS;
    let bytes: u64 = outcome
        .samples
        .flow_meters
        .iter()
        .filter(|m| m.flow == flow && inside(m.t_ps))
        .map(|m| m.delivered_bytes)
        .sum();
    bytes as f64 * 8.0 / ((to - from) as f64 * 1e-3)
}

/// 1448 of 1538 bytes on the wire are payload.
const PAYLOAD: f64 = 1448.0 / 1538.0;

/// Each law alone fills a link of 10 Gb/s with a buffer of one bandwidth-delay product.
#[test]
fn one_flow_fills_the_link() {
    for law in [TcpLaw::NewReno, TcpLaw::LinuxReno, TcpLaw::Cubic, TcpLaw::Dctcp] {
        let mut config = config(TcpConfig::rfc(law), 1000);
        config.mark_packets = (law == TcpLaw::Dctcp).then_some(65);
        let topology = dumbbell(1, 50, 10, 10_000);
        let outcome = simulate(&topology, vec![flow(0, 1, 1 << 40)], config, None, 100);
        let share = goodput(&outcome, 0, 50, 100) / (10e9 * PAYLOAD);
        assert!(share > 0.98 && share <= 1.0001, "{law:?} {share}");
    }
}

/// What the initial window holds ends at the receiver when it would in an empty network: slowdown 1, to the picosecond.
#[test]
fn a_flow_within_the_initial_window_takes_the_ideal_time() {
    for bytes in [1, 700, 1448, 2 * 1448, 10 * 1448] {
        let config = config(TcpConfig::rfc(TcpLaw::Cubic), 1000);
        let outcome = simulate(&dumbbell(1, 50, 10, 220_000), vec![flow(0, 1, bytes)], config, None, 10);
        let record = outcome.records[0];
        assert_eq!(record.fct_ps(), record.ideal_ps, "{bytes} bytes");
    }
}

/// Two Renos end up with equal shares, within a tenth of the link over the later half second.
#[test]
fn two_flows_share() {
    let topology = dumbbell(2, 10, 1, 50_000);
    let stack = TcpConfig::rfc(TcpLaw::NewReno);
    let outcome = simulate(
        &topology,
        vec![flow(0, 2, 1 << 40), flow(1, 3, 1 << 40)],
        config(stack, 60),
        None,
        3000,
    );
    let shares = [0, 1].map(|f| goodput(&outcome, f, 500, 3000) / (1e9 * PAYLOAD));
    assert!(shares.iter().sum::<f64>() > 0.9, "{shares:?}");
    assert!((shares[0] - shares[1]).abs() < 0.1, "{shares:?}");
}

/// DCTCP keeps its queue about the threshold of 65 packets and loses nothing.
#[test]
fn dctcp_keeps_its_queue_at_the_threshold() {
    let mut config = config(TcpConfig::rfc(TcpLaw::Dctcp), 1000);
    config.mark_packets = Some(65);
    let topology = dumbbell(2, 50, 10, 10_000);
    let outcome = simulate(
        &topology,
        vec![flow(0, 2, 1 << 40), flow(1, 3, 1 << 40)],
        config,
        None,
        100,
    );
    let late = outcome.samples.port_meters.iter().filter(|m| m.t_ps > 50 * MS);
    let mut queue: Vec<u32> = late
        .filter(|m| m.wire_bytes > 1_000_000 && m.queue_packets > 0)
        .map(|m| m.queue_packets)
        .collect();
    queue.sort_unstable();
    let median = queue[queue.len() / 2];
    // DCTCP's own analysis (SIGCOMM 2010, 3.3): N = 2 windows that move together fill K + N = 67 packets at most, and fall by half of
    // sqrt(2 N (C RTT + K)) = 22 of them, C RTT being 52 packets at 10 Gb/s and 62 us: 56 to 67, around 62.
    assert!((59..=65).contains(&median), "{median}");
    let (low, high) = (queue[queue.len() / 20], queue[queue.len() - 1 - queue.len() / 20]);
    assert!(low >= 55 && high <= 68, "{low} to {high}");
    assert_eq!(outcome.counters.drops, 0);
}

/// A packet that finds the limit waiting is dropped: in overload the queue stays at the limit, never above.
#[test]
fn drop_tail_counts_packets() {
    let topology = dumbbell(2, 50, 10, 10_000);
    let stack = TcpConfig::rfc(TcpLaw::NewReno);
    let outcome = simulate(
        &topology,
        vec![flow(0, 2, 1 << 40), flow(1, 3, 1 << 40)],
        config(stack, 50),
        None,
        20,
    );
    let most = outcome.samples.port_meters.iter().map(|m| m.queue_packets).max();
    assert!(outcome.counters.drops > 0 && most.is_some_and(|m| m <= 50), "{most:?}");
}

/// The link's speed changes while the flow runs: it follows, down and up.
#[test]
fn a_change_of_speed_is_followed() {
    let topology = dumbbell(1, 50, 10, 10_000);
    let middle = topology.links.len() - 1;
    let change = LinkChange {
        at_ps: 100 * MS,
        link: middle,
        up: true,
        rate_bps: Some(5_000_000_000),
    };
    let stack = TcpConfig::rfc(TcpLaw::Cubic);
    let outcome = simulate(
        &topology,
        vec![flow(0, 1, 1 << 40)],
        config(stack, 300),
        Some(change),
        200,
    );
    let before = goodput(&outcome, 0, 60, 100) / (10e9 * PAYLOAD);
    let after = goodput(&outcome, 0, 120, 200) / (5e9 * PAYLOAD);
    assert!(before > 0.97 && after > 0.97 && after <= 1.0001, "{before} {after}");
}

/// A request, its response, a pause, again: as many exchanges as the times allow, every flow finished, the pause kept.
#[test]
fn closed_loop_by_hand() {
    let topology = dumbbell(1, 10, 10, 1_000);
    let plan = SamplePlan {
        meter_ps: MS,
        end_ps: 20 * MS,
        ..SamplePlan::default()
    };
    let stack = TcpConfig::rfc(TcpLaw::NewReno);
    let mut sim = Simulator::new(&topology, Vec::new(), config(stack, 1000), plan, &mut no_slot).unwrap();
    let spec = ClosedLoop {
        client: 1,
        server: 0,
        request_bytes: 196,
        response_bytes: 2896,
        pause_ps: 2.0 * MS as f64,
        pause_deviation_ps: 0.0,
        start_ps: 0,
        until_ps: 10 * MS,
        keep_window: true,
        seed: 1,
    };
    sim.add_closed_loop(spec, &mut no_slot).unwrap();
    sim.run_until(20 * MS);
    let outcome = sim.finish();
    // Requests of 286 bytes and responses of two segments over three links of 1 us and 10 Gb/s.
    let request = 3 * (286 * 800 + 1_000_000);
    let response = 3 * (1538 * 800 + 1_000_000) + 1538 * 800;
    assert_eq!(outcome.records[0].fct_ps(), Some(request));
    assert_eq!(outcome.records[1].started_ps, request);
    assert_eq!(outcome.records[1].fct_ps(), Some(response));
    assert_eq!(outcome.records[2].started_ps, request + response + 2 * MS);
    // One exchange every 2.0083 ms until 10 ms.
    assert_eq!(outcome.flows.len(), 10);
    assert!(outcome.records.iter().all(|r| r.finished_ps.is_some()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Whatever is lost on links and in queues, under every law and setting, all bytes arrive in order and once.
    #[test]
    fn everything_arrives(law in 0usize..4, sack: bool, timestamps: bool, ns3: bool, prr: bool, loss in 0.0f64..0.03,
        packets in 3u32..200, bytes in 1u64..400_000, seed in 0u64..1000) {
        let law = [TcpLaw::NewReno, TcpLaw::LinuxReno, TcpLaw::Cubic, TcpLaw::Dctcp][law];
        let mut stack = if ns3 { TcpConfig::ns3(law) } else { TcpConfig::rfc(law) };
        (stack.sack, stack.timestamps) = (sack, timestamps);
        stack.retries = u32::MAX;
        if prr {
            stack.recovery = super::LossRecovery::Prr;
        }
        let mut topology = dumbbell(2, 10, 1, 10_000);
        topology.links.iter_mut().for_each(|l| l.loss = loss);
        let mut config = config(stack, packets);
        config.mark_packets = Some(packets / 2);
        config.seed = seed;
        let flows = vec![flow(0, 2, bytes), flow(1, 3, bytes / 2 + 1)];
        let plan = SamplePlan { meter_ps: 100 * MS, end_ps: 400_000 * MS, ..SamplePlan::default() };
        let mut sim = Simulator::new(&topology, flows.clone(), config, plan, &mut no_slot).unwrap();
        sim.run_until(400_000 * MS);
        for (index, spec) in flows.iter().enumerate() {
            prop_assert!(sim.records()[index].finished_ps.is_some(), "flow {index} unfinished");
            let delivered: u64 = sim.samples().flow_meters.iter().filter(|m| m.flow == index as u32).map(|m| m.delivered_bytes).sum();
            prop_assert!(delivered <= spec.bytes);
        }
    }
}
