//! The same packet over the same two switches in every format, byte for byte; properties of all of them.

use super::ifa::IfaHop;
use super::int_md::IntMdHop;
use super::ioam::{IoamNode, Trace};
use super::opened::record;
use super::*;
use crate::cc::HopRecord;
use proptest::prelude::*;

/// WRITE Only of four bytes, 10.0.0.10 to 10.0.0.11, TTL 62.
const FIG7: &str = "456a0052000140003e11281c0a00000a0a00000bc123d607003e00002b9f561c4f1468ac0140761cdedfdb9700020a00ffff00000011800001\
    0000000000000010 00deadbeef000000040102 0304b9e7d2a0";
const IFA: &str = "456a0088000140003efd26fa0a00000a0a00000b2f110428c12312b7002c000000007e101001230060000005000700010 75bdac10000012c\
    0fedcba9000000020000000 0100abc004000000500050003075bcd15000005dc1234567800000140000000000a00ffff00000011800001000000000000001000\
    deadbeef00000004010203048759beec";
const INT_MD: &str = "456a0080000140003e1127ee0a00000a0a00000bc123d60c006c0000140f12b720000603d400485080000000000001230001700703000002\
    000000013161cded0fedcba900000abc0003500503000140000000013161c4f1123456780a00ffff00000011800001000000000000001000deadbeef00000004\
    010203048759beec";
const IOAM_FRONT: &str = "456a00b0000140003e1127be0a00000a0a00000bc123d60b009c0000316e00000001280fd2080000";
const IOAM_BACK: &str = "3e00012300017007075bdbed000000020fedcba93f000abc00035005075bd2f100000140123456780a00ffff00000011800001000000000000\
    001000deadbeef0000000401020304781c2712";

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    let value = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(value).collect()
}

fn ioam() -> Vec<u8> {
    [hex(IOAM_FRONT), vec![0; 60], hex(IOAM_BACK)].concat()
}

fn stack(ts: [u32; 2]) -> IntStack {
    let mut stack = IntStack {
        n_hop: 2,
        path_id: 0xbdf,
        ..IntStack::default()
    };
    stack.hops[0] = HopRecord {
        speed: 5,
        ts: ts[0],
        tx_bytes: 0x4_68ac,
        q_len: 0x140,
    };
    stack.hops[1] = HopRecord {
        speed: 7,
        ts: ts[1],
        tx_bytes: 0xf_db97,
        q_len: 2,
    };
    stack
}

const DEPARTURES: [u32; 2] = [0x61_c4f1, 0x61_cded];

fn opened(packet: &[u8]) -> Opened {
    open(packet, &TelemetryPorts::default()).expect("telemetry")
}

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

#[test]
fn what_cannot_be_used_has_its_reason() {
    let with = |packet: &[u8], changes: &[(usize, u8)]| {
        let mut packet = packet.to_vec();
        changes.iter().for_each(|&(at, byte)| packet[at] = byte);
        opened(&packet).stack.unwrap_err()
    };
    let (ifa, md, io) = (hex(IFA), hex(INT_MD), ioam());
    assert_eq!(with(&ifa, &[(22, 0x14)]), Unusable::Flags);
    assert_eq!(with(&ifa, &[(20, 0x21)]), Unusable::Layout);
    assert_eq!(with(&ifa, &[(35, 0x0f)]), Unusable::Length);
    assert_eq!(with(&ifa, &[(40, 0xf0)]), Unusable::Speed);
    assert_eq!(
        with(&ifa, &[(56, 0xff), (57, 0xff), (58, 0xff), (59, 0xff)]),
        Unusable::NotPopulated
    );
    assert_eq!(with(&md, &[(28, 0x34)]), Unusable::IntMx);
    assert_eq!(with(&md, &[(36, 0xd5)]), Unusable::Layout);
    assert_eq!(with(&md, &[(36, 0xd5), (40, 0)]), Unusable::NoByteCounter);
    assert_eq!(with(&md, &[(37, 0x01)]), Unusable::Layout);
    assert_eq!(with(&md, &[(29, 0x0e)]), Unusable::Length);
    assert_eq!(with(&io, &[(33, 2)]), Unusable::Namespace);
    assert_eq!(with(&io, &[(35, 0x0e)]), Unusable::Length);
    assert_eq!(with(&io, &[(36, 0xd0)]), Unusable::Layout);
    assert_eq!(with(&io, &[(30, 1), (31, 2)]), Unusable::Layout);
}

/// More fields than ours do not move the ones that the law needs.
#[test]
fn other_fields_are_read_over() {
    // Bits 2 and 8 beside ours: seconds, and a wide node.
    let trace_type = TRACE_WITH_MORE;
    let node = IoamNode::parse(
        &hex("3e000123 00017007 00000005 075bdbed 00000002 1122334455667788 0fedcba9"),
        trace_type,
    )
    .unwrap();
    assert_eq!(
        (node.fraction, node.queue, node.tx_bytes),
        (0x075b_dbed, 2, 0x0fed_cba9)
    );
    // Hop latency and link utilisation beside ours.
    let hop = IntMdHop::parse(
        &hex("00000123 00017007 00000009 03000002 000000013161cded 00000001 0fedcba9"),
        0xf500,
    )
    .unwrap();
    assert_eq!(
        (hop.queue, hop.egress_ns, hop.tx_bytes),
        (2, 0x1_3161_cded, 0x0fed_cba9)
    );
}

const TRACE_WITH_MORE: u32 = ioam::TRACE_TYPE | 1 << (23 - 2) | 1 << (23 - 8);

#[test]
fn ports_are_part_of_the_path() {
    // Without the turn ports 4 to 7 to switches 0x104 to 0x107 would be one path.
    let paths: std::collections::BTreeSet<u16> = (4..8).map(|p| path_bits(0x100 + u32::from(p), p)).collect();
    assert_eq!(paths.len(), 4);
    assert_eq!(path_bits(0xabc, 5) ^ path_bits(0x123, 7), 0xbdf);
}

proptest! {
    /// The byte counter's differences stay right over its wrap: 2^27 divides 2^32.
    #[test]
    fn the_counter_wraps_with_the_records(start in any::<u32>(), units in 0u32..1 << 20) {
        let before = record(5, 0, start, 0);
        let after = record(5, 0, start.wrapping_add(units.wrapping_mul(128)), 0);
        prop_assert_eq!(after.tx_bytes.wrapping_sub(before.tx_bytes) & 0xf_ffff, units);
    }

    /// Any hop is read as it was written.
    #[test]
    fn hops_there_and_back(a in any::<[u32; 4]>(), b in any::<[u16; 3]>(), speed in 0u8..15, ns in 0u64..u64::MAX) {
        let ifa = IfaHop {
            device: a[0] & 0xf_ffff, speed, rx_seconds: a[1] & 0xf_ffff, rx_ns: a[2], residence_ns: a[3],
            egress: b[0], ingress: b[1], tx_bytes: a[0], queue: b[2],
        };
        prop_assert_eq!(IfaHop::parse(&ifa.emit()), Ok(ifa));
        let populated = a.map(|v| v.min(u32::MAX - 1));
        let node = IoamNode {
            hop_limit: 7, node: a[0] & 0xff_ffff, ingress: b[1], egress: b[0] & 0xfff, speed,
            fraction: populated[1], queue: populated[2], tx_bytes: populated[3],
        };
        prop_assert_eq!(IoamNode::parse(&node.emit(), ioam::TRACE_TYPE), Ok(node));
        let hop = IntMdHop {
            node: populated[0], ingress: b[1], egress: b[0] & 0xfff, speed, queue_id: 7, queue: a[2] & 0xff_ffff,
            egress_ns: ns, tx_bytes: populated[3],
        };
        prop_assert_eq!(IntMdHop::parse(&hop.emit(), int_md::INSTRUCTIONS), Ok(hop));
    }

    /// A flipped bit changes the records, or makes them unusable, or lies outside of the telemetry; never a fault. Outside of what routers
    /// may change and of the telemetry the ICRC finds it.
    #[test]
    fn a_flipped_bit_is_harmless(format in 0usize..4, at in 0usize..1024, bit in 0u8..8, cut in 0usize..200) {
        let mut packet = [hex(FIG7), hex(IFA), hex(INT_MD), ioam()][format].clone();
        let whole = opened(&packet);
        let at = at % packet.len();
        packet[at] ^= 1 << bit;
        if let Some(seen) = open(&packet, &TelemetryPorts::default()) {
            let covered = packet.len() - at <= whole.plain.len() - 28 && packet.len() - at != whole.plain.len() - 28 - 4;
            if covered && seen.format == whole.format {
                prop_assert!(!seen.icrc_ok(), "{at}");
            }
        }
        packet.truncate(cut);
        if let Some(seen) = open(&packet, &TelemetryPorts::default()) {
            prop_assert!(!seen.icrc_ok() || cut >= packet.len());
        }
    }

    /// Bytes of any kind are taken apart without a fault.
    #[test]
    fn any_bytes_are_survived(mut bytes in prop::collection::vec(any::<u8>(), 28..200), kind in 0usize..5) {
        bytes[0] = 0x45;
        bytes[6] = 0x40;
        bytes[7] = 0;
        let (protocol, port) = [(17, 54791u16), (253, 4791), (17, 54795), (17, 54796), (131, 1)][kind];
        bytes[9] = protocol;
        bytes[22..24].copy_from_slice(&port.to_be_bytes());
        let opened = open(&bytes, &TelemetryPorts::default());
        prop_assert!(opened.is_none_or(|o| o.plain.len() <= bytes.len()));
    }
}
