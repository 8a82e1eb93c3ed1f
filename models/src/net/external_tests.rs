use super::super::*;
use super::*;
use crate::cc::{CcEvent, CongestionControl, Update};
use crate::cc::{HopRecord, MAX_HOPS};

/// Never asked: the hosts decide.
struct Idle;

impl CongestionControl for Idle {
    fn name(&self) -> &'static str {
        "idle"
    }
    fn create(&mut self, flow: u32, generation: u8) -> Update {
        let (window, rate) = (1.0, 1.0);
        Update {
            flow,
            generation,
            window,
            rate,
        }
    }
    fn remove(&mut self, _flow: u32) {}
    fn handle(&mut self, _event: &CcEvent) -> Option<Update> {
        None
    }
}

fn network(topology: &Topology, config: Config) -> Simulator {
    let flow = FlowSpec {
        src: 0,
        dst: 1,
        bytes: 1000,
        start_ps: 0,
        dst_port: FlowSpec::DST_PORT,
    };
    let mut slot = |_: &SlotParams| -> Result<Box<dyn CcSlot>, String> { Ok(Box::new(Direct::new(Box::new(Idle)))) };
    let mut sim = Simulator::new(topology, vec![flow], config, SamplePlan::default(), &mut slot).unwrap();
    sim.hosts_outside();
    sim
}

fn frame(dst: u32, size: u32, tag: u64) -> External {
    External {
        dst,
        size,
        int: true,
        tag,
        ..External::default()
    }
}

/// Two frames of 1108 bytes through one switch at 100 Gb/s, 1 us a link: times, growth and records by hand.
#[test]
fn store_and_forward_and_int_by_hand() {
    let mut sim = network(&star(3, 100, 1000), Config::paper(9000, true));
    sim.inject(0, 0, frame(2, 1108, 1)).unwrap();
    sim.inject(0, 0, frame(2, 1108, 2)).unwrap();
    sim.inject(1, 40_000, frame(2, 1108, 3)).unwrap();
    assert!(sim.run_until(2_177_919));
    assert_eq!(sim.take_delivered(), []);
    sim.run_until(10_000_000);
    let found: Vec<_> = sim.take_delivered().into_iter().map(|d| (d.time_ps, d.what)).collect();
    let delivery = |tag, ts, tx_bytes, q_len| {
        let mut hops = [HopRecord::default(); MAX_HOPS];
        hops[0] = HopRecord {
            speed: 5,
            ts,
            tx_bytes,
            q_len,
        };
        let (n_hop, path_id, ecn) = (1, 3, false);
        Delivery::Frame {
            tag,
            n_hop,
            path_id,
            hops,
            ecn,
        }
    };
    // At the switch after 1088.64, 1177.28 and 1128.64 ns; the first leaves at once and takes 1116 bytes = 89.28 ns.
    let expected = [
        (2_177_920, delivery(1, 1088, 0, 0)),
        // The other host's: leaves at 1177.92 with frame 2 (at 1177.28) behind it.
        (2_267_200, delivery(3, 1177, 8, 13)),
        (2_356_480, delivery(2, 1267, 17, 0)),
    ];
    assert_eq!(found, expected);
    assert_eq!(sim.counters().data_packets, 3);
}

/// What is not to be stamped or marked is not, and an acknowledgement is not counted as payload.
#[test]
fn capabilities_are_respected() {
    let mut config = Config::paper(9000, true);
    let always = EcnRule {
        k_min: 0,
        k_max: 0,
        p_max: 1.0,
    };
    config.ecn = [(100_000_000_000, always)].into();
    let mut sim = network(&star(3, 100, 1000), config);
    for (tag, int, ecn) in [(0, false, false), (1, true, true), (2, false, true), (3, true, true)] {
        let capable = External {
            int,
            ecn,
            ..frame(2, 500, tag)
        };
        sim.inject(0, 0, capable).unwrap();
        sim.inject(
            1,
            0,
            External {
                tag: tag + 10,
                ..capable
            },
        )
        .unwrap();
    }
    let answer = External {
        acknowledgement: true,
        int: false,
        ..frame(1, 88, 20)
    };
    sim.inject(2, 0, answer).unwrap();
    sim.run_until(20_000_000);
    let mut marked = 0;
    for delivered in sim.take_delivered() {
        let Delivery::Frame { tag, n_hop, ecn, .. } = delivered.what else {
            panic!("{delivered:?}");
        };
        let (int, ect) = ([1, 3].contains(&(tag % 10)), [1, 2, 3].contains(&(tag % 10)));
        assert_eq!(n_hop, u8::from(int && tag < 20), "{tag}");
        assert!(ect || !ecn, "{tag}");
        marked += u64::from(ecn);
    }
    let counters = sim.counters();
    // Two frames at a time for a port that sends one: the first finds nobody behind it, nor does the last. Of the six between, one is of tag 0.
    assert_eq!((marked, counters.marked), (5, 5), "{counters:?}");
    assert_eq!((counters.data_packets, counters.acks), (8, 1));
}

/// A buffer too small for what two hosts send to a third pauses them, and both hear of it and of the end.
#[test]
fn pauses_reach_the_hosts() {
    let mut config = Config::paper(9000, true);
    config.buffer_bytes = 1024 * 1024;
    let mut sim = network(&star(3, 100, 1000), config);
    for tag in 0..2000 {
        for node in 0..2 {
            sim.inject(node, 0, frame(2, 1108, tag * 2 + u64::from(node))).unwrap();
        }
    }
    sim.run_until(1_000_000_000);
    let delivered = sim.take_delivered();
    for node in 0..2 {
        let kinds = |what| delivered.iter().filter(|d| d.node == node && d.what == what).count();
        assert!(kinds(Delivery::Pause) > 0, "node {node}");
        assert_eq!(kinds(Delivery::Pause), kinds(Delivery::Resume), "node {node}");
    }
    assert!(delivered.is_sorted_by_key(|d| d.time_ps));
}

/// Every frame injected is delivered or lost, by its number.
#[test]
fn losses_are_told() {
    let mut topology = star(3, 100, 1000);
    topology.links.iter_mut().for_each(|l| l.loss = 0.1);
    let mut config = Config::paper(9000, true);
    config.flow_control = FlowControl::EgressLimit;
    config.buffer_bytes = 100_000;
    let mut sim = network(&topology, config);
    for tag in 0..1000 {
        sim.inject(0, 0, frame(2, 1108, tag)).unwrap();
        sim.inject(1, 0, frame(2, 1108, 1000 + tag)).unwrap();
    }
    sim.run_until(1_000_000_000);
    let (mut arrived, mut lost) = (0, 0);
    let mut seen = std::collections::BTreeSet::new();
    for delivered in sim.take_delivered() {
        let tag = match delivered.what {
            Delivery::Frame { tag, .. } => {
                arrived += 1;
                tag
            }
            Delivery::Lost { tag } => {
                lost += 1;
                tag
            }
            other => panic!("{other:?}"),
        };
        assert!(seen.insert(tag), "{tag} twice");
    }
    let counters = sim.counters();
    assert_eq!(arrived + lost, 2000);
    assert_eq!(lost, counters.drops + counters.losses);
    assert!(counters.drops > 0 && counters.losses > 0, "{counters:?}");
}

#[test]
fn late_frames_and_strangers_are_refused() {
    let mut sim = network(&star(3, 100, 1000), Config::paper(9000, true));
    sim.run_until(5_000_000);
    // 88.64 ns on the wire and 1 us of delay end at the network's 5 us.
    let late = sim.inject(0, 3_911_359, frame(2, 1108, 1)).unwrap_err();
    assert!(matches!(late, InjectError::Late { node: 0, .. }), "{late}");
    sim.inject(0, 3_911_360, frame(2, 1108, 1)).unwrap();
    for node in [3, 4] {
        assert_eq!(
            sim.inject(node, 5_000_000, frame(2, 1108, 1)),
            Err(InjectError::Node(node))
        );
    }
    sim.complete(0, 4_500_000);
    sim.complete(0, 4_600_000);
    assert_eq!((sim.unfinished(), sim.records()[0].fct_ps()), (0, Some(4_500_000)));
}
