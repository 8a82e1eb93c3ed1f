//! Counters that wrap, records that are too old, paths that change, events that do not count.

use super::*;

#[test]
fn time_stamp_and_bytes_wrap() {
    let start = hop(TS_WRAP - 1000, TX_WRAP - 60, 0);
    let mut law = started(params(), &[start]);
    // 1000 + 24 ns and 60 + 40 units later: a full link.
    let seen = see(&mut law, &ack(2, 11, 1024, &[hop(24, 40, 0)]));
    assert_eq!(seen.hop_u[0], Some(1.0));
}

#[test]
fn equal_stamp_leaves_the_hop_out_with_its_record() {
    let mut law = started(params(), &[hop(500, 100, 7), hop(0, 0, 0)]);
    let seen = see(&mut law, &ack(2, 11, 1024, &[hop(500, 900, 9), hop(1024, 50, 0)]));
    assert_eq!((seen.hop_u[0], seen.hop_u[1], seen.winner), (None, Some(0.5), Some(1)));
    assert_eq!(
        law.state(0).unwrap().links[0],
        Link {
            speed: C100,
            ts: 500,
            tx_bytes: 100,
            q_len: 7
        }
    );
}

#[test]
fn older_stamp_leaves_the_hop_out_with_its_record() {
    let law: HpccLaw<f64> = HpccLaw::new(params()).unwrap();
    let record = Link {
        speed: C100,
        ts: 500,
        ..Default::default()
    };
    let at = |ts: u32| {
        law.hop_delta(
            &record,
            &Link {
                ts: ts % TS_WRAP,
                ..record
            },
        )
    };
    assert_eq!(at(499), HopDelta::NotNewer);
    assert_eq!(at(500 + (1 << 23)), HopDelta::NotNewer);
    assert_eq!(at(500 + (1 << 23) - 1), HopDelta::Stale);
    assert_eq!(at(501), HopDelta::Fresh { dts: 1, dtx: 0 });
}

#[test]
fn stale_hop_is_left_out_and_its_record_replaced() {
    let mut law = started(params(), &[hop(0, 0, 0), hop(0, 0, 0)]);
    // 1 ms is the limit; one ns more passes it. The NIC itself waited less.
    let seen = see(&mut law, &ack(2, 11, 1000, &[hop(1_000_001, 5, 6), hop(1024, 50, 0)]));
    assert_eq!((seen.hop_u[0], seen.winner), (None, Some(1)));
    close(seen.u, 0.936); // 0.872 + 0.128 * 0.5
    assert_eq!(
        law.state(0).unwrap().links[0],
        Link {
            speed: C100,
            ts: 1_000_001,
            tx_bytes: 5,
            q_len: 6
        }
    );
    let record = Link {
        speed: C100,
        ..Default::default()
    };
    let exact = law.law().hop_delta(
        &record,
        &Link {
            ts: 1_000_000,
            ..record
        },
    );
    assert_eq!(exact, HopDelta::Fresh { dts: 1_000_000, dtx: 0 });
}

#[test]
fn stale_hop_by_the_wrap_of_its_byte_counter() {
    // 2^27 bytes take 1342177.28 ns at 800 Gb/s and 2684354.56 ns at 400 Gb/s; the multiplier stretches them.
    let at = |speed: u8, int_multi: u32, dts: u32| {
        let p = HpccParams {
            stale_limit_ns: (1 << 23) - 1,
            int_multi,
            ..params()
        };
        let law: HpccLaw<f64> = HpccLaw::new(p).unwrap();
        law.hop_delta(
            &Link {
                speed,
                ..Default::default()
            },
            &Link {
                speed,
                ts: dts,
                ..Default::default()
            },
        )
    };
    assert_eq!(at(8, 1, 1_342_177), HopDelta::Fresh { dts: 1_342_177, dtx: 0 });
    assert_eq!(at(8, 1, 1_342_178), HopDelta::Stale);
    assert_eq!(at(7, 1, 2_684_354), HopDelta::Fresh { dts: 2_684_354, dtx: 0 });
    assert_eq!(at(7, 1, 2_684_355), HopDelta::Stale);
    assert_eq!(at(8, 4, 5_368_709), HopDelta::Fresh { dts: 5_368_709, dtx: 0 });
    assert_eq!(at(8, 4, 5_368_710), HopDelta::Stale);
    // "Reaches" is inclusive:
    let mut p = HpccParams {
        stale_limit_ns: (1 << 23) - 1,
        ..params()
    };
    p.port_speeds[9] = 512 * G; // 2^30 bits / 512 Gb/s = 2097152 ns exactly
    let law: HpccLaw<f64> = HpccLaw::new(p).unwrap();
    let record = Link {
        speed: 9,
        ..Default::default()
    };
    assert_eq!(
        law.hop_delta(
            &record,
            &Link {
                ts: 2_097_152,
                ..record
            }
        ),
        HopDelta::Stale
    );
    let before = law.hop_delta(
        &record,
        &Link {
            ts: 2_097_151,
            ..record
        },
    );
    assert_eq!(before, HopDelta::Fresh { dts: 2_097_151, dtx: 0 });
}

#[test]
fn stale_flow_replaces_records_and_keeps_average_and_window() {
    let mut law = started(params(), &[hop(0, 0, 125)]);
    let before = see(&mut law, &ack(11, 20, 8192, &[hop(8192, 800, 125)]));
    // Exactly the limit is not older than it.
    let mut fresh = law.clone();
    let seen = see(&mut fresh, &ack(21, 30, 1_008_192, &[hop(9216, 900, 0)]));
    assert_eq!(seen.branch, Branch::Multiplicative);
    let seen = see(&mut law, &ack(21, 30, 1_008_193, &[hop(9216, 900, 3)]));
    assert_eq!((seen.branch, seen.full), (Branch::StaleFlow, false));
    assert_eq!(
        (seen.u, seen.w, seen.wc, seen.inc_stage),
        (before.u, before.w, before.wc, before.inc_stage)
    );
    let state = law.state(0).unwrap();
    assert_eq!(
        (state.last_update_seq, state.links[0].ts, state.links[0].q_len),
        (30, 9216, 3)
    );
    assert_eq!(state.last_ack_ns, 1_008_193);
}

#[test]
fn path_change_by_length_or_identity() {
    let mut by_length = started(params(), &[hop(0, 0, 125)]);
    let before = see(&mut by_length, &ack(11, 20, 8192, &[hop(8192, 800, 125)]));
    let mut by_identity = by_length.clone();
    let mut events = [
        ack(12, 25, 9000, &[hop(9000, 0, 0); 2]),
        ack(12, 25, 9000, &[hop(9000, 0, 0)]),
    ];
    events[1].path_id = 0x123;
    for (law, event) in [&mut by_length, &mut by_identity].into_iter().zip(&events) {
        let seen = see(law, event);
        assert_eq!((seen.branch, seen.full, seen.u), (Branch::PathChange, false, 1.0));
        assert_eq!(
            (seen.w, seen.wc, seen.inc_stage),
            (before.w, before.wc, before.inc_stage)
        );
        let state = law.state(0).unwrap();
        assert_eq!(
            (state.last_update_seq, state.n_hop, state.path_id),
            (25, event.n_hop, event.path_id)
        );
        assert_eq!(state.links[0].ts, 9000);
    }
}

#[test]
fn path_change_of_a_stale_flow_is_a_path_change() {
    let mut law = started(params(), &[hop(0, 0, 0)]);
    see(&mut law, &ack(2, 11, 2048, &[hop(2048, 100, 0)]));
    let seen = see(&mut law, &ack(3, 12, 5_000_000, &[hop(1, 1, 1); 2]));
    assert_eq!((seen.branch, seen.u), (Branch::PathChange, 1.0));
}

#[test]
fn sequence_numbers_compare_in_24_bit_serial_arithmetic() {
    for (a, b, after) in [
        (1, 0, true),
        (0, 0, false),
        (0, 1, false),
        (5, 0xff_fffb, true),
        (0xff_fffb, 5, false),
        (0x7f_ffff, 0, true),
        (0x80_0000, 0, false),
        (0x80_0001, 0, false),
    ] {
        assert_eq!(psn_after(a, b), after, "{a:#x} after {b:#x}");
    }
    // Across the wrap in the law: lastUpdateSeq 0xfffffe, ack 0x000001 moves Wc.
    let mut law: Hpcc = Hpcc::new(params()).unwrap();
    law.create(0, 0);
    law.handle(&ack(0xff_fff0, 0xff_fffe, 0, &[hop(0, 0, 0)]));
    assert!(!see(&mut law, &ack(0xff_fffe, 3, 1, &[hop(1024, 100, 0)])).full);
    assert!(see(&mut law, &ack(1, 4, 2, &[hop(2048, 200, 0)])).full);
    assert_eq!(law.state(0).unwrap().last_update_seq, 4);
}

#[test]
fn more_than_five_hops_use_five_and_count() {
    let mut law: Hpcc = Hpcc::new(params()).unwrap();
    law.create(0, 0);
    let mut event = ack(1, 10, 0, &[hop(0, 0, 0); 5]);
    event.n_hop = 7;
    see(&mut law, &event);
    let mut event = ack(2, 11, 1024, &[hop(1024, 10, 0); 5]);
    event.n_hop = 7;
    event.hops[4].tx_bytes = 100;
    let seen = see(&mut law, &event);
    assert_eq!((seen.winner, law.counters().hops_over_five), (Some(4), 2));
    event.n_hop = 8;
    assert_eq!(see(&mut law, &event).branch, Branch::PathChange);
}

#[test]
fn invalid_speed_code_ignores_the_int_and_counts() {
    let mut law = started(params(), &[hop(0, 0, 0); 2]);
    let before = *law.state(0).unwrap();
    let mut event = ack(11, 20, 1024, &[hop(1024, 100, 0); 2]);
    for code in [0, 9, 15] {
        event.hops[1].speed = code;
        assert_eq!(law.handle(&event), None);
        assert!(law.last().is_none());
    }
    assert_eq!((*law.state(0).unwrap(), law.counters().invalid_speed), (before, 3));
    // A hop that is not in use may hold anything.
    event.hops[1].speed = C100;
    event.hops[4].speed = 0;
    assert!(law.handle(&event).is_some());
}

#[test]
fn late_generations_and_unknown_flows_are_discarded() {
    let mut law = started(params(), &[hop(0, 0, 0)]);
    let event = ack(11, 20, 1024, &[hop(1024, 100, 0)]);
    law.create(0, 1);
    assert_eq!(law.handle(&event), None);
    assert_eq!(law.handle(&CcEvent { flow: 9, ..event }), None);
    assert!(!law.state(0).unwrap().has_records);
    assert!(law.handle(&CcEvent { generation: 1, ..event }).is_some());
    law.remove(0);
    assert_eq!(law.handle(&CcEvent { generation: 1, ..event }), None);
    assert_eq!(law.counters().late, 3);
}

#[test]
fn negative_acknowledgements_count_as_acknowledgements() {
    let mut by_ack = started(params(), &[hop(0, 0, 125)]);
    let mut by_nak = by_ack.clone();
    let event = ack(11, 20, 8192, &[hop(8192, 800, 125)]);
    let nak = CcEvent {
        kind: EventKind::Nak,
        ..event
    };
    assert_eq!(see(&mut by_ack, &event), see(&mut by_nak, &nak));
    assert_eq!(
        by_nak.handle(&CcEvent {
            int_valid: false,
            ..nak
        }),
        None
    );
}

#[test]
fn other_kinds_and_acks_without_int_change_nothing() {
    let mut law = started(params(), &[hop(0, 0, 0)]);
    let before = *law.state(0).unwrap();
    let event = ack(11, 20, 1024, &[hop(1024, 100, 0)]);
    for kind in [EventKind::Cnp, EventKind::Timeout, EventKind::Tick, EventKind::Sent] {
        assert_eq!(law.handle(&CcEvent { kind, ..event }), None);
    }
    assert_eq!(
        law.handle(&CcEvent {
            int_valid: false,
            ..event
        }),
        None
    );
    assert_eq!(*law.state(0).unwrap(), before);
}
