//! `hpcc-nic agent` over the control sockets of two `hpcc-nic serve`, and what limits in a configuration do.

use crate::serve::{free_port, Serving};
use hpcc_testbench::nic::agent::NicClient;
use serde_json::json;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

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
