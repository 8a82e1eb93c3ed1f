//! When a probe leaves, its bytes and its code point, and what it costs.

use super::*;
use Operation::{Read, Write};

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
