//! What HPCC++ adds: events of probes, the law at the receiver, the additive step by the number of flows.

use super::*;
use crate::cc::hpcc::{receiver_kind, ReceiverClock};
use proptest::prelude::*;

/// A response moves the reference window whatever its sequence number says; an ACK with the same number does not.
#[test]
fn a_probe_is_always_a_full_update() {
    for (kind, full) in [(EventKind::Probe, true), (EventKind::Ack, false)] {
        let mut law = started(params(), &[hop(0, 0, 0)]);
        let event = CcEvent {
            kind,
            ..ack(1, 20, 8192, &[hop(8192, 800, 125)])
        };
        assert_eq!(see(&mut law, &event).full, full);
    }
}

proptest! {
    /// As many full updates as responses, at golden and at fixed; and the hardware's law agrees with the reference.
    #[test]
    fn every_response_is_one_full_update(gaps in prop::collection::vec((1000u32..20_000, 0u32..200, 0u16..400), 1..40)) {
        let mut golden = started(params(), &[hop(0, 0, 0)]);
        let mut fixed = crate::fixed::FixedHpcc::new(params()).unwrap();
        fixed.create(0, 0);
        fixed.handle(&ack(1, 10, 0, &[hop(0, 0, 0)]));
        let (mut now, mut tx) = (0u32, 0u32);
        for (gap, sent, queue) in gaps {
            now += gap;
            tx += sent;
            let event = CcEvent {
                kind: EventKind::Probe,
                ..ack(0, 0, u64::from(now), &[hop(now, tx, queue)])
            };
            golden.handle(&event);
            fixed.handle(&event);
            prop_assert!(golden.last().unwrap().full && fixed.last().unwrap().full);
            let (a, b) = (golden.last().unwrap().w, fixed.last().unwrap().w);
            prop_assert!((a / b - 1.0).abs() < 1e-3, "{a} {b}");
        }
    }

    /// The law at the receiver with its clock is the law at a sender whose ACKs are newer exactly when more than `T` has passed.
    #[test]
    fn the_receivers_law_is_the_senders(gaps in prop::collection::vec((1u64..9000, 0u32..100, 0u16..300), 1..60)) {
        let t = u64::from(params().base_rtt_ns);
        let mut at_receiver = started(params(), &[hop(0, 0, 0)]);
        let mut at_sender = started(params(), &[hop(0, 0, 0)]);
        let mut clock = ReceiverClock::default();
        clock.packet(0, t);
        let (mut now, mut tx, mut last, mut psn) = (0u64, 0u32, 0u64, 10u32);
        for (gap, sent, queue) in gaps {
            now += gap;
            tx += sent;
            let hops = [hop(now as u32, tx, queue)];
            let full = clock.packet(now, t);
            prop_assert_eq!(full, now > last + t);
            if full {
                last = now;
                psn += 10;
            }
            let remote = CcEvent { kind: receiver_kind(full), ..ack(0, 0, now, &hops) };
            at_receiver.handle(&remote);
            // The sender sends ten packets a round; its ACKs answer the last round's until the first of the next.
            let local = if full { ack(psn - 9, psn, now, &hops) } else { ack(psn - 10, psn, now, &hops) };
            at_sender.handle(&local);
            prop_assert_eq!(at_receiver.last().unwrap(), at_sender.last().unwrap());
        }
    }
}

/// 100 Gb/s, 13 us, N = 100: 81.25 bytes (the paper's 80); at the drafts' 5 us 31.25.
#[test]
fn the_step_depends_on_the_receivers_count() {
    let step = |t: u32, flows: u16| {
        let mut p = HpccParams::new(100_000_000_000, t);
        p.n_aware = true;
        let mut law = Hpcc::new(p).unwrap();
        law.create(0, 0);
        law.handle(&ack(1, 10, 0, &[hop(0, 0, 0)]));
        law.receiver_counts(0, 0, flows, 0);
        let before = law.state(0).unwrap().w;
        law.handle(&ack(11, 20, 8192, &[hop(8192, 800, 125)]));
        let seen = *law.last().unwrap();
        assert_eq!(
            (seen.branch, before),
            (Branch::Multiplicative, law.law().params().w_init)
        );
        seen.w - before * 0.95 / seen.u
    };
    close(step(13_000, 100), 81.25);
    close(step(5_000, 100), 31.25);
    close(step(13_000, 0), 80.0);
}

/// A count holds for eight `T` after the last hop was last the most loaded one, and counts at the last hop only.
#[test]
fn a_count_is_held_for_eight_round_trips() {
    let mut p = params();
    p.n_aware = true;
    p.max_stage = 255;
    let mut law = started(p, &[hop(0, 0, 0), hop(0, 0, 0)]);
    law.receiver_counts(0, 0, 4, 0);
    let fixed = law.law().params().w_ai;
    let counted = law.law().params().w_init * 0.05 / 4.0;
    // Rounds of 8192 ns, longer than T, so that U is u'.
    let step = |law: &mut Hpcc, round: u32, loads: [u32; 2]| {
        let before = law.state(0).unwrap().wc;
        let now = round * 8192;
        let hops = [hop(now, loads[0], 0), hop(now, loads[1], 0)];
        law.handle(&ack(10 * round + 1, 10 * round + 10, u64::from(now), &hops));
        let seen = *law.last().unwrap();
        assert_eq!(seen.branch, Branch::Additive);
        seen.w - before
    };
    law.flows.get_mut(0, 0).unwrap().wc = 1000.0;
    close(step(&mut law, 1, [20, 10]), fixed);
    close(step(&mut law, 2, [30, 30]), counted);
    // The first hop has more load; the count of before is still held.
    close(step(&mut law, 3, [45, 35]), counted);
    law.receiver_counts(0, 0, 0, 0);
    // Confirmed at 16384 ns; eight T later it is 80384.
    close(step(&mut law, 9, [50, 40]), counted);
    close(step(&mut law, 10, [55, 45]), fixed);
}
