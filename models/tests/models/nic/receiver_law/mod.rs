//! The law at the receiver and the number of flows (HPCC++, draft-miao-ccwg-hpcc 6.3.2 and 5): when it acts, and the bytes of what comes back.

mod acting;
mod counting;
mod telling;

use super::bench::*;
use hpcc_models::cc::hpcc::{Hpcc, HpccParams};
use hpcc_models::cc::{Carrier, CcEvent, EventKind, HopRecord, Update};
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use std::cell::RefCell;
use std::rc::Rc;

pub const T_NS: u32 = 13_000;

pub fn params() -> HpccParams {
    HpccParams::new(100_000_000_000, T_NS)
}

pub fn config(carrier: Carrier, count_flows: bool) -> NicConfig {
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

pub const RX: Carrier = Carrier::Receiver { after_queue: false };

/// What the law heard: kind and time, and the window that came of it.
pub type Heard = Rc<RefCell<Vec<(EventKind, u64, f64)>>>;

/// A NIC whose queue pair is created after the law at the receiver is built in.
pub fn receiver(count_flows: bool) -> (Bench, Heard) {
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
pub fn int(now: u64, load: f64, q_len: u16) -> Vec<u8> {
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

pub fn data(bench: &mut Bench, psn: u32, int: &[u8]) {
    bench.collecting_write(QPN, psn, 60_000, int);
}

pub fn notifications(sent: &[Sent]) -> Vec<NotificationRepr> {
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
