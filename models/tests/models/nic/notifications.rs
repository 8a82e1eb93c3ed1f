//! INT in packets of its own (HPCC++, draft-miao-ccwg-hpcc 6.2.2.2): one for each data packet that has some; acknowledgements are plain, and what is no
//! acknowledgement acknowledges nothing.

use super::bench::*;
use super::trust::{echo, stack, two_peers_with, Windows, HONEST_QPN};
use hpcc_models::cc::{Carrier, EventKind};
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use proptest::prelude::*;
use Operation::Write;
use Position::{First, Last};

fn config(ack_every: u8, acknowledging: bool) -> NicConfig {
    NicConfig {
        feedback: FeedbackConfig {
            carrier: Carrier::Notification,
            ack_every,
            notifications_acknowledge: acknowledging,
            round_trip_ns: 5000,
            ..FeedbackConfig::default()
        },
        window: 1e6,
        ..nic_config()
    }
}

fn int(mark: u8) -> Vec<u8> {
    vec![0x15, 0x55, 0x50, 0, 0, mark, 0, 0, 0, mark]
}

/// Packet `psn` of a message of 40 packets.
fn data(bench: &mut Bench, psn: u32, int: &[u8]) {
    bench.collecting_write(QPN, psn, 40 * MTU as u32, int);
}

fn seen(sent: &[Sent]) -> Vec<(Opcode, u32, Vec<u8>)> {
    sent.iter()
        .map(|sent| (sent.opcode, sent.psn, sent.int.clone()))
        .collect()
}

/// In order, out of order, twice: each packet with INT has its notification under its own PSN; ACK and NAK have none.
#[test]
fn every_packet_with_int_is_notified() {
    let mut bench = Bench::with(config(1, false), 0, true);
    let none = || INT_EMPTY.to_vec();
    data(&mut bench, 0, &int(1));
    data(&mut bench, 1, &INT_EMPTY);
    data(&mut bench, 3, &int(3));
    data(&mut bench, 0, &int(4));
    let sent = seen(&bench.run());
    assert_eq!(
        sent,
        [
            (Opcode::ProbeResponse, 0, int(1)),
            (Opcode::ProbeResponse, 3, int(3)),
            (Opcode::ProbeResponse, 0, int(4)),
            (Opcode::Acknowledge, 0, none()),
            (Opcode::Acknowledge, 1, none()),
            (Opcode::Acknowledge, 2, none()),
            (Opcode::Acknowledge, 1, none()),
        ]
    );
    assert_eq!(bench.nic.feedback_counters().notifications_sent, 3);
    // with fewer acknowledgements as many notifications
    let mut bench = Bench::with(config(8, false), 0, true);
    for psn in 0..6 {
        data(&mut bench, psn, &int(psn as u8));
    }
    let sent = seen(&bench.run());
    let notified = (0..6).map(|psn| (Opcode::ProbeResponse, psn, int(psn as u8)));
    let expected: Vec<_> = notified.chain([(Opcode::Acknowledge, 5, none())]).collect();
    assert_eq!(sent, expected);
}

/// The bytes of section 5's response, which a notification is but for its number.
#[test]
fn the_bytes_of_a_notification() {
    let stack = [
        0x2b, 0x9f, 0x56, 0x1c, 0x4f, 0x14, 0x68, 0xac, 0x01, 0x40, 0x76, 0x1c, 0xde, 0xdf, 0xdb, 0x97, 0x00, 0x02,
    ];
    let mut bench = Bench::with(config(1, false), 0x100, true);
    let reth = Extension::Reth(RethRepr {
        address: BASE,
        key: KEY,
        length: 4,
    });
    let bth = BthRepr::new(Opcode::Write(Position::Only), QPN, 0x100);
    bench.receive_with_int(bth, reth, &[1, 2, 3, 4], &stack);
    let frame = bench.nic.poll(0).remove(0);
    // from UDP's length on: 42 bytes, no checksum, INT, BTH (MigReq is set), to queue pair 0x11
    let mut expected = vec![0x00, 0x2a, 0x00, 0x00];
    expected.extend(stack);
    expected.extend([0xd3, 0x40, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0, 0x01, 0x00]);
    assert_eq!(frame[38..frame.len() - 4], expected);
    assert_eq!(frame[36..38], 54792u16.to_be_bytes());
}

fn notified(bench: &mut Bench, psn: u32) {
    bench.receive_with_int(
        BthRepr::new(Opcode::ProbeResponse, QPN, psn),
        Extension::None,
        &[],
        &int(psn as u8),
    );
}

/// The law hears of each outstanding packet as of an acknowledgement without bytes; `snd_una` stands still, and a lost packet is repeated.
#[test]
fn a_notification_moves_nothing() {
    let mut bench = Bench::with(config(16, false), 0, true);
    bench.post(1, Write, 0, 10 * MTU as u64);
    bench.run();
    for psn in [0, 2, 9, 5] {
        notified(&mut bench, psn);
    }
    let with_int: Vec<_> = bench
        .events
        .borrow()
        .iter()
        .filter(|event| event.int_valid)
        .map(|event| (event.flow, event.kind, event.psn_next, event.snd_nxt, event.bytes))
        .collect();
    let flow = request_flow(QPN);
    assert_eq!(with_int, [1, 3, 10, 6].map(|next| (flow, EventKind::Ack, next, 10, 0)));
    assert!(bench.done().is_empty() && !bench.nic.idle());
    // never sent, sent and acknowledged: stale
    bench.ack(4);
    for psn in [10, 4, 0, 0xff_ffff] {
        notified(&mut bench, psn);
    }
    assert_eq!(bench.nic.feedback_counters().notify_stale, 4);
    assert_eq!(bench.events.borrow().iter().filter(|event| event.int_valid).count(), 4);
    // the ACK itself said nothing about the path
    let acked = *bench.events.borrow().last().unwrap();
    assert_eq!((acked.int_valid, acked.bytes), (false, 5 * MTU as u32));
    // nobody acknowledges packet 5: however many notifications come, the timer runs out and it is sent again
    let before = bench.now;
    let mut again = Vec::new();
    while bench.now < before + 120_000 {
        notified(&mut bench, 9);
        let next = bench.now + 10_000;
        again.extend(bench.run_until(next));
    }
    assert_eq!(bench.count(Counter::Timeouts), 1);
    assert_eq!(psns(&again)[..5], [5, 6, 7, 8, 9]);
    assert!(bench.done().is_empty());
}

/// On a NIC that is not told so, they are responses to probes that were never sent.
#[test]
fn switched_off_they_are_strays() {
    for config in [nic_config(), config(1, false)] {
        let mut bench = Bench::with(config, 0, true);
        bench.post(1, Write, 0, 10 * MTU as u64);
        bench.run();
        notified(&mut bench, 2);
        let on = bench.nic.config().feedback.carrier == Carrier::Notification;
        assert_eq!(bench.count(Counter::ProbeStray), u64::from(!on));
        for opcode in [Opcode::Notification, Opcode::NotificationAck] {
            let aeth = AethRepr {
                syndrome: Syndrome::Ack(31),
                msn: 0,
            };
            let extension = match opcode {
                Opcode::NotificationAck => Extension::Aeth(aeth),
                _ => Extension::None,
            };
            let frame = bench.peer_frame(BthRepr::new(opcode, QPN, 9), extension, &[0; 16], &INT_EMPTY);
            assert_eq!(frame_fault(bench.nic.config(), &frame), Some(Counter::Opcode));
            bench.nic.receive(bench.now, &frame);
        }
        assert_eq!(bench.count(Counter::Opcode), 2);
        assert!(bench.done().is_empty());
    }
}

/// The form that acknowledges names the newest packet received in order, whatever packet brought the INT.
#[test]
fn the_form_that_acknowledges() {
    let mut bench = Bench::with(config(16, true), 0, true);
    data(&mut bench, 0, &int(1));
    data(&mut bench, 2, &int(2));
    let sent = bench.run_until(1000);
    let named: Vec<_> = sent.iter().map(|sent| (sent.opcode, sent.psn)).collect();
    let nak = (Opcode::Acknowledge, 1);
    assert_eq!(named, [(Opcode::NotificationAck, 0), (Opcode::NotificationAck, 0), nak]);
    let positive = Extension::Aeth(AethRepr {
        syndrome: Syndrome::Ack(31),
        msn: 0,
    });
    assert_eq!((sent[0].extension, sent[1].extension), (positive, positive));
    assert_eq!((sent[0].int.clone(), sent[1].int.clone()), (int(1), int(2)));

    // the sender: as an acknowledgement with INT
    let mut bench = Bench::with(config(16, true), 0, true);
    bench.post(1, Write, 0, 10 * MTU as u64);
    bench.run();
    let told = |bench: &mut Bench, psn: u32, syndrome: Syndrome| {
        let aeth = Extension::Aeth(AethRepr { syndrome, msn: 0 });
        bench.receive_with_int(
            BthRepr::new(Opcode::NotificationAck, QPN, psn),
            aeth,
            &[],
            &int(psn as u8),
        );
    };
    told(&mut bench, 3, Syndrome::Ack(31));
    let event = *bench.events.borrow().last().unwrap();
    assert_eq!(
        (event.int_valid, event.bytes, event.psn_next),
        (true, 4 * MTU as u32, 4)
    );
    // a refusal has its own packet
    told(&mut bench, 5, Syndrome::Nak(NakCode::PsnSequence));
    assert_eq!(
        (
            bench.count(Counter::IgnoredSyndrome),
            bench.count(Counter::NaksReceived)
        ),
        (1, 0)
    );
    told(&mut bench, 9, Syndrome::Ack(31));
    assert_eq!(bench.done(), [(1, Status::Ok)]);
}

/// It never names a READ response that still waits to be sent: the requester would take that for lost.
#[test]
fn the_form_that_acknowledges_stays_behind_a_read() {
    let reth = Extension::Reth(RethRepr {
        address: BASE,
        key: KEY,
        length: 4,
    });
    let mut bench = Bench::with(config(16, true), 0, true);
    bench.nic.set_pause(1);
    bench.read_request(0, 0, 2 * MTU as u32);
    let only = BthRepr::new(Opcode::Write(Position::Only), QPN, 2);
    bench.receive_with_int(only, reth, &[7; 4], &int(3));
    let sent = bench.run_until(1000);
    let named: Vec<_> = sent.iter().map(|sent| (sent.opcode, sent.psn)).collect();
    // both responses wait for the end of the pause: the packet before the first is named
    assert_eq!(named, [(Opcode::NotificationAck, 0xff_ffff)]);
    bench.nic.set_pause(0);
    let after: Vec<_> = bench.run_until(3000).iter().map(|sent| sent.psn).collect();
    assert_eq!(after, [0, 1, 2]);
}

/// The end of a message is acknowledged at once, its notification before.
#[test]
fn a_notification_leaves_before_the_acknowledgement() {
    let mut bench = Bench::with(config(100, false), 0, true);
    let reth = Extension::Reth(RethRepr {
        address: BASE,
        key: KEY,
        length: 300,
    });
    bench.receive_with_int(BthRepr::new(Opcode::Write(First), QPN, 0), reth, &[7; MTU], &int(1));
    let last = BthRepr::new(Opcode::Write(Last), QPN, 1);
    bench.receive_with_int(last, Extension::None, &[7; 44], &int(2));
    let sent: Vec<_> = bench.run().iter().map(|sent| (sent.opcode, sent.psn)).collect();
    let response = Opcode::ProbeResponse;
    assert_eq!(sent, [(response, 0), (response, 1), (Opcode::Acknowledge, 1)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A peer that sends notifications with any stack under any PSN to any queue pair: windows of flows to others do not move, its own stay within their
    /// range, and the form without AETH completes nothing.
    #[test]
    fn a_lying_peer_moves_its_own_flow_only(
        acknowledging: bool,
        lies in prop::collection::vec(
            (any::<bool>(), 0u32..80, prop::collection::vec((0u8..16, any::<u32>(), any::<u32>(), any::<u16>()), 1..6), 0u16..3),
            1..40,
        ),
    ) {
        let feedback = config(1, acknowledging).feedback;
        let (mut nic, windows, params) = two_peers_with(false, feedback);
        let honest = |windows: &Windows| -> Vec<f64> {
            let windows = windows.borrow();
            windows.iter().filter(|(flow, _)| **flow / 2 == HONEST_QPN).map(|(_, window)| *window).collect()
        };
        let before = honest(&windows);
        prop_assert!(!before.is_empty());
        let opcode = if acknowledging { Opcode::NotificationAck } else { Opcode::ProbeResponse };
        let mut now = 4000;
        for (own, psn, records, path) in lies {
            let qpn = if own { QPN } else { HONEST_QPN };
            let int = stack(&records, path);
            nic.receive(now, &echo(qpn, psn, opcode, &int).to_frame());
            now += 700;
            for window in windows.borrow().values() {
                prop_assert!((params.w_min()..=params.w_init).contains(window), "{}", window);
            }
        }
        prop_assert_eq!(before, honest(&windows));
        prop_assert!(acknowledging || nic.take_completions().is_empty());
    }
}
