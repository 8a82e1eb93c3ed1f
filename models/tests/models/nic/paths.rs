//! Switches on the way that say nothing.

use super::bench::*;
use hpcc_models::cc::hpcc::{Hpcc, HpccParams};
use hpcc_models::cc::{Carrier, HopRecord};
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use Operation::Write;

/// INT of so many switches.
fn stack(hops: u8) -> Vec<u8> {
    let mut stack = IntStack::default();
    for hop in 0..hops {
        let record = HopRecord {
            speed: 5,
            ts: 100 * u32::from(hop),
            ..HopRecord::default()
        };
        stack.stamp(u16::from(hop), record);
    }
    let mut bytes = vec![0; stack.wire_len()];
    stack.emit(&mut bytes).unwrap();
    bytes
}

/// A stack of fewer switches than the host expects on the path is counted and used all the same.
#[test]
fn a_silent_switch_is_counted() {
    for (expected, counted) in [(0, 0), (2, 1), (3, 2), (4, 3)] {
        let qp = QpConfig {
            expected_hops: expected,
            ..qp_config(0, true)
        };
        let mut bench = Bench::with_peer(nic_config(), qp);
        bench.post(1, Write, 0, 3 * MTU as u64);
        bench.run();
        for (psn, hops) in [(0, 3), (1, 1), (2, 2)] {
            let aeth = Extension::Aeth(AethRepr {
                syndrome: Syndrome::Ack(31),
                msn: 0,
            });
            let bth = BthRepr::new(Opcode::Acknowledge, QPN, psn);
            bench.receive_with_int(bth, aeth, &[], &stack(hops));
        }
        assert_eq!(bench.nic.feedback_counters().int_few_hops, counted, "{expected}");
        assert_eq!(bench.events.borrow().iter().filter(|event| event.int_valid).count(), 3);
    }
}

/// So is one that the law at the receiver takes.
#[test]
fn a_receivers_law_counts_it_too() {
    let config = NicConfig {
        feedback: FeedbackConfig {
            carrier: Carrier::Receiver { after_queue: false },
            ..FeedbackConfig::default()
        },
        ..nic_config()
    };
    let mut nic = nic_with_memory(config, None);
    nic.set_receiver_law(Box::new(|_: &QpConfig| {
        let params = HpccParams::new(100_000_000_000, 13_000);
        Some(Box::new(Hpcc::<f64>::new(params).unwrap()))
    }));
    nic.create_qp(QpConfig {
        expected_hops: 3,
        ..qp_config(0, true)
    })
    .unwrap();
    let mut bench = Bench::with(nic_config(), 0, true);
    bench.nic = nic;
    for (psn, hops) in [(0, 3), (1, 2), (2, 1), (3, 0)] {
        bench.collecting_write(QPN, psn, 60_000, &stack(hops));
    }
    // none at all is no INT
    assert_eq!(bench.nic.feedback_counters().int_few_hops, 2);
}
