//! Sweeps that are killed, and sweeps as a Snakemake workflow with the local executor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use hpcc_testbench::tools::{python, Tool};

const BINARY: &str = env!("CARGO_BIN_EXE_hpcc-nic");

/// Result files of every combination, by path inside the sweep's folder; `summary.json` holds the real time and is left out.
fn results(out: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in std::fs::read_dir(out)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.is_dir())
    {
        for name in ["flows.csv", "queues.csv", "rates.csv"] {
            if let Ok(bytes) = std::fs::read(folder.join(name)) {
                files.insert(folder.strip_prefix(out).unwrap().join(name), bytes);
            }
        }
    }
    files
}

/// Finished combinations and when they were.
fn finished(out: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let folders = std::fs::read_dir(out).into_iter().flatten().map(|e| e.unwrap().path());
    folders
        .filter_map(|f| {
            let written = std::fs::metadata(f.join("summary.json")).ok()?.modified().ok()?;
            Some((f, written))
        })
        .collect()
}

#[test]
fn a_killed_sweep_goes_on_where_it_was() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("sweep.toml");
    let text = "scenario = 'fig11-30'\n[axes]\nlaw = ['hpcc']\nseed = [1, 2, 3, 4]\n'traffic.0.until_us' = [200]\n'traffic.1.until_us' = [200]\n";
    std::fs::write(&file, text).unwrap();
    let sweep = |out: &Path| {
        let mut command = Command::new(BINARY);
        command
            .args(["sweep", "--threads", "1"])
            .arg(&file)
            .arg("--out")
            .arg(out);
        command
    };
    let (killed, whole) = (temp.path().join("killed"), temp.path().join("whole"));
    let mut child = sweep(&killed)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while finished(&killed).is_empty() && started.elapsed() < Duration::from_secs(300) {
        std::thread::sleep(Duration::from_millis(2));
    }
    // SIGKILL: nothing of the process runs any more.
    child.kill().unwrap();
    child.wait().unwrap();
    let before = finished(&killed);
    assert!(
        (1..4).contains(&before.len()),
        "{} combinations finished before the kill",
        before.len()
    );
    assert!(!killed.join("sweep.csv").exists());

    let again = sweep(&killed).output().unwrap();
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let said = String::from_utf8(again.stdout).unwrap();
    let kept = before.len();
    assert!(said.contains(&format!("{} runs, {kept} kept", 4 - kept)), "{said}");
    let after = finished(&killed);
    assert_eq!(after.len(), 4);
    assert!(before.iter().all(|(folder, written)| after[folder] == *written));

    assert!(sweep(&whole).output().unwrap().status.success());
    assert!(
        results(&killed) == results(&whole),
        "an interrupted sweep has other results"
    );
    let rows = |out: &Path| std::fs::read_to_string(out.join("sweep.csv")).unwrap().lines().count();
    assert_eq!((rows(&killed), rows(&whole)), (5, 5));
}

#[test]
fn the_workflow_runs_every_combination_once() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("sweep.toml");
    std::fs::write(&file, "scenario = 'incast16'\n[axes]\nfidelity = ['golden', 'fixed']\n").unwrap();
    let snakefile = concat!(env!("CARGO_MANIFEST_DIR"), "/sweeps/Snakefile");
    let workflow = || {
        let output = python(Tool::Snakemake)
            .unwrap()
            .args([
                "-m",
                "snakemake",
                "--executor",
                "local",
                "--cores",
                "1",
                "-s",
                snakefile,
            ])
            .arg("--directory")
            .arg(temp.path())
            .arg("--config")
            .args([
                format!("sweep={}", file.display()),
                format!("binary={BINARY}"),
                "out=out".into(),
            ])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{text}");
        text
    };
    assert!(workflow().contains("4 of 4 steps (100%) done"));
    let out = temp.path().join("out");
    let table = std::fs::read_to_string(out.join("sweep.csv")).unwrap();
    assert_eq!(table.lines().count(), 3, "{table}");
    let before = finished(&out);
    assert!(workflow().contains("Nothing to be done"));
    assert_eq!(finished(&out), before);
}
