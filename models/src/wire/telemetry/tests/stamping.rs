//! What keeps a switch from adding a hop.

use super::super::ioam::Trace;
use super::*;

/// A hop limit of 0 admits nobody, one of 0xff is not counted down.
#[test]
fn the_hop_limit_of_ifa() {
    let plain = opened(&hex(IFA)).plain;
    for (limit, added, left) in [
        (0, Added::Full, 0),
        (1, Added::Yes, 0),
        (128, Added::Yes, 127),
        (255, Added::Yes, 255),
    ] {
        let mut packet = ifa::encapsulate(&plain).unwrap();
        packet[34] = limit;
        assert_eq!(ifa::stamp(&mut packet, &IfaHop::default(), 1500), added, "{limit}");
        assert_eq!(packet[34], left, "{limit}");
    }
}

/// A trace of another name space, or a stack of another domain, is left as it is.
#[test]
fn others_are_left_alone() {
    let (ports, plain) = (TelemetryPorts::default(), opened(&hex(IFA)).plain);
    for trace in [Trace::Preallocated, Trace::Incremental] {
        let before = ioam::encapsulate(&plain, trace, ports.ioam, 2).unwrap();
        let mut packet = before.clone();
        let added = ioam::stamp(&mut packet, &IoamNode::default(), ports.ioam, ports.namespace, 1500);
        assert_eq!((added, packet), (Added::No, before), "{trace:?}");
    }
    let before = int_md::encapsulate(&plain, ports.int_md, 0x4851).unwrap();
    let mut packet = before.clone();
    let added = int_md::stamp(&mut packet, &IntMdHop::default(), ports.int_md, ports.domain, 1500);
    assert_eq!((added, packet), (Added::No, before));
}

/// A hop goes in where the packet is then exactly as long as the link takes, and not where it is one byte longer.
#[test]
fn the_longest_packet_of_a_link() {
    let (ports, plain) = (TelemetryPorts::default(), opened(&hex(IFA)).plain);
    let packets = [
        ifa::encapsulate(&plain).unwrap(),
        int_md::encapsulate(&plain, ports.int_md, ports.domain).unwrap(),
        ioam::encapsulate(&plain, Trace::Incremental, ports.ioam, ports.namespace).unwrap(),
    ];
    let hops = [ifa::IFA_HOP_LEN, int_md::INT_MD_HOP_LEN, ioam::IOAM_NODE_LEN];
    for (format, (packet, hop)) in packets.iter().zip(hops).enumerate() {
        for (short, added) in [(0, Added::Yes), (1, Added::Full)] {
            let (mut packet, mtu) = (packet.clone(), packet.len() + hop - short);
            let got = match format {
                0 => ifa::stamp(&mut packet, &IfaHop::default(), mtu),
                1 => int_md::stamp(&mut packet, &IntMdHop::default(), ports.int_md, ports.domain, mtu),
                _ => ioam::stamp(&mut packet, &IoamNode::default(), ports.ioam, ports.namespace, mtu),
            };
            assert_eq!(got, added, "format {format}, {short} bytes short");
        }
    }
}
