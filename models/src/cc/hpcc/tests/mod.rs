//! One test per rule, numbers worked out by hand.
//!
//! The setting makes them round: line rate and port 100 Gb/s (100 bits per ns), `W_init` = 100 000 bytes, so
//! `T_W` = 8000 ns and `B x T_W` = 800 000 bits; `T` = 8000 ns. 1024 ns at full rate are 100 units of `txBytes`
//! (`u'` = 1 without queue), 125 units of `qLen` are 80 000 bits (`u'` = 0.1).

mod class_search;
mod law;
mod plus;
mod records;
mod variants;

use super::*;
use crate::cc::HopRecord;

const G: u64 = 1_000_000_000;
/// Code of 100 Gb/s in the default table.
const C100: u8 = 5;

fn params() -> HpccParams {
    HpccParams::new(100 * G, 8000)
}

fn hop(ts: u32, tx_bytes: u32, q_len: u16) -> HopRecord {
    HopRecord {
        speed: C100,
        ts,
        tx_bytes,
        q_len,
    }
}

fn ack(psn_next: u32, snd_nxt: u32, now: u64, hops: &[HopRecord]) -> CcEvent {
    let mut event = CcEvent {
        psn_next,
        snd_nxt,
        now,
        int_valid: true,
        n_hop: hops.len() as u8,
        ..Default::default()
    };
    for (slot, hop) in event.hops.iter_mut().zip(hops) {
        *slot = *hop;
    }
    event
}

/// A law with flow 0 whose first ACK (PSN 1, `snd_nxt` 10, time 0) has been taken, hop counters at `hops`.
fn started(params: HpccParams, hops: &[HopRecord]) -> Hpcc {
    let mut law = Hpcc::new(params).unwrap();
    law.create(0, 0);
    law.handle(&ack(1, 10, 0, hops)).unwrap();
    law
}

fn close(got: f64, want: f64) {
    assert!(
        (got - want).abs() <= 1e-9 * want.abs().max(1.0),
        "got {got}, expected {want}"
    );
}

/// Takes the event and returns what was seen.
fn see(law: &mut Hpcc, event: &CcEvent) -> Observation<f64> {
    law.handle(event).expect("the ACK is used");
    *law.last().unwrap()
}
