//! Flows that start after others, to the picosecond, and what cannot be followed.

use crate::net::tests::Greedy;
use crate::net::*;

const US: u64 = 1_000_000;

fn flow(src: u32, dst: u32, bytes: u64) -> FlowSpec {
    FlowSpec {
        src,
        dst,
        bytes,
        start_ps: 0,
        dst_port: FlowSpec::DST_PORT,
    }
}

fn rule(flow: u32, after: &[(u32, Moment)], any: bool, delay_us: u64) -> StartRule {
    StartRule {
        flow,
        after: after.to_vec(),
        any,
        delay_ps: delay_us * US,
    }
}

/// A star of four hosts, links of 100 Gb/s and 1 us.
fn simulator(flows: Vec<FlowSpec>, config: Config) -> Simulator {
    let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(Greedy {
            rate: p.line_rate_bps as f64,
            window: f64::INFINITY,
        }))))
    };
    Simulator::new(&star(4, 100, 1000), flows, config, SamplePlan::default(), &mut slot).unwrap()
}

fn run(flows: Vec<FlowSpec>, rules: &[StartRule]) -> Vec<FlowRecord> {
    let mut sim = simulator(flows, Config::paper(13_000, false));
    sim.add_start_rules(rules).unwrap();
    sim.run_until(1000 * US);
    assert_eq!(sim.unfinished(), 0);
    sim.finish().records
}

/// A packet of 1000 + 82 + 16 bytes and an acknowledgement of 86 over two hops of 80 ps a byte and 1 us each: received after 2 x (87.84 ns + 1 us),
/// acknowledged 2 x (6.88 ns + 1 us) later.
const RECEIVED: u64 = 2 * (1098 * 80 + US);
const ACKNOWLEDGED: u64 = RECEIVED + 2 * (86 * 80 + US);

#[test]
fn a_flow_starts_when_another_has() {
    let flows = || vec![flow(0, 1, 1000), flow(1, 2, 1000), flow(0, 2, 1000), flow(0, 3, 1000)];
    let rules = [
        rule(1, &[(0, Moment::Received)], false, 0),
        rule(2, &[(0, Moment::Acknowledged)], false, 5),
        rule(3, &[(0, Moment::Started)], false, 7),
    ];
    let records = run(flows(), &rules);
    let starts: Vec<u64> = records.iter().map(|r| r.started_ps).collect();
    assert_eq!(starts, [0, RECEIVED, ACKNOWLEDGED + 5 * US, 7 * US]);
    assert_eq!(records[0].received_ps, Some(RECEIVED));
    assert_eq!(records[0].finished_ps, Some(ACKNOWLEDGED));
}

/// The second flow is on its way as soon as the first has left: one behind the other on the wire, not side by side.
#[test]
fn a_flow_starts_when_another_has_left() {
    let flows = vec![flow(0, 1, 10_240), flow(0, 1, 10_240)];
    let records = run(flows, &[rule(1, &[(0, Moment::Sent)], false, 0)]);
    // Its start is when the first one's last packet begins: nine packets of 1106 bytes, one of 16 more, before.
    assert_eq!(records[1].started_ps, (9 * 1106 + 16) * 80);
    assert_eq!(
        records[1].received_ps.unwrap() - records[0].received_ps.unwrap(),
        (10 * 1106 + 16) * 80
    );
}

/// All of three, or the first of them.
#[test]
fn all_or_any() {
    let flows = || {
        let mut flows = vec![flow(0, 3, 1000), flow(0, 3, 1000), flow(0, 3, 1000), flow(3, 1, 1000)];
        (flows[1].start_ps, flows[2].start_ps) = (50 * US, 100 * US);
        flows
    };
    let three = [0, 1, 2].map(|f| (f, Moment::Received));
    for (any, at) in [(false, 100), (true, 0)] {
        let records = run(flows(), &[rule(3, &three, any, 1)]);
        assert_eq!(records[3].started_ps, at * US + RECEIVED + US);
    }
}

#[test]
fn what_cannot_be_followed_is_an_error() {
    let error = |rules: &[StartRule]| {
        let flows = vec![flow(0, 1, 1000), flow(1, 2, 1000), flow(2, 0, 1000)];
        let error = simulator(flows, Config::paper(13_000, false)).add_start_rules(rules);
        error.unwrap_err().to_string()
    };
    let received = |flow, after| rule(flow, &[(after, Moment::Received)], false, 2);
    assert_eq!(
        error(&[received(7, 0)]),
        "flow 7: after: expected a rule of a flow that exists"
    );
    assert_eq!(
        error(&[received(1, 7)]),
        "flow 1: after: expected flows that exist, got 7"
    );
    assert_eq!(
        error(&[rule(1, &[], false, 0)]),
        "flow 1: after: expected one flow or more"
    );
    assert_eq!(
        error(&[received(1, 0), received(1, 2)]),
        "flow 1: after: expected one rule"
    );
    let circle = "after: expected flows that do not wait for it themselves";
    assert_eq!(
        error(&[received(0, 2), received(1, 0), received(2, 1)]),
        format!("flow 0: {circle}")
    );
    assert_eq!(error(&[received(1, 1)]), format!("flow 1: {circle}"));
    // Flow 0 is received at host 1, which is 2 us from host 2.
    assert_eq!(
        error(&[rule(2, &[(0, Moment::Received)], false, 1)]),
        "flow 2: after: expected a delay of at least 2000 ns, the way from host 1, which alone knows of flow 0, to host 2"
    );
}

/// Flows without rules run as they did, and those with rules the same twice; under loss everything starts once.
#[test]
fn losses_start_nothing_twice() {
    let flows = || (0..8).map(|i| flow(i % 4, (i + 1) % 4, 50_000)).collect::<Vec<_>>();
    let rules: Vec<StartRule> = (1..8)
        .map(|i| rule(i, &[(i - 1, Moment::Received)], false, 0))
        .collect();
    let times = || -> Vec<_> {
        let mut sim = simulator(flows(), Config::paper(13_000, false));
        sim.ports.iter_mut().for_each(|port| port.loss = 0.02);
        sim.add_start_rules(&rules).unwrap();
        sim.run_until(200_000 * US);
        assert_eq!(sim.unfinished(), 0);
        let records = sim.finish().records;
        for (a, b) in records.iter().zip(&records[1..]) {
            assert_eq!(a.received_ps, Some(b.started_ps));
        }
        records
    };
    assert_eq!(times(), times());
}
