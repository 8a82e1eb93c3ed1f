//! INT in other formats than Fig. 7's (HPCC++, draft-miao-tsv-hpcc-info): what a NIC makes of packets that two switches have stamped, and what it sends.

use super::bench::*;
use hpcc_models::nic::*;
use hpcc_models::wire::telemetry::ioam::Trace;
use hpcc_models::wire::telemetry::{icrc_ok, ifa, int_md, ioam, open, Added, Encapsulation, TelemetryPorts};
use hpcc_models::wire::*;
use Operation::Write;

/// The design's packet (section 4) in three formats, from the IPv4 header to the ICRC: WRITE Only of four bytes over two switches.
const IFA: &str = "
    456a0088 00014000 3efd26fa 0a00000a 0a00000b 2f110428 c12312b7 002c0000 00007e10 10012300 60000005 00070001
    075bdac1 0000012c 0fedcba9 00000002 00000000 100abc00 40000005 00050003 075bcd15 000005dc 12345678 00000140
    00000000 0a00ffff 00000011 80000100 00000000 00001000 deadbeef 00000004 01020304 8759beec";
const INT_MD: &str = "
    456a0080 00014000 3e1127ee 0a00000a 0a00000b c123d60c 006c0000 140f12b7 20000603 d4004850 80000000 00000123
    00017007 03000002 00000001 3161cded 0fedcba9 00000abc 00035005 03000140 00000001 3161c4f1 12345678 0a00ffff
    00000011 80000100 00000000 00001000 deadbeef 00000004 01020304 8759beec";
const IOAM_HEAD: &str = "
    456a00b0 00014000 3e1127be 0a00000a 0a00000b c123d60b 009c0000 316e0000 0001280f d2080000";
const IOAM_TAIL: &str = "
    3e000123 00017007 075bdbed 00000002 0fedcba9 3f000abc 00035005 075bd2f1 00000140 12345678
    0a00ffff 00000011 80000100 00000000 00001000 deadbeef 00000004 01020304 781c2712";

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

fn ioam_packet() -> Vec<u8> {
    [hex(IOAM_HEAD), vec![0; 60], hex(IOAM_TAIL)].concat()
}

const PREALLOCATED: Encapsulation = Encapsulation::Ioam(Trace::Preallocated);
const INCREMENTAL: Encapsulation = Encapsulation::Ioam(Trace::Incremental);

fn config(encapsulation: Encapsulation) -> NicConfig {
    NicConfig {
        format: FormatConfig {
            encapsulation,
            ..FormatConfig::default()
        },
        ..nic_config()
    }
}

/// A NIC that knows the example's queue pair 0x11, region and address.
fn example_nic(encapsulation: Encapsulation) -> Nic<BlockMemory> {
    let mut memory = BlockMemory::default();
    memory.add(0x1000, vec![0; 64]);
    let mut nic = Nic::new(config(encapsulation), memory, None);
    nic.add_region(Region {
        key: 0xdead_beef,
        address: 0x1000,
        length: 64,
        remote_write: true,
        remote_read: true,
    });
    nic.create_qp(QpConfig {
        int: true,
        expected_psn: 0x100,
        mtu: 256,
        ..QpConfig::new(0x11, 0x22, PEER_IP)
    })
    .unwrap();
    nic
}

fn as_frame(packet: &[u8]) -> Vec<u8> {
    let mut frame = vec![0; 14];
    EthernetRepr::ipv4(PEER_MAC, OUR_MAC).emit(&mut frame);
    frame.extend(packet);
    frame
}

/// Each format is turned into the canonical stack once: 100 and 400 Gb/s, first switch first, pathID 0xbdf (section 2). IOAM's times lack the seconds:
/// they are less by 5 x 10^9 modulo 2^24, 389632.
#[test]
fn every_acknowledgement_carries_the_canonical_stack() {
    let canonical = hex("2bdf 561c4f1468ac0140 761cdedfdb970002");
    let ioam = hex("2bdf 55bd2f1468ac0140 75bdbedfdb970002");
    for (format, packet, stack) in [
        (Encapsulation::Ifa, hex(IFA), &canonical),
        (Encapsulation::IntMd, hex(INT_MD), &canonical),
        (PREALLOCATED, ioam_packet(), &ioam),
        // whichever trace option the NIC sends, it takes both
        (INCREMENTAL, ioam_packet(), &ioam),
    ] {
        let mut nic = example_nic(format);
        nic.receive(0, &as_frame(&packet));
        let frame = nic.poll(0).remove(0);
        let sent = RocePacket::parse(&frame, &Ports::default()).unwrap();
        assert_eq!((sent.udp.dst_port, sent.bth.psn), (54792, 0x100), "{format:?}");
        assert_eq!(
            (sent.bth.opcode, sent.int),
            (Opcode::Acknowledge, &stack[..]),
            "{format:?}"
        );
        assert_eq!(nic.memory().block(0x1000).unwrap()[..4], [1, 2, 3, 4]);
        assert_eq!(nic.feedback_counters().int_bad_format, 0);
        assert_eq!(nic.counters().dropped(), 0);
    }
}

/// One format in a domain: the others are what they are to a NIC that knows Fig. 7 only.
#[test]
fn another_format_is_refused() {
    let packets = [hex(IFA), hex(INT_MD), ioam_packet()];
    let formats = [Encapsulation::Ifa, Encapsulation::IntMd, PREALLOCATED];
    for (i, packet) in packets.iter().enumerate() {
        let others = formats.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, f)| *f);
        for format in others.chain([Encapsulation::Fig7]) {
            let fault = frame_fault(&config(format), &as_frame(packet));
            let expected = if i == 0 { Counter::NotUdp } else { Counter::UdpPort };
            assert_eq!(fault, Some(expected), "{format:?}");
        }
        assert_eq!(frame_fault(&config(formats[i]), &as_frame(packet)), None);
    }
}

/// A bit that flips anywhere in the part that no switch writes drops the packet; INT that makes no sense is left out, and the packet counts.
#[test]
fn what_cannot_be_used_is_acknowledged_without() {
    // IFA: local name space 1 becomes 9 (another layout); INT-MD: all ones for the byte counter; IOAM: name space 1 becomes 3
    let mut unpopulated = hex(INT_MD);
    unpopulated[0x40..0x44].fill(0xff);
    let mut layout = hex(IFA);
    layout[0x24] ^= 0x80;
    let mut namespace = ioam_packet();
    namespace[0x21] ^= 2;
    let mut mx = hex(INT_MD);
    mx[0x1c] ^= 0x20;
    for (format, packet) in [
        (Encapsulation::Ifa, layout),
        (Encapsulation::IntMd, unpopulated),
        (Encapsulation::IntMd, mx),
        (PREALLOCATED, namespace),
    ] {
        let mut nic = example_nic(format);
        nic.receive(0, &as_frame(&packet));
        let frame = nic.poll(0).remove(0);
        let sent = RocePacket::parse(&frame, &Ports::default()).unwrap();
        assert_eq!((sent.bth.opcode, sent.int), (Opcode::Acknowledge, &INT_EMPTY[..]));
        assert_eq!(nic.feedback_counters().int_bad_format, 1, "{format:?}");
    }
    for (format, packet, covered) in [
        (Encapsulation::Ifa, hex(IFA), 0x64),
        (Encapsulation::IntMd, hex(INT_MD), 0x5c),
        (PREALLOCATED, ioam_packet(), 0x8c),
    ] {
        for at in covered..packet.len() {
            // FECN, BECN and reserved bits may change on the way
            if at == covered + 4 {
                continue;
            }
            let mut changed = packet.clone();
            changed[at] ^= 1;
            let fault = frame_fault(&config(format), &as_frame(&changed));
            assert_eq!(fault, Some(Counter::Icrc), "{format:?}, byte {at}");
        }
    }
}

/// What the NIC sends: the format's empty headers, an ICRC of the packet without them, the same payload as in Fig. 7's form. Switches fill it.
#[test]
fn the_sender_writes_empty_headers() {
    let numbers = TelemetryPorts::default();
    for format in Encapsulation::ALL {
        let mut bench = Bench::with(config(format), 0, true);
        bench.post(1, Write, 0, 300);
        let frames: Vec<Vec<u8>> = (0..1000).step_by(20).flat_map(|now| bench.nic.poll(now)).collect();
        assert_eq!(frames.len(), 2);
        let mut packet = frames[0][14..].to_vec();
        // WRITE First: BTH 12, RETH 16, 256 bytes, ICRC 4 behind IPv4 and UDP
        assert_eq!(packet.len(), 20 + 8 + format.base_len() + 12 + 16 + 256 + 4);
        let opened = open(&packet, &numbers).unwrap();
        assert!(icrc_ok(&opened.plain), "{format:?}");
        assert_eq!(opened.stack, Ok(IntStack::default()));
        assert_eq!(packet[packet.len() - 4 - 256..packet.len() - 4], bench.memory()[..256]);
        // three switches
        for hop in 1..=3u32 {
            let (speed, ns, tx_bytes, queue) = (5, 1000 * hop, 1 << 20, 7);
            let added = match format {
                Encapsulation::Fig7 => {
                    let mut frame = as_frame(&packet);
                    let record = hpcc_models::cc::HopRecord {
                        speed,
                        ts: ns,
                        tx_bytes: tx_bytes / 128,
                        q_len: queue,
                    };
                    let stamped = StampConfig::default().stamp(&mut frame, record);
                    packet = frame[14..].to_vec();
                    assert_eq!(stamped, Stamped::Recorded);
                    Added::Yes
                }
                Encapsulation::Ifa => {
                    let hop = ifa::IfaHop {
                        speed: speed - 1,
                        rx_ns: ns,
                        tx_bytes,
                        queue,
                        ..ifa::IfaHop::default()
                    };
                    ifa::stamp(&mut packet, &hop, 9000)
                }
                Encapsulation::Ioam(_) => {
                    let node = ioam::IoamNode {
                        speed,
                        fraction: ns,
                        tx_bytes,
                        queue: queue.into(),
                        ..ioam::IoamNode::default()
                    };
                    ioam::stamp(&mut packet, &node, numbers.ioam, numbers.namespace, 9000)
                }
                Encapsulation::IntMd => {
                    let hop = int_md::IntMdHop {
                        speed,
                        egress_ns: ns.into(),
                        tx_bytes,
                        queue: queue.into(),
                        ..int_md::IntMdHop::default()
                    };
                    int_md::stamp(&mut packet, &hop, numbers.int_md, numbers.domain, 9000)
                }
            };
            assert_eq!(added, Added::Yes, "{format:?}");
        }
        let base = 20 + 8 + 12 + 16 + 256 + 4;
        assert_eq!(packet.len(), base + format.base_len() + 3 * format.hop_len());
        let opened = open(&packet, &numbers).unwrap();
        assert!(icrc_ok(&opened.plain));
        let stack = opened.stack.unwrap();
        let times: Vec<u32> = stack.hops[..3].iter().map(|hop| hop.ts).collect();
        assert_eq!((stack.n_hop, times), (3, vec![1000, 2000, 3000]), "{format:?}");
    }
}

/// Two NICs with one format on a wire: everything arrives, in both directions, with READ and probes and without.
#[test]
fn two_nics_of_a_format_understand_each_other() {
    for format in Encapsulation::ALL {
        for probes in [None, Some(ProbeConfig::every(1000))] {
            let nic = |ip: std::net::Ipv4Addr, mac, peer_ip, peer_mac, own, remote| {
                let config = NicConfig {
                    ip,
                    mac,
                    probes,
                    neighbours: [(peer_ip, peer_mac)].into(),
                    ..config(format)
                };
                let mut nic = nic_with_memory(config, None);
                nic.create_qp(QpConfig {
                    int: true,
                    mtu: MTU as u32,
                    ..QpConfig::new(own, remote, peer_ip)
                })
                .unwrap();
                nic
            };
            let nics = [
                nic(OUR_IP, OUR_MAC, PEER_IP, PEER_MAC, QPN, PEER_QPN),
                nic(PEER_IP, PEER_MAC, OUR_IP, OUR_MAC, PEER_QPN, QPN),
            ];
            let mut pair = Pair::new(nics, LinkConfig::default(), 1);
            for (id, operation) in [(1, Write), (2, Operation::Read)] {
                let work = WorkRequest {
                    id,
                    qpn: QPN,
                    operation,
                    local_address: BASE + 20_000 * id,
                    local_key: KEY,
                    remote_address: BASE + 1,
                    remote_key: KEY,
                    length: 9000,
                };
                pair.nics[0].post(0, work).unwrap();
            }
            assert!(pair.run(1_000_000_000));
            let done = pair.nics[0].take_completions();
            assert!(
                done.len() == 2 && done.iter().all(|c| c.status == Status::Ok),
                "{format:?} {done:?}"
            );
            for nic in &pair.nics {
                assert_eq!(
                    (nic.counters().dropped(), nic.counters().get(Counter::Retransmitted)),
                    (0, 0)
                );
            }
        }
    }
}

/// Uncollected packets of a format keep its headers, under the code point that switches pass by; IFA's say so too.
#[test]
fn uncollected_packets_keep_the_headers() {
    for format in Encapsulation::ALL {
        let config = NicConfig {
            sampling: Some(SamplingConfig {
                every: 2,
                at_latest_ns: 1_000_000,
            }),
            ..config(format)
        };
        let mut bench = Bench::with(config, 0, true);
        bench.post(1, Write, 0, 4 * MTU as u64);
        let frames: Vec<Vec<u8>> = (0..1000).step_by(20).flat_map(|now| bench.nic.poll(now)).collect();
        let dscp: Vec<u8> = frames.iter().map(|frame| frame[15] >> 2).collect();
        assert_eq!(dscp, [26, 10, 26, 10]);
        assert_eq!(frames[1].len(), frames[2].len(), "the same size");
        let mut packet = frames[1][14..].to_vec();
        if format == Encapsulation::Ifa {
            assert_eq!(ifa::stamp(&mut packet, &ifa::IfaHop::default(), 9000), Added::Full);
            assert_eq!(packet, frames[1][14..]);
        }
        assert_eq!(
            open(&packet, &TelemetryPorts::default()).unwrap().stack,
            Ok(IntStack::default())
        );
    }
}

/// A path MTU that would not fit beside the longest INT is refused; without INT it is taken.
#[test]
fn max_frame() {
    for (format, int, ok) in [
        (Encapsulation::Fig7, true, true),
        (Encapsulation::Ifa, true, false),
        (Encapsulation::Ifa, false, true),
        (Encapsulation::IntMd, true, false),
    ] {
        let mut nic = Nic::new(config(format), BlockMemory::default(), None);
        let made = nic.create_qp(QpConfig {
            mtu: 4096,
            ..qp_config(0, int)
        });
        let refused = Err(HostError::Field { qpn: QPN, field: "mtu" });
        assert_eq!(made, if ok { Ok(()) } else { refused }, "{format:?} {int}");
    }
}

/// Pacing charges the longest stack of the format, whatever a packet collects.
#[test]
fn pacing_charges_the_format() {
    for (format, bytes) in [
        (Encapsulation::Fig7, 124),
        (Encapsulation::Ifa, 250),
        (PREALLOCATED, 194),
        (INCREMENTAL, 194),
        (Encapsulation::IntMd, 218),
    ] {
        let mut bench = Bench::with(config(format), 0, true);
        bench.post(1, Write, 0, 10 * MTU as u64);
        for now in (0..10_000).step_by(20) {
            bench.nic.poll(now);
        }
        assert_eq!(bench.nic.sent()[0], 10 * (MTU as u64 + bytes) + 16, "{format:?}");
    }
}
