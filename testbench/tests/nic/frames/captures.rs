//! What Linux software RoCE sent (`data/roce/linux-rxe`) into both. `replay.rs` compares with what Linux answered.

use super::peer::*;
use hpcc_models::nic::{NicConfig, Operation, QpConfig, Region, WorkRequest};
use hpcc_models::wire::read_pcap;
use hpcc_testbench::config::{pattern_byte, Limits, MemoryBlock, NicSetup};
use std::net::Ipv4Addr;
use std::path::Path;

const AT: u64 = 0x1000_0000;

/// One host of a recording, number 10 or 11.
fn host(own: u8, number: u32, mtu: u32, psn: u32, key: u32) -> NicSetup {
    let peer = 21 - own;
    let ip = |host: u8| Ipv4Addr::new(10, 0, 0, host);
    let mac = |host: u8| format!("52:54:00:00:00:{host}").parse().unwrap();
    let (send, expected) = if own == 10 { (psn, 6_636_320) } else { (6_636_320, psn) };
    NicSetup {
        nic: NicConfig {
            mac: mac(own),
            ip: ip(own),
            retry_timeout_ns: 60_000_000,
            neighbours: [(ip(peer), mac(peer))].into(),
            ..NicConfig::default()
        },
        base_rtt_ns: 13_000,
        hpcc: None,
        dcqcn: None,
        power: None,
        queues: Default::default(),
        qps: vec![QpConfig {
            send_psn: send,
            expected_psn: expected,
            mtu,
            ..QpConfig::new(number, number, ip(peer))
        }],
        memory: vec![MemoryBlock {
            region: Region {
                key,
                address: AT,
                length: 1 << 21,
                remote_write: true,
                remote_read: true,
            }
            .into(),
            bytes: (0..1 << 21).map(pattern_byte).collect(),
        }],
        work: Vec::new(),
        limits: Limits::default(),
    }
}

/// Frames that a host sent.
fn frames(name: &str, host: u8) -> Vec<Input> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("data/roce/linux-rxe")
        .join(name);
    let frames = read_pcap(std::fs::File::open(path).unwrap()).unwrap();
    let of_host = frames.into_iter().filter(|frame| frame.bytes[29] == host);
    of_host.map(|frame| Input::Frame(frame.bytes)).collect()
}

#[test]
fn recorded_requests_and_answers() {
    let setup = host(11, 33, 1024, 1_193_040, 0x12f4);
    let mut requests = frames("rxe_write_drop_mid.pcap", 10);
    agreed("recorded WRITE", &setup, &requests);
    // The wire lost this one.
    requests.remove(5);
    let outcome = agreed("recorded WRITE with a loss", &setup, &requests);
    assert_eq!(outcome.counters["out_of_sequence"], 14);
    let setup = host(11, 32, 256, 16_777_200, 0x11f9);
    let outcome = agreed("recorded READ", &setup, &frames("rxe_read_psnwrap.pcap", 10));
    assert!(outcome.sent[&32].len() > 20);
    let mut script = frames("rxe_write_drop_mid.pcap", 11);
    script.insert(
        0,
        Input::Work(WorkRequest {
            id: 1,
            qpn: 33,
            operation: Operation::Write,
            local_address: AT,
            local_key: 0x12f4,
            remote_address: AT,
            remote_key: 0x12f4,
            length: 20_000,
        }),
    );
    let outcome = agreed("recorded answers", &host(10, 33, 1024, 1_193_040, 0x12f4), &script);
    assert_eq!(outcome.completions[&33].len(), 1);
}
