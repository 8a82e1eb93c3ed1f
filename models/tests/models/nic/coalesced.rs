//! One acknowledgement for several data packets of a queue pair with INT (HPCC++, draft-miao-ccwg-hpcc 6.2.2.1 and 6.3.2): when a sender asks, when a
//! receiver answers, and which INT the answer carries.

use super::bench::*;
use hpcc_models::cc::EventKind;
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use Operation::{Read, Write};
use Position::{First, Last, Middle};

const T_NS: u32 = 5000;

fn config(ack_every: u8) -> NicConfig {
    NicConfig {
        feedback: FeedbackConfig {
            ack_every,
            round_trip_ns: T_NS,
            ..FeedbackConfig::default()
        },
        ..nic_config()
    }
}

fn bench(ack_every: u8) -> Bench {
    Bench::with(config(ack_every), 0, true)
}

/// INT of a path of one switch, different for each `mark`.
fn int(mark: u8) -> Vec<u8> {
    vec![0x15, 0x55, 0x50, 0, 0, mark, 0, 0, 0, mark]
}

/// Packet `psn` of a long message; the peer asks for an acknowledgement or not.
fn data(bench: &mut Bench, psn: u32, ack_req: bool, int: &[u8]) {
    let position = if psn == 0 { First } else { Middle };
    let reth = RethRepr {
        address: BASE,
        key: KEY,
        length: 60_000,
    };
    let extension = match position {
        First => Extension::Reth(reth),
        _ => Extension::None,
    };
    let bth = BthRepr {
        ack_req,
        ..BthRepr::new(Opcode::Write(position), QPN, psn)
    };
    bench.receive_with_int(bth, extension, &[7; MTU], int);
}

/// PSN and INT of the acknowledgements among what was sent.
fn acks(sent: &[Sent]) -> Vec<(u32, Vec<u8>)> {
    sent.iter()
        .filter(|sent| sent.opcode == Opcode::Acknowledge)
        .map(|sent| (sent.psn, sent.int.clone()))
        .collect()
}

/// One that asks is answered at once and speaks for those before it; its INT is its own.
#[test]
fn the_packet_that_asks_is_acknowledged() {
    let mut bench = bench(4);
    for psn in 0..3 {
        data(&mut bench, psn, false, &int(psn as u8));
    }
    assert!(bench.run_until(1000).is_empty() && !bench.nic.idle());
    data(&mut bench, 3, true, &int(3));
    let sent = bench.run_until(2000);
    assert_eq!(acks(&sent), [(3, int(3))]);
    assert_eq!(sent[0].aeth(), Sent::ack(3, 0));
    assert!(bench.run_until(100_000).is_empty() && bench.nic.idle());
    assert_eq!(bench.nic.feedback_counters(), FeedbackCounters::default());
}

/// The last packet of a message is acknowledged whether it asks or not, as on plain queue pairs.
#[test]
fn the_end_of_a_message_is_acknowledged() {
    let mut bench = bench(200);
    data(&mut bench, 0, false, &int(1));
    bench.receive_with_int(
        BthRepr::new(Opcode::Write(Last), QPN, 1),
        Extension::None,
        &[1; 5],
        &int(2),
    );
    // 60000 bytes were announced: refused, and the refusal speaks for the packet before
    let sent = bench.run_until(1000);
    assert_eq!(sent[0].aeth(), Sent::nak(1, NakCode::InvalidRequest, 0));
    assert_eq!((sent.len(), sent[0].int.clone()), (1, int(2)));
    assert!(bench.run_until(50_000).is_empty());

    let mut bench = Bench::with(config(200), 0, true);
    bench.write(First, 0, 0, 300, &[1; MTU]);
    bench.write(Last, 1, 0, 0, &[1; 44]);
    assert_eq!(bench.run_until(1000)[0].aeth(), Sent::ack(1, 1));
}

/// An acknowledgement whose own packet has no INT carries the newest since the last acknowledgement, once.
#[test]
fn the_newest_int_since_the_last_acknowledgement() {
    let mut bench = bench(4);
    data(&mut bench, 0, false, &int(1));
    data(&mut bench, 1, false, &int(2));
    data(&mut bench, 2, false, &INT_EMPTY);
    data(&mut bench, 3, true, &INT_EMPTY);
    assert_eq!(acks(&bench.run_until(1000)), [(3, int(2))]);
    data(&mut bench, 4, true, &INT_EMPTY);
    assert_eq!(acks(&bench.run_until(2000)), [(4, INT_EMPTY.to_vec())]);
}

/// At the latest `T` after the first packet that waits.
#[test]
fn nobody_waits_longer_than_t() {
    let mut bench = bench(100);
    bench.now = 300;
    data(&mut bench, 0, false, &int(1));
    bench.now = 4000;
    data(&mut bench, 1, false, &int(2));
    let end = 300 + u64::from(T_NS);
    assert_eq!(bench.nic.next_deadline(), Some(end));
    assert!(bench.run_until(end - 1).is_empty());
    assert_eq!(acks(&bench.run_until(end)), [(1, int(2))]);
    assert_eq!(bench.nic.feedback_counters().delayed_acks, 1);
    // the next one waits anew
    bench.now = 6000;
    data(&mut bench, 2, false, &int(3));
    assert!(bench.run_until(6000 + u64::from(T_NS) - 1).is_empty());
    assert_eq!(acks(&bench.run_until(6000 + u64::from(T_NS))), [(2, int(3))]);
}

/// A negative acknowledgement speaks for what waited; a duplicate that does not ask waits like any packet, and names the newest one.
#[test]
fn gaps_and_duplicates() {
    let mut bench = bench(100);
    data(&mut bench, 0, false, &int(1));
    data(&mut bench, 2, false, &int(3));
    let sent = bench.run_until(1000);
    assert_eq!(sent[0].aeth(), Sent::nak(1, NakCode::PsnSequence, 0));
    assert_eq!((sent.len(), sent[0].int.clone()), (1, int(3)));
    assert!(bench.nic.idle());
    data(&mut bench, 1, false, &int(4));
    data(&mut bench, 0, false, &int(5));
    assert_eq!(acks(&bench.run_until(20_000)), [(1, int(5))]);
    data(&mut bench, 0, true, &int(6));
    assert_eq!(acks(&bench.run_until(21_000)), [(1, int(6))]);
}

/// A READ that comes while an acknowledgement waits: that leaves before its data.
#[test]
fn a_read_does_not_overtake() {
    let mut bench = bench(100);
    let short = Extension::Reth(RethRepr {
        address: BASE,
        key: KEY,
        length: 2 * MTU as u32,
    });
    let first = |bench: &mut Bench, int: &[u8]| {
        bench.receive_with_int(BthRepr::new(Opcode::Write(First), QPN, 0), short, &[7; MTU], int);
    };
    first(&mut bench, &int(1));
    bench.receive_with_int(
        BthRepr::new(Opcode::Write(Last), QPN, 1),
        Extension::None,
        &[7; MTU],
        &int(2),
    );
    assert_eq!(acks(&bench.run_until(500)), [(1, int(2))]);
    // a copy of the first packet waits, then comes the READ
    first(&mut bench, &int(9));
    bench.read_request(2, 0, 100);
    let sent = bench.run_until(3000);
    let kinds: Vec<_> = sent.iter().map(|sent| (sent.opcode, sent.psn)).collect();
    let data = (Opcode::ReadResponse(Position::Only), 2);
    assert_eq!(kinds, [(Opcode::Acknowledge, 1), data]);
    assert_eq!(sent[0].int, int(9));
    assert!(bench.run_until(50_000).is_empty());
}

/// A peer that asks for a READ again has gone back: what waited behind it is not acknowledged before the READ's data, and will be asked for anew.
#[test]
fn whoever_goes_back_asks_anew() {
    let mut bench = bench(100);
    bench.read_request(0, 0, 100);
    assert_eq!(psns(&bench.run_until(500)), [0]);
    let reth = Extension::Reth(RethRepr {
        address: BASE,
        key: KEY,
        length: 60_000,
    });
    bench.receive_with_int(BthRepr::new(Opcode::Write(First), QPN, 1), reth, &[7; MTU], &int(1));
    bench.read_request(0, 0, 100);
    let sent = bench.run_until(50_000);
    let kinds: Vec<_> = sent.iter().map(|sent| (sent.opcode, sent.psn)).collect();
    assert_eq!(kinds, [(Opcode::ReadResponse(Position::Only), 0)]);
    // the packet comes again, asks, and is acknowledged
    let asking = BthRepr {
        ack_req: true,
        ..BthRepr::new(Opcode::Write(First), QPN, 1)
    };
    bench.receive_with_int(asking, reth, &[7; MTU], &int(2));
    assert_eq!(acks(&bench.run_until(60_000)), [(1, int(2))]);
}

/// Which packets ask: every fourth, the last of the message, the one that fills the window, the first of a repetition.
#[test]
fn which_packets_ask() {
    let asking = |sent: &[Sent]| -> Vec<u32> { sent.iter().filter(|s| s.ack_req).map(|s| s.psn).collect() };
    let wide = NicConfig {
        window: 1e6,
        ..config(4)
    };
    let mut bench = Bench::with(wide, 0, true);
    bench.post(1, Write, 0, 10 * MTU as u64);
    assert_eq!(asking(&bench.run()), [3, 7, 9]);
    bench.ack(3);
    bench.nak(5, NakCode::PsnSequence);
    assert_eq!(asking(&bench.run()), [5, 9]);

    let narrow = NicConfig {
        window: 3.0 * MTU as f64,
        ..config(200)
    };
    let mut bench = Bench::with(narrow, 0, true);
    bench.post(1, Write, 0, 10 * MTU as u64);
    assert_eq!(asking(&bench.run()), [2]);
    bench.ack(2);
    assert_eq!(asking(&bench.run()), [5]);
    // a plain queue pair keeps its own interval
    let mut plain = Bench::with(
        NicConfig {
            window: 1e6,
            ..config(4)
        },
        0,
        false,
    );
    plain.post(1, Write, 0, 20 * MTU as u64);
    assert_eq!(asking(&plain.run()), [15, 19]);
}

/// With one packet for each acknowledgement every frame is as ever, in both directions.
#[test]
fn one_for_each_is_as_ever() {
    let frames = |config: NicConfig| {
        let mut bench = Bench::with(config, 0, true);
        bench.post(1, Write, 0, 40 * MTU as u64);
        bench.post(2, Read, 0, 900);
        let mut sent = bench.run();
        for psn in 0..6 {
            data(&mut bench, psn, psn == 3, &int(psn as u8));
        }
        data(&mut bench, 9, false, &int(9));
        bench.nak(7, NakCode::PsnSequence);
        sent.extend(bench.run());
        sent
    };
    let default = frames(nic_config());
    assert!(default.len() > 60);
    assert_eq!(default, frames(config(1)));
    assert_ne!(default, frames(config(2)));
}

/// What the sender's law hears: one event for the several, with their bytes and the newest INT.
#[test]
fn the_law_hears_of_all_bytes_at_once() {
    let mut bench = bench(4);
    bench.post(1, Write, 0, 8 * MTU as u64);
    bench.run();
    let aeth = Extension::Aeth(AethRepr {
        syndrome: Syndrome::Ack(31),
        msn: 0,
    });
    bench.receive_with_int(BthRepr::new(Opcode::Acknowledge, QPN, 3), aeth, &[], &int(3));
    let events = bench.events.borrow();
    let last = events.last().unwrap();
    assert_eq!(
        (last.kind, last.bytes, last.psn_next),
        (EventKind::Ack, 4 * MTU as u32, 4)
    );
    assert!(last.int_valid && last.n_hop == 1);
}
