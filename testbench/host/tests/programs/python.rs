//! pyverbs: payloads, errors and corners that perftest does not check, and rdma-core's own tests.

use crate::bench::Bench;
use std::path::Path;
use std::process::Command;

const PYTHON: &str = "/usr/bin/python3";
const TESTS: &str = "/usr/share/doc/rdma-core/tests";

fn is_missing(test: &str) -> bool {
    let found = Command::new(PYTHON)
        .args(["-c", "import pyverbs.device"])
        .output()
        .is_ok_and(|run| run.status.success());
    if !found || !Path::new(TESTS).is_dir() {
        println!("NOT RUN: {test} needs python3-pyverbs");
        return true;
    }
    false
}

#[test]
fn payloads_errors_and_corners() {
    if is_missing("payloads_errors_and_corners") {
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/errors.py");
    let run = Bench::new().run(&[PYTHON, script]);
    assert_eq!(run.code, Some(0), "{}", run.text);
    assert_eq!(run.text.matches("ok   ").count(), 16, "{}", run.text);
}

/// rdma-core's tests pass or skip what the NIC does not offer; both ends are one device in one process.
#[test]
fn tests_of_rdma_core() {
    if is_missing("tests_of_rdma_core") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let copied = Command::new("cp")
        .args(["-r", TESTS])
        .arg(folder.path())
        .status()
        .unwrap();
    let tests = folder.path().join("tests");
    let unpacked = Command::new("sh")
        .args(["-c", "gunzip -f *.gz"])
        .current_dir(&tests)
        .status()
        .unwrap();
    assert!(copied.success() && unpacked.success());
    let bench = Bench::new();
    let line = format!("cd {} && exec {PYTHON} run_tests.py --dev sim0 -v", tests.display());
    let run = bench.run(&["sh", "-c", &line]);
    let passed = run.text.matches(" ... ok").count();
    assert_eq!(run.code, Some(0), "{}", run.text);
    assert!(passed >= 49, "{passed} passed\n{}", run.text);
    println!("{passed} passed");
}
