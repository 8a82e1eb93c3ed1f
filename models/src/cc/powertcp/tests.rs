//! Rows computed by hand from Algorithms 1 and 2, and the properties of section 3.4 on an ideal fluid link.

use super::*;
use crate::cc::HopRecord;

const LINE: u64 = 100_000_000_000;
/// 10 us at 100 Gb/s: a window of 125 000 bytes.
const TAU: u32 = 10_000;

fn law(params: PowerParams) -> PowerTcp {
    let mut law = PowerTcp::new(params).unwrap();
    law.create(0, 1);
    law
}

/// One hop at 100 Gb/s whose counters are given in their units.
fn ack(now: u64, psn_next: u32, snd_nxt: u32, (ts, tx_bytes, q_len): (u32, u32, u16)) -> CcEvent {
    let mut event = CcEvent {
        generation: 1,
        psn_next,
        snd_nxt,
        int_valid: true,
        n_hop: 1,
        now,
        ..CcEvent::default()
    };
    event.hops[0] = HopRecord {
        speed: 5,
        ts,
        tx_bytes,
        q_len,
    };
    event
}

fn close(got: f64, want: f64) {
    assert!((got - want).abs() <= want.abs() * 1e-12, "got {got}, expected {want}");
}

/// 1000 ns later: 100 units of 128 bytes left (12.8 bytes/ns of 12.5), the queue grew from 0 to 50 units of 80 bytes (4 bytes/ns): lambda
/// is 16.8 bytes/ns, nu 4000 + 125 000 bytes, the power 16.8/12.5 x 129/125 = 1.387008. Smoothed over a tenth of tau: 1.0387008. Both
/// windows are 125 000, beta 1250: w = 0.9 (125 000 / 1.0387008 + 1250) + 12 500.
#[test]
fn one_row_of_algorithm_1_by_hand() {
    let mut law = law(PowerParams::paper(Signal::Int, LINE, TAU));
    law.handle(&ack(20_000, 1, 100, (5_000, 1_000, 0)));
    assert_eq!(law.last().unwrap().branch, PowerBranch::First);
    let update = law.handle(&ack(21_000, 2, 101, (6_000, 1_100, 50))).unwrap();
    let seen = *law.last().unwrap();
    close(seen.norm_power.unwrap(), 1.387008);
    close(seen.power, 1.0387008);
    let w = 0.9 * (125_000.0 / 1.0387008 + 1250.0) + 12_500.0;
    close(update.window, w);
    close(update.rate, w * 8e9 / f64::from(TAU));
    // Within the first round trip the old window is W_init, and so it is in the second: stored was W_init as well.
    assert_eq!((seen.full, seen.old), (false, 125_000.0));
    let end = law.handle(&ack(30_000, 101, 180, (15_000, 2_000, 0))).unwrap();
    assert!(law.last().unwrap().full);
    assert_eq!(
        (law.state(0).unwrap().old, law.state(0).unwrap().stored),
        (125_000.0, end.window)
    );
    law.handle(&ack(40_000, 181, 280, (25_000, 3_000, 0)));
    assert_eq!(law.state(0).unwrap().old, end.window);
}

/// A queue that drains faster than the link sends counts as no current at all; two hops tie and the first one wins; a stamp that does not
/// move leaves its hop out.
#[test]
fn corners_of_the_current() {
    let mut law = law(PowerParams::paper(Signal::Int, LINE, TAU));
    law.handle(&ack(20_000, 1, 100, (5_000, 1_000, 200)));
    law.handle(&ack(21_000, 2, 101, (6_000, 1_010, 0)));
    let seen = *law.last().unwrap();
    assert_eq!((seen.norm_power, seen.power, seen.winner), (Some(0.0), 1.0, None));
    assert_eq!(seen.branch, PowerBranch::Window);
    law.handle(&ack(21_100, 3, 102, (6_000, 1_010, 0)));
    assert_eq!(law.last().unwrap().branch, PowerBranch::NoSample);
    let mut two = ack(21_200, 4, 103, (7_000, 1_110, 0));
    (two.n_hop, two.hops[1]) = (2, two.hops[0]);
    law.handle(&two);
    assert_eq!(law.last().unwrap().branch, PowerBranch::PathChange);
    let mut next = two;
    for hop in &mut next.hops[..2] {
        (hop.ts, hop.tx_bytes) = (7_100, 1_119);
    }
    law.handle(&next);
    assert_eq!(law.last().unwrap().winner, Some(0));
}

/// RTT 12 us, then 13 us half a microsecond later: gradient 2, power 3 x 13/10 = 3.9, smoothed over a twentieth of tau to 1.145; the
/// window moves only when the round trip ends.
#[test]
fn one_row_of_algorithm_2_by_hand() {
    let mut law = law(PowerParams::paper(Signal::Delay, LINE, TAU));
    let timed = |now: u64, rtt: u64, psn_next, snd_nxt| CcEvent {
        generation: 1,
        psn_next,
        snd_nxt,
        sent_at: now - rtt,
        sent_valid: true,
        now,
        ..CcEvent::default()
    };
    law.handle(&timed(20_000, 12_000, 1, 100));
    assert_eq!(law.last().unwrap().branch, PowerBranch::First);
    let update = law.handle(&timed(20_500, 13_000, 2, 101)).unwrap();
    let seen = *law.last().unwrap();
    close(seen.norm_power.unwrap(), 3.9);
    close(seen.power, 1.145);
    assert_eq!((seen.branch, update.window), (PowerBranch::Power, 125_000.0));
    // An acknowledgement of a packet that was not timed says nothing, and the next one is compared with the one before it.
    let mut untimed = timed(20_600, 0, 3, 102);
    untimed.sent_valid = false;
    law.handle(&untimed);
    assert_eq!(law.last().unwrap().branch, PowerBranch::NoSample);
    assert_eq!(law.state(0).unwrap().last_ack_ns, 20_500);
    // The end of the round trip is reached at 100 itself.
    law.handle(&timed(21_000, 13_000, 100, 200));
    let power = (1.145 * 9_500.0 + 1.3 * 500.0) / 10_000.0;
    close(law.last().unwrap().w, 0.9 * (125_000.0 / power + 1250.0) + 12_500.0);
}

/// By the authors' rules an acknowledgement without a round-trip time measures the base, so that the next one sees a steep rise from it. Skipped, the rise is
/// over all the time between two that are timed; where it repeats the last, over the time since it, which then has the smaller weight.
#[test]
fn what_a_missing_round_trip_time_is() {
    let authors = PowerParams::authors(Signal::Delay, LINE, TAU);
    let skipping = PowerParams {
        missing_rtt: MissingRtt::Skipped,
        ..authors.clone()
    };
    let repeating = PowerParams {
        missing_rtt: MissingRtt::Last,
        ..authors.clone()
    };
    // round trips of 9, 9.5 and 10 us at 100, 101 and 102 us; 100 ns before the last an acknowledgement without a time
    for (params, measures, gradient) in [
        (authors, true, 1000.0 / 100.0),
        (skipping, false, 500.0 / 1000.0),
        (repeating, true, 500.0 / 100.0),
    ] {
        let mut law = law(params);
        let event = |now: u64, rtt: Option<u64>| CcEvent {
            generation: 1,
            psn_next: 1,
            snd_nxt: 100,
            sent_at: rtt.map_or(0, |rtt| now - rtt),
            sent_valid: rtt.is_some(),
            now,
            ..CcEvent::default()
        };
        law.handle(&event(100_000, Some(9_000)));
        law.handle(&event(101_000, Some(9_500)));
        law.handle(&event(101_900, None));
        assert_eq!(law.last().unwrap().branch != PowerBranch::NoSample, measures);
        law.handle(&event(102_000, Some(10_000)));
        let norm = (gradient + 1.0) * 10_000.0 / (1.05 * 9_000.0);
        close(law.last().unwrap().norm_power.unwrap(), norm);
    }
}

/// The window when the packet left, from the acknowledgements alone.
#[test]
fn windows_by_packet() {
    let mut params = PowerParams::paper(Signal::Int, LINE, TAU);
    params.old_window = OldWindow::PerPacket;
    let mut law = law(params);
    law.handle(&ack(20_000, 1, 100, (5_000, 1_000, 0)));
    let first = law.handle(&ack(21_000, 2, 102, (6_000, 1_100, 50))).unwrap().window;
    let second = law.handle(&ack(21_100, 3, 103, (6_100, 1_110, 60))).unwrap().window;
    assert!(second < first && first < 125_000.0);
    // Packets up to 101 left under W_init, 102 under the first window.
    let mut state = law.state(0).unwrap().clone();
    assert_eq!(state.window_at_send(&ack(30_000, 102, 150, (0, 0, 0))), 125_000.0);
    assert_eq!(state.window_at_send(&ack(30_000, 103, 150, (0, 0, 0))), first);
    assert_eq!(state.window_at_send(&ack(30_000, 104, 150, (0, 0, 0))), second);
}

/// A NAK has rewound the sender: packets from there on leave again, under the window that holds now, and windows of what was sent beyond are
/// forgotten. Packets 1 to 100 left under the first window, 101 to 200 under 50,000; after the NAK of 120 the rest leaves again under 20,000.
#[test]
fn windows_by_packet_after_a_nak() {
    let mut params = PowerParams::paper(Signal::Int, LINE, TAU);
    params.old_window = OldWindow::PerPacket;
    let mut state = PowerLaw::beyond_hardware(params).unwrap().start();
    let event = |kind, psn_next, snd_nxt| CcEvent {
        kind,
        ..ack(30_000, psn_next, snd_nxt, (0, 0, 0))
    };
    assert_eq!(state.window_at_send(&event(EventKind::Ack, 1, 100)), 125_000.0);
    state.current = 50_000.0;
    assert_eq!(state.window_at_send(&event(EventKind::Ack, 2, 200)), 125_000.0);
    state.current = 30_000.0;
    assert_eq!(state.window_at_send(&event(EventKind::Nak, 120, 120)), 50_000.0);
    state.current = 20_000.0;
    assert_eq!(
        state.window_at_send(&event(EventKind::Ack, 121, 190)),
        20_000.0,
        "sent again"
    );
    assert_eq!(state.window_at_send(&event(EventKind::Ack, 190, 191)), 20_000.0);
}

/// An ideal link of 100 Gb/s that `flows` windows share, one step a base round-trip time: what Theorems 1 to 3 are about. Returns the sum
/// of windows after each step, and the windows at the end.
fn fluid(flows: &[(f64, f64)], gamma: f64, steps: usize) -> (Vec<f64>, Vec<f64>) {
    let bdp = LINE as f64 * f64::from(TAU) / 8e9;
    let laws: Vec<PowerLaw> = flows
        .iter()
        .map(|&(_, beta)| {
            let mut p = PowerParams::paper(Signal::Int, LINE, TAU);
            (p.gamma, p.one_minus_gamma) = (gamma, 1.0 - gamma);
            p.beta = Beta::Flows(bdp / beta);
            p.w_init *= 100.0; // the upper clamp off
            let mut law = PowerLaw::beyond_hardware(p).unwrap();
            law.unit.beta = beta;
            law
        })
        .collect();
    let mut windows: Vec<f64> = flows.iter().map(|&(w, _)| w).collect();
    let mut sums = vec![windows.iter().sum::<f64>()];
    for _ in 0..steps {
        // In a round trip the link is given what the windows hold: power over base power is sum / bdp where a queue stands
        // (Property 1: power is bandwidth times window).
        let power = sums[sums.len() - 1] / bdp;
        for (law, w) in laws.iter().zip(&mut windows) {
            *w = law.window(power, *w, *w);
        }
        sums.push(windows.iter().sum());
    }
    (sums, windows)
}

/// Theorem 1: from any start one equilibrium, `sum of windows = b tau + sum of beta`, so a queue of the sum of beta. Theorem 2: the error
/// shrinks by `1 - gamma` a step. Theorem A: the Lyapunov function decreases along the run. Theorem 3: windows share in proportion to beta.
#[test]
fn the_fluid_properties_hold() {
    let bdp = LINE as f64 * f64::from(TAU) / 8e9;
    for start in [0.1, 1.0, 5.0] {
        let flows = [(start * bdp, 500.0), (0.2 * bdp, 1000.0), (bdp, 1500.0)];
        let (sums, windows) = fluid(&flows, 0.1, 8000);
        let equilibrium = bdp + 3000.0;
        let error: Vec<f64> = sums.iter().map(|sum| sum - equilibrium).collect();
        assert!(error[8000].abs() < 1e-6 * bdp, "start {start}: {}", sums[8000]);
        for step in 1..100 {
            assert!(error[step].abs() < error[step - 1].abs(), "start {start}, step {step}");
            let factor = error[step] / error[step - 1];
            assert!((factor / 0.9 - 1.0).abs() < 0.1, "start {start}, step {step}: {factor}");
        }
        for (window, (_, beta)) in windows.iter().zip(flows) {
            let share = window / sums[8000];
            assert!(
                (share / (beta / 3000.0) - 1.0).abs() < 1e-6,
                "start {start}: share {share}"
            );
        }
    }
}
