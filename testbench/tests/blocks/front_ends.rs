//! The committed text through every front end that is promised: none has anything to say about it.

use hpcc_testbench::tools::cache::workspace_dir;
use hpcc_testbench::tools::front_ends::FrontEnd;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Folder of the committed text and its files in order.
fn committed() -> (PathBuf, Vec<String>) {
    let dir = workspace_dir().join("verilog-out");
    let files = listed(&dir, "hpcc_nic.f");
    (dir, files)
}

/// Files of a list in order.
fn listed(dir: &Path, list: &str) -> Vec<String> {
    let list = std::fs::read_to_string(dir.join(list)).expect("file list");
    let files = list.lines().filter(|line| line.ends_with(".sv"));
    files.map(str::to_string).collect()
}

/// Reads the text once. A front end that cannot be installed here says so by name, and with what to do.
fn is_silent(front_end: FrontEnd) {
    let (dir, files) = committed();
    is_silent_of(front_end, &dir, &files);
}

fn is_silent_of(front_end: FrontEnd, dir: &Path, files: &[String]) {
    match front_end.says(dir, files) {
        Ok(said) => assert_eq!(said, "", "{front_end:?}"),
        Err(missing) => {
            // Past the harness, which keeps what a passing test prints to itself.
            let _ = writeln!(std::io::stderr(), "front_ends, {front_end:?}: NOT RUN, {missing}");
        }
    }
}

#[test]
fn verilator_5_048_is_silent() {
    is_silent(FrontEnd::Verilator);
}

#[test]
fn verilator_5_006_of_debian_12_is_silent() {
    is_silent(FrontEnd::DebianVerilator);
}

#[test]
fn yosys_is_silent() {
    is_silent(FrontEnd::Yosys);
}

#[test]
fn slang_is_silent() {
    is_silent(FrontEnd::Slang);
}

#[test]
fn verible_is_silent() {
    is_silent(FrontEnd::Verible);
}

/// What the modules promise, bound to them. Yosys reads no concurrent assertions.
#[test]
fn contracts_are_read_without_a_word() {
    let (dir, mut files) = committed();
    let contracts = listed(&dir, "hpcc_nic_sva.f");
    assert!(contracts.len() >= 20, "{} modules promise something", contracts.len());
    files.extend(contracts);
    for front_end in [FrontEnd::Verilator, FrontEnd::Slang, FrontEnd::Verible] {
        is_silent_of(front_end, &dir, &files);
    }
}

/// A text in which each of them finds something, so that silence means something.
#[test]
fn each_front_end_speaks_of_a_wrong_text() {
    let scratch = tempfile::tempdir().expect("scratch");
    let text = "module wrong (input wire [1:0] a, output wire b);\n  assign b = missing[a;\nendmodule\n";
    std::fs::write(scratch.path().join("wrong.sv"), text).expect("written");
    for front_end in FrontEnd::ALL {
        if let Ok(said) = front_end.says(scratch.path(), &["wrong.sv".into()]) {
            assert!(said.contains("wrong.sv"), "{front_end:?} says {said:?}");
        }
    }
}
