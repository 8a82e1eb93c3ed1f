//! When the law at the receiver acts, on which packets, and with whose port.

use super::*;

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
