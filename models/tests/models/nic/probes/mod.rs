//! Probes (HPCC++, draft-miao-ccwg-hpcc 6.2.1.2): when one leaves, its bytes, what it costs, which responses count and what the law hears of them.

mod leaving;
mod responses;

use super::bench::*;
use hpcc_models::cc::{EventKind, HopRecord};
use hpcc_models::nic::*;
use hpcc_models::wire::*;

/// Wire bytes of a probe: 60 of the frame, FCS, preamble and gap.
pub const PROBE_WIRE: u64 = 84;
pub const T_NS: u32 = 1000;
pub const TIMEOUT_NS: u32 = 5000;

pub fn probes(packets: u8) -> ProbeConfig {
    ProbeConfig {
        interval_ns: T_NS,
        timeout_ns: TIMEOUT_NS,
        packets,
    }
}

/// A NIC that probes, 10 Gb/s a flow: a full packet of MTU 256 every 304 ns.
pub fn bench(probes: ProbeConfig) -> Bench {
    let config = NicConfig {
        probes: Some(probes),
        rate_bps: 10e9,
        window: 1e6,
        ..nic_config()
    };
    Bench::with(config, 0, true)
}

/// Frames that leave up to `until`, each with its time, looking every `step` ns.
pub fn frames(bench: &mut Bench, until: u64, step: u64) -> Vec<(u64, Vec<u8>)> {
    let mut sent = Vec::new();
    while bench.now < until {
        sent.extend(bench.nic.poll(bench.now).into_iter().map(|frame| (bench.now, frame)));
        bench.now += step;
    }
    sent
}

pub fn parse(frame: &[u8]) -> RocePacket<'_> {
    RocePacket::parse(frame, &Ports::default()).expect("what the NIC sends is whole")
}

/// Times and numbers of the probes among frames.
pub fn numbers(frames: &[(u64, Vec<u8>)]) -> Vec<(u64, u32)> {
    let probe = |(at, frame): &(u64, Vec<u8>)| {
        let bth = parse(frame).bth;
        (bth.opcode == Opcode::Probe).then_some((*at, bth.psn))
    };
    frames.iter().filter_map(probe).collect()
}

/// What a path of two switches at half load adds to a probe that crosses it at `now`.
pub fn stack(now: u64) -> Vec<u8> {
    let mut stack = IntStack::default();
    for (id, speed) in [(0xabc, 5), (0x123, 7)] {
        let record = HopRecord {
            speed,
            ts: (now & 0xff_ffff) as u32,
            // 100 Gb/s are 12.5 bytes a ns
            tx_bytes: (now * 6 / 128) as u32 & 0xf_ffff,
            q_len: 3,
        };
        stack.stamp(id, record);
    }
    let mut bytes = vec![0; stack.wire_len()];
    stack.emit(&mut bytes).unwrap();
    bytes
}

pub fn respond(bench: &mut Bench, number: u32) {
    let int = stack(bench.now);
    bench.receive_with_int(
        BthRepr::new(Opcode::ProbeResponse, QPN, number),
        Extension::None,
        &[],
        &int,
    );
}

/// Kinds of the events that came with INT, and how many came without.
pub fn heard(bench: &Bench) -> (Vec<EventKind>, usize) {
    let events = bench.events.borrow();
    let with: Vec<_> = events.iter().filter(|e| e.int_valid).map(|e| e.kind).collect();
    let without = events.iter().filter(|e| !e.int_valid && e.kind == EventKind::Ack);
    (with, without.count())
}
