//! HOMA's rules worked by hand, and its hosts in a network.

use super::outgoing::Leaving;
use super::*;
use crate::net::{
    dumbbell, star, CcSlot, Config, FlowControl, FlowSpec, Outcome, SamplePlan, Simulator, SlotParams, Topology,
};
use proptest::prelude::*;

const MTU: u32 = 1000;

fn rules(size: u64) -> MessageRules {
    MessageRules {
        size,
        rtt_bytes: 4000,
        mtu: MTU,
    }
}

/// One unscheduled priority, seven scheduled ones.
fn levels() -> Levels {
    Levels::of([1 << 30].into_iter(), 4000, None)
}

/// Half of all bytes are unscheduled: four of eight priorities, each for a quarter of these bytes.
#[test]
fn unscheduled_priorities_carry_equal_bytes() {
    // Unscheduled: 1000, 3000, 4000, 4000, 4000; a quarter of 16000 ends with 3000, a half within the first 4000.
    let sizes = [4000, 1000, 3000, 12_000, 12_000];
    let levels = Levels::of(sizes.into_iter(), 4000, None);
    assert_eq!((levels.unscheduled(), levels.cutoffs()), (4, &[3000, 4000, 12_000][..]));
    assert_eq!(
        [1, 3000, 3001, 4000, 4001, 12_000, 12_001].map(|s| levels.of_message(s)),
        [0, 0, 1, 1, 2, 2, 3]
    );
    // Almost nothing, or everything, unscheduled: one is always left for the others.
    assert_eq!(super::tests::levels().unscheduled(), 1);
    assert_eq!(Levels::of([10, 20].into_iter(), 4000, None).unscheduled(), 7);
    assert_eq!(Levels::of(sizes.into_iter(), 4000, Some(2)).cutoffs(), [4000]);
}

/// The lowest priorities, the message with the fewest bytes left above the others; more messages than priorities share the lowest.
#[test]
fn scheduled_priorities_are_the_lowest_that_do() {
    let levels = levels();
    assert_eq!(levels.of_rank(0, 1), 7);
    assert_eq!([0, 1, 2].map(|rank| levels.of_rank(rank, 3)), [5, 6, 7]);
    assert_eq!([0, 5, 6, 7, 8].map(|rank| levels.of_rank(rank, 9)), [1, 6, 7, 7, 7]);
}

fn grant(flow: u32, upto: u64, priority: u8) -> (u32, HomaPacket) {
    (flow, HomaPacket::Grant { upto, priority })
}

/// Each packet that comes moves the grant one packet on, so that 4000 bytes are always granted and not there.
#[test]
fn grants_keep_rtt_bytes_ahead() {
    let mut incoming = Incoming::default();
    let levels = levels();
    for packet in 0..10u64 {
        let taken = incoming.data(
            0,
            rules(9500),
            packet * 1000,
            if packet == 9 { 500 } else { MTU },
            packet,
        );
        assert_eq!((taken.first, taken.complete), (packet == 0, packet == 9));
        let want = match packet {
            0..=4 => vec![grant(0, 5000 + packet * 1000, 7)],
            5 => vec![grant(0, 9500, 7)],
            _ => vec![],
        };
        assert_eq!(incoming.grants(&levels, 1, packet), want, "packet {packet}");
    }
    assert_eq!((incoming.in_flight(), incoming.running().count()), (0, 0));
}

/// Of three messages two are granted, the one with the fewest bytes left with the higher priority; the third when one of them is wholly granted.
#[test]
fn overcommitment_limits_the_messages_that_are_granted() {
    let mut incoming = Incoming::default();
    let levels = levels();
    for (flow, size) in [(0, 30_000), (1, 20_000), (2, 6000)] {
        incoming.data(flow, rules(size), 0, MTU, 0);
    }
    assert_eq!(incoming.grants(&levels, 2, 0), [grant(2, 5000, 6), grant(1, 5000, 7)]);
    incoming.data(2, rules(6000), 1000, MTU, 1);
    assert_eq!(incoming.grants(&levels, 2, 1), [grant(2, 6000, 6)]);
    assert_eq!(incoming.grants(&levels, 2, 2), [grant(0, 5000, 7)]);
}

/// A message that is overtaken has 4000 bytes on their way: the shorter one is granted what comes of them.
#[test]
fn grants_of_an_overtaken_message_count() {
    let mut incoming = Incoming::default();
    let levels = levels();
    for packet in 0..4 {
        incoming.data(0, rules(20_000), packet * 1000, MTU, packet);
        incoming.grants(&levels, 1, packet);
    }
    assert_eq!(incoming.in_flight(), 4000);
    incoming.data(1, rules(8000), 0, MTU, 4);
    assert_eq!(incoming.grants(&levels, 1, 4), []);
    incoming.data(0, rules(20_000), 4000, MTU, 5);
    assert_eq!(incoming.grants(&levels, 1, 5), [grant(1, 5000, 7)]);
    assert_eq!(incoming.in_flight(), 4000);
}

/// Packet 2 of 0 to 3 is lost: it is asked for, and counts once whatever comes twice.
#[test]
fn a_lost_packet_is_asked_for() {
    let mut incoming = Incoming::default();
    let levels = levels();
    for packet in [0, 1, 3] {
        incoming.data(0, rules(4000), packet * 1000, MTU, packet);
    }
    let resend = HomaPacket::Resend {
        from: 2000,
        upto: 3000,
        priority: 0,
    };
    assert_eq!(incoming.resend(0, &levels, 9), Some(resend));
    assert_eq!(incoming.active_at(0), Some(9));
    assert_eq!(incoming.data(0, rules(4000), 3000, MTU, 10).new, 0);
    assert!(incoming.data(0, rules(4000), 2000, MTU, 11).complete);
    assert_eq!(incoming.asked(0, rules(4000), &levels), Some(HomaPacket::Ack));
    // Nothing has come of another message: all that its sender may send unasked.
    let all = HomaPacket::Resend {
        from: 0,
        upto: 4000,
        priority: 0,
    };
    assert_eq!(incoming.asked(1, rules(9000), &levels), Some(all));
}

fn data(flow: u32, offset: u64, priority: u8, again: bool) -> Option<Leaving> {
    Some(Leaving {
        flow,
        priority,
        packet: HomaPacket::Data {
            offset,
            len: MTU,
            again,
        },
        len: MTU,
    })
}

/// The message with the fewest bytes left goes first; beyond the unscheduled bytes only what is granted leaves, with the grant's priority; what
/// is asked for again leaves with that request's; what has not been sent is answered with BUSY.
#[test]
fn the_shortest_message_leaves_first() {
    let mut outgoing = Outgoing::default();
    outgoing.start(0, rules(6000), 3, 0);
    assert_eq!(outgoing.next(0), data(0, 0, 3, false));
    outgoing.start(1, rules(2000), 1, 1);
    assert_eq!(outgoing.next(1), data(1, 0, 1, false));
    assert_eq!(outgoing.next(2), data(1, 1000, 1, false));
    for packet in 1..4 {
        assert_eq!(outgoing.next(3), data(0, packet * 1000, 3, false));
    }
    assert_eq!((outgoing.next(4), outgoing.waiting(0)), (None, Some((3, true))));
    outgoing.grant(0, 5000, 7, 5);
    assert_eq!(outgoing.next(6), data(0, 4000, 7, false));
    assert_eq!(outgoing.resend(0, 2000, 4000, 2, 7), None);
    assert_eq!(outgoing.waiting(0), Some((7, false)), "a request is something heard");
    assert_eq!(outgoing.resend(0, 5000, 6000, 6, 8), Some(HomaPacket::Busy));
    let rest = [(2000, 2, true), (3000, 2, true), (5000, 6, false)];
    for (offset, priority, again) in rest {
        assert_eq!(outgoing.next(9), data(0, offset, priority, again));
    }
    outgoing.acknowledged(0);
    assert_eq!(outgoing.waiting(0), None);
}

fn config(homa: HomaConfig) -> Config {
    let mut config = Config::paper(13_000, false);
    config.flow_control = FlowControl::EgressLimit;
    config.homa = Some(homa);
    config
}

fn flow(src: u32, dst: u32, bytes: u64, start_us: u64) -> FlowSpec {
    FlowSpec {
        src,
        dst,
        bytes,
        start_ps: start_us * 1_000_000,
        dst_port: FlowSpec::DST_PORT,
    }
}

fn start(topology: &Topology, flows: Vec<FlowSpec>, config: Config) -> Simulator {
    let mut none = |_: &SlotParams| -> Result<Box<dyn CcSlot>, String> { Err("no slot is needed".into()) };
    Simulator::new(topology, flows, config, SamplePlan::default(), &mut none).unwrap()
}

fn simulate(topology: &Topology, flows: Vec<FlowSpec>, config: Config) -> Outcome {
    let mut sim = start(topology, flows, config);
    sim.run_until(1_000_000_000_000);
    sim.finish()
}

/// Wire time of a full packet (1024 and 82 bytes) and of what a receiver says (86 bytes) at 100 Gb/s, ps.
const FULL: u64 = 1106 * 80;
const WORD: u64 = 86 * 80;

/// A message alone, to the picosecond: its packets follow each other without a gap, scheduled ones too; the last one and the ACK cross two links
/// of 1 us each.
#[test]
fn a_lone_message_by_hand() {
    for packets in [1, 10, 158, 159, 1000] {
        let outcome = simulate(
            &star(2, 100, 1000),
            vec![flow(0, 1, packets * 1024, 0)],
            config(HomaConfig::default()),
        );
        let want = (packets + 1) * FULL + 2 * WORD + 4_000_000;
        assert_eq!(outcome.records[0].fct_ps(), Some(want), "{packets} packets");
        // A grant for each packet but those of the last RTTBytes, 162500 bytes or 159 packets.
        assert_eq!(outcome.counters.grants, packets.saturating_sub(159));
        assert_eq!(outcome.law, "homa");
    }
}

/// `RTTBytes` of one packet: each further packet waits for a grant, a round trip of 4 us, a packet and a word on two links each.
#[test]
fn a_small_rtt_bytes_stops_and_waits() {
    let homa = HomaConfig {
        rtt_bytes: Some(1),
        ..HomaConfig::default()
    };
    let outcome = simulate(&star(2, 100, 1000), vec![flow(0, 1, 5 * 1024, 0)], config(homa));
    assert_eq!(outcome.records[0].fct_ps(), Some(5 * (2 * FULL + 2 * WORD + 4_000_000)));
    assert_eq!(outcome.counters.grants, 4);
}

/// Two long messages to one receiver with overcommitment 1: the shorter one ends as if it were alone but for what the other sent unasked.
#[test]
fn the_shorter_of_two_messages_ends_first() {
    let flows = vec![flow(0, 2, 4000 * 1024, 0), flow(1, 2, 2000 * 1024, 0)];
    let outcome = simulate(&star(3, 100, 1000), flows, config(HomaConfig::default()));
    let [long, short] = [0, 1].map(|f| outcome.records[f].fct_ps().unwrap());
    let alone = 2001 * FULL + 2 * WORD + 4_000_000;
    assert!(short >= alone && short <= alone + 160 * FULL, "{short} {alone}");
    // Together they are 6000 packets on one link, which is never idle.
    assert_eq!(long, 6001 * FULL + 2 * WORD + 4_000_000);
}

/// One packet in a hundred is lost, words of receivers too: everything is delivered in the end.
#[test]
fn losses_are_recovered() {
    let mut topology = dumbbell(4, 100, 100, 1000);
    topology.links.iter_mut().for_each(|l| l.loss = 0.01);
    let mut config = config(HomaConfig::default());
    if let Some(homa) = &mut config.homa {
        homa.resend_ps = 100_000_000;
    }
    let flows = (0..4).map(|i| flow(i, 4 + i, 200_123, 0)).collect();
    let outcome = simulate(&topology, flows, config);
    assert!(outcome.records.iter().all(|r| r.finished_ps.is_some()));
    assert!(
        outcome.counters.losses > 10 && outcome.counters.timeouts > 4,
        "{:?}",
        outcome.counters
    );
    assert!(outcome.records.iter().any(|r| r.retransmitted_bytes > 0));
}

/// A buffer of a third of what comes unasked: what is dropped is asked for.
#[test]
fn drops_are_recovered() {
    let mut config = config(HomaConfig::default());
    config.buffer_bytes = 1024 * 1024;
    let flows = (0..16).map(|i| flow(i, 16, 400_000, 0)).collect();
    let outcome = simulate(&star(17, 100, 1000), flows, config);
    assert!(outcome.counters.drops > 0);
    assert!(outcome.records.iter().all(|r| r.finished_ps.is_some()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// All messages end, with losses and without, and no receiver ever has more scheduled bytes on their way than `K RTTBytes`.
    #[test]
    fn scheduled_bytes_in_flight_are_bounded(
        messages in prop::collection::vec((0u32..6, 1u32..6, 1u64..300_000, 0u64..100), 1..25),
        overcommitment in 1u32..=6,
        rtt_packets in 1u64..40,
        lossy in any::<bool>(),
    ) {
        let mut topology = star(6, 25, 1000);
        if lossy {
            topology.links.iter_mut().for_each(|l| l.loss = 0.005);
        }
        let rtt_bytes = rtt_packets * 1024;
        let homa = HomaConfig {
            rtt_bytes: Some(rtt_bytes),
            overcommitment,
            resend_ps: 200_000_000,
            ..HomaConfig::default()
        };
        let flows = messages.iter().map(|&(src, step, bytes, at)| flow(src, (src + step) % 6, bytes, at)).collect();
        let mut sim = start(&topology, flows, config(homa));
        let mut until = 0;
        while sim.unfinished() > 0 && until < 1_000_000_000_000 {
            until += 1_000_000;
            sim.run_until(until);
            for host in 0..6 {
                prop_assert!(sim.homa_in_flight(host) <= u64::from(overcommitment) * rtt_bytes);
            }
        }
        prop_assert_eq!(sim.unfinished(), 0);
        for host in 0..6 {
            prop_assert_eq!(sim.homa_in_flight(host), 0);
        }
    }
}
