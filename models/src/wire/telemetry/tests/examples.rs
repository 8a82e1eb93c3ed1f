//! Packets byte for byte: what switches write, and what is read.

use super::super::ioam::Trace;
use super::*;

#[test]
fn every_format_gives_the_same_records() {
    let fraction = DEPARTURES.map(|ts| ts - 389_632);
    for (packet, format, expected) in [
        (hex(IFA), TelemetryFormat::Ifa, stack(DEPARTURES)),
        (hex(INT_MD), TelemetryFormat::IntMd, stack(DEPARTURES)),
        (ioam(), TelemetryFormat::Ioam, stack(fraction)),
    ] {
        let opened = opened(&packet);
        assert_eq!((opened.format, opened.stack), (format, Ok(expected)));
        assert!(opened.icrc_ok(), "{format:?}");
    }
    let fig7 = opened(&hex(FIG7));
    let expected = IntStack {
        path_id: 0xb9f,
        ..stack(DEPARTURES)
    };
    assert_eq!((fig7.format, fig7.stack), (TelemetryFormat::Fig7, Ok(expected)));
    assert!(fig7.icrc_ok());
}

/// The shortest packet that each format takes: UDP without a payload. One byte less is none, and neither is the room for telemetry
/// without its last byte.
#[test]
fn a_packet_of_headers_alone_is_stamped_and_a_shorter_one_is_not() {
    let ports = TelemetryPorts::default();
    let mut plain = opened(&hex(IFA)).plain[..28].to_vec();
    plain[2..4].copy_from_slice(&28u16.to_be_bytes());
    plain[24..26].copy_from_slice(&8u16.to_be_bytes());
    let cut = &plain[..27];
    assert!(int_md::encapsulate(cut, ports.int_md, ports.domain).is_none());
    let mut packet = int_md::encapsulate(&plain, ports.int_md, ports.domain).expect("UDP");
    let hop = IntMdHop::default();
    let mut shorter = packet[..packet.len() - 1].to_vec();
    assert_eq!(
        int_md::stamp(&mut packet, &hop, ports.int_md, ports.domain, 1500),
        Added::Yes
    );
    assert_eq!(
        int_md::stamp(&mut shorter, &hop, ports.int_md, ports.domain, 1500),
        Added::No
    );
    for trace in [Trace::Preallocated, Trace::Incremental] {
        assert!(ioam::encapsulate(cut, trace, ports.ioam, ports.namespace).is_none());
        let mut packet = ioam::encapsulate(&plain, trace, ports.ioam, ports.namespace).expect("UDP");
        let mut shorter = packet[..packet.len() - 1].to_vec();
        let stamp = |packet: &mut Vec<u8>| ioam::stamp(packet, &IoamNode::default(), ports.ioam, ports.namespace, 1500);
        assert_eq!(stamp(&mut packet), Added::Yes, "{trace:?}");
        assert_eq!(stamp(&mut shorter), Added::No, "{trace:?}");
    }
    let mut packet = ifa::encapsulate(&plain).expect("UDP");
    let mut shorter = packet[..packet.len() - 1].to_vec();
    assert_eq!(ifa::stamp(&mut packet, &IfaHop::default(), 1500), Added::Yes);
    assert_eq!(ifa::stamp(&mut shorter, &IfaHop::default(), 1500), Added::No);
}

/// The plain packet with an empty header, over both switches.
#[test]
fn two_switches_make_these_bytes() {
    let ports = TelemetryPorts::default();
    let plain = opened(&hex(IFA)).plain;
    assert_eq!(plain, opened(&hex(INT_MD)).plain);
    let mut packet = ifa::encapsulate(&plain).unwrap();
    let hops = [
        IfaHop {
            device: 0xabc,
            speed: 4,
            rx_seconds: 5,
            rx_ns: 123_456_789,
            residence_ns: 1500,
            egress: 5,
            ingress: 3,
            tx_bytes: 0x1234_5678,
            queue: 320,
        },
        IfaHop {
            device: 0x123,
            speed: 6,
            rx_seconds: 5,
            rx_ns: 123_460_289,
            residence_ns: 300,
            egress: 7,
            ingress: 1,
            tx_bytes: 0x0fed_cba9,
            queue: 2,
        },
    ];
    assert!(hops.iter().all(|hop| ifa::stamp(&mut packet, hop, 1500) == Added::Yes));
    assert_eq!(packet, hex(IFA));

    let mut packet = int_md::encapsulate(&plain, ports.int_md, ports.domain).unwrap();
    let int_hop = |hop: &IfaHop| IntMdHop {
        node: hop.device,
        ingress: hop.ingress,
        egress: hop.egress,
        speed: hop.speed + 1,
        queue_id: 3,
        queue: hop.queue.into(),
        egress_ns: u64::from(hop.rx_seconds) * 1_000_000_000 + u64::from(hop.rx_ns + hop.residence_ns),
        tx_bytes: hop.tx_bytes,
    };
    for hop in &hops {
        let added = int_md::stamp(&mut packet, &int_hop(hop), ports.int_md, ports.domain, 1500);
        assert_eq!(added, Added::Yes);
    }
    assert_eq!(packet, hex(INT_MD));

    // IOAM keeps its own port in the ICRC.
    let plain = opened(&ioam()).plain;
    for trace in [Trace::Preallocated, Trace::Incremental] {
        let mut packet = ioam::encapsulate(&plain, trace, ports.ioam, ports.namespace).unwrap();
        for (hop, ttl) in hops.iter().zip([63, 62]) {
            let node = IoamNode {
                hop_limit: ttl,
                node: hop.device,
                ingress: hop.ingress,
                egress: hop.egress,
                speed: hop.speed + 1,
                fraction: hop.rx_ns + hop.residence_ns,
                queue: hop.queue.into(),
                tx_bytes: hop.tx_bytes,
            };
            let added = ioam::stamp(&mut packet, &node, ports.ioam, ports.namespace, 1500);
            assert_eq!(added, Added::Yes);
        }
        assert_eq!(opened(&packet), opened(&ioam()), "{trace:?}");
        if trace == Trace::Preallocated {
            assert_eq!(packet, ioam());
        } else {
            assert_eq!(packet.len() + 60, ioam().len());
        }
    }
}

/// Seven switches: five records, all seven in `pathID`; where the format has no room it says so.
#[test]
fn more_switches_than_records() {
    let ports = TelemetryPorts::default();
    let plain = opened(&hex(INT_MD)).plain;
    let mut packets = [
        ifa::encapsulate(&plain).unwrap(),
        int_md::encapsulate(&plain, ports.int_md, ports.domain).unwrap(),
        ioam::encapsulate(&plain, Trace::Preallocated, ports.ioam, 1).unwrap(),
        ioam::encapsulate(&plain, Trace::Incremental, ports.ioam, 1).unwrap(),
    ];
    let added = |packets: &mut [Vec<u8>; 4], mtu: usize| {
        let ioam_hop = IoamNode {
            speed: 5,
            ..IoamNode::default()
        };
        let md_hop = IntMdHop {
            speed: 5,
            ..IntMdHop::default()
        };
        [
            ifa::stamp(&mut packets[0], &IfaHop::default(), mtu),
            int_md::stamp(&mut packets[1], &md_hop, ports.int_md, ports.domain, mtu),
            ioam::stamp(&mut packets[2], &ioam_hop, ports.ioam, 1, mtu),
            ioam::stamp(&mut packets[3], &ioam_hop, ports.ioam, 1, mtu),
        ]
    };
    // A switch that would pass its MTU adds nothing; a pre-allocated trace does not grow.
    let mut short = packets.clone();
    assert_eq!(
        added(&mut short, 80),
        [Added::Full, Added::Full, Added::Yes, Added::Full]
    );
    assert_eq!(short[1][32] & 0x06, 0x02, "INT-MD: MTU bit");
    for hop in 0..7 {
        let want = if hop < 5 { Added::Yes } else { Added::Full };
        let got = added(&mut packets, 1500);
        assert_eq!(got[..2], [want; 2], "{hop}");
        // An overflown trace is left alone.
        let ioam_want = if hop == 6 { Added::No } else { want };
        assert_eq!(got[2..], [ioam_want; 2], "{hop}");
    }
    assert_eq!(packets[1][32] & 0x06, 0x04, "INT-MD: hop count bit");
    for packet in &packets {
        assert_eq!(opened(packet).stack.unwrap().n_hop, 5);
    }
    assert_eq!(packets.map(|p| p.len() - plain.len()), [168, 136, 112, 112]);
}
