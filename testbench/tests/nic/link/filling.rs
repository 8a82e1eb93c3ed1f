//! An ideal wire is filled: each byte is sent once, and payload comes at the rate that the least of four bounds leaves.

use super::*;

type Rtl = RtlNic<Model>;

/// Payload, repeats and timeouts on an ideal wire: each byte sent once, and at least `least` percent of the bound.
fn fills<D: Device>(spec: &LinkSpec, least: f64) {
    let case = format!(
        "{:?} MTU {}, {} times {} bytes, {} queue pairs, INT {}",
        spec.op, spec.mtu, spec.messages, spec.bytes, spec.qps, spec.int
    );
    let outcome = run::<D>(spec);
    assert_whole(spec, &outcome);
    let repeats: u64 = outcome.sides.iter().map(|side| side.repeats).sum();
    assert_eq!(repeats, 0, "{case}");
    assert_eq!(outcome.count("timeouts"), 0, "{case}");
    let ways = if spec.op.both() { 2 } else { 1 };
    let bounds = bound(spec, &outcome);
    let payload: u64 = outcome.sides.iter().map(|side| side.payload).sum();
    assert_eq!(payload, ways * spec.total(), "{case}");
    for direction in throughput(spec, &outcome).into_iter().flatten() {
        println!("{case}: {direction:?}");
        assert!(direction.percent >= least, "{case}: {direction:?}");
        // the ring's bound is that of the first message, and later ones may come a little faster
        let carried = bounds.wire.min(bounds.beats);
        assert!(
            direction.bps < 1.01 * carried,
            "more than the wire carries: {case}: {direction:?} of {carried}"
        );
    }
}

/// A cell of the grid: whole messages on a perfect wire, without INT.
fn cell(op: LinkOperation, mtu: u32, qps: u32, bytes: u64, messages: u64) -> LinkSpec {
    LinkSpec {
        op,
        mtu,
        qps,
        bytes,
        messages,
        pcap: false,
        ..LinkSpec::default()
    }
}

/// Operation, MTU, queue pairs, bytes and messages of each cell, none below what is expected.
fn fills_all<D: Device>(cells: &[(LinkOperation, u32, u32, u64, u64)]) {
    for &(op, mtu, qps, bytes, messages) in cells {
        fills::<D>(&cell(op, mtu, qps, bytes, messages), LEAST_PERCENT);
    }
}

/// At every MTU, one queue pair, without INT.
fn fills_the_wire<D: Device>(operations: &[LinkOperation], total: u64) {
    for mtu in [256, 512, 1024, 2048, 4096] {
        for &op in operations {
            let qps = LinkSpec::default().qps;
            fills::<D>(&cell(op, mtu, qps, total / 4, 4), LEAST_PERCENT);
        }
    }
}

/// MTU, queue pairs and bytes: READs of queue pairs that take turns, whose responses come mixed.
const READS_OF_MANY: [(u32, u32, u64); 5] = [
    (256, 8, 1024),
    (256, 8, 4096),
    (512, 8, 4096),
    (1024, 8, 2048),
    (256, 100, 16_384),
];

/// READs of one queue pair one behind the other, short ones too: the memory's latency is hidden by those that are answered together. In the first of them the
/// ring is the least bound by far.
const READS_OF_ONE: [(u32, u32, u64); 11] = [
    (256, 1, 1024),
    (256, 1, 2048),
    (256, 1, 4096),
    (256, 1, 8192),
    (512, 1, 4096),
    (1024, 1, 2048),
    (1024, 1, 4096),
    (1024, 1, 16_384),
    (2048, 1, 4096),
    (4096, 1, 4096),
    (4096, 1, 8192),
];

fn fills_the_wire_with_reads<D: Device>(reads: &[(u32, u32, u64)]) {
    for &(mtu, qps, bytes) in reads {
        let spec = cell(LinkOperation::Read, mtu, qps, bytes, (1 << 20) / bytes);
        fills::<D>(&spec, LEAST_PERCENT);
    }
}

/// READs with INT at every MTU: of each packet the INT is echoed, or that of one behind it. The law aims at 95 % of the wire.
fn fills_the_wire_with_reads_and_int<D: Device>() {
    for mtu in [256, 512, 1024, 2048, 4096] {
        let spec = LinkSpec {
            op: LinkOperation::Read,
            mtu,
            int: true,
            bytes: 1 << 18,
            messages: 4,
            pcap: false,
            ..LinkSpec::default()
        };
        fills::<D>(&spec, 0.9 * 95.0);
    }
}

#[test]
fn payload_fills_the_ideal_wire_one_way_and_both_ways() {
    fills_the_wire::<ModelNic>(&OPERATIONS, 2 << 20);
}

#[test]
fn reads_of_many_queue_pairs_short_ones_and_those_with_int_fill_the_wire() {
    fills_the_wire_with_reads::<ModelNic>(&READS_OF_MANY);
    fills_the_wire_with_reads::<ModelNic>(&READS_OF_ONE);
    fills_the_wire_with_reads_and_int::<ModelNic>();
}

#[test]
fn rtl_payload_fills_the_ideal_wire_one_way_and_both_ways() {
    fills_the_wire::<Rtl>(&OPERATIONS, 1 << 20);
}

#[test]
fn rtl_reads_of_many_queue_pairs_fill_the_wire() {
    fills_the_wire_with_reads::<Rtl>(&READS_OF_MANY);
}

#[test]
fn rtl_short_reads_of_one_queue_pair_fill_the_wire() {
    fills_the_wire_with_reads::<Rtl>(&READS_OF_ONE);
}

#[test]
fn rtl_reads_with_int_fill_the_wire_at_every_mtu() {
    fills_the_wire_with_reads_and_int::<Rtl>();
}

/// Messages of one packet on many queue pairs: nothing is lost on an ideal wire, one way and both ways, and as much goes as is written here in percent of
/// the least bound.
#[test]
fn rtl_messages_of_one_packet_lose_nothing() {
    let (write, both) = (LinkOperation::Write, LinkOperation::Bidirectional);
    let (read, both_read) = (LinkOperation::Read, LinkOperation::BidirectionalRead);
    for (op, mtu, qps, bytes, least) in [
        (write, 1024, 64, 16, LEAST_PERCENT),
        (write, 1024, 148, 4, LEAST_PERCENT),
        (both, 1024, 148, 24, LEAST_PERCENT),
        (both, 1024, 64, 16, LEAST_PERCENT),
        (write, 256, 148, 64, LEAST_PERCENT),
        (write, 256, 64, 256, LEAST_PERCENT),
        (both, 256, 8, 4096, LEAST_PERCENT),
        (read, 1024, 64, 1024, LEAST_PERCENT),
        (read, 256, 64, 256, LEAST_PERCENT),
        (read, 256, 128, 256, LEAST_PERCENT),
        (read, 1024, 64, 64, LEAST_PERCENT),
        (read, 1024, 148, 64, LEAST_PERCENT),
        (both_read, 1024, 64, 64, LEAST_PERCENT),
        (read, 1024, 64, 127, LEAST_PERCENT),
        (both_read, 256, 64, 256, LEAST_PERCENT),
    ] {
        fills::<Rtl>(&cell(op, mtu, qps, bytes, ((1 << 19) / bytes).min(4096)), least);
    }
}

/// READs of several packets of many queue pairs, whose requests and responses share the wire, and so many long ones that a round of
/// grants comes near the timeout, unless each is short. Enough of them that the first 30 us do not decide, in which the wire waits for requests now and then, more or less
/// by chance: with 128 messages of the first cell and delays of 200 ns to 2 us between 94 and 99 % are reached.
#[test]
fn rtl_reads_of_several_packets_of_many_queue_pairs_fill_the_wire() {
    let (read, both) = (LinkOperation::Read, LinkOperation::BidirectionalRead);
    fills_all::<Rtl>(&[
        (both, 256, 8, 4096, 512),
        (both, 256, 16, 1024, 2048),
        (both, 256, 32, 1024, 1024),
        (both, 256, 64, 1024, 2048),
        (both, 256, 64, 4096, 1024),
        (both, 256, 148, 1024, 9472),
        (both, 256, 148, 4096, 2368),
        (read, 1024, 148, 1 << 16, 296),
        (both, 2048, 148, 1 << 16, 148),
        (read, 4096, 148, 1 << 16, 148),
    ]);
}

/// Few queue pairs, both ways: what one direction asks for does not wait for the payload of the other, neither at the commit stage nor in front of the wire.
/// In the READs of one and two queue pairs the ring is the least bound or near it, by the loop of the first message alone on the wire.
#[test]
fn rtl_few_queue_pairs_both_ways_fill_the_wire() {
    let (both, both_read) = (LinkOperation::Bidirectional, LinkOperation::BidirectionalRead);
    fills_all::<Rtl>(&[
        (both_read, 1024, 1, 1024, 2048),
        (both_read, 1024, 2, 1024, 2048),
        (both_read, 1024, 4, 1024, 2048),
        (both_read, 1024, 6, 1024, 2048),
        (both_read, 1024, 8, 1024, 2048),
        (both_read, 2048, 1, 2048, 1024),
        (both_read, 4096, 1, 2048, 1024),
        (both_read, 4096, 1, 4096, 512),
        (both_read, 4096, 2, 1024, 2048),
        (both, 1024, 1, 1024, 1024),
        (both, 1024, 8, 16, 8192),
    ]);
}

/// Long messages, of four thousand packets or fewer each.
#[test]
fn rtl_messages_of_a_mebibyte_fill_the_wire() {
    fills_all::<Rtl>(&[
        (LinkOperation::Write, 256, 1, 1 << 20, 2),
        (LinkOperation::Bidirectional, 1024, 2, 1 << 20, 2),
        (LinkOperation::Read, 256, 2, 1 << 20, 2),
        (LinkOperation::BidirectionalRead, 4096, 1, 1 << 20, 2),
    ]);
}
