//! The schedule against rows worked out by hand, throughput of lone flows against arithmetic, and what must not get lost.

use super::*;
use crate::net::tcp::{TcpConfig, TcpLaw, TcpSetup};
use crate::net::tests::Greedy;
use crate::net::{
    racks, CcSlot, Config, Direct, FlowControl, FlowSpec, IrnRules, Recovery, SamplePlan, SetupError, Simulator,
    SlotParams,
};

const US: u64 = 1_000_000;

fn circuits() -> CircuitConfig {
    CircuitConfig {
        rate_bps: 100_000_000_000,
        delay_ps: 4 * US,
        day_ps: 225 * US,
        night_ps: 20 * US,
        signal: None,
        watch: (0, 1),
    }
}

fn config(circuits: CircuitConfig) -> Config {
    let mut config = Config::paper(24_000, true);
    config.flow_control = FlowControl::EgressLimit;
    config.recovery = Recovery::Irn(IrnRules::PAPER);
    config.window_use = crate::net::WindowUse::None;
    config.circuits = Some(circuits);
    config
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

/// Four racks of two hosts, senders at line rate with a window of so many bytes.
fn simulator(flows: Vec<FlowSpec>, config: Config, window: f64) -> Result<Simulator, SetupError> {
    let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(Greedy {
            rate: p.line_rate_bps as f64,
            window,
        }))))
    };
    let plan = SamplePlan {
        interval_ps: US,
        end_ps: u64::MAX,
        meter_ps: 5 * US,
        ..SamplePlan::default()
    };
    Simulator::new(&racks(4, 2, 25, 25, 2_000), flows, config, plan, &mut slot)
}

#[test]
fn a_week_worked_out_by_hand() {
    let schedule = Schedule {
        racks: 4,
        day_ps: 225 * US,
        night_ps: 20 * US,
    };
    assert_eq!(schedule.week_ps(), 735 * US);
    // Time (us), matching, end of its day (us).
    let rows = [
        (0, Some((1, 225))),
        (224, Some((1, 225))),
        (225, None),
        (244, None),
        (245, Some((2, 470))),
        (490, Some((3, 715))),
        (715, None),
        (735, Some((1, 960))),
    ];
    for (at, expected) in rows {
        let expected = expected.map(|(m, end)| (m, end * US));
        assert_eq!(schedule.at(at * US), expected, "{at} us");
    }
    // Matching 3 of four ToRs leads each to the one before it.
    assert_eq!([0, 1, 2, 3].map(|from| schedule.peer(from, 3)), [3, 0, 1, 2]);
}

#[test]
fn each_ordered_pair_once_a_week() {
    for racks in [2, 3, 4, 25] {
        let schedule = Schedule {
            racks,
            day_ps: 225 * US,
            night_ps: 20 * US,
        };
        let mut met = std::collections::BTreeSet::new();
        for matching in 1..racks {
            let peers: std::collections::BTreeSet<u32> = (0..racks).map(|from| schedule.peer(from, matching)).collect();
            assert_eq!(peers.len() as u32, racks, "a matching leads to every ToR once");
            for from in 0..racks {
                let to = schedule.peer(from, matching);
                assert_eq!(schedule.matching(from, to), Some(matching));
                assert!(from != to && met.insert((from, to)));
            }
        }
        assert_eq!(met.len() as u32, racks * (racks - 1));
        assert_eq!(schedule.matching(1 % racks, 1 % racks), None);
    }
}

/// Two hosts at 25 Gb/s fill half of a circuit by day. By night, and while other matchings last, the uplink is full: what is more waits in the
/// VOQ, and the next day of the circuit drains it at its own rate.
#[test]
fn lone_flows_have_the_rate_worked_out_by_hand() {
    let mut config = config(circuits());
    config.buffer_bytes = 64 * 1024 * 1024;
    // IRN would hold back what is more than a bandwidth-delay product.
    config.recovery = Recovery::GoBackN;
    let flows = vec![flow(0, 2, 1 << 40), flow(1, 3, 1 << 40)];
    let mut sim = simulator(flows, config, f64::INFINITY).unwrap();
    sim.run_until(735 * US);
    let samples = sim.samples().circuits.clone();
    let of = |from: u64, to: u64| {
        let inside = samples.sent.iter().filter(|s| s.0 > from * US && s.0 <= to * US);
        inside.fold((0, 0), |sum, s| (sum.0 + s.1, sum.1 + s.2))
    };
    // A packet has 1024 + 82 + 2 bytes, and 8 more behind the ToR; pacing charges it 40 bytes of INT: 25 Gb/s are 2.722 packets a microsecond from each
    // host, and 544.4 packets of 1116 bytes from both in 100 us.
    let (circuit, uplink) = of(100, 200);
    assert!(circuit.abs_diff(607_590) <= 2 * 1116, "{circuit}");
    assert_eq!(uplink, 0);
    // 25 Gb/s for 400 us are 1.25 MB.
    let (circuit, uplink) = of(300, 700);
    assert_eq!(circuit, 0);
    assert!(uplink.abs_diff(1_250_000) <= 2 * 1200, "{uplink}");
    // From the end of the day on, at 225 us, 5.444 packets of 1108 bytes arrive in a microsecond and 25 Gb/s / 1116 bytes = 2.800 leave: 1.392 MB after
    // 475 us.
    let at_700 = samples.voq.iter().rfind(|p| p.t_ps <= 700 * US).unwrap().bytes;
    assert!(at_700.abs_diff(1_391_600) <= 1_391_600 / 100, "{at_700}");
    // From 735 us on, with 1.49 MB in the VOQ, 11.20 packets leave in a microsecond: it would be empty after 234 us, so the circuit is full all day.
    sim.run_until(965 * US);
    let used = utilisation(sim.samples(), &circuits(), 4, 735 * US, 965 * US);
    assert!(used > 0.99 && used <= 1.0, "{used}");
    assert_eq!(sim.counters().drops, 0);
}

/// Flows to every rack, buffers too small, and the end of the run long after the last packet: every byte arrives, nothing stays in a queue or
/// charged to a buffer.
#[test]
fn nothing_leaks() {
    for (buffer, dropped) in [(64, false), (1, true)] {
        let mut config = config(circuits());
        config.buffer_bytes = buffer * 512 * 1024;
        let flows: Vec<FlowSpec> = (0..8)
            .flat_map(|src| {
                (0..8)
                    .filter(move |dst| src / 2 != dst / 2)
                    .map(move |dst| flow(src, dst, 400_000))
            })
            .collect();
        let mut sim = simulator(flows, config, 200_000.0).unwrap();
        for until in 1..=40 {
            sim.run_until(until * 100 * US);
            let (voqs, uplinks) = sim.voq_bytes();
            assert_eq!(voqs, uplinks, "{until}");
        }
        sim.run_until(500_000 * US);
        assert_eq!(sim.unfinished(), 0);
        sim.run_until(501_000 * US);
        assert_eq!((sim.voq_bytes(), sim.buffer_in_use()), ((0, 0), 0));
        assert_eq!(sim.counters().drops > 0, dropped, "{:?}", sim.counters());
        assert_eq!(sim.counters().losses, 0);
    }
}

/// A packet overtakes others only where a day begins: what left by the packet network is still on its way when the circuit's first packet
/// arrives. The receiver reports that gap, and only there are packets sent again.
#[test]
fn only_the_beginning_of_a_day_reorders() {
    let retransmitted = |night_start_us: u64, until_us: u64| {
        let mut circuits = circuits();
        circuits.night_ps = night_start_us * US;
        let mut sim = simulator(vec![flow(0, 2, 1 << 40)], config(circuits), 150_000.0).unwrap();
        sim.run_until(until_us * US);
        (sim.counters().naks, sim.counters().drops, sim.counters().losses)
    };
    // The first day begins with the run; up to the end of the second matching nothing is out of order.
    assert_eq!(retransmitted(20, 480), (0, 0, 0));
    // The circuit returns at 735 us and overtakes.
    let (naks, drops, losses) = retransmitted(20, 900);
    assert!(naks > 0, "{naks}");
    assert_eq!((drops, losses), (0, 0));
}

/// What a law is told of a VOQ: by day two switches and 100 Gb/s (code 5), otherwise three and 25 Gb/s (code 2).
#[test]
fn telemetry_says_what_drains_the_queue() {
    use crate::cc::{CcEvent, CongestionControl, Update};
    use std::sync::{Arc, Mutex};
    struct Spy(Arc<Mutex<Vec<(u8, u8)>>>);
    impl CongestionControl for Spy {
        fn name(&self) -> &'static str {
            "spy"
        }
        fn create(&mut self, flow: u32, generation: u8) -> Update {
            Update {
                flow,
                generation,
                window: 75_000.0,
                rate: 25e9,
            }
        }
        fn remove(&mut self, _flow: u32) {}
        fn handle(&mut self, event: &CcEvent) -> Option<Update> {
            if event.n_hop > 0 {
                let mut seen = self.0.lock().unwrap();
                seen.push((event.n_hop, event.hops[0].speed));
            }
            None
        }
    }
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut slot =
        |_: &SlotParams| -> Result<Box<dyn CcSlot>, String> { Ok(Box::new(Direct::new(Box::new(Spy(seen.clone()))))) };
    let topology = racks(4, 2, 25, 25, 2_000);
    let flows = vec![flow(0, 2, 1 << 40)];
    let mut sim = Simulator::new(&topology, flows, config(circuits()), SamplePlan::default(), &mut slot).unwrap();
    let mut until = |us: u64| {
        sim.run_until(us * US);
        let mut kinds = std::mem::take(&mut *seen.lock().unwrap());
        kinds.dedup();
        kinds
    };
    assert_eq!(until(225), [(2, 5)]);
    // Packets of the day are still acknowledged at night.
    assert_eq!(until(700), [(2, 5), (3, 2)]);
    // The first packets of a day overtake the last ones before it.
    let morning = until(800);
    assert_eq!((morning.first(), morning.last()), (Some(&(3, 2)), Some(&(2, 5))));
    assert!(
        morning.iter().all(|kind| [(3, 2), (2, 5)].contains(kind)),
        "{morning:?}"
    );
}

/// Four times the window from the announcement to the end of the day, heard one link's delay later, and a VOQ that holds more meanwhile.
#[test]
fn retcp_scales_its_window_between_announcement_and_end() {
    let mut circuits = circuits();
    circuits.signal = Some(SignalRule {
        prebuffer_ps: 100 * US,
        enlarged_packets: Some(300),
    });
    let mut config = config(circuits);
    config.flow_control = FlowControl::DropTail { packets: 60 };
    config.int = false;
    config.tcp = Some(TcpSetup::all(TcpConfig::rfc(TcpLaw::ReTcp)));
    let mut sim = simulator(vec![flow(0, 2, 1 << 40), flow(0, 4, 1 << 40)], config, 0.0).unwrap();
    let step = |sim: &mut Simulator, us: u64| {
        sim.run_until(us * US + US);
        let before = sim.tcp_sender(0).unwrap().cwnd();
        sim.run_until(us * US + 3 * US);
        sim.tcp_sender(0).unwrap().cwnd() as f64 / before as f64
    };
    // The day begins at 735 us, is announced at 635 and ends at 960; a host hears of it 2 us later.
    assert!((3.9..4.2).contains(&step(&mut sim, 635)));
    assert!((0.9..1.2).contains(&step(&mut sim, 735)));
    assert!((0.24..0.27).contains(&step(&mut sim, 960)));
    assert!((0.9..1.2).contains(&step(&mut sim, 1205)), "another circuit's end");
    assert_eq!(sim.law(), "retcp");
}

/// Scaling up and down again is the window it was, whatever is told twice.
#[test]
fn scaling_is_undone_exactly() {
    let config = TcpConfig::rfc(TcpLaw::ReTcp);
    let mut sender = crate::net::tcp::Sender::new(&config, 0, 24 * US);
    let (window, threshold) = (sender.cwnd(), sender.ssthresh());
    let ratio = (100, 25);
    sender.scale(&config, 0, ratio, false);
    assert_eq!(sender.cwnd(), window, "nothing to divide");
    sender.scale(&config, 0, ratio, true);
    sender.scale(&config, 0, ratio, true);
    assert_eq!((sender.cwnd(), sender.ssthresh()), (4 * window, 4 * threshold));
    sender.scale(&config, 0, ratio, false);
    assert_eq!((sender.cwnd(), sender.ssthresh()), (window, threshold));
}

#[test]
fn what_cannot_be_set_up() {
    let error = |change: &dyn Fn(&mut Config)| {
        let mut config = config(circuits());
        change(&mut config);
        simulator(vec![flow(0, 2, 1)], config, 1e6).err().unwrap().to_string()
    };
    let set = |change: fn(&mut CircuitConfig)| move |c: &mut Config| change(c.circuits.as_mut().unwrap());
    assert_eq!(
        error(&|c| c.flow_control = Config::paper(1, false).flow_control),
        "circuits: expected no pause, which cannot go back through a circuit"
    );
    assert_eq!(
        error(&set(|c| c.watch = (1, 1))),
        "circuits: watch: expected two different ToRs below 4, got 1 and 1"
    );
    assert!(error(&set(|c| c.day_ps = 0)).contains("longer than 0"));
    let early = SignalRule {
        prebuffer_ps: 511 * US,
        enlarged_packets: None,
    };
    assert!(error(&move |c| c.circuits.as_mut().unwrap().signal = Some(early)).contains("prebuffering"));
}
