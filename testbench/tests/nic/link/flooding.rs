//! A third host floods one NIC: queue pairs that offer a tenth of the wire keep what they offer, and counters say what was dropped.

use super::*;
use hpcc_testbench::nic::link_config::{CapBy, FloodKind};
use hpcc_testbench::nic::link_report::delivered;

/// Queue pairs that share a tenth of the wire, beside so many of a flood.
fn flooded(op: LinkOperation, kind: FloodKind, qps: u32, flood_qps: u32) -> LinkSpec {
    LinkSpec {
        op,
        qps,
        bytes: 16_384,
        messages: 64,
        cap_gbps: Some(10.0 / f64::from(qps)),
        cap_at_us: 0.0,
        cap_by: CapBy::Flow,
        flood: Some(kind),
        flood_qps,
        pcap: false,
        ..LinkSpec::default()
    }
}

fn keep_what_they_offer<D: Device>(spec: &LinkSpec) -> LinkOutcome {
    let case = format!("{:?} beside {:?}, {} queue pairs", spec.op, spec.flood, spec.flood_qps);
    let outcome = run::<D>(spec);
    assert_whole(spec, &outcome);
    let rate = delivered(spec, &outcome).expect("payload");
    let (frames, answers) = outcome.flood.expect("a flood");
    println!("{case}: {rate:?}, {frames} frames, {answers} answers");
    assert!(rate.percent >= LEAST_PERCENT, "{case}: {rate:?}");
    assert!(rate.percent < 101.0, "more than the cap lets through: {case}: {rate:?}");
    assert_eq!(outcome.count("timeouts"), 0, "{case}");
    outcome
}

#[test]
fn queue_pairs_keep_what_they_offer_in_a_flood() {
    for (_, kind) in FloodKind::NAMES {
        keep_what_they_offer::<ModelNic>(&flooded(LinkOperation::Bidirectional, kind, 1, 1));
    }
}

#[test]
fn rtl_queue_pairs_keep_what_they_offer_in_a_flood() {
    for (_, kind) in FloodKind::NAMES {
        let outcome = keep_what_they_offer::<RtlNic<Model>>(&flooded(LinkOperation::Bidirectional, kind, 1, 1));
        let dropped = outcome.count("drop_rx_share");
        let (frames, _) = outcome.flood.expect("a flood");
        // what is not RoCE costs a clock and has no share
        let expected = if kind == FloodKind::Frames {
            0..=0
        } else {
            frames / 2..=frames
        };
        assert!(expected.contains(&dropped), "{kind:?}: {dropped} of {frames}");
        assert_eq!(outcome.count("drop_rx_buffer_full"), 0, "{kind:?}");
    }
}

#[test]
fn rtl_many_queue_pairs_keep_what_they_offer_beside_many_that_flood() {
    for (op, kind) in [
        (LinkOperation::Write, FloodKind::Writes),
        (LinkOperation::Read, FloodKind::Acks),
        (LinkOperation::BidirectionalRead, FloodKind::Reads),
    ] {
        // each queue pair has twice as many messages as alone, so that its first and last packet weigh less
        let spec = LinkSpec {
            messages: 128,
            ..flooded(op, kind, 8, 8)
        };
        keep_what_they_offer::<RtlNic<Model>>(&spec);
    }
}
