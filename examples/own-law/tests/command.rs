//! The command of this folder: runs, sweeps, lists, and refuses as `hpcc-nic` does; and the folder on its own, outside the workspace.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The command in the example's folder.
fn command(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_own-law"));
    command
        .current_dir(folder())
        .args(arguments)
        .output()
        .expect("the command")
}

fn good(arguments: &[&str]) -> String {
    let output = command(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What is refused: exit code 2 and one line, which ends with `expected`.
fn refused(arguments: &[&str], expected: &str) {
    let output = command(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(
        error.starts_with("error: ") && error.trim_end().ends_with(expected) && error.lines().count() == 1,
        "{error}"
    );
}

#[test]
fn a_law_of_ones_own_runs_beside_hpcc() {
    let out = tempfile::tempdir().expect("a folder");
    let place = out.path().to_str().expect("a name");
    good(&["run", "incast.toml", "--out", place, "--set", "cc.step_bytes=500"]);
    let summary = std::fs::read_to_string(out.path().join("delay-target/summary.json")).expect("a summary");
    for part in [
        "\"law\": \"delay-target\"",
        "\"target_us\": 20.0",
        "\"step_bytes\": 500.0",
        "\"strength\": 0.8",
        "\"finished\": 16",
    ] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    let hpcc = std::fs::read_to_string(out.path().join("HPCC/summary.json")).expect("a summary");
    assert!(hpcc.contains("\"law\": \"hpcc\""), "{hpcc}");
}

/// The same in another scenario, by `--cc`; and a sweep over a key of the law.
#[test]
fn every_scenario_takes_the_law() {
    let out = tempfile::tempdir().expect("a folder");
    let place = |name: &str| out.path().join(name).to_str().expect("a name").to_string();
    good(&[
        "run",
        "incast16",
        "--cc",
        "delay-target",
        "--fidelity",
        "golden",
        "--out",
        &place("run"),
    ]);
    let sweep = out.path().join("sweep.toml");
    let scenario = folder().join("incast.toml");
    let text = format!("scenario = {scenario:?}\n[axes]\n\"cc.target_us\" = [15, 40]\n");
    std::fs::write(&sweep, text).expect("a file");
    let table = good(&["sweep", sweep.to_str().expect("a name"), "--out", &place("sweep")]);
    assert!(table.contains("2 runs"), "{table}");
    assert!(good(&["scenarios"]).contains("incast16"));
}

#[test]
fn what_the_program_lacks_is_said() {
    refused(
        &["run", "incast.toml", "--set", "cc.target_us=0"],
        "cc.target_us: expected 1 to 1000, got 0",
    );
    refused(&["run", "incast16", "--fidelity", "cc-rtl"], "this program has no RTL");
    refused(
        &["run", "incast16", "--fidelity", "nic-model"],
        "this program has no whole NICs",
    );
}

/// A copy of the folder elsewhere compiles with nothing of the workspace but the path to `hpcc-sim`. It takes the time of two crates, so that only the long
/// tests have it.
#[test]
fn a_copy_outside_the_workspace_compiles() {
    if std::env::var_os("HPCC_LONG").is_none() {
        return;
    }
    let root = folder().join("../..");
    let copy = tempfile::tempdir().expect("a folder");
    let at = |name: &str| copy.path().join(name);
    let sim = root.join("testbench/sim").canonicalize().expect("the crate");
    let manifest = std::fs::read_to_string(folder().join("Cargo.toml")).expect("a manifest");
    let manifest = manifest.replace("../../testbench/sim", sim.to_str().expect("a name"));
    // the profiles, so that crates that both have are compiled once
    let workspace = std::fs::read_to_string(root.join("Cargo.toml")).expect("a manifest");
    let profile = workspace.find("[profile.dev]").expect("a profile");
    let profiles = workspace[profile..]
        .split("[profile.dev.package.hpcc")
        .next()
        .expect("a part");
    std::fs::write(at("Cargo.toml"), format!("{manifest}\n[workspace]\n\n{profiles}")).expect("a file");
    std::fs::copy(root.join("Cargo.lock"), at("Cargo.lock")).expect("a file");
    copy_folder(&folder().join("src"), &at("src"));
    let target = Path::new(env!("CARGO_BIN_EXE_own-law"))
        .ancestors()
        .nth(2)
        .expect("a target");
    let output = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--target-dir"])
        .arg(target)
        .current_dir(copy.path())
        .output()
        .expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a file");
    }
}
