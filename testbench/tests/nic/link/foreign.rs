//! What other programs say about the frames: scapy computes the same ICRC, tshark finds them well-formed.

use super::run;
use hpcc_models::cc::HopRecord;
use hpcc_models::nic::LinkConfig;
use hpcc_models::wire::telemetry::ioam::{self, IoamNode, Trace};
use hpcc_models::wire::telemetry::{Added, TelemetryPorts};
use hpcc_models::wire::{strip_int, IntStack, Opcode, PcapSink, Ports, RocePacket};
use hpcc_testbench::nic::link_config::{LinkOperation, LinkSpec};
use hpcc_testbench::nic::{Device, ModelNic, RtlNic};
use hpcc_testbench::tools;
use hpcc_testbench::verilated::Model;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Frames of every kind: both operations, both ways, messages of one packet and of several, lost packets, with and without INT.
fn frames<D: Device>() -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    for op in [LinkOperation::Bidirectional, LinkOperation::BidirectionalRead] {
        for (int, bytes) in [(false, 9_999), (true, 9_999), (false, 999)] {
            let spec = LinkSpec {
                link: LinkConfig {
                    loss: 0.02,
                    ..LinkConfig::default()
                },
                op,
                int,
                bytes,
                messages: 10,
                ..LinkSpec::default()
            };
            frames.extend(run::<D>(&spec).sent.into_iter().map(|frame| frame.bytes));
        }
    }
    frames
}

/// A capture of the frames without their INT.
fn plain_capture(frames: &[Vec<u8>], port: Option<u16>, dir: &Path) -> PathBuf {
    let mut sink = PcapSink::new(Vec::new()).unwrap();
    for (at, frame) in (0..).zip(frames) {
        sink.write(at, &strip_int(frame, &Ports::default(), port)).unwrap();
    }
    let path = dir.join("frames.pcap");
    std::fs::write(&path, sink.into_inner()).unwrap();
    path
}

fn scapy_agrees<D: Device>() {
    let dir = tempfile::tempdir().unwrap();
    let frames = frames::<D>();
    let capture = plain_capture(&frames, None, dir.path());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scapy/icrc.py");
    let check = |capture: &Path| {
        let mut command = tools::scapy().unwrap();
        command
            .arg(script)
            .arg(capture)
            .args(["4791", "54791", "54792"])
            .output()
            .unwrap()
    };
    let output = check(&capture);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(text.trim(), format!("{} frames", frames.len()));
    // A frame with one wrong bit is noticed.
    let mut wrong = frames[..3].to_vec();
    wrong[2][60] ^= 1;
    assert!(!check(&plain_capture(&wrong, None, dir.path())).status.success());
}

#[test]
fn scapy_computes_the_same_icrc() {
    scapy_agrees::<ModelNic>();
}

#[test]
fn rtl_scapy_computes_the_same_icrc() {
    scapy_agrees::<RtlNic<Model>>();
}

/// One line for each frame of a capture with these fields, separated by tabs; `None`, said aloud, where tshark is not installed.
fn tshark(test: &str, capture: &Path, arguments: &[&str], fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let mut command = Command::new("tshark");
    command.args(arguments).arg("-r").arg(capture).args(["-T", "fields"]);
    fields.iter().for_each(|field| {
        command.args(["-e", field]);
    });
    let Ok(output) = command.output() else {
        // Past the harness, which keeps what a passing test prints to itself.
        let _ = writeln!(std::io::stderr(), "{test}: NOT RUN, tshark is not installed");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let line = |line: &str| line.split('\t').map(str::to_owned).collect();
    Some(text.lines().map(line).collect())
}

/// Severity of a warning in tshark's numbers; malformed packets are errors, above it.
const WARNING: u32 = 0x60_0000;

/// Every frame is RoCEv2, nothing is malformed, and nothing is worth a warning.
fn tshark_is_content(test: &str, frames: &[Vec<u8>]) {
    let dir = tempfile::tempdir().unwrap();
    let capture = plain_capture(frames, Some(4791), dir.path());
    let fields = [
        "infiniband.bth.opcode",
        "infiniband.invariant.crc",
        "_ws.malformed",
        "_ws.expert.severity",
        "_ws.expert.message",
    ];
    let Some(lines) = tshark(test, &capture, &[], &fields) else {
        return;
    };
    assert_eq!(lines.len(), frames.len());
    let mut opcodes = std::collections::BTreeSet::new();
    for (number, line) in (1..).zip(&lines) {
        let [opcode, crc, malformed, severity, message] = &line[..] else {
            panic!("{test}: frame {number}: {line:?}");
        };
        assert!(!opcode.is_empty(), "{test}: frame {number} is no RoCEv2");
        // What follows the BTH of an echo, an opcode of the manufacturers' range, tshark cannot know.
        let echo = opcode.parse() == Ok(Opcode::ReadEcho.emit());
        assert!(!crc.is_empty() || echo, "{test}: frame {number} has no ICRC");
        opcodes.insert(opcode.clone());
        let warned = severity.split(',').filter_map(|text| text.parse::<u32>().ok());
        let warned = warned.max().is_some_and(|severity| severity >= WARNING);
        assert!(malformed.is_empty() && !warned, "{test}: frame {number}: {message}");
    }
    // WRITE and READ response first, middle, last and only, READ request, ACK, echo.
    assert!(opcodes.len() >= 11, "{test}: only {opcodes:?}");
}

#[test]
fn tshark_finds_no_malformed_packet() {
    tshark_is_content("tshark_finds_no_malformed_packet", &frames::<ModelNic>());
}

#[test]
fn rtl_tshark_finds_no_malformed_packet() {
    tshark_is_content("rtl_tshark_finds_no_malformed_packet", &frames::<RtlNic<Model>>());
}

#[test]
fn the_lua_dissector_shows_int() {
    let spec = LinkSpec {
        int: true,
        hops: 3,
        bytes: 9_999,
        messages: 2,
        ..LinkSpec::default()
    };
    let mut frames: Vec<Vec<u8>> = run::<ModelNic>(&spec)
        .sent
        .into_iter()
        .map(|frame| frame.bytes)
        .collect();
    // One whose stack is longer than the packet: a WRITE of 0 bytes that claims 5 hops would be, this is cut.
    let mut cut = frames[frames.len() - 1].clone();
    cut[42] = 0x50;
    cut.truncate(60);
    for (at, length) in [(16, 46u16), (38, 26)] {
        cut[at..at + 2].copy_from_slice(&length.to_be_bytes());
    }
    frames.push(cut);
    let dir = tempfile::tempdir().unwrap();
    let mut sink = PcapSink::new(Vec::new()).unwrap();
    (0..)
        .zip(&frames)
        .for_each(|(at, frame)| sink.write(at, frame).unwrap());
    let capture = dir.path().join("int.pcap");
    std::fs::write(&capture, sink.into_inner()).unwrap();
    let script = concat!("lua_script:", env!("CARGO_MANIFEST_DIR"), "/wireshark/hpcc_int.lua");
    let fields = [
        "hpcc_int.n_hop",
        "hpcc_int.path_id",
        "hpcc_int.speed",
        "hpcc_int.ts",
        "hpcc_int.tx_bytes",
        "hpcc_int.q_len",
        "infiniband.bth.psn",
        "hpcc_int.too_long",
    ];
    let Some(lines) = tshark("the_lua_dissector_shows_int", &capture, &["-X", script], &fields) else {
        return;
    };
    let (last, lines) = lines.split_last().unwrap();
    assert!(!last[7].is_empty() && last[6].is_empty(), "{last:?}");
    let mut with_hops = 0;
    for (line, frame) in lines.iter().zip(&frames) {
        let packet = RocePacket::parse(frame, &Ports::default()).unwrap();
        let stack = IntStack::parse(packet.int).unwrap();
        let hops = &stack.hops[..stack.records()];
        let list = |field: &dyn Fn(&HopRecord) -> u32| -> String {
            let texts: Vec<String> = hops.iter().map(|hop| field(hop).to_string()).collect();
            texts.join(",")
        };
        let expected = [
            stack.n_hop.to_string(),
            format!("0x{:04x}", stack.path_id),
            list(&|hop| hop.speed.into()),
            list(&|hop| hop.ts),
            list(&|hop| hop.tx_bytes),
            list(&|hop| hop.q_len.into()),
            packet.bth.psn.to_string(),
            String::new(),
        ];
        assert_eq!(line[..], expected);
        with_hops += usize::from(hops.len() == 3);
    }
    assert!(with_hops >= 20);
}

/// Our IOAM trace option, in the place that RFC 9486 gives it (hop by hop in IPv6): Wireshark finds namespace, lengths and both switches. What we
/// put behind UDP is the same option, byte for byte. "Undefined" is bit 12, our byte counter.
#[test]
fn tshark_reads_ioam() {
    let ports = TelemetryPorts::default();
    let mut plain = vec![0u8; 60];
    (plain[0], plain[3], plain[9]) = (0x45, 60, 17);
    let mut packet = ioam::encapsulate(&plain, Trace::Preallocated, ports.ioam, ports.namespace).unwrap();
    for (hop_limit, node, ingress, egress, speed, fraction, queue, tx_bytes) in [
        (63, 0xabc, 3, 5, 5, 0x075b_d2f1, 320, 0x1234_5678),
        (62, 0x123, 1, 7, 7, 0x075b_dbed, 2, 0x0fed_cba9),
    ] {
        let node = IoamNode {
            hop_limit,
            node,
            ingress,
            egress,
            speed,
            fraction,
            queue,
            tx_bytes,
        };
        assert_eq!(
            ioam::stamp(&mut packet, &node, ports.ioam, ports.namespace, 1500),
            Added::Yes
        );
    }
    const OPTION: usize = 112;
    let option = &packet[28..28 + OPTION];
    // Two bytes of padding before it and four behind: 120 bytes, 14 units of eight after the first.
    let hop_by_hop = [&[17, 14, 1, 0][..], option, &[1, 2, 0, 0], &[0, 1, 0, 2, 0, 8, 0, 0]].concat();
    let mut frame = [&[0u8; 12][..], &[0x86, 0xdd, 0x60, 0, 0, 0]].concat();
    frame.extend((hop_by_hop.len() as u16).to_be_bytes());
    frame.extend([0, 64]);
    frame.extend([0u8; 32]);
    frame.extend(&hop_by_hop);
    let folder = tempfile::tempdir().unwrap();
    let capture = folder.path().join("ioam.pcap");
    let mut sink = PcapSink::new(Vec::new()).unwrap();
    sink.write(0, &frame).unwrap();
    std::fs::write(&capture, sink.into_inner()).unwrap();
    let names = [
        "ns",
        "nodelen",
        "remlen",
        "type",
        "node.hlim",
        "node.id",
        "node.iif",
        "node.eif",
        "node.tsf",
        "node.qdepth",
        "node.undefined",
    ];
    let fields = names.map(|name| format!("ipv6.opt.ioam.trace.{name}"));
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    let Some(lines) = tshark("tshark_reads_ioam", &capture, &[], &fields) else {
        return;
    };
    let expected = [
        "1",
        "5",
        "15",
        "0xd20800",
        "62,63",
        "0x000123,0x000abc",
        "0x0001,0x0003",
        "0x7007,0x5005",
        "0x075bdbed,0x075bd2f1",
        "0x00000002,0x00000140",
        "0x0fedcba9,0x12345678",
    ];
    assert_eq!(lines, [expected.map(str::to_owned)]);
}
