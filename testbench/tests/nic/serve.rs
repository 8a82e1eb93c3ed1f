//! `hpcc-nic serve`: processes with a live wire between them, ARP, and a clean end.

use hpcc_testbench::nic::agent::NicClient;
use serde_json::json;
use std::io::{BufRead, BufReader, Read};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// What the NIC may be.
const FIDELITIES: &[&str] = &["golden", "nic-rtl"];

/// A running `serve`; it is stopped when the test ends, however it ends.
struct Serving {
    child: Child,
    lines: BufReader<ChildStdout>,
    port: u16,
}

impl Serving {
    /// Starts it and waits until it listens.
    fn start(dir: &Path, name: &str, peer: u16, port: u16, fidelity: &str, more: &[&str]) -> Self {
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
fn free_port() -> u16 {
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
        let (source, target) = ((0x1000_0000 + source, 0x50), (0x2000_0000 + target, 0xd0));
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
         [[memory]]\nkey = 0xd0\naddress = 0x20000000\nlength = {LENGTH}\naccess = ['remote_write']\n{work}"
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
        let found = read("memory_d0.bin");
        let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
        assert!(found == expected, "{own}: memory differs at {differs:?}");
        let completions = String::from_utf8(read("completions.jsonl")).unwrap();
        assert_eq!(completions.matches("\"status\":\"ok\"").count(), 4, "{completions}");
        let counters: serde_json::Value = serde_json::from_slice(&read("counters.json")).unwrap();
        assert!(counters["rx_frames"].as_u64() > Some(200) && counters["drop_icrc"] == 0);
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

/// A NIC of `serve` with so many queue pairs, each with one long WRITE to its peer.
/// The window is far more than a round trip through two processes, which simulate slices of 20 us in turns.
fn long_writes(dir: &Path, own: u8, peer: u8, qps: u32, rate_gbps: f64) {
    const BYTES: u32 = 100_000_000;
    let mut text = format!(
        "[nic]\nmac = \"02:00:00:00:00:{own:02x}\"\nip = \"10.0.0.{own}\"\nline_rate_gbps = 10\nrate_gbps = {rate_gbps}\nwindow_bytes = 1e6\n\
         retry_timeout_us = 60000\n\
         [[neighbour]]\nip = \"10.0.0.{peer}\"\nmac = \"02:00:00:00:00:{peer:02x}\"\n\
         [[memory]]\nkey = 1\naddress = 0\nlength = {BYTES}\naccess = [\"remote_write\"]\ninit = \"zero\"\n"
    );
    for qpn in 2..5 {
        text += &format!(
            "[[qp]]\nqpn = {qpn}\nremote_qpn = {qpn}\nremote_ip = \"10.0.0.{peer}\"\nsend_psn = 0\nexpected_psn = 0\n"
        );
    }
    for qpn in 2..2 + qps {
        text += &format!(
            "[[work]]\nqp = {qpn}\nop = \"write\"\nlocal_address = 0\nlocal_key = 1\nremote_address = 0\n\
             remote_key = 1\nlength = {BYTES}\nat_ns = 0\n"
        );
    }
    std::fs::write(dir.join(format!("n{own}.toml")), text).unwrap();
}

/// What each of two NICs sends over `ns` of their clocks, as a part of `mbps`.
fn parts(clients: &mut [NicClient; 2], mbps: f64, ns: f64) -> [f64; 2] {
    let mut look = || {
        [0, 1].map(|i: usize| {
            let (sent, now) = clients[i].sent().unwrap();
            (sent.iter().sum::<u64>() as f64, now as f64)
        })
    };
    let before = look();
    let mut after = before;
    while (0..2).any(|i| after[i].1 - before[i].1 < ns) {
        std::thread::sleep(Duration::from_millis(20));
        after = look();
    }
    [0, 1].map(|i| (after[i].0 - before[i].0) * 8e3 / (after[i].1 - before[i].1) / mbps)
}

/// Two `serve` processes with control sockets under an agent for so many seconds; what the agent said, and connections to the NICs. `prepare`
/// gets the connections before the agent starts.
struct UnderAgent {
    clients: [NicClient; 2],
    text: String,
    _nics: Vec<Serving>,
    _dir: tempfile::TempDir,
}

fn under_agent(
    fidelity: &str,
    seconds: &str,
    mbps: f64,
    demand: &str,
    prepare: fn(&mut [NicClient; 2], f64),
) -> UnderAgent {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path();
    long_writes(dir, 1, 2, 1, mbps / 600.0);
    long_writes(dir, 2, 1, 3, mbps / 600.0);
    let ports = [free_port(), free_port()];
    let names = ["n1", "n2"];
    let serve = |i: usize| {
        let control = format!("{}.sock", names[i]);
        Serving::start(
            dir,
            names[i],
            ports[1 - i],
            ports[i],
            fidelity,
            &["--control", &control],
        )
    };
    let nics: Vec<Serving> = (0..2).map(serve).collect();
    let mut clients = names.map(|name| NicClient::connect(&dir.join(format!("{name}.sock"))).unwrap());
    prepare(&mut clients, mbps);
    let nic = |name: &str, more: &str| {
        format!("[[nic]]\nsocket = \"{name}.sock\"\ngroup = [{{ group = 0, path = [\"core\"]{more} }}]\n")
    };
    let capacity = format!(
        "headroom_percent = 100.0\n[[bottleneck]]\nname = \"core\"\ngbps = {}\n",
        mbps / 1e3
    );
    let config = capacity + &nic("n1", demand) + &nic("n2", "");
    std::fs::write(dir.join("agent.toml"), config).unwrap();
    let agent = Command::new(env!("CARGO_BIN_EXE_hpcc-nic"))
        .args(["agent", "--config", "agent.toml", "--seconds", seconds])
        .current_dir(dir)
        .output()
        .unwrap();
    assert!(agent.status.success(), "{}", String::from_utf8_lossy(&agent.stderr));
    UnderAgent {
        text: String::from_utf8(agent.stdout).unwrap(),
        _dir: temporary,
        _nics: nics,
        clients,
    }
}

/// Two NICs, one with a flow and one with three, under one agent: each flow has a quarter of the capacity; then one is capped below its
/// share by hand, in a group of its own. The capacity is `mbps`; rates are measured over `ns` of the NICs' own clocks.
fn an_agent_shares(fidelity: &str, seconds: &str, mbps: f64, ns: f64) {
    let mut run = under_agent(fidelity, seconds, mbps, "", |_, _| ());
    let (clients, text) = (&mut run.clients, &run.text);
    assert!(
        text.contains(r#""active":3,"#) && text.contains(&format!(r#""level_bps":{:.0}"#, mbps * 1e6 / 4.0)),
        "{text}"
    );
    // levels stay as the agent left them
    let rates = |clients: &mut [NicClient; 2]| parts(clients, mbps, ns);
    let near = |shares: [f64; 2], want: [f64; 2]| (0..2).all(|i| (shares[i] / want[i] - 1.0).abs() < 0.02);
    let shares = rates(clients);
    println!(
        "{fidelity}, under the agent: {:.4} and {:.4} of the capacity",
        shares[0], shares[1]
    );
    assert!(near(shares, [0.25, 0.75]), "{shares:?}");
    clients[1].ask(&json!({"cap": [4, mbps / 12.0 / 8e3, 1]})).unwrap();
    let shares = rates(clients);
    println!(
        "one of three capped at a twelfth: {:.4} and {:.4}",
        shares[0], shares[1]
    );
    assert!(near(shares, [0.25, 0.5 + 1.0 / 12.0]), "{shares:?}");
    assert_eq!(clients[1].active().unwrap()[..2], [2, 1]);
    let refused = clients[1].ask(&json!({"level": [16, 1.0]})).unwrap_err().to_string();
    assert!(refused.contains("group: expected 0 to 15"), "{refused}");
}

#[test]
fn an_agent_shares_a_capacity_between_two_nics() {
    an_agent_shares("golden", "1", 2.4, 3e9);
}

/// A sender with a rate of its own, here a cap of a tenth of the capacity, leaves the rest to the three flows of the other NIC if its group
/// asks for what it was seen to use: a quarter more than its tenth is set aside for it.
#[test]
fn an_agent_gives_what_is_not_used_to_the_others() {
    let slow = |clients: &mut [NicClient; 2], mbps: f64| {
        clients[0].ask(&json!({"cap": [4, mbps / 10.0 / 8e3, 0]})).unwrap();
    };
    for (demand, want) in [("", [0.1, 0.75]), (", demand = \"sent\"", [0.1, 0.875])] {
        let mut run = under_agent("golden", "3", 24.0, demand, slow);
        let shares = parts(&mut run.clients, 24.0, 1e9);
        println!("{demand}: {:.4} and {:.4} of the capacity", shares[0], shares[1]);
        let near = (0..2).all(|i| (shares[i] / want[i] - 1.0).abs() < 0.03);
        assert!(near, "{demand}: {shares:?} {}", run.text);
    }
}

/// Caps, groups and levels of the configuration hold from the first packet on: a flow capped at 0.4 Mb/s in a group of its own, two others
/// under a level of 0.8 Mb/s.
#[test]
fn a_configuration_limits_its_flows() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path();
    long_writes(dir, 1, 2, 0, 0.01);
    long_writes(dir, 2, 1, 3, 0.01);
    let path = dir.join("n2.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let limited = text.replace("[[qp]]\nqpn = 2\n", "[[qp]]\nqpn = 2\ngroup = 1\ncap_gbps = 0.0004\n");
    assert_ne!(limited, text);
    std::fs::write(&path, limited + "[[level]]\ngroup = 0\ngbps = 0.0008\n").unwrap();
    let ports = [free_port(), free_port()];
    let _peer = Serving::start(dir, "n1", ports[1], ports[0], "golden", &[]);
    let _nic = Serving::start(dir, "n2", ports[0], ports[1], "golden", &["--control", "n2.sock"]);
    let mut client = NicClient::connect(&dir.join("n2.sock")).unwrap();
    let mut look = || {
        let answer = client.ask(&json!({"get": "sent"})).unwrap();
        let sent = [0, 1].map(|group| answer["sent"][group].as_f64().unwrap());
        (sent, answer["now_ns"].as_f64().unwrap())
    };
    let (before, from) = look();
    let (mut after, mut to) = (before, from);
    while to - from < 3e9 {
        std::thread::sleep(Duration::from_millis(20));
        (after, to) = look();
    }
    let mbps = [0, 1].map(|group| (after[group] - before[group]) * 8e3 / (to - from));
    assert!(
        (mbps[0] / 1.6 - 1.0).abs() < 0.03 && (mbps[1] / 0.4 - 1.0).abs() < 0.03,
        "{mbps:?}"
    );
}

/// The same with two NICs in RTL, whose clocks are slower than the wall's: faster flows, measured over 1.5 ms of theirs.
#[test]
fn an_agent_shares_a_capacity_between_two_nics_in_rtl() {
    an_agent_shares("nic-rtl", "15", 2400.0, 1.5e6);
}
