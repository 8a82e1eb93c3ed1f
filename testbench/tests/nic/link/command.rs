//! `hpcc-nic run link` as a command.

use std::path::Path;
use std::process::Command;

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
    let from = &summary["provenance"];
    assert_eq!(from["version"], env!("CARGO_PKG_VERSION"));
    assert!(from["commit"].as_str().is_some_and(|c| c.len() >= 7) && from["sources_fnv1a64"].is_string());
    assert_eq!(from["command"], format!("hpcc-nic {args}"));
    // What was set and what was not.
    let scenario = &from["scenario"];
    assert_eq!(
        (&scenario["loss"], &scenario["op"], &scenario["mtu"]),
        (&0.01.into(), &"bidirectional".into(), &1024.into())
    );
    assert_eq!(
        (&from["seed"], &from["nics"]["a"]["nic"]["mtu"]),
        (&3.into(), &1024.into())
    );
    assert_eq!(
        (&from["laws"]["hpcc"]["eta"], &from["laws"]["hpcc"]["max_stage"]),
        (&0.95.into(), &5.into())
    );
    let wall_s = summary["wall_s"].as_f64().unwrap();
    assert!(
        summary["cpu_s"].as_f64().is_none_or(|cpu| cpu <= wall_s + 0.05),
        "{summary}"
    );
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
    let summary = std::fs::read_to_string(dir.path().join("o/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["provenance"]["command"], format!("hpcc-nic {args}"));
    assert_eq!(summary["provenance"]["scenario"]["bytes"], 500_000);
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
    assert!(refused(&["--vcd", "a.vcd", "--fidelity", "golden"]).contains("a waveform: expected --fidelity nic-rtl"));
    assert!(refused(&["--html"]).starts_with("error: run link: expected none of"));
}
