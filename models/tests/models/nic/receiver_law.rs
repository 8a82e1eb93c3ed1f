//! The law at the receiver and the number of flows (HPCC++, draft-miao-ccwg-hpcc 6.3.2 and 5): when it acts, and the bytes of what comes back.

use super::bench::*;
use hpcc_models::cc::hpcc::{Hpcc, HpccParams};
use hpcc_models::cc::{Carrier, CcEvent, CongestionControl, EventKind, HopRecord, Update};
use hpcc_models::fixed::formats::Window;
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use std::cell::RefCell;
use std::rc::Rc;

const T_NS: u32 = 13_000;

fn params() -> HpccParams {
    HpccParams::new(100_000_000_000, T_NS)
}

fn config(carrier: Carrier, count_flows: bool) -> NicConfig {
    NicConfig {
        feedback: FeedbackConfig {
            carrier,
            ack_every: 16,
            count_flows,
            round_trip_ns: T_NS,
            ..FeedbackConfig::default()
        },
        ..nic_config()
    }
}

const RX: Carrier = Carrier::Receiver { after_queue: false };

/// What the law heard: kind and time, and the window that came of it.
type Heard = Rc<RefCell<Vec<(EventKind, u64, f64)>>>;

/// A NIC whose queue pair is created after the law at the receiver is built in.
fn receiver(count_flows: bool) -> (Bench, Heard) {
    let mut bench = Bench::with(config(RX, count_flows), 0, true);
    let heard = Heard::default();
    let of_law = heard.clone();
    bench.nic.set_receiver_law(Box::new(move |_: &QpConfig| {
        let heard = of_law.clone();
        Some(Box::new(Watched {
            law: Hpcc::new(params()).unwrap(),
            hear: move |event: &CcEvent, update: Option<Update>| {
                heard
                    .borrow_mut()
                    .extend(update.map(|update| (event.kind, event.now, update.window)));
            },
        }))
    }));
    bench.nic.remove_qp(0, QPN);
    bench.nic.create_qp(qp_config(0, true)).unwrap();
    (bench, heard)
}

/// Stack of one switch whose port of 100 Gb/s has sent `load` of what it could since the start, with `q_len` cells queued.
fn int(now: u64, load: f64, q_len: u16) -> Vec<u8> {
    let mut stack = IntStack::default();
    let record = HopRecord {
        speed: 5,
        ts: (now & 0xff_ffff) as u32,
        tx_bytes: (now as f64 * 12.5 * load / 128.0) as u32 & 0xf_ffff,
        q_len,
    };
    stack.stamp(0x123, record);
    let mut bytes = vec![0; stack.wire_len()];
    stack.emit(&mut bytes).unwrap();
    bytes
}

fn data(bench: &mut Bench, psn: u32, int: &[u8]) {
    bench.collecting_write(QPN, psn, 60_000, int);
}

fn notifications(sent: &[Sent]) -> Vec<NotificationRepr> {
    sent.iter()
        .filter(|sent| sent.opcode == Opcode::Notification)
        .map(|sent| {
            assert_eq!(
                (sent.port, sent.psn, sent.int.clone(), sent.payload.len()),
                (54792, 0, INT_EMPTY.to_vec(), 16)
            );
            NotificationRepr::parse(&sent.payload).unwrap()
        })
        .collect()
}

/// The first packet stores records and the time; then a full update more than `T` after the last one, one ns either way, and fast reactions, which
/// stay here.
#[test]
fn the_clock_decides() {
    let (mut bench, heard) = receiver(false);
    let t = u64::from(T_NS);
    let times = [1000, 1000 + t, 1001 + t, 1001 + 2 * t, 1002 + 2 * t];
    let mut sent = Vec::new();
    for (psn, at) in (0..).zip(times) {
        sent.extend(bench.run_until(at));
        data(&mut bench, psn, &int(at, 0.5, 0));
    }
    sent.extend(bench.run_until(60_000));
    let kinds: Vec<_> = heard.borrow().iter().map(|(kind, at, _)| (*kind, *at)).collect();
    use EventKind::{Ack, Probe};
    let expected: Vec<_> = [Ack, Ack, Probe, Ack, Probe].into_iter().zip(times).collect();
    assert_eq!(kinds, expected);
    let windows: Vec<f64> = heard.borrow().iter().map(|(_, _, window)| *window).collect();
    let told: Vec<_> = notifications(&sent)
        .iter()
        .map(|told| (told.sequence, told.window.map(|w| w.to_num::<f64>()), told.flows))
        .collect();
    let close = |told: Option<f64>, window: f64| (told.unwrap() - window).abs() <= 1.0 / 4096.0;
    assert_eq!(told.len(), 2);
    assert!(
        close(told[0].1, windows[2]) && close(told[1].1, windows[4]),
        "{told:?} {windows:?}"
    );
    assert_eq!(
        told.iter().map(|told| (told.0, told.2)).collect::<Vec<_>>(),
        [(1, None), (2, None)]
    );
    // ACKs are plain, and only the one whose packet waited for T
    let acks: Vec<_> = sent
        .iter()
        .filter(|sent| sent.opcode == Opcode::Acknowledge)
        .map(|sent| (sent.psn, sent.int.len()))
        .collect();
    assert!(acks.iter().all(|(_, int)| *int == INT_FIXED_LEN), "{acks:?}");
    assert_eq!(acks.last().unwrap().0, 4);
}

/// Duplicates and packets out of order run the law; packets without INT, or with a speed code of nobody, do not.
#[test]
fn whatever_was_accepted_counts() {
    let (mut bench, heard) = receiver(false);
    for (psn, at) in [(0, 100), (5, 200), (0, 300)] {
        bench.now = at;
        data(&mut bench, psn, &int(at, 0.5, 0));
    }
    assert_eq!(heard.borrow().len(), 3);
    data(&mut bench, 1, &INT_EMPTY);
    let mut bad = int(400, 0.5, 0);
    bad[2] = 0xf0;
    data(&mut bench, 2, &bad);
    assert_eq!(heard.borrow().len(), 3);
    assert_eq!(bench.count(Counter::IntBadSpeed), 1);
}

/// The bytes of the design's example: W = 81250, N = 12, number 7, to queue pair 0x22.
#[test]
fn the_worked_example() {
    let example: Vec<u8> = [
        0x456a003e_u32,
        0x00014000,
        0x40112630,
        0x0a00000b,
        0x0a00000a,
        0xc123d608,
        0x002a0000,
        0x0000d400,
        0xffff0000,
        0x00220000,
        0x00000300,
        0x000c0000,
        0x000009eb,
        0x10000000,
        0x0007f7a9,
    ]
    .iter()
    .flat_map(|word| word.to_be_bytes())
    .chain([0x9f, 0xa6])
    .collect();
    let told = NotificationRepr {
        window: Some(Window::from_num(81_250)),
        flows: Some(12),
        sequence: 7,
    };
    let (receiver, sender) = (
        std::net::Ipv4Addr::new(10, 0, 0, 11),
        std::net::Ipv4Addr::new(10, 0, 0, 10),
    );
    let packet = RocePacket {
        ethernet: EthernetRepr::ipv4(OUR_MAC, PEER_MAC),
        ipv4: Ipv4Repr {
            tos: 0x6a,
            ident: 1,
            ..Ipv4Repr::udp(receiver, sender)
        },
        udp: UdpRepr::ports(0xc123, 54792),
        int: &INT_EMPTY,
        bth: BthRepr::new(Opcode::Notification, 0x22, 0),
        extension: Extension::None,
        payload: &told.emit(),
    };
    assert_eq!(packet.to_frame()[14..], example);
    // and a NIC takes it: 81250 bytes are half of W_init
    let config = NicConfig {
        mac: PEER_MAC,
        ip: sender,
        neighbours: [(receiver, OUR_MAC)].into(),
        ..config(RX, true)
    };
    let mut nic = Nic::new(config, BlockMemory::default(), None);
    let law = Spy::default();
    let counts = law.counts.clone();
    nic.add_law(1, Box::new(law));
    nic.create_qp(QpConfig {
        int: true,
        mtu: 256,
        ..QpConfig::new(0x22, 0x11, receiver)
    })
    .unwrap();
    let frame = packet.to_frame();
    nic.receive(500, &frame);
    nic.receive(600, &frame);
    assert_eq!(*counts.borrow(), ["flows 12 at 500", "window 81250"]);
    assert_eq!(nic.feedback_counters().notify_stale, 1);
}

/// A law that writes down what its receiver tells it.
#[derive(Default)]
struct Spy {
    counts: Rc<RefCell<Vec<String>>>,
}

impl CongestionControl for Spy {
    fn name(&self) -> &'static str {
        "spy"
    }
    fn create(&mut self, flow: u32, generation: u8) -> Update {
        Update {
            flow,
            generation,
            window: 1e5,
            rate: 1e11,
        }
    }
    fn remove(&mut self, _flow: u32) {}
    fn handle(&mut self, _event: &CcEvent) -> Option<Update> {
        None
    }
    fn receiver_counts(&mut self, _flow: u32, _generation: u8, flows: u16, now: u64) {
        self.counts.borrow_mut().push(format!("flows {flows} at {now}"));
    }
    fn receiver_window(&mut self, _flow: u32, _generation: u8, window: f64) -> Option<Update> {
        self.counts.borrow_mut().push(format!("window {window}"));
        None
    }
}

/// Queue pairs with data in each interval are counted, and the number goes with the window; without a law at the receiver it goes alone, once an
/// interval for each flow.
#[test]
fn flows_are_counted() {
    for carrier in [RX, Carrier::Ack, Carrier::Notification] {
        let mut bench = Bench::with(config(carrier, true), 0, true);
        bench.nic.set_receiver_law(Box::new(|_: &QpConfig| {
            Some(Box::new(Hpcc::<f64>::new(params()).unwrap()))
        }));
        for qpn in [QPN, QPN + 1, QPN + 2] {
            bench.nic.remove_qp(0, qpn);
            let qp = QpConfig {
                qpn,
                ..qp_config(0, true)
            };
            bench.nic.create_qp(qp).unwrap();
        }
        let mut sent = Vec::new();
        let step = u64::from(T_NS) / 4;
        for psn in 0..12 {
            sent.extend(bench.run_until(u64::from(psn) * step));
            for qpn in [QPN, QPN + 1, QPN + 2] {
                let stack = int(bench.now, 0.5, 0);
                bench.collecting_write(qpn, psn, 60_000, &stack);
            }
        }
        sent.extend(bench.run());
        let told = notifications(&sent);
        let flows: Vec<u16> = told.iter().map(|told| told.flows.unwrap()).collect();
        assert_eq!(told.iter().all(|told| told.window.is_some()), carrier == RX);
        if carrier == RX {
            assert_eq!(flows, [3; 6], "two full updates of three flows");
        } else {
            assert_eq!(flows, [1, 2, 3, 3, 3, 3, 3, 3, 3], "three intervals");
        }
    }
}

/// The law here has the peer's port; one that is out of range refuses the queue pair, and the NIC is as before.
#[test]
fn the_port_is_the_peers() {
    let mut bench = Bench::with(config(RX, false), 0, true);
    bench.nic.set_receiver_law(Box::new(|qp: &QpConfig| {
        let port = qp.peer_port?;
        let params = HpccParams {
            w_init: port.window_bytes as f64,
            ..HpccParams::new(port.line_rate_bps, T_NS)
        };
        let law = Hpcc::<f64>::new(params).ok()?;
        Some(Box::new(law))
    }));
    let qp = |window_bytes| QpConfig {
        qpn: QPN + 1,
        peer_port: Some(PeerPort {
            line_rate_bps: 25_000_000_000,
            window_bytes,
        }),
        ..qp_config(0, true)
    };
    let refused = Err(HostError::Field {
        qpn: QPN + 1,
        field: "peer_port",
    });
    assert_eq!((bench.nic.create_qp(qp(0)), bench.nic.law(QPN + 1)), (refused, None));
    bench.nic.create_qp(qp(40_625)).unwrap();
    for at in [0, 20_000, 40_000, 60_000] {
        bench.run_until(at);
        let stack = int(at, 0.1, 0);
        let reth = RethRepr {
            address: BASE,
            key: KEY,
            length: 4,
        };
        bench.receive_with_int(
            BthRepr::new(Opcode::Write(Position::Only), QPN + 1, (at / 20_000) as u32),
            Extension::Reth(reth),
            &[1; 4],
            &stack,
        );
    }
    // the path is nearly idle: the largest window, which is that of the peer's 25 Gb/s and not this NIC's
    let told = notifications(&bench.run());
    let windows: Vec<f64> = told.iter().map(|told| told.window.unwrap().to_num()).collect();
    assert_eq!(windows, [40_625.0]);
}

/// With a key for the queue pair a notification carries the keyed check behind its 16 bytes: whoever changes one of them and makes the ICRC right again
/// lacks the key.
#[test]
fn notifications_carry_the_keyed_check() {
    let key = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210];
    let keyed = NicConfig {
        echo_keys: [(QPN, key)].into(),
        ..config(Carrier::Ack, true)
    };
    let mut bench = Bench::with(keyed, 0, true);
    data(&mut bench, 0, &int(0, 0.5, 0));
    let sent = bench.run();
    let told = sent.iter().find(|sent| sent.opcode == Opcode::Notification).unwrap();
    assert_eq!(told.payload.len(), NOTIFICATION_LEN + ECHO_TAG_LEN);
    let report = NotificationRepr::parse(&told.payload).unwrap();
    assert_eq!((report.flows, report.sequence), (Some(1), 1));
    // to a NIC that has the queue pair which it names
    for changed in 0..=told.payload.len() {
        let mut payload = told.payload.clone();
        if let Some(byte) = payload.get_mut(changed) {
            *byte ^= 1;
        }
        let config = NicConfig {
            echo_keys: [(PEER_QPN, key)].into(),
            ..config(Carrier::Ack, true)
        };
        let qp = QpConfig {
            qpn: PEER_QPN,
            ..qp_config(0, true)
        };
        let mut own = Bench::with_peer(config, qp);
        own.receive(
            BthRepr::new(Opcode::Notification, PEER_QPN, 0),
            Extension::None,
            &payload,
        );
        let right = changed == told.payload.len();
        assert_eq!(own.count(Counter::Icrc), u64::from(!right), "byte {changed}");
    }
}
