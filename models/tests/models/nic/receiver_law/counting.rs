//! The number of flows.

use super::*;

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

/// Window and number go to the queue pair whose packets brought them.
#[test]
fn each_sender_hears_of_its_own() {
    for carrier in [RX, Carrier::Ack] {
        let mut bench = Bench::with(config(carrier, true), 0, true);
        bench.nic.set_receiver_law(Box::new(|_: &QpConfig| {
            Some(Box::new(Hpcc::<f64>::new(params()).unwrap()))
        }));
        for (number, qpn) in [QPN, QPN + 1, QPN + 2].into_iter().enumerate() {
            bench.nic.remove_qp(0, qpn);
            let qp = QpConfig {
                qpn,
                remote_qpn: 0x51 + number as u32,
                ..qp_config(0, true)
            };
            bench.nic.create_qp(qp).unwrap();
        }
        // the second alone has data, the third comes later: a full update of each
        let mut told = Vec::new();
        for (psn, at, qpn) in [
            (0, 0, QPN + 1),
            (1, 20_000, QPN + 1),
            (0, 40_000, QPN + 2),
            (1, 60_000, QPN + 2),
        ] {
            bench.now = at;
            let stack = int(at, 0.5, 0);
            bench.collecting_write(qpn, psn, 60_000, &stack);
            for now in at..at + 200 {
                let frames = bench.nic.poll(now);
                let packets = frames
                    .iter()
                    .map(|frame| RocePacket::parse(frame, &Ports::default()).unwrap());
                let notified = packets.filter(|packet| packet.bth.opcode == Opcode::Notification);
                told.extend(notified.map(|packet| packet.bth.dest_qp));
            }
        }
        let expected: &[u32] = match carrier {
            RX => &[0x52, 0x53],
            _ => &[0x52, 0x52, 0x53, 0x53],
        };
        assert_eq!(told, expected, "{carrier:?}");
    }
}
