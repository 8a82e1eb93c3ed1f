//! `hpcc-nic run` from outside: files, exit codes, one-line errors, nothing half-written.

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

/// Runs, expects exit code 2 and one line on standard error, and gives it out.
fn refused(args: &[&str], dir: &Path) -> String {
    let output = hpcc_nic(args, dir);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{args:?}: {error}");
    error.trim_end().to_string()
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
    assert!(read("incast16.svg").starts_with("<svg") && temp.path().join("o/incast16.png").exists());
    assert!(read("report.html").contains("<svg") && read("report.html").ends_with("</html>\n"));
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

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).unwrap();
    let topology = "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n";
    write("t.txt", topology);
    write("no_rate.txt", &topology.replacen("100Gbps ", "", 1));
    write("apart.txt", "4 2 2\n2 3\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n");
    write("f.txt", "1\n0 1 3 100 1000 2.0\n");
    write("unknown.txt", "1\n0 7 3 100 1000 2.0\n");
    write("negative.txt", "1\n0 1 3 100 -1000 2.0\n");
    write("itself.txt", "1\n1 1 3 100 1000 2.0\n");
    write(
        "bad.toml",
        "name = 'x'\ntitle = 't'\nnetwork = { topology = 'star', hosts = 3 }\nrun = { stop_us = 'soon' }\n",
    );
    let run = |t: &str, f: &str| refused(&["run", "--topology", t, "--flows", f, "--out", "o"], dir);
    assert_eq!(
        run("t.txt", "unknown.txt"),
        "error: unknown.txt:2: dst: expected a host of the topology, got `7`"
    );
    assert_eq!(
        run("no_rate.txt", "f.txt"),
        "error: no_rate.txt:3: rate: expected a rate above 0 such as 100Gbps, got `1us`"
    );
    assert!(run("apart.txt", "f.txt").contains("hosts 0 and 1: expected a path between them"));
    assert!(run("t.txt", "negative.txt").contains("negative.txt:2: bytes: expected a size"));
    assert!(run("t.txt", "itself.txt").contains("itself.txt:2: dst: expected another host than src"));
    assert!(run("missing.txt", "f.txt").starts_with("error: missing.txt: "));
    assert!(refused(&["run", "bad.toml"], dir).starts_with("error: bad.toml:4: "));
    assert!(refused(&["run", "nonsense"], dir).contains("expected a name from `hpcc-nic scenarios`"));
    assert!(
        refused(&["run", "fig10", "--set", "traffic.0.load=9"], dir).contains("load: expected above 0 and at most 2")
    );
    assert!(refused(&["run", "incast16", "--cc", "reno"], dir).contains("law: expected one of hpcc"));
    assert!(
        refused(&["run", "incast16", "--out", "t.txt/inside"], dir).contains("expected a folder that can be written")
    );
    assert!(!dir.join("o").join("flows.csv").exists());
}
