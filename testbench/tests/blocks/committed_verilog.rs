//! The committed Verilog is what the source emits, and is clean.

use crate::tops::emitted;
use hpcc_rtl::emit::Tree;
use hpcc_rtl::tops::library;
use hpcc_testbench::tools::{self, cache::workspace_dir};
use hpcc_testbench::verilated::has_dollar;

#[test]
fn committed_files_are_what_the_source_emits() {
    let tree = Tree::new(emitted());
    let differences = tree
        .differences(&workspace_dir().join("verilog-out"))
        .expect("readable");
    let list: String = differences.iter().map(|difference| format!("{difference}\n")).collect();
    assert!(differences.is_empty(), "run `cargo run -- emit`:\n{list}");
}

#[test]
fn emitting_twice_gives_the_same_bytes() {
    let again = library().expect("emits");
    assert_eq!(Tree::new(emitted()), Tree::new(&again));
}

#[test]
fn every_top_is_clean_under_wall() {
    let library = emitted();
    let scratch = tempfile::tempdir().expect("scratch");
    let tree = Tree::new(library);
    tree.write(scratch.path()).expect("written");
    assert!(tree.differences(scratch.path()).expect("readable").is_empty());
    for top in library.tops() {
        let mut files = vec![
            scratch.path().join("waivers.vlt"),
            scratch.path().join("rtl/hpcc_nic_pkg.sv"),
        ];
        files.extend(
            library
                .modules_of(top)
                .iter()
                .map(|name| scratch.path().join(format!("rtl/{name}.sv"))),
        );
        let warnings = tools::lint(top, &files, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(warnings, "", "lint of {top}");
    }
    // what modules promise and the bench are no part of the design, and are written with functions of SystemVerilog
    for (name, text) in tree
        .0
        .iter()
        .filter(|(name, _)| !name.starts_with("sva/") && !name.starts_with("tb/"))
    {
        assert!(!has_dollar(text), "{name} contains a dollar");
    }
}
