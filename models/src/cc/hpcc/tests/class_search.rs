//! The search for the bandwidth of idle classes, by hand.

use super::*;

/// 100 Gb/s line, guarantee 50 Gb/s (code 4), `T` 8 us: `W_init` 100 000 bytes.
fn searching() -> Hpcc {
    let mut p = HpccParams::new(100_000_000_000, 8_000);
    p.class_search = true;
    Hpcc::new(p).unwrap()
}

/// Three records a round trip apart: a rate of `units` of 128 bytes in 8 us, and a queue.
fn run(units: u32, q_len: u16) -> (f64, f64) {
    let mut law = searching();
    law.create(0, 0);
    let mut last = None;
    for round in 0..3u32 {
        let mut event = CcEvent {
            psn_next: round * 100 + 1,
            snd_nxt: round * 100 + 100,
            int_valid: true,
            n_hop: 1,
            now: u64::from(round) * 8_000 + 8_000,
            ..CcEvent::default()
        };
        event.hops[0] = HopRecord {
            speed: 4,
            ts: round * 8_000,
            tx_bytes: round * units,
            q_len,
        };
        last = law.handle(&event);
    }
    (last.unwrap().window, law.state(0).unwrap().class_rate)
}

#[test]
fn goes_half_way_up_while_other_classes_are_idle() {
    // 586 units of 128 bytes in 8 us are 75 Gb/s: 1.5 of the guarantee. From W_init half way to W_init is W_init.
    let (window, rate) = run(586, 0);
    assert!((rate - 1.5).abs() < 1e-3, "{rate}");
    assert!((window - 100_000.0).abs() < 1e-6, "{window}");
}

#[test]
fn goes_half_way_back_to_the_guarantee_when_they_are_not() {
    // The guarantee's window is 50 000 bytes: 75 000 after one update, 62 500 after two.
    let (window, _) = run(586, 10);
    assert!((window - 62_500.0).abs() < 1e-6, "{window}");
}

#[test]
fn below_the_guarantee_the_law_is_as_always() {
    // 312 units are 39.9 Gb/s, U = 0.8: the additive step, which ends at W_init.
    let (window, rate) = run(312, 0);
    assert!(rate < 1.0 && (window - 100_000.0).abs() < 1e-6, "{rate} {window}");
    let refused = HpccParams {
        class_search: true,
        fairness: Fairness::Alpha(1.0),
        ..HpccParams::new(100_000_000_000, 8_000)
    };
    assert_eq!(refused.validate().unwrap_err().field, "class_search");
}
