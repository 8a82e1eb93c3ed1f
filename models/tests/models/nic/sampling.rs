//! Every k-th data packet collects INT (HPCC++, draft-miao-ccwg-hpcc 6.2.1): which ones, under which code point, and what the law hears of the others.

use super::bench::*;
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use Operation::{Read, Write};

const LATEST_NS: u32 = 250_000;

fn config(every: u8) -> NicConfig {
    NicConfig {
        sampling: Some(SamplingConfig {
            every,
            at_latest_ns: LATEST_NS,
        }),
        dscp_unstamped: 12,
        window: 1e6,
        ..nic_config()
    }
}

/// Frames that leave up to `until`.
fn frames(bench: &mut Bench, until: u64) -> Vec<Vec<u8>> {
    let mut sent = Vec::new();
    while bench.now < until {
        sent.extend(bench.nic.poll(bench.now));
        bench.now += 20;
    }
    sent
}

/// PSNs of the data packets that switches stamp, of a whole list.
fn collecting(frames: &[Vec<u8>]) -> Vec<u32> {
    let stamped = |frame: &Vec<u8>| {
        let packet = RocePacket::parse(frame, &Ports::default()).unwrap();
        let stamps = StampConfig::default().stamps(frame);
        assert_eq!(packet.ipv4.tos, if stamps { 26 << 2 } else { 12 << 2 });
        assert_eq!((packet.udp.dst_port, packet.int), (54791, &INT_EMPTY[..]));
        stamps.then_some(packet.bth.psn)
    };
    frames.iter().filter_map(stamped).collect()
}

/// The first of each message, then every fourth; after a rewind the first that is repeated, and one after a pause.
#[test]
fn which_packets_collect() {
    let mut bench = Bench::with(config(4), 0, true);
    bench.post(1, Write, 0, 10 * MTU as u64);
    bench.post(2, Write, 0, 3 * MTU as u64);
    assert_eq!(collecting(&frames(&mut bench, 5000)), [0, 4, 8, 10]);
    bench.ack(5);
    bench.nak(7, NakCode::PsnSequence);
    // 7 is the first of the repetition; 10 begins a message
    assert_eq!(collecting(&frames(&mut bench, 10_000)), [7, 10]);
    bench.ack(12);
    bench.post(3, Write, 0, MTU as u64);
    assert_eq!(collecting(&frames(&mut bench, 20_000)), [13]);
}

/// A slow flow collects at the latest when its records would otherwise grow old.
#[test]
fn slow_flows_keep_collecting() {
    let slow = NicConfig {
        rate_bps: 20e6,
        retry_timeout_ns: 1 << 40,
        ..config(200)
    };
    let mut bench = Bench::with(slow, 0, true);
    bench.post(1, Write, 0, 10 * MTU as u64);
    // 380 bytes at 20 Mb/s take 152 us: every second packet is due by time
    assert_eq!(collecting(&frames(&mut bench, 1_500_000)), [0, 2, 4, 6, 8]);
}

/// READ requests and READ responses are what they are without sampling.
#[test]
fn reads_collect_as_ever() {
    let mut bench = Bench::with(config(100), 0, true);
    bench.read_request(0, 0, 900);
    bench.post(1, Read, 0, 900);
    bench.post(2, Read, 0, 900);
    let sent = frames(&mut bench, 5000);
    assert_eq!(collecting(&sent).len(), sent.len());
    assert_eq!(sent.len(), 4 + 2);
}

/// Queue pairs without INT keep the code point of everything else, with sampling and with probes.
#[test]
fn plain_queue_pairs_do_not_take_part() {
    let probing = NicConfig {
        probes: Some(ProbeConfig::every(1000)),
        sampling: None,
        ..config(4)
    };
    for config in [config(4), probing] {
        let mut bench = Bench::with(config, 0, false);
        bench.post(1, Write, 0, 10 * MTU as u64);
        let sent = frames(&mut bench, 5000);
        let tos: Vec<u8> = sent.iter().map(|frame| frame[15]).collect();
        assert_eq!(tos, [26 << 2; 10]);
    }
}

/// With k = 1 every byte is as with INT on every packet, and the law hears the same.
#[test]
fn one_is_every_packet() {
    let run = |sampling: Option<SamplingConfig>| {
        let mut bench = Bench::with(NicConfig { sampling, ..config(1) }, 0, true);
        bench.post(1, Write, 0, 40 * MTU as u64);
        bench.post(2, Read, 0, 900);
        let mut sent = frames(&mut bench, 8000);
        bench.ack(20);
        bench.nak(23, NakCode::PsnSequence);
        sent.extend(frames(&mut bench, 16_000));
        let events = bench.events.borrow().clone();
        (sent, events)
    };
    let inband = run(None);
    assert_eq!(inband, run(config(1).sampling));
    assert_ne!(inband.0, run(config(2).sampling).0);
    assert!(inband.1.iter().any(|event| event.int_valid));
}

/// An acknowledgement with an empty stack says nothing about the path; one with records does.
#[test]
fn an_empty_stack_is_no_int() {
    for (every, valid) in [(4, false), (1, true)] {
        let mut bench = Bench::with(config(every), 0, true);
        bench.post(1, Write, 0, 10 * MTU as u64);
        bench.run();
        bench.ack(0);
        assert_eq!(bench.events.borrow().last().unwrap().int_valid, valid, "{every}");
        let aeth = Extension::Aeth(AethRepr {
            syndrome: Syndrome::Ack(31),
            msn: 0,
        });
        let int = [0x15, 0x55, 0x50, 0, 0, 1, 0, 0, 0, 1];
        bench.receive_with_int(BthRepr::new(Opcode::Acknowledge, QPN, 1), aeth, &[], &int);
        assert!(bench.events.borrow().last().unwrap().int_valid);
        // the echo of a READ response, which collects always
        bench.read_request(0, 0, 10);
        bench.run();
        bench.receive(BthRepr::new(Opcode::ReadEcho, QPN, 0), Extension::None, &[]);
        let last = *bench.events.borrow().last().unwrap();
        assert_eq!((last.flow, last.int_valid), (response_flow(QPN), true));
    }
}
