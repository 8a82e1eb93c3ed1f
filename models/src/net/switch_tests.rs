//! Pause, headroom, resume, egress limit and INT by numbers worked out by hand from the authors' simulator's rules (thresholds of a shared
//! buffer, a reserve per port, headroom of three one-way delays), and what no traffic may break: nothing is lost, nothing is left behind.

use super::super::tests::Greedy;
use super::*;
use crate::net::*;
use proptest::prelude::*;

const PACKET: u64 = 1000;

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

/// A switch with three ports of 100 Gb/s and 1 us, a buffer of 1 MB, and the numbers of its ports.
fn three_ports(flow_control: FlowControl) -> (Simulator, [u32; 3]) {
    let mut config = Config::paper(13_000, true);
    config.buffer_bytes = 1_000_000;
    config.flow_control = flow_control;
    let sim = simulator(&star(3, 100, 1000), vec![flow(0, 2, 1)], config);
    let on_switch = (0..sim.ports.len() as u32).filter(|&p| sim.ports[p as usize].on_switch);
    let ports: Vec<u32> = on_switch.collect();
    (sim, ports.try_into().unwrap())
}

const PFC: FlowControl = FlowControl::Pfc {
    shift: 3,
    faster_ports_get_more: false,
};

/// Packets that an ingress port takes until it pauses the other end, that one included.
fn until_pause(sim: &mut Simulator, ingress: u32, out: u32) -> u64 {
    for packets in 1..2000 {
        assert!(sim.admit(ingress, out, (0, 0), PACKET), "packet {packets}");
        if sim.ports[ingress as usize].pausing {
            return packets;
        }
    }
    panic!("no pause")
}

/// Headroom of a port: 100 Gb/s x 1 us x 3 = 37,500 bytes and four packets of 1224: 42,396. With a reserve of 4,096 for each of three
/// ports 1,000,000 - 3 x 46,492 = 860,524 are shared. One port alone has s = 1000 n - 4096 of them; packet 100 brings s to 95,904, above
/// an eighth of the 765,620 that were free before it (95,702); packet 99 brought it to 94,904, below. 95,904 is 11 % of the shared buffer.
#[test]
fn one_port_pauses_at_an_eighth_of_what_is_free() {
    let (mut sim, [a, _, out]) = three_ports(PFC);
    assert_eq!(sim.ports[a as usize].headroom, 42_396);
    assert_eq!(sim.switches[0].shared_bytes, 860_524);
    assert_eq!(until_pause(&mut sim, a, out), 100);
    assert_eq!((sim.counters.pauses, sim.switches[0].shared_used), (1, 94_904));
}

/// A pause comes before headroom is touched where a packet still fits: after 99 packets one of 750 bytes brings s to 95,654, at most an eighth
/// of what was free before it (95,702) and no less than an eighth of what is free after it (95,608).
#[test]
fn a_pause_may_come_before_headroom_is_used() {
    let (mut sim, [a, _, out]) = three_ports(PFC);
    for _ in 0..99 {
        assert!(sim.admit(a, out, (0, 0), PACKET));
    }
    assert!(!sim.ports[a as usize].pausing);
    assert!(sim.admit(a, out, (0, 0), 750));
    let port = &sim.ports[a as usize];
    assert_eq!((port.pausing, port.headroom_used), (true, 0));
    assert_eq!(sim.switches[0].shared_used, 95_654);
}

/// With 45,904 bytes of another port in the buffer packet 95 brings s to 90,904, above an eighth of 724,716 (90,589); packet 94 did not.
#[test]
fn what_other_ports_hold_lowers_the_threshold() {
    let (mut sim, [a, b, out]) = three_ports(PFC);
    for _ in 0..50 {
        assert!(sim.admit(a, out, (0, 0), PACKET));
    }
    assert_eq!(sim.switches[0].shared_used, 45_904);
    assert_eq!(until_pause(&mut sim, b, out), 95);
}

/// What arrives after the pause fills the headroom: 42 packets of 1000 in 42,396 bytes, the one that paused among them. The next is lost.
#[test]
fn headroom_takes_what_was_computed_and_no_more() {
    let (mut sim, [a, _, out]) = three_ports(PFC);
    until_pause(&mut sim, a, out);
    let more = (0..1000).take_while(|_| sim.admit(a, out, (0, 0), PACKET)).count();
    assert_eq!((more, sim.ports[a as usize].headroom_used), (41, 42_000));
    assert_eq!(sim.counters.pauses, 1, "one pause until it ends");
}

/// Headroom empties first; then s + 3072 has to come down to an eighth of what is free: 94,904 - 3000 + 3072 = 94,976 against
/// (860,524 - 91,904) / 8 = 96,077. One packet earlier it is 95,976 against 95,952. So 42 + 3 packets have to leave.
#[test]
fn a_pause_ends_three_kilobytes_below_its_threshold() {
    let (mut sim, [a, _, out]) = three_ports(PFC);
    until_pause(&mut sim, a, out);
    assert!((0..1000).any(|_| !sim.admit(a, out, (0, 0), PACKET)));
    let mut left = 0;
    while sim.ports[a as usize].pausing && left < 1000 {
        sim.release_buffer(a, PACKET);
        sim.check_resume(a);
        left += 1;
    }
    assert_eq!(left, 45);
}

/// Ports of twice and four times the NIC's speed pause at a quarter and at half of what is free, where that is the rule.
#[test]
fn faster_ports_may_get_more() {
    let rules = |faster_ports_get_more| {
        let control = FlowControl::Pfc {
            shift: 3,
            faster_ports_get_more,
        };
        let (sim, _) = three_ports(control);
        [100, 200, 400].map(|gbps| sim.port_rules(gbps * 1_000_000_000, 100_000_000_000).2)
    };
    assert_eq!((rules(false), rules(true)), ([3, 3, 3], [3, 2, 1]));
}

/// Without pause a lone queue takes as much as is free: half of 1 MB, 500 packets.
#[test]
fn an_egress_queue_takes_what_is_free() {
    let (mut sim, [a, b, out]) = three_ports(FlowControl::EgressLimit);
    let mut taken = 0;
    while taken < 2000 && sim.admit([a, b][taken % 2], out, (0, 0), PACKET) {
        sim.ports[out as usize].egress_bytes += PACKET;
        taken += 1;
    }
    assert_eq!((taken, sim.switches[0].total_used), (500, 500_000));
}

/// `nHop` counts to 15 and stays there; five records of eight bytes; ids are joined by XOR, so that a bit of two switches is 0 again.
#[test]
fn a_path_of_many_switches() {
    let topology = chain(1, 100, &[100, 100], 1000);
    let switches: Vec<u32> = (0..topology.nodes() as u32)
        .filter(|&n| topology.is_switch[n as usize])
        .collect();
    let mut sim = simulator(&topology, vec![flow(0, 1, 1)], Config::paper(13_000, true));
    let port = |sim: &Simulator, node: u32| sim.ports.iter().position(|p| p.node == node).unwrap() as u32;
    let index = sim.packets.insert(Packet {
        size: 1000,
        ..Packet::default()
    });
    let mut want = 0;
    for hop in 1..=20u8 {
        let node = switches[usize::from(hop) % switches.len()];
        let out = port(&sim, node);
        sim.stamp(out, index, None);
        want ^= node as u16;
        let packet = &sim.packets[index];
        assert_eq!((packet.n_hop, packet.path_id), (hop.min(15), want), "hop {hop}");
        assert_eq!(packet.size, 1000 + 8 * u32::from(hop.min(5)));
    }
    let joined: u32 = switches.iter().fold(0, |or, id| or | id);
    let unlike = switches.iter().fold(0, |xor, id| xor ^ id);
    assert_ne!(joined, unlike, "ids with a common bit");
}

/// A window of one packet; the first acknowledgement opens it to two.
struct Opens;

impl crate::cc::CongestionControl for Opens {
    fn name(&self) -> &'static str {
        "opens"
    }
    fn create(&mut self, flow: u32, generation: u8) -> crate::cc::Update {
        crate::cc::Update {
            flow,
            generation,
            window: 1024.0,
            rate: 100e9,
        }
    }
    fn remove(&mut self, _flow: u32) {}
    fn handle(&mut self, event: &crate::cc::CcEvent) -> Option<crate::cc::Update> {
        Some(crate::cc::Update {
            flow: event.flow,
            generation: event.generation,
            window: 2048.0,
            rate: 100e9,
        })
    }
}

/// The third packet leaves when the window of the first acknowledgement takes effect: every nanosecond of latency is one of completion.
#[test]
fn a_window_takes_effect_after_its_latency() {
    let fct = |latency_ps: u64| {
        let mut config = Config::paper(13_000, false);
        config.cc_latency_ps = latency_ps;
        let mut slot =
            |_: &SlotParams| -> Result<Box<dyn CcSlot>, String> { Ok(Box::new(Direct::new(Box::new(Opens)))) };
        let flows = vec![flow(0, 1, 3 * 1024)];
        let mut sim = Simulator::new(&star(2, 100, 1000), flows, config, SamplePlan::default(), &mut slot).unwrap();
        sim.run_until(1_000_000_000);
        sim.finish().records[0].fct_ps().unwrap()
    };
    let base = fct(600_000);
    assert_eq!(fct(900_000) - base, 300_000);
    assert_eq!(fct(1_500_000) - base, 900_000);
}

/// Base RTT of the pair and size with headers at the bottleneck's rate: 10,000 bytes are ten packets of 82 bytes of headers, 10,820 bytes
/// of 80 ps; one byte is 83. The base RTT is four delays of 1 us and two packets' payload of 81.92 ns.
#[test]
fn the_simulators_ideal_completion_time_has_headers() {
    let config = Config {
        ideal: IdealRule::Ns3,
        ..Config::paper(13_000, false)
    };
    let flows = vec![flow(0, 1, 10_000), flow(0, 1, 1)];
    let sim = simulator(&star(2, 100, 1000), flows, config);
    let ideal: Vec<u64> = sim.records.iter().map(|r| r.ideal_ps.unwrap() / 1000).collect();
    assert_eq!(ideal[0] - ideal[1], 865 - 6);
    assert!((4162..=4164).contains(&(ideal[1] - 6)), "{ideal:?}");
}

/// Nothing is held, paused or owed when everything has arrived.
fn assert_empty(sim: &Simulator, what: &str) {
    for (index, p) in sim.ports.iter().enumerate() {
        let held = (
            p.queued_bytes,
            p.egress_bytes,
            p.ingress_bytes,
            p.headroom_used,
            p.waiting,
        );
        assert_eq!(held, (0, 0, 0, 0, 0), "{what}: port {index}");
        assert!(!p.paused && !p.pausing, "{what}: port {index} paused");
    }
    for switch in &sim.switches {
        assert_eq!(
            (switch.shared_used, switch.total_used),
            (0, 0),
            "{what}: switch {}",
            switch.node
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Senders that never slow down, on trees of any kind: pause loses nothing, ends, and gives every byte of the buffer back.
    #[test]
    fn pause_on_trees_loses_nothing_and_ends(
        kind in 0..4usize,
        pairs in prop::collection::vec((0..64u32, 0..64u32, 1..150_000u64, 0..20_000_000u64), 1..24),
        rate in prop::sample::select(vec![25u64, 40, 100, 200]),
        delay in 50..2500u64,
        spare in 20_000..400_000u64,
    ) {
        let topology = match kind {
            0 => star(9, rate, delay),
            1 => dumbbell(4, rate, 100, delay),
            2 => chain(3, rate, &[100, 40], delay),
            _ => three_tier(100, 40, rate),
        };
        let hosts = topology.hosts();
        let flows: Vec<FlowSpec> = pairs
            .iter()
            .map(|&(a, b, bytes, start_ps)| {
                let src = hosts[a as usize % hosts.len()];
                let dst = hosts[b as usize % hosts.len()];
                let dst = if src == dst { hosts[(b as usize + 1) % hosts.len()] } else { dst };
                FlowSpec { start_ps, ..flow(src, dst, bytes) }
            })
            .collect();
        let mut config = Config::paper(13_000, true);
        // Every port's headroom and reserve, and little to share.
        let ports = topology.nodes() as u64;
        config.buffer_bytes = ports * 260_000 + spare;
        config.flow_control = PFC;
        let mut sim = simulator(&topology, flows.clone(), config);
        // Only `spare` is shared, however many ports a switch has.
        sim.switches.iter_mut().for_each(|s| s.shared_bytes = spare);
        sim.run_until(1_000_000_000_000);
        prop_assert_eq!(sim.unfinished(), 0, "{:?}", sim.counters);
        prop_assert_eq!((sim.counters.drops, sim.counters.timeouts, sim.counters.naks), (0, 0, 0));
        assert_empty(&sim, "in the end");
        let outcome = sim.finish();
        prop_assert!(outcome.records.iter().all(|r| r.retransmitted_bytes == 0));
        let packets: u64 = flows.iter().map(|f| f.bytes.div_ceil(1024)).sum();
        prop_assert_eq!(outcome.counters.data_packets, packets, "every packet once");
    }
}
