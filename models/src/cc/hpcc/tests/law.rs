//! Start, first ACK, averages, branches, clamps.

use super::*;

#[test]
fn starts_with_the_full_window_at_line_rate() {
    let mut law: Hpcc = Hpcc::new(params()).unwrap();
    let first = law.create(3, 7);
    assert_eq!(
        first,
        Update {
            flow: 3,
            generation: 7,
            window: 100_000.0,
            rate: 1e11
        }
    );
    let state = law.state(3).unwrap();
    assert_eq!(
        (state.u, state.wc, state.inc_stage, state.has_records),
        (1.0, 100_000.0, 0, false)
    );
}

#[test]
fn default_first_window_is_line_rate_times_base_rtt() {
    assert_eq!(HpccParams::new(25 * G, 9000).w_init, 28_125.0);
    assert_eq!(params().t_w_ns(), 8000.0);
}

#[test]
fn rate_is_window_over_its_own_time() {
    // W_init 50 000 bytes on 100 Gb/s: T_W = 4000 ns although T = 8000 ns. 25 000 bytes in 4000 ns are 50 Gb/s.
    let law: HpccLaw<f64> = HpccLaw::new(HpccParams {
        w_init: 50_000.0,
        ..params()
    })
    .unwrap();
    close(law.rate(25_000.0), 5e10);
}

#[test]
fn first_ack_stores_records_and_nothing_else() {
    let mut law: Hpcc = Hpcc::new(params()).unwrap();
    law.create(0, 0);
    let seen = see(&mut law, &ack(5, 12, 77, &[hop(100, 200, 300)]));
    assert_eq!(
        (seen.branch, seen.full, seen.u, seen.w, seen.wc),
        (Branch::First, false, 1.0, 1e5, 1e5)
    );
    let state = law.state(0).unwrap();
    assert_eq!((state.last_update_seq, state.n_hop, state.last_ack_ns), (12, 1, 77));
    assert_eq!(
        state.links[0],
        Link {
            speed: C100,
            ts: 100,
            tx_bytes: 200,
            q_len: 300
        }
    );
}

#[test]
fn average_and_additive_branch() {
    let mut law = started(params(), &[hop(0, 0, 0)]);
    // dts 2048 ns, 100 units: u' = 0.5; tau/T = 0.256; U = 0.744 + 0.128 = 0.872, below eta.
    let seen = see(&mut law, &ack(2, 11, 2048, &[hop(2048, 100, 0)]));
    close(seen.u, 0.872);
    assert_eq!(
        (seen.branch, seen.full, seen.tau_ns, seen.winner),
        (Branch::Additive, false, 2048, Some(0))
    );
    // 2 is not after lastUpdateSeq 10: the window moves from Wc, Wc does not. W_init is the upper clamp.
    assert_eq!((seen.w, seen.wc, seen.inc_stage), (100_000.0, 100_000.0, 0));
}

#[test]
fn multiplicative_branch_and_reference_window() {
    let mut law = started(params(), &[hop(0, 0, 250)]);
    // dts = T: U = u' = 1 (781.25 units would be exact; 8192 ns and 800 units are) + queue min(250, 125) -> 0.1.
    let seen = see(&mut law, &ack(2, 11, 8192, &[hop(8192, 800, 125)]));
    close(seen.u, 1.1);
    assert_eq!(
        (seen.branch, seen.full, seen.tau_ns),
        (Branch::Multiplicative, false, 8000)
    );
    // W = 100000 * 0.95 / 1.1 + 80
    close(seen.w, 86_443.636_363_636);
    assert_eq!((seen.wc, law.state(0).unwrap().last_update_seq), (100_000.0, 10));
    // 11 is after 10: now Wc follows, lastUpdateSeq becomes snd_nxt. Queue min(125, 500) = 125 again.
    let seen = see(&mut law, &ack(11, 20, 16384, &[hop(16384, 1600, 500)]));
    assert!(seen.full);
    close(seen.w, 86_443.636_363_636);
    close(seen.wc, 86_443.636_363_636);
    assert_eq!(law.state(0).unwrap().last_update_seq, 20);
    // The next one within the round trip starts from the same Wc: 86443.63 * 0.95 / 1.1 + 80.
    let seen = see(&mut law, &ack(12, 21, 24576, &[hop(24576, 2400, 125)]));
    close(seen.w, 74_735.867_768_595);
    close(seen.wc, 86_443.636_363_636);
}

#[test]
fn records_move_on_every_ack_also_within_a_round_trip() {
    let mut law = started(params(), &[hop(0, 0, 0)]);
    see(&mut law, &ack(2, 11, 1024, &[hop(1024, 100, 9)]));
    assert_eq!(
        law.state(0).unwrap().links[0],
        Link {
            speed: C100,
            ts: 1024,
            tx_bytes: 100,
            q_len: 9
        }
    );
}

#[test]
fn five_additive_rounds_then_a_multiplicative_one() {
    let p = HpccParams {
        w_init: 100_000.0,
        ..params()
    };
    let mut law = started(p, &[hop(0, 0, 0)]);
    // First bring W down: U = 1.9 with a queue of 1125 units would need two ACKs; take a busy link at 8192 ns, q = 1125.
    let mut ts = 8192;
    see(&mut law, &ack(2, 11, 8192, &[hop(ts, 800, 1125)]));
    ts += 8192;
    let down = see(&mut law, &ack(11, 20, 16384, &[hop(ts, 1600, 1125)]));
    close(down.u, 1.9);
    close(down.wc, 50_080.0); // 100000 * 0.95 / 1.9 + 80
                              // Half-loaded link from here on: U = 0.5 at once, five rounds of + 80 bytes, stages 1 to 5.
    for round in 1..=5u32 {
        ts += 8192;
        let event = ack(
            20 + round * 10 - 9,
            20 + round * 10,
            u64::from(ts),
            &[hop(ts, 1600 + 400 * round, 0)],
        );
        let seen = see(&mut law, &event);
        assert_eq!(
            (seen.branch, seen.full, seen.inc_stage),
            (Branch::Additive, true, round as u8)
        );
        close(seen.u, 0.5);
        close(seen.w, 50_080.0 + 80.0 * f64::from(round));
    }
    // Sixth: incStage 5 >= maxStage 5, W = 50480 * 0.95 / 0.5 + 80.
    ts += 8192;
    let seen = see(&mut law, &ack(71, 90, u64::from(ts), &[hop(ts, 4000, 0)]));
    assert_eq!((seen.branch, seen.inc_stage), (Branch::Multiplicative, 0));
    close(seen.w, 95_992.0);
}

#[test]
fn max_stage_zero_is_always_multiplicative() {
    let mut law = started(
        HpccParams {
            max_stage: 0,
            ..params()
        },
        &[hop(0, 0, 0)],
    );
    let seen = see(&mut law, &ack(11, 20, 8192, &[hop(8192, 720, 0)]));
    assert_eq!(seen.branch, Branch::Multiplicative);
    close(seen.u, 0.9);
    assert_eq!(seen.w, 100_000.0); // 105 555 clamped
}

#[test]
fn multiplicative_branch_is_inclusive() {
    // eta = 0.5 and U = 0.5 exactly: 400 units in 8192 ns.
    let mut law = started(HpccParams { eta: 0.5, ..params() }, &[hop(0, 0, 0)]);
    let seen = see(&mut law, &ack(11, 20, 8192, &[hop(8192, 400, 0)]));
    assert_eq!((seen.u, seen.branch), (0.5, Branch::Multiplicative));
}

#[test]
fn no_hop_above_zero_leaves_the_average_and_computes_the_window() {
    let mut law = started(params(), &[hop(0, 0, 0)]);
    let seen = see(&mut law, &ack(11, 20, 1000, &[hop(1000, 0, 0)]));
    assert_eq!((seen.u, seen.winner, seen.tau_ns), (1.0, None, 0));
    assert_eq!(seen.hop_u[0], Some(0.0));
    // U = 1 still: multiplicative, 100000 * 0.95 + 80, a full update.
    assert_eq!((seen.branch, seen.full), (Branch::Multiplicative, true));
    close(seen.w, 95_080.0);
}

#[test]
fn path_without_hops_computes_the_window_from_the_average() {
    let mut law = started(params(), &[]);
    let seen = see(&mut law, &ack(11, 20, 1000, &[]));
    close(seen.w, 95_080.0);
    assert_eq!((seen.u, seen.branch), (1.0, Branch::Multiplicative));
}

#[test]
fn largest_hop_decides_and_the_first_on_ties() {
    let start = [hop(0, 0, 0); 3];
    let mut law = started(params(), &start);
    // Hops 1 and 2 both full, but over 1024 and 2048 ns: the first of the two gives tau.
    let seen = see(
        &mut law,
        &ack(2, 11, 2048, &[hop(1024, 50, 0), hop(1024, 100, 0), hop(2048, 200, 0)]),
    );
    assert_eq!(seen.hop_u, [Some(0.5), Some(1.0), Some(1.0), None, None]);
    assert_eq!((seen.winner, seen.tau_ns), (Some(1), 1024));
}

#[test]
fn one_step_may_be_forced_to_a_hop() {
    let start = [hop(0, 0, 0); 2];
    let law = started(params(), &start);
    let mut state = *law.state(0).unwrap();
    let options = StepOptions {
        forced_hop: Some(1),
        ..Default::default()
    };
    let event = ack(2, 11, 2048, &[hop(1024, 100, 0), hop(2048, 100, 0)]);
    let seen = law.law().step(&mut state, &event, &options);
    assert_eq!((seen.winner, seen.tau_ns), (Some(1), 2048));
    close(seen.u, 0.872);
    // The law's own flow has not moved.
    assert_eq!(law.state(0).unwrap().u, 1.0);
}

#[test]
fn window_stays_between_its_bounds() {
    // R_min 100 Mb/s of 100 Gb/s: W_min = 100 bytes. 65535 units of queue make U = 52.4 + 1.
    let mut law = started(params(), &[hop(0, 0, u16::MAX)]);
    let mut w = 1e9;
    for round in 1..=4u32 {
        let (ts, psn) = (8192 * round, 10 * round + 1);
        let seen = see(
            &mut law,
            &ack(psn, psn + 9, u64::from(ts), &[hop(ts, 800 * round, u16::MAX)]),
        );
        close(seen.u, 53.428);
        assert!(seen.w <= w);
        w = seen.w;
    }
    // 100000 -> 1858.1 -> 113.04 -> 100 (82.0 clamped): W_AI alone is 80 bytes.
    assert_eq!((w, law.law().params().w_min()), (100.0, 100.0));
    assert_eq!(
        HpccParams {
            min_rate: 0,
            ..params()
        }
        .w_min(),
        1.0
    );
}

#[test]
fn zero_average_with_a_due_multiplicative_round_gives_the_largest_window() {
    let law = started(
        HpccParams {
            max_stage: 0,
            ..params()
        },
        &[hop(0, 0, 0)],
    );
    let mut state = FlowState {
        u: 0.0,
        wc: 500.0,
        ..*law.state(0).unwrap()
    };
    let seen = law
        .law()
        .step(&mut state, &ack(11, 20, 9, &[hop(9, 0, 0)]), &StepOptions::default());
    assert_eq!((seen.w, seen.branch), (100_000.0, Branch::Multiplicative));
}

#[test]
fn additive_step_keeps_fractions_of_a_byte() {
    let mut law = started(
        HpccParams {
            w_ai: 25.125,
            ..params()
        },
        &[hop(0, 0, 125)],
    );
    let seen = see(&mut law, &ack(11, 20, 8192, &[hop(8192, 800, 125)]));
    close(seen.w, 100_000.0 * 0.95 / 1.1 + 25.125);
}

#[test]
fn single_precision_follows_double() {
    let mut single: Hpcc<f32> = Hpcc::new(params()).unwrap();
    let mut double = started(params(), &[hop(0, 0, 250)]);
    single.create(0, 0);
    single.handle(&ack(1, 10, 0, &[hop(0, 0, 250)]));
    let event = ack(11, 20, 8192, &[hop(8192, 800, 125)]);
    let (a, b) = (single.handle(&event).unwrap(), double.handle(&event).unwrap());
    assert!((a.window / b.window - 1.0).abs() < 1e-6, "{a:?} {b:?}");
}
