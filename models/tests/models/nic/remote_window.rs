//! A sender whose window its receiver computes (HPCC++, draft-miao-ccwg-hpcc 6.3.2): which windows it takes, what it makes of them, and what a receiver that
//! lies can do.

use super::bench::*;
use hpcc_models::cc::hpcc::{Hpcc, HpccParams};
use hpcc_models::cc::Carrier;
use hpcc_models::fixed::formats::Window;
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use proptest::prelude::*;
use Operation::Write;

const T_NS: u32 = 13_000;
const RX: Carrier = Carrier::Receiver { after_queue: false };

fn params() -> HpccParams {
    HpccParams::new(100_000_000_000, T_NS)
}

/// A sender under HPCC that follows its receiver.
fn sender() -> Bench {
    let config = NicConfig {
        feedback: FeedbackConfig {
            carrier: RX,
            ack_every: 16,
            round_trip_ns: T_NS,
            ..FeedbackConfig::default()
        },
        ..nic_config()
    };
    let mut bench = Bench::with(config, 0, true);
    bench.nic.remove_qp(0, QPN);
    bench.nic.add_law(1, Box::new(Hpcc::<f64>::new(params()).unwrap()));
    bench.nic.create_qp(qp_config(0, true)).unwrap();
    bench
}

fn tell(bench: &mut Bench, sequence: u32, window: Window) {
    let told = NotificationRepr {
        window: Some(window),
        flows: None,
        sequence,
    };
    bench.receive(
        BthRepr::new(Opcode::Notification, QPN, 0),
        Extension::None,
        &told.emit(),
    );
}

/// Packets in flight under a window told by the receiver. The least is `W_min`, `R_min T`: 162.5 bytes, one packet.
#[test]
fn the_sender_follows_the_window() {
    for (window, packets) in [(1.0, 1), (1281.0, 6), (20_480.0, 80)] {
        let mut bench = sender();
        tell(&mut bench, 1, Window::from_num(window));
        bench.post(1, Write, 0, 60_000);
        assert_eq!(bench.run_until(90_000).len(), packets, "{window}");
    }
    // at R_min, 0.1 Gb/s, the next packet of 380 bytes leaves after 30.4 us
    let mut bench = sender();
    tell(&mut bench, 1, Window::from_num(1));
    bench.post(1, Write, 0, 60_000);
    for psn in 0..5 {
        assert_eq!(psns(&bench.run_until(32_000 * u64::from(psn + 1))), [psn]);
        bench.ack(psn);
    }
}

/// An older one than the last taken does nothing; neither do ACKs, which say nothing about the path.
#[test]
fn old_windows_are_stale() {
    let mut bench = sender();
    tell(&mut bench, 7, Window::from_num(1000));
    tell(&mut bench, 6, Window::from_num(100_000));
    tell(&mut bench, 7, Window::from_num(100_000));
    assert_eq!(bench.nic.feedback_counters().notify_stale, 2);
    bench.post(1, Write, 0, 60_000);
    assert_eq!(bench.run_until(90_000).len(), 4, "1000 bytes: four packets of 256");
    bench.ack(0);
    assert_eq!(bench.run_until(91_000).len(), 1);
}

/// For eight `T` nothing is heard while data is in flight: the window stays, a counter moves.
#[test]
fn silence_is_counted() {
    let mut bench = sender();
    tell(&mut bench, 1, Window::from_num(20_000));
    bench.post(1, Write, 0, 60_000);
    let mut next = 0;
    while bench.now < 3 * 8 * u64::from(T_NS) {
        let until = bench.now + 5000;
        bench.run_until(until);
        bench.ack(next);
        next += 1;
    }
    assert_eq!(bench.nic.feedback_counters().notify_missing, 2);
}

/// A flow that had nothing in flight for long has not missed anything.
#[test]
fn a_pause_is_no_silence() {
    let mut bench = sender();
    let quiet = 20 * u64::from(T_NS);
    for round in 0..3 {
        bench.post(round, Write, 0, 4 * MTU as u64);
        bench.run_until(bench.now + 5000);
        bench.ack(4 * round as u32 + 3);
        assert_eq!(bench.done(), [(round, Status::Ok)]);
        bench.run_until(bench.now + quiet);
    }
    assert_eq!(bench.nic.feedback_counters().notify_missing, 0);
}

/// What was heard of ends a silence: none is counted while windows come every seven `T`.
#[test]
fn a_window_ends_the_silence() {
    let mut bench = sender();
    bench.post(1, Write, 0, 60_000);
    for round in 1..8 {
        tell(&mut bench, round, Window::from_num(1000));
        bench.run_until(bench.now + 7 * u64::from(T_NS));
        bench.ack(round);
    }
    assert_eq!(bench.nic.feedback_counters().notify_missing, 0);
}

/// Neither the window of a law at the receiver nor a number of flows counts at a sender whose registers do not ask for it.
#[test]
fn nobody_follows_unasked() {
    let params = params();
    for (carrier, count_flows) in [(RX, false), (Carrier::Ack, true)] {
        let config = NicConfig {
            feedback: FeedbackConfig {
                carrier,
                count_flows,
                round_trip_ns: T_NS,
                ..FeedbackConfig::default()
            },
            ..nic_config()
        };
        let law = Recorder {
            window: 1e5,
            rate: 1e11,
            ..Recorder::default()
        };
        let told = law.told.clone();
        let mut bench = Bench::with(config, 0, true);
        bench.nic.remove_qp(0, QPN);
        bench.nic.add_law(1, Box::new(law));
        bench.nic.create_qp(qp_config(0, true)).unwrap();
        let both = NotificationRepr {
            window: Some(Window::from_num(params.w_min())),
            flows: Some(9),
            sequence: 1,
        };
        let bth = BthRepr::new(Opcode::Notification, QPN, 0);
        bench.receive(bth, Extension::None, &both.emit());
        let expected = if count_flows {
            Told::Flows(9, bench.now)
        } else {
            Told::Window(params.w_min())
        };
        assert_eq!(*told.borrow(), [expected]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever windows a receiver tells, whatever numbers they have, in any order: the window stays within `[W_min, W_init]`, nothing is acknowledged,
    /// and no flow but its own moves.
    #[test]
    fn a_lying_receiver_moves_its_own_window_within_its_range(told in prop::collection::vec((any::<u32>(), any::<u64>(), any::<[u8; 2]>()), 1..30)) {
        let mut bench = sender();
        let other = QpConfig { qpn: QPN + 1, ..qp_config(0, true) };
        bench.nic.create_qp(other).unwrap();
        // more than W_init, which is two whole messages of 235 packets and 167 packets of the third
        for id in 0..4 {
            bench.post(id, Write, 0, 60_000);
        }
        for (sequence, window, flags) in told {
            let mut payload = NotificationRepr {
                window: Some(Window::from_bits(window)),
                flows: Some(3),
                sequence,
            }
            .emit();
            payload[..2].copy_from_slice(&flags);
            bench.receive(BthRepr::new(Opcode::Notification, QPN, 0), Extension::None, &payload);
        }
        // at most W_init in flight, at least a packet
        let sent = bench.run_until(bench.now + 90_000);
        let least = params().w_min() / MTU as f64;
        prop_assert!(sent.len() as f64 >= least && !sent.is_empty() && sent.len() <= 637, "{}", sent.len());
        prop_assert!(bench.done().is_empty());
        bench.post_on(QPN + 1, 9, Write, 0, 60_000);
        let sent = bench.run_until(bench.now + 9000);
        let whole = sent.iter().filter(|sent| sent.opcode != Opcode::Acknowledge).count();
        prop_assert!(whole >= 235, "the other flow still has its first window: {}", whole);
    }
}
