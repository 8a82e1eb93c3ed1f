//! The short way through a switch against the long one: every number of a run is the same.

use super::super::tests::greedy;
use super::super::*;
use super::Simulator;
use crate::cc::hpcc::{Hpcc, HpccParams};

fn slot(p: &SlotParams) -> Result<Box<dyn CcSlot>, String> {
    let params = HpccParams::new(p.line_rate_bps, p.base_rtt_ns as u32);
    let law: Hpcc = Hpcc::new(params).map_err(|e| e.to_string())?;
    Ok(Box::new(Direct::new(Box::new(law))))
}

/// Everything that a run says, and how many packets passed.
fn run(topology: &Topology, config: &Config, changes: &[LinkChange], factory: &mut SlotFactory, long: bool) -> String {
    let hosts = topology.hosts();
    let flow = |i: u32| {
        let host = |n: u32| hosts[n as usize % hosts.len()];
        // Few receivers: queues grow.
        let (src, dst) = (host(i * 7 + 1), host(i % 3 * 3));
        FlowSpec {
            src: if src == dst { host(i * 7 + 2) } else { src },
            dst,
            bytes: 1000 + u64::from(i % 5) * 60_000,
            start_ps: u64::from(i) * 700_000,
            dst_port: FlowSpec::DST_PORT,
        }
    };
    let plan = SamplePlan {
        interval_ps: 1_000_000,
        end_ps: 400_000_000,
        queue_series: true,
        flow_series: 100,
        meter_ps: 10_000_000,
        series_every: 1,
        ..SamplePlan::default()
    };
    let flows: Vec<FlowSpec> = (0..60).map(flow).collect();
    let mut sim = Simulator::new(topology, flows, config.clone(), plan, factory).unwrap();
    sim.always_long = long;
    changes.iter().for_each(|&c| sim.add_link_change(c));
    sim.run_until(1_000_000_000_000);
    assert_eq!(sim.plain, !long);
    let outcome = sim.finish();
    assert!(outcome.records.iter().all(|r| r.finished_ps.is_some()));
    format!("{:?} {:?} {:?}", outcome.counters, outcome.records, outcome.samples)
}

#[test]
fn both_ways_give_the_same_numbers() {
    let plain = Config::paper(13_000, true);
    let small = Config {
        buffer_bytes: 512 * 1024,
        ..Config::paper(13_000, false)
    };
    let priority = Config {
        switch_ack_priority: true,
        host_acks_ignore_pause: true,
        int_multi: 2,
        second_fraction: true,
        ..plain.clone()
    };
    let probes = Config {
        probes: Some(crate::cc::ProbeRule {
            interval_ps: 13_000_000,
            packets: 4,
            timeout_ps: 100_000_000,
        }),
        ..plain.clone()
    };
    let mut lossy = four_pods();
    lossy.links.iter_mut().step_by(3).for_each(|l| l.loss = 0.002);
    let change = |us: u64, link, up, rate_bps| LinkChange {
        at_ps: us * 1_000_000,
        link,
        up,
        rate_bps,
    };
    // An uplink of a ToR that fails, one that becomes slow, the first one back.
    let changes = [
        change(20, 256, false, None),
        change(21, 258, true, Some(10_000_000_000)),
        change(60, 256, true, None),
    ];
    let (star, tree) = (star(8, 100, 1000), fat_tree(1));
    for (topology, config, changes) in [
        (&star, &plain, &[][..]),
        (&star, &priority, &[]),
        (&tree, &plain, &[]),
        (&tree, &probes, &[]),
        (&lossy, &priority, &changes),
    ] {
        let ways = [false, true].map(|long| run(topology, config, changes, &mut slot, long));
        assert!(ways[0] == ways[1]);
    }
    let ways = [false, true].map(|long| run(&star, &small, &[], &mut greedy, long));
    assert!(ways[0] == ways[1]);
    assert!(!ways[0].contains("pauses: 0,"), "the buffer is small enough to pause");
}
