//! `hpcc-nic run` from outside: files and exit codes. Bad input is in `bad_input.rs`.

use std::path::Path;
use std::process::{Command, Output};

fn hpcc_nic(args: &[&str], dir: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hpcc-nic"))
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap()
}

fn data(name: &str) -> String {
    format!("{}/data/ns3-runs/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_scenario_leaves_its_files() {
    let temp = tempfile::tempdir().unwrap();
    let args = [
        "run",
        "incast16",
        "--fidelity",
        "fixed",
        "--out",
        "o",
        "--html",
        "--set",
        "traffic.0.bytes=50000",
    ];
    let output = hpcc_nic(&args, temp.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| std::fs::read_to_string(temp.path().join("o").join(name)).unwrap();
    let flows = read("flows.csv");
    assert_eq!(
        flows.lines().next(),
        Some("flow,src,dst,size_bytes,start_ns,fct_ns,ideal_ns,slowdown,retransmitted_bytes,status")
    );
    assert_eq!(flows.lines().filter(|l| l.ends_with(",0,ok")).count(), 16);
    assert!(read("queues.csv").starts_with("t_ns,node,port,bytes\n"));
    assert!(read("rates.csv").starts_with("t_ns,flow,rate_bps,window_bytes\n"));
    let summary: serde_json::Value = serde_json::from_str(&read("summary.json")).unwrap();
    assert_eq!(summary["law"], "hpcc");
    assert_eq!(summary["fidelity"], "fixed");
    assert_eq!(summary["checks"]["flows_finished"]["passed"], true);
    assert!(summary["packets_per_wall_s"].as_f64().unwrap() > 0.0);
    let from = &summary["provenance"];
    assert_eq!(from["version"], env!("CARGO_PKG_VERSION"));
    assert!(from["commit"].as_str().is_some_and(|c| c.len() >= 7) && from["sources_fnv1a64"].is_string());
    assert_eq!(from["command"], format!("hpcc-nic {}", args.join(" ")));
    assert_eq!(
        (&from["scenario"]["traffic"][0]["bytes"], &from["scenario"]["fidelity"]),
        (&50_000.into(), &"fixed".into())
    );
    // Defaults that the scenario does not mention stand there too.
    assert_eq!(
        (&from["scenario"]["network"]["mtu"], &from["seed"]),
        (&1024.into(), &1.into())
    );
    assert_eq!(from["law"]["parameters"]["eta"], 0.95);
    assert!(summary["cpu_s"]
        .as_f64()
        .is_none_or(|cpu| cpu <= summary["wall_s"].as_f64().unwrap() + 0.05));
    assert!(read("incast16.svg").starts_with("<svg") && temp.path().join("o/incast16.png").exists());
    // Self-contained: nothing to be fetched, by address, file or script.
    let page = read("report.html");
    assert!(page.contains("<svg") && page.ends_with("</html>\n"));
    let outside = ["src=", "href=", "<script", "<link", "@import", "url("];
    assert!(outside.iter().all(|tag| !page.contains(tag)));
    let addresses = page.matches("http").count();
    assert_eq!(addresses, page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
    for panel in [
        "busiest queue",
        "pacing rate",
        "window",
        "seed",
        "w_ai = 80",
        "sources ",
        "of a processor",
    ] {
        assert!(page.contains(panel), "{panel}");
    }
}

#[test]
fn ns3_files_give_that_simulators_times() {
    let temp = tempfile::tempdir().unwrap();
    let (topology, flows, config) = (
        data("two_to_one.topo.txt"),
        data("two_to_one.flow.txt"),
        data("two_to_one.config.txt"),
    );
    let args = [
        "run",
        "--topology",
        &topology,
        "--flows",
        &flows,
        "--ns3-config",
        &config,
        "--out",
        "o",
    ];
    let output = hpcc_nic(&args, temp.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let got = std::fs::read_to_string(temp.path().join("o/flows.csv")).unwrap();
    let want = std::fs::read_to_string(data("two_to_one.fct.csv")).unwrap();
    for (got, want) in got.lines().zip(want.lines()).skip(1) {
        let head = |line: &str| line.split(',').take(7).map(String::from).collect::<Vec<_>>();
        assert_eq!(head(got), head(want));
    }
    // The law's parameters are those of the topology: `T`, window and additive step as in that simulator's own trace of this run.
    let summary = std::fs::read_to_string(temp.path().join("o/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    let law = &summary["provenance"]["law"]["parameters"];
    assert_eq!((&law["t_ns"], &law["w_init_bytes"]), (&4160.into(), &52_000.into()));
    assert!((law["w_ai"].as_f64().unwrap() - 80.000_000_08).abs() < 1e-6, "{law}");
    // The queue of the receiver's port, node 3 port 3, as recorded each microsecond from 2 s on.
    let queues = std::fs::read_to_string(temp.path().join("o/queues.csv")).unwrap();
    let mut changes = queues
        .lines()
        .filter_map(|line| {
            let fields: Vec<u64> = line.split(',').filter_map(|f| f.parse().ok()).collect();
            (fields.get(1..3)? == [3, 3]).then(|| (fields[0] - 2_000_000_000, fields[3]))
        })
        .peekable();
    let want = std::fs::read_to_string(data("two_to_one.qlen.csv")).unwrap();
    let mut bytes = 0;
    for row in want.lines().skip(1) {
        let (t_ns, recorded) = row.split_once(',').unwrap();
        while let Some((_, changed)) = changes.next_if(|c| c.0 <= t_ns.parse::<u64>().unwrap()) {
            bytes = changed;
        }
        // After the last flow nothing is sampled, and that simulator's queue is empty.
        if changes.peek().is_some() {
            assert_eq!(bytes.to_string(), recorded, "queue at {t_ns} ns");
        } else {
            break;
        }
    }
    assert!(queues.lines().count() > 600, "{} rows", queues.lines().count());
}

/// The configuration's parameters stay with `--cc`, and what is not taken is said; PowerTCP's files give its authors' times.
/// A run with TCP hosts ends with its flows, also if none of them starts at time 0.
#[test]
fn a_run_of_tcp_files_ends_with_its_flows() {
    let temp = tempfile::tempdir().unwrap();
    let topology = concat!(env!("CARGO_MANIFEST_DIR"), "/data/tcp/dumbbell_n1_rtt444.topo.txt");
    let flows = "flow,src,dst,size_bytes,start_ns\n0,0,1,100000,5000000\n";
    std::fs::write(temp.path().join("f.csv"), flows).unwrap();
    let args = [
        "run",
        "--topology",
        topology,
        "--flows",
        "f.csv",
        "--cc",
        "cubic",
        "--out",
        "o",
    ];
    let output = hpcc_nic(&[&args[..], &["--set", "tcp.profile=ns3"]].concat(), temp.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(temp.path().join("o/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(summary["finished"], 1);
    assert!(summary["simulated_ns"].as_u64().unwrap() <= 1_000_000_000, "{text}");
}

#[test]
fn another_law_beside_a_configuration() {
    let temp = tempfile::tempdir().unwrap();
    let power = |what: &str| {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/powertcp/power_two_to_one.");
        format!("{path}{what}")
    };
    let run = |topology: &str, flows: &str, config: &str, law: &str| {
        let files = ["--topology", topology, "--flows", flows, "--ns3-config", config];
        let rest = ["--cc", law, "--out", "o"];
        let output = hpcc_nic(&[&["run"], &files[..], &rest[..]].concat(), temp.path());
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{error}");
        (std::fs::read_to_string(temp.path().join("o/flows.csv")).unwrap(), error)
    };
    let (got, error) = run(&power("topo.txt"), &power("flow.txt"), &power("config.txt"), "powertcp");
    assert!(error.contains("--cc powertcp: parameters of other laws"), "{error}");
    let want = std::fs::read_to_string(power("fct.csv")).unwrap();
    for (got, want) in got.lines().zip(want.lines()).skip(1) {
        let head = |line: &str| line.split(',').take(7).map(String::from).collect::<Vec<_>>();
        assert_eq!(head(got), head(want));
    }
    // The same law named on the command line takes RATE_AI as it does without the name, to the cut of whole bits per second.
    let (topology, flows, config) = (
        data("two_to_one.topo.txt"),
        data("two_to_one.flow.txt"),
        data("two_to_one.config.txt"),
    );
    let (got, _) = run(&topology, &flows, &config, "hpcc");
    let want = std::fs::read_to_string(data("two_to_one.fct.csv")).unwrap();
    for (got, want) in got.lines().zip(want.lines()).skip(1) {
        let fct = |line: &str| line.split(',').nth(5).unwrap().parse::<f64>().unwrap();
        assert!((fct(got) / fct(want) - 1.0).abs() < 0.01, "{got} {want}");
    }
}

#[test]
fn a_failed_check_is_exit_code_1() {
    let temp = tempfile::tempdir().unwrap();
    let args = [
        "run",
        "incast16",
        "--fidelity",
        "golden",
        "--out",
        "o",
        "--set",
        "run.stop_us=20",
    ];
    let output = hpcc_nic(&args, temp.path());
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("flows_finished"));
}

/// The second variant would take hours; the first one's files are there before.
#[test]
fn what_is_over_stays_when_the_rest_is_ended() {
    let temp = tempfile::tempdir().unwrap();
    let text = "name = 'x'\ntitle = 't'\nnetwork = { topology = 'star', hosts = 3 }\nrun = { stop_us = 100000000 }\n\
                [[traffic]]\nkind = 'incast'\nsenders = 2\nreceiver = 2\nbytes = 1000\n\
                [[variant]]\nlabel = 'short'\n[[variant]]\nlabel = 'long'\nset = { 'traffic.0.bytes' = 1000000000000 }\n";
    std::fs::write(temp.path().join("x.toml"), text).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_hpcc-nic"))
        .args(["run", "x.toml", "--threads", "1", "--out", "o"])
        .current_dir(temp.path())
        .spawn()
        .unwrap();
    let summary = temp.path().join("o/short/summary.json");
    while !summary.exists() {
        assert_eq!(child.try_wait().unwrap(), None, "ended before its end");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let flows = std::fs::read_to_string(temp.path().join("o/short/flows.csv")).unwrap();
    assert_eq!(flows.lines().filter(|l| l.ends_with(",ok")).count(), 2);
    assert!(!temp.path().join("o/summary.json").exists());
}
