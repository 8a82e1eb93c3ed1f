//! `hpcc-nic serve`: processes with a live wire between them, ARP, and a clean end.

use std::io::{BufRead, BufReader, Read};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// What the NIC may be.
const FIDELITIES: &[&str] = &["golden", "nic-rtl"];

/// A running `serve`; it is stopped when the test ends, however it ends.
pub(super) struct Serving {
    child: Child,
    lines: BufReader<ChildStdout>,
    port: u16,
}

impl Serving {
    /// Starts it and waits until it listens.
    pub(super) fn start(dir: &Path, name: &str, peer: u16, port: u16, fidelity: &str, more: &[&str]) -> Self {
        Self::spawn(dir, name, peer, port, fidelity, more).listening()
    }

    /// Starts it on a port, 0 for a free one.
    fn spawn(dir: &Path, name: &str, peer: u16, port: u16, fidelity: &str, more: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_hpcc-nic"))
            .args([
                "serve",
                "--config",
                &format!("{name}.toml"),
                "--out",
                name,
                "--fidelity",
                fidelity,
            ])
            .args([
                "--listen",
                &format!("127.0.0.1:{port}"),
                "--peer",
                &format!("127.0.0.1:{peer}"),
            ])
            .args(more)
            .env("CARGO_TARGET_DIR", hpcc_testbench::tools::cache::target_dir())
            .current_dir(dir)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines, port }
    }

    /// Waits until it listens.
    fn listening(mut self) -> Self {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        let Some((_, rest)) = line.split_once("serves at 127.0.0.1:") else {
            let mut error = String::new();
            self.child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
            panic!("{line}{error}");
        };
        self.port = rest.split(',').next().unwrap().parse().unwrap();
        self
    }

    /// The next completion.
    fn completion(&mut self) -> serde_json::Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// Sends a signal and waits for the end.
    fn end(mut self, signal: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        assert!(self.child.wait().unwrap().success(), "{signal} ends it cleanly");
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that nobody had a moment ago.
pub(super) fn free_port() -> u16 {
    UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

const LENGTH: usize = 200_000;
/// From one message to the next, and the bytes of one: the second begins at an odd address and ends where READs begin.
const MESSAGE: usize = 50_001;
const WRITTEN: usize = 49_999;

/// A NIC that writes two messages from its first to the peer's second region and reads two back into its own second.
fn config(own: u8, int: bool) -> String {
    let peer = 21 - own;
    let work: String = [
        ("write", 0, 0),
        ("read", 0, 100_000),
        ("write", MESSAGE, MESSAGE),
        ("read", MESSAGE, 100_000 + MESSAGE),
    ]
    .map(|(op, source, target)| {
        let (source, target) = ((0x1000_0000 + source, 0x50), (0x2000_0000 + target, 0x1d0));
        let (local, remote) = if op == "write" {
            (source, target)
        } else {
            (target, source)
        };
        // Posted late enough for the other process to be there.
        format!(
            "[[work]]\nqp = 5\nop = '{op}'\nlocal_address = {}\nlocal_key = {}\nremote_address = {}\nremote_key = {}\n\
                 length = {}\nat_ns = 300000000\n",
            local.0, local.1, remote.0, remote.1, WRITTEN
        )
    })
    .concat();
    format!(
        "[nic]\nmac = '02:00:00:00:00:{own}'\nip = '10.0.0.{own}'\nretry_timeout_us = 60000\nrate_gbps = 10\n\
         window_bytes = 20000\n\
         [[neighbour]]\nip = '10.0.0.{peer}'\nmac = '02:00:00:00:00:{peer}'\n\
         [[qp]]\nqpn = 5\nremote_qpn = 5\nremote_ip = '10.0.0.{peer}'\nsend_psn = {own}\nexpected_psn = {peer}\nint = {int}\n\
         [[memory]]\nkey = 0x50\naddress = 0x10000000\nlength = {LENGTH}\naccess = ['remote_read']\ninit = '{own}.bin'\n\
         [[memory]]\nkey = 0x1d0\naddress = 0x20000000\nlength = {LENGTH}\naccess = ['remote_write']\n{work}"
    )
}

fn contents(seed: u8) -> Vec<u8> {
    (0..LENGTH)
        .map(|i| (i * i / 7 + i) as u8 ^ seed.wrapping_mul(91))
        .collect()
}

fn two_processes(fidelity: &str, int: bool) {
    let dir = tempfile::tempdir().unwrap();
    for own in [10, 11] {
        std::fs::write(dir.path().join(format!("{own}.toml")), config(own, int)).unwrap();
        std::fs::write(dir.path().join(format!("{own}.bin")), contents(own)).unwrap();
    }
    let ports = [free_port(), free_port()];
    // Both are there before either has work: what comes early waits in the socket.
    let mut serving = [(0, "10"), (1, "11")]
        .map(|(i, name)| {
            let capture = format!("{name}.pcap");
            Serving::spawn(
                dir.path(),
                name,
                ports[1 - i],
                ports[i],
                fidelity,
                &["--pcap", &capture],
            )
        })
        .map(Serving::listening);
    for nic in &mut serving {
        for work in 0..4 {
            let done = nic.completion();
            assert_eq!((&done["status"], &done["work"]), (&"ok".into(), &work.into()), "{done}");
        }
    }
    let [a, b] = serving;
    a.end("-TERM");
    b.end("-INT");
    for (own, peer) in [(10u8, 11u8), (11, 10)] {
        let read = |name: &str| std::fs::read(dir.path().join(own.to_string()).join(name)).unwrap();
        assert!(read("memory_50.bin") == contents(own));
        let (theirs, mut expected) = (contents(peer), vec![0; LENGTH]);
        for at in [0, MESSAGE] {
            expected[at..at + WRITTEN].copy_from_slice(&theirs[at..at + WRITTEN]);
            expected[100_000 + at..100_000 + at + WRITTEN].copy_from_slice(&theirs[at..at + WRITTEN]);
        }
        let found = read("memory_1d0.bin");
        let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
        assert!(found == expected, "{own}: memory differs at {differs:?}");
        let completions = String::from_utf8(read("completions.jsonl")).unwrap();
        assert_eq!(completions.matches("\"status\":\"ok\"").count(), 4, "{completions}");
        let counters: serde_json::Value = serde_json::from_slice(&read("counters.json")).unwrap();
        assert!(counters["rx_frames"].as_u64() > Some(200) && counters["drop_icrc"] == 0);
        let made: serde_json::Value = serde_json::from_slice(&read("run.json")).unwrap();
        let from = &made["provenance"];
        assert!(
            from["command"].as_str().unwrap().starts_with("hpcc-nic serve --config"),
            "{from}"
        );
        assert_eq!((&made["fidelity"], &made["lost"]), (&fidelity.into(), &0.into()));
        assert_eq!(from["config"]["qp"][0]["int"], int);
        assert!(from["commit"].is_string() && from["inputs"][0]["fnv1a64"].is_string());
        assert_eq!(from["laws"].get("hpcc").is_some(), int, "{from}");
        let capture = std::fs::File::open(dir.path().join(format!("{own}.pcap"))).unwrap();
        assert!(hpcc_models::wire::read_pcap(capture).unwrap().len() > 400);
    }
}

#[test]
fn two_processes_write_and_read_each_others_memory() {
    FIDELITIES.iter().for_each(|fidelity| two_processes(fidelity, false));
}

#[test]
fn two_processes_with_int() {
    FIDELITIES.iter().for_each(|fidelity| two_processes(fidelity, true));
}

#[test]
fn arp_is_answered_and_time_limits_hold() {
    let dir = tempfile::tempdir().unwrap();
    let text = config(10, false);
    std::fs::write(dir.path().join("nic.toml"), &text[..text.find("[[work]]").unwrap()]).unwrap();
    std::fs::write(dir.path().join("10.bin"), contents(10)).unwrap();
    let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
    peer.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let peer_port = peer.local_addr().unwrap().port();
    for fidelity in FIDELITIES {
        let mut nic = Serving::start(dir.path(), "nic", peer_port, 0, fidelity, &["--seconds", "1.5"]);
        let started = Instant::now();
        // Who has 10.0.0.10? Tell 10.0.0.11.
        let mut request = vec![0xff; 6];
        request.extend([
            2, 0, 0, 0, 0, 0x11, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 0x11, 10, 0, 0, 11,
        ]);
        request.extend([0, 0, 0, 0, 0, 0, 10, 0, 0, 10]);
        peer.send_to(&request, ("127.0.0.1", nic.port)).unwrap();
        let mut reply = [0; 2000];
        let (len, _) = peer.recv_from(&mut reply).unwrap();
        assert_eq!(len, 60);
        assert_eq!(reply[..14], [2, 0, 0, 0, 0, 0x11, 2, 0, 0, 0, 0, 0x10, 8, 6]);
        assert_eq!(reply[20..32], [0, 2, 2, 0, 0, 0, 0, 0x10, 10, 0, 0, 10]);
        assert!(nic.child.wait().unwrap().success());
        assert!((1.3..20.0).contains(&started.elapsed().as_secs_f64()));
        let mut rest = String::new();
        nic.lines.read_to_string(&mut rest).unwrap();
        assert!(
            rest.starts_with("1 frames in, 0 lost in the system's buffer, 1 out, 0 not sent; 1 ARP requests answered"),
            "{rest}"
        );
    }
}

/// A process that stands still while more comes than its receive buffer holds says how much the system lost, on both outputs and in `run.json`.
#[test]
fn lost_datagrams_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let text = config(10, false);
    std::fs::write(dir.path().join("nic.toml"), &text[..text.find("[[work]]").unwrap()]).unwrap();
    std::fs::write(dir.path().join("10.bin"), contents(10)).unwrap();
    let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut nic = Serving::start(dir.path(), "nic", peer.local_addr().unwrap().port(), 0, "golden", &[]);
    let signal = |name: &str, pid: u32| {
        let pid = pid.to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    };
    let pid = nic.child.id();
    signal("-STOP", pid);
    // As many bytes as the largest buffer that the command asks for.
    let limit = std::fs::read_to_string("/proc/sys/net/core/rmem_max").unwrap();
    let limit = limit.trim().parse::<usize>().unwrap().min(64 << 20);
    let datagrams = 2 * limit / 1000 + 1000;
    for _ in 0..datagrams {
        peer.send_to(&[0; 1000], ("127.0.0.1", nic.port)).unwrap();
    }
    // Signals that come to a process that stands still are heeded when it goes on, before it looks at its socket again.
    signal("-TERM", pid);
    signal("-CONT", pid);
    assert!(nic.child.wait().unwrap().success());
    let (mut screen, mut error) = (String::new(), String::new());
    nic.lines.read_to_string(&mut screen).unwrap();
    nic.child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    let made = std::fs::read_to_string(dir.path().join("nic/run.json")).unwrap();
    let made: serde_json::Value = serde_json::from_str(&made).unwrap();
    let lost = made["lost"].as_u64().unwrap();
    assert!(lost > 0, "{screen}");
    assert!(
        error.starts_with(&format!(
            "warning: the system lost {lost} datagrams: its receive buffer of "
        )),
        "{error}"
    );
    assert!(
        screen.contains(&format!(" frames in, {lost} lost in the system's buffer, ")),
        "{screen}"
    );
}

#[test]
fn it_ends_by_itself_when_all_is_done() {
    let dir = tempfile::tempdir().unwrap();
    let text = config(10, false);
    // No peer is there: the work ends with errors after two timeouts.
    let text = text.replace("retry_timeout_us = 60000", "retry_timeout_us = 500\nretry_limit = 1");
    std::fs::write(dir.path().join("nic.toml"), text).unwrap();
    std::fs::write(dir.path().join("10.bin"), contents(10)).unwrap();
    // In RTL a millisecond of timeouts takes a minute.
    for fidelity in &FIDELITIES[..1] {
        let mut nic = Serving::start(dir.path(), "nic", free_port(), 0, fidelity, &["--until-done", "0.1"]);
        let statuses: Vec<_> = (0..4)
            .map(|_| nic.completion()["status"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(statuses, ["retry_exceeded", "flushed", "flushed", "flushed"]);
        assert!(nic.child.wait().unwrap().success());
    }
}

#[test]
fn simulated_time_does_not_run_ahead_of_wall_time() {
    let dir = tempfile::tempdir().unwrap();
    let text = config(10, false)
        .replace("at_ns = 300000000", "at_ns = 0")
        .replace("60000\n", "50000\nretry_limit = 3\n");
    std::fs::write(dir.path().join("nic.toml"), text).unwrap();
    std::fs::write(dir.path().join("10.bin"), contents(10)).unwrap();
    // The RTL takes minutes for a fifth of a second.
    for fidelity in &FIDELITIES[..1] {
        let started = Instant::now();
        let mut nic = Serving::start(dir.path(), "nic", free_port(), 0, fidelity, &["--until-done", "0"]);
        let done = nic.completion();
        // Four timeouts of 50 ms each.
        assert!(started.elapsed() >= Duration::from_millis(200), "{done}");
        assert!(done["t_ns"].as_u64() >= Some(200_000_000), "{done}");
    }
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("bad.toml"), "[nic]\nmac = 'x'\n").unwrap();
    std::fs::write(
        dir.path().join("good.toml"),
        "[nic]\nmac = '02:00:00:00:00:01'\nip = '10.0.0.1'\n",
    )
    .unwrap();
    let refused = |config: &str, listen: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_hpcc-nic"))
            .args(["serve", "--config", config, "--listen", listen, "--peer", "127.0.0.1:9"])
            .current_dir(dir.path())
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        error.trim_end().to_owned()
    };
    assert!(refused("bad.toml", "127.0.0.1:0").starts_with("error: bad.toml:2: "));
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let error = refused("good.toml", &address);
    assert!(
        error.starts_with(&format!("error: --listen {address}: ")) && error.lines().count() == 1,
        "{error}"
    );
    assert!(refused("good.toml", "nonsense").contains("nonsense"));
}
