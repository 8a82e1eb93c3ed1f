//! The network under senders that never slow down: what pause, drops, recovery and rerouting promise must hold without congestion control.

use super::*;
use crate::cc::{CcEvent, CongestionControl, Update};

/// Line rate and one window, whatever happens.
pub(super) struct Greedy {
    pub rate: f64,
    pub window: f64,
}

impl CongestionControl for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }
    fn create(&mut self, flow: u32, generation: u8) -> Update {
        Update {
            flow,
            generation,
            window: self.window,
            rate: self.rate,
        }
    }
    fn remove(&mut self, _flow: u32) {}
    fn handle(&mut self, _event: &CcEvent) -> Option<Update> {
        None
    }
}

/// Every flow sends at the line's rate, and no window holds it.
pub(super) fn greedy(p: &SlotParams) -> Result<Box<dyn CcSlot>, String> {
    Ok(Box::new(Direct::new(Box::new(Greedy {
        rate: p.line_rate_bps as f64,
        window: f64::INFINITY,
    }))))
}

fn simulate(topology: &Topology, flows: Vec<FlowSpec>, config: Config, change: Option<LinkChange>) -> Outcome {
    let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(Greedy {
            rate: p.line_rate_bps as f64,
            window: f64::INFINITY,
        }))))
    };
    let mut sim = Simulator::new(topology, flows, config, SamplePlan::default(), &mut slot).unwrap();
    change.into_iter().for_each(|c| sim.add_link_change(c));
    sim.run_until(1_000_000_000_000);
    sim.finish()
}

fn incast(senders: u32, bytes: u64) -> Vec<FlowSpec> {
    let flow = |src| FlowSpec {
        src,
        dst: senders,
        bytes,
        start_ps: 0,
        dst_port: FlowSpec::DST_PORT,
    };
    (0..senders).map(flow).collect()
}

fn all_finished(outcome: &Outcome) -> bool {
    outcome.records.iter().all(|r| r.finished_ps.is_some())
}

/// A buffer a tenth of what arrives: pause keeps it from overflowing, and nothing is sent twice.
#[test]
fn pause_loses_nothing() {
    let mut config = Config::paper(13_000, false);
    config.buffer_bytes = 2 * 1024 * 1024;
    let outcome = simulate(&star(17, 100, 1000), incast(16, 1_000_000), config, None);
    assert!(all_finished(&outcome));
    let c = outcome.counters;
    assert!(c.pauses > 0 && c.paused_ps > 0, "{c:?}");
    assert_eq!((c.drops, c.timeouts, c.naks), (0, 0, 0), "{c:?}");
    assert!(outcome.records.iter().all(|r| r.retransmitted_bytes == 0));
}

fn overload(recovery: Recovery) -> Outcome {
    let mut config = Config::paper(13_000, false);
    config.buffer_bytes = 2 * 1024 * 1024;
    config.flow_control = FlowControl::EgressLimit;
    config.recovery = recovery;
    config.retry_timeout_ps = Some(320_000_000);
    simulate(&star(17, 100, 1000), incast(16, 1_000_000), config, None)
}

fn resent(outcome: &Outcome) -> u64 {
    outcome.records.iter().map(|r| r.retransmitted_bytes).sum()
}

/// Without pause the same buffer overflows; both recoveries deliver everything. IRN keeps a bandwidth-delay product in flight where
/// the law sets no window at all, repeats what was dropped and nothing else, and so resends a fraction of what go-back-N does.
#[test]
fn both_recoveries_deliver_everything() {
    let (back, irn) = (overload(Recovery::GoBackN), overload(Recovery::Irn(IrnRules::PAPER)));
    for outcome in [&back, &irn] {
        let c = outcome.counters;
        println!("resent {} bytes, {c:?}", resent(outcome));
        assert!(all_finished(outcome) && c.drops > 0, "{c:?}");
    }
    let dropped = irn.counters.drops * 1024;
    assert!(
        resent(&irn) <= dropped && resent(&irn) > dropped * 9 / 10,
        "{:?}",
        irn.counters
    );
    assert!(resent(&irn) * 2 < resent(&back));
}

/// One packet in a hundred lost on every link, the last one and acknowledgements included.
#[test]
fn loss_on_links_is_recovered() {
    for recovery in [Recovery::GoBackN, Recovery::Irn(IrnRules::PAPER)] {
        let mut topology = dumbbell(4, 100, 100, 1000);
        topology.links.iter_mut().for_each(|l| l.loss = 0.01);
        let mut config = Config::paper(13_000, true);
        config.recovery = recovery;
        config.retry_timeout_ps = Some(100_000_000);
        let flows = (0..4)
            .map(|i| FlowSpec {
                src: i,
                dst: 4 + i,
                bytes: 200_123,
                start_ps: 0,
                dst_port: FlowSpec::DST_PORT,
            })
            .collect();
        let outcome = simulate(&topology, flows, config, None);
        assert!(
            all_finished(&outcome) && outcome.counters.losses > 10,
            "{recovery:?} {:?}",
            outcome.counters
        );
    }
}

/// A lone flow takes the time that its bytes take: first byte out to last acknowledgement in, to the picosecond.
#[test]
fn a_lone_packet_by_hand() {
    let config = Config::paper(13_000, true);
    let flows = vec![FlowSpec {
        src: 0,
        dst: 1,
        bytes: 1000,
        start_ps: 500,
        dst_port: FlowSpec::DST_PORT,
    }];
    let outcome = simulate(&star(2, 100, 1000), flows, config, None);
    // Data: 1000 + 82 + 2 (INT) + 16 (RETH), one record of 8 behind the switch; ACK: 86 + 10 both ways. 80 ps a byte, 4 us of links.
    let want = (1100 + 1108 + 2 * 96) * 80 + 4_000_000;
    assert_eq!(outcome.records[0].fct_ps(), Some(want));
    assert_eq!(outcome.samples.rtt.max(), want / 1000);
}

/// The only used uplink of a rack fails in the middle: flows are rerouted and finish; a link that is cut for good stops them.
#[test]
fn a_failed_link_is_routed_around() {
    let topology = fat_tree_with(1, 2, 100, 400);
    let first_uplink = topology
        .links
        .iter()
        .position(|l| topology.is_switch[l.a as usize])
        .unwrap();
    let down = |link| LinkChange {
        at_ps: 20_000_000,
        link,
        up: false,
        rate_bps: None,
    };
    let flows: Vec<FlowSpec> = (0..4)
        .map(|i| FlowSpec {
            src: i % 2,
            dst: 4 + i,
            bytes: 1_000_000,
            start_ps: 0,
            dst_port: FlowSpec::DST_PORT,
        })
        .collect();
    let config = Config::paper(13_000, true);
    for link in first_uplink..first_uplink + 4 {
        let outcome = simulate(&topology, flows.clone(), config.clone(), Some(down(link)));
        assert!(all_finished(&outcome), "link {link}");
    }
    let outcome = simulate(&topology, flows, config, Some(down(0)));
    assert!(outcome.records.iter().filter(|r| r.finished_ps.is_none()).count() == 2);
}

/// Two greedy senders in classes of weight 3 and 1: the port serves them so. Strict priority leaves the second class what the first one's
/// sender does not use: it is paced as if each packet carried a full stack, 1148 bytes for 1116 on the port.
#[test]
fn classes_share_a_port_by_weight() {
    for (schedule, share) in [(ClassSchedule::Dwrr, 0.75), (ClassSchedule::Strict, 1116.0 / 1148.0)] {
        let mut config = Config::paper(13_000, true);
        config.classes = Some(ClassRules {
            weights: vec![3, 1],
            schedule,
            telemetry: ClassTelemetry::Port,
            active_ps: 13_000_000,
            of_flow: vec![0, 1],
        });
        let flows = incast(2, 10_000_000);
        let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
            Ok(Box::new(Direct::new(Box::new(Greedy {
                rate: p.line_rate_bps as f64,
                window: f64::INFINITY,
            }))))
        };
        let plan = SamplePlan {
            interval_ps: 10_000_000,
            end_ps: u64::MAX,
            flow_series: 2,
            ..SamplePlan::default()
        };
        let mut sim = Simulator::new(&star(3, 100, 1000), flows, config, plan, &mut slot).unwrap();
        sim.run_until(500_000_000);
        let outcome = sim.finish();
        let delivered = |flow| {
            let own = outcome.samples.flows.iter().filter(|p| p.flow == flow);
            own.map(|p| p.delivered_bytes).max().unwrap_or(0) as f64
        };
        let (a, b) = (delivered(0), delivered(1));
        assert!((a / (a + b) - share).abs() < 0.005, "{schedule:?}: {a} {b}");
        // Both arrive at the same rate; what is not served waits.
        let queue = |class: usize| outcome.samples.classes[class].max();
        assert!(queue(1) > 1_000_000 && queue(0) < queue(1), "{} {}", queue(0), queue(1));
    }
}

/// What the switch of a rack holds is the sum over its ports at the same instant: rebuilt from the ports' own series, where only one switch has hosts.
#[test]
fn a_racks_switch_holds_what_its_ports_hold() {
    let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(Greedy {
            rate: p.line_rate_bps as f64,
            window: f64::INFINITY,
        }))))
    };
    let plan = SamplePlan {
        interval_ps: 1_000_000,
        end_ps: 200_000_000,
        queue_series: true,
        series_every: 1,
        ..SamplePlan::default()
    };
    // two receivers at once, so that two ports of the switch hold something
    let mut flows = incast(4, 300_000);
    flows.extend(incast(2, 100_000).iter().map(|f| FlowSpec { dst: 5, ..*f }));
    let config = Config::paper(13_000, false);
    let mut sim = Simulator::new(&star(6, 100, 1000), flows, config, plan, &mut slot).unwrap();
    sim.run_until(200_000_000);
    let samples = sim.finish().samples;
    let mut ports = std::collections::BTreeMap::new();
    let mut expected = QueueHistogram::default();
    let mut both = 0;
    for sample in 0..=200 {
        for point in samples.queues.iter().filter(|p| p.t_ps == sample * 1_000_000) {
            ports.insert((point.node, point.interface), point.bytes);
        }
        expected.add(ports.values().sum());
        both += u32::from(ports.values().filter(|&&bytes| bytes > 0).count() > 1);
    }
    assert!(both > 5, "{both} samples with two ports that hold something");
    assert_eq!(samples.racks, expected);
}

/// A series of every third sample holds the first sample, the fourth, the seventh: at 1, 4 and 7 us.
#[test]
fn a_series_begins_with_the_first_sample() {
    let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(Greedy {
            rate: p.line_rate_bps as f64,
            window: f64::INFINITY,
        }))))
    };
    let plan = SamplePlan {
        start_ps: 1_000_000,
        interval_ps: 1_000_000,
        end_ps: 8_000_000,
        flow_series: 1,
        series_every: 3,
        ..SamplePlan::default()
    };
    let flows = vec![FlowSpec {
        start_ps: 0,
        ..incast(1, 1_000_000)[0]
    }];
    let config = Config::paper(13_000, false);
    let mut sim = Simulator::new(&star(3, 100, 1000), flows, config, plan, &mut slot).unwrap();
    sim.run_until(8_000_000);
    let samples = sim.finish().samples;
    let times: Vec<u64> = samples.flows.iter().map(|p| p.t_ps / 1_000_000).collect();
    assert_eq!(times, [1, 4, 7]);
}
