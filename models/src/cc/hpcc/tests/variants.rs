//! Reactions, rate signals, fairness, units, queue time, parameter ranges.

use super::*;

#[test]
fn per_ack_reaction_moves_the_reference_window_on_every_ack() {
    let mut law = started(
        HpccParams {
            reaction: Reaction::PerAck,
            ..params()
        },
        &[hop(0, 0, 125)],
    );
    for (i, want) in [(1u32, 86_443.636_363_636), (2, 74_735.867_768_595)] {
        let ts = 8192 * i;
        let seen = see(&mut law, &ack(1 + i, 11, u64::from(ts), &[hop(ts, 800 * i, 125)]));
        assert!(seen.full);
        close(seen.wc, want);
        close(seen.w, want);
    }
    assert_eq!(law.state(0).unwrap().last_update_seq, 11);
}

#[test]
fn per_rtt_reaction_ignores_acks_within_the_round_trip() {
    let mut law = started(
        HpccParams {
            reaction: Reaction::PerRtt,
            ..params()
        },
        &[hop(0, 0, 125)],
    );
    let before = *law.state(0).unwrap();
    let seen = see(&mut law, &ack(10, 15, 4096, &[hop(4096, 400, 9000); 2]));
    assert_eq!((seen.branch, seen.full), (Branch::Unchanged, false));
    assert_eq!(*law.state(0).unwrap(), before);
    // The next one sees the time since the record: 16384 ns, 1600 units.
    let seen = see(&mut law, &ack(11, 20, 16384, &[hop(16384, 1600, 125)]));
    assert!(seen.full);
    close(seen.u, 1.1);
    close(seen.wc, 86_443.636_363_636);
}

#[test]
fn receive_rate_adds_the_growth_of_the_queue() {
    // dts 1024 ns at 100 bits/ns: 102400 bits; 80 units of growth are 51200 bits: u' rises by 0.5, by min(q) 20 -> 0.016.
    let p = HpccParams {
        rate_signal: RateSignal::RxRate,
        ..params()
    };
    let mut law = started(p, &[hop(0, 0, 20)]);
    let seen = see(&mut law, &ack(2, 11, 1024, &[hop(1024, 100, 100)]));
    close(seen.hop_u[0].unwrap(), 1.516);
    // A shrinking queue takes away: 100 -> 20 units.
    let seen = see(&mut law, &ack(3, 11, 2048, &[hop(2048, 200, 20)]));
    close(seen.hop_u[0].unwrap(), 0.516);
    // Below zero it does not win, and the average stays.
    let u = seen.u;
    see(&mut law, &ack(4, 11, 3072, &[hop(3072, 300, 1000)]));
    let u2 = law.last().unwrap().u;
    let seen = see(&mut law, &ack(5, 11, 4096, &[hop(4096, 300, 0)]));
    assert!(seen.hop_u[0].unwrap() < 0.0);
    assert_eq!((seen.winner, seen.u), (None, u2));
    assert_ne!(u, u2);
}

#[test]
fn int_multiplier_scales_both_units() {
    let mut law = started(
        HpccParams {
            int_multi: 4,
            ..params()
        },
        &[hop(0, 0, 125)],
    );
    // 25 units of 512 bytes in 1024 ns: full. 125 units of 320 bytes: 0.4.
    let seen = see(&mut law, &ack(2, 11, 1024, &[hop(1024, 25, 125)]));
    close(seen.hop_u[0].unwrap(), 1.4);
}

#[test]
fn queue_term_uses_the_time_of_the_window_not_the_base_rtt() {
    // W_init 50 000 bytes: T_W = 4000 ns, so 125 units of queue count 0.2; the average still uses T = 8000 ns.
    let mut law = started(
        HpccParams {
            w_init: 50_000.0,
            ..params()
        },
        &[hop(0, 0, 125)],
    );
    let seen = see(&mut law, &ack(2, 11, 4096, &[hop(4096, 400, 125)]));
    close(seen.hop_u[0].unwrap(), 1.2);
    close(seen.u, 1.0 + 0.2 * 4096.0 / 8000.0);
}

#[test]
fn port_speed_comes_from_the_ack_and_the_table() {
    // 50 units in 1024 ns on a 50 Gb/s port (code 4): full; a table entry of our own at code 12.
    let mut p = params();
    p.port_speeds[12] = 25 * G;
    let start = [
        HopRecord {
            speed: 4,
            ..hop(0, 0, 0)
        },
        HopRecord {
            speed: 12,
            ..hop(0, 0, 0)
        },
    ];
    let mut law = started(p, &start);
    let next = [
        HopRecord {
            speed: 4,
            ..hop(1024, 50, 0)
        },
        HopRecord {
            speed: 12,
            ..hop(1024, 50, 0)
        },
    ];
    let seen = see(&mut law, &ack(2, 11, 1024, &next));
    assert_eq!((seen.hop_u[0], seen.hop_u[1]), (Some(1.0), Some(2.0)));
}

#[test]
fn alpha_fair_of_one_hop_is_algorithm_1() {
    let mut fair = started(
        HpccParams {
            fairness: Fairness::Alpha(2.0),
            ..params()
        },
        &[hop(0, 0, 125)],
    );
    let mut plain = started(params(), &[hop(0, 0, 125)]);
    for i in 1..40u32 {
        let (ts, tx) = (8192 * i, if i < 12 { 800 * i } else { 9600 + 300 * (i - 12) });
        let event = ack(10 * i + 1, 10 * i + 10, u64::from(ts), &[hop(ts, tx, 125)]);
        let (a, b) = (see(&mut fair, &event), see(&mut plain, &event));
        close(a.w, b.w);
        close(a.u, b.u);
        assert_eq!((a.branch, a.inc_stage), (b.branch, b.inc_stage));
    }
}

#[test]
fn alpha_fair_joins_the_registers_of_the_hops() {
    // alpha = 1, two hops: registers start at 2 W_init so that W = W_init. dts = T on both, u' = 1.9 and 0.95.
    let p = HpccParams {
        fairness: Fairness::Alpha(1.0),
        w_ai: 0.0,
        ..params()
    };
    let mut law = started(p, &[hop(0, 0, 1125), hop(0, 0, 0)]);
    assert_eq!(law.last().unwrap().w, 100_000.0);
    let seen = see(&mut law, &ack(11, 20, 8192, &[hop(8192, 800, 1125), hop(8192, 760, 0)]));
    // 200000 / 2 and 200000 / 1: W = 1 / (1/100000 + 1/200000).
    close(seen.w, 66_666.666_666_667);
    close(seen.wc, 66_666.666_666_667);
    close(seen.u, 1.9);
    let state = law.state(0).unwrap();
    close(state.registers[0].wc, 100_000.0);
    close(state.registers[1].wc, 200_000.0);
    // A large alpha approaches the smallest register: max-min.
    let p = HpccParams {
        fairness: Fairness::Alpha(60.0),
        w_ai: 0.0,
        ..params()
    };
    let mut law = started(p, &[hop(0, 0, 1125), hop(0, 0, 0)]);
    let seen = see(&mut law, &ack(11, 20, 8192, &[hop(8192, 800, 1125), hop(8192, 760, 0)]));
    assert!((seen.w / 50_000.0 - 1.0).abs() < 0.02, "{}", seen.w);
}

#[test]
fn parameters_out_of_range_are_refused_by_name() {
    let refused = |change: fn(&mut HpccParams)| {
        let mut p = params();
        change(&mut p);
        p.validate().unwrap_err().field
    };
    assert_eq!(refused(|p| p.line_rate = 0), "line_rate");
    assert_eq!(refused(|p| p.line_rate = 801 * G), "line_rate");
    assert_eq!(refused(|p| p.base_rtt_ns = 999), "base_rtt_ns");
    assert_eq!(refused(|p| p.base_rtt_ns = 100_001), "base_rtt_ns");
    assert_eq!(
        refused(|p| (p.line_rate, p.base_rtt_ns) = (800 * G, 42_000)),
        "base_rtt_ns"
    );
    assert_eq!(refused(|p| p.w_init = 4_194_305.0), "w_init");
    assert_eq!(refused(|p| p.w_init = f64::NAN), "w_init");
    assert_eq!(refused(|p| p.eta = 0.0), "eta");
    assert_eq!(refused(|p| p.eta = 1.01), "eta");
    assert_eq!(refused(|p| p.w_ai = -1.0), "w_ai");
    assert_eq!(refused(|p| p.min_rate = 101 * G), "min_rate");
    assert_eq!(refused(|p| p.int_multi = 0), "int_multi");
    assert_eq!(refused(|p| p.port_speeds[9] = 900 * G), "port_speeds");
    assert_eq!(refused(|p| p.stale_limit_ns = 0), "stale_limit_ns");
    assert_eq!(refused(|p| p.fairness = Fairness::Alpha(0.0)), "fairness");
    let error = HpccParams { eta: 2.0, ..params() }.validate().unwrap_err();
    assert_eq!(error.to_string(), "eta: expected above 0 and at most 1, got 2");
    assert!(HpccParams::new(800 * G, 41_900).validate().is_ok());
}
