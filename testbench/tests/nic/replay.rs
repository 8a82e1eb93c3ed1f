//! `hpcc-nic replay`: recorded and hand-made frames into one NIC, its answers, memory, completions and counters.

use hpcc_models::wire::*;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What the NIC may be.
const FIDELITIES: &[&str] = &["golden", "nic-rtl"];

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/roce").join(name)
}

fn capture(path: &Path) -> Vec<TimedFrame> {
    read_pcap(std::fs::File::open(path).unwrap()).unwrap()
}

fn write_capture(path: &Path, frames: &[TimedFrame]) {
    let mut sink = PcapSink::new(Vec::new()).unwrap();
    frames
        .iter()
        .for_each(|frame| sink.write(frame.t_ns, &frame.bytes).unwrap());
    std::fs::write(path, sink.into_inner()).unwrap();
}

fn replay(dir: &Path, config: &str, frames: &[TimedFrame], fidelity: &str, more: &[&str]) -> Output {
    std::fs::write(dir.join("nic.toml"), config).unwrap();
    write_capture(&dir.join("in.pcap"), frames);
    Command::new(env!("CARGO_BIN_EXE_hpcc-nic"))
        .args("replay --config nic.toml --pcap in.pcap --out-pcap out.pcap --out o --fidelity".split(' '))
        .arg(fidelity)
        .args(more)
        .env("CARGO_TARGET_DIR", hpcc_testbench::tools::cache::target_dir())
        .current_dir(dir)
        .output()
        .unwrap()
}

/// What a replay leaves.
struct Left {
    sent: Vec<TimedFrame>,
    completions: Vec<serde_json::Value>,
    counters: serde_json::Value,
    dir: tempfile::TempDir,
}

impl Left {
    fn of(config: &str, frames: &[TimedFrame], fidelity: &str, files: &[(&str, &[u8])]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            std::fs::write(dir.path().join(name), bytes).unwrap();
        }
        let output = replay(dir.path(), config, frames, fidelity, &[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let read = |name: &str| std::fs::read_to_string(dir.path().join("o").join(name)).unwrap();
        let made: serde_json::Value = serde_json::from_str(&read("run.json")).unwrap();
        let from = &made["provenance"];
        assert!(
            from["command"]
                .as_str()
                .unwrap()
                .starts_with("hpcc-nic replay --config nic.toml"),
            "{from}"
        );
        assert_eq!(
            (&made["fidelity"], &made["frames_in"]),
            (&fidelity.into(), &frames.len().into())
        );
        assert_eq!(from["inputs"].as_array().unwrap().len(), 2);
        assert!(from["config"]["nic"]["mtu"].is_number() && from["commit"].is_string());
        Self {
            sent: capture(&dir.path().join("out.pcap")),
            completions: read("completions.jsonl")
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect(),
            counters: serde_json::from_str(&read("counters.json")).unwrap(),
            dir,
        }
    }

    fn memory(&self, key: u32) -> Vec<u8> {
        std::fs::read(self.dir.path().join(format!("o/memory_{key:x}.bin"))).unwrap()
    }

    /// Counters that moved, frames in and out apart.
    fn moved(&self) -> Vec<(String, u64)> {
        let counters = self.counters.as_object().unwrap().iter();
        let counters = counters.map(|(name, value)| (name.clone(), value.as_u64().unwrap()));
        counters
            .filter(|(name, value)| *value > 0 && !name.ends_with("x_frames"))
            .collect()
    }
}

/// The same, and the behavioural model with queues in its host's memory: a line of the queue pair.
const KINDS: &[(&str, &str)] = &[("golden", ""), ("nic-rtl", ""), ("golden", "queues = {}\n")];

/// The memory pattern of the recordings.
fn pattern(seed: u32, len: usize) -> Vec<u8> {
    let shift = seed.wrapping_mul(2_654_435_761);
    let byte = |i: u32| {
        let mut x = i.wrapping_add(shift).wrapping_mul(2_246_822_519);
        x ^= x >> 16;
        (x ^ x >> 8) as u8
    };
    (0..len as u32).map(byte).collect()
}

const REGION: usize = 2_097_152;

/// One side of a recording (`data/roce/linux-rxe`) as a configuration.
fn rxe_config(requester: bool, (qpn, queues): (u32, &str), mtu: u32, psn: u32, key: u32, work: &str) -> String {
    let (own, peer) = if requester { (10, 11) } else { (11, 10) };
    let (send, expected) = if requester { (psn, 6_636_320) } else { (6_636_320, psn) };
    format!(
        "[nic]\nmac = '52:54:00:00:00:{own}'\nip = '10.0.0.{own}'\nwindow_bytes = 1e6\n\
         [[neighbour]]\nip = '10.0.0.{peer}'\nmac = '52:54:00:00:00:{peer}'\n\
         [[qp]]\nqpn = {qpn}\nremote_qpn = {qpn}\nremote_ip = '10.0.0.{peer}'\nsend_psn = {send}\nexpected_psn = {expected}\n\
         mtu = {mtu}\n{queues}\
         [[memory]]\nkey = {key}\naddress = 0x10000000\nlength = {REGION}\naccess = ['remote_write', 'remote_read']\n\
         init = 'memory.bin'\n{work}"
    )
}

fn is_from(frame: &TimedFrame, host: u8) -> bool {
    frame.bytes[29] == host
}

/// The frames with everything that the protocol leaves to the sender made equal: IP identification, type of service, UDP source
/// port, migration state and, where `policy` says so, the acknowledge request.
fn normal(frames: &[TimedFrame], policy: bool) -> Vec<Vec<u8>> {
    let normal = |frame: &TimedFrame| {
        let mut packet = RocePacket::parse(&frame.bytes, &Ports::default()).unwrap();
        (packet.ipv4.ident, packet.ipv4.tos, packet.udp.src_port) = (0, 0, 0xc000);
        packet.bth.migrated = false;
        packet.bth.ack_req &= !policy;
        packet.to_frame()
    };
    frames.iter().map(normal).collect()
}

fn assert_same(expected: &[TimedFrame], got: &[TimedFrame], policy: bool) {
    let (expected, got) = (normal(expected, policy), normal(got, policy));
    if let Some(difference) = hpcc_models::nic::first_difference(&expected, &got, &Ports::default()) {
        panic!("{difference}");
    }
}

/// Index of the requester's frame that the wire lost behind the point of capture.
const LOST: usize = 5;

fn write_drop_mid() -> (Vec<TimedFrame>, Vec<TimedFrame>) {
    let frames = capture(&data("linux-rxe/rxe_write_drop_mid.pcap"));
    frames.into_iter().partition(|frame| is_from(frame, 10))
}

#[test]
fn a_recorded_write_with_a_lost_packet_is_answered_as_linux_did() {
    let (mut requests, answers) = write_drop_mid();
    requests.remove(LOST);
    for (fidelity, queues) in KINDS {
        let config = rxe_config(false, (33, queues), 1024, 1_193_040, 0x12f4, "");
        let left = Left::of(&config, &requests, fidelity, &[("memory.bin", &pattern(9, REGION))]);
        assert_same(&answers, &left.sent, false);
        let mut expected = pattern(9, REGION);
        expected[..20_000].copy_from_slice(&pattern(3, 20_000));
        assert!(left.memory(0x12f4) == expected);
        // 5 lost, 14 behind it; the first of them is answered by the one NAK.
        assert_eq!(
            left.moved(),
            [("naks_sent".to_owned(), 1), ("out_of_sequence".to_owned(), 14)]
        );
        // Times are the capture's: each answer follows what it answers, and nothing takes a microsecond's work longer.
        let last = requests
            .iter()
            .rfind(|request| request.t_ns <= left.sent[1].t_ns)
            .unwrap();
        assert!(left.sent[1].t_ns - last.t_ns < 100_000);
    }
}

#[test]
fn a_recorded_requester_is_relived_from_work_to_completion() {
    let (requests, answers) = write_drop_mid();
    let work = "[[work]]\nqp = 33\nop = 'write'\nlocal_address = 0x10000000\nlocal_key = 0x12f4\n\
                remote_address = 0x10000000\nremote_key = 0x12f4\nlength = 20000\n";
    for (fidelity, queues) in KINDS {
        let config = rxe_config(true, (33, queues), 1024, 1_193_040, 0x12f4, work);
        // The capture begins with the first answer; the work needs its 2 us before it.
        let mut frames = answers.clone();
        let first = TimedFrame {
            t_ns: answers[0].t_ns - 1_000_000,
            bytes: vec![0; 60],
        };
        frames.insert(0, first);
        let left = Left::of(&config, &frames, fidelity, &[("memory.bin", &pattern(3, REGION))]);
        assert_same(&requests, &left.sent, true);
        assert_eq!(left.completions.len(), 1);
        assert_eq!(
            (&left.completions[0]["status"], &left.completions[0]["bytes"]),
            (&"ok".into(), &20_000.into())
        );
        assert_eq!(left.counters["timeouts"], 0, "timers stand still across gaps");
    }
}

#[test]
fn recorded_reads_across_the_psn_wrap_are_answered_as_linux_did() {
    let frames = capture(&data("linux-rxe/rxe_read_psnwrap.pcap"));
    let (requests, answers): (Vec<_>, Vec<_>) = frames.into_iter().partition(|frame| is_from(frame, 10));
    for (fidelity, queues) in KINDS {
        let config = rxe_config(false, (32, queues), 256, 16_777_200, 0x11f9, "");
        let left = Left::of(&config, &requests, fidelity, &[("memory.bin", &pattern(9, REGION))]);
        assert_same(&answers, &left.sent, false);
        assert!(left.memory(0x11f9) == pattern(9, REGION));
        assert_eq!(left.moved(), []);
    }
}

/// NIC B of `roce_examples.txt`.
const EXAMPLES: &str = "[nic]\nmac = '02:00:00:00:00:0b'\nip = '10.0.0.11'\nmtu = 256\n\
    [[neighbour]]\nip = '10.0.0.10'\nmac = '02:00:00:00:00:0a'\n\
    [[qp]]\nqpn = 0x22\nremote_qpn = 0x11\nremote_ip = '10.0.0.10'\nsend_psn = 0x100\nexpected_psn = 0x100\n\
    [[memory]]\nkey = 0xdeadbeef\naddress = 0x7f0011223000\nlength = 65536\naccess = ['remote_write', 'remote_read']\n";

#[test]
fn the_examples_are_answered_by_the_book() {
    let frames = capture(&data("roce_examples.pcap"));
    for fidelity in FIDELITIES {
        let left = Left::of(EXAMPLES, &frames, fidelity, &[]);
        let ports = Ports::default();
        let sent: Vec<RocePacket> = left
            .sent
            .iter()
            .map(|f| RocePacket::parse(&f.bytes, &ports).unwrap())
            .collect();
        let aeth = |syndrome, msn| {
            let syndrome = Syndrome::parse(syndrome);
            Extension::Aeth(AethRepr { syndrome, msn })
        };
        let answers: Vec<_> = sent
            .iter()
            .map(|packet| (packet.bth.opcode, packet.bth.psn, packet.extension))
            .collect();
        assert_eq!(
            answers,
            [
                (Opcode::Acknowledge, 0x100, aeth(0x1f, 1)),
                (Opcode::Acknowledge, 0x103, aeth(0x1f, 2)),
                (Opcode::ReadResponse(Position::Only), 0x104, aeth(0x1f, 3)),
                // A SEND with a PSN ahead of the one expected.
                (Opcode::Acknowledge, 0x105, aeth(0x60, 3)),
            ]
        );
        assert_eq!(sent[2].payload, [0; 128]);
        let memory = left.memory(0xdead_beef);
        let sevenfold: Vec<u8> = (0..64u32).map(|i| (7 * i) as u8).collect();
        assert_eq!(memory[0x344..0x384], sevenfold);
        let message: Vec<u8> = frames[1..4]
            .iter()
            .flat_map(|frame| RocePacket::parse(&frame.bytes, &ports).unwrap().payload.to_vec())
            .collect();
        assert_eq!(memory[0x1000..0x1000 + message.len()], message);
        assert_eq!(left.counters["drop_wrong_mac"], 4);
        assert_eq!(left.counters["drop_not_ipv4"], 1);
    }
}

#[test]
fn a_queue_pair_may_have_any_number_of_its_place() {
    let ports = Ports::default();
    let frames = capture(&data("roce_examples.pcap"));
    // the last one shares its place with the number that the frames had
    for qpn in [2, 0x1a3f95, 0xff_ff80, 0x1a3f22] {
        let renamed: Vec<TimedFrame> = frames
            .iter()
            .filter_map(|frame| {
                let mut packet = RocePacket::parse(&frame.bytes, &ports).ok()?;
                packet.bth.dest_qp = qpn;
                Some(TimedFrame {
                    t_ns: frame.t_ns,
                    bytes: packet.to_frame(),
                })
            })
            .collect();
        let config = EXAMPLES.replace("qpn = 0x22", &format!("qpn = {qpn}"));
        let [golden, rtl] = ["golden", "nic-rtl"].map(|fidelity| Left::of(&config, &renamed, fidelity, &[]));
        assert_eq!(golden.sent.len(), 4, "queue pair {qpn:#x}");
        assert_same(&golden.sent, &rtl.sent, true);
        assert!(golden.memory(0xdead_beef) == rtl.memory(0xdead_beef));
        // the number of the example's queue pair belongs to nobody now
        let left = Left::of(&config, &frames, "nic-rtl", &[]);
        assert_eq!((left.sent.len(), left.counters["drop_unknown_qp"] != 0), (0, true));
    }
}

#[test]
fn idle_gaps_are_shortened_and_times_kept() {
    let mut frames = capture(&data("roce_examples.pcap"));
    frames.truncate(1);
    frames.push(TimedFrame {
        t_ns: frames[0].t_ns + 3_600_000_000_000,
        bytes: frames[0].bytes.clone(),
    });
    // Work that nobody acknowledges: an hour goes by without a timeout.
    let config = format!(
        "{EXAMPLES}[[work]]\nqp = 0x22\nop = 'write'\nlocal_address = 0x7f0011223000\nlocal_key = 0xdeadbeef\n\
         remote_address = 0\nremote_key = 1\nlength = 10\nat_ns = 1800000000000\n"
    );
    for fidelity in FIDELITIES {
        let started = std::time::Instant::now();
        let left = Left::of(&config, &frames, fidelity, &[]);
        assert!(started.elapsed().as_secs() < 600, "an hour of clocks was simulated");
        let since: Vec<u64> = left
            .sent
            .iter()
            .map(|frame| (frame.t_ns - frames[0].t_ns) / 1_000_000_000)
            .collect();
        assert_eq!(since, [0, 1800, 3600]);
        assert_eq!(left.counters["timeouts"], 0);
    }
}

/// Ten packets of 256 bytes at 0.05 Gb/s leave more than 40 us apart, four times the time without movement that ends a run: by the register of
/// the rate, by a cap, by a group's level.
#[test]
fn work_that_waits_for_its_pacing_is_not_over() {
    let work = "[[work]]\nqp = 0x22\nop = 'write'\nlocal_address = 0x7f0011223000\nlocal_key = 0xdeadbeef\n\
                remote_address = 0\nremote_key = 1\nlength = 2560\n";
    let configs = [
        EXAMPLES.replacen("mtu = 256", "mtu = 256\nrate_gbps = 0.05", 1),
        EXAMPLES.replacen("qpn = 0x22", "qpn = 0x22\ncap_gbps = 0.05", 1),
        format!("{EXAMPLES}[[level]]\ngroup = 3\ngbps = 0.05\n").replacen("qpn = 0x22", "qpn = 0x22\ngroup = 3", 1),
    ];
    for (config, fidelity) in configs
        .iter()
        .flat_map(|config| FIDELITIES.iter().map(move |f| (config, f)))
    {
        let left = Left::of(&format!("{config}{work}"), &[], fidelity, &[]);
        assert_eq!(left.sent.len(), 10, "{fidelity}: {config}");
        let apart = left.sent.windows(2).map(|w| w[1].t_ns - w[0].t_ns).max().unwrap();
        assert!(apart > 40_000, "{fidelity}: {apart} ns");
    }
}

#[test]
fn the_timer_runs_where_it_is_let_run() {
    let dir = tempfile::tempdir().unwrap();
    let config = format!(
        "{}retry_timeout_us = 20\nretry_limit = 1\n{}[[work]]\nqp = 0x22\nop = 'read'\nlocal_address = 0x7f0011223000\n\
         local_key = 0xdeadbeef\nremote_address = 0\nremote_key = 1\nlength = 10\n",
        &EXAMPLES[..EXAMPLES.find("[[n").unwrap()],
        &EXAMPLES[EXAMPLES.find("[[n").unwrap()..]
    );
    // The hardware looks at its timers every 100 us or so.
    for fidelity in FIDELITIES {
        let output = replay(dir.path(), &config, &[], fidelity, &["--drain-us", "400"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(capture(&dir.path().join("out.pcap")).len(), 2);
        let completions = std::fs::read_to_string(dir.path().join("o/completions.jsonl")).unwrap();
        assert!(completions.contains("\"retry_exceeded\""), "{completions}");
    }
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let good = capture(&data("roce_examples.pcap"));
    let refused = |config: &str, spoil: &dyn Fn(&Path)| {
        std::fs::write(dir.join("nic.toml"), config).unwrap();
        write_capture(&dir.join("in.pcap"), &good);
        spoil(dir);
        let output = Command::new(env!("CARGO_BIN_EXE_hpcc-nic"))
            .args("replay --config nic.toml --pcap in.pcap --out-pcap out.pcap --out o".split(' '))
            .current_dir(dir)
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
        error.trim_end().to_owned()
    };
    let keep = |_: &Path| {};
    assert!(refused("", &keep).starts_with("error: nic.toml:1: missing field `nic`"));
    let error = refused(&EXAMPLES.replace("0x22", "0"), &keep);
    assert!(
        error.starts_with("error: nic.toml:9: [[qp]] qpn: 0x0 is not in"),
        "{error}"
    );
    // numbers without a place, and two of one place
    let error = refused(&EXAMPLES.replace("qpn = 0x22", "qpn = 0x1a3f00"), &keep);
    assert!(
        error.contains("the hardware, which has 2 to 149; those of 0x1a3f00 are 0"),
        "{error}"
    );
    let twice = EXAMPLES.replace(
        "[[memory]]",
        "[[qp]]\nqpn = 0x122\nremote_qpn = 1\nremote_ip = '10.0.0.10'\nsend_psn = 0\nexpected_psn = 0\n[[memory]]",
    );
    let error = refused(&twice, &keep);
    assert!(error.contains("0x22 and 0x122 have the same place 34"), "{error}");
    let block = "[[memory]]\nkey = 0x1ebeef\naddress = 0x10000\nlength = 64\n";
    let error = refused(&format!("{EXAMPLES}{block}"), &keep);
    assert!(
        error.contains("0xdeadbeef and 0x1ebeef have the same entry 30"),
        "{error}"
    );
    let error = refused(&EXAMPLES.replace("mtu = 256", "mut = 256"), &keep);
    assert!(
        error.starts_with("error: nic.toml:4: nic: unknown field `mut`"),
        "{error}"
    );
    let cut = |dir: &Path| {
        let bytes = std::fs::read(dir.join("in.pcap")).unwrap();
        std::fs::write(dir.join("in.pcap"), &bytes[..bytes.len() - 3]).unwrap();
    };
    assert!(refused(EXAMPLES, &cut).starts_with("error: in.pcap: packet capture"));
    let text = |dir: &Path| std::fs::write(dir.join("in.pcap"), "no capture at all, only words").unwrap();
    assert!(refused(EXAMPLES, &text).starts_with("error: in.pcap: packet capture"));
    let gone = |dir: &Path| std::fs::remove_file(dir.join("in.pcap")).unwrap();
    assert!(refused(EXAMPLES, &gone).starts_with("error: in.pcap: "));
}
