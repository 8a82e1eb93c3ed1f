//! How the emitted text reads, counted: registers without a comment, arrays taken apart, loops written out. Each number only falls: whoever
//! brings one down brings its bound down too. `cargo test --test blocks emitted_text -- --nocapture` prints the tables.

use crate::tops::emitted;
use hpcc_testbench::tools::cache::workspace_dir;
use std::collections::{BTreeMap, BTreeSet};

/// Registers that are no plain delay of another signal and have no comment, at most.
const WITHOUT_COMMENT: usize = 77;
/// Declarations of one item of an array, at most; the goal is 150.
const ITEMS: usize = 256;
/// Loops whose turns differ in shape, so that they stay written out, at most.
const WRITTEN_OUT: usize = 45;

/// Registers of one module: how many there are, and which of them nobody explains.
struct Registers {
    all: usize,
    silent: Vec<String>,
}

/// The last word of a declaration, with the number of its line.
fn declarations(lines: &[&str]) -> BTreeMap<String, usize> {
    let name = |line: &str| {
        let line = line.strip_prefix("  ")?.strip_suffix(';')?;
        let declares = ["logic ", "wire ", "hpcc_nic_pkg::"]
            .iter()
            .any(|start| line.starts_with(start));
        let plain = declares && !line.contains('=');
        let bare = line.split(" /*").next()?;
        plain.then(|| bare.rsplit(' ').next().map(str::to_string)).flatten()
    };
    let numbered = lines.iter().enumerate();
    numbered.filter_map(|(at, line)| Some((name(line)?, at))).collect()
}

/// The registers of a module: what is assigned in its clocked block. One whose next value is not computed in a signal of its own is a plain delay.
fn registers(text: &str) -> Registers {
    let lines: Vec<&str> = text.lines().collect();
    let declared = declarations(&lines);
    let mut clocked = false;
    let (mut seen, mut silent) = (BTreeSet::new(), vec![]);
    for line in &lines {
        match *line {
            line if line.starts_with("  always @(posedge") => clocked = true,
            "  end" => clocked = false,
            _ => {}
        }
        let assigned = line.trim().strip_suffix(';').and_then(|line| line.split_once(" <= "));
        let Some((target, value)) = assigned.filter(|_| clocked) else {
            continue;
        };
        let target = target.split('[').next().unwrap_or(target);
        let Some(name) = target.strip_suffix("_q") else {
            continue;
        };
        let next = format!("{name}_d");
        let computed = value.split('[').next() == Some(next.as_str());
        let explained = |at: &usize| {
            at.checked_sub(1)
                .is_some_and(|before| lines[before].starts_with("  //"))
        };
        if seen.insert(name.to_string()) && computed && !declared.get(&next).is_some_and(explained) {
            silent.push(name.to_string());
        }
    }
    Registers {
        all: seen.len(),
        silent,
    }
}

#[test]
fn registers_say_what_they_hold() {
    let rtl = workspace_dir().join("verilog-out/rtl");
    let mut rooms: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut files: Vec<_> = std::fs::read_dir(rtl)
        .expect("folder")
        .map(|entry| entry.expect("entry").path())
        .collect();
    files.sort();
    for file in files {
        let name = file.file_stem().expect("name").to_string_lossy().into_owned();
        let found = registers(&std::fs::read_to_string(&file).expect("text"));
        let room = name.split('_').nth(1).unwrap_or_default().to_string();
        let sum = rooms.entry(room).or_default();
        *sum = (sum.0 + found.all, sum.1 + found.silent.len());
        if !found.silent.is_empty() {
            println!("{name}: {}", found.silent.join(" "));
        }
    }
    println!("{:<12} {:>9} {:>15}", "room", "registers", "without comment");
    for (room, (all, silent)) in &rooms {
        println!("{room:<12} {all:>9} {silent:>15}");
    }
    let silent: usize = rooms.values().map(|(_, silent)| silent).sum();
    let all: usize = rooms.values().map(|(all, _)| all).sum();
    println!("{silent} of {all}");
    assert!(all > 2000, "registers are found");
    assert!(silent <= WITHOUT_COMMENT, "{silent} registers without a comment");
}

#[test]
fn a_register_without_a_comment_is_found() {
    let text = "  // Held.\n  logic a_d;\n  logic a_q;\n  logic b_d;\n  logic [3:0] b_q;\n  logic c_q;\n  always @(posedge clk) begin\n    \
                a_q <= a_d;\n    b_q <= b_d;\n    c_q <= a_q;\n  end\n";
    let found = registers(text);
    assert_eq!((found.all, found.silent), (3, vec!["b".to_string()]));
}

#[test]
fn arrays_are_one_declaration_and_loops_are_loops() {
    let library = emitted();
    let (mut items, mut written_out, mut loops) = (0, 0, 0);
    println!("{:<28} {:>5} {:>11} {:>5}", "module", "items", "written out", "loops");
    for name in library.module_order() {
        let counts = library.counts(&name);
        if counts.items + counts.unrolled + counts.loops > 0 {
            println!(
                "{name:<28} {:>5} {:>11} {:>5}",
                counts.items, counts.unrolled, counts.loops
            );
        }
        items += counts.items;
        written_out += counts.unrolled;
        loops += counts.loops;
    }
    println!("{items} declarations of one item, {written_out} loops written out, {loops} loops");
    assert!(loops > 100, "{loops} loops");
    assert!(items <= ITEMS, "{items} declarations of one item of an array");
    assert!(written_out <= WRITTEN_OUT, "{written_out} loops are written out");
}

/// What a stranger cannot follow from the text: paths of Rust.
#[test]
fn comments_name_no_path_of_rust() {
    let rtl = workspace_dir().join("verilog-out/rtl");
    let mut found = vec![];
    for entry in std::fs::read_dir(rtl).expect("folder") {
        let path = entry.expect("entry").path();
        let text = std::fs::read_to_string(&path).expect("text");
        let comments = text.lines().filter_map(|line| line.trim_start().strip_prefix("//"));
        let rust = ["crate::", "super::", "hpcc_models::", "hpcc_rtl::"];
        let wrong = comments.filter(|comment| rust.iter().any(|path| comment.contains(path)));
        found.extend(wrong.map(|comment| format!("{}: {comment}", path.display())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
