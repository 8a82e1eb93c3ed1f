//! Cases that sink such designs, one by one.

mod answers;
mod completions;
mod ends;
mod rates;
mod read_data;
mod work;

use super::bench::*;
use crate::prim::uint::U;
use crate::prim::word::Word as _;
use crate::words::context::QpContext;
use crate::words::transport::AckSend;
use crate::words::transport::Commit;
use crate::words::transport::RxPacket;
use hpcc_models::nic::{Counter, Status};

const OK: u64 = Status::Ok as u64;
const FLUSHED: u64 = Status::Flushed as u64;
const ACK: u64 = 0x1f;

/// A queue pair of MTU 256 that starts at `psn`, with these work requests (READ?, length) queued, numbered from 0.
fn bench(psn: u64, works: &[(bool, u64)]) -> Bench<20> {
    let mut bench = Bench::new(1);
    bench.context(QP, GENERATION, psn, 0, false, true);
    for (id, (read, length)) in works.iter().enumerate() {
        bench.work(QP, id as u64, *read, *length);
    }
    bench.drain();
    bench
}

/// Queue pairs from 0 on, of MTU 256, that start at PSN 0.
fn queue_pairs(seed: u64, qps: u64) -> Bench<20> {
    let mut bench = Bench::new(seed);
    for qp in 0..qps {
        bench.context(qp, GENERATION, 0, 0, false, true);
    }
    bench
}

impl Bench<20> {
    /// The work requests that are done, numbered in turn over so many queue pairs, are the first ones of each and in their order.
    fn done_in_order(&self, qps: u64) {
        for qp in 0..qps {
            let of = self.done.iter().filter(|done| done.0 % qps == qp);
            let numbers: Vec<u64> = of.map(|done| done.0 / qps).collect();
            assert!(
                numbers.iter().copied().eq(0..numbers.len() as u64),
                "queue pair {qp}: {numbers:?}"
            );
        }
    }
    /// Everything before `end` has been sent.
    fn sent_to(&mut self, end: u64) {
        self.sent.push_back((QP, GENERATION, end));
        self.drain();
    }
    fn ack(&mut self, psn: u64) {
        self.acknowledge(QP, GENERATION, psn, ACK, &[]);
        self.drain();
    }
    fn nak(&mut self, psn: u64, code: u64) {
        self.acknowledge(QP, GENERATION, psn, 0x60 | code, &[]);
        self.drain();
    }
    fn data(&mut self, opcode: u64, psn: u64, length: u64) {
        self.response(QP, GENERATION, opcode, psn, length, 0, &[]);
        self.drain();
    }
    /// Events as (NAK?, PSN).
    fn told(&self) -> Vec<(bool, u64)> {
        self.events.iter().map(|event| (event.nak, event.psn)).collect()
    }
}

const FIRST: u64 = 0x0d;
const MIDDLE: u64 = 0x0e;
const LAST: u64 = 0x0f;
const ONLY: u64 = 0x10;
