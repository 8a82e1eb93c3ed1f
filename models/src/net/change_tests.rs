//! What a change of a link puts in force: every value that depends on the link, under every kind of change, at both ends.

use super::tests::Greedy;
use super::*;

const G: u64 = 1_000_000_000;

fn simulator(topology: &Topology, flows: Vec<FlowSpec>, config: Config) -> Simulator {
    let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(Greedy {
            rate: p.line_rate_bps as f64,
            window: f64::INFINITY,
        }))))
    };
    Simulator::new(topology, flows, config, SamplePlan::default(), &mut slot).unwrap()
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

/// A change at this moment.
fn change_now(sim: &mut Simulator, change: LinkChange) {
    sim.link_changes.push(change);
    sim.change_link(sim.link_changes.len() - 1);
}

/// Everything that is configured at a port, and what its switch shares.
fn configured(sim: &Simulator) -> Vec<String> {
    let of_port = |p: &port::Port| {
        let times = &sim.times[p.times as usize];
        format!(
            "node {} up {} rate {} code {} delay {} loss {} ecn {:?} headroom {} shift {} table of {} bps: {:?}; switch {:?}",
            p.node,
            p.up,
            p.rate_bps,
            p.speed_code,
            p.delay_ps,
            p.loss,
            p.ecn,
            p.headroom,
            p.pause_shift,
            times.rate_bps,
            [times.ps[84], times.ps[1122]],
            p.on_switch.then(|| &sim.switches[p.owner as usize])
        )
    };
    sim.ports.iter().map(of_port).collect()
}

/// A network whose link has changed its speed is the one that was built with it: each port's every value, the shared buffer and the routes; for
/// each link, each rule of flow control, speeds up and down and back.
#[test]
fn a_changed_speed_is_a_built_speed() {
    let controls = [
        FlowControl::Pfc {
            shift: 3,
            faster_ports_get_more: false,
        },
        FlowControl::Pfc {
            shift: 3,
            faster_ports_get_more: true,
        },
        FlowControl::EgressLimit,
        FlowControl::DropTail { packets: 100 },
    ];
    for (flow_control, clock) in controls.iter().flat_map(|&c| [(c, Clock::Exact), (c, Clock::Ns3)]) {
        let config = Config {
            flow_control,
            clock,
            ..Config::paper(13_000, true)
        };
        for link in 0..5 {
            let mut sim = simulator(&dumbbell(2, 100, 40, 1000), vec![flow(0, 2, 1)], config.clone());
            for gbps in [400, 10, 25, 100] {
                let change = LinkChange {
                    at_ps: 0,
                    link,
                    up: true,
                    rate_bps: Some(gbps * G),
                };
                change_now(&mut sim, change);
                let mut topology = dumbbell(2, 100, 40, 1000);
                topology.links[link].rate_bps = gbps * G;
                let mut built = simulator(&topology, vec![flow(0, 2, 1)], config.clone());
                // "of NIC speed" is that of the first host's link before anything changed
                for port in 0..built.ports.len() {
                    built.ports[port].pause_shift = built.port_rules(built.ports[port].rate_bps, 100 * G).2;
                }
                assert_eq!(
                    configured(&sim),
                    configured(&built),
                    "link {link} at {gbps} Gb/s, {flow_control:?}"
                );
                assert_eq!(
                    sim.routes.pair(0, 2),
                    built.routes.pair(0, 2),
                    "link {link} at {gbps} Gb/s"
                );
            }
        }
    }
}

/// A host that paces at its port's rate does so at the new one.
#[test]
fn a_hosts_flows_pace_at_the_new_speed() {
    let config = Config {
        pace: false,
        ..Config::paper(13_000, false)
    };
    let mut sim = simulator(
        &star(3, 100, 1000),
        vec![flow(0, 2, 1_000_000), flow(1, 2, 1_000_000)],
        config,
    );
    sim.run_until(1_000_000);
    let change = LinkChange {
        at_ps: 1_000_000,
        link: 0,
        up: true,
        rate_bps: Some(25 * G),
    };
    change_now(&mut sim, change);
    let line: Vec<u64> = sim.contexts.iter().map(|c| c.line_bps).collect();
    assert_eq!(line, [25 * G, 100 * G]);
}

/// Sixteen senders press on one port until everybody is paused; then a link fails: at both of its ends nothing waits, nothing is paused and
/// nobody is held to be, and time paused has been counted. When it is back the flows end, and nothing is held anywhere.
#[test]
fn a_failed_link_has_no_past() {
    let mut config = Config::paper(13_000, false);
    config.buffer_bytes = 3 << 20;
    config.retry_timeout_ps = Some(100_000_000);
    for classes in [
        None,
        Some(ClassRules {
            weights: vec![1, 2],
            schedule: ClassSchedule::Dwrr,
            telemetry: ClassTelemetry::Port,
            active_ps: 0,
            of_flow: (0..16).map(|i| i % 2).collect(),
        }),
    ] {
        for which in [Some(0), Some(1), None] {
            let flows = (0..16).map(|src| flow(src, 16, 400_000)).collect();
            let config = Config {
                classes: classes.clone(),
                ..config.clone()
            };
            let mut sim = simulator(&star(17, 100, 1000), flows, config);
            sim.run_until(40_000_000);
            let ends = |link: usize| match sim.ports[2 * link].on_switch {
                true => (2 * link + 1, 2 * link),
                false => (2 * link, 2 * link + 1),
            };
            // a link that is paused at both of its ends, or the receiver's
            let is_paused = |&link: &usize| sim.ports[ends(link).1].pausing && sim.ports[ends(link).0].paused;
            let link = match which {
                Some(n) => (0..16).filter(is_paused).nth(n).expect("two pauses are on"),
                None => 16,
            };
            let (host, switch) = ends(link);
            if link == 16 {
                assert!(
                    sim.ports[switch].queued_bytes > 100_000,
                    "the receiver's port holds much"
                );
            }
            let paused_before = sim.counters.paused_ps;
            for up in [false, true] {
                let change = LinkChange {
                    at_ps: 0,
                    link,
                    up,
                    rate_bps: None,
                };
                change_now(&mut sim, change);
                for port in [host, switch] {
                    let p = &sim.ports[port];
                    assert_eq!(
                        (p.up, p.paused, p.pausing),
                        (up, false, false),
                        "link {link}, port {port}"
                    );
                    if !up {
                        assert_eq!(
                            (p.waiting, p.queued_bytes, p.egress_bytes),
                            (0, 0, 0),
                            "link {link}, port {port}"
                        );
                        let of_classes: u64 = p.classes.iter().flat_map(|c| c.lengths()).sum();
                        assert!(of_classes == 0 && p.control.is_empty() && p.data.is_empty());
                    }
                }
                if link < 16 {
                    assert!(sim.counters.paused_ps > paused_before, "link {link}: the pause counts");
                }
                if !up {
                    sim.run_until(sim.now_ps() + 30_000_000);
                }
            }
            sim.run_until(1_000_000_000_000);
            assert_eq!(sim.unfinished(), 0, "link {link}");
            for (index, p) in sim.ports.iter().enumerate() {
                let held = (
                    p.queued_bytes,
                    p.egress_bytes,
                    p.ingress_bytes,
                    p.headroom_used,
                    p.waiting,
                );
                assert_eq!(held, (0, 0, 0, 0, 0), "link {link}: port {index}");
                assert!(!p.paused && !p.pausing, "link {link}: port {index}");
            }
            assert_eq!(
                (sim.switches[0].shared_used, sim.switches[0].total_used),
                (0, 0),
                "link {link}"
            );
        }
    }
}

/// A pause that began before a failure is over with it, and the next one is sent anew: the same pressure after the link's return loses nothing.
#[test]
fn pauses_work_again_after_a_return() {
    let mut config = Config::paper(13_000, false);
    config.buffer_bytes = 3 << 20;
    config.retry_timeout_ps = Some(100_000_000);
    let late = |src| FlowSpec {
        start_ps: 400_000_000,
        ..flow(src, 16, 400_000)
    };
    let flows = (0..16)
        .map(|src| flow(src, 16, 400_000))
        .chain((0..16).map(late))
        .collect();
    let mut sim = simulator(&star(17, 100, 1000), flows, config);
    for (at_ps, up) in [(40_000_000, false), (140_000_000, true)] {
        for link in 0..8 {
            sim.add_link_change(LinkChange {
                at_ps,
                link,
                up,
                rate_bps: None,
            });
        }
    }
    sim.run_until(399_000_000);
    let (drops, pauses) = (sim.counters.drops, sim.counters.pauses);
    sim.run_until(1_000_000_000_000);
    assert_eq!(
        (sim.unfinished(), sim.counters.drops),
        (0, drops),
        "after the return nothing is lost"
    );
    assert!(sim.counters.pauses > pauses + 8, "and links are paused again");
}

/// A frame of 84 bytes, on the wire for 6.72 ns and 1 us: a failure of a moment while it is sent or flies loses it, whatever it is, one before or
/// after does not. Without the loss a pause would hold the port back for ever, since its sender has forgotten it.
#[test]
fn a_failure_of_a_moment_loses_what_is_on_the_wire() {
    use super::packet::{Packet, PacketKind};
    let (sent, arrival) = (2_000_000, 2_000_000 + 6_720 + 1_000_000);
    for (failure, lost) in [
        (sent - 10, false),
        (sent + 10, true),
        (sent + 500_000, true),
        (arrival - 10, true),
        (arrival + 10, false),
    ] {
        for kind in [PacketKind::Pause, PacketKind::Data] {
            let mut sim = simulator(&star(3, 100, 1000), vec![flow(1, 2, 1)], Config::paper(13_000, false));
            for (at_ps, up) in [(failure, false), (failure + 1, true)] {
                sim.add_link_change(LinkChange {
                    at_ps,
                    link: 0,
                    up,
                    rate_bps: None,
                });
            }
            // From the switch to host 0, port 1 to port 0; the data packet is a stray one.
            sim.run_until(sent);
            sim.now = sent;
            let index = sim.packets.insert(Packet {
                kind,
                size: 84,
                context: u32::MAX,
                flow: u32::MAX,
                src: 1,
                ..Packet::default()
            });
            sim.contexts.resize_with(1, Default::default);
            sim.packets[index].context = 0;
            sim.transmit(1, index, false);
            sim.unfinished += 1;
            sim.run_until(arrival + 5);
            let early = failure < arrival;
            assert_eq!(sim.counters.losses, u64::from(lost), "{kind:?}, failure at {failure}");
            if kind == PacketKind::Pause && early {
                assert_eq!(sim.ports[0].paused, !lost, "failure at {failure}");
            }
            sim.run_until(10_000_000);
            assert_eq!(sim.counters.losses, u64::from(lost), "{kind:?}, failure at {failure}");
        }
    }
}
