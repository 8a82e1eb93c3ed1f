//! What leaves the law: hand-worked cases.

use super::*;
use crate::cc::powertcp::Signal;

/// The window that leaves is scaled to the base round-trip time of the flow where that is measured, and only there.
#[test]
fn the_window_leaves_at_the_base_of_the_flow() {
    let mut registers = PowerRegisters::new(&PowerParams::paper(Signal::Int, 25_000_000_000, 16_384)).expect("fits");
    let mut state = registers.start();
    assert_eq!(registers.window_out(&state), state.current);
    for (base, parts) in [(16_384, 4), (8_192, 2), (4_096, 1)] {
        state.base_rtt = base;
        registers.mode.smallest_rtt = true;
        // a share of less than one is cut to 34 bits, the product to 11
        let exact = state.current / 4 * parts;
        let cut = u64::from(parts < 4);
        assert!(
            (exact - cut..=exact).contains(&registers.window_out(&state)),
            "{base} ns"
        );
        registers.mode.smallest_rtt = false;
        assert_eq!(registers.window_out(&state), state.current, "{base} ns");
    }
}

/// What a path of one hop says at `now`: so many bytes sent, so many queued.
fn heard(kind: EventKind, now: u64, tx: u32, queue: u16) -> CcEvent {
    let hop = HopRecord {
        speed: 2,
        ts: now as u32,
        tx_bytes: tx,
        q_len: queue,
    };
    CcEvent {
        kind,
        int_valid: true,
        n_hop: 1,
        hops: [hop; MAX_HOPS],
        now,
        ..CcEvent::default()
    }
}

/// Every response to a probe is a full update, in both arithmetics, whatever the sequence numbers say (they stand still here); the law without INT
/// does not hear of it.
#[test]
fn a_probe_is_always_a_full_update() {
    let params = PowerParams::paper(Signal::Int, 25_000_000_000, 16_384);
    let mut golden = crate::cc::powertcp::PowerTcp::new(params.clone()).expect("sound");
    let mut fixed = FixedPower::new(params).expect("fits");
    let mut quiet = FixedPower::new(PowerParams::paper(Signal::Delay, 25_000_000_000, 16_384)).expect("fits");
    for law in [&mut golden as &mut dyn CongestionControl, &mut fixed, &mut quiet] {
        law.create(0, 0);
    }
    let mut tx = 0;
    for step in 0..40u64 {
        tx += 200 + 7 * (step % 5) as u32;
        let event = heard(EventKind::Probe, step * 16_000, tx, (step % 7 * 90) as u16);
        let updates = (golden.handle(&event), fixed.handle(&event));
        assert!(quiet.handle(&event).is_none());
        let (Some(seen), Some(step_fixed)) = (golden.last().copied(), fixed.last().copied()) else {
            panic!("{updates:?}");
        };
        assert_eq!((seen.full, step_fixed.full), (true, true));
        assert!(
            (seen.w / step_fixed.w - 1.0).abs() < 1e-3,
            "{} {}",
            seen.w,
            step_fixed.w
        );
    }
    // an acknowledgement with the same numbers is none
    let event = heard(EventKind::Ack, 41 * 16_000, tx + 100, 0);
    for law in [&mut golden as &mut dyn CongestionControl, &mut fixed] {
        law.handle(&event);
    }
    assert_eq!(
        (golden.last().map(|s| s.full), fixed.last().map(|s| s.full)),
        (Some(false), Some(false))
    );
}
