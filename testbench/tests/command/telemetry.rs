//! `hpcc-nic telemetry` from outside.

use hpcc_models::wire::telemetry::ifa::{self, IfaHop};
use hpcc_models::wire::{each_packet, PcapError, PcapSink};
use std::path::Path;
use std::process::{Command, Output};

fn telemetry(file: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hpcc-nic"));
    command.arg("telemetry").arg(file).output().unwrap()
}

/// The plain RoCEv2 packets of a foreign capture, with and without IFA over two switches.
fn capture(dir: &Path) -> (std::path::PathBuf, usize) {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/data/roce/roce_examples.pcap");
    let mut sink = PcapSink::new(Vec::new()).unwrap();
    let mut count = 0;
    let file = std::fs::File::open(examples).unwrap();
    each_packet(std::io::BufReader::new(file), |packet| {
        sink.write(count, &packet.bytes)?;
        count += 1;
        Ok::<(), PcapError>(())
    })
    .unwrap();
    let file = std::fs::File::open(examples).unwrap();
    each_packet(std::io::BufReader::new(file), |packet| {
        let at = packet.ip_at.unwrap();
        let mut ip = ifa::encapsulate(&packet.bytes[at..]).unwrap();
        for (device, egress) in [(0xabc, 5), (0x123, 7)] {
            let hop = IfaHop {
                device,
                egress,
                speed: 4,
                tx_bytes: 1280,
                queue: 9,
                ..IfaHop::default()
            };
            ifa::stamp(&mut ip, &hop, 9000);
        }
        sink.write(count, &[&packet.bytes[..at], &ip].concat())?;
        count += 1;
        Ok::<(), PcapError>(())
    })
    .unwrap();
    let path = dir.join("c.pcap");
    std::fs::write(&path, sink.into_inner()).unwrap();
    (path, count as usize)
}

#[test]
fn a_line_for_every_packet() {
    let dir = tempfile::tempdir().unwrap();
    let (path, count) = capture(dir.path());
    let output = telemetry(&path);
    assert!(output.status.success() && output.stderr.is_empty());
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<serde_json::Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), count);
    // Every example has a right ICRC, IPv6 among them, and keeps it under IFA.
    assert!(lines.iter().all(|line| line["icrc"] == true), "{text}");
    let (plain, ifa) = lines.split_at(count / 2);
    assert!(plain
        .iter()
        .all(|line| line["format"].is_null() && line["records"] == serde_json::json!([])));
    for line in ifa {
        assert_eq!((&line["format"], &line["path_id"]), (&"ifa".into(), &0xbdf.into()));
        let record = serde_json::json!({ "speed": 5, "ts": 0, "tx": 10, "q": 9 });
        assert_eq!(line["records"], serde_json::json!([record, record]));
    }
}

#[test]
fn bad_files_are_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.pcap");
    for bytes in [&b""[..], b"hello, this is no capture at all"] {
        std::fs::write(&path, bytes).unwrap();
        let output = telemetry(&path);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), text.lines().count()), (Some(2), 1), "{text}");
        assert!(text.starts_with("error: ") && text.contains("x.pcap"), "{text}");
    }
    assert_eq!(telemetry(&dir.path().join("none.pcap")).status.code(), Some(2));
}
