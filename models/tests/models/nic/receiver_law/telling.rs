//! The bytes of what comes back, and what a sender reads in them.

use super::*;
use hpcc_models::fixed::formats::Window;

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
    let law = Recorder {
        window: 1e5,
        rate: 1e11,
        ..Recorder::default()
    };
    let told = law.told.clone();
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
    assert_eq!(*told.borrow(), [Told::Flows(12, 500), Told::Window(81_250.0)]);
    assert_eq!(nic.feedback_counters().notify_stale, 1);
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
