//! HPCC on probes under TCP (draft-miao-ccwg-hpcc, 7.2): the link that it fills, what flows share, the queue; who moves the window and who does not.

use super::{Bench, TcpConfig, TcpLaw, TcpSetup, MS, MSS};
use crate::cc::hpcc::{Hpcc, HpccParams};
use crate::cc::{CcEvent, EventKind, ProbeRule};
use crate::measure::jain;
use crate::net::tcp::State;
use crate::net::watched::Watched;
use crate::net::{
    dumbbell, CcSlot, Config, Direct, FlowControl, FlowSpec, Outcome, SamplePlan, Simulator, SlotParams, Topology,
};
use crate::seeds::seed;
use std::cell::RefCell;
use std::rc::Rc;

const US: u64 = 1_000_000;
/// `T`, ns.
const T: u64 = 17_000;
/// 1448 of 1538 bytes on the wire are payload, and HPCC wants 95 % of the link.
const TARGET: f64 = 1448.0 / 1538.0 * 0.95;

fn rule(packets: u32) -> ProbeRule {
    ProbeRule {
        interval_ps: T * 1000,
        packets,
        timeout_ps: ProbeRule::usual_timeout_ps(T * 1000),
    }
}

fn config(law: Option<TcpLaw>) -> Config {
    let mut config = Config::paper(T, true);
    config.flow_control = FlowControl::DropTail { packets: 1000 };
    config.tcp = law.map(|law| TcpSetup::all(TcpConfig::rfc(law)));
    config.probes = Some(rule(1));
    config.mtu = 1448;
    config.seed = seed(71);
    config
}

fn params(port: &SlotParams) -> HpccParams {
    let mut params = HpccParams::new(port.line_rate_bps, port.base_rtt_ns as u32);
    params.w_init = port.w_init_bytes as f64;
    params
}

fn hpcc(port: &SlotParams) -> Result<Box<dyn CcSlot>, String> {
    let law = Hpcc::<f64>::new(params(port)).map_err(|e| e.to_string())?;
    Ok(Box::new(Direct::new(Box::new(law))))
}

fn flows(pairs: u32, bytes: u64) -> Vec<FlowSpec> {
    let flow = |src| FlowSpec {
        src,
        dst: pairs + src,
        bytes,
        start_ps: 0,
        dst_port: FlowSpec::DST_PORT,
    };
    (0..pairs).map(flow).collect()
}

fn plan() -> SamplePlan {
    SamplePlan {
        start_ps: 2 * MS,
        interval_ps: US,
        end_ps: 10 * MS,
        meter_ps: MS,
        flow_series: 8,
        series_every: 1,
        ..SamplePlan::default()
    }
}

/// 10 ms of long flows, one for each pair of hosts, over one link of 100 Gb/s; queues from 2 ms on.
fn simulate(pairs: u32, config: Config, change: impl FnOnce(&mut Simulator)) -> Outcome {
    let topology = dumbbell(pairs as usize, 100, 100, 2500);
    let mut sim = Simulator::new(&topology, flows(pairs, 1 << 40), config, plan(), &mut hpcc).unwrap();
    change(&mut sim);
    sim.run_until(10 * MS);
    sim.finish()
}

/// Goodput of each flow from 3 ms on, of the link's speed. The first interval of the meters ends there and has what came before, too.
fn shares(outcome: &Outcome) -> Vec<f64> {
    let mut bytes = vec![0; outcome.flows.len()];
    for m in outcome.samples.flow_meters.iter().filter(|m| m.t_ps > 3 * MS) {
        bytes[m.flow as usize] += m.delivered_bytes;
    }
    let last = outcome.samples.flow_meters.iter().map(|m| m.t_ps).max().unwrap();
    let seconds = (last - 3 * MS) as f64 * 1e-12;
    bytes.iter().map(|&b| b as f64 * 8.0 / seconds / 100e9).collect()
}

#[test]
fn one_flow_fills_the_link_and_leaves_no_queue() {
    let outcome = simulate(1, config(Some(TcpLaw::HpccProbes)), |_| {});
    let share = shares(&outcome)[0] / TARGET;
    assert!(share > 0.95 && share < 1.03, "{share}");
    let queue = outcome.samples.busy.percentile(99.0);
    assert!(queue < 10_000, "{queue} bytes");
    let c = outcome.counters;
    assert_eq!((c.drops, c.timeouts, c.probe_stray), (0, 0, 0), "{c:?}");
    assert_eq!(outcome.records[0].retransmitted_bytes, 0);
    // One a T at the most, and not many fewer: the path takes 15 us and a probe waits for a segment.
    let most = 10 * MS / (T * 1000) + 1;
    assert!(c.probes <= most && c.probes > most / 2, "{} of {most}", c.probes);
}

#[test]
fn flows_share_the_link_fairly() {
    for pairs in [2, 4] {
        let outcome = simulate(pairs, config(Some(TcpLaw::HpccProbes)), |_| {});
        let shares = shares(&outcome);
        assert!(jain(&shares) > 0.95, "{shares:?}");
        assert!(shares.iter().sum::<f64>() / TARGET > 0.9, "{shares:?}");
    }
}

/// Five of a hundred packets are lost on the way back: acknowledgements add up, so data do not suffer; responses do not come again, and the next
/// probe leaves after its timeout.
#[test]
fn lost_responses_block_nothing() {
    let lossy = |sim: &mut Simulator| {
        // The middle link's second port sends from the receivers' switch.
        let port = sim.ports.len() - 1;
        sim.ports[port].loss = 0.05;
    };
    let outcome = simulate(2, config(Some(TcpLaw::HpccProbes)), lossy);
    let c = outcome.counters;
    assert!(c.losses > 100 && c.responses > 100, "{c:?}");
    let shares = shares(&outcome);
    assert!(shares.iter().sum::<f64>() / TARGET > 0.9, "{shares:?}");
    let queue = outcome.samples.busy.percentile(99.0);
    assert!(queue < 100_000, "{queue} bytes");
}

/// One of a hundred packets is lost on each of three links, data, probes and responses alike: everything arrives, and the law heard one event for
/// each response that came back, all of them of kind probe.
#[test]
fn losses_everywhere_block_nothing_and_only_responses_reach_the_law() {
    let mut topology = dumbbell(2, 100, 100, 2500);
    for link in &mut topology.links {
        link.loss = 0.01;
    }
    let heard = Rc::new(RefCell::new(Vec::new()));
    let mut spy = |port: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        let law = Hpcc::<f64>::new(params(port)).map_err(|e| e.to_string())?;
        let heard = heard.clone();
        let hear = move |_: &Hpcc, event: &CcEvent, _| heard.borrow_mut().push(*event);
        Ok(Box::new(Direct::new(Box::new(Watched { law, hear }))))
    };
    let mut config = config(Some(TcpLaw::HpccProbes));
    config.tcp.as_mut().unwrap().stacks[0].min_rto_ps = MS;
    let mut sim = Simulator::new(&topology, flows(2, 4_000_000), config, plan(), &mut spy).unwrap();
    sim.run_until(2_000 * MS);
    let outcome = sim.finish();
    assert!(outcome.records.iter().all(|r| r.finished_ps.is_some()));
    assert!(outcome.records.iter().all(|r| r.retransmitted_bytes > 0));
    let heard = heard.borrow();
    assert!(heard
        .iter()
        .all(|e| e.kind == EventKind::Probe && e.int_valid && e.n_hop == 2));
    assert!(heard.len() as u64 <= outcome.counters.responses);
    assert!(heard.len() as u64 > outcome.counters.probes / 2, "{}", heard.len());
    // One path a flow: a probe takes the one of its flow's addresses and ports.
    assert!(heard.iter().all(|e| e.path_id == heard[0].path_id));
}

/// Without responses nothing moves the window: not the acknowledgements, not the losses, not the timeouts. The first response only stores
/// records, and here no second probe leaves.
#[test]
fn the_window_stands_still_without_responses() {
    let mut config = config(Some(TcpLaw::HpccProbes));
    config.probes = Some(rule(u32::MAX));
    config.tcp.as_mut().unwrap().stacks[0].min_rto_ps = MS;
    // A pause of 1 ms would start the flow's probes anew.
    config.probes.as_mut().unwrap().timeout_ps = 1000 * MS;
    config.probes.as_mut().unwrap().interval_ps = 1000 * MS;
    let topology: Topology = {
        let mut topology = dumbbell(1, 100, 100, 2500);
        topology.links[2].loss = 0.02;
        topology
    };
    let mut sim = Simulator::new(&topology, flows(1, 1 << 40), config, plan(), &mut hpcc).unwrap();
    let first = 100_000_000_000 / 8 * T / 1_000_000_000;
    for ms in 1..10 {
        sim.run_until(ms * MS);
        assert_eq!(sim.tcp_sender(0).unwrap().cwnd(), first, "{ms} ms");
    }
    assert_eq!(sim.counters().probes, 1);
    assert!(sim.records()[0].retransmitted_bytes > 10 * MSS);
}

/// The law and the network are those of HPCC's own hosts, so the queue is the same within a packet and the goodput the same but for headers.
#[test]
fn the_queue_is_that_of_hpccs_own_hosts_on_probes() {
    let tcp = simulate(4, config(Some(TcpLaw::HpccProbes)), |_| {});
    let own = simulate(4, config(None), |_| {});
    let queue = |o: &Outcome| o.samples.busy.percentile(99.0) as f64;
    // Two packets wait at both.
    let apart = (queue(&tcp) - queue(&own)).abs();
    assert!(apart <= 1538.0, "{} and {}", queue(&tcp), queue(&own));
    assert!(queue(&own) > 1538.0 && queue(&own) < 4.0 * 1538.0, "{}", queue(&own));
    let cubic = {
        let mut config = config(Some(TcpLaw::Cubic));
        (config.probes, config.int) = (None, false);
        simulate(4, config, |_| {})
    };
    assert!(
        10.0 * queue(&tcp) < queue(&cubic),
        "{} and {}",
        queue(&tcp),
        queue(&cubic)
    );
}

/// TCP repeats what is lost and HPCC's window stays, also where a new one comes in the middle of a recovery; a timeout goes on with it.
#[test]
fn a_loss_leaves_window_and_rate_alone() {
    let mut bench = Bench::rfc(TcpLaw::HpccProbes, 100);
    assert!(bench.sent.is_empty(), "nothing before HPCC has spoken");
    let line = 1_000_000_000_000;
    bench.sender.command(&bench.config, 0, line, 20 * MSS);
    while let Some(at) = bench.sender.pace_at {
        bench.now = at;
        bench.sender.write(&bench.config, at, 0);
    }
    assert_eq!(Bench::numbers(&bench.collect()), (0..20).collect::<Vec<_>>());
    bench.now = MS;
    bench.ack_with(0, &[(1, 2)], false);
    bench.ack_with(0, &[(1, 3)], false);
    let sent = bench.ack_with(0, &[(1, 4)], false);
    assert_eq!(bench.sender.state(), State::Recovery);
    assert_eq!(Bench::numbers(&sent)[0], 0, "{sent:?}");
    assert_eq!(bench.cwnd(), 20.0);
    bench.sender.command(&bench.config, bench.now, line, 12 * MSS);
    bench.now += MS;
    bench.ack(60.min(bench.sender.snd_max() / MSS));
    assert_eq!((bench.sender.state(), bench.cwnd()), (State::Open, 12.0));
    bench.collect();
    bench.now = bench.sender.rto_at.unwrap();
    bench.sender.timeout(&bench.config, bench.now);
    assert_eq!((bench.sender.state(), bench.cwnd()), (State::Loss, 12.0));
    assert_eq!(bench.sender.timeouts, 1);
    assert_eq!(Bench::numbers(&bench.collect())[0], bench.sender.snd_una() / MSS);
}

#[test]
fn a_network_without_probes_is_refused() {
    let mut config = config(Some(TcpLaw::HpccProbes));
    config.probes = None;
    let made = Simulator::new(&dumbbell(1, 100, 100, 2500), flows(1, 1), config, plan(), &mut hpcc);
    let error = made.err().map(|e| e.to_string()).unwrap_or_default();
    assert!(error.ends_with("with hpcc-probes"), "{error}");
}
