//! Bad input to `run` and `sweep`: one line with the field and what was expected, exit code 2, nothing written.

use std::path::Path;
use std::process::Command;

const SCENARIO: &str =
    "name = 'x'\ntitle = 't'\nnetwork = { topology = 'star', hosts = 3 }\nrun = { stop_us = 1000 }\n\
    [[traffic]]\nkind = 'flow'\nsrc = 0\ndst = 2\nbytes = 5000\n";

/// Runs, expects exit code 2 and one line on standard error, and gives it out.
fn refused(args: &[&str], dir: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_hpcc-nic"))
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{args:?}: {error}");
    error.trim_end().to_string()
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

/// The same faults in a scenario: each is refused with the field's name before anything is written.
#[test]
fn a_scenarios_faults_are_named() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    std::fs::write(dir.join("s.toml"), SCENARIO).unwrap();
    let apart = "5 2 3\n3 4\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 4 100Gbps 1us 0\n";
    std::fs::write(dir.join("apart.txt"), apart).unwrap();
    for (set, expected) in [
        ("traffic.0.dst=9", "dst: expected a host of the topology, got 9"),
        ("traffic.0.dst=3", "dst: expected a host of the topology, got 3"),
        ("traffic.0.dst=0", "dst: expected another host than src"),
        ("traffic.0.bytes=0", "bytes: expected more than 0"),
        (
            "traffic.0.bytes=-5",
            "--set: traffic.0.bytes: invalid value: integer `-5`, expected a whole number of 0 or more",
        ),
        (
            "traffic.0.start_us=-3",
            "traffic.0.start_us: expected 0 to 1e9 us, got -3",
        ),
        ("network.rate_gbps=0", "network.rate_gbps: expected 1 to 10000, got 0"),
        ("network.hosts=1", "network.hosts: expected 2 to 100000, got 1"),
        ("network.loss=2", "--set: network.loss: expected 0 to 1, got 2"),
        (
            "network={topology='apart.txt'}",
            "hosts 0 and 2: expected a path between them",
        ),
        (
            "network.topology='ring'",
            "network.topology: expected star, dumbbell, chain",
        ),
        (
            "network.link_change=[{at_us=1,link=9}]",
            "network.link_change.0.link: expected below 3, got 9",
        ),
        (
            "network.link_change=[{at_us=1,link=0,rate_gbps=0}]",
            "network.link_change.0.rate_gbps: expected 1 to 10000, got 0",
        ),
        ("run.stop_us=-1", "run.stop_us: expected above 0"),
        ("cc.eta=5", "--set: cc.eta: expected above 0 and at most 1, got 5"),
        ("cc.gain=0.1", "cc.gain: hpcc has no such key; it has w_ai"),
        ("cc.gaim=0.1", "cc.gaim: hpcc has no such key; it has w_ai"),
        ("network.ecn_pmax=0.1", "network.ecn_pmax: hpcc reads no marks"),
        (
            "cc.precision.fraction_bits=3",
            "cc.precision: expected only with HPCC at fidelity fixed",
        ),
        (
            "traffic=[{kind='poisson',sizes='websearch',load=-1,until_us=10}]",
            "traffic.0.load: expected above 0 and at most 2, got -1",
        ),
        (
            "traffic=[{kind='poisson',sizes='websearch',load=inf,until_us=10}]",
            "traffic.0.load: expected above 0 and at most 2, got inf",
        ),
        (
            "traffic=[{kind='incast-mix',senders=3,bytes=9,load=0.1,until_us=10}]",
            "traffic.0.hosts: expected at least 4, got 3",
        ),
        ("traffic=[]", "traffic: expected at least one flow"),
        ("nonsense=1", "--set: unknown field `nonsense`"),
    ] {
        let error = refused(&["run", "s.toml", "--out", "o", "--set", set], dir);
        assert!(
            error.starts_with("error: ") && error.contains(expected),
            "{set}: {error}"
        );
        let left = std::fs::read_dir(dir.join("o")).map_or(0, |files| files.count());
        assert_eq!(left, 0, "{set}");
    }
}

#[test]
fn an_unwritable_folder_is_found_before_the_run() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    std::fs::write(dir.join("file"), "kept").unwrap();
    for out in ["file", "file/inside", "/proc/hpcc-nic"] {
        let error = refused(&["run", "incast16", "--out", out], dir);
        assert!(error.contains("expected a folder that can be written"), "{error}");
    }
    std::fs::write(dir.join("s.toml"), "scenario = 'incast16'\n[axes]\nseed = [1]\n").unwrap();
    let error = refused(&["sweep", "s.toml", "--out", "file/inside"], dir);
    assert!(error.contains("expected a folder that can be written"), "{error}");
    assert_eq!(std::fs::read_to_string(dir.join("file")).unwrap(), "kept");
}

/// What would have no effect, what stands twice, and what clap says in several lines: one line each.
#[test]
fn nothing_is_ignored() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    std::fs::write(dir.join("s.toml"), SCENARIO).unwrap();
    let unsorted = "2\n0 1 3 100 1000 2.1\n1 0 3 100 1000 2.0\n";
    std::fs::write(dir.join("unsorted.txt"), unsorted).unwrap();
    std::fs::write(dir.join("t.txt"), "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n").unwrap();
    std::fs::write(dir.join("f.txt"), "1\n0 1 3 100 1000 2.0\n").unwrap();
    std::fs::write(dir.join("twice.txt"), "CC_MODE 3\nHAS_WIN 1\nCC_MODE 1\n").unwrap();
    std::fs::write(dir.join("w.toml"), "scenario = 'incast16'\n[axes]\nseed = [1]\n").unwrap();
    let files = ["run", "--topology", "t.txt", "--flows"];
    for (args, expected) in [
        (&["run", "s.toml", "--threads", "0"][..], "--threads"),
        (&["sweep", "w.toml", "--threads", "0"], "--threads"),
        (&["sweep", "w.toml", "--count", "--only", "0"], "cannot be used with"),
        (&["fuzz", "--threads", "0"], "--threads"),
        (&["run", "link", "--threads", "2"], "expected none of --cc"),
        (&["run", "s.toml", "--frobnicate"], "unexpected argument '--frobnicate'"),
        (&["run"], "required arguments were not provided: <NAME>"),
        (&["frobnicate"], "unrecognized subcommand 'frobnicate'"),
        (&[], "expected a subcommand"),
        (
            &["run", "s.toml", "--set", "seed=1", "--set", "seed=2"],
            "--set seed: expected once",
        ),
        (
            &["run", "link", "--set", "mtu=256", "--set", "mtu=512"],
            "mtu: expected once",
        ),
        (
            &["run", "fig10", "--seed", "7"],
            "--seed: expected a value that not every variant sets",
        ),
        (
            &["run", "fig14", "--set", "cc.w_ai=30"],
            "--set cc.w_ai: expected a value that not every variant",
        ),
        (
            &["run", "s.toml", "--set", "network.pods=2"],
            "network.pods: star has no such key",
        ),
        (
            &["run", "s.toml", "--set", "network.middle_gbps=[40]"],
            "network.middle_gbps: star has no such key",
        ),
        (
            &[&files[..], &["unsorted.txt"]].concat(),
            "unsorted.txt:3: start_seconds: expected 2.1 or later",
        ),
        (
            &[&files[..], &["f.txt", "--ns3-config", "twice.txt"]].concat(),
            "twice.txt:3: CC_MODE: expected this key once",
        ),
        (&["report", "--speed", "--place", "3"], "cannot be used with"),
        (&["report", "--blocks", "--figures", "x"], "cannot be used with"),
        (&["report", "--speed", "--only", "x"], "cannot be used with"),
        (&["run", "s.toml", "--flows", "f.txt"], "cannot be used with"),
        (&["run", "s.toml", "--ns3-config", "twice.txt"], "cannot be used with"),
        (
            &["run", "s.toml", "--full"],
            "--full: expected only with a scenario that has a table [full]; s.toml has none",
        ),
        (
            &[&files[..], &["f.txt", "--threads", "2"]].concat(),
            "cannot be used with",
        ),
    ] {
        let error = refused(args, dir);
        assert!(
            error.starts_with("error: ") && error.contains(expected),
            "{args:?}: {error}"
        );
    }
    let second = format!("{SCENARIO}[[traffic]]\nkind = 'flow'\nsrc = 1\ndst = 'b'\nbytes = 5000\n");
    for (text, expected) in [
        (
            SCENARIO.replace("hosts = 3", "hosts = 'many'"),
            "bad.toml:3: network.hosts: invalid type",
        ),
        (
            format!("seed = 1\nseed = 2\n{SCENARIO}"),
            "bad.toml:2: seed: duplicate key",
        ),
        (
            second,
            "bad.toml:13: traffic.1.dst: invalid type: string \"b\", expected a whole number",
        ),
    ] {
        std::fs::write(dir.join("bad.toml"), text).unwrap();
        let error = refused(&["run", "bad.toml"], dir);
        assert!(error.starts_with(&format!("error: {expected}")), "{error}");
    }
    for (text, expected) in [
        (
            SCENARIO.replace("hosts = 3", "hosts = 3, loss = 5"),
            "bad.toml:3: network.loss: expected 0 to 1, got 5",
        ),
        (
            format!("{SCENARIO}[cc]\neta = 5\n"),
            "bad.toml:11: cc.eta: expected above 0 and at most 1, got 5",
        ),
        (
            format!("{SCENARIO}[cc]\n[[variant]]\nlabel = 'a'\nset = {{ 'cc.eta' = 5 }}\n"),
            "bad.toml:13: cc.eta: expected above 0 and at most 1, got 5",
        ),
        (
            SCENARIO.replace("bytes = 5000", "bytes = 0"),
            "bad.toml:9: traffic.0.bytes: expected more than 0",
        ),
        (
            SCENARIO.replace("hosts = 3", "hosts = 3, pods = 2"),
            "bad.toml:3: network.pods: star has no such key",
        ),
        (
            SCENARIO.replace("hosts = 3", "hosts = 3, mark_packets = 5"),
            "bad.toml:3: network.mark_packets: expected only with a law that reads marks",
        ),
        (
            format!("{SCENARIO}[[variant]]\nlabel = 'a'\nset = {{ 'tcp.sack' = true }}\n"),
            "bad.toml: variant a: tcp.sack: expected only with a TCP law",
        ),
    ] {
        std::fs::write(dir.join("bad.toml"), text).unwrap();
        let error = refused(&["run", "bad.toml"], dir);
        assert!(error.starts_with(&format!("error: {expected}")), "{error}");
    }
    for (axes, expected) in [
        ("seed = 1", "axes.seed: expected a list of values"),
        ("seed = [1, 2, 1]", "axes.seed: expected each value once, got 1 again"),
        ("seed = [1, 'a']", "axes: seed: invalid type: string \"a\""),
        ("sede = [1]", "axes: unknown field `sede`"),
    ] {
        std::fs::write(dir.join("w.toml"), format!("scenario = 'incast16'\n[axes]\n{axes}\n")).unwrap();
        let error = refused(&["sweep", "w.toml"], dir);
        assert!(
            error.starts_with(&format!("error: w.toml: {expected}")),
            "{axes}: {error}"
        );
    }
}

/// Keys that change nothing where the run does not have what they are for.
#[test]
fn keys_without_an_effect_are_refused() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    std::fs::write(dir.join("s.toml"), SCENARIO).unwrap();
    let irn = "network.flow_control='irn'";
    for (fidelity, set, key, only) in [
        (
            "golden",
            &["cc.driver='verilated'"][..],
            "cc.driver",
            "at fidelity cc-rtl",
        ),
        (
            "nic-model",
            &["cc.driver='verilated'"],
            "cc.driver",
            "at fidelity cc-rtl",
        ),
        (
            "nic-model",
            &["cc.latency_ns=500"],
            "cc.latency_ns",
            "at fidelity golden, fixed or cc-rtl",
        ),
        ("golden", &["tcp.sack=true"], "tcp.sack", "with a TCP law"),
        (
            "golden",
            &["law='cubic'", "network.flow_control='drop-tail'", "cc.min_rate_mbps=5"],
            "cc.min_rate_mbps",
            "with a law that is not TCP's",
        ),
        ("golden", &["tcp={mss=1000}"], "tcp.mss", "with a TCP law"),
        (
            "golden",
            &["network.mark_packets=5"],
            "network.mark_packets",
            "with a law that reads marks",
        ),
        (
            "golden",
            &[irn, "network.retry_timeout_us=7"],
            "network.retry_timeout_us",
            "with a law",
        ),
        (
            "golden",
            &[irn, "network.pause_scales_with_speed=true"],
            "network.pause_scales_with_speed",
            "with flow_control",
        ),
        (
            "golden",
            &["law='newreno'", "network.flow_control='drop-tail'", "tcp.gain=0.1"],
            "tcp.gain",
            "with dctcp-tcp",
        ),
    ] {
        let mut args = vec!["run", "s.toml", "--out", "o", "--fidelity", fidelity];
        set.iter().for_each(|set| args.extend(["--set", set]));
        let error = refused(&args, dir);
        let expected = format!("error: --set: {key}: expected only {only}");
        assert!(error.starts_with(&expected), "{set:?}: {error}");
    }
    // Where they are for something they are taken.
    for set in [
        &["law='dcqcn'", "network.mark_packets=5"][..],
        &["network.retry_timeout_us=700", "network.flow_control='go-back-n'"],
        &["law='cubic'", "network.flow_control='drop-tail'", "tcp.sack=true"],
        &["network.pause_scales_with_speed=true", "cc.latency_ns=500"],
    ] {
        let set: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_hpcc-nic"));
        let output = command
            .args(["run", "s.toml", "--out", "o"])
            .args(&set)
            .current_dir(dir)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{set:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
