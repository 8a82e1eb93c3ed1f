//! What is not used and why, fields beside ours, the path.

use super::*;

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

/// Every field that the law needs, all ones in one hop; a queue of IFA that is all ones is as long as the field can say.
#[test]
fn a_field_that_is_not_populated() {
    let ones = |packet: &[u8], at: usize, len: usize| {
        let mut packet = packet.to_vec();
        packet[at..at + len].fill(0xff);
        opened(&packet).stack
    };
    let not_populated = Err(Unusable::NotPopulated);
    // IFA's device shares its word with the name space, which then is another
    assert_eq!(ones(&hex(IFA), 36, 4), Err(Unusable::Layout));
    for at in [48, 52, 56] {
        assert_eq!(ones(&hex(IFA), at, 4), not_populated, "IFA, byte {at}");
    }
    assert_eq!(ones(&hex(IFA), 62, 2).unwrap().hops[1].q_len, u16::MAX);
    for at in [100, 104, 108, 112, 116] {
        assert_eq!(ones(&ioam(), at, 4), not_populated, "IOAM, byte {at}");
    }
    for (at, len) in [(44, 4), (48, 4), (52, 4), (56, 8), (64, 4)] {
        assert_eq!(ones(&hex(INT_MD), at, len), not_populated, "INT-MD, byte {at}");
    }
}

/// Code 0 is no speed in the two formats whose interface carries ours.
#[test]
fn a_speed_that_is_none() {
    for (mut packet, at) in [(ioam(), 106), (hex(INT_MD), 50)] {
        assert_eq!(packet[at], 0x70);
        packet[at] = 0;
        assert_eq!(opened(&packet).stack, Err(Unusable::Speed));
    }
}

/// More cells than the record's 16 bits can say are as many as it can say.
#[test]
fn a_long_queue_saturates() {
    let q_len = |cells| super::super::opened::record(5, 0, 0, cells, 1).q_len;
    assert_eq!([0xffff, 0x1_0000, 0x1_0005, 0xff_ffff].map(q_len), [u16::MAX; 4]);
    assert_eq!(q_len(0xfffe), 0xfffe);
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
    // The turn keeps all twelve bits of the port, the fold those of longer device numbers: 0x345 ^ 0x012.
    assert_eq!((path_bits(0, 0x812), path_bits(0x1_2345, 0)), (0x250, 0x357));
}
