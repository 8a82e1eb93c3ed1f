//! Control packets: off by default, guarded when on.

use super::bench::*;
use hpcc_models::cc::EventKind;
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use Operation::Write;

#[test]
fn acks_feed_congestion_control_even_when_old_and_ghosts_do_not() {
    let mut bench = Bench::new(0, true);
    bench.post(1, Write, 0, 4 * MTU as u64);
    bench.run();
    let int = [0x20, 0x03, 0x51, 2, 3, 4, 5, 6, 7, 8, 0x61, 2, 3, 4, 5, 6, 7, 9];
    let aeth = Extension::Aeth(AethRepr {
        syndrome: Syndrome::Ack(31),
        msn: 0,
    });
    let mut feed = |psn| {
        bench.receive_with_int(BthRepr::new(Opcode::Acknowledge, QPN, psn), aeth, &[], &int);
        let event = bench.events.borrow().last().copied();
        event.filter(|event| event.kind == EventKind::Ack)
    };
    let first = feed(1).unwrap();
    assert_eq!(
        (first.flow, first.psn_next, first.snd_nxt, first.bytes),
        (2 * QPN, 2, 4, 512)
    );
    assert_eq!((first.int_valid, first.n_hop, first.path_id), (true, 2, 3));
    assert_eq!((first.hops[1].speed, first.hops[1].q_len), (6, 0x0709));
    let old = feed(0).unwrap();
    assert_eq!((old.psn_next, old.bytes), (1, 0));
    let before = bench.events.borrow().len();
    bench.ack(77);
    assert_eq!(bench.events.borrow().len(), before);
}

#[test]
fn nak_rewinds_first_and_feeds_congestion_control_then() {
    let mut bench = Bench::new(0, true);
    bench.post(1, Write, 0, 4 * MTU as u64);
    bench.run();
    bench.nak(2, NakCode::PsnSequence);
    let event = *bench.events.borrow().last().unwrap();
    assert_eq!((event.kind, event.psn_next, event.snd_nxt), (EventKind::Nak, 2, 2));
}

fn control(sequence: u64, key: u64, operation: ControlOp) -> ControlRepr {
    ControlRepr {
        operation,
        key,
        sequence,
        qpn: 0x30,
        remote_qpn: PEER_QPN,
        remote_ip: PEER_IP,
        first_psn: 0x77,
        local_address: BASE,
        local_key: KEY,
        remote_key: 0x1234,
        remote_address: 0x1000_0000,
        length: 5,
    }
}

fn control_frame(repr: &ControlRepr) -> Vec<u8> {
    let route = Route {
        dst_mac: OUR_MAC,
        src_mac: PEER_MAC,
        dst: OUR_IP,
        src: PEER_IP,
    };
    let mut body = [0; CONTROL_LEN];
    repr.emit(&mut body);
    udp_frame(route, 54793, &body)
}

#[test]
fn control_packets_are_off_by_default_and_guarded_when_on() {
    let create = control_frame(&control(1, 5, ControlOp::CreateWrite));
    let mut bench = Bench::new(0, false);
    bench.nic.receive(0, &create);
    assert_eq!((bench.count(Counter::ControlRefused), bench.run().len()), (1, 0));

    let control_config = ControlConfig {
        enabled: true,
        key: 5,
        sources: vec![PEER_IP],
        interval_ns: 1000,
    };
    let config = NicConfig {
        control: control_config.clone(),
        ..nic_config()
    };
    let mut bench = Bench::with(config, 0, false);
    bench
        .nic
        .receive(0, &control_frame(&control(1, 6, ControlOp::CreateWrite)));
    bench.nic.receive(0, &create);
    bench
        .nic
        .receive(500, &control_frame(&control(2, 5, ControlOp::Remove)));
    bench.nic.receive(2000, &create);
    assert_eq!(
        (
            bench.count(Counter::ControlRefused),
            bench.count(Counter::ControlAccepted)
        ),
        (3, 1)
    );
    let sent = bench.run();
    assert_eq!(
        (psns(&sent), sent[0].payload.len(), sent[0].port),
        (vec![0x77], 5, 54791)
    );
    bench
        .nic
        .receive(3000, &control_frame(&control(2, 5, ControlOp::Remove)));
    assert_eq!(bench.done().len(), 1);
    assert_eq!(bench.nic.generation(0x30), None);

    let sources = ControlConfig {
        sources: vec![OUR_IP],
        ..control_config
    };
    let mut bench = Bench::with(
        NicConfig {
            control: sources,
            ..nic_config()
        },
        0,
        false,
    );
    bench.nic.receive(0, &create);
    assert_eq!(bench.count(Counter::ControlRefused), 1);
}

#[test]
fn control_packet_creates_a_read() {
    let control_config = ControlConfig {
        enabled: true,
        key: 5,
        sources: vec![PEER_IP],
        interval_ns: 0,
    };
    let mut bench = Bench::with(
        NicConfig {
            control: control_config,
            ..nic_config()
        },
        0,
        false,
    );
    bench
        .nic
        .receive(0, &control_frame(&control(1, 5, ControlOp::CreateRead)));
    let sent = bench.run();
    assert_eq!(
        (sent[0].opcode, sent[0].psn, sent[0].reth().length),
        (Opcode::ReadRequest, 0x77, 5)
    );
}

/// What the host created is the host's until it removes it, also when it has ended.
#[test]
fn a_control_packet_leaves_queue_pairs_of_the_host_alone() {
    let config = NicConfig {
        control: ControlConfig {
            enabled: true,
            key: 5,
            sources: vec![PEER_IP],
            interval_ns: 0,
        },
        ..nic_config()
    };
    let mut bench = Bench::with(config, 0, false);
    let mut sequence = 0;
    let mut told = |bench: &mut Bench, operation| {
        sequence += 1;
        let repr = ControlRepr {
            qpn: QPN,
            ..control(sequence, 5, operation)
        };
        let before = bench.count(Counter::ControlAccepted);
        bench.nic.receive(1000 * sequence, &control_frame(&repr));
        bench.count(Counter::ControlAccepted) > before
    };
    let generation = bench.nic.generation(QPN);
    for ended in [false, true] {
        for operation in [ControlOp::CreateWrite, ControlOp::CreateRead, ControlOp::Remove] {
            assert!(!told(&mut bench, operation), "{ended} {operation:?}");
        }
        assert_eq!(bench.nic.generation(QPN), generation);
        bench.post(1, Write, 0, 4);
        bench.run();
        bench.nak(0, NakCode::RemoteAccess);
    }
    assert!(bench.nic.remove_qp(100_000, QPN));
    assert!(told(&mut bench, ControlOp::CreateWrite));
    assert!(told(&mut bench, ControlOp::Remove));
}
