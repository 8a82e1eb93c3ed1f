//! What a NIC makes of packets that two switches have stamped.

use super::*;

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

/// A NIC that knows the example's queue pair 0x11, region and address.
fn example_nic(encapsulation: Encapsulation) -> Nic<BlockMemory> {
    example_nic_with(config(encapsulation))
}

fn example_nic_with(config: NicConfig) -> Nic<BlockMemory> {
    let mut memory = BlockMemory::default();
    memory.add(0x1000, vec![0; 64]);
    let mut nic = Nic::new(config, memory, None);
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

/// Switches count bytes; the NIC's register says in which unit its law takes them: 4 times 128 bytes here, so the records are those above without
/// their two lowest bits, and two higher ones have moved in.
#[test]
fn the_unit_of_the_byte_counter() {
    let canonical = hex("2bdf 561c4f191a2b0140 761cded7f6e50002");
    for (format, packet) in [(Encapsulation::Ifa, hex(IFA)), (Encapsulation::IntMd, hex(INT_MD))] {
        let numbers = TelemetryPorts {
            int_multi: 4,
            ..TelemetryPorts::default()
        };
        let format = FormatConfig {
            numbers,
            ..config(format).format
        };
        let mut nic = example_nic_with(NicConfig { format, ..nic_config() });
        nic.receive(0, &as_frame(&packet));
        let frame = nic.poll(0).remove(0);
        let sent = RocePacket::parse(&frame, &Ports::default()).unwrap();
        assert_eq!(sent.int, canonical, "{format:?}");
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
