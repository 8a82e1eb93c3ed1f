//! Two NICs on a wire: memory identical whatever the wire does, or an error completion; frames that foreign tools accept.

use hpcc_models::nic::{Completion, LinkConfig, Status, WorkRequest};
use hpcc_models::wire::{strip_int, PcapSink, Ports, TimedFrame};
use hpcc_testbench::nic::link::{self, LinkOutcome};
use hpcc_testbench::nic::link_config::{LinkOperation, LinkSpec, TARGET};
use hpcc_testbench::nic::link_report::{findings, throughput, LEAST_PERCENT};
use hpcc_testbench::nic::{Device, DeviceError, ModelNic};
use hpcc_testbench::scenario::nic_config::NicSetup;
use hpcc_testbench::tools;
use indicatif::ProgressBar;
use std::path::Path;
use std::process::Command;

fn run<D: Device>(spec: &LinkSpec) -> LinkOutcome {
    link::run::<D>(spec, Path::new("."), &ProgressBar::hidden()).unwrap()
}

fn assert_whole(spec: &LinkSpec, outcome: &LinkOutcome) {
    assert_eq!(outcome.damage(), None, "{spec:?}");
    assert!(outcome.finished, "{spec:?}");
    assert_eq!(outcome.errors(), 0, "{spec:?}");
}

const OPERATIONS: [LinkOperation; 4] = [
    LinkOperation::Write,
    LinkOperation::Read,
    LinkOperation::Bidirectional,
    LinkOperation::BidirectionalRead,
];

fn survives_loss<D: Device>(losses: &[f64], bytes: u64, messages: u64) {
    for &loss in losses {
        for op in OPERATIONS {
            for int in [false, true] {
                let spec = LinkSpec {
                    link: LinkConfig {
                        loss,
                        ..LinkConfig::default()
                    },
                    op,
                    int,
                    bytes,
                    messages,
                    qps: 3,
                    seed: (loss * 1e6) as u64,
                    pcap: false,
                    ..LinkSpec::default()
                };
                assert_whole(&spec, &run::<D>(&spec));
            }
        }
    }
}

#[test]
fn loss_from_a_thousandth_to_a_twentieth_leaves_identical_memory() {
    survives_loss::<ModelNic>(&[0.001, 0.01, 0.05], 70_001, 12);
}

fn survives_everything<D: Device>(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mtu = [256, 512, 1024, 2048, 4096][seed as usize % 5];
        let spec = LinkSpec {
            link: LinkConfig {
                loss: 0.01,
                duplicate: 0.02,
                reorder: 0.02,
                bit_error: 0.01,
                ..LinkConfig::default()
            },
            op: OPERATIONS[seed as usize % 4],
            int: seed % 3 == 0,
            bytes: u64::from(mtu) * 20 + seed,
            mtu,
            messages: 8,
            qps: 2,
            seed,
            pcap: false,
            ..LinkSpec::default()
        };
        assert_whole(&spec, &run::<D>(&spec));
    }
}

#[test]
fn all_faults_at_once_leave_identical_memory() {
    survives_everything::<ModelNic>(1..41);
}

fn moves_every_length<D: Device>(mtu: u32) {
    let around = |n: u64| [n.saturating_sub(1), n, n + 1];
    let mtu64 = u64::from(mtu);
    for bytes in [0, 1, 2, 3, 4, 63, 64, 65]
        .into_iter()
        .chain(around(mtu64))
        .chain(around(3 * mtu64))
    {
        for op in [LinkOperation::Bidirectional, LinkOperation::BidirectionalRead] {
            let spec = LinkSpec {
                op,
                bytes,
                mtu,
                messages: 20,
                int: bytes % 2 == 1,
                ..LinkSpec::default()
            };
            assert_whole(&spec, &run::<D>(&spec));
        }
    }
}

#[test]
fn every_length_around_a_packet_arrives_at_every_alignment() {
    // Messages lie end to end, so odd lengths begin everywhere in a beat.
    moves_every_length::<ModelNic>(256);
    moves_every_length::<ModelNic>(1024);
}

fn fills_the_wire<D: Device>(total: u64) {
    for mtu in [256, 512, 1024, 2048, 4096] {
        for op in OPERATIONS {
            let spec = LinkSpec {
                op,
                mtu,
                bytes: total / 4,
                messages: 4,
                pcap: false,
                ..LinkSpec::default()
            };
            let outcome = run::<D>(&spec);
            assert_whole(&spec, &outcome);
            for direction in throughput(&spec, &outcome).into_iter().flatten() {
                let least = if mtu >= 1024 { LEAST_PERCENT } else { 80.0 };
                assert!(direction.percent >= least, "{op:?} MTU {mtu}: {direction:?}");
                assert!(
                    direction.percent < 101.0,
                    "more than the wire carries: {op:?} MTU {mtu}: {direction:?}"
                );
            }
        }
    }
}

#[test]
fn payload_fills_the_ideal_wire_one_way_and_both_ways() {
    fills_the_wire::<ModelNic>(2 << 20);
}

#[test]
fn a_dead_wire_ends_in_error_completions_and_untouched_memory() {
    let spec = LinkSpec {
        link: LinkConfig {
            loss: 1.0,
            ..LinkConfig::default()
        },
        messages: 3,
        retry_limit: 2,
        ..LinkSpec::default()
    };
    let outcome = run::<ModelNic>(&spec);
    let statuses: Vec<Status> = outcome.sides[0].completions.iter().map(|done| done.status).collect();
    assert_eq!(statuses, [Status::RetryExceeded, Status::Flushed, Status::Flushed]);
    assert_eq!(outcome.damage(), None);
    let checks = findings(&spec, &outcome);
    assert!(
        checks.iter().all(|check| check.passed),
        "errors are not silent damage: {checks:?}"
    );
}

#[test]
fn the_same_seed_gives_the_same_frames() {
    let spec = LinkSpec {
        link: LinkConfig {
            loss: 0.02,
            reorder: 0.02,
            ..LinkConfig::default()
        },
        op: LinkOperation::Bidirectional,
        int: true,
        ..LinkSpec::default()
    };
    let (first, second) = (run::<ModelNic>(&spec), run::<ModelNic>(&spec));
    assert!(first.sent == second.sent && first.sides == second.sides);
    let other = LinkSpec { seed: 2, ..spec };
    assert!(run::<ModelNic>(&other).sent != first.sent);
}

/// A NIC whose memory loses one bit behind its back.
struct Spoilt(ModelNic, Vec<u8>);

impl Device for Spoilt {
    fn create(setup: &NicSetup) -> Result<Self, DeviceError> {
        Ok(Self(ModelNic::create(setup)?, Vec::new()))
    }
    fn now_ns(&self) -> u64 {
        self.0.now_ns()
    }
    fn post(&mut self, work: WorkRequest) {
        self.0.post(work);
    }
    fn offer(&mut self, at_ns: u64, frame: Vec<u8>) {
        self.0.offer(at_ns, frame);
    }
    fn advance(&mut self, to_ns: u64) -> Result<(), DeviceError> {
        self.0.advance(to_ns)?;
        self.1 = self.0.memory(TARGET).unwrap().to_vec();
        self.1[777] ^= 4;
        Ok(())
    }
    fn next_ns(&self) -> Option<u64> {
        self.0.next_ns()
    }
    fn take_sent(&mut self) -> Vec<TimedFrame> {
        self.0.take_sent()
    }
    fn take_completions(&mut self) -> Vec<Completion> {
        self.0.take_completions()
    }
    fn counters(&mut self) -> Result<Vec<(&'static str, u64)>, DeviceError> {
        self.0.counters()
    }
    fn memory(&self, address: u64) -> Option<&[u8]> {
        if address == TARGET {
            Some(&self.1)
        } else {
            self.0.memory(address)
        }
    }
    fn set_pause(&mut self, priorities: u8) {
        self.0.set_pause(priorities);
    }
}

#[test]
fn one_wrong_bit_in_memory_is_damage() {
    let outcome = run::<Spoilt>(&LinkSpec::default());
    // The first NIC's target region is to stay zero, so it is the one that is named.
    let damage = outcome.damage().unwrap();
    assert!(
        damage.contains("(message 0, byte 777): expected 0x00, got 0x04"),
        "{damage}"
    );
    let checks = findings(&LinkSpec::default(), &outcome);
    assert!(!checks[0].passed && checks[0].name == "memory");
}

/// Frames of every kind: both operations, both ways, lost packets, with and without INT.
fn frames<D: Device>() -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    for op in [LinkOperation::Bidirectional, LinkOperation::BidirectionalRead] {
        for int in [false, true] {
            let spec = LinkSpec {
                link: LinkConfig {
                    loss: 0.02,
                    ..LinkConfig::default()
                },
                op,
                int,
                bytes: 9_999,
                messages: 10,
                ..LinkSpec::default()
            };
            frames.extend(run::<D>(&spec).sent.into_iter().map(|frame| frame.bytes));
        }
    }
    frames
}

/// A capture of the frames without their INT.
fn plain_capture(frames: &[Vec<u8>], port: Option<u16>, dir: &Path) -> std::path::PathBuf {
    let mut sink = PcapSink::new(Vec::new()).unwrap();
    for (at, frame) in (0..).zip(frames) {
        sink.write(at, &strip_int(frame, &Ports::default(), port)).unwrap();
    }
    let path = dir.join("frames.pcap");
    std::fs::write(&path, sink.into_inner()).unwrap();
    path
}

#[test]
fn scapy_computes_the_same_icrc() {
    let dir = tempfile::tempdir().unwrap();
    let frames = frames::<ModelNic>();
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
fn tshark_finds_no_malformed_packet() {
    let dir = tempfile::tempdir().unwrap();
    let frames = frames::<ModelNic>();
    let capture = plain_capture(&frames, Some(4791), dir.path());
    let output = Command::new("tshark")
        .arg("-r")
        .arg(&capture)
        .args([
            "-T",
            "fields",
            "-e",
            "infiniband.bth.opcode",
            "-e",
            "_ws.malformed",
            "-e",
            "_ws.expert.severity",
        ])
        .output();
    let Ok(output) = output else {
        eprintln!("tshark_finds_no_malformed_packet: NOT RUN, tshark is not installed");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().count(), frames.len());
    for (number, line) in (1..).zip(text.lines()) {
        let fields: Vec<&str> = line.split('\t').collect();
        assert!(!fields[0].is_empty(), "frame {number} is no RoCEv2: {line}");
        assert!(
            fields.get(1).is_none_or(|malformed| malformed.is_empty()),
            "frame {number}: {line}"
        );
    }
}

fn hpcc_nic(args: &[&str], dir: &Path) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_hpcc-nic"))
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap()
}

#[test]
fn the_command_leaves_its_files() {
    let dir = tempfile::tempdir().unwrap();
    let args = "run link --fidelity golden --out o --seed 3 --set loss=0.01 --set op=bidirectional --set int=on --set bytes=5000";
    let output = hpcc_nic(&args.split(' ').collect::<Vec<_>>(), dir.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| std::fs::read(dir.path().join("o").join(name)).unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&read("summary.json")).unwrap();
    assert_eq!((&summary["scenario"], &summary["seed"]), (&"link".into(), &3.into()));
    assert_eq!(summary["checks"]["memory"]["passed"], true);
    let counters: serde_json::Value = serde_json::from_slice(&read("counters.json")).unwrap();
    assert!(counters["a"]["tx_frames"].as_u64() > Some(0) && counters["b"]["drop_icrc"] == 0);
    let completions = String::from_utf8(read("completions.jsonl")).unwrap();
    assert_eq!(completions.lines().count(), 32);
    for line in completions.lines() {
        let done: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (&done["status"], &done["bytes"], &done["op"]),
            (&"ok".into(), &5000.into(), &"write".into())
        );
    }
    // Nanosecond capture, as many frames as were sent.
    let frames = hpcc_models::wire::read_pcap(&read("packets.pcap")[..]).unwrap();
    assert_eq!(summary["packets"], frames.len());
    assert_eq!(read("packets.pcap")[..4], [0x4d, 0x3c, 0xb2, 0xa1]);
    assert!(frames.windows(2).all(|pair| pair[0].t_ns <= pair[1].t_ns));
}

#[test]
fn the_table_has_a_line_for_every_mtu() {
    let dir = tempfile::tempdir().unwrap();
    let args = "run link --fidelity golden --out o --set table=on --set bytes=500000 --set messages=2";
    let output = hpcc_nic(&args.split(' ').collect::<Vec<_>>(), dir.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = std::fs::read_to_string(dir.path().join("o/table.csv")).unwrap();
    let mtus: Vec<&str> = table
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').next())
        .collect();
    assert_eq!(mtus, ["256", "512", "1024", "2048", "4096"]);
}

#[test]
fn bad_settings_are_one_line_and_exit_code_2() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |args: &[&str]| {
        let output = hpcc_nic(&[&["run", "link"], args].concat(), dir.path());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
        error.trim_end().to_owned()
    };
    assert_eq!(
        refused(&["--set", "loss=2"]),
        "error: --set: loss: expected 0 to 1, got `2`"
    );
    assert!(refused(&["--set", "lost=0"]).starts_with("error: --set: `lost`: expected one of loss,"));
    assert!(refused(&["--set", "mtu"]).starts_with("error: --set: expected key=value"));
    assert!(refused(&["--fidelity", "fixed"]).starts_with("error: --fidelity: expected golden or nic-rtl"));
    assert!(
        refused(&["--set", "vcd_ns=100", "--fidelity", "golden"]).contains("a waveform: expected --fidelity nic-rtl")
    );
    assert!(refused(&["--html"]).starts_with("error: run link: expected none of"));
}
