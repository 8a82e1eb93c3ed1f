//! Switches on the way that say nothing.

use super::bench::*;
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use Operation::Write;

/// A stack of fewer switches than the host expects on the path is counted and used all the same.
#[test]
fn a_silent_switch_is_counted() {
    let stack = |hops: u8| {
        let mut stack = IntStack::default();
        for hop in 0..hops {
            let record = hpcc_models::cc::HopRecord {
                speed: 5,
                ts: 100 * u32::from(hop),
                ..Default::default()
            };
            stack.stamp(u16::from(hop), record);
        }
        let mut bytes = vec![0; stack.wire_len()];
        stack.emit(&mut bytes).unwrap();
        bytes
    };
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
