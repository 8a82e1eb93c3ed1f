//! Probes (HPCC++, draft-miao-ccwg-hpcc 6.2.1.2): when one leaves, its bytes, what it costs, which responses count and what the law hears of them.

use super::bench::*;
use hpcc_models::cc::hpcc::{Hpcc, HpccParams};
use hpcc_models::cc::{CongestionControl, EventKind, HopRecord};
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use Operation::{Read, Write};

/// Wire bytes of a probe: 60 of the frame, FCS, preamble and gap.
const PROBE_WIRE: u64 = 84;
const T_NS: u32 = 1000;
const TIMEOUT_NS: u32 = 5000;

fn probes(packets: u8) -> ProbeConfig {
    ProbeConfig {
        interval_ns: T_NS,
        timeout_ns: TIMEOUT_NS,
        packets,
    }
}

/// A NIC that probes, 10 Gb/s a flow: a full packet of MTU 256 every 304 ns.
fn bench(probes: ProbeConfig) -> Bench {
    let config = NicConfig {
        probes: Some(probes),
        rate_bps: 10e9,
        window: 1e6,
        ..nic_config()
    };
    Bench::with(config, 0, true)
}

/// Frames that leave up to `until`, each with its time, looking every `step` ns.
fn frames(bench: &mut Bench, until: u64, step: u64) -> Vec<(u64, Vec<u8>)> {
    let mut sent = Vec::new();
    while bench.now < until {
        sent.extend(bench.nic.poll(bench.now).into_iter().map(|frame| (bench.now, frame)));
        bench.now += step;
    }
    sent
}

fn parse(frame: &[u8]) -> RocePacket<'_> {
    RocePacket::parse(frame, &Ports::default()).expect("what the NIC sends is whole")
}

/// Times and numbers of the probes among frames.
fn numbers(frames: &[(u64, Vec<u8>)]) -> Vec<(u64, u32)> {
    let probe = |(at, frame): &(u64, Vec<u8>)| {
        let bth = parse(frame).bth;
        (bth.opcode == Opcode::Probe).then_some((*at, bth.psn))
    };
    frames.iter().filter_map(probe).collect()
}

/// What a path of two switches at half load adds to a probe that crosses it at `now`.
fn stack(now: u64) -> Vec<u8> {
    let mut stack = IntStack::default();
    for (id, speed) in [(0xabc, 5), (0x123, 7)] {
        let record = HopRecord {
            speed,
            ts: (now & 0xff_ffff) as u32,
            // 100 Gb/s are 12.5 bytes a ns
            tx_bytes: (now * 6 / 128) as u32 & 0xf_ffff,
            q_len: 3,
        };
        stack.stamp(id, record);
    }
    let mut bytes = vec![0; stack.wire_len()];
    stack.emit(&mut bytes).unwrap();
    bytes
}

fn respond(bench: &mut Bench, number: u32) {
    let int = stack(bench.now);
    bench.receive_with_int(
        BthRepr::new(Opcode::ProbeResponse, QPN, number),
        Extension::None,
        &[],
        &int,
    );
}

/// Kinds of the events that came with INT, and how many came without.
fn heard(bench: &Bench) -> (Vec<EventKind>, usize) {
    let events = bench.events.borrow();
    let with: Vec<_> = events.iter().filter(|e| e.int_valid).map(|e| e.kind).collect();
    let without = events.iter().filter(|e| !e.int_valid && e.kind == EventKind::Ack);
    (with, without.count())
}

/// A flow under HPCC, each packet acknowledged and each probe answered after 2 us: every response is one full update, but for the first, which has
/// nothing to be compared with; acknowledgements, whose packets no switch has stamped, are none.
#[test]
fn every_response_is_a_full_update() {
    let mut bench = bench(probes(1));
    bench.post(1, Write, 0, 200 * MTU as u64);
    let mut late = std::collections::VecDeque::new();
    let (mut sent, mut acked) = (0, 0);
    while acked < 200 {
        let until = bench.now + 20;
        for (at, frame) in frames(&mut bench, until, 20) {
            late.push_back((at + 2000, parse(&frame).bth));
        }
        while late.front().is_some_and(|(at, _)| *at <= bench.now) {
            let (_, bth) = late.pop_front().unwrap();
            if bth.opcode == Opcode::Probe {
                sent += 1;
                respond(&mut bench, bth.psn);
            } else {
                acked += 1;
                bench.ack(bth.psn);
            }
        }
    }
    // 200 packets take 60.8 us and more; a probe every 2 us, behind the first packet from then on
    assert!((26..=31).contains(&sent), "{sent}");
    assert_eq!(bench.count(Counter::ProbeStray), 0);
    assert_eq!(heard(&bench), (vec![EventKind::Probe; sent], 200));
    let mut law = Hpcc::<f64>::new(HpccParams::new(100_000_000_000, 13_000)).unwrap();
    let generation = bench.nic.generation(QPN).unwrap();
    law.create(request_flow(QPN), generation);
    let (mut full, mut updates) = (0, 0);
    for event in bench.events.borrow().iter() {
        updates += usize::from(law.handle(event).is_some());
        full += usize::from(law.last().is_some_and(|seen| seen.full));
    }
    assert_eq!((updates, full), (sent, sent - 1));
}

/// The event says where the sender stands, and nothing is acknowledged by it.
#[test]
fn a_response_acknowledges_nothing() {
    let mut bench = bench(probes(1));
    bench.post(1, Write, 0, 5 * MTU as u64);
    frames(&mut bench, 2000, 20);
    bench.ack(1);
    respond(&mut bench, 1);
    let event = *bench.events.borrow().last().unwrap();
    assert_eq!(
        (event.kind, event.flow, event.bytes),
        (EventKind::Probe, request_flow(QPN), 0)
    );
    assert_eq!((event.psn_next, event.snd_nxt, event.n_hop), (2, 5, 2));
    assert!(bench.done().is_empty() && !bench.nic.idle());
    // nor does it keep the timer from running out
    frames(&mut bench, 103_000, 100);
    assert_eq!(bench.count(Counter::Timeouts), 1);
}

/// The bytes of the design's example (made from the drafts by hand), whose sender has other flags: type of service, identification, MigReq.
#[test]
fn the_request_is_the_worked_example() {
    let example: Vec<u8> = [
        0x456a002e_u32,
        0x00014000,
        0x40112640,
        0x0a00000a,
        0x0a00000b,
        0xc123d607,
        0x001a0000,
        0x0000d200,
        0xffff0000,
        0x00110000,
        0x0100702f,
    ]
    .iter()
    .flat_map(|word| word.to_be_bytes())
    .chain([0x0c, 0x5e])
    .collect();
    let (own, peer) = (
        std::net::Ipv4Addr::new(10, 0, 0, 10),
        std::net::Ipv4Addr::new(10, 0, 0, 11),
    );
    let mut bench = bench(probes(1));
    let config = NicConfig {
        ip: own,
        neighbours: [(peer, PEER_MAC)].into(),
        ..bench.nic.config().clone()
    };
    bench = Bench::with_peer(
        config,
        QpConfig {
            int: true,
            mtu: MTU as u32,
            udp_port: 0xc123,
            ..QpConfig::new(0x22, 0x11, peer)
        },
    );
    bench.post_on(0x22, 1, Write, 0, 8 * MTU as u64);
    let sent = frames(&mut bench, 1000, 20);
    let frame = &sent[1].1;
    assert_eq!(frame.len(), 60);
    let packet = parse(frame);
    assert_eq!(
        (packet.bth.psn, packet.bth.ack_req, packet.int),
        (1, false, &INT_EMPTY[..])
    );
    let other = RocePacket {
        ipv4: Ipv4Repr {
            tos: 0x6a,
            ident: 1,
            ..packet.ipv4
        },
        bth: BthRepr {
            psn: 0x100,
            migrated: false,
            ..packet.bth
        },
        ..packet
    };
    assert_eq!(other.to_frame()[14..], example);
}

/// Switches stamp probes and READ responses; requests leave under a code point that they pass by. All have one port pair, hence one path.
#[test]
fn code_points_of_a_flow_that_probes() {
    for on in [false, true] {
        let config = NicConfig {
            probes: on.then(|| probes(1)),
            dscp_unstamped: 12,
            ..nic_config()
        };
        let mut bench = Bench::with(config, 0, true);
        bench.post(1, Write, 0, 300);
        bench.post(2, Read, 1000, 300);
        bench.read_request(0, 0, 300);
        let sent = frames(&mut bench, 3000, 20);
        let ports = |packet: &RocePacket| (packet.udp.src_port, packet.udp.dst_port);
        let all: Vec<_> = sent.iter().map(|(_, frame)| parse(frame)).collect();
        assert!(all.iter().all(|packet| ports(packet) == ports(&all[0])));
        let unstamped = if on { 12 << 2 } else { 26 << 2 };
        for packet in &all {
            let tos = match packet.bth.opcode {
                Opcode::Probe | Opcode::ReadResponse(_) => 26 << 2,
                _ => unstamped,
            };
            assert_eq!(packet.ipv4.tos, tos, "{:?}", packet.bth.opcode);
        }
        assert_eq!(all.len(), 5 + usize::from(on), "two WRITE, two READ, READ request");
    }
}

#[test]
fn nothing_in_flight_is_not_probed() {
    let mut bench = bench(probes(1));
    bench.post(1, Write, 0, 0);
    bench.post(2, Read, 0, 900);
    let sent = frames(&mut bench, 10_000, 20);
    assert_eq!((sent.len(), numbers(&sent)), (2, vec![]));
    bench.post(3, Write, 0, 1);
    let sent = frames(&mut bench, 20_000, 20);
    assert_eq!(
        numbers(&sent).iter().map(|(_, number)| *number).collect::<Vec<_>>(),
        [1]
    );
    // neither is a plain queue pair
    let config = bench.nic.config().clone();
    let mut plain = Bench::with(config, 0, false);
    plain.post(1, Write, 0, 5000);
    assert!(numbers(&frames(&mut plain, 20_000, 20)).is_empty());
}

/// Not before `T`, not before the one on its way is answered or given up, not before so many packets; each behind a packet with payload.
#[test]
fn when_the_next_one_leaves() {
    for (packets, answered, expected) in [(1, true, T_NS), (1, false, TIMEOUT_NS), (12, true, 12 * 304)] {
        let mut bench = bench(probes(packets));
        bench.post(1, Write, 0, 100 * MTU as u64);
        let mut times = Vec::new();
        while bench.now < 20_000 {
            let until = bench.now + 4;
            let sent = frames(&mut bench, until, 4);
            times.extend(numbers(&sent));
            if let (Some((_, number)), true) = (numbers(&sent).last(), answered) {
                respond(&mut bench, *number);
            }
        }
        assert_eq!(
            times.iter().map(|(_, n)| *n).collect::<Vec<_>>(),
            (1..=times.len() as u32).collect::<Vec<_>>()
        );
        for pair in times.windows(2) {
            let apart = (pair[1].0 - pair[0].0) as u32;
            // two packets later at most: one that has just left, and the next
            assert!(
                (expected..expected + 700).contains(&apart),
                "{packets} {answered}: {apart}"
            );
        }
        assert!(times.len() > 3);
    }
}

/// Late ones count, once, in order; the first after a new start does not know of those before.
#[test]
fn which_responses_count() {
    let mut bench = bench(probes(1));
    respond(&mut bench, 0);
    respond(&mut bench, 1);
    assert_eq!(bench.count(Counter::ProbeStray), 2, "nothing was sent");
    bench.post(1, Write, 0, 100 * MTU as u64);
    let sent = frames(&mut bench, 18_000, 20);
    let last = numbers(&sent).last().unwrap().1;
    assert_eq!(last, 4, "one at the start, one each timeout");
    let counts = |bench: &mut Bench, number| {
        let before = heard(bench).0.len();
        respond(bench, number);
        heard(bench).0.len() - before
    };
    assert_eq!(
        [2, 2, 1, 5, 0xff_ffff, 4, 3, 4].map(|n| counts(&mut bench, n)),
        [1, 0, 0, 0, 0, 1, 0, 0]
    );
    assert_eq!(bench.count(Counter::ProbeStray), 8);
    bench.nic.remove_qp(bench.now, QPN);
    bench.nic.create_qp(qp_config(0, true)).unwrap();
    assert_eq!(counts(&mut bench, 4), 0);

    let mut silent = Bench::new(0, true);
    respond(&mut silent, 1);
    assert_eq!(
        (silent.count(Counter::Stray), silent.count(Counter::ProbeStray)),
        (0, 1)
    );
}

/// A probe costs its flow the time of its 84 bytes, and the window nothing.
#[test]
fn what_a_probe_costs() {
    for on in [false, true] {
        let config = NicConfig {
            probes: on.then(|| ProbeConfig {
                timeout_ns: 1,
                ..ProbeConfig::every(1)
            }),
            rate_bps: 1e9,
            window: 20.0 * MTU as f64,
            ..nic_config()
        };
        let mut bench = Bench::with(config, 0, true);
        bench.post(1, Write, 0, 100 * MTU as u64);
        let sent = frames(&mut bench, 90_000, 8);
        let data: Vec<_> = sent
            .iter()
            .filter(|(_, frame)| parse(frame).bth.opcode != Opcode::Probe)
            .collect();
        assert_eq!((data.len(), numbers(&sent).len()), (20, if on { 20 } else { 0 }));
        // headers 14, 20, 8, 42 with a full stack, 12, ICRC 4, FCS 4, preamble and gap 20
        let charged = MTU as u64 + 124 + if on { PROBE_WIRE } else { 0 };
        assert_eq!(bench.nic.sent()[0], 20 * charged + 16);
        // the first packet is longer by its RETH of 16 bytes; what was saved up before it is worth one packet
        let span = data[19].0 - data[2].0;
        let expected = 17 * charged * 8;
        assert!(span.abs_diff(expected) <= 8, "{span} {expected}");
    }
}

/// A priority under pause sends no probe; the one that was due leaves afterwards.
#[test]
fn pause_stops_probes() {
    let mut bench = bench(probes(1));
    bench.post(1, Write, 0, 10 * MTU as u64);
    assert_eq!(bench.nic.poll(0).len(), 1, "the port is busy with the first packet");
    bench.nic.set_pause(1);
    assert!(frames(&mut bench, 3000, 20).is_empty());
    assert_eq!(bench.nic.next_deadline().filter(|at| *at <= bench.now), None);
    bench.nic.set_pause(0);
    let sent = frames(&mut bench, 4000, 20);
    assert_eq!(parse(&sent[0].1).bth.opcode, Opcode::Probe);
}
