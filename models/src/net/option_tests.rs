//! Options that few runs use, each against numbers worked out by hand.

use super::outside::Delivery;
use super::packet::{Packet, PacketKind, NIL};
use super::tests::Greedy;
use super::*;
use crate::cc::{CcEvent, CongestionControl, EventKind, HopRecord, Update};

const G: u64 = 1_000_000_000;

fn flow(src: u32, dst: u32, bytes: u64) -> FlowSpec {
    FlowSpec {
        src,
        dst,
        bytes,
        start_ps: 0,
        dst_port: FlowSpec::DST_PORT,
    }
}

fn simulator(topology: &Topology, flows: Vec<FlowSpec>, config: Config) -> Simulator {
    let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(Greedy {
            rate: p.line_rate_bps as f64,
            window: f64::INFINITY,
        }))))
    };
    Simulator::new(topology, flows, config, SamplePlan::default(), &mut slot).unwrap()
}

/// Packets of 1000 bytes of given classes reach a switch at one moment, by the port of host 0 for host 1; those that leave marked.
fn marked_of(config: Config, classes: &[u8]) -> u64 {
    let mut sim = simulator(&star(2, 100, 1000), vec![flow(0, 1, 1)], config);
    sim.hosts_outside();
    let entry = sim.ports.iter().position(|p| p.on_switch).unwrap() as u32;
    for &class in classes {
        let index = sim.packets.insert(Packet {
            kind: PacketKind::Data,
            src: 0,
            dst: 1,
            size: 1000,
            class,
            in_port: NIL,
            ..Packet::default()
        });
        sim.arrive(entry, index);
    }
    sim.run_until(1_000_000_000);
    let marks = sim
        .take_delivered()
        .into_iter()
        .filter(|d| matches!(d.what, Delivery::Frame { ecn: true, .. }));
    let marks = marks.count() as u64;
    assert_eq!(marks, sim.counters.marked);
    marks
}

fn two_classes(schedule: ClassSchedule) -> ClassRules {
    ClassRules {
        weights: vec![1, 1],
        schedule,
        telemetry: ClassTelemetry::Port,
        active_ps: 0,
        of_flow: Vec::new(),
    }
}

/// Twenty packets of class 0 and five of class 1, everything above 10,000 bytes left behind is marked. The first leaves at once; of the 19 others
/// of class 0 the n-th leaves 19 - n behind in its class: 8 of them more than ten. Class 1 never has as much. Without classes it is 24 - n: 13.
#[test]
fn marks_are_those_of_the_own_classs_queue() {
    let packets: Vec<u8> = [[0; 20].as_slice(), &[1; 5]].concat();
    let mut config = Config::paper(9_000, false);
    for rule in config.ecn.values_mut() {
        (rule.k_min, rule.k_max, rule.p_max) = (10_000, 10_000, 1.0);
    }
    assert_eq!(marked_of(config.clone(), &packets), 13);
    config.classes = Some(two_classes(ClassSchedule::Strict));
    assert_eq!(marked_of(config.clone(), &packets), 8);
    // in turn the two classes leave together: class 0 has the same queue behind each of its packets
    config.classes = Some(two_classes(ClassSchedule::Dwrr));
    assert_eq!(marked_of(config, &packets), 8);
}

/// The same by packets that an arriving one finds: the first finds none, the second none (the first is being sent), the n-th n - 2. Ten or more:
/// 20 - 11 of class 0, none of class 1; without classes 25 - 11.
#[test]
fn marks_by_packets_are_those_of_the_own_class() {
    let packets: Vec<u8> = [[0; 20].as_slice(), &[1; 5]].concat();
    let mut config = Config::paper(9_000, false);
    config.ecn.clear();
    config.mark_packets = Some(10);
    assert_eq!(marked_of(config.clone(), &packets), 14);
    config.classes = Some(two_classes(ClassSchedule::Strict));
    assert_eq!(marked_of(config, &packets), 9);
}

/// Between the thresholds packets are marked with a probability that rises in a line; 40,000 packets of each of three lengths, chi-square of
/// marked and unmarked with one degree of freedom below 19.5 (one in a hundred thousand).
#[test]
fn the_probability_of_a_mark_rises_in_a_line() {
    let mut config = Config::paper(9_000, false);
    for rule in config.ecn.values_mut() {
        (rule.k_min, rule.k_max, rule.p_max) = (10_000, 50_000, 0.2);
    }
    let mut sim = simulator(&star(2, 100, 1000), vec![], config);
    let port = sim.ports.iter().position(|p| p.on_switch).unwrap() as u32;
    for (queue, p) in [
        (0, 0.0),
        (10_000, 0.0),
        (18_000, 0.04),
        (30_000, 0.1),
        (50_000, 0.2),
        (50_001, 1.0),
    ] {
        let before = sim.counters.marked;
        for _ in 0..40_000 {
            let index = sim.packets.insert(Packet::default());
            sim.mark(port, index, queue);
            sim.packets.release(index);
        }
        let marked = sim.counters.marked - before;
        if p == 0.0 || p == 1.0 {
            assert_eq!(marked, (p * 40_000.0) as u64, "{queue} bytes");
            continue;
        }
        let expected = [p * 40_000.0, (1.0 - p) * 40_000.0];
        let chi = crate::measure::chi_square(&[marked, 40_000 - marked], &expected);
        assert!(chi < 19.5, "{queue} bytes: {marked} of 40000");
    }
}

/// A record of a port of 100 Gb/s that has sent 1,000,000 bytes and holds 8000, at 1.234567891 s, under each option of stamping: bytes in units
/// of 128, queues of 80, times a multiplier; bytes that arrived are those sent, those waiting and the packet's own 1000.
#[test]
fn a_record_under_each_option() {
    let record = |change: fn(&mut Config)| {
        let mut config = Config::paper(9_000, true);
        change(&mut config);
        let mut sim = simulator(&star(2, 100, 1000), vec![], config);
        let port = sim.ports.iter().position(|p| p.on_switch).unwrap() as u32;
        let p = &mut sim.ports[port as usize];
        (p.tx_bytes, p.queued_bytes) = (1_000_000, 8_000);
        sim.now = 1_234_567_891_000;
        let index = sim.packets.insert(Packet {
            size: 1000,
            ..Packet::default()
        });
        sim.stamp(port, index, None);
        sim.packets[index].hops[0]
    };
    let plain = HopRecord {
        speed: 5,
        ts: 1_234_567_891 & 0xff_ffff,
        tx_bytes: 1_000_000 / 128,
        q_len: 100,
    };
    assert_eq!(record(|_| ()), plain);
    let multiplied = HopRecord {
        tx_bytes: 1_000_000 / 512,
        q_len: 25,
        ..plain
    };
    assert_eq!(record(|c| c.int_multi = 4), multiplied);
    let arrived = HopRecord {
        tx_bytes: 1_009_000 / 128,
        ..plain
    };
    assert_eq!(record(|c| c.int_arrivals = true), arrived);
    let second = HopRecord {
        ts: 234_567_891 & 0xff_ffff,
        ..plain
    };
    assert_eq!(record(|c| c.second_fraction = true), second);
    let half = HopRecord {
        speed: 4,
        tx_bytes: 500_000 / 128,
        q_len: 50,
        ..plain
    };
    assert_eq!(record(|c| c.stamps.shown_bps = Some(50 * G)), half);
    assert_eq!(
        record(|c| c.stamps.silent = vec![2].into_iter().collect()),
        HopRecord::default()
    );
}

/// Two classes of weights 1 and 3 at 100 Gb/s; class 1 has sent 256,000 bytes and holds two packets of 1000 besides the one that leaves after
/// 4 us; class 0 holds five. By class: its queue and bytes at 75 Gb/s; shared the same while both are active; by time waited: 4 us are
/// 50,000 bytes.
#[test]
fn a_record_of_a_class() {
    let record = |telemetry, active_ps| {
        let mut config = Config::paper(9_000, true);
        config.classes = Some(ClassRules {
            weights: vec![1, 3],
            telemetry,
            active_ps,
            ..two_classes(ClassSchedule::Dwrr)
        });
        config.cover_speeds([75 * G]).unwrap();
        let mut sim = simulator(&star(2, 100, 1000), vec![], config);
        let port = sim.ports.iter().position(|p| p.on_switch).unwrap() as u32;
        let index = sim.packets.insert(Packet {
            size: 1000,
            class: 1,
            ..Packet::default()
        });
        let p = &mut sim.ports[port as usize];
        (p.tx_bytes, p.queued_bytes) = (1_024_000, 7_000);
        let queues = p.classes.as_mut().unwrap();
        queues.sent(1, 256_000, 0);
        (0..2).for_each(|i| queues.push(1, i, 1000, 0));
        (0..5).for_each(|i| queues.push(0, i, 1000, 0));
        sim.now = 9_000_000;
        let left = Departure {
            packet: index,
            class: 1,
            sojourn_ps: 4_000_000,
        };
        sim.stamp(port, index, Some(left));
        let hop = sim.packets[index].hops[0];
        (hop.speed, hop.tx_bytes, hop.q_len)
    };
    assert_eq!(record(ClassTelemetry::Port, 0), (5, 8000, 87));
    assert_eq!(record(ClassTelemetry::Sojourn, 0), (5, 8000, 625));
    assert_eq!(record(ClassTelemetry::Class, 0), (9, 2000, 25));
    assert_eq!(record(ClassTelemetry::Shared, 0), (9, 2000, 25));
}

/// What a law answers, by the number of its event; kinds of events that it was told of.
struct Script(
    Vec<(f64, f64)>,
    std::rc::Rc<std::cell::RefCell<Vec<(EventKind, u32, u32)>>>,
);

impl CongestionControl for Script {
    fn name(&self) -> &'static str {
        "script"
    }
    fn create(&mut self, flow: u32, generation: u8) -> Update {
        let (window, rate) = self.0[0];
        Update {
            flow,
            generation,
            window,
            rate,
        }
    }
    fn remove(&mut self, _flow: u32) {}
    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        let mut heard = self.1.borrow_mut();
        heard.push((event.kind, event.psn_next, event.snd_nxt));
        let (window, rate) = *self.0.get(heard.len()).or(self.0.last())?;
        Some(Update {
            flow: event.flow,
            generation: event.generation,
            window,
            rate,
        })
    }
}

/// One flow on a star of 100 Gb/s and 1 us under a script, and what it was told. `lost`: data packets that do not arrive at the receiver.
fn scripted(bytes: u64, script: &[(f64, f64)], config: Config, lost: &[u64]) -> (Outcome, Vec<(EventKind, u32, u32)>) {
    let heard = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let mut slot = |_: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(Script(script.to_vec(), heard.clone())))))
    };
    let flows = vec![flow(0, 1, bytes)];
    let mut sim = Simulator::new(&star(2, 100, 1000), flows, config, SamplePlan::default(), &mut slot).unwrap();
    sim.add_arrival_drops(&ArrivalDrops {
        link: 1,
        towards_b: sim.topology.links[1].b == 1,
        numbers: lost.to_vec(),
    });
    sim.run_until(1_000_000_000_000);
    let told = heard.borrow().clone();
    (sim.finish(), told)
}

/// Two packets (1122 and 1106 bytes) and their acknowledgements (86) alone: 80 ps a byte, four delays of 1 us.
const LONE: u64 = (2 * 1122 + 1106 + 2 * 86) * 80 + 4_000_000;
/// One packet's round trip.
const ROUND: u64 = (2 * 1122 + 2 * 86) * 80 + 4_000_000;

/// The law's rate paces, or line rate does: the second of two packets leaves when the first one's 1122 bytes have passed at 10 Gb/s, or at once.
#[test]
fn pace_by_hand() {
    let fct = |pace| {
        let config = Config {
            pace,
            ..Config::paper(9_000, false)
        };
        scripted(2048, &[(f64::INFINITY, 10e9)], config, &[]).0.records[0]
            .fct_ps()
            .unwrap()
    };
    // the second packet waits nowhere else: from its start to the end its own times and delays
    assert_eq!(fct(true), 1122 * 800 + (2 * 1106 + 2 * 86) * 80 + 4_000_000);
    assert_eq!(fct(false), LONE);
}

/// Of a law that says one packet's window: obeyed, two packets need two round trips; the first window of the law stays; or no window holds.
#[test]
fn use_of_windows_by_hand() {
    let fct = |window_use, script: &[(f64, f64)], bytes| {
        let config = Config {
            window_use,
            ..Config::paper(9_000, false)
        };
        scripted(bytes, script, config, &[]).0.records[0].fct_ps().unwrap()
    };
    let second = (2 * 1106 + 2 * 86) * 80 + 4_000_000;
    let narrow = [(1024.0, 100e9)];
    assert_eq!(fct(WindowUse::Law, &narrow, 2048), ROUND + second);
    assert_eq!(fct(WindowUse::Initial, &narrow, 2048), ROUND + second);
    assert_eq!(fct(WindowUse::None, &narrow, 2048), LONE);
    // the law opens its window after the first acknowledgement: packets two and three leave together, or one after the other
    let opens = [(1024.0, 100e9), (4096.0, 100e9)];
    assert_eq!(fct(WindowUse::Law, &opens, 3072), ROUND + second + 1106 * 80);
    assert_eq!(fct(WindowUse::Initial, &opens, 3072), ROUND + 2 * second);
}

/// The last packet is lost: it is sent again a timeout after the last progress, which is the first one's acknowledgement; or never.
#[test]
fn a_timeout_by_hand() {
    let run = |retry_timeout_ps| {
        let config = Config {
            retry_timeout_ps,
            ..Config::paper(9_000, false)
        };
        scripted(2048, &[(f64::INFINITY, 100e9)], config, &[1])
    };
    let (outcome, told) = run(Some(50_000_000));
    let second = (2 * 1106 + 2 * 86) * 80 + 4_000_000;
    assert_eq!(outcome.records[0].fct_ps(), Some(ROUND + 50_000_000 + second));
    assert_eq!(
        (outcome.counters.timeouts, outcome.records[0].retransmitted_bytes),
        (1, 1024)
    );
    assert_eq!(
        told.iter().map(|t| t.0).collect::<Vec<_>>(),
        [EventKind::Ack, EventKind::Ack]
    );
    assert_eq!(run(None).0.records[0].finished_ps, None);
}

/// The second of six packets is lost: one NAK for the gap; the rewind is done when the law hears of it (next packet 1, acknowledged 1). Repeated each
/// 100 ns there is one for each packet behind the gap.
#[test]
fn naks_of_a_gap_by_hand() {
    let run = |nak_repeat_ps| {
        let config = Config {
            nak_repeat_ps,
            ..Config::paper(9_000, false)
        };
        scripted(6 * 1024, &[(f64::INFINITY, 100e9)], config, &[1])
    };
    let (once, told) = run(None);
    assert_eq!((once.counters.naks, once.records[0].retransmitted_bytes), (1, 5 * 1024));
    assert_eq!(told[1], (EventKind::Nak, 1, 1), "rewound before the law hears");
    // packets 3 to 6 arrive each 88.48 ns: the first asks, and each after a whole interval from there on
    assert_eq!(run(Some(80_000)).0.counters.naks, 4);
    assert_eq!(run(Some(100_000)).0.counters.naks, 2);
    assert_eq!(run(Some(1_000_000)).0.counters.naks, 1);
}

/// An acknowledgement is lost (the receiver's first packet to the switch), the packet times out and arrives again: it is acknowledged again, or
/// nobody says anything and it times out for ever.
#[test]
fn duplicates_are_acknowledged_or_not() {
    for acknowledge_duplicates in [true, false] {
        let config = Config {
            acknowledge_duplicates,
            retry_timeout_ps: Some(20_000_000),
            ..Config::paper(9_000, false)
        };
        let mut sim = simulator(&star(2, 100, 1000), vec![flow(0, 1, 1000)], config);
        let drops = ArrivalDrops {
            link: 1,
            towards_b: sim.topology.links[1].b != 1,
            numbers: vec![0],
        };
        sim.add_arrival_drops(&drops);
        sim.run_until(1_000_000_000);
        assert_eq!(sim.records()[0].finished_ps.is_some(), acknowledge_duplicates);
        assert_eq!(sim.counters().timeouts == 1, acknowledge_duplicates);
    }
}

/// A paused host holds its acknowledgements back, or does not; a paused switch port likewise, where they share the data's queue or have their own.
#[test]
fn acknowledgements_and_pause() {
    for own in [false, true] {
        let config = Config {
            host_acks_ignore_pause: own,
            switch_ack_priority: own,
            ..Config::paper(9_000, false)
        };
        let sent_by = |at_host: bool| {
            let mut sim = simulator(&star(2, 100, 1000), vec![flow(0, 1, 1000)], config.clone());
            // the port by which acknowledgements leave the receiver, or the switch
            let leaves = |p: &port::Port| match at_host {
                true => p.node == 1,
                false => p.on_switch && sim.ports[p.peer as usize].node == 0,
            };
            let port = sim.ports.iter().position(leaves);
            sim.ports[port.unwrap()].paused = true;
            sim.run_until(50_000_000);
            sim.records()[0].finished_ps.is_some()
        };
        assert_eq!((sent_by(true), sent_by(false)), (own, own));
    }
}

/// A flow of 100 Gb/s that an agent caps to 10 Gb/s saves one packet over a pause of its port, or over a wait for its window: in 10 us thereafter 12,500
/// bytes may leave, 11 packets of 1106 and the one that waited. Without a cap the port's rate bounds it: 113.
#[test]
fn a_capped_flow_saves_one_packet_over_a_pause() {
    for (cap_bps, least, most) in [(Some(10 * G), 11, 13), (None, 110, 115)] {
        for by_window in [false, true] {
            let mut sim = simulator(
                &star(2, 100, 1000),
                vec![flow(0, 1, 10_000_000)],
                Config::paper(9_000, false),
            );
            sim.run_until(10_000_000);
            let port = sim.nics[sim.contexts[0].nic as usize].port;
            sim.contexts[0].cap_bps = cap_bps;
            sim.enforce(0);
            let open = std::mem::replace(&mut sim.contexts[0].window, if by_window { 1 } else { u64::MAX });
            sim.note_turn(0);
            sim.ports[port as usize].paused = !by_window;
            sim.run_until(200_000_000);
            let before = sim.counters.data_packets;
            sim.contexts[0].window = open;
            sim.note_turn(0);
            sim.ports[port as usize].paused = false;
            sim.send(port);
            sim.run_until(210_000_000);
            let sent = sim.counters.data_packets - before;
            assert!(
                (least..=most).contains(&sent),
                "cap {cap_bps:?}, by window {by_window}: {sent} packets"
            );
        }
    }
}
