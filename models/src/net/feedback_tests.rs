//! Probes, fewer ACKs, notifications and the law at the receiver, under losses too: feedback that is lost never blocks, and what comes back is
//! what the packets collected.

use std::cell::RefCell;
use std::rc::Rc;

use super::watched::Watched;
use super::*;
use crate::cc::hpcc::{Hpcc, HpccParams};
use crate::cc::{CcEvent, CongestionControl, EventKind, ProbeRule, Update};

/// One event, and whether it was a full update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    kind: EventKind,
    flow: u32,
    bytes: u32,
    int_valid: bool,
    path_id: u16,
    full: Option<bool>,
}

const T_NS: u64 = 9_000;

fn config() -> Config {
    let mut config = Config::paper(T_NS, true);
    config.retry_timeout_ps = Some(400_000_000);
    config
}

fn probing(mut config: Config) -> Config {
    config.probes = Some(ProbeRule {
        interval_ps: T_NS * 1000,
        packets: 1,
        timeout_ps: 100_000_000,
    });
    config
}

fn carried(carrier: Carrier, ack_every: u32) -> Config {
    let mut config = config();
    config.feedback = Feedback {
        carrier,
        ack_every,
        ..Feedback::default()
    };
    config
}

fn simulate(topology: &Topology, flows: &[FlowSpec], config: Config) -> (Outcome, Vec<Seen>) {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        let params = HpccParams::new(p.line_rate_bps, p.base_rtt_ns as u32);
        let law = Hpcc::new(params).map_err(|e| e.to_string())?;
        let seen = seen.clone();
        let hear = move |law: &Hpcc, event: &CcEvent, _| {
            seen.borrow_mut().push(Seen {
                kind: event.kind,
                flow: event.flow,
                bytes: event.bytes,
                int_valid: event.int_valid,
                path_id: event.path_id,
                full: law.last().map(|l| l.full),
            });
        };
        Ok(Box::new(Direct::new(Box::new(Watched { law, hear }))))
    };
    let mut sim = Simulator::new(topology, flows.to_vec(), config, SamplePlan::default(), &mut slot).unwrap();
    sim.run_until(1_000_000_000_000);
    let outcome = sim.finish();
    let seen = seen.borrow().clone();
    (outcome, seen)
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

fn mean_fct_us(outcome: &Outcome) -> f64 {
    let times: Vec<f64> = outcome
        .records
        .iter()
        .filter_map(|r| r.fct_ps())
        .map(|t| t as f64 / 1e6)
        .collect();
    crate::measure::mean(&times)
}

/// As many full updates as responses, none from ACKs, and each flow's probes see the path that its data would have reported.
#[test]
fn probes_collect_for_their_flow() {
    let topology = fat_tree_with(1, 4, 100, 100);
    let hosts: Vec<u32> = (0..topology.nodes() as u32)
        .filter(|&n| !topology.is_switch[n as usize])
        .collect();
    let far = hosts.len() as u32 / 2;
    let flows: Vec<FlowSpec> = (0..8)
        .map(|i| FlowSpec {
            src: hosts[i],
            dst: hosts[far as usize + i],
            bytes: 400_000,
            start_ps: 0,
            dst_port: FlowSpec::DST_PORT,
        })
        .collect();
    let (outcome, seen) = simulate(&topology, &flows, probing(config()));
    assert!(all_finished(&outcome));
    let (probes, rest): (Vec<Seen>, Vec<Seen>) = seen.iter().copied().partition(|s| s.kind == EventKind::Probe);
    assert!(rest.iter().all(|s| !s.int_valid && s.full.is_none()));
    let c = outcome.counters;
    assert_eq!(c.probe_stray, 0);
    // A flow that is over answers no probe.
    assert!(c.responses <= c.probes && c.responses + 8 >= c.probes, "{c:?}");
    assert!(probes.len() as u64 <= c.responses && c.responses >= 16, "{c:?}");
    let first = |flow: u32, list: &[Seen]| list.iter().find(|s| s.flow == flow).map(|s| s.path_id);
    for flow in 0..8 {
        let mut own = probes.iter().filter(|s| s.flow == flow);
        assert_eq!(
            own.next().unwrap().full,
            Some(false),
            "the first response stores records"
        );
        assert!(own.all(|s| s.full == Some(true)));
    }
    let (_, inband) = simulate(&topology, &flows, config());
    for flow in 0..8 {
        assert_eq!(first(flow, &probes), first(flow, &inband));
    }
}

/// One packet in twenty lost on every link: probes and responses as well. Lost ones delay the next, and nothing stops.
#[test]
fn lost_feedback_never_blocks() {
    let mut topology = star(5, 100, 2000);
    topology.links.iter_mut().for_each(|l| l.loss = 0.05);
    let rx = Carrier::Receiver { after_queue: false };
    for (name, config) in [
        ("probe", probing(config())),
        ("coalesced", carried(Carrier::Ack, 16)),
        ("notify", carried(Carrier::Notification, 4)),
        ("rx", carried(rx, 16)),
    ] {
        let (outcome, seen) = simulate(&topology, &incast(4, 300_000), config);
        let c = outcome.counters;
        assert!(all_finished(&outcome) && c.losses > 0, "{name}: {c:?}");
        match name {
            "probe" => {
                assert!(c.responses < c.probes && c.probes > 8, "{c:?}");
                let events = seen.iter().filter(|s| s.kind == EventKind::Probe).count() as u64;
                assert!(events > 4 && events <= c.responses, "{c:?}");
            }
            "coalesced" => assert!(c.acks_sent * 2 < c.data_packets, "{c:?}"),
            _ => assert!(c.notifications > 8, "{name}: {c:?}"),
        }
    }
}

/// What arrives in packets of its own acknowledges nothing.
#[test]
fn notifications_acknowledge_nothing() {
    let topology = star(5, 100, 2000);
    let (outcome, seen) = simulate(&topology, &incast(4, 300_000), carried(Carrier::Notification, 1));
    let (with, without): (Vec<Seen>, Vec<Seen>) = seen.iter().copied().partition(|s| s.int_valid);
    assert!(with.iter().all(|s| s.bytes == 0));
    assert_eq!(without.iter().map(|s| u64::from(s.bytes)).sum::<u64>(), 4 * 300_000);
    let c = outcome.counters;
    assert_eq!(c.notifications, c.data_packets);
    // The last acknowledgement of a flow removes it; every notification came before it.
    assert_eq!(c.notify_stale, 0);
    let (reference, _) = simulate(&topology, &incast(4, 300_000), config());
    let ratio = mean_fct_us(&outcome) / mean_fct_us(&reference);
    assert!(
        (ratio - 1.0).abs() < 0.05,
        "completion time {ratio} of that with telemetry on ACKs"
    );
}

/// One ACK for sixteen packets: nobody waits for a timeout, although windows shrink below what is in flight.
#[test]
fn few_acks_need_no_timeout() {
    let topology = star(17, 100, 1000);
    let (reference, _) = simulate(&topology, &incast(16, 200_000), config());
    let (one, _) = simulate(&topology, &incast(16, 200_000), carried(Carrier::Ack, 1));
    assert_eq!((one.counters, &one.records), (reference.counters, &reference.records));
    let (few, seen) = simulate(&topology, &incast(16, 200_000), carried(Carrier::Ack, 16));
    assert!(all_finished(&few));
    assert_eq!(few.counters.timeouts, 0);
    assert!(
        few.counters.acks_sent * 2 < reference.counters.acks_sent,
        "{:?}",
        few.counters
    );
    assert!(seen.iter().all(|s| s.int_valid), "an ACK carries the newest telemetry");
}

/// With `T` of 13 us and MTU 1024 at 100 Gb/s about one notification for 141 packets.
#[test]
fn a_receiver_sends_one_window_a_round_trip() {
    let topology = star(2, 100, 3000);
    let mut config = carried(Carrier::Receiver { after_queue: false }, 16);
    config.window = WindowRule::Fixed(13_000);
    let flow = FlowSpec {
        src: 0,
        dst: 1,
        bytes: 20_000_000,
        start_ps: 0,
        dst_port: FlowSpec::DST_PORT,
    };
    let (outcome, seen) = simulate(&topology, &[flow], config);
    let c = outcome.counters;
    let packets = c.data_packets as f64 / c.notifications as f64;
    assert!(
        (packets / 141.0 - 1.0).abs() < 0.05,
        "{packets} packets for each window"
    );
    let full = seen.iter().filter(|s| s.full == Some(true)).count() as u64;
    assert_eq!(full, c.notifications);
    assert_eq!(c.notify_missing, 0);
}

/// A flow that sends a packet now and then still has its probe: one that waited for the pacing would find nothing in flight.
#[test]
fn slow_flows_keep_probing() {
    let topology = star(65, 100, 1000);
    let (inband, _) = simulate(&topology, &incast(64, 400_000), config());
    let (probed, _) = simulate(&topology, &incast(64, 400_000), probing(config()));
    assert!(all_finished(&probed));
    let ratio = mean_fct_us(&probed) / mean_fct_us(&inband);
    assert!(
        ratio < 1.5,
        "completion time {ratio} of that with telemetry on every packet"
    );
    assert!(probed.counters.probes >= 64 * 4, "{:?}", probed.counters);
}

/// A law that asks for a thousandth of the line rate at its first event, and notes when that was.
struct Once(Rc<RefCell<Option<u64>>>);

impl CongestionControl for Once {
    fn name(&self) -> &'static str {
        "once"
    }
    fn create(&mut self, flow: u32, generation: u8) -> Update {
        Update {
            flow,
            generation,
            window: f64::INFINITY,
            rate: 1e11,
        }
    }
    fn remove(&mut self, _flow: u32) {}
    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        let first = self.0.borrow().is_none();
        first.then(|| {
            *self.0.borrow_mut() = Some(event.now);
            Update {
                flow: event.flow,
                generation: event.generation,
                window: f64::INFINITY,
                rate: 1e8,
            }
        })
    }
}

/// What a notification makes of the rate counts when the law's latency is over, not before.
#[test]
fn a_notification_waits_for_the_laws_latency() {
    const LATENCY_PS: u64 = 3_000_000;
    const STEP_PS: u64 = 10_000;
    let mut config = carried(Carrier::Notification, 1_000_000);
    config.cc_latency_ps = LATENCY_PS;
    let handled = Rc::new(RefCell::new(None));
    let mut slot = |_: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(Once(handled.clone())))))
    };
    let plan = SamplePlan::default();
    let mut sim = Simulator::new(&star(2, 100, 1000), incast(1, 20_000_000), config, plan, &mut slot).unwrap();
    let slower = (0..10_000u64)
        .map(|step| step * STEP_PS)
        .find(|&at| {
            sim.run_until(at);
            sim.contexts
                .iter()
                .any(|c| !c.finished && c.law_rate_bps == 100_000_000)
        })
        .expect("a lower rate");
    let due = handled.borrow().expect("an event") * 1000 + LATENCY_PS;
    assert!(
        (due..=due + 1000 + STEP_PS).contains(&slower),
        "{slower} ps, due at {due}"
    );
}

/// At line rate with no window a sixteenth packet never waits for the delay's end, and an end that belongs to packets acknowledged long ago
/// acknowledges nothing: as many ACKs as there are sixteens.
#[test]
fn an_old_delay_acknowledges_nothing() {
    let mut slot = |_: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(super::tests::Greedy {
            rate: 1e11,
            window: f64::INFINITY,
        }))))
    };
    let plan = SamplePlan::default();
    let config = carried(Carrier::Ack, 16);
    let mut sim = Simulator::new(&star(2, 100, 1000), incast(1, 2_000_000), config, plan, &mut slot).unwrap();
    sim.run_until(1_000_000_000_000);
    let c = sim.counters();
    assert_eq!((c.timeouts, c.naks), (0, 0));
    assert_eq!(c.acks_sent, c.data_packets.div_ceil(16), "{c:?}");
    assert!(sim.now > 10 * T_NS * 1000, "several delays");
}
